// SPDX-License-Identifier: Apache-2.0
// Lists of indices longer than the tiles in which they are checked, against loops: every index and element type, strided
// operands, invalid indices at any place, and places that become crowded at any time.
#include <doctest/doctest.h>

#include <cstddef>
#include <cstdint>
#include <limits>
#include <string>
#include <utility>
#include <vector>

#include <situ/indexing.hpp>
#include <situ/situ.hpp>

#include "../reference.hpp"

using namespace situ;
using reference::message_of;

namespace {

using Places = std::vector<std::int64_t>;

/// Positions without a pattern; of signed types every second one counts from the end.
template <class At>
Tensor<At> indices(std::int64_t count, std::int64_t extent, std::uint32_t state = 7) {
  std::vector<At> values;
  for (std::int64_t i = 0; i < count; ++i) {
    state = state * 1664525u + 1013904223u;
    const std::int64_t position = (state >> 8) % extent;
    values.push_back(static_cast<At>(std::is_signed_v<At> && i % 2 == 1 ? position - extent : position));
  }
  return from_span<At>(values, {count});
}

template <class At>
Places positions(const Tensor<At>& index, std::int64_t extent) {
  Places result;
  for (std::int64_t i = 0; i < index.size(); ++i) {
    const auto at = static_cast<std::int64_t>(index(i));
    result.push_back(at < 0 ? at + extent : at);
  }
  return result;
}

template <class T>
Tensor<T> values(std::int64_t count) {
  const Tensor wide = remainder(arange(count) * 37, 101);
  if constexpr (std::same_as<T, bool>) return wide > 50;
  else if constexpr (FloatingElement<T>) return cast<T>(cast<float>(wide) * 0.37f - 3.f);
  else return cast<T>(wide);
}

/// `x` with `source` written, or added, at some places: floats in `double` where more than 256 go, 16-bit floats in
/// `float` if there are several.
template <class T>
std::vector<compute_t<T>> combined(const Tensor<T>& x, const Places& at, const Tensor<T>& source, bool adds) {
  using C = compute_t<T>;
  std::vector<C> result;
  std::vector<std::int64_t> counts(static_cast<std::size_t>(x.size()));
  for (const std::int64_t place : at) ++counts[static_cast<std::size_t>(place)];
  for (std::int64_t place = 0; place < x.size(); ++place) {
    const bool wide = counts[static_cast<std::size_t>(place)] > 256;
    C total = static_cast<C>(x(place));
    double more = 0;
    if constexpr (!std::same_as<T, bool>) more = static_cast<double>(total);
    for (std::size_t j = 0; j < at.size(); ++j) {
      if (at[j] != place) continue;
      const C value = static_cast<C>(source(static_cast<std::int64_t>(j)));
      if (!adds) total = value;
      else if constexpr (std::same_as<C, float>) {
        total += value;
        more += static_cast<double>(value);
      } else if constexpr (!std::same_as<C, bool>) {
        total = static_cast<C>(total + value);
      }
    }
    if (adds && std::same_as<C, float> && wide) total = static_cast<C>(more);
    result.push_back(static_cast<C>(static_cast<T>(total)));
  }
  return result;
}

template <class T>
std::vector<compute_t<T>> list(const Tensor<T>& x) {
  std::vector<compute_t<T>> result;
  for (std::int64_t i = 0; i < x.size(); ++i) result.push_back(static_cast<compute_t<T>>(x(i)));
  return result;
}

constexpr std::int64_t lengths[] = {1, 15, 16, 17, 511, 512, 513, 1030, 3001};

}  // namespace

