// SPDX-License-Identifier: Apache-2.0
// situ's rows of Fourier transforms, and of einsum beside what one writes without it.
#include "transforms.hpp"

#include <complex>

#include <situ/einsum.hpp>
#include <situ/fft.hpp>
#include <situ/situ.hpp>

namespace rows {

namespace {

using situ::Tensor;
namespace data = transforms;

template <class X>
void keep(const X& x) {
  benchmark::DoNotOptimize(x.storage_elements());
}

Tensor<float> operand(const situ::Shape& shape, unsigned seed) {
  return situ::from_span<float>(random(shape.count(), seed), shape);
}

}  // namespace

void add_situ_transforms() {
  for (const std::int64_t n : data::all_lengths()) {
    const situ::Shape shape{data::elements / n, n};
    add(data::transform_row("fft", n), "situ", [=] {
      return [x = situ::eval(situ::make_complex(operand(shape, 1), operand(shape, 2)))] { keep(fft(x)); };
    });
    add(data::transform_row("rfft", n), "situ", [=] { return [x = operand(shape, 1)] { keep(rfft(x)); }; });
  }
  const auto matrices = [] { return std::pair(operand({64, 128, 128}, 1), operand({64, 128, 128}, 2)); };
  add(data::batched, "situ",
      [=] { return [m = matrices()] { keep(situ::einsum<"bij,bjk->bik">(m.first, m.second)); }; });
  add(data::batched, "situ by hand", [=] { return [m = matrices()] { keep(matmul(m.first, m.second)); }; });
  const auto heads = [] {
    const situ::Shape shape{data::images, data::words, data::heads, data::channels};
    return std::pair(operand(shape, 1), operand(shape, 2));
  };
  add(data::scores, "situ",
      [=] { return [m = heads()] { keep(situ::einsum<"bqhd,bkhd->bhqk">(m.first, m.second)); }; });
  add(data::scores, "situ by hand", [=] {
    return [m = heads()] { keep(matmul(permute(m.first, {0, 2, 1, 3}), permute(m.second, {0, 2, 3, 1}))); };
  });
  const auto three = [] {
    return std::tuple(operand({256, 64}, 1), operand({64, 64, 64}, 2), operand({256, 64}, 3));
  };
  add(data::bilinear, "situ", [=] {
    return [m = three()] { keep(situ::einsum<"bi,ijk,bk->bj">(std::get<0>(m), std::get<1>(m), std::get<2>(m))); };
  });
  add(data::bilinear, "situ by hand", [=] {
    return [m = three()] {
      const auto& [a, b, c] = m;
      const Tensor<float> left = reshape(matmul(a, reshape(b, {64, 64 * 64})), {256, 64, 64});
      keep(squeeze(matmul(left, unsqueeze(c, 2)), 2));
    };
  });
}

}  // namespace rows
