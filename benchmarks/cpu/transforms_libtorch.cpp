// SPDX-License-Identifier: Apache-2.0
// LibTorch's rows of Fourier transforms and of einsum.
#include "transforms.hpp"

#include <ATen/ATen.h>

namespace rows {

namespace {

namespace data = transforms;

at::Tensor operand(const std::vector<std::int64_t>& shape, unsigned seed) {
  std::int64_t count = 1;
  for (const std::int64_t extent : shape) count *= extent;
  std::vector<float> values = random(count, seed);
  return at::from_blob(values.data(), shape, at::kFloat).clone();
}
void keep(const at::Tensor& x) { benchmark::DoNotOptimize(x.data_ptr()); }

void add_einsum(const char* row, const char* subscripts, std::vector<std::vector<std::int64_t>> shapes) {
  add(row, "libtorch", [=] {
    std::vector<at::Tensor> operands;
    for (std::size_t i = 0; i < shapes.size(); ++i) operands.push_back(operand(shapes[i], static_cast<unsigned>(i) + 1));
    return [=] { keep(at::einsum(subscripts, operands)); };
  });
}

}  // namespace

void add_libtorch_transforms() {
  for (const std::int64_t n : data::all_lengths()) {
    const std::vector<std::int64_t> shape{data::elements / n, n};
    add(data::transform_row("fft", n), "libtorch",
        [=] { return [x = at::complex(operand(shape, 1), operand(shape, 2))] { keep(at::fft_fft(x)); }; });
    add(data::transform_row("rfft", n), "libtorch", [=] { return [x = operand(shape, 1)] { keep(at::fft_rfft(x)); }; });
  }
  add_einsum(data::batched, "bij,bjk->bik", {{64, 128, 128}, {64, 128, 128}});
  const std::vector<std::int64_t> words{data::images, data::words, data::heads, data::channels};
  add_einsum(data::scores, "bqhd,bkhd->bhqk", {words, words});
  add_einsum(data::bilinear, "bi,ijk,bk->bj", {{256, 64}, {64, 64, 64}, {256, 64}});
}

}  // namespace rows
