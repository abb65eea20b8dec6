// SPDX-License-Identifier: Apache-2.0
// A kernel in a file that the host compiler compiles. Its twin only declares the kernel, and launches it.
// kind: a kernel of one's own in a file of the host compiler
// first: nvcc_compiles_kernels::fix_name_the_file_dot_cu
#include <situ/launch.hpp>
#include <situ/situ.hpp>

using namespace situ;

#ifdef SITU_CONTROL
__global__ void doubled(std::int64_t n, float* y);
void twice(Tensor<float, Cuda<0>>& y) {
  launch_on(
      gpu<0>, "doubled",
      [&](auto& stream, auto py) { stream.launch(LaunchSize::covering(y.size()), doubled, y.size(), py); }, y.write());
}
#else
__global__ void doubled(std::int64_t n, float* y) {
  const std::int64_t i = std::int64_t{threadIdx.x};
  if (i < n) y[i] *= 2;
}
#endif
