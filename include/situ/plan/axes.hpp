// SPDX-License-Identifier: Apache-2.0
// A loop nest over several operands: contiguous axes collapsed into one, any order of axes, and the offsets of an
// element from its number (unraveling a linear index).
#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <span>
#include <utility>

#include <situ/core/config.hpp>
#include <situ/core/shape.hpp>
#include <situ/plan/program.hpp>

namespace situ::internal::program {

/// The most operands of a loop nest: 64 nodes have at most 63 leaves, plus the destination.
inline constexpr int most_operands = 64;

/// The axes of a loop nest over operands of one shape, outermost first: extents, and every operand's strides. Axes of
/// extent 1 are dropped, and neighbors that are contiguous in all operands are merged; a single element has one axis,
/// with extent and strides 1. Elements are numbered in row-major order of these axes.
///
/// `Operands` is their number, or `std::dynamic_extent`. Only entries in use are set: filling those of the largest
/// possible number of operands would cost more than a small operation.
///
///     const Axes<2> axes({Strides{12, 4, 1}, Strides{0, 4, 1}}, Shape{5, 3, 4});  // 5 x 12: strides 12, 1 and 0, 1
///     axes.offsets(15);                                                           // 15 and 3
template <std::size_t Operands = std::dynamic_extent>
class Axes {
  static constexpr std::size_t room = Operands == std::dynamic_extent ? most_operands : Operands;

 public:
  /// An index along each axis.
  using Position = std::array<std::int64_t, max_rank>;

  /// For a single element.
  Axes()
    requires(Operands != std::dynamic_extent)
      : Axes(static_cast<int>(Operands)) {}

  /// For operands with strides along a shape. `order` lists all axes of the shape in loop order, if that differs.
  Axes(const std::array<Strides, room>& strides, const Shape& shape, std::span<const int> order = {})
    requires(Operands != std::dynamic_extent)
      : Axes() {
    append_all(shape, order, [&](int operand) -> const Strides& { return strides[index(operand)]; });
  }
  Axes(std::span<const Operand> operands, const Shape& shape, std::span<const int> order = {})
    requires(Operands == std::dynamic_extent)
      : Axes(static_cast<int>(operands.size())) {
    append_all(shape, order, [&](int operand) -> const Strides& { return operands[index(operand)].strides; });
  }

  [[nodiscard]] int rank() const noexcept { return rank_; }
  [[nodiscard]] int operands() const noexcept {
    if constexpr (Operands == std::dynamic_extent) return operands_;
    else return static_cast<int>(Operands);
  }
  [[nodiscard]] std::int64_t extent(int axis) const noexcept { return extents_[index(axis)]; }
  [[nodiscard]] std::int64_t stride(int axis, int operand = 0) const noexcept {
    return strides_[index(operand)][index(axis)];
  }
  /// The offset of an operand's first element from its address, in elements: 0 unless axes were flipped.
  [[nodiscard]] std::int64_t origin(int operand) const noexcept { return origins_[index(operand)]; }
  /// The number of elements.
  [[nodiscard]] std::int64_t count() const noexcept {
    std::int64_t product = 1;
    for (int axis = 0; axis < rank_; ++axis) product *= extent(axis);
    return product;
  }

  /// Removes an axis.
  void remove(int axis) noexcept {
    if (rank_ == 1) return make_single();
    --rank_;
    for (; axis < rank_; ++axis) {
      extents_[index(axis)] = extent(axis + 1);
      for (int i = 0; i < operands(); ++i) at(axis, i) = stride(axis + 1, i);
    }
  }

  /// Sorts the axes by the memory order of an operand: its strides become positive and decrease from axis to axis.
  /// Where its stride was negative, the axis is reversed for all operands.
  void order_by(int operand) noexcept {
    bool changed = false;
    for (int axis = 0; axis < rank_; ++axis) {
      if (stride(axis, operand) < 0) flip(axis), changed = true;
      for (int i = axis; i > 0 && stride(i - 1, operand) < stride(i, operand); --i) exchange(i - 1, i), changed = true;
    }
    if (!changed) return;
    const int rank = std::exchange(rank_, 1);
    for (int axis = 1; axis < rank; ++axis) append(extent(axis), [&](int i) { return stride(axis, i); });
  }

  /// The position of element number `linear`.
  [[nodiscard]] Position position(std::int64_t linear) const noexcept {
    Position result;
    for (int axis = rank_ - 1; axis > 0; --axis) {
      result[index(axis)] = linear % extent(axis);
      linear /= extent(axis);
    }
    result[0] = linear;
    return result;
  }

