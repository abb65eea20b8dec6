// SPDX-License-Identifier: Apache-2.0
// How the operands of a kernel are laid out on the host: division by multiplication, merged dimensions, vectors,
// halves.
#include <doctest/doctest.h>

#include <algorithm>
#include <cstdint>
#include <limits>
#include <random>
#include <span>
#include <vector>

#include <situ/cuda/kernels/layout.hpp>

#include "views.hpp"

namespace {

using situ::internal::cuda::Divider;
using situ::internal::cuda::OperandLayout;
using situ::internal::cuda::StridedIndex;
using situ::internal::program::Destination;
using situ::internal::program::Operand;
using views::Layout;
using views::Shape;
using views::View;

template <class I>
void check_divider(I divisor) {
  const Divider<I> divider(divisor);
  constexpr I largest = std::numeric_limits<I>::max();
  const I multiple = largest / divisor * divisor;
  for (const I n : {I{0}, I{1}, static_cast<I>(divisor - 1), divisor,
                    static_cast<I>(divisor < largest ? divisor + 1 : divisor), static_cast<I>(multiple - 1), multiple,
                    static_cast<I>(largest - 1), largest, static_cast<I>(largest / 2), static_cast<I>(largest / 3)}) {
    INFO(n, " / ", divisor);
    CHECK(divider.quotient(n) == n / divisor);
  }
}

/// The places of all elements, by loops that share nothing with the library; in row-major order of the layout's shape.
std::vector<std::int64_t> places_of(const Layout& layout) {
  std::vector<std::int64_t> places;
  reference::for_each_index(reference::index_of(layout.shape), [&](const reference::Indices& index) {
    std::int64_t place = layout.offset;
    for (std::size_t axis = 0; axis < index.size(); ++axis) place += index[axis] * layout.strides[axis];
    places.push_back(place);
  });
  return places;
}

Operand operand_of(const Layout& layout) { return {nullptr, 1, layout.strides}; }
Destination destination_of(const Layout& layout) { return {nullptr, 1, layout.shape, layout.strides}; }

/// The places of a layout with one leaf and a destination, as a kernel finds them: destination -> leaf, relative to the
/// operands' first elements.
template <class I>
void walk(const OperandLayout& layout, std::vector<std::pair<std::int64_t, std::int64_t>>& pairs) {
  const StridedIndex<I, 2> index(layout);
  for (std::int64_t i = 0; i < layout.count(); ++i) {
    const auto at = index.locate(static_cast<I>(i));
    pairs.emplace_back(at.offset[1] + layout.origin(1), at.offset[0] + layout.origin(0));
  }
}

std::vector<std::pair<std::int64_t, std::int64_t>> expected_pairs(const Layout& from, const Layout& to) {
  const std::vector<std::int64_t> sources = places_of(from);
  const std::vector<std::int64_t> targets = places_of(to);
  std::vector<std::pair<std::int64_t, std::int64_t>> pairs;
  for (std::size_t i = 0; i < sources.size(); ++i) {
    pairs.emplace_back(targets[i] - to.offset, sources[i] - from.offset);
  }
  return pairs;
}

void halve(OperandLayout layout, int times, std::vector<std::pair<std::int64_t, std::int64_t>>& pairs) {
  if (times == 0 || layout.count() == 1) return walk<std::int64_t>(layout, pairs);
  OperandLayout rest = layout.split();
  halve(layout, times - 1, pairs);
  halve(rest, times - 1, pairs);
}

const std::vector<Shape> shapes{Shape{},        Shape{1},        Shape{7},          Shape{64},
                                Shape{3, 5},    Shape{4, 16},    Shape{1, 7},       Shape{7, 1},
                                Shape{2, 3, 5}, Shape{5, 1, 32}, Shape{2, 3, 4, 5}, Shape{3, 2, 1, 2, 3, 2}};

}  // namespace

TEST_CASE("division by multiplication gives the quotient for every dividend that is not negative") {
  for (std::int32_t divisor = 1; divisor <= 3000; ++divisor) check_divider(divisor);
  for (int bit = 2; bit < 31; ++bit) {
    const auto power = std::int32_t{1} << bit;
    for (const std::int32_t divisor : {power - 1, power, power + 1}) check_divider(divisor);
  }
  check_divider(std::numeric_limits<std::int32_t>::max());
  for (std::int64_t divisor = 1; divisor <= 3000; ++divisor) check_divider(divisor);
  for (int bit = 2; bit < 63; ++bit) {
    const auto power = std::int64_t{1} << bit;
    for (const std::int64_t divisor : {power - 1, power, power + 1}) check_divider(divisor);
  }
  check_divider(std::numeric_limits<std::int64_t>::max());
  std::mt19937_64 random(7);
  for (int i = 0; i < 20000; ++i) {
    const auto n = static_cast<std::int64_t>(random() >> 1);
    const auto d = static_cast<std::int64_t>((random() >> (1 + random() % 62)) | 1);
    if (Divider<std::int64_t>(d).quotient(n) != n / d) FAIL_CHECK(n, " / ", d);
    const auto n32 = static_cast<std::int32_t>(random() >> 33);
    const auto d32 = static_cast<std::int32_t>((random() >> (33 + random() % 30)) | 1);
    if (Divider<std::int32_t>(d32).quotient(n32) != n32 / d32) FAIL_CHECK(n32, " / ", d32);
  }
}

