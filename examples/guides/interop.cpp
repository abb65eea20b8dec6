// SPDX-License-Identifier: Apache-2.0
// Memory of a vector as a tensor, and back.
// [program]
#include <situ/interop/memory.hpp>
#include <situ/situ.hpp>

#include <span>
#include <utility>
#include <vector>

using namespace situ;

int main() {
  std::vector<float> samples{3, 1, 2, 4};
  Tensor x = from_range(std::move(samples), {2, 2});  // takes the vector over: no element is copied
  Tensor y = x * 2 + 1;
  std::span<const float> elements = y.span();  // reads the tensor's own memory
  print(y);
  return elements[3] == 9.f ? 0 : 1;
}
// [program-end]
