// SPDX-License-Identifier: Apache-2.0
// The distinct slices along an axis, against a sorted list of vectors.
#include <doctest/doctest.h>

#include <algorithm>
#include <cstdint>
#include <limits>
#include <vector>

#include <situ/order.hpp>
#include <situ/situ.hpp>

#include "../reference.hpp"

namespace {

using namespace situ;
using reference::message_of;

template <class T>
std::vector<T> list(const Tensor<T>& x) {
  return std::vector<T>(x.begin(), x.end());
}

template <class T>
void check(const Tensor<T>& x, std::int64_t axis) {
  CAPTURE(x.shape().to_string());
  CAPTURE(axis);
  std::vector<std::vector<T>> slices;
  for (std::int64_t at = 0; at < x.extent(axis); ++at) slices.push_back(list<T>(contiguous(select(x, axis, at))));
  std::vector<std::vector<T>> wanted = slices;
  std::ranges::sort(wanted);
  wanted.erase(std::unique(wanted.begin(), wanted.end()), wanted.end());

  const auto parts = unique_all(x, axis);
  REQUIRE(parts.values.extent(axis) == static_cast<std::int64_t>(wanted.size()));
  REQUIRE(parts.inverse_indices.shape() == Shape{x.extent(axis)});
  for (std::size_t k = 0; k < wanted.size(); ++k) {
    const auto at = static_cast<std::int64_t>(k);
    CHECK(list<T>(contiguous(select(parts.values, axis, at))) == wanted[k]);
    CHECK(parts.counts(at) == std::ranges::count(slices, wanted[k]));
    CHECK(parts.indices(at) == std::ranges::find(slices, wanted[k]) - slices.begin());
  }
  CHECK(array_equal(take(parts.values, parts.inverse_indices, axis), x).item());
  CHECK(array_equal(unique(x, axis), parts.values).item());
  CHECK(array_equal(unique_counts(x, axis).counts, parts.counts).item());
  CHECK(array_equal(unique_inverse(x, axis).inverse_indices, parts.inverse_indices).item());
}

TEST_CASE("the distinct slices along an axis are those of a sorted list of vectors") {
  Generator generator(3);
  for (const Shape& shape : {Shape{40, 3}, Shape{60, 7}, Shape{5, 1}, Shape{1, 4}, Shape{30, 2, 2}, Shape{9}}) {
    const Tensor<std::int64_t> x = randint(-1, 2, shape, generator);
    for (std::int64_t axis = 0; axis < x.rank(); ++axis) {
      check<std::int64_t>(x, axis);
      check<float>(cast<float>(x) * 0.5f, axis);
      check<std::uint8_t>(cast<std::uint8_t>(x + 1), axis);
    }
  }
  check<double>(transpose(cast<double>(randint(0, 3, {4, 50}, generator))), 0);
  CHECK(array_equal(unique(tensor({{1, 2}, {0, 5}, {1, 2}}), 0), tensor({{0, 5}, {1, 2}})).item());
  CHECK(array_equal(unique(tensor({{1, 0, 1}, {2, 5, 2}}), -1), tensor({{0, 1}, {5, 2}})).item());
  CHECK(array_equal(unique(tensor({{true, false}, {true, false}}), 0), tensor({{true, false}})).item());
}

TEST_CASE("slices with NaN are equal where they agree, and 0 and -0 are equal") {
  const float nan = std::numeric_limits<float>::quiet_NaN();
  const auto parts = unique_all(tensor({{nan, 1.f}, {0.f, nan}, {-0.f, nan}, {nan, 1.f}, {nan, 0.f}}), 0);
  CHECK(list(parts.indices) == std::vector<std::int64_t>{1, 4, 0});
  CHECK(list(parts.counts) == std::vector<std::int64_t>{2, 1, 2});
  CHECK(list(parts.inverse_indices) == std::vector<std::int64_t>{2, 0, 0, 2, 1});
}

TEST_CASE("no slices, slices without elements, and what has no such axis") {
  CHECK(unique(zeros<float>({0, 3}), 0).shape() == Shape{0, 3});
  CHECK(unique(zeros<float>({0, 3}), 1).shape() == Shape{0, 1});
  CHECK(unique(zeros<float>({3, 0}), 0).shape() == Shape{1, 0});
  CHECK(list(unique_counts(zeros<float>({3, 0}), 0).counts) == std::vector<std::int64_t>{3});
  CHECK_THROWS_AS(static_cast<void>(unique(zeros<float>({3, 2}), 2)), IndexError);
  CHECK_THROWS_AS(static_cast<void>(unique(tensor(1.f), 0)), IndexError);
  CHECK(unique(tensor({3, 1, 3}), {.size = 2}).shape() == Shape{2});  // a bound is not an axis
}

}  // namespace
