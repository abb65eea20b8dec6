// SPDX-License-Identifier: Apache-2.0
// Libraries of CUDA on tensors: a kernel of cuda::std::mdspan by <<<>>>, CUB with scratch memory of the pool, Thrust. Only
// nvcc compiles these.
#include <cstddef>
#include <cstdint>

#include <cub/device/device_reduce.cuh>
#include <cuda/std/mdspan>
#include <situ/interop/mdspan.hpp>
#include <situ/launch.hpp>
#include <situ/situ.hpp>
#include <thrust/device_ptr.h>
#include <thrust/execution_policy.h>
#include <thrust/sort.h>

using namespace situ;

// [mdspan]
using Matrix = cuda::std::mdspan<const float, cuda::std::dextents<int, 2>, cuda::std::layout_stride>;

__global__ void row_sums(Matrix m, float* sums) {
  const int row = static_cast<int>(blockIdx.x * blockDim.x + threadIdx.x);
  if (row >= m.extent(0)) return;
  float total = 0;
  for (int column = 0; column < m.extent(1); ++column) total += m(row, column);
  sums[row] = total;
}

Tensor<float, Cuda<0>> sums_of_rows(const Tensor<float, Cuda<0>>& x) {  // any strides
  Tensor sums = empty<float>({x.extent(0)}, gpu<0>);
  launch_on(
      gpu<0>, "row sums",
      [&](auto& stream, auto to) {
        const auto blocks = static_cast<unsigned>((x.extent(0) + 127) / 128);
        row_sums<<<blocks, 128, 0, stream.native()>>>(as_device_mdspan<Matrix>(x), static_cast<float*>(to));
      },
      sums.write());
  return sums;
}
// [mdspan-end]

// [cub]
Tensor<float, Cuda<0>> sum_by_cub(const Tensor<float, Cuda<0>>& x) {
  Tensor total = empty<float>({}, gpu<0>);
  launch_on(
      gpu<0>, "CUB sum",
      [&](auto& stream, auto px, auto to) {
        const auto* const from = static_cast<const float*>(px);
        std::size_t bytes = 0;
        cub::DeviceReduce::Sum(nullptr, bytes, from, static_cast<float*>(to), x.size(), stream.native());
        cub::DeviceReduce::Sum(stream.scratch(bytes), bytes, from, static_cast<float*>(to), x.size(), stream.native());
      },
      x, total.write());
  return total;
}
// [cub-end]

// [thrust]
void sort_by_thrust(Tensor<float, Cuda<0>>& x) {
  launch_on(
      gpu<0>, "Thrust sort",
      [&](auto& stream, auto px) {
        const auto first = thrust::device_pointer_cast(static_cast<float*>(px));
        auto scratch = stream.allocator();
        thrust::sort(thrust::cuda::par_nosync(scratch).on(stream.native()), first, first + x.size());
      },
      x.write());
}
// [thrust-end]

int main() {
  if (!is_available<Cuda<0>>()) return 0;
  Tensor x = reshape(flip(arange<float>(600, gpu<0>), 0), {20, 30});
  const bool rows = allclose(sums_of_rows(transpose(x)), sum(x, 0)).to(cpu).item();
  const bool total = allclose(sum_by_cub(x), sum(x)).to(cpu).item();
  sort_by_thrust(x);
  const bool sorted = array_equal(flatten(x), arange<float>(600, gpu<0>)).to(cpu).item();
  print("row sums", rows, "sum", total, "sorted", sorted);
  return rows && total && sorted ? 0 : 1;
}
