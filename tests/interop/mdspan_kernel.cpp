// SPDX-License-Identifier: Apache-2.0
// A kernel of the program's own that takes mdspans, which have the strides of a view.
#include <doctest/doctest.h>

#include <cuda/std/mdspan>
#include <situ/interop/mdspan.hpp>
#include <situ/launch.hpp>
#include <situ/situ.hpp>

using namespace situ;

namespace {

using Matrix = cuda::std::mdspan<const float, cuda::std::dextents<int, 2>, cuda::std::layout_stride>;
using Row = cuda::std::mdspan<float, cuda::std::dextents<int, 1>>;

__global__ void row_sums(Matrix m, Row sums) {
  const int row = static_cast<int>(blockIdx.x * blockDim.x + threadIdx.x);
  if (row >= m.extent(0)) return;
  float total = 0;
  for (int column = 0; column < m.extent(1); ++column) total += m(row, column);
  sums(row) = total;
}

/// Shared memory, where the toolkit's headers have words of CUDA for the host compiler, too.
__global__ void reversed(float* x) {
  __shared__ float copy[64];
  copy[threadIdx.x] = x[threadIdx.x];
  __syncthreads();
  x[threadIdx.x] = copy[blockDim.x - 1 - threadIdx.x];
}

}  // namespace

TEST_CASE("launch_on: a kernel with shared memory, behind the toolkit's headers") {
  Tensor x = arange<float>(64, gpu<0>);
  launch_on(
      gpu<0>, "reversed", [](auto& stream, auto px) { stream.launch({.threads = 64}, reversed, px); }, x.write());
  CHECK(array_equal(x, flip(arange<float>(64, gpu<0>), 0)).to(cpu).item());
}

TEST_CASE("launch_on: a kernel of mdspan reads any strides, and the library orders it") {
  const Stream<Cuda<0>> side;
  const Tensor x = transpose(reshape(arange<float>(600, gpu<0>), {20, 30}));
  Tensor sums = empty<float>({30}, gpu<0>);
  {
    auto lease = sums.write();
    const StreamScope scope(side);
    launch_on(gpu<0>, "row sums", [&](auto& stream) {
      stream.launch(LaunchSize::covering(30, 32), row_sums, as_device_mdspan<Matrix>(x), as_device_mdspan<Row>(lease));
    });
  }
  CHECK(allclose(sums, sum(x, 1)).to(cpu).item());
}
