// SPDX-License-Identifier: Apache-2.0
// A step captured once and launched many times.
// [program]
#include <situ/graph.hpp>
#include <situ/situ.hpp>
using namespace situ;

int main() {
  if (!is_available<Cuda<0>>()) return 0;
  Tensor x = ones<float>({256}, gpu<0>);
  auto half = capture<Cuda<0>>([](const auto& v) { return eval(v * 0.5f + 1); }, x);  // records the kernels
  for (int i = 0; i < 20; ++i) x = half(x);                                           // one launch a call
  print(x(range(0, 3)));                                                              // near 2
  return max(abs(x - 2)).to(cpu).item() < 1e-4f ? 0 : 1;
}
// [program-end]