TEST_CASE_TEMPLATE("every index type", At, std::int8_t, std::uint8_t, std::int16_t, std::uint16_t, std::int32_t,
                   std::uint32_t, std::int64_t, std::uint64_t) {
  const Tensor<float> x = values<float>(97), two = values<float>(194);
  for (const std::int64_t count : lengths) {
    CAPTURE(count);
    const Tensor<At> index = indices<At>(count, 97);
    const Places at = positions(index, 97);
    const Tensor taken = take(x, index, 0), gathered = gather(x, 0, index), spread = take(two(range(0, 194, 2)), index, 0);
    bool right = true;
    for (std::int64_t i = 0; i < count; ++i) {
      const std::int64_t place = at[static_cast<std::size_t>(i)];
      right = right && taken(i) == x(place) && gathered(i) == x(place) && spread(i) == two(2 * place);
    }
    CHECK(right);
    CHECK(list(scatter(x, 0, index, values<float>(count))) == combined(x, at, values<float>(count), false));
    CHECK(list(index_add(x, 0, index, values<float>(count))) == combined(x, at, values<float>(count), true));
    const Tensor strided = indices<At>(3 * count, 97)(range(3 * count - 1, 0, -3));
    CHECK(list(take(x, strided, 0)) == list(take(x, contiguous(strided), 0)));
    CHECK(list(gather(x, 0, strided)) == list(gather(x, 0, contiguous(strided))));
    CHECK(list(scatter(x, 0, strided, values<float>(count))) ==
          list(scatter(x, 0, contiguous(strided), values<float>(count))));
  }
}

TEST_CASE_TEMPLATE("every element type", T, bool, std::int8_t, std::uint8_t, std::int16_t, std::uint16_t, std::int32_t,
                   std::uint32_t, std::int64_t, std::uint64_t, float16, bfloat16, float, double) {
  for (const std::int64_t count : lengths) {
    CAPTURE(count);
    const Tensor<T> x = values<T>(31), source = values<T>(count), many = values<T>(2 * count);
    const Tensor index = indices<std::int64_t>(count, 31);
    const Places at = positions(index, 31);
    const Tensor<T> taken = take(x, index, 0);
    for (std::int64_t i = 0; i < count; ++i) CHECK(taken(i) == x(at[static_cast<std::size_t>(i)]));
    CHECK(list(scatter(x, 0, index, source)) == combined(x, at, source, false));
    const Tensor<T> other = many(range(2 * count - 1, 0, -2));
    CHECK(list(scatter(x, 0, index, other)) == combined(x, at, Tensor<T>(contiguous(other)), false));
    if constexpr (!std::same_as<T, bool> && sizeof(compute_t<T>) == sizeof(T)) {
      CHECK(list(index_add(x, 0, index, source)) == combined(x, at, source, true));
      CHECK(list(index_add(x, 0, index, other)) == combined(x, at, Tensor<T>(contiguous(other)), true));
    }
  }
}

TEST_CASE("a place that becomes crowded at any time") {
  for (const std::int64_t last : {255, 256, 257, 300, 2999}) {
    for (const std::int64_t extent : {3, 40, 7000}) {
      CAPTURE(last);
      CAPTURE(extent);
      // 256 elements for place 1, in front and, if `last` is behind them, one more there.
      std::vector<std::int64_t> at;
      for (std::int64_t i = 0; i < 3000; ++i) at.push_back(i < 256 || i == last ? 1 : i % 200 % extent == 1 ? 0 : i % 200 % extent);
      if (extent == 3) std::fill(at.begin() + 256, at.end(), last % 2 == 0 ? 0 : 2);
      const Tensor index = from_span<std::int64_t>(at, {3000});
      const Tensor x = eval(values<float>(extent) * 1e4f), source = eval(values<float>(3000) * 0.01f);
      CHECK(list(index_add(x, 0, index, source)) == combined(x, positions(index, extent), source, true));
      const Tensor wide = eval(values<float>(2 * extent) * 1e4f);
      const Tensor half = wide(range(0, 2 * extent, 2));
      CHECK(list(index_add(half, 0, index, source)) == combined(contiguous(half), positions(index, extent), source, true));
      const Tensor product = scatter_reduce<ScatterReduction::max>(x, 0, index, source);
      for (std::int64_t place = 0; place < std::min<std::int64_t>(extent, 5); ++place) {
        float largest = x(place);
        for (std::size_t j = 0; j < at.size(); ++j)
          if (at[j] == place) largest = std::max(largest, source(static_cast<std::int64_t>(j)));
        CHECK(product(place) == largest);
      }
    }
  }
}

