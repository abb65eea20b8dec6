// SPDX-License-Identifier: Apache-2.0
// Copies between any two layouts of one element size: slices, permutations, flips, broadcasts. Not a template on the
// element type: a copy moves bytes.
#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <cstring>

#include <situ/core/shape.hpp>
#include <situ/cpu/copy_runs.hpp>
#include <situ/cpu/non_temporal.hpp>
#include <situ/threads/thread_pool.hpp>

namespace situ::internal::cpu {

namespace detail {

/// Bytes of a result worth a thread.
inline constexpr std::int64_t copy_grain_bytes = 65536;

struct CopyAxis {
  std::int64_t extent;
  std::int64_t from;
  std::int64_t to;
};

/// A copy in its simplest form: axes ordered by the stride of the destination, which is positive; neighbours that both
/// sides walk as one merged; extents of at least 2, but for rank 1, which is the smallest.
struct CopyPlan {
  std::array<CopyAxis, max_rank> axes;
  int rank = 0;
  const std::byte* from;
  std::byte* to;
  std::int64_t elements = 1;

  CopyPlan(const void* source, const Strides& from_strides, void* target, const Strides& to_strides,
           const Shape& shape, int size)
      : from(static_cast<const std::byte*>(source)), to(static_cast<std::byte*>(target)) {
    for (int axis = 0; axis < shape.rank(); ++axis) {
      const auto i = static_cast<std::size_t>(axis);
      CopyAxis next{shape[axis], from_strides[i], to_strides[i]};
      elements *= next.extent;
      if (next.extent <= 1) continue;
      if (next.to < 0) {
        from += (next.extent - 1) * next.from * size;
        to += (next.extent - 1) * next.to * size;
        next.from = -next.from;
        next.to = -next.to;
      }
      int place = rank++;
      for (; place > 0 && at(place - 1).to < next.to; --place) at(place) = at(place - 1);
      at(place) = next;
    }
    merge();
    if (rank == 0) axes[0] = {1, 1, 1}, rank = 1;
  }

  CopyAxis& at(int axis) { return axes[static_cast<std::size_t>(axis)]; }
  [[nodiscard]] const CopyAxis& at(int axis) const { return axes[static_cast<std::size_t>(axis)]; }

  void merge() {
    int last = 0;
    for (int axis = 1; axis < rank; ++axis) {
      const CopyAxis inner = at(axis);
      CopyAxis& outer = at(last);
      if (outer.to == inner.to * inner.extent && outer.from == inner.from * inner.extent) {
        outer = {outer.extent * inner.extent, inner.from, inner.to};
      } else {
        at(++last) = inner;
      }
    }
    rank = rank == 0 ? 0 : last + 1;
  }

  /// Moves `axis` to the end.
  void move_last(int axis) {
    const CopyAxis moved = at(axis);
    for (; axis + 1 < rank; ++axis) at(axis) = at(axis + 1);
    at(rank - 1) = moved;
  }

