// SPDX-License-Identifier: Apache-2.0
// sort, argsort and topk against std::stable_sort on plain lines: stability, NaN, signs of zeros, every element type.
#include <doctest/doctest.h>

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <limits>
#include <string>
#include <vector>

#include <situ/situ.hpp>

#include "../reference.hpp"

using namespace situ;
using reference::array_of;
using reference::contains;
using reference::Indices;
using reference::layouts;
using reference::make_array;
using reference::message_of;

namespace {

/// Whether `a` comes before `b`, NaN behind everything in both directions.
template <class C>
bool before(C a, C b, bool descending) {
  if (a != a) return false;
  if (b != b) return true;
  return descending ? a > b : a < b;
}

/// The positions that order a line.
template <class C>
std::vector<std::int64_t> order(const std::vector<C>& line, bool descending) {
  std::vector<std::int64_t> places(line.size());
  for (std::size_t i = 0; i < places.size(); ++i) places[i] = static_cast<std::int64_t>(i);
  std::stable_sort(places.begin(), places.end(), [&](std::int64_t a, std::int64_t b) {
    return before<C>(line[static_cast<std::size_t>(a)], line[static_cast<std::size_t>(b)], descending);
  });
  return places;
}

/// The positions that order every line of an array along an axis.
template <class C>
reference::Array<std::int64_t> order(const reference::Array<C>& a, std::size_t axis, bool descending) {
  auto result = make_array<std::int64_t>(a.shape, [](const Indices&) { return 0; });
  Indices lines = a.shape;
  lines[axis] = a.shape[axis] > 0 ? 1 : 0;
  reference::for_each_index(lines, [&](Indices i) {
    std::vector<C> line;
    for (i[axis] = 0; i[axis] < a.shape[axis]; ++i[axis]) line.push_back(a(i));
    const std::vector<std::int64_t> places = order(line, descending);
    for (i[axis] = 0; i[axis] < a.shape[axis]; ++i[axis]) result.set(i, places[static_cast<std::size_t>(i[axis])]);
  });
  return result;
}

/// Elements without a pattern and with many ties; floating ones with NaN, infinities and both zeros among them.
template <class T>
std::vector<T> scrambled(std::int64_t count, std::uint32_t distinct) {
  std::vector<T> values;
  std::uint32_t state = distinct;
  for (std::int64_t i = 0; i < count; ++i) {
    state = state * 1664525u + 1013904223u;
    const std::uint32_t number = (state >> 8) % distinct;
    if constexpr (FloatingElement<T>) {
      using C = compute_t<T>;
      const C special[] = {std::numeric_limits<C>::quiet_NaN(), std::numeric_limits<C>::infinity(),
                           -std::numeric_limits<C>::infinity(), C(0), -C(0), -std::numeric_limits<C>::quiet_NaN()};
      const bool is_special = (state >> 4) % 8 == 0;
      values.push_back(static_cast<T>(is_special ? special[number % 6] : C(0.37) * (static_cast<C>(number) - C(distinct) / 2)));
    } else if constexpr (std::is_signed_v<T>) {
      values.push_back(static_cast<T>((static_cast<std::int64_t>(number) - distinct / 2) * 1000003));
    } else {
      values.push_back(static_cast<T>(number));
    }
  }
  return values;
}

/// Whether two elements have the same bits, which tells zeros and NaN apart.
template <class T>
bool same_bits(T a, T b) {
  return std::memcmp(&a, &b, sizeof(T)) == 0;
}

}  // namespace

TEST_CASE_TEMPLATE("sort and argsort over shapes and layouts", T, bool, uint8_t, int32_t, int64_t, float16, bfloat16, float,
                   double) {
  for (const Indices& shape : reference::awkward_shapes()) {
    for (const Tensor<T>& x : layouts<T>(shape)) {
      const auto a = array_of(x);
      for (int axis = -x.rank(); axis < x.rank(); ++axis) {
        const auto k = static_cast<std::size_t>(axis < 0 ? axis + x.rank() : axis);
        for (const bool descending : {false, true}) {
          const auto places = order(a, k, descending);
          CHECK(array_of(argsort(x, axis, descending)) == places);
          CHECK(array_of(sort(x, axis, descending)) == make_array<compute_t<T>>(shape, [&](Indices i) {
                  i[k] = places(i);
                  return a(i);
                }));
        }
      }
    }
  }
}

// Lengths on both sides of the change from comparing to counting, and beyond one byte of positions.
TEST_CASE_TEMPLATE("long lines, with ties and special values, to the bit", T, uint8_t, int32_t, int64_t, float16, bfloat16,
                   float, double) {
  for (const std::int64_t count : {1, 2, 15, 16, 31, 33, 63, 64, 65, 127, 128, 129, 1000, 70000}) {
    for (const std::uint32_t distinct : {3u, 200u, 1u << 20}) {
      const std::vector<T> values = scrambled<T>(count, distinct);
      const Tensor x = from_span<T>(values);
      const auto line = array_of(x).values;
      for (const bool descending : {false, true}) {
        const std::vector<std::int64_t> places = order(line, descending);
        CHECK(array_of(argsort(x, 0, descending)).values == places);
        const Tensor y = sort(x, 0, descending);
        bool equal = true;
        for (std::int64_t i = 0; i < count; ++i) {
          equal = equal && same_bits<T>(y(i), values[static_cast<std::size_t>(places[static_cast<std::size_t>(i)])]);
        }
        CHECK(equal);
      }
    }
  }
}

