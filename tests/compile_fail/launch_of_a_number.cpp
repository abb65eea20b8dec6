// SPDX-License-Identifier: Apache-2.0
// A number among the operands of a launch.
// first: launch_on: an operand is neither a tensor nor a lease; fix: let the lambda capture it
#include <situ/launch.hpp>
#include <situ/situ.hpp>

using namespace situ;

__global__ void doubled(std::int64_t n, const float* x, float* y) {
  const std::int64_t i = std::int64_t{blockIdx.x} * blockDim.x + threadIdx.x;
  if (i < n) y[i] = 2 * x[i];
}

#ifdef SITU_CONTROL
void mistake(const Tensor<float, Cuda<0>>& x, Tensor<float, Cuda<0>>& y) {
  launch_on(
      gpu<0>, "doubled", [&](auto& stream, auto px, auto py) { stream.launch(LaunchSize::covering(x.size()), doubled, x.size(), px, py); },
      x, y.write());
}
#else
void mistake(const Tensor<float, Cuda<0>>& x, Tensor<float, Cuda<0>>& y) {
  launch_on(
      gpu<0>, "doubled", [&](auto& stream, auto px, auto py, auto) { stream.launch(LaunchSize::covering(x.size()), doubled, x.size(), px, py); },
      x, y.write(), 2.f);
}
#endif