TEST_CASE("lines with indices of their own, short and long") {
  for (const std::int64_t count : {1, 2, 7, 8, 9, 600}) {
    for (const std::int64_t lines : {1, 2, 5, 300}) {
      CAPTURE(count);
      CAPTURE(lines);
      const Tensor index = reshape(indices<std::int32_t>(count * lines, 11), {lines, count});
      const Tensor source = reshape(values<float>(count * lines), {lines, count});
      const Tensor x = reshape(values<float>(11 * lines), {lines, 11});
      const Tensor sums = scatter_add(x, 1, index, source), down = scatter_add(contiguous(transpose(x)), 0, transpose(index), transpose(source));
      const Tensor read = gather(x, 1, index), read_down = gather(transpose(x), 0, transpose(index));
      for (std::int64_t line = 0; line < lines; ++line) {
        const Places at = positions(contiguous(index(line, all)), 11);
        const auto wanted = combined(contiguous(x(line, all)), at, contiguous(source(line, all)), true);
        CHECK(list(contiguous(sums(line, all))) == wanted);
        CHECK(list(contiguous(down(all, line))) == wanted);
        bool right = true;
        for (std::int64_t j = 0; j < count; ++j) {
          const float element = x(line, at[static_cast<std::size_t>(j)]);
          right = right && read(line, j) == element && read_down(j, line) == element;
        }
        CHECK(right);
      }
    }
  }
}

TEST_CASE("an invalid index at any place of a long list") {
  const Tensor x = values<float>(50);
  for (const std::int64_t count : lengths) {
    for (const std::int64_t bad : {std::int64_t{0}, count / 2, count - 1}) {
      CAPTURE(count);
      CAPTURE(bad);
      for (const std::int64_t wrong : {std::int64_t{50}, std::int64_t{-51}, std::numeric_limits<std::int64_t>::max(),
                                       std::numeric_limits<std::int64_t>::min()}) {
        Tensor index = indices<std::int64_t>(count, 50);
        index.at(bad) = wrong;
        const std::string told = "index " + std::to_string(wrong) + " is out of range for axis 0 of extent 50";
        const auto source = values<float>(count);
        CHECK(message_of([&] { return take(x, index, 0); }).find("take: " + told) == 0);
        CHECK(message_of([&] { return gather(x, 0, index); }).find("gather: " + told) == 0);
        CHECK(message_of([&] { return scatter(x, 0, index, source); }).find("scatter: " + told) == 0);
        CHECK(message_of([&] { return index_add(x, 0, index, source); }).find("index_add: " + told) == 0);
        CHECK(message_of([&] { return take(x, index(range(count - 1, -count - 1, -1)), 0); }).find("take: " + told) == 0);
      }
      Tensor large = indices<std::uint64_t>(count, 50);
      large.at(bad) = std::numeric_limits<std::uint64_t>::max();  // not the last element
      CHECK_THROWS_AS(static_cast<void>(take(x, large, 0)), IndexError);
      CHECK_THROWS_AS(static_cast<void>(index_add(x, 0, large, values<float>(count))), IndexError);
    }
  }
  CHECK(list(x) == list(values<float>(50)));
}

