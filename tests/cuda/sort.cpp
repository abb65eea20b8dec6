// SPDX-License-Identifier: Apache-2.0
// sort, argsort and topk on a GPU against the CPU's, to the bit: short lines, which a block sorts, long ones, which go
// through keys, NaN, both zeros, ties.
// labels: values
#include <doctest/doctest.h>

#include <cstdint>
#include <limits>
#include <type_traits>

#include <situ/situ.hpp>

#include "../reference.hpp"
#include "compare.hpp"

using namespace situ;
using cuda_test::filled;
using cuda_test::on_gpu;
using cuda_test::same_bits;
using reference::layouts;

namespace {

/// Elements without a pattern and with many ties; among floating ones NaN of two kinds, infinities and both zeros.
template <class T>
Tensor<T> scrambled(const Shape& shape, std::uint32_t distinct) {
  std::uint32_t state = distinct;
  return filled<T>(shape, [&](std::int64_t) {
    using C = compute_t<T>;
    state = state * 1664525u + 1013904223u;
    const std::uint32_t number = (state >> 8) % distinct;
    if constexpr (FloatingElement<T>) {
      using Limits = std::numeric_limits<C>;
      const C special[] = {Limits::quiet_NaN(), Limits::infinity(), -Limits::infinity(), C(0), -C(0),
                           -Limits::quiet_NaN()};
      return (state >> 4) % 8 == 0 ? special[number % 6] : C(0.37) * (static_cast<C>(number) - C(distinct) / 2);
    } else if constexpr (std::is_same_v<T, bool>) {
      return number % 2 == 0;
    } else if constexpr (std::is_signed_v<T>) {
      return static_cast<T>((static_cast<std::int64_t>(number) - distinct / 2) * 1000003);
    } else {
      return static_cast<T>(number);
    }
  });
}

template <int N = 0, class T>
void check_all(const Tensor<T>& x, int axis) {
  const auto there = on_gpu<N>(x);
  for (const bool descending : {false, true}) {
    CHECK(same_bits(sort(there, axis, descending), sort(x, axis, descending)));
    CHECK(same_bits(argsort(there, axis, descending), argsort(x, axis, descending)));
  }
  const std::int64_t count = x.shape()[axis];
  for (const std::int64_t k : {std::int64_t{0}, std::int64_t{1}, count / 3, count}) {
    if (k > count) continue;
    for (const bool largest : {true, false}) {
      const auto found = topk(there, k, axis, largest);
      const auto expected = topk(x, k, axis, largest);
      CHECK(same_bits(found.values, expected.values));
      CHECK(same_bits(found.indices, expected.indices));
    }
  }
}

}  // namespace

TEST_CASE_TEMPLATE("order of short lines", T, bool, uint8_t, int32_t, int64_t, float16, bfloat16, float, double) {
  for (const std::int64_t count : {1, 2, 3, 31, 64, 100, 1000, 2048}) check_all(scrambled<T>({3, count}, 50), 1);
  check_all(scrambled<T>({700, 5}, 1000), 1);  // many lines in a block
  check_all(scrambled<T>({0, 5}, 10), 1);
  check_all(scrambled<T>({5, 0}, 10), 1);
}

TEST_CASE_TEMPLATE("order of long lines", T, bool, uint8_t, int32_t, int64_t, float16, bfloat16, float, double) {
  check_all(scrambled<T>({5000}, 100000), 0);
  check_all(scrambled<T>({3, 2049}, 40), 1);
}

TEST_CASE_TEMPLATE("order along every axis of any layout", T, uint8_t, float16, int32_t, double) {
  for (const Tensor<T>& x : layouts<T>({4, 9, 3})) {
    for (int axis = 0; axis < 3; ++axis) check_all(x, axis);
  }
  const Tensor tall = scrambled<T>({2500, 3}, 90);
  check_all(tall, 0);
  check_all(transpose(tall), 1);
  check_all<1>(flip(tall), 0);
}

TEST_CASE_TEMPLATE("topk in several rounds", T, uint8_t, int64_t, bfloat16, float, double) {
  for (const std::int64_t distinct : {3, 100000}) {  // many ties, and few
    const Tensor x = scrambled<T>({2, 20000}, static_cast<std::uint32_t>(distinct));
    const auto there = on_gpu(x);
    for (const std::int64_t k : {1, 40, 250, 300}) {  // the last by a sort
      const auto found = topk(there, k);
      const auto expected = topk(x, k);
      CHECK(same_bits(found.values, expected.values));
      CHECK(same_bits(found.indices, expected.indices));
    }
  }
  const Tensor nothing = full<float>({4100}, std::numeric_limits<float>::quiet_NaN());
  CHECK(same_bits(topk(on_gpu(nothing), 5).indices, topk(nothing, 5).indices));
}

TEST_CASE_TEMPLATE("the form of lines of 2^31 elements and more", T, bool, int32_t, bfloat16, double) {
  const Tensor x = scrambled<T>({2, 300}, 90);
  const auto there = on_gpu(x);
  const internal::Storage<Cuda<0>> values = internal::Storage<Cuda<0>>::allocate(600 * sizeof(T));
  const internal::Storage<Cuda<0>> indices = internal::Storage<Cuda<0>>::allocate(600 * sizeof(std::int64_t));
  const Layout layout = Layout::row_major({2, 300});
  internal::on_backend<Cuda<0>>(
      [&](auto backend) {
        const internal::program::Operand from{there.element_pointer(), sizeof(T), layout.strides};
        const internal::program::Destination to{values.data(), sizeof(T), layout.shape, layout.strides};
        const internal::program::Destination places{indices.data(), sizeof(std::int64_t), layout.shape, layout.strides};
        internal::cuda::detail::sort_long_lines<internal::cuda::detail::SortForm::wide>(
            backend, internal::cuda::detail::sorted_lines<T>(from, layout.shape, 1, 300, &to, &places));
      },
      internal::writes(values), internal::writes(indices), internal::reads(there));
  CHECK(same_bits(Tensor<T, Cuda<0>>(values, layout), sort(x)));
  CHECK(same_bits(Tensor<std::int64_t, Cuda<0>>(indices, layout), argsort(x)));
}

TEST_CASE("all elements equal, and in order already") {
  check_all(full<float>({3000}, 2.f), 0);
  check_all(filled<float>({3000}, [](std::int64_t i) { return static_cast<float>(i); }), 0);
  check_all(filled<std::int64_t>({3000}, [](std::int64_t i) { return -i; }), 0);
  check_all(filled<float>({2100}, [](std::int64_t i) { return i % 2 == 0 ? 0.f : -0.f; }), 0);
}

TEST_CASE("gather by argsort is sort") {
  const auto x = on_gpu(scrambled<float>({4, 2500}, 3000));
  CHECK(same_bits(gather(x, 1, argsort(x)), sort(x).to<Cpu>()));
}

TEST_CASE("the sorted tensor is left as it was") {
  const Tensor x = scrambled<double>({2, 2100}, 500);
  const auto there = on_gpu(x);
  static_cast<void>(sort(there));
  static_cast<void>(topk(there, 7));
  CHECK(same_bits(there, x));
}
