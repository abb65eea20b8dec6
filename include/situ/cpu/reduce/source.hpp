// SPDX-License-Identifier: Apache-2.0
// In which order a reduction walks its elements, and where it reads them: a tensor in place, an expression by tiles.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <utility>
#include <vector>

#include <situ/core/shape.hpp>
#include <situ/cpu/evaluation.hpp>
#include <situ/cpu/program_lanes.hpp>
#include <situ/plan/program.hpp>

namespace situ::internal::cpu {

/// The axes of a shape, bit `i` for axis `i`.
using AxisSet = std::uint32_t;

/// The order of the axes in which a reduction walks: kept ones, the reduced ones, kept ones. The last of them lies
/// closest in memory, so that elements are read as they lie: `outer * reduced * inner` elements, whose results are
/// `outer * inner`.
struct ReductionOrder {
  std::array<int, max_rank> axes{};
  int rank = 0;
  int outer_axes = 0;    // how many of `axes` come before the reduced ones
  int reduced_axes = 0;
  std::int64_t outer = 1;
  std::int64_t reduced = 1;
  std::int64_t inner = 1;
  bool logical = true;        // `axes` counts up: operands need no permutation
  bool kept_logical = true;   // so do the kept ones among them: results come in row-major order
};

namespace detail {

/// The operand that covers most elements: its order of axes is the one to follow.
inline const program::Operand* leading_operand(std::span<const program::Operand> operands, const Shape& shape) {
  const program::Operand* leading = nullptr;
  std::int64_t most = -1;
  for (const program::Operand& operand : operands) {
    std::int64_t count = 1;
    for (int axis = 0; axis < shape.rank(); ++axis) {
      if (operand.strides[static_cast<std::size_t>(axis)] != 0) count *= shape[axis];
    }
    if (count <= most) continue;
    most = count;
    leading = &operand;
  }
  return leading;
}

/// Whether axis `a` must come after axis `b`, which it precedes now: its elements lie closer. Strides of 0 and axes of
/// extent 1 stay where they are.
inline bool lies_closer(const program::Operand& operand, const Shape& shape, int a, int b) {
  const std::int64_t x = operand.strides[static_cast<std::size_t>(a)];
  const std::int64_t y = operand.strides[static_cast<std::size_t>(b)];
  if (x == 0 || y == 0 || shape[a] == 1 || shape[b] == 1) return false;
  return (x < 0 ? -x : x) < (y < 0 ? -y : y);
}

}  // namespace detail

/// `in_order`: the reduced elements must be walked in row-major order, because their positions are asked for.
inline ReductionOrder reduction_order(std::span<const program::Operand> operands, const Shape& shape, AxisSet reduced,
                                      bool in_order) {
  ReductionOrder order;
  order.rank = shape.rank();
  const auto is_reduced = [&](int axis) { return (reduced >> axis & 1U) != 0; };
  std::array<int, max_rank> by_memory{};
  for (int axis = 0; axis < order.rank; ++axis) by_memory[static_cast<std::size_t>(axis)] = axis;
  const program::Operand* leading = detail::leading_operand(operands, shape);
  if (leading != nullptr) {
    for (int i = 1; i < order.rank; ++i) {  // insertion sort: "closer" is no order when strides are 0
      for (int j = i; j > 0; --j) {
        int& before = by_memory[static_cast<std::size_t>(j - 1)];
        int& after = by_memory[static_cast<std::size_t>(j)];
        if (!detail::lies_closer(*leading, shape, before, after)) break;
        if (in_order && is_reduced(before) && is_reduced(after)) break;
        std::swap(before, after);
      }
    }
  }
  // Kept axes that lie closer than every reduced one are walked innermost.
  int inner_begin = order.rank;
  while (inner_begin > 0 && !is_reduced(by_memory[static_cast<std::size_t>(inner_begin - 1)])) --inner_begin;
  if (reduced == 0) inner_begin = 0;
  int next = 0;
  const auto append = [&](int axis) { order.axes[static_cast<std::size_t>(next++)] = axis; };
  for (int i = 0; i < inner_begin; ++i) {
    const int axis = by_memory[static_cast<std::size_t>(i)];
    if (is_reduced(axis)) continue;
    append(axis);
    order.outer *= shape[axis];
    ++order.outer_axes;
  }
  for (int i = 0; i < inner_begin; ++i) {
    const int axis = by_memory[static_cast<std::size_t>(i)];
    if (!is_reduced(axis)) continue;
    append(axis);
    order.reduced *= shape[axis];
    ++order.reduced_axes;
  }
  for (int i = inner_begin; i < order.rank; ++i) {
    const int axis = by_memory[static_cast<std::size_t>(i)];
    append(axis);
    order.inner *= shape[axis];
  }
  if (in_order) {  // the insertion sort may still have carried one reduced axis past another by way of a kept one
    std::array<int, max_rank>& axes = order.axes;
    for (int i = order.outer_axes + 1; i < order.outer_axes + order.reduced_axes; ++i) {
      for (int j = i; j > order.outer_axes && axes[static_cast<std::size_t>(j - 1)] > axes[static_cast<std::size_t>(j)];
           --j) {
        std::swap(axes[static_cast<std::size_t>(j - 1)], axes[static_cast<std::size_t>(j)]);
      }
    }
  }
  int last_kept = -1;
  for (int i = 0; i < order.rank; ++i) {
    const int axis = order.axes[static_cast<std::size_t>(i)];
    if (axis != i) order.logical = false;
    if (is_reduced(axis)) continue;
    if (axis < last_kept) order.kept_logical = false;
    last_kept = axis;
  }
  return order;
}

/// The elements of a reduction in the order it walks them.
class ReductionSource {
 public:
  /// `in_place`: the program is a single leaf whose elements the kernels can read as they are. What `compiled` points
  /// to and `operands` must outlive this.
  ReductionSource(const CompiledProgram& compiled, bool in_place, std::span<const program::Operand> operands,
                  const Shape& shape, const ReductionOrder& order)
      : size_(compiled.out_size) {
    Shape permuted_shape = shape;
    if (!order.logical) {
      permuted_.assign(operands.begin(), operands.end());
      for (int i = 0; i < order.rank; ++i) {
        const int axis = order.axes[static_cast<std::size_t>(i)];
        permuted_shape.set(i, shape[axis]);
        for (std::size_t o = 0; o < operands.size(); ++o) {
          permuted_[o].strides[static_cast<std::size_t>(i)] = operands[o].strides[static_cast<std::size_t>(axis)];
        }
      }
      operands = permuted_;
    }
    if (in_place) collapse(operands[0], permuted_shape);
    if (run_ < permuted_shape.count()) evaluation_.emplace(compiled, operands, permuted_shape);
  }

