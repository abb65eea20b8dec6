// SPDX-License-Identifier: Apache-2.0
// A step that a graph has captured and runs again: its launches are observed as others are.
#include <situ/graph.hpp>

#include "program.hpp"

namespace {
using namespace ptx_programs;

struct Step {
  float rate;
  auto operator()(const TensorLike auto& w, const TensorLike auto& x, const TensorLike auto& y) const {
    Tensor error = matmul(x, w) - y;
    return eval(w - rate * 2.f / static_cast<float>(x.extent(0)) * matmul(transpose(x), error));
  }
};
}  // namespace

int main() {
  const Gpu<float> truth = normal<float>({3, 1});
  Gpu<float> w = zeros<float>({3, 1}, gpu<0>), x = normal<float>({64, 3});
  auto step = capture<Cuda<0>>(Step{0.1f}, w, x, matmul(x, truth));
  for (int i = 0; i < 5; ++i) {
    w = step(w, x, matmul(x, truth));
    x = normal<float>({64, 3});
  }
  return finish();
}
