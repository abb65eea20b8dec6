// SPDX-License-Identifier: Apache-2.0
// Kernels of the program's own: a sum in two passes, with shared memory and scratch memory, alone and within a graph.
#include <cstdint>

#include <situ/graph.hpp>
#include <situ/launch.hpp>
#include <situ/situ.hpp>

using namespace situ;

// [kernel]
constexpr int sum_threads = 128;

/// The sum of the squares of each block's elements.
__global__ void block_squares(std::int64_t n, const float* x, float* sums) {
  __shared__ float part[sum_threads];
  const std::int64_t i = std::int64_t{blockIdx.x} * blockDim.x + threadIdx.x;
  part[threadIdx.x] = i < n ? x[i] * x[i] : 0.f;
  for (unsigned half = sum_threads / 2; half > 0; half /= 2) {
    __syncthreads();
    if (threadIdx.x < half) part[threadIdx.x] += part[threadIdx.x + half];
  }
  if (threadIdx.x == 0) sums[blockIdx.x] = part[0];
}

/// The root of the sum of a few numbers, by one thread.
__global__ void root_of_sum(int n, const float* sums, float* result) {
  float total = 0;
  for (int i = 0; i < n; ++i) total += sums[i];
  *result = sqrtf(total);
}
// [kernel-end]

// [launch]
/// The Euclidean norm.
template <Device D>
Tensor<float, D> own_norm(const Tensor<float, D>& x) {
  Tensor result = empty<float>({}, D());
  const LaunchSize size = LaunchSize::covering(x.size(), sum_threads);
  launch_on(
      D(), "own norm",
      [&](auto& stream, auto px, auto to) {
        const auto sums = stream.template scratch<float>(size.blocks);  // until launch_on ends
        stream.launch(size, block_squares, x.size(), px, sums);
        stream.launch({.blocks = 1, .threads = 1}, root_of_sum, size.blocks, sums, to);
      },
      x, result.write());
  return result;
}
// [launch-end]

int main() {
  if (!is_available<Cuda<0>>()) {
    print("no GPU");
    return 0;
  }
  Tensor x = full<float>({900}, 2.f, gpu<0>);
  const Tensor length = own_norm(x);
  print("norm", length.to(cpu).item());

  // [graph]
  auto normalize = capture<Cuda<0>>([](const auto& v) { return eval(v / own_norm(v)); }, x);
  const Tensor unit = normalize(x);  // one launch
  // [graph-end]
  print("norm of the unit vector", norm(unit).to(cpu).item());

  // [view]
  const Tensor matrix = reshape(x, {30, 30});
  const Tensor first = own_norm(contiguous(matrix(all, 0)));  // a column has gaps; launch_on would refuse it
  // [view-end]
  const bool right = length.to(cpu).item() == 60.f && allclose(norm(unit), 1.f).to(cpu).item() &&
                     allclose(first, norm(matrix(all, 0))).to(cpu).item();
  return right ? 0 : 1;
}
