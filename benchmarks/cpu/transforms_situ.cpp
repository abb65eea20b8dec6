// SPDX-License-Identifier: Apache-2.0
// situ's rows of Fourier transforms, and of einsum beside what one writes without it.
#include "peer_situ.hpp"
#include "transforms.hpp"

#include <situ/einsum.hpp>
#include <situ/fft.hpp>

namespace rows {

namespace {

using situ::Tensor;
namespace data = transforms;

Tensor<float> operand(const situ::Shape& shape, unsigned seed) {
  return situ::from_span<float>(random(shape.count(), seed), shape);
}

void add_all() {
  for (const std::int64_t n : data::all_lengths()) {
    const situ::Shape shape{data::elements / n, n};
    add<Situ>(data::transform_row("fft", n), [=] {
      return [x = situ::eval(situ::make_complex(operand(shape, 1), operand(shape, 2)))] { return fft(x); };
    });
    add<Situ>(data::transform_row("rfft", n), [=] { return [x = operand(shape, 1)] { return rfft(x); }; });
  }
  const auto matrices = [] { return std::pair(operand({64, 128, 128}, 1), operand({64, 128, 128}, 2)); };
  add<Situ>(data::batched,
            [=] { return [m = matrices()] { return situ::einsum<"bij,bjk->bik">(m.first, m.second); }; });
  add<SituByHand>(data::batched, [=] { return [m = matrices()] { return matmul(m.first, m.second); }; });
  const auto heads = [] {
    const situ::Shape shape{data::images, data::words, data::heads, data::channels};
    return std::pair(operand(shape, 1), operand(shape, 2));
  };
  add<Situ>(data::scores, [=] { return [m = heads()] { return situ::einsum<"bqhd,bkhd->bhqk">(m.first, m.second); }; });
  add<SituByHand>(data::scores, [=] {
    return [m = heads()] { return matmul(permute(m.first, {0, 2, 1, 3}), permute(m.second, {0, 2, 3, 1})); };
  });
  const auto three = [] { return std::tuple(operand({256, 64}, 1), operand({64, 64, 64}, 2), operand({256, 64}, 3)); };
  add<Situ>(data::bilinear, [=] {
    return [m = three()] { return situ::einsum<"bi,ijk,bk->bj">(std::get<0>(m), std::get<1>(m), std::get<2>(m)); };
  });
  add<SituByHand>(data::bilinear, [=] {
    return [m = three()] {
      const auto& [a, b, c] = m;
      const Tensor<float> left = reshape(matmul(a, reshape(b, {64, 64 * 64})), {256, 64, 64});
      return squeeze(matmul(left, unsqueeze(c, 2)), 2);
    };
  });
}

const Registration here("transforms", add_all);

}  // namespace

}  // namespace rows
