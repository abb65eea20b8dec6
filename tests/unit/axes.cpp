// SPDX-License-Identifier: Apache-2.0
// labels: values
// The axes of a walk against nested loops over the shape: merged, in another order, sorted by an operand, one taken away.
#include <doctest/doctest.h>

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <numeric>
#include <random>
#include <span>
#include <utility>
#include <vector>

#include <situ/core/shape.hpp>
#include <situ/plan/axes.hpp>

namespace {

using situ::Shape;
using situ::Strides;
using situ::internal::program::Axes;
using situ::internal::program::Operand;
using Pair = std::array<std::int64_t, 2>;
using Pairs = std::array<Strides, 2>;

/// The places of all elements of a shape in two operands, one axis inside the other in the order given.
std::vector<Pair> places_of(const Pairs& strides, const Shape& shape, const std::vector<int>& order) {
  std::vector<Pair> places{{0, 0}};
  for (const int axis : order) {
    std::vector<Pair> next;
    for (const Pair& place : places) {
      for (std::int64_t i = 0; i < shape[axis]; ++i) {
        const auto a = static_cast<std::size_t>(axis);
        next.push_back({place[0] + i * strides[0][a], place[1] + i * strides[1][a]});
      }
    }
    places = next;
  }
  return places;
}
std::vector<int> all_axes(const Shape& shape) {
  std::vector<int> order(static_cast<std::size_t>(shape.rank()));
  std::iota(order.begin(), order.end(), 0);
  return order;
}
std::vector<Pair> places_of(const Pairs& strides, const Shape& shape) {
  return places_of(strides, shape, all_axes(shape));
}

std::vector<Pair> places_of(const Axes<2>& axes) {
  std::vector<Pair> places;
  for (std::int64_t i = 0; i < axes.count(); ++i) places.push_back(axes.offsets(i));
  return places;
}

/// Two operands that lie in some order of the axes with gaps, backwards, or repeated (the first one only).
struct Random {
  Shape shape;
  Pairs strides{};