TEST_CASE("coordinates: long, broadcast, strided, invalid") {
  const Tensor x = reshape(values<double>(13 * 17 * 2), {13, 17, 2});
  for (const std::int64_t count : lengths) {
    CAPTURE(count);
    const Tensor rows = indices<std::int32_t>(count, 13, 3);
    const Tensor columns = indices<std::int64_t>(count, 17, 5);
    const Tensor last = indices<std::int8_t>(count, 2, 9);
    const Tensor all_axes = x(rows, columns, last), two_axes = x(rows, columns), grid = x(unsqueeze(rows, 1), arange(17));
    const Tensor backwards = x(flip(rows), columns(range(count - 1, -count - 1, -1)), flip(last));
    const Places r = positions(rows, 13), c = positions(columns, 17), l = positions(last, 2);
    bool right = true;
    for (std::int64_t i = 0; i < count; ++i) {
      const auto at = static_cast<std::size_t>(i);
      right = right && all_axes(i) == x(r[at], c[at], l[at]) && backwards(count - 1 - i) == all_axes(i);
      for (std::int64_t k = 0; k < 2; ++k) right = right && two_axes(i, k) == x(r[at], c[at], k);
      for (std::int64_t j = 0; j < 17; ++j) right = right && grid(i, j, 0) == x(r[at], j, 0);
    }
    CHECK(right);
    const Tensor put = index_put(x, {rows, columns, last}, values<double>(count));
    const Tensor flat = reshape((eval(where(rows < 0, rows + 13, rows)) * 17 + cast<std::int32_t>(where(columns < 0, columns + 17, columns))) * 2 +
                                cast<std::int32_t>(where(last < 0, last + 2, last)), {count});
    CHECK(array_equal(reshape(put, {13 * 17 * 2}), scatter(reshape(x, {13 * 17 * 2}), 0, flat, values<double>(count))).item());
    // The first list with an error is named, and of it the first one.
    Tensor wrong_rows = rows;
    Tensor wrong_columns = columns;
    wrong_columns.at(0) = 17;
    CHECK(message_of([&] { return x(rows, wrong_columns); }).find("x(rows, columns): index 17 is out of range for axis 1 of extent 17") == 0);
    wrong_rows.at(count - 1) = -14;
    CHECK(message_of([&] { return x(wrong_rows, wrong_columns); }).find("x(rows, columns): index -14 is out of range for axis 0 of extent 13") == 0);
    CHECK(message_of([&] { return index_put(x, {rows, wrong_columns}, tensor(1.0)); }).find("index_put: index 17") == 0);
  }
  CHECK(x(zeros<int>({0}), zeros<int>({0}), zeros<int>({0})).shape() == Shape{0});
  CHECK(x(zeros<int>({3, 0, 1}), zeros<int>({1, 4})).shape() == Shape{3, 0, 4, 2});
  CHECK(x(tensor(-1), tensor(2), tensor(0)).item() == x(12, 2, 0));
  CHECK(zeros({0, 4})(zeros<int>({0}), zeros<int>({0})).shape() == Shape{0});
  CHECK_THROWS_AS(static_cast<void>(zeros({0, 4})(zeros<int>({1}), zeros<int>({1}))), IndexError);
}

TEST_CASE("long lists do not depend on the number of threads") {
  const int before = num_threads();
  const Tensor x = reshape(values<float>(900 * 31), {900, 31});
  const Tensor rows = indices<std::int64_t>(100000, 900, 3);
  const Tensor columns = indices<std::int32_t>(100000, 31, 5);
  Tensor wrong = rows;
  wrong.at(99999) = 900;
  wrong.at(60000) = 901;
  set_num_threads(1);
  const Tensor read = x(rows, columns), put = index_put(x, {rows, columns}, values<float>(100000), Accumulate::yes);
  const std::string error = message_of([&] { return x(wrong, columns); });
  set_num_threads(3);
  CHECK(array_equal(x(rows, columns), read).item());
  CHECK(array_equal(index_put(x, {rows, columns}, values<float>(100000), Accumulate::yes), put).item());
  CHECK(message_of([&] { return x(wrong, columns); }) == error);
  CHECK(error.find("x(rows, columns): index 901 ") == 0);
  set_num_threads(before);
}
