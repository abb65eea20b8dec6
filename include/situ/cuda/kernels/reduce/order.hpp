// SPDX-License-Identifier: Apache-2.0
// In which order a reduction walks its elements: as they lie in memory, so that neighbouring threads read neighbouring
// elements. On the host; no template on the expression.
#pragma once

#include <situ/core/shape.hpp>
#include <situ/cuda/kernels/layout.hpp>
#include <situ/plan/program.hpp>

#if defined(SITU_CUDA)

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>
#include <utility>
#include <vector>

namespace situ::internal::cuda {

/// The axes of a shape, bit `i` for axis `i`.
using AxisSet = std::uint32_t;

namespace detail {

/// The axes in the order of a walk: kept ones, the reduced ones, kept ones. Of `outer * reduced * inner` elements
/// become `outer * inner` results.
struct ReductionOrder {
  std::array<int, max_rank> axes{};
  int rank = 0;
  std::int64_t outer = 1;
  std::int64_t reduced = 1;
  std::int64_t inner = 1;
  bool logical = true;       // `axes` counts up
  bool kept_logical = true;  // so do the kept ones among them
};

/// The operand that covers most elements: its order of axes is the one to follow.
[[nodiscard]] inline const program::Operand* leading_operand(std::span<const program::Operand> operands,
                                                             const Shape& shape) {
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
[[nodiscard]] inline bool lies_closer(const program::Operand& operand, const Shape& shape, int a, int b) {
  const std::int64_t x = operand.strides[static_cast<std::size_t>(a)];
  const std::int64_t y = operand.strides[static_cast<std::size_t>(b)];
  if (x == 0 || y == 0 || shape[a] == 1 || shape[b] == 1) return false;
  return (x < 0 ? -x : x) < (y < 0 ? -y : y);
}

/// `in_order`: the reduced axes stay in their order, because positions are asked for.
[[nodiscard]] inline ReductionOrder reduction_order(std::span<const program::Operand> operands, const Shape& shape,
                                                    AxisSet reduced, bool in_order) {
  ReductionOrder order;
  order.rank = shape.rank();
  const auto is_reduced = [&](int axis) { return (reduced >> axis & 1U) != 0; };
  std::array<int, max_rank> by_memory{};
  const auto at = [&](int i) -> int& { return by_memory[static_cast<std::size_t>(i)]; };
  for (int axis = 0; axis < order.rank; ++axis) at(axis) = axis;
  if (const program::Operand* const leading = leading_operand(operands, shape)) {
    for (int i = 1; i < order.rank; ++i) {  // insertion sort: "closer" is no order when strides are 0
      for (int j = i; j > 0 && lies_closer(*leading, shape, at(j - 1), at(j)); --j) std::swap(at(j - 1), at(j));
    }
  }
  // Kept axes that lie closer than every reduced one are walked innermost. An axis of extent 1 lies anywhere.
  int inner_begin = order.rank;
  while (inner_begin > 0 && (!is_reduced(at(inner_begin - 1)) || shape[at(inner_begin - 1)] == 1)) --inner_begin;
  int next = 0;
  const auto append = [&](int axis, std::int64_t& count) {
    order.axes[static_cast<std::size_t>(next++)] = axis;
    count *= shape[axis];
  };
  for (int i = 0; i < inner_begin; ++i) {
    if (!is_reduced(at(i))) append(at(i), order.outer);
  }
  for (int axis = 0; in_order && axis < order.rank; ++axis) {
    if (is_reduced(axis)) append(axis, order.reduced);
  }
  for (int i = 0; !in_order && i < order.rank; ++i) {
    if (is_reduced(at(i))) append(at(i), order.reduced);
  }
  for (int i = inner_begin; i < order.rank; ++i) {
    if (!is_reduced(at(i))) append(at(i), order.inner);
  }
  if (order.reduced == 1) {  // nothing to reduce: each result has its thread
    order.inner *= order.outer;
    order.outer = 1;
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

/// A shape and its operands in another order of the axes.
class PermutedOperands {
 public:
  PermutedOperands(std::span<const program::Operand> operands, const Shape& shape, const ReductionOrder& order)
      : operands_(operands), shape_(shape) {
    if (order.logical) return;
    permuted_.assign(operands.begin(), operands.end());
    for (int i = 0; i < order.rank; ++i) {
      const auto axis = static_cast<std::size_t>(order.axes[static_cast<std::size_t>(i)]);
      shape_.set(i, shape[static_cast<int>(axis)]);
      for (std::size_t o = 0; o < operands.size(); ++o) {
        permuted_[o].strides[static_cast<std::size_t>(i)] = operands[o].strides[axis];
      }
    }
    operands_ = permuted_;
  }
  PermutedOperands(const PermutedOperands&) = delete;
  PermutedOperands& operator=(const PermutedOperands&) = delete;

  [[nodiscard]] std::span<const program::Operand> operands() const noexcept { return operands_; }
  [[nodiscard]] const Shape& shape() const noexcept { return shape_; }

 private:
  std::span<const program::Operand> operands_;
  Shape shape_;
  std::vector<program::Operand> permuted_;
};

/// Where result number `i` of a walk goes, so that results lie in row-major order of the kept axes.
[[nodiscard]] inline StridedIndex<std::int64_t, 1> result_places(const Shape& shape, AxisSet reduced,
                                                                 const ReductionOrder& order) {
  Shape kept;
  for (int axis = 0; axis < shape.rank(); ++axis) {
    if ((reduced >> axis & 1U) == 0) kept.push_back(shape[axis]);
  }
  program::Operand out;
  out.strides = row_major_strides(kept);
  if (order.kept_logical) return StridedIndex<std::int64_t, 1>(OperandLayout(std::span(&out, 1), kept));
  const Strides strides = out.strides;
  Shape walked = kept;
  int next = 0;
  for (int i = 0; i < order.rank; ++i) {
    const int axis = order.axes[static_cast<std::size_t>(i)];
    if ((reduced >> axis & 1U) != 0) continue;
    int position = 0;
    for (int before = 0; before < axis; ++before) position += (reduced >> before & 1U) == 0 ? 1 : 0;
    walked.set(next, shape[axis]);
    out.strides[static_cast<std::size_t>(next++)] = strides[static_cast<std::size_t>(position)];
  }
  return StridedIndex<std::int64_t, 1>(OperandLayout(std::span(&out, 1), walked));
}

}  // namespace detail

}  // namespace situ::internal::cuda

#endif
