// SPDX-License-Identifier: Apache-2.0
// Lists of positions along several axes as positions along these axes merged into one, in one pass over the lists.
#pragma once

#include <algorithm>
#include <array>
#include <atomic>
#include <concepts>
#include <cstddef>
#include <cstdint>
#include <span>

#include <situ/core/shape.hpp>
#include <situ/cpu/gather.hpp>
#include <situ/cpu/index_positions.hpp>
#include <situ/device/cpu.hpp>
#include <situ/plan/axes.hpp>
#include <situ/plan/indices.hpp>
#include <situ/plan/program.hpp>
#include <situ/threads/thread_pool.hpp>

namespace situ::internal::inline SITU_SETTINGS::cpu {

namespace detail {

/// Lists of `int64` positions, the first for axis 0 of `shape`, with strides for one result.
class PositionLists {
 public:
  PositionLists(std::span<const program::Operand> lists, const Shape& shape, const Shape& result) : shape_(shape) {
    for (const program::Operand& list : lists)
      lists_[count_++] = {program::Axes<1>({list.strides}, result), static_cast<const std::int64_t*>(list.data)};
  }

  /// The merged positions of elements `[begin, end)`, at most a tile. False if an index is invalid.
  [[nodiscard]] bool merge(std::int64_t begin, std::int64_t end, std::int64_t* out) const {
    alignas(64) PositionTile tile;
    bool valid = true;
    for (std::size_t axis = 0; axis < count_; ++axis) {
      const List& list = lists_[axis];
      const std::int64_t extent = shape_[static_cast<int>(axis)];
      std::int64_t* const to = axis == 0 ? out : tile.data();
      const std::int64_t step = list.axes.stride(list.axes.rank() - 1, 0);
      list.axes.for_each_run(begin, end, [&](const auto& offsets, std::int64_t first, std::int64_t length) {
        valid &= positions_of(list.indices + offsets[0], step, length, extent, to + (first - begin));
      });
      if (axis == 0) continue;
      if (!valid) return false;  // a position that is invalid could overflow
      for (std::int64_t i = 0; i < end - begin; ++i) out[i] = out[i] * extent + tile[static_cast<std::size_t>(i)];
    }
    return valid;
  }

  /// Throws `IndexError` for the first invalid index of the first list that has one.
  void require_valid(std::int64_t count, IndexedOperation operation) const {
    for (std::size_t axis = 0; axis < count_; ++axis) {
      const List& list = lists_[axis];
      const int a = static_cast<int>(axis);
      const IndexedAxis<ThrowIndexError> indexed{{}, operation, a, shape_[a]};
      const std::int64_t step = list.axes.stride(list.axes.rank() - 1, 0);
      list.axes.for_each_run(0, count, [&](const auto& offsets, std::int64_t, std::int64_t length) {
        for (std::int64_t i = 0; i < length; ++i)
          static_cast<void>(indexed.position(list.indices[offsets[0] + i * step]));
      });
    }
  }

 private:
  struct List {
    program::Axes<1> axes;
    const std::int64_t* indices;
  };

  const Shape& shape_;
  std::array<List, std::size_t{max_rank}> lists_;
  std::size_t count_ = 0;
};

}  // namespace detail

/// `out[i]` is the position that element `i` of each list, `int64` with strides for `result`, gives along the first axes
/// of `shape` merged into one. Throws `IndexError`.
template <std::same_as<Backend> B>
void merge_positions(B, std::span<const program::Operand> lists, const Shape& shape, IndexedOperation operation,
                     const Shape& result, std::int64_t* out) {
  const detail::PositionLists positions(lists, shape, result);
  const std::int64_t count = result.count();
  std::atomic<bool> valid = true;
  parallel_for(0, count, detail::gather_grain, [&](std::int64_t begin, std::int64_t end) {
    for (std::int64_t length = 0; begin < end; begin += length) {
      length = std::min(detail::index_tile, end - begin);
      if (!positions.merge(begin, begin + length, out + begin)) valid.store(false, std::memory_order_relaxed);
    }
  });
  if (!valid.load(std::memory_order_relaxed)) positions.require_valid(count, operation);
}

}  // namespace situ::internal::inline SITU_SETTINGS::cpu
