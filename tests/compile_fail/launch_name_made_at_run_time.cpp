// SPDX-License-Identifier: Apache-2.0
// A name that would not live as long as ledgers and graphs show it.
// lines: 13
// first: the_name_of_a_launch_is_kept::fix_write_a_literal
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
  const std::string name = "doubled";
  launch_on(
      gpu<0>, name.c_str(), [&](auto& stream, auto px, auto py) { stream.launch(LaunchSize::covering(x.size()), doubled, x.size(), px, py); },
      x, y.write());
}
#endif