TEST_CASE("every element of a leaf meets its place in the destination, whole or in parts") {
  for (const Shape& shape : shapes) {
    for (const View& from : views::any(shape)) {
      for (const View& to : views::distinct(shape)) {
        INFO(shape.to_string(), " from ", from.name, " to ", to.name);
        const Operand leaf = operand_of(from.layout);
        const OperandLayout layout(std::span(&leaf, 1), destination_of(to.layout));
        auto expected = expected_pairs(from.layout, to.layout);
        std::sort(expected.begin(), expected.end());
        std::vector<std::pair<std::int64_t, std::int64_t>> whole, narrow, parts;
        walk<std::int64_t>(layout, whole);
        walk<std::int32_t>(layout, narrow);
        halve(layout, 3, parts);
        CHECK(whole == narrow);
        for (auto* pairs : {&whole, &parts}) std::sort(pairs->begin(), pairs->end());
        CHECK(whole == expected);
        CHECK(parts == expected);
      }
    }
  }
}

TEST_CASE("over a shape, elements are counted in its row-major order") {
  for (const Shape& shape : shapes) {
    for (const View& a : views::any(shape)) {
      for (const View& b : views::any(shape)) {
        const Operand leaves[] = {operand_of(a.layout), operand_of(b.layout)};
        const OperandLayout layout(leaves, shape);
        CHECK(layout.count() == shape.count());
        const StridedIndex<std::int64_t, 2> index(layout);
        const auto first = places_of(a.layout), second = places_of(b.layout);
        bool equal = true;
        for (std::int64_t i = 0; i < shape.count(); ++i) {
          const auto at = index.locate(i);
          equal = equal && at.offset[0] + a.layout.offset == first[static_cast<std::size_t>(i)] &&
                  at.offset[1] + b.layout.offset == second[static_cast<std::size_t>(i)];
        }
        INFO(shape.to_string(), " ", a.name, ", ", b.name);
        CHECK(equal);
      }
    }
  }
}

TEST_CASE("operands that lie alike are one run, whatever the order of their axes") {
  for (const Shape& shape : shapes) {
    const Layout plain = Layout::row_major(shape);
    const Operand leaves[] = {operand_of(plain), operand_of(plain)};
    CHECK(situ::internal::cuda::all_row_major(leaves, destination_of(plain)));
    CHECK(OperandLayout(leaves, destination_of(plain)).flat());
    CHECK(OperandLayout(leaves, shape).flat());
    for (const View& view : views::distinct(shape)) {
      if (view.name != "column-major" && view.name != "rotated" && view.name != "backwards") continue;
      const Operand alike[] = {operand_of(view.layout), operand_of(view.layout)};
      INFO(shape.to_string(), " ", view.name);
      CHECK(OperandLayout(alike, destination_of(view.layout)).flat());
    }
  }
  const Layout plain = Layout::row_major(Shape{3, 5});
  const Operand leaves[] = {operand_of(plain), operand_of(views::laid_out(Shape{3, 5}, {1, 0}))};
  CHECK_FALSE(situ::internal::cuda::all_row_major(leaves, destination_of(plain)));
  CHECK_FALSE(OperandLayout(leaves, destination_of(plain)).flat());
}

TEST_CASE("a row or a column that is repeated leaves the vectors whole") {
  const Shape shape{64, 32};
  const Layout plain = Layout::row_major(shape);
  const auto vectors = [&](std::int64_t outer, std::int64_t inner, int width) {
    const Operand leaves[] = {operand_of(plain), operand_of({shape, {outer, inner}, 0})};
    return OperandLayout(leaves, destination_of(plain)).vectors(width);
  };
  CHECK(vectors(0, 1, 16));          // a row
  CHECK(vectors(1, 0, 16));          // a column
  CHECK(vectors(0, 0, 16));          // one element
  CHECK(vectors(48, 1, 16));         // rows with a gap
  CHECK_FALSE(vectors(33, 1, 2));    // rows that begin anywhere
  CHECK_FALSE(vectors(1, 64, 2));    // transposed
  CHECK_FALSE(vectors(64, 2, 2));    // every second element
  CHECK_FALSE(vectors(-32, -1, 2));  // backwards
  const Operand odd = operand_of({Shape{64, 31}, {0, 1}, 0});
  const Layout target = Layout::row_major(Shape{64, 31});
  CHECK_FALSE(OperandLayout(std::span(&odd, 1), destination_of(target)).vectors(2));
}

