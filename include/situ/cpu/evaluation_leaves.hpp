// SPDX-License-Identifier: Apache-2.0
// The operands of a compiled program over any shape: of what kind each is, and the walk along rows of all.
#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <span>

#include <situ/core/shape.hpp>
#include <situ/cpu/program_lanes.hpp>
#include <situ/cpu/program_span.hpp>
#include <situ/plan/axes.hpp>
#include <situ/plan/program.hpp>

namespace situ::internal::inline SITU_SETTINGS::cpu {

/// What an evaluation reads: where each leaf lies along the axes of the shape, which are merged, and how it lies.
class EvaluationLeaves {
 protected:
  EvaluationLeaves(std::span<const program::Operand> operands, const Shape& shape, std::span<const int> order)
      : axes_(operands, shape, order) {
    for (int leaf = 0; leaf < leaves(); ++leaf) {
      data_[index(leaf)] = static_cast<const std::byte*>(operands[index(leaf)].data);
      sizes_[index(leaf)] = operands[index(leaf)].element_size;
      widest_ = std::max(widest_, sizes_[index(leaf)]);
    }
    classify();
  }

  /// Contiguous elements, a single element, contiguous elements repeated periodically, anything else.
  enum class Kind : std::uint8_t { flat, splat, repeating, strided };

  // Periodic leaves are written out up to this size: they stay in the first-level cache beside the data that streams
  // through it.
  static constexpr std::int64_t repeated_bytes = 8192;
  // This many elements of any size are whole cache lines and whole lanes.
  static constexpr std::int64_t line_elements = 64;

  using Position = program::Axes<>::Position;
  using Addresses = std::array<const std::byte*, most_leaves>;
  using Steps = std::array<std::int64_t, most_leaves>;  // bytes

  static constexpr std::size_t index(int i) noexcept { return static_cast<std::size_t>(i); }

  [[nodiscard]] int leaves() const noexcept { return axes_.operands(); }
  [[nodiscard]] std::int64_t inner_extent() const noexcept { return axes_.extent(axes_.rank() - 1); }
  [[nodiscard]] std::int64_t inner_stride(int leaf) const noexcept { return axes_.stride(axes_.rank() - 1, leaf); }
  [[nodiscard]] std::int64_t inner_index(const Position& position) const noexcept {
    return position[index(axes_.rank() - 1)];
  }
  [[nodiscard]] const std::byte* address(int leaf, const Position& position) const noexcept {
    return data_[index(leaf)] + axes_.offset(leaf, position) * sizes_[index(leaf)];
  }
  [[nodiscard]] bool is_simple(int leaf) const noexcept {
    return kinds_[index(leaf)] == Kind::flat || kinds_[index(leaf)] == Kind::splat;
  }

  /// The period of a periodic leaf.
  [[nodiscard]] std::int64_t period(int leaf) const noexcept {
    std::int64_t period = 1;
    for (int axis = axes_.rank() - 1; axes_.stride(axis, leaf) != 0; --axis) period *= axes_.extent(axis);
    return period;
  }

  /// Bytes from one element of a leaf to the next along `axis`.
  void steps_along(int axis, Steps& steps) const noexcept {
    for (int leaf = 0; leaf < leaves(); ++leaf) steps[index(leaf)] = axes_.stride(axis, leaf) * sizes_[index(leaf)];
  }

  /// Calls `f(from, run)` for each row, or its part in `[begin, end)`: the first element of each leaf, and the number
  /// of elements, `steps` apart. From row to row along the last axis but one, addresses advance by a step: computing
  /// them anew took as long as a short row.
  template <class F>
  void for_each_row(std::int64_t begin, std::int64_t end, const Steps& steps, const F& f) const {
    const int row_axis = std::max(axes_.rank() - 2, 0);
    const int leaf_count = leaves();
    Steps row_steps;
    steps_along(row_axis, row_steps);
    Addresses from;
    Position position = axes_.position(begin);
    std::int64_t first = inner_index(position);
    while (begin < end) {
      for (int leaf = 0; leaf < leaf_count; ++leaf) from[index(leaf)] = address(leaf, position);
      for (; begin < end && position[index(row_axis)] < axes_.extent(row_axis); ++position[index(row_axis)]) {
        const std::int64_t run = std::min(inner_extent() - first, end - begin);
        f(from, run);
        begin += run;
        for (int leaf = 0; leaf < leaf_count; ++leaf) {
          from[index(leaf)] += row_steps[index(leaf)] - first * steps[index(leaf)];
        }
        first = 0;
      }
      --position[index(row_axis)];
      axes_.next_row(position);
    }
  }

  void gather_rows(int leaf, Position position, std::int64_t count, std::byte* to) const {
    const auto l = index(leaf);
    while (count > 0) {
      const std::int64_t run = std::min(inner_extent() - inner_index(position), count);
      detail::gather(sizes_[l], address(leaf, position), inner_stride(leaf), to, run);
      to += run * sizes_[l];
      count -= run;
      axes_.next_row(position);
    }
  }

  program::Axes<> axes_;
  bool flat_ = true;      // all leaves are flat or splat
  bool repeats_ = false;  // some leaves are periodic, and fit into the arena; none is strided
  std::int64_t longest_period_ = 0;
  int repeated_size_ = 0;  // total bytes of an element of all periodic leaves
  int widest_ = 8;         // bytes of a gathered element, at most
  // Only the first `leaves()` entries are set: setting all would cost more than a small operation.
  std::array<const std::byte*, most_leaves> data_;
  std::array<int, most_leaves> sizes_;
  std::array<Kind, most_leaves> kinds_;

 private:
  void classify() {
    repeats_ = true;
    for (int leaf = 0; leaf < leaves(); ++leaf) {
      std::int64_t period = 1;
      int axis = axes_.rank() - 1;
      while (axis >= 0 && axes_.stride(axis, leaf) == period) period *= axes_.extent(axis--);
      const bool flat = axis < 0;
      while (axis >= 0 && axes_.stride(axis, leaf) == 0) --axis;
      const bool simple = flat || (axis < 0 && period == 1);
      kinds_[index(leaf)] = flat ? Kind::flat : simple ? Kind::splat : axis < 0 ? Kind::repeating : Kind::strided;
      if (simple) continue;
      flat_ = false;
      repeats_ = repeats_ && axis < 0;
      longest_period_ = std::max(longest_period_, period);
      repeated_size_ += sizes_[index(leaf)];
    }
    repeats_ = repeats_ && !flat_ && (longest_period_ + line_elements) * repeated_size_ <= repeated_bytes;
  }
};

}  // namespace situ::internal::inline SITU_SETTINGS::cpu