  explicit Random(std::uint32_t seed) {
    std::mt19937 numbers(seed);
    const auto up_to = [&](int most) { return static_cast<int>(numbers() % static_cast<unsigned>(most + 1)); };
    for (int rank = up_to(5); rank > 0; --rank) shape.push_back(1 + up_to(3));
    std::vector<int> order = all_axes(shape);
    for (std::size_t k = 0; k < 2; ++k) {
      if (up_to(2) == 0) std::shuffle(order.begin(), order.end(), numbers);
      std::int64_t step = 1;
      for (auto axis = order.rbegin(); axis != order.rend(); ++axis) {
        std::int64_t& stride = strides[k][static_cast<std::size_t>(*axis)];
        if (up_to(5) == 0) step *= 2;
        stride = up_to(4) == 0 ? -step : step;
        if (k == 0 && up_to(5) == 0) stride = 0;
        else step *= shape[*axis];
      }
    }
  }
};

/// Whether no axis could be left out or be one with the next.
void check_merged(const Axes<2>& axes) {
  if (axes.rank() == 1) return;
  for (int axis = 0; axis < axes.rank(); ++axis) CHECK(axes.extent(axis) != 1);
  for (int axis = 1; axis < axes.rank(); ++axis) {
    const auto continues = [&](int k) {
      return axes.stride(axis - 1, k) == axes.stride(axis, k) * axes.extent(axis);
    };
    CHECK_FALSE((continues(0) && continues(1)));
  }
}

TEST_CASE("axes: neighbours that all operands walk as one are one") {
  const Axes<2> axes({Strides{12, 4, 1}, Strides{0, 4, 1}}, Shape{5, 3, 4});
  REQUIRE(axes.rank() == 2);
  CHECK(axes.extent(0) == 5);
  CHECK(axes.extent(1) == 12);
  CHECK(axes.stride(0, 0) == 12);
  CHECK(axes.stride(0, 1) == 0);
  CHECK(axes.stride(1, 1) == 1);
  CHECK(axes.count() == 60);
  CHECK(axes.offsets(15) == Pair{15, 3});

  const Axes<1> ones({Strides{7, 3, 9, 1}}, Shape{1, 4, 1, 3});
  CHECK(ones.rank() == 1);
  CHECK(ones.extent(0) == 12);
  CHECK(ones.stride(0) == 1);
}

TEST_CASE("axes: a single element, and none") {
  for (const Axes<2>& axes : {Axes<2>(), Axes<2>({}, Shape{}), Axes<2>({Strides{5, 6}, Strides{7, 8}}, Shape{1, 1})}) {
    CHECK(axes.rank() == 1);
    CHECK(axes.extent(0) == 1);
    CHECK(axes.stride(0, 0) == 1);
    CHECK(axes.stride(0, 1) == 1);
    CHECK(axes.count() == 1);
    CHECK(axes.offsets(0) == Pair{0, 0});
  }
  const Axes<2> none({Strides{0, 4, 1}, Strides{0, 4, 1}}, Shape{3, 0, 4});
  CHECK(none.count() == 0);
  none.for_each_run(0, 0, [](const auto&, auto, auto) { CHECK(false); });
}

TEST_CASE("axes: the places are those of nested loops") {
  for (std::uint32_t seed = 0; seed < 500; ++seed) {
    INFO("seed ", seed);
    const Random random(seed);
    const Axes<2> axes(random.strides, random.shape);
    check_merged(axes);
    CHECK(places_of(axes) == places_of(random.strides, random.shape));
  }
}

TEST_CASE("axes: any order of the axes") {
  for (std::uint32_t seed = 0; seed < 200; ++seed) {
    INFO("seed ", seed);
    const Random random(seed);
    std::vector<int> order = all_axes(random.shape);
    std::shuffle(order.begin(), order.end(), std::mt19937(seed));
    const Axes<2> axes(random.strides, random.shape, order);
    check_merged(axes);
    CHECK(places_of(axes) == places_of(random.strides, random.shape, order));
  }
}

TEST_CASE("axes: as many operands as are known at run time") {
  for (std::uint32_t seed = 0; seed < 200; ++seed) {
    const Random random(seed);
    std::vector<int> order = all_axes(random.shape);
    std::shuffle(order.begin(), order.end(), std::mt19937(seed));
    const std::array<Operand, 2> operands{Operand{nullptr, 1, random.strides[0]}, Operand{nullptr, 1, random.strides[1]}};
    const Axes<> axes(operands, random.shape, order);
    const Axes<2> known(random.strides, random.shape, order);
    REQUIRE(axes.operands() == 2);
    REQUIRE(axes.rank() == known.rank());
    REQUIRE(axes.count() == known.count());
    for (std::int64_t i = 0; i < axes.count(); ++i) {
      const auto position = axes.position(i);
      CHECK(Pair{axes.offset(0, position), axes.offset(1, position)} == known.offsets(i));
    }
  }
}

TEST_CASE("axes: in the order in which an operand lies") {
  for (std::uint32_t seed = 0; seed < 500; ++seed) {
    INFO("seed ", seed);
    const Random random(seed);
    Axes<2> axes(random.strides, random.shape);
    axes.order_by(1);
    check_merged(axes);
    std::vector<Pair> found = places_of(axes);
    // The second operand has each place once: it is walked upwards, and each place goes with the same one as before.
    for (std::size_t i = 1; i < found.size(); ++i) CHECK(found[i - 1][1] < found[i][1]);
    for (int axis = 1; axis < axes.rank(); ++axis) CHECK(axes.stride(axis - 1, 1) > axes.stride(axis, 1));
    std::vector<Pair> expected = places_of(random.strides, random.shape);
    std::sort(found.begin(), found.end());
    std::sort(expected.begin(), expected.end());
    CHECK(found == expected);
    CHECK(Pair{axes.origin(0), axes.origin(1)} == axes.offsets(0));
  }
}

TEST_CASE("axes: without one of them") {
  for (std::uint32_t seed = 0; seed < 200; ++seed) {
    const Random random(seed);
    const Axes<2> whole(random.strides, random.shape);
    for (int removed = 0; removed < whole.rank(); ++removed) {
      Axes<2> axes = whole;
      axes.remove(removed);
      CHECK(axes.count() == (whole.rank() == 1 ? 1 : whole.count() / whole.extent(removed)));
      // What is left are the elements at position 0 of the axis that is gone.
      std::vector<Pair> expected;
      for (std::int64_t i = 0; i < whole.count(); ++i) {
        if (whole.position(i)[static_cast<std::size_t>(removed)] == 0) expected.push_back(whole.offsets(i));
      }
      CHECK(places_of(axes) == expected);
    }
  }
}

TEST_CASE("axes: runs along the last axis") {
  for (std::uint32_t seed = 0; seed < 200; ++seed) {
    const Random random(seed);
    const Axes<2> axes(random.strides, random.shape);
    const int last = axes.rank() - 1;
    const std::int64_t begin = axes.count() / 3;
    const std::int64_t end = axes.count() - axes.count() / 5;
    std::int64_t next = begin;
    axes.for_each_run(begin, end, [&](const Pair& offsets, std::int64_t first, std::int64_t length) {
      CHECK(first == next);
      CHECK(length > 0);
      for (std::int64_t i = 0; i < length; ++i, ++next) {
        CHECK(Pair{offsets[0] + i * axes.stride(last, 0), offsets[1] + i * axes.stride(last, 1)} == axes.offsets(next));
      }
      CHECK((next == end || next % axes.extent(last) == 0));
    });
    CHECK(next == end);
  }
}

}  // namespace
