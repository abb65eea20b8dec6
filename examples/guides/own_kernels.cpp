// SPDX-License-Identifier: Apache-2.0
// A kernel of the program's own on tensors.
// [program]
#include <situ/launch.hpp>
#include <situ/situ.hpp>
using namespace situ;

__global__ void saxpy(std::int64_t n, float a, const float* x, float* y) {
  const std::int64_t i = std::int64_t{blockIdx.x} * blockDim.x + threadIdx.x;
  if (i < n) y[i] = a * x[i] + y[i];
}

int main() {
  if (!is_available<Cuda<0>>()) return 0;
  const Tensor x = ones<float>({1000}, gpu<0>);
  Tensor y = full<float>({1000}, 3.f, gpu<0>);
  launch_on(
      gpu<0>, "saxpy",
      [&](auto& stream, auto px, auto py) {
        stream.launch(LaunchSize::covering(x.size()), saxpy, x.size(), 2.f, px, py);
      },
      x, y.write());  // x is read, y is written
  print(y(range(0, 3)));
  return all(y == 5.f).to(cpu).item() ? 0 : 1;
}
// [program-end]
