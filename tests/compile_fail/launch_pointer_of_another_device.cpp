// SPDX-License-Identifier: Apache-2.0
// A pointer into another GPU in a launch.
// first: LaunchStream::launch: a pointer into another GPU.s memory; fix: pass x.to\(device\) to launch_on
#include <situ/launch.hpp>
#include <situ/situ.hpp>

using namespace situ;

__global__ void doubled(std::int64_t n, const float* x, float* y) {
  const std::int64_t i = std::int64_t{blockIdx.x} * blockDim.x + threadIdx.x;
  if (i < n) y[i] = 2 * x[i];
}

#ifdef SITU_CONTROL
void mistake(const Tensor<float, Cuda<1>>& x, Tensor<float, Cuda<0>>& y) {
  launch_on(
      gpu<0>, "doubled", [&](auto& stream, auto px, auto py) { stream.launch(LaunchSize::covering(x.size()), doubled, x.size(), px, py); },
      x.to(gpu<0>), y.write());
}
#else
void mistake(const Tensor<float, Cuda<1>>& x, Tensor<float, Cuda<0>>& y) {
  launch_on(
      gpu<0>, "doubled", [&](auto& stream, auto py) { stream.launch(LaunchSize::covering(x.size()), doubled, x.size(), x.device_data(), py); },
      y.write());
}
#endif