  /// Calls `f(from, to, steps)` for the elements with indices `begin` to `end` of the first `axes_walked` axes, in
  /// runs of `steps` along the last of these axes.
  template <int Bytes, class F>
  void walk(int axes_walked, std::int64_t begin, std::int64_t end, F f) const {
    while (begin < end) {
      std::int64_t rest = begin;
      std::int64_t from_offset = 0;
      std::int64_t to_offset = 0;
      for (int axis = axes_walked - 1; axis >= 0; --axis) {
        const std::int64_t index = axis == 0 ? rest : rest % at(axis).extent;
        rest /= at(axis).extent;
        from_offset += index * at(axis).from;
        to_offset += index * at(axis).to;
      }
      const std::int64_t extent = axes_walked == 0 ? 1 : at(axes_walked - 1).extent;
      const std::int64_t steps = std::min(extent - begin % extent, end - begin);
      f(from + from_offset * Bytes, to + to_offset * Bytes, steps);
      begin += steps;
    }
  }
};

/// Row by row along the last axis. Few long rows are cut into pieces for the threads.
template <int Bytes>
void copy_rows(const CopyPlan& plan, bool streamed) {
  const CopyAxis row = plan.at(plan.rank - 1);
  const std::int64_t rows = plan.elements / row.extent;
  // The ends of a row are stored the ordinary way: a short row is nothing else.
  streamed = streamed && row.to == 1 && row.extent * Bytes >= 1024;
  constexpr std::int64_t piece = 2 * copy_grain_bytes / Bytes;
  const std::int64_t pieces = rows >= 256 ? 1 : (row.extent + piece - 1) / piece;
  const std::int64_t length = pieces == 1 ? row.extent : piece;
  const CopyAxis outer = plan.rank > 1 ? plan.at(plan.rank - 2) : CopyAxis{1, 0, 0};
  const auto copy = [&](std::int64_t begin, std::int64_t end) {
    if (pieces > 1) {
      for (std::int64_t item = begin; item < end; ++item) {
        const std::int64_t first = item % pieces * length;
        const std::int64_t count = std::min(length, row.extent - first);
        plan.walk<Bytes>(plan.rank - 1, item / pieces, item / pieces + 1,
                         [&](const std::byte* from, std::byte* to, std::int64_t) {
                           from += first * row.from * Bytes;
                           to += first * row.to * Bytes;
                           if (streamed) stream_run<Bytes>(from, row.from, to, count);
                           else copy_run<Bytes>(from, row.from, to, row.to, count);
                         });
      }
    } else {
      plan.walk<Bytes>(plan.rank - 1, begin, end, [&](const std::byte* from, std::byte* to, std::int64_t steps) {
        for (std::int64_t i = 0; i < steps; ++i) {
          if (streamed) stream_run<Bytes>(from, row.from, to, row.extent);
          else copy_run<Bytes>(from, row.from, to, row.to, row.extent);
          from += outer.from * Bytes;
          to += outer.to * Bytes;
        }
      });
    }
    if (streamed) stream_fence();
  };
  parallel_for(0, rows * pieces, std::max<std::int64_t>(1, copy_grain_bytes / (length * Bytes)), copy, 1);
}

/// The last axis is adjacent in the destination, the one before it in the source: planes are transposed.
template <int Bytes>
void copy_planes(const CopyPlan& plan, bool streamed) {
  const CopyAxis column = plan.at(plan.rank - 2);
  const CopyAxis row = plan.at(plan.rank - 1);
  const std::int64_t planes = plan.elements / (column.extent * row.extent);
  streamed = streamed && row.extent * Bytes >= 1024;
  constexpr std::int64_t sweep = transpose_sweep<Bytes>;
  const std::int64_t sweeps = (column.extent + sweep - 1) / sweep;
  const auto copy = [&](std::int64_t begin, std::int64_t end) {
    for (std::int64_t item = begin; item < end;) {
      const std::int64_t plane = item / sweeps;
      const std::int64_t last = std::min(end, (plane + 1) * sweeps);
      const std::int64_t first = (item - plane * sweeps) * sweep;
      const std::int64_t columns = std::min((last - plane * sweeps) * sweep, column.extent) - first;
      plan.walk<Bytes>(plan.rank - 2, plane, plane + 1, [&](const std::byte* from, std::byte* to, std::int64_t) {
        transpose_sweeps<Bytes>(from + first * Bytes, row.from, to + first * column.to * Bytes, column.to, row.extent,
                                columns, streamed);
      });
      item = last;
    }
    if (streamed) stream_fence();
  };
  const std::int64_t bytes = std::min(sweep, column.extent) * row.extent * Bytes;
  parallel_for(0, planes * sweeps, std::max<std::int64_t>(1, copy_grain_bytes / bytes), copy, 1);
}

template <int Bytes>
void copy_any(CopyPlan& plan) {
  const bool streamed = plan.elements * Bytes >= large_output_bytes();
  const CopyAxis row = plan.at(plan.rank - 1);
  if (row.to == 1 && row.from != 1 && !is_shuffled_step(row.from)) {
    for (int axis = 0; axis + 1 < plan.rank; ++axis) {
      if (plan.at(axis).from == 1) {
        plan.move_last(axis);
        plan.move_last(plan.rank - 2);
        return copy_planes<Bytes>(plan, streamed);
      }
    }
  }
  copy_rows<Bytes>(plan, streamed);
}

}  // namespace detail

/// Copies `shape.count()` elements of `element_size` bytes (1, 2, 4 or 8): the element at index i of `to` becomes that
/// at index i of `from`. Strides in elements, of any sign; 0 repeats an element of the source, and does not occur in
/// the destination. The two do not overlap.
///
/// Uses all threads from 128 KiB, and writes past the cache from `large_output_bytes()`. Where the axes that are
/// adjacent in memory differ, planes are transposed in registers.
///
///     strided_copy(x, {1, 4}, y, {3, 1}, Shape{4, 3}, sizeof(float));  // y = x transposed; x is 3 x 4
inline void strided_copy(const void* from, const Strides& from_strides, void* to, const Strides& to_strides,
                         const Shape& shape, int element_size) {
  detail::CopyPlan plan(from, from_strides, to, to_strides, shape, element_size);
  if (plan.elements == 0) return;
  switch (element_size) {
    case 1: return detail::copy_any<1>(plan);
    case 2: return detail::copy_any<2>(plan);
    case 4: return detail::copy_any<4>(plan);
    default: SITU_ASSERT(element_size == 8); return detail::copy_any<8>(plan);
  }
}

}  // namespace situ::internal::cpu
