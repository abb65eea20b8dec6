// SPDX-License-Identifier: Apache-2.0
// Sorted and counted values against the standard library: unique, searchsorted, isin.
// labels: threads
#include <doctest/doctest.h>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <limits>
#include <vector>

#include <situ/order.hpp>
#include <situ/situ.hpp>

#include "../reference.hpp"

namespace {

using namespace situ;
using reference::array_of;
using reference::message_of;
using Positions = std::vector<std::int64_t>;

/// Whole numbers of [low, high) in no order.
template <class T>
Tensor<T> drawn(const Shape& shape, std::int64_t low, std::int64_t high, std::uint64_t seed = 1) {
  return cast<T>(randint(low, high, shape, Generator(seed)));
}

template <class T>
void check_unique(const Tensor<T>& x) {
  CAPTURE(x.shape().to_string());
  const auto values = array_of(contiguous(x)).values;
  auto wanted = values;
  std::ranges::sort(wanted);
  wanted.erase(std::unique(wanted.begin(), wanted.end()), wanted.end());
  Positions counts, first;
  for (const auto value : wanted) {
    counts.push_back(std::ranges::count(values, value));
    first.push_back(std::ranges::find(values, value) - values.begin());
  }
  const auto parts = unique_all(x);
  CHECK(array_of(unique(x)).values == wanted);
  CHECK(array_of(parts.values).values == wanted);
  CHECK(array_of(parts.counts).values == counts);
  CHECK(array_of(parts.indices).values == first);
  CHECK(parts.inverse_indices.shape() == x.shape());
  CHECK(array_equal(take(parts.values, parts.inverse_indices, 0), x).item());
  CHECK(array_of(unique_counts(x).counts).values == counts);
  CHECK(array_equal(unique_inverse(x).inverse_indices, parts.inverse_indices).item());

  // bounds that are too small, right, and too large
  const auto found = static_cast<std::int64_t>(wanted.size());
  for (const std::int64_t size : {std::int64_t{0}, found / 2, found, found + 3}) {
    CAPTURE(size);
    const auto some = unique_all(x, {.size = size, .fill = T(1)});
    const std::int64_t both = std::min(size, found);
    CHECK(some.values.shape() == Shape{size});
    CHECK(array_equal(some.values(range(0, both)), parts.values(range(0, both))).item());
    CHECK(array_equal(some.counts(range(0, both)), parts.counts(range(0, both))).item());
    CHECK(array_equal(some.indices(range(0, both)), parts.indices(range(0, both))).item());
    CHECK(situ::all(some.values(range(both, size)) == T(1) && some.counts(range(both, size)) == 0 &&
                    some.indices(range(both, size)) == -1).item());
    CHECK(array_equal(some.inverse_indices, parts.inverse_indices).item());
    CHECK(array_equal(unique(x, {.size = size, .fill = T(1)}), some.values).item());
    CHECK(array_equal(unique_counts(x, {.size = size}).counts, some.counts).item());
    CHECK(array_equal(unique_inverse(x, {.size = size}).inverse_indices, some.inverse_indices).item());
  }
}

TEST_CASE("a range that the elements do not have is an error of histogram") {
  CHECK_THROWS_WITH_AS(static_cast<void>(histogram(zeros({3}), 3, {0, 1e300})),
                       doctest::Contains("histogram: the scalar 1e+300 does not fit"), ValueError);
}

TEST_CASE("unique agrees with sorting and counting") {
  for (const Shape& shape : {Shape{}, Shape{0}, Shape{1}, Shape{2, 0}, Shape{7}, Shape{11, 13}, Shape{9001}}) {
    check_unique(drawn<float>(shape, -5, 6));
  }
  check_unique(drawn<float>({97}, 0, 1));  // all the same
  check_unique(drawn<std::int64_t>({700}, -1000000, 1000000));
  check_unique(transpose(drawn<float>({6, 35}, -9, 9)));
  check_unique(drawn<float>({40}, -9, 9)(range(3, 38, 3)));
  check_unique(broadcast_to(drawn<float>({5}, 0, 4), {3, 5}));

  const Tensor flags = tensor({true, false, true});
  CHECK(array_of(unique(flags)).values == array_of(tensor({false, true})).values);
  CHECK(array_of(unique_counts(flags).counts).values == Positions{1, 2});
}

TEST_CASE("unique: NaN is one value, and so are 0 and -0") {
  const double nan = std::numeric_limits<double>::quiet_NaN();
  const Tensor x = tensor({nan, -0.0, 2.0, nan, 0.0, -nan});
  const auto parts = unique_all(x);
  CHECK(parts.values.size() == 3);
  CHECK((std::signbit(parts.values(0)) && parts.values(1) == 2 && std::isnan(parts.values(2))));
  CHECK(array_of(parts.counts).values == Positions{2, 1, 3});
  CHECK(array_of(parts.indices).values == Positions{1, 2, 0});
  CHECK(array_of(parts.inverse_indices).values == Positions{2, 0, 1, 2, 0, 2});
  CHECK(unique(x * 0 + nan).size() == 1);
  CHECK(message_of([&] { static_cast<void>(unique(x, {.size = -1})); }) == "unique: the size -1 is negative");
}

TEST_CASE("searchsorted agrees with the standard library's bounds") {
  const auto check = [](const Tensor<float>& sorted, const Tensor<float>& values) {
    const auto line = array_of(sorted).values;
    Positions left, right;
    for (const float value : values) {
      left.push_back(std::lower_bound(line.begin(), line.end(), value) - line.begin());
      right.push_back(std::upper_bound(line.begin(), line.end(), value) - line.begin());
    }
    CHECK(array_of(searchsorted(sorted, values)).values == left);
    CHECK(array_of(searchsorted(sorted, values, SearchSide::right)).values == right);
    CHECK(searchsorted(sorted, values).shape() == values.shape());
  };
  for (const std::int64_t length : {0, 1, 2, 3, 7, 8, 100, 1021}) {
    const Tensor<float> sorted = sort(drawn<float>({length}, -length / 2, length / 2 + 1, 3));
    check(sorted, drawn<float>({5, 211}, -length, length + 1, 4));
    check(sorted, drawn<float>({}, -3, 3));
    check(sorted, transpose(drawn<float>({0, 3}, -3, 3)));
  }
  check(arange<float>(30)(range(1, 30, 4)), transpose(drawn<float>({20, 3}, -3, 33)));

  const float nan = std::numeric_limits<float>::quiet_NaN();
  const Tensor ends = tensor({-1.f, 0.f, nan, nan});  // as NumPy has it
  CHECK(array_of(searchsorted(ends, tensor({-0.f, nan, INFINITY}))).values == Positions{1, 2, 2});
  CHECK(array_of(searchsorted(ends, tensor({-0.f, nan, INFINITY}), SearchSide::right)).values == Positions{2, 4, 2});

  // lines, each with its own
  const Tensor lines = tensor({{1, 3, 5}, {2, 4, 6}});
  CHECK(array_of(searchsorted(lines, tensor({{3, 6}, {3, 6}}))).values == Positions{1, 3, 1, 2});
  CHECK(array_of(searchsorted(lines, zeros<std::int32_t>({2, 0}))).values == Positions{});
  CHECK(message_of([&] { static_cast<void>(searchsorted(lines, tensor({1, 2}))); }) ==
        "searchsorted: sorted values of shape (2, 3) and values of shape (2,) do not fit; the sorted values have rank 1, "
        "or all axes but the last of both are equal");
  CHECK_THROWS_AS(static_cast<void>(searchsorted(sum(lines), tensor({std::int64_t{1}}))), ShapeError);
}

TEST_CASE("searchsorted of one number") {
  const Tensor sorted = tensor({1.f, 2.f, 2.f, 4.f});
  CHECK(searchsorted(sorted, 2).item() == 1);
  CHECK(searchsorted(sorted, 2.f, SearchSide::right).item() == 3);
  CHECK(searchsorted(sorted, 5.0).shape() == Shape{});
  CHECK_THROWS_AS(static_cast<void>(searchsorted(reshape(sorted, {2, 2}), 1)), ShapeError);
}

TEST_CASE("isin") {
  const Tensor<std::int32_t> x = drawn<std::int32_t>({17, 3}, 0, 30);
  const Tensor<std::int32_t> others = drawn<std::int32_t>({2, 6}, 0, 30, 9);
  const auto wanted = array_of(others).values;
  std::vector<bool> expected;
  for (const std::int32_t value : x) expected.push_back(std::ranges::find(wanted, value) != wanted.end());
  std::vector<bool> got;
  for (const bool value : isin(x, others)) got.push_back(value);
  CHECK(got == expected);
  CHECK(isin(x, others).shape() == x.shape());
  CHECK_FALSE(any(isin(x, zeros<std::int32_t>({0}))).item());
  CHECK_FALSE(any(isin(tensor({NAN, 1.f}), tensor({NAN, 2.f}))).item());
}

}  // namespace
