// SPDX-License-Identifier: Apache-2.0
// What spread values have to give, over any list of devices: the results of tensors on one of them. Included by
// tests/unit and tests/cuda, each with its devices.
#pragma once

#include <doctest/doctest.h>

#include <algorithm>
#include <cstdint>
#include <cstring>
#include <string>
#include <tuple>
#include <type_traits>
#include <vector>

#include <situ/distributed.hpp>

namespace spread_test {

using situ::cpu;
using situ::Cpu;
using situ::Element;
using situ::Local;
using situ::Partial;
using situ::ReduceOp;
using situ::Replicated;
using situ::Shape;
using situ::Sharded;
using situ::Spread;
using situ::Tensor;

/// Values whose sums depend on the order of the terms where that is possible; none is 0.
template <Element T>
Tensor<T> sample(const Shape& shape, std::int64_t seed) {
  std::vector<T> list;
  std::uint64_t state = static_cast<std::uint64_t>(seed) * 977 + 12345;
  for (std::int64_t i = 0; i < shape.count(); ++i) {
    state = state * 6364136223846793005u + 1442695040888963407u;
    const auto random = static_cast<std::int64_t>(state >> 44) - (1 << 19);
    if constexpr (situ::FloatingElement<T>) list.push_back(T(static_cast<float>(random | 1) / 1000.f));
    else list.push_back(static_cast<T>(random | 1));
  }
  return situ::from_span<T>(list, shape, cpu);
}

/// Whether two values have the same shape and the same bits, any NaN for any other: which NaN an operation makes is the
/// processor's choice.
template <class X>
bool same_bits(const X& a, const X& b) {
  if (!(a.shape() == b.shape())) return false;
  const auto x = contiguous(a), y = contiguous(b);
  using T = situ::value_type_t<X>;
  const auto same = [](const T& left, const T& right) {
    if constexpr (situ::FloatingElement<T>) {
      if (left != left && right != right) return true;
    }
    return std::memcmp(&left, &right, sizeof(T)) == 0;
  };
  return std::equal(x.data(), x.data() + x.size(), y.data(), same);
}

/// The parts, on the host.
template <class X>
auto parts_of(const X& x) {
  std::vector<Tensor<situ::internal::spread_element_t<X>>> list;
  std::apply([&list](const auto&... part) { (list.push_back(part.to(cpu)), ...); }, situ::local(x));
  return list;
}

/// Whether all parts of a replicated value have these bits.
template <class X, class T>
bool everywhere(const X& x, const Tensor<T>& expected) {
  static_assert(std::is_same_v<situ::layout_t<X>, Replicated>);
  bool same = x.shape() == expected.shape();
  for (const Tensor<T>& part : parts_of(x)) same = same && same_bits(part, expected);
  return same;
}

/// What all devices together have to give: the terms of every element put together in the order of the parts.
template <ReduceOp Op, Element T>
Tensor<T> put_together(const std::vector<Tensor<T>>& terms) {
  using Wide = std::conditional_t<std::is_integral_v<T>, std::uint64_t, situ::compute_t<T>>;
  const Shape shape = terms[0].shape();
  std::vector<T> out;
  for (std::size_t i = 0; i < static_cast<std::size_t>(shape.count()); ++i) {
    T best = terms[0].data()[i];
    auto sum = static_cast<Wide>(best);
    for (std::size_t k = 1; k < terms.size(); ++k) {
      const T term = terms[k].data()[i];
      sum = static_cast<Wide>(sum + static_cast<Wide>(term));
      using Ordered = situ::compute_t<T>;
      const bool larger = static_cast<Ordered>(term) > static_cast<Ordered>(best);
      if (larger == (Op == ReduceOp::max)) best = term;
    }
    out.push_back(Op == ReduceOp::sum ? static_cast<T>(sum) : best);
  }
  return situ::from_span<T>(out, shape, cpu);
}

/// Rows: none, one, fewer than devices, and such that do not divide evenly.
inline const std::int64_t row_counts[] = {0, 1, 2, 3, 7};

template <class... D>
void check_placement(D... device) {
  for (const std::int64_t rows : row_counts) {
    CAPTURE(rows);
    const Tensor<float> x = sample<float>({rows, 5}, rows);
    const Spread s = situ::shard<0>(x, device...);
    const Spread r = situ::replicate(x, device...);
    static_assert(std::is_same_v<decltype(s), const Spread<float, Sharded<0>, D...>>);
    CHECK(s.shape() == x.shape());
    std::size_t number = 0;
    const situ::internal::EvenSplit split(rows, sizeof...(D));
    for (const Tensor<float>& part : parts_of(s)) {
      const situ::IndexRange range = split[number++];
      CHECK(same_bits(part, Tensor<float>(x(range))));
    }
    const auto arrives = [&](auto on) { CHECK(same_bits(situ::gather(s, on).to(cpu), x)); };
    (arrives(device), ...);
    CHECK(everywhere(r, x));
    CHECK(everywhere(situ::all_gather(s), x));
    const Spread columns = situ::reshard<1>(s);
    static_assert(std::is_same_v<decltype(columns), const Spread<float, Sharded<1>, D...>>);
    CHECK(same_bits(situ::gather(columns, cpu), x));
    CHECK(same_bits(situ::gather(situ::reshard<0>(columns), cpu), x));
    CHECK(same_bits(situ::gather(situ::shard<1>(r), cpu), x));
    CHECK(same_bits(situ::gather(situ::shard<1>(x, device...), cpu), x));
    CHECK(everywhere(situ::all_reduce(situ::partial(r)), x));
    CHECK(same_bits(situ::gather(situ::shard<0>(r * 2.f), cpu), Tensor<float>(x * 2.f)));
    const Spread again = std::apply([](const auto&... part) { return situ::as<Sharded<0>>(part...); }, situ::local(s));
    CHECK(same_bits(situ::gather(again, cpu), x));
  }
}

template <ReduceOp Op, Element T, class... D>
void check_reduction_over_devices(const Shape& shape, D... device) {
  CAPTURE(shape.to_string());
  std::vector<Tensor<T>> terms;
  std::int64_t seed = 0;
  const auto term = [&](auto on) {
    terms.push_back(sample<T>(shape, ++seed));
    return terms.back().to(on);
  };
  const std::tuple<Tensor<T, D>...> parts{term(device)...};
  const auto p = std::apply([](const auto&... part) { return situ::as<Partial<Op>>(part...); }, parts);
  const Tensor<T> expected = put_together<Op>(terms);
  CHECK(everywhere(situ::all_reduce(p), expected));
  if (shape.rank() == 0) return;
  const Spread pieces = situ::reduce_scatter<0>(p);
  static_assert(std::is_same_v<decltype(pieces), const Spread<T, Sharded<0>, D...>>);
  CHECK(same_bits(situ::gather(pieces, cpu), expected));
  if (shape.rank() == 2) CHECK(same_bits(situ::gather(situ::reduce_scatter<1>(p), cpu), expected));
  std::size_t number = 0;
  for (const Tensor<T>& part : parts_of(p)) CHECK(same_bits(part, terms[number++]));  // the operands stay as they are
}

/// What the algebra accepts, on values that do not divide evenly.
template <class... D>
void check_algebra(D... device) {
  for (const std::int64_t rows : row_counts) {
    CAPTURE(rows);
    const Tensor<float> x = sample<float>({rows, 3}, 1), y = sample<float>({rows, 3}, 2), b = sample<float>({3}, 3);
    const Tensor<float> row = sample<float>({1, 3}, 4);
    const Spread s = situ::shard<0>(x, device...), t = situ::shard<0>(y, device...);
    const Spread c = situ::shard<1>(x, device...);
    const Spread rx = situ::replicate(x, device...), rb = situ::replicate(b, device...);
    const Spread rr = situ::replicate(row, device...);
    const auto same = [](const auto& spread, const auto& tensor) {
      const Tensor expected = tensor;
      return same_bits(situ::gather(spread, cpu), expected);
    };
    // How rows are added up depends on how many there are, in the last bits.
    const auto close = [](const auto& spread, const auto& tensor) {
      const Tensor found = situ::gather(spread, cpu);
      return found.shape() == tensor.shape() && situ::allclose(found, tensor, {.relative = 1e-5}).item();
    };
    CHECK(same(s + t, x + y));
    CHECK(same(abs(s - rb) * 2.f + rr, abs(x - b) * 2.f + row));
    CHECK(same(rb - s, b - x));
    CHECK(same(1.f - c, 1.f - x));
    CHECK(same(c * situ::shard<1>(rr), x * row));
    CHECK(same(maximum(rx, rb), maximum(x, b)));
    CHECK(same(s < t, x < y));
    CHECK(same((s == s) && !(t > rb), (x == x) && !(y > b)));
    CHECK(same(where(s > 0.f, t, 0.f), where(x > 0.f, y, 0.f)));
    CHECK(same(clamp(s, -1.f, rb), clamp(x, -1.f, b)));
    CHECK(same(cast<std::int32_t>(s), cast<std::int32_t>(x)));
    CHECK(same(isclose(s, rb), isclose(x, b)));
    CHECK(same(celu(s, 2.0) + hardsigmoid(s), celu(x, 2.0) + hardsigmoid(x)));
    CHECK(same(hardswish(c) * hardtanh(c, -2.0, 2.0), hardswish(x) * hardtanh(x, -2.0, 2.0)));
    CHECK(same(mish(rx) - softsign(rx), mish(x) - softsign(x)));
    Spread<float, Sharded<0>, D...> u = s;
    u += rb;
    u *= 2.f;
    u -= abs(u);
    CHECK(same(u, (x + b) * 2.f - abs((x + b) * 2.f)));
    CHECK(same(s, x));
    // over an axis that is whole on each device
    CHECK(close(situ::sum<1>(s), situ::sum(x, 1)));
    CHECK(close(situ::sum<0>(c), situ::sum(x, 0)));
    CHECK(close(situ::mean<1, situ::keepdims>(s), situ::mean(x, 1, situ::keepdims)));
    CHECK(same(situ::max<1>(s), situ::max(x, 1)));
    CHECK(close(situ::prod<0>(c), situ::prod(x, 0)));
    CHECK(close(situ::var<1>(s, situ::Ddof{1}), situ::var(x, 1, situ::Ddof{1})));
    CHECK(close(situ::stddev<1>(s), situ::stddev(x, 1)));
    CHECK(same(situ::argmax<1>(s), situ::argmax(x, 1)));
    CHECK(same(situ::argmin<1>(s), situ::argmin(x, 1)));
    CHECK(close(situ::norm<1>(s, situ::NormOrder{1}), situ::norm(x, {1}, situ::NormOrder{1})));
    CHECK(same(situ::sum<0>(rx), situ::sum(x, 0)));
    // over the axis that is cut: exact for integers, and what has no order
    const Tensor<std::int64_t> n = cast<std::int64_t>(x * 1000.f);
    const Spread ns = situ::shard<0>(n, device...);
    CHECK(everywhere(situ::all_reduce(situ::sum<0>(ns)), situ::sum(n, 0)));
    CHECK(everywhere(situ::all_reduce(situ::sum(ns)), situ::sum(n)));
    CHECK(everywhere(situ::all_reduce(situ::sum<1>(situ::sum<0, situ::keepdims>(ns))), reshape(situ::sum(n), {1})));
    CHECK(everywhere(situ::all_reduce(situ::any<0>(s > t)), situ::any(x > y, 0)));
    CHECK(everywhere(situ::all_reduce(situ::all(s == s)), situ::all(x == x)));
    // what is linear in a sum that is not summed yet
    const Spread p = situ::sum<0>(cast<std::int32_t>(s)), q = situ::sum<0>(cast<std::int32_t>(t));
    const Tensor<std::int64_t> sp = situ::sum(cast<std::int32_t>(x), 0), sq = situ::sum(cast<std::int32_t>(y), 0);
    const Spread k = situ::replicate(cast<std::int64_t>(b), device...);
    CHECK(everywhere(situ::all_reduce(p + q), Tensor<std::int64_t>(sp + sq)));
    CHECK(everywhere(situ::all_reduce(-(p - q) * 3), Tensor<std::int64_t>((sq - sp) * 3)));
    CHECK(everywhere(situ::all_reduce(k * p), Tensor<std::int64_t>(cast<std::int64_t>(b) * sp)));
    if (rows == 0) {
      CHECK_THROWS_AS(static_cast<void>(situ::eval(situ::max<0>(s))), situ::ValueError);
    } else {
      CHECK(everywhere(situ::all_reduce(situ::max<0>(s)), situ::max(x, 0)));
      CHECK(everywhere(situ::all_reduce(situ::min(ns)), situ::min(n)));
      const Tensor<double> wide = cast<double>(x);
      const Tensor<double> mean = situ::gather(situ::all_reduce(situ::mean<0>(cast<double>(s))), cpu);
      CHECK(situ::allclose(mean, situ::mean(wide, 0), {.relative = 1e-12}).item());
    }
  }
}

/// What types cannot say.
template <class... D>
void check_errors(D... device) {
  const Spread s = situ::shard<0>(sample<float>({5, 3}, 1), device...);
  const auto with = [&](const Shape& shape) { return situ::replicate(sample<float>(shape, 2), device...); };
  CHECK_THROWS_WITH_AS(static_cast<void>(s + with({5, 3})),
                       "add: an operand of shape (5, 3) is Replicated beside one that is Sharded<0>, and has 5 positions "
                       "along that axis; call shard<0>(r) first, which moves nothing",
                       situ::ShapeError);
  CHECK_THROWS_WITH_AS(static_cast<void>(s + with({2, 1, 3})),
                       "add: an operand of shape (5, 3) is Sharded<0>, and broadcasting it to (2, 5, 3) would renumber that "
                       "axis; reshape it to the rank of the result, or all_gather it",
                       situ::ShapeError);
  CHECK_THROWS_WITH_AS(static_cast<void>(situ::shard<0>(sample<float>({1, 3}, 1), device...) * s),
                       "multiply: an operand of shape (1, 3) is Sharded<0>, and broadcasting it to (5, 3) would stretch that "
                       "axis; reshape it to the rank of the result, or all_gather it",
                       situ::ShapeError);
  CHECK_THROWS_AS(static_cast<void>(s + with({4})), situ::ShapeError);
  CHECK_THROWS_WITH_AS(static_cast<void>(situ::shard<2>(with({5, 3}))),
                       "shard<2>: shape (5, 3) has no axis 2 to cut; axes count from 0 at the front", situ::ShapeError);
  CHECK_THROWS_AS(static_cast<void>(situ::shard<0>(situ::full({}, 1.f), device...)), situ::ShapeError);
  CHECK_THROWS_AS(static_cast<void>(situ::reshard<3>(s)), situ::ShapeError);
  CHECK_THROWS_AS(static_cast<void>(situ::reduce_scatter<1>(situ::sum<0>(s))), situ::ShapeError);
  CHECK_THROWS_AS(static_cast<void>(situ::sum<2>(s)), situ::IndexError);
  auto narrow = situ::shard<0>(sample<float>({5, 1}, 1), device...);
  CHECK_THROWS_AS(narrow += s, situ::ShapeError);
  CHECK_THROWS_WITH_AS(static_cast<void>(situ::as<Replicated>(sample<float>({2}, 1), sample<float>({3}, 1))),
                       "as<Replicated>: part 1 has shape (3,), but part 0 has (2,); all shapes must be equal",
                       situ::ShapeError);
  CHECK_THROWS_WITH_AS(static_cast<void>(situ::as<Sharded<0>>(sample<float>({1}, 1), sample<float>({3}, 1))),
                       "as<Sharded<0>>: part 0 has shape (1,), but a value of shape (4,) cut into 2 parts has (2,) there; "
                       "parts must be as even as possible, the longer ones first",
                       situ::ShapeError);
}

}  // namespace spread_test
