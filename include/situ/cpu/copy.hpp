// SPDX-License-Identifier: Apache-2.0
// Copies between any two layouts of one element size: slices, permutations, flips, broadcasts. A template on the size,
// not on the element type: a copy moves bytes.
#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <cstring>

#include <situ/core/shape.hpp>
#include <situ/cpu/copy_runs.hpp>
#include <situ/cpu/non_temporal.hpp>
#include <situ/plan/axes.hpp>
#include <situ/threads/thread_pool.hpp>

namespace situ::internal::inline SITU_SETTINGS::cpu {

namespace detail {

/// Bytes of a result that justify a thread.
inline constexpr std::int64_t copy_grain_bytes = 65536;

/// A copy with its axes sorted by the strides of the destination, which are positive.
struct CopyPlan {
  program::Axes<2> axes;  // strides of the source, and of the destination
  const std::byte* from;
  std::byte* to;
  std::int64_t elements;

  CopyPlan(const void* source, const Strides& from_strides, void* target, const Strides& to_strides, const Shape& shape)
      : axes({from_strides, to_strides}, shape),
        from(static_cast<const std::byte*>(source)),
        to(static_cast<std::byte*>(target)),
        elements(axes.count()) {
    axes.order_by(1);
  }
};

struct CopyAxis {
  std::int64_t extent;
  std::int64_t from;
  std::int64_t to;

  CopyAxis(const program::Axes<2>& axes, int axis)
      : extent(axes.extent(axis)), from(axes.stride(axis, 0)), to(axes.stride(axis, 1)) {}
};

/// Row by row along the last axis. A few long rows are split into pieces for the threads.
template <int Bytes>
void copy_rows(const CopyPlan& plan, bool streamed) {
  const CopyAxis row(plan.axes, plan.axes.rank() - 1);
  program::Axes<2> outer = plan.axes;
  outer.remove(outer.rank() - 1);
  const std::int64_t rows = plan.elements / row.extent;
  // The ends of a row are stored normally: a short row is nothing else.
  streamed = streamed && row.to == 1 && row.extent * Bytes >= 1024;
  constexpr std::int64_t piece = 2 * copy_grain_bytes / Bytes;
  const std::int64_t pieces = rows >= 256 ? 1 : (row.extent + piece - 1) / piece;
  const std::int64_t length = pieces == 1 ? row.extent : piece;
  const auto copy_part = [&](std::int64_t from_offset, std::int64_t to_offset, std::int64_t count) {
    const std::byte* const from = plan.from + from_offset * Bytes;
    std::byte* const to = plan.to + to_offset * Bytes;
    if (streamed) stream_run<Bytes>(from, row.from, to, count);
    else copy_run<Bytes>(from, row.from, to, row.to, count);
  };
  const auto copy = [&](std::int64_t begin, std::int64_t end) {
    if (pieces > 1) {
      for (std::int64_t item = begin; item < end; ++item) {
        const std::int64_t first = item % pieces * length;
        const auto [from, to] = outer.offsets(item / pieces);
        copy_part(from + first * row.from, to + first * row.to, std::min(length, row.extent - first));
      }
    } else {
      const CopyAxis step(outer, outer.rank() - 1);
      outer.for_each_run(begin, end, [&](const auto& offsets, auto, std::int64_t steps) {
        const auto [from, to] = offsets;
        for (std::int64_t i = 0; i < steps; ++i) copy_part(from + i * step.from, to + i * step.to, row.extent);
      });
    }
    if (streamed) stream_fence();
  };
  parallel_for(0, rows * pieces, std::max<std::int64_t>(1, copy_grain_bytes / (length * Bytes)), copy, 1);
}

/// The last axis is contiguous in the destination, `column_axis` in the source: transposes planes.
template <int Bytes>
void copy_planes(const CopyPlan& plan, int column_axis, bool streamed) {
  const CopyAxis column(plan.axes, column_axis);
  const CopyAxis row(plan.axes, plan.axes.rank() - 1);
  program::Axes<2> outer = plan.axes;
  outer.remove(outer.rank() - 1);
  outer.remove(column_axis);
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
      const auto [from, to] = outer.offsets(plane);
      transpose_sweeps<Bytes>(plan.from + (from + first) * Bytes, row.from, plan.to + (to + first * column.to) * Bytes,
                              column.to, row.extent, columns, streamed);
      item = last;
    }
    if (streamed) stream_fence();
  };
  const std::int64_t bytes = std::min(sweep, column.extent) * row.extent * Bytes;
  parallel_for(0, planes * sweeps, std::max<std::int64_t>(1, copy_grain_bytes / bytes), copy, 1);
}

template <int Bytes>
void copy_any(const CopyPlan& plan) {
  const bool streamed = plan.elements * Bytes >= large_output_bytes();
  const int last = plan.axes.rank() - 1;
  const CopyAxis row(plan.axes, last);
  if (row.to == 1 && row.from != 1 && !is_shuffled_step(row.from)) {
    for (int axis = 0; axis < last; ++axis) {
      if (plan.axes.stride(axis, 0) == 1) return copy_planes<Bytes>(plan, axis, streamed);
    }
  }
  copy_rows<Bytes>(plan, streamed);
}

}  // namespace detail

/// Copies `shape.count()` elements of `Bytes` bytes (1, 2, 4, 8 or 16): the element at index i of `from` goes to index
/// i of `to`. Strides in elements, of any sign; 0 repeats an element of the source, and does not occur in the
/// destination. The two do not overlap. (The caller knows the size. Choosing it here would compile all sizes for every
/// program, half a second each.)
///
/// Uses all threads from 128 KiB on, and non-temporal stores from `large_output_bytes()` on. If different axes are
/// contiguous in the two, planes are transposed in registers.
///
///     strided_copy<sizeof(float)>(x, {1, 4}, y, {3, 1}, Shape{4, 3});  // y = x transposed; x is 3 x 4
template <int Bytes>
void strided_copy(const void* from, const Strides& from_strides, void* to, const Strides& to_strides,
                  const Shape& shape) {
  const detail::CopyPlan plan(from, from_strides, to, to_strides, shape);
  if (plan.elements > 0) detail::copy_any<Bytes>(plan);
}

}  // namespace situ::internal::inline SITU_SETTINGS::cpu