TEST_CASE_TEMPLATE("the ends of the element types", T, uint8_t, int32_t, int64_t, float, double) {
  constexpr T least = std::numeric_limits<T>::lowest();
  constexpr T most = std::numeric_limits<T>::max();
  const std::vector<T> values{most, T(0), least, T(1), most, least};
  const Tensor x = from_span<T>(values);
  CHECK(array_of(argsort(x)).values == order(array_of(x).values, false));
  CHECK(array_of(argsort(x, 0, true)).values == order(array_of(x).values, true));
  CHECK(sort(x)(5) == most);
  CHECK(sort(x, 0, true)(0) == most);
}

TEST_CASE_TEMPLATE("topk is the head of a stable order", T, uint8_t, int64_t, bfloat16, float, double) {
  for (const bool largest : {true, false}) for (const std::int64_t count : {1, 5, 100, 3000}) {
    for (const std::uint32_t distinct : {3u, 100000u}) {
      const std::vector<T> values = scrambled<T>(3 * count, distinct);
      const Tensor x = from_span<T>(values, {3, count});
      for (const std::int64_t k : {std::int64_t{0}, std::int64_t{1}, std::int64_t{3}, count / 5, count / 3, count}) {
        if (k > count) continue;
        for (const bool columns : {false, true}) {
          const auto [best, places] = topk(columns ? transpose(x) : x, k, columns ? 0 : 1, largest);
          const Tensor expected_places = argsort(x, 1, largest)(all, range(0, k));
          const Tensor found = columns ? transpose(places) : places;
          CHECK(array_of(found) == array_of(expected_places));
          const Tensor found_values = columns ? transpose(best) : best;
          const Tensor expected = sort(x, 1, largest);
          bool equal = true;
          for (std::int64_t i = 0; i < 3; ++i) {
            for (std::int64_t j = 0; j < k; ++j) equal = equal && same_bits<T>(found_values(i, j), expected(i, j));
          }
          CHECK(equal);
        }
      }
    }
  }
}

TEST_CASE("topk of truth values") {
  const auto [best, places] = topk(tensor({false, true, false, true, true}), 4);
  CHECK(array_of(places).values == std::vector<std::int64_t>{1, 3, 4, 0});
  CHECK(array_of(best).values == std::vector<bool>{true, true, true, false});
}

TEST_CASE("topk of a line that grows makes every element a candidate") {
  for (const std::int64_t k : {1, 2, 7, 100}) {
    const Tensor x = arange<int32_t>(5000);
    CHECK(array_of(topk(x, k).values) == make_array<int32_t>({k}, [](const Indices& i) { return 4999 - i[0]; }));
    CHECK(array_of(topk(flip(x), k).values) == make_array<int32_t>({k}, [](const Indices& i) { return 4999 - i[0]; }));
    CHECK(array_of(topk(zeros<float>({5000}), k).indices) == make_array<int64_t>({k}, [](const Indices& i) { return i[0]; }));
  }
}

TEST_CASE("lines are shared by threads") {
  const Tensor x = from_span<float>(scrambled<float>(300 * 700, 100000), {300, 700});
  const int threads = num_threads();
  for (const int axis : {0, 1}) {
    set_num_threads(1);
    const Tensor one = argsort(x, axis);
    set_num_threads(4);
    const Tensor four = argsort(x, axis);
    set_num_threads(threads);
    CHECK(array_of(one) == array_of(four));
  }
}

TEST_CASE("gathering by argsort sorts; expressions are sorted; errors") {
  const Tensor x = from_span<double>(scrambled<double>(60, 1000), {3, 4, 5});
  const Tensor y = where(isnan(x), 0., x);
  for (int axis = 0; axis < 3; ++axis) CHECK(array_of(gather(y, axis, argsort(y, axis))) == array_of(sort(y, axis)));
  CHECK(array_of(sort(-y)) == array_of(eval(-sort(y, -1, true))));
  CHECK(contains(message_of([&] { (void)topk(x, 6); }), "has 5 positions"));
  CHECK_THROWS_AS((void)topk(x, -1), ValueError);
  CHECK_THROWS_AS((void)sort(tensor(1.f)), IndexError);
  CHECK_THROWS_AS((void)argsort(x, 3), IndexError);
  CHECK(sort(zeros<float>({0, 3})).shape() == Shape{0, 3});
  CHECK(topk(zeros<float>({0, 3}), 2).values.shape() == Shape{0, 2});
}
