// SPDX-License-Identifier: Apache-2.0
// LibTorch's rows of Fourier transforms and of einsum.
#include "peer_libtorch.hpp"
#include "transforms.hpp"

namespace rows {

namespace {

namespace data = transforms;

void add_einsum(const char* row, const char* subscripts, std::vector<std::vector<std::int64_t>> shapes) {
  add<LibTorch>(row, [=] {
    std::vector<at::Tensor> operands;
    for (std::size_t i = 0; i < shapes.size(); ++i)
      operands.push_back(LibTorch::operand<float>(shapes[i], static_cast<unsigned>(i) + 1));
    return [=] { return at::einsum(subscripts, operands); };
  });
}

void add_all() {
  for (const std::int64_t n : data::all_lengths()) {
    const std::vector<std::int64_t> shape{data::elements / n, n};
    add<LibTorch>(data::transform_row("fft", n), [=] {
      return [x = at::complex(LibTorch::operand<float>(shape, 1), LibTorch::operand<float>(shape, 2))] {
        return at::fft_fft(x);
      };
    });
    add<LibTorch>(data::transform_row("rfft", n),
                  [=] { return [x = LibTorch::operand<float>(shape, 1)] { return at::fft_rfft(x); }; });
  }
  add_einsum(data::batched, "bij,bjk->bik", {{64, 128, 128}, {64, 128, 128}});
  const std::vector<std::int64_t> words{data::images, data::words, data::heads, data::channels};
  add_einsum(data::scores, "bqhd,bkhd->bhqk", {words, words});
  add_einsum(data::bilinear, "bi,ijk,bk->bj", {{256, 64}, {64, 64, 64}, {256, 64}});
}

const Registration here("transforms", add_all);

}  // namespace

}  // namespace rows