TEST_CASE("what 32 bits cannot count is seen, and cut until it can be") {
  constexpr std::int64_t billion = std::int64_t{1} << 30;
  const auto fits = [](const Shape& shape, std::int64_t outer, std::int64_t inner) {
    const Operand leaf = operand_of({shape, {outer, inner}, 0});
    return OperandLayout(std::span(&leaf, 1), destination_of(Layout::row_major(shape))).fits_32_bits();
  };
  CHECK(fits(Shape{1, billion}, 0, 1));
  CHECK(fits(Shape{2, billion - 1}, 0, 1));
  CHECK_FALSE(fits(Shape{2, billion}, 0, 1));   // as many elements
  CHECK_FALSE(fits(Shape{3, 3}, billion, 1));   // as far away
  CHECK_FALSE(fits(Shape{3, 3}, -billion, 1));  // as far away, before
  CHECK(fits(Shape{2, 2}, billion, -billion));  // each distance counts by its sign
  CHECK_FALSE(fits(Shape{4 * billion, 2}, 0, 0));

  const Shape shape{5, 3 * billion};
  const Operand leaf = operand_of({shape, {0, 1}, 0});
  std::vector<OperandLayout> todo{OperandLayout(std::span(&leaf, 1), destination_of(Layout::row_major(shape)))};
  CHECK(todo.front().vectors(16));
  std::int64_t count = 0;
  for (int cuts = 0; !todo.empty(); ++cuts) {
    REQUIRE(cuts < 100);
    OperandLayout layout = todo.back();
    todo.pop_back();
    CHECK(layout.vectors(16));
    CHECK(layout.origin(0) % 16 == 0);
    CHECK(layout.origin(1) % 16 == 0);
    if (layout.fits_32_bits()) {
      count += layout.count();
    } else {
      todo.push_back(layout.split());
      todo.push_back(layout);
    }
  }
  CHECK(count == shape.count());
}

TEST_CASE("a transposed leaf is read tile by tile") {
  const Shape shape{2, 64, 96};
  const Layout to = Layout::row_major(shape);
  const Layout from = views::laid_out(shape, {0, 2, 1});
  const Operand leaf = operand_of(from);
  OperandLayout layout(std::span(&leaf, 1), destination_of(to));
  layout.tile(32);
  CHECK(layout.rank() == 5);
  // The first 1024 elements lie in a square of 32 by 32.
  const StridedIndex<std::int32_t, 2> index(layout);
  for (std::int32_t i = 0; i < 1024; ++i) {
    const auto at = index.locate(i);
    CHECK(at.offset[1] == i / 32 * 96 + i % 32);
    CHECK(at.offset[0] == i / 32 + i % 32 * 64);
  }
  std::vector<std::pair<std::int64_t, std::int64_t>> pairs;
  walk<std::int64_t>(layout, pairs);
  std::sort(pairs.begin(), pairs.end());
  CHECK(pairs == expected_pairs(from, to));
  for (const Shape& other : {Shape{64, 33}, Shape{33, 64}}) {
    const Operand odd = operand_of(views::laid_out(other, {1, 0}));
    OperandLayout untiled(std::span(&odd, 1), destination_of(Layout::row_major(other)));
    untiled.tile(32);
    CHECK(untiled.rank() == 2);
  }
}

TEST_CASE("elements that move together are taken for one") {
  const Shape shape{6, 32};
  const Layout from = views::laid_out(shape, {0, 1}, 16);
  const Operand leaf = operand_of(from);
  OperandLayout layout(std::span(&leaf, 1), destination_of(Layout::row_major(shape)));
  layout.widen(16);
  CHECK(layout.rank() == 2);
  CHECK(layout.extent(1) == 2);
  CHECK(layout.stride(0, 0) == 3);
  CHECK(layout.stride(0, 1) == 2);
  layout.widen(2);  // not whole for the leaf: only the counts are looked at here
  CHECK(layout.rank() == 1);
  CHECK(layout.extent(0) == 6);
  layout.remove(0);
  CHECK(layout.rank() == 1);
  CHECK(layout.count() == 1);
}