  /// How many elements are adjacent in memory, from each multiple of it on; 0 when none are to be read in place.
  [[nodiscard]] std::int64_t run() const noexcept { return run_; }

  /// Elements `[begin, end)`: where they lie, or computed to `tile`.
  [[nodiscard]] const std::byte* read(std::int64_t begin, std::int64_t end, std::byte* tile) const {
    if (run_ > 0) {
      if (rank_ == 1) return base_ + begin * size_;
      const std::int64_t row = begin / run_;
      if (end - row * run_ <= run_) return address(row, begin - row * run_);
    }
    evaluation_->fill(begin, end, tile);
    return tile;
  }

 private:
  void collapse(const program::Operand& operand, const Shape& shape) {
    base_ = static_cast<const std::byte*>(operand.data);
    for (int axis = 0; axis < shape.rank(); ++axis) {
      const std::int64_t stride = operand.strides[static_cast<std::size_t>(axis)];
      if (shape[axis] == 1) continue;
      if (rank_ > 0 && strides_[static_cast<std::size_t>(rank_ - 1)] == stride * shape[axis]) {
        extents_[static_cast<std::size_t>(rank_ - 1)] *= shape[axis];
      } else {
        extents_[static_cast<std::size_t>(rank_++)] = shape[axis];
      }
      strides_[static_cast<std::size_t>(rank_ - 1)] = stride;
    }
    if (rank_ == 0) {
      extents_[0] = 1;
      strides_[0] = 1;
      rank_ = 1;
    }
    const auto last = static_cast<std::size_t>(rank_ - 1);
    if (strides_[last] == 1) run_ = extents_[last];
  }

  [[nodiscard]] const std::byte* address(std::int64_t row, std::int64_t offset) const noexcept {
    for (int axis = rank_ - 2; axis > 0; --axis) {
      const auto a = static_cast<std::size_t>(axis);
      offset += row % extents_[a] * strides_[a];
      row /= extents_[a];
    }
    return base_ + (offset + row * strides_[0]) * size_;
  }

  int size_;
  int rank_ = 0;
  std::int64_t run_ = 0;
  const std::byte* base_ = nullptr;
  std::array<std::int64_t, max_rank> extents_;
  Strides strides_;
  std::vector<program::Operand> permuted_;
  std::optional<Evaluation> evaluation_;
};

}  // namespace situ::internal::cpu
