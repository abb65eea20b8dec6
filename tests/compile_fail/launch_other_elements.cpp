// SPDX-License-Identifier: Apache-2.0
// A kernel of other elements than the tensor's.
// first: LaunchStream::launch: the kernel.s parameter is no pointer to such elements; fix: pass a tensor of .*cast
#include <situ/launch.hpp>
#include <situ/situ.hpp>

using namespace situ;

__global__ void doubled(std::int64_t n, const float* x, float* y) {
  const std::int64_t i = std::int64_t{blockIdx.x} * blockDim.x + threadIdx.x;
  if (i < n) y[i] = 2 * x[i];
}

#ifdef SITU_CONTROL
void mistake(const Tensor<int, Cuda<0>>& x, Tensor<float, Cuda<0>>& y) {
  launch_on(
      gpu<0>, "doubled", [&](auto& stream, auto px, auto py) { stream.launch(LaunchSize::covering(x.size()), doubled, x.size(), px, py); },
      eval(cast<float>(x)), y.write());
}
#else
void mistake(const Tensor<int, Cuda<0>>& x, Tensor<float, Cuda<0>>& y) {
  launch_on(
      gpu<0>, "doubled", [&](auto& stream, auto px, auto py) { stream.launch(LaunchSize::covering(x.size()), doubled, x.size(), px, py); },
      x, y.write());
}
#endif
