// SPDX-License-Identifier: Apache-2.0
// Masks against loops: nonzero, count_nonzero, x(mask), masked_select, masked_fill, x.at(mask) = v.
// labels: threads
#include <doctest/doctest.h>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <vector>

#include <situ/autograd.hpp>
#include <situ/situ.hpp>

#include "../reference.hpp"

namespace {

using namespace situ;
using reference::array_of;
using reference::contains;
using reference::message_of;

/// Truth values of which one in `every` is true, in no order.
Tensor<bool> scattered(const Shape& shape, std::uint32_t every) {
  std::vector<std::int32_t> values;
  std::uint32_t state = 7;
  for (std::int64_t i = 0; i < shape.count(); ++i) {
    state = state * 1664525u + 1013904223u;
    values.push_back((state >> 8) % every == 0 ? 1 : 0);
  }
  return from_span<std::int32_t>(values, shape) != 0;
}

/// The positions of what is true, as rows, by a loop.
std::vector<std::int64_t> positions_of(const Tensor<bool>& mask) {
  std::vector<std::int64_t> result;
  std::int64_t i = 0;
  for (const bool value : mask) {
    std::int64_t step = mask.size(), rest = i++;
    if (!value) continue;
    for (const std::int64_t extent : mask.shape()) {
      step /= extent;
      result.push_back(rest / step);
      rest %= step;
    }
  }
  return result;
}

TEST_CASE("nonzero and count_nonzero agree with a loop") {
  for (const Shape& shape : {Shape{}, Shape{1}, Shape{7}, Shape{8}, Shape{4095}, Shape{4096}, Shape{4097}, Shape{40000}, Shape{3, 0},
                             Shape{5, 7}, Shape{3, 1, 11, 2}, Shape{70, 131}, Shape{300007}}) {
    for (const std::uint32_t every : {1u, 2u, 97u, 1000000u}) {
      CAPTURE(shape.to_string());
      CAPTURE(every);
      const Tensor<bool> mask = scattered(shape, every);
      const std::vector<std::int64_t> wanted = positions_of(mask);
      const Tensor<std::int64_t> found = nonzero(mask);
      const std::int64_t number = count_nonzero(mask).item();
      REQUIRE(found.shape() == Shape{number, shape.rank()});
      CHECK(array_of(found).values == wanted);
      for (const std::int64_t size : {std::int64_t{0}, std::int64_t{1}, number / 2, number, number + 5}) {
        const Tensor<std::int64_t> bounded = nonzero(mask, {.size = size, .fill = -7});
        REQUIRE(bounded.shape() == Shape{size, shape.rank()});
        const std::int64_t held = std::min(size, number);
        CHECK(array_equal(bounded(range(0, held), all), found(range(0, held), all)).item());
        CHECK(all(bounded(range(held, IndexRange::none), all) == -7).item());
      }
    }
  }
}

TEST_CASE("numbers are true when they are not 0, NaN and -0 as NumPy says") {
  const Tensor x = tensor({{0.0, -0.0, std::nan("")}, {2.0, -1.0, 0.0}});
  CHECK(array_of(nonzero(x)).values == std::vector<std::int64_t>{0, 2, 1, 0, 1, 1});
  CHECK(array_of(count_nonzero(x, 0)).values == std::vector<std::int64_t>{1, 1, 1});
  CHECK(count_nonzero(x, 1, keepdims).shape() == Shape{2, 1});
  CHECK(count_nonzero(x > 0).item() == 1);
  CHECK(array_of(nonzero(transpose(x))).values == std::vector<std::int64_t>{0, 1, 1, 1, 2, 0});
  CHECK(array_of(nonzero(tensor<std::uint8_t>({0, 3, 0, 255}))).values == std::vector<std::int64_t>{1, 3});
  const Variable v(x);
  CHECK(count_nonzero(v).item() == 3);
  CHECK_THROWS_AS(static_cast<void>(nonzero(x, {.size = -1})), ShapeError);
}

TEST_CASE("x(mask) and masked_select") {
  const Tensor x = reshape(arange(24), {2, 3, 4});
  CHECK(array_of(x(x % 5 == 0)).values == std::vector<std::int64_t>{0, 5, 10, 15, 20});
  CHECK(array_equal(x(tensor({false, true})), x(range(1, 2), all, all)).item());
  CHECK(array_equal(x(tensor({{true, false, false}, {false, false, true}})), stack(x(0, 0, all), x(1, 2, all))).item());
  CHECK(array_equal((x + 1)(x > 21), tensor({std::int64_t{23}, std::int64_t{24}})).item());
  CHECK(array_of(transpose(x, 0, 2)(transpose(x, 0, 2) < 2)).values == std::vector<std::int64_t>{0, 1});
  CHECK(x(x < 0).shape() == Shape{0});
  CHECK(x(tensor(true)).shape() == Shape{1, 2, 3, 4});  // a mask without axes: all of it, or nothing
  CHECK(x(tensor(false)).shape() == Shape{0, 2, 3, 4});
  CHECK(array_of(masked_select(x(0, all, all), tensor({true, false, false, true}))).values ==
        std::vector<std::int64_t>{0, 3, 4, 7, 8, 11});
  CHECK(array_of(masked_select(tensor({1, 2}), tensor({{true, false}, {true, true}}))).values == std::vector<std::int32_t>{1, 1, 2});
  const Tensor<bool> fifth = x % 5 == 0;
  CHECK(array_of(masked_select(x, fifth, {.size = 3})).values == std::vector<std::int64_t>{0, 5, 10});
  CHECK(array_of(masked_select(x + 1, fifth, {.size = 7, .fill = -1})).values == std::vector<std::int64_t>{1, 6, 11, 16, 21, -1, -1});
  CHECK(array_of(masked_select(tensor({1, 2}), tensor({{true, false}, {true, true}}), {.size = 4})).values ==
        std::vector<std::int32_t>{1, 1, 2, 0});
  CHECK(masked_select(x, fifth, {.size = 0}).shape() == Shape{0});
  CHECK(array_of(masked_select(zeros<int>({0, 2}), zeros<bool>({0, 2}), {.size = 2, .fill = 9})).values == std::vector<std::int32_t>{9, 9});
  CHECK_THROWS_AS(static_cast<void>(masked_select(x, fifth, {.size = -1})), ShapeError);
  CHECK(message_of([&] { static_cast<void>(x(tensor({true, false, true}))); }) ==
        "x(mask): the mask has shape (3,), x (2, 3, 4); a mask has the extents of its first axes, or of all");
  CHECK_THROWS_AS(static_cast<void>(sum(x)(tensor({true}))), ShapeError);

  const Variable v(cast<double>(x));
  const Tensor<double> g = backward(sum(square(v(x % 5 == 0))))[v];
  CHECK(array_equal(g, where(x % 5 == 0, cast<double>(x) * 2, 0.0)).item());
  CHECK(array_equal(backward(sum(square(masked_select(v, x % 5 == 0, {.size = 9}))))[v], g).item());
}

TEST_CASE_TEMPLATE("x(mask) agrees with a loop for elements of each size, adjacent or not", T, bool, std::int16_t, float, double) {
  for (const std::uint32_t every : {1u, 2u, 11u, 97u, 1000000u}) {
    CAPTURE(every);
    const Tensor<T> x = cast<T>(arange<std::int32_t>(3 * 9001) % 251);
    const Tensor<bool> mask = scattered({9001}, every);
    const Tensor<T> thirds = reshape(x, {9001, 3})(all, 1);
    const Tensor<T> backward = flip(thirds);
    for (const Tensor<T>& line : {Tensor<T>(x(range(0, 9001))), thirds, backward, Tensor<T>(broadcast_to(x(range(7, 8)), {9001}))}) {
      std::vector<T> wanted;
      for (std::int64_t i = 0; i < line.size(); ++i) {
        if (mask(i)) wanted.push_back(line(i));
      }
      const Tensor<T> chosen = line(mask);
      REQUIRE(chosen.size() == static_cast<std::int64_t>(wanted.size()));
      CHECK(std::equal(wanted.begin(), wanted.end(), chosen.begin()));
      const auto room = static_cast<std::int64_t>(wanted.size() / 2);
      const Tensor<T> bounded = masked_select(line, mask, {.size = room});
      CHECK(array_equal(bounded, chosen(range(0, room))).item());
    }
  }
}

TEST_CASE("where of two numbers has their element type") {
  const Tensor<bool> mask = tensor({true, false});
  const Tensor a = where(mask, 200.f, 50.f);
  static_assert(std::same_as<decltype(a), const Tensor<float, Cpu>>);
  CHECK(array_equal(a, tensor({200.f, 50.f})).item());
  const Tensor b = where(mask, std::int64_t{1}, std::int64_t{0});
  static_assert(std::same_as<decltype(b), const Tensor<std::int64_t, Cpu>>);
  CHECK(sum(where(a > 100.f, 1.0, -1.0) * 3).item() == 0.0);
}

TEST_CASE("masked_fill, and x.at(mask) = v") {
  Tensor x = tensor({{1.0, -2.0, 3.0}, {-4.0, 5.0, -6.0}});
  const Tensor before = x;
  CHECK(array_equal(masked_fill(x, x < 0, 0), maximum(x, 0)).item());
  x.at(x < 0) = 0;
  CHECK(array_equal(x, maximum(before, 0)).item());
  CHECK(before(0, 1) == -2);  // a value of its own
  x.at(x == 0) += 10;
  CHECK(array_equal(x, where(before < 0, 10.0, before)).item());
  x.at(tensor({false, true})) = tensor({7.0, 8.0, 9.0});
  CHECK(array_equal(x(1, all), tensor({7.0, 8.0, 9.0})).item());
  {
    const auto copies = memory_stats<Cpu>().detaching_copies;
    x.at(x > 7) -= 1;
    x.at(x < 0) %= 2.0;
    CHECK(memory_stats<Cpu>().detaching_copies == copies);  // in place
  }
  x.at(x < 2) *= x + 4;
  x.at(x == 3) /= 2;
  CHECK(array_equal(x, tensor({{5.0, 9.0, 1.5}, {7.0, 7.0, 8.0}})).item());
  CHECK_THROWS_AS((x.at(x > 7) = zeros<double>({2, 2, 3})), ShapeError);
  // errors name the call that was written, and the one that was meant
  CHECK_THROWS_WITH_AS((x.at(x > 7) = zeros<double>({2})),
                       doctest::Contains("x.at(mask): a value of shape (2,) does not broadcast to x, (2, 3); values for"),
                       ShapeError);
  CHECK_THROWS_WITH_AS((x.at(x > 7) += zeros<double>({2})), doctest::Contains("x = masked_scatter(x, mask, values)"),
                       ShapeError);
  CHECK_THROWS_WITH_AS(static_cast<void>(masked_fill(x, zeros<bool>({2}), 0.0)),
                       doctest::Contains("masked_fill: shapes (2, 3) and (2,)"), ShapeError);
  CHECK_THROWS_WITH_AS(static_cast<void>(masked_fill(x, x > 7, zeros<double>({2}))),
                       doctest::Contains("masked_fill: shapes (2, 3) and (2,)"), ShapeError);
  CHECK_THROWS_WITH_AS(static_cast<void>(masked_fill(cast<std::int8_t>(x), x > 7, 300)),
                       doctest::Contains("masked_fill: the scalar 300 does not fit in int8"), ValueError);
  CHECK_THROWS_AS((x.at(tensor({true, false, true})) = 0), ShapeError);
  CHECK(array_equal(x, tensor({{5.0, 9.0, 1.5}, {7.0, 7.0, 8.0}})).item());
  Tensor one = sum(x);
  one.at(one > 0) = 1;
  CHECK(one.item() == 1);
  Tensor small = tensor<std::uint8_t>({1, 2});
  CHECK_THROWS_AS((small.at(small == 1) = 256), ValueError);

  using Here = Tensor<float, Cpu>&;
  constexpr auto takes = []<class M, class E>(std::type_identity<M>, std::type_identity<E>) {
    return requires(Here t, const M& m, const E& e) { t.at(m) = e; };
  };
  using Mask = Tensor<bool, Cpu>;
  static_assert(takes(std::type_identity<Mask>(), std::type_identity<float>()));
  static_assert(!takes(std::type_identity<Tensor<bool, Cuda<0>>>(), std::type_identity<float>()));
  static_assert(!takes(std::type_identity<Mask>(), std::type_identity<Tensor<float, Cuda<0>>>()));
  static_assert(!takes(std::type_identity<Mask>(), std::type_identity<Tensor<double, Cpu>>()));
  static_assert(!takes(std::type_identity<Tensor<float, Cpu>>(), std::type_identity<float>()));
  static_assert(!takes(std::type_identity<Mask>(), std::type_identity<Variable<float, Cpu>>()));
  constexpr auto adds = []<class E>(std::type_identity<E>) { return requires(Here t, const Mask& m, const E& e) { t.at(m) += e; }; };
  static_assert(adds(std::type_identity<float>()) && adds(std::type_identity<Tensor<float, Cpu>>()));
  static_assert(!adds(std::type_identity<Tensor<float, Cuda<0>>>()) && !adds(std::type_identity<Tensor<double, Cpu>>()));
  constexpr auto fills = []<class M, class E>(std::type_identity<M>, std::type_identity<E>) {
    return requires(Here t, const M& m, const E& e) { masked_fill(t, m, e); };
  };
  static_assert(fills(std::type_identity<Mask>(), std::type_identity<float>()));
  static_assert(!fills(std::type_identity<Mask>(), std::type_identity<Tensor<float, Cuda<0>>>()));
  static_assert(!fills(std::type_identity<Tensor<float, Cpu>>(), std::type_identity<float>()));
}

}  // namespace