  /// The offset of an operand's element at a position from its address, in elements.
  [[nodiscard]] std::int64_t offset(int operand, const Position& position) const noexcept {
    std::int64_t result = origin(operand);
    for (int axis = 0; axis < rank_; ++axis) result += position[index(axis)] * stride(axis, operand);
    return result;
  }

  /// The offsets of element number `linear` in all operands.
  [[nodiscard]] std::array<std::int64_t, room> offsets(std::int64_t linear) const noexcept
    requires(Operands != std::dynamic_extent)
  {
    return offsets(position(linear));
  }

  /// Advances to the beginning of the next row, a run along the last axis.
  void next_row(Position& position) const noexcept {
    position[index(rank_ - 1)] = 0;
    for (int axis = rank_ - 2; axis >= 0; --axis) {
      if (++position[index(axis)] < extent(axis)) return;
      position[index(axis)] = 0;
    }
  }

  /// Calls `f(offsets, first, length)` for the runs along the last axis that make up elements `[begin, end)`: `offsets`
  /// are those of element number `first` in each operand; the other elements follow at the strides of that axis.
  template <class F>
    requires(Operands != std::dynamic_extent)
  void for_each_run(std::int64_t begin, std::int64_t end, F&& f) const {
    if (begin >= end) return;
    const int last = rank_ - 1;
    const int row = std::max(last - 1, 0);
    Position at = position(begin);
    std::array<std::int64_t, room> from = offsets(at);
    while (begin < end) {
      const bool whole_row = at[index(last)] == 0;
      const std::int64_t length = std::min(extent(last) - at[index(last)], end - begin);
      f(static_cast<const std::array<std::int64_t, room>&>(from), begin, length);
      begin += length;
      if (whole_row && at[index(row)] + 1 < extent(row) &&
          row != last) {  // offsets anew would take as long as a short run
        ++at[index(row)];
        for (int i = 0; i < operands(); ++i) from[index(i)] += stride(row, i);
      } else {
        next_row(at);
        if (begin < end) from = offsets(at);
      }
    }
  }

 protected:
  explicit Axes(int operands) noexcept : operands_(operands) {
    SITU_ASSERT(operands <= static_cast<int>(room));
    for (int i = 0; i < this->operands(); ++i) origins_[index(i)] = 0;
    make_single();
  }

  static constexpr std::size_t index(int i) noexcept { return static_cast<std::size_t>(i); }
  std::int64_t& at(int axis, int operand) noexcept { return strides_[index(operand)][index(axis)]; }

  template <class StridesOf>
  void append_all(const Shape& shape, std::span<const int> order, StridesOf strides_of) {
    for (int i = 0; i < shape.rank(); ++i) {
      const int axis = order.empty() ? i : order[index(i)];
      append(shape[axis], [&](int operand) { return strides_of(operand)[index(axis)]; });
    }
  }

  /// Appends an innermost axis, or extends the last one.
  template <class StrideOf>
  void append(std::int64_t extent, StrideOf stride_of) noexcept {
    if (extent == 1) return;
    int last = rank_ - 1;
    if (extents_[index(last)] != 1) {
      bool continues = true;
      for (int i = 0; continues && i < operands(); ++i) continues = stride(last, i) == stride_of(i) * extent;
      if (continues) extent *= extents_[index(last)];
      else last = rank_++;
    }
    extents_[index(last)] = extent;
    for (int i = 0; i < operands(); ++i) at(last, i) = stride_of(i);
  }

  void flip(int axis) noexcept {
    for (int i = 0; i < operands(); ++i) {
      origins_[index(i)] += (extent(axis) - 1) * stride(axis, i);
      at(axis, i) = -stride(axis, i);
    }
  }

  void exchange(int a, int b) noexcept {
    std::swap(extents_[index(a)], extents_[index(b)]);
    for (int i = 0; i < operands(); ++i) std::swap(at(a, i), at(b, i));
  }

  void make_single() noexcept {
    rank_ = 1;
    extents_[0] = 1;
    for (int i = 0; i < operands(); ++i) at(0, i) = 1;
  }

  int rank_ = 1;
  int operands_;
  std::array<std::int64_t, max_rank> extents_;
  std::array<std::int64_t, room> origins_;
  std::array<Strides, room> strides_;

 private:
  [[nodiscard]] std::array<std::int64_t, room> offsets(const Position& position) const noexcept
    requires(Operands != std::dynamic_extent)
  {
    std::array<std::int64_t, room> result;
    for (int i = 0; i < operands(); ++i) result[index(i)] = offset(i, position);
    return result;
  }
};

}  // namespace situ::internal::program
