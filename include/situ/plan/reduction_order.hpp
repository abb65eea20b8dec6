// SPDX-License-Identifier: Apache-2.0
// The order in which a reduction visits its elements: the order in memory, so that adjacent elements are read together.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>
#include <utility>

#include <situ/core/shape.hpp>
#include <situ/plan/program.hpp>

namespace situ::internal::program {

/// The axes of a shape, bit `i` for axis `i`.
using AxisSet = std::uint32_t;

[[nodiscard]] constexpr bool contains(AxisSet set, int axis) noexcept { return (set >> axis & 1U) != 0; }

/// The axes in loop order: kept axes, the reduced ones, kept axes. `outer * reduced * inner` elements become `outer *
/// inner` results.
struct ReductionOrder {
  std::array<int, max_rank> axes{};
  int rank = 0;
  std::int64_t outer = 1;
  std::int64_t reduced = 1;
  std::int64_t inner = 1;
  bool kept_logical = true;  // the kept axes among `axes` count up: results come in row-major order

  [[nodiscard]] std::span<const int> walk() const noexcept { return {axes.data(), static_cast<std::size_t>(rank)}; }
  [[nodiscard]] std::int64_t results() const noexcept { return outer * inner; }
};

namespace detail {

/// The operand with the most elements, whose order of axes is used.
[[nodiscard]] inline const Operand* leading_operand(std::span<const Operand> operands, const Shape& shape) {
  if (operands.size() == 1) return operands.data();
  const Operand* leading = nullptr;
  std::int64_t most = -1;
  for (const Operand& operand : operands) {
    std::uint64_t count = 1;
    for (int axis = 0; axis < shape.rank(); ++axis) {
      if (operand.strides[static_cast<std::size_t>(axis)] != 0) count *= static_cast<std::uint64_t>(shape[axis]);
    }
    if (static_cast<std::int64_t>(count) <= most) continue;
    most = static_cast<std::int64_t>(count);
    leading = &operand;
  }
  return leading;
}

/// Whether axis `a`, which now precedes axis `b`, must come after it because its elements are closer together. Strides
/// of 0 and axes of extent 1 stay where they are.
[[nodiscard]] inline bool lies_closer(const Operand& operand, const Shape& shape, int a, int b) {
  const std::int64_t x = operand.strides[static_cast<std::size_t>(a)];
  const std::int64_t y = operand.strides[static_cast<std::size_t>(b)];
  if (x == 0 || y == 0 || shape[a] == 1 || shape[b] == 1) return false;
  return (x < 0 ? -x : x) < (y < 0 ? -y : y);
}

}  // namespace detail

/// `in_order`: the reduced axes stay in their order, because positions are requested.
[[nodiscard]] inline ReductionOrder reduction_order(std::span<const Operand> operands, const Shape& shape,
                                                    AxisSet reduced, bool in_order) {
  ReductionOrder order;
  order.rank = shape.rank();
  std::array<int, max_rank> by_memory{};
  const auto at = [&](int i) -> int& { return by_memory[static_cast<std::size_t>(i)]; };
  for (int axis = 0; axis < order.rank; ++axis) at(axis) = axis;
  if (const Operand* const leading = detail::leading_operand(operands, shape)) {
    for (int i = 1; i < order.rank; ++i) {  // insertion sort: "closer" is not a strict weak order if strides are 0
      for (int j = i; j > 0 && detail::lies_closer(*leading, shape, at(j - 1), at(j)); --j) std::swap(at(j - 1), at(j));
    }
  }
  // Kept axes that are closer than every reduced one are innermost. An axis of extent 1 may be anywhere.
  int inner_begin = order.rank;
  while (inner_begin > 0 && (!contains(reduced, at(inner_begin - 1)) || shape[at(inner_begin - 1)] == 1)) --inner_begin;
  int next = 0;
  const auto append = [&](int axis, std::int64_t& count) {
    order.axes[static_cast<std::size_t>(next++)] = axis;
    // unsigned, as in Shape::count
    count = static_cast<std::int64_t>(static_cast<std::uint64_t>(count) * static_cast<std::uint64_t>(shape[axis]));
  };
  for (int i = 0; i < inner_begin; ++i) {
    if (!contains(reduced, at(i))) append(at(i), order.outer);
  }
  for (int i = 0; i < order.rank; ++i) {
    const int axis = in_order ? i : at(i);
    if (contains(reduced, axis)) append(axis, order.reduced);
  }
  for (int i = inner_begin; i < order.rank; ++i) {
    if (!contains(reduced, at(i))) append(at(i), order.inner);
  }
  if (order.reduced == 1) {  // nothing to reduce: each result gets its own thread or lane
    order.inner *= order.outer;
    order.outer = 1;
  }
  int last_kept = -1;
  for (const int axis : order.walk()) {
    if (contains(reduced, axis)) continue;
    if (axis < last_kept) order.kept_logical = false;
    last_kept = axis;
  }
  return order;
}

/// The places of the results in loop order: the kept axes in that order, and their strides in results stored in
/// row-major order of the kept axes.
struct ResultPlaces {
  Shape shape;
  Strides strides{};
};

[[nodiscard]] inline ResultPlaces result_places(const Shape& shape, AxisSet reduced, const ReductionOrder& order) {
  Strides steps{};  // of the results along each kept axis of the shape
  std::int64_t step = 1;
  for (int axis = shape.rank() - 1; axis >= 0; --axis) {
    if (contains(reduced, axis)) continue;
    steps[static_cast<std::size_t>(axis)] = step;
    step *= shape[axis];
  }
  ResultPlaces places;
  for (const int axis : order.walk()) {
    if (contains(reduced, axis)) continue;
    places.strides[static_cast<std::size_t>(places.shape.rank())] = steps[static_cast<std::size_t>(axis)];
    places.shape.push_back(shape[axis]);
  }
  return places;
}

}  // namespace situ::internal::program
