// SPDX-License-Identifier: Apache-2.0
// Evaluates expressions of transposed operands: such an operand is transposed block by block in registers, into a tile
// that the program reads while it is in the nearest cache. Read along its rows, each element would be in another line.
#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <span>

#include <situ/core/shape.hpp>
#include <situ/cpu/evaluation_leaves.hpp>
#include <situ/cpu/non_temporal.hpp>
#include <situ/cpu/program_lanes.hpp>
#include <situ/cpu/program_span.hpp>
#include <situ/plan/program.hpp>
#include <situ/threads/thread_pool.hpp>

namespace situ::internal::inline SITU_SETTINGS::cpu {

/// A compiled program with its operands and the shape it is evaluated over, in row-major order.
class TransposedEvaluation : EvaluationLeaves {
 public:
  /// Operands hold strides for `shape`. The target of `compiled.program` must outlive this.
  TransposedEvaluation(const CompiledProgram& compiled, std::span<const program::Operand> operands, const Shape& shape)
      : EvaluationLeaves(operands, shape, {}), compiled_(compiled), row_axis_(find_row_axis()) {
    if (row_axis_ >= 0) plan();
  }

  /// Whether an operand is transposed, and tiles of all that are have space.
  [[nodiscard]] bool applies() const noexcept { return columns_ > 0; }

  /// Computes all elements to `out`, on all threads; past the cache if `streamed`, where that is possible.
  void run(std::byte* out, std::int64_t grain, bool streamed) const {
    const std::int64_t row_bytes = inner_extent() * compiled_.out_size;
    const bool past_cache = streamed && !short_rows() && compiled_.streams && row_bytes % 64 == 0 &&
                            columns_ * compiled_.out_size % 64 == 0 && reinterpret_cast<std::uintptr_t>(out) % 64 == 0;
    const std::int64_t blocks = (axes_.extent(row_axis_) + rows_ - 1) / rows_;
    const std::int64_t parts = (inner_extent() + part_columns() - 1) / part_columns();
    const std::int64_t work = rows_ * std::min(part_columns(), inner_extent());
    parallel_for(
        0, outer_count_ * blocks * parts, std::max<std::int64_t>(1, grain / work),
        [&](std::int64_t begin, std::int64_t end) {
          for (std::int64_t task = begin; task < end; ++task)
            run_part(task / (blocks * parts), task / parts % blocks, task % parts, out, past_cache);
          if (past_cache) stream_fence();
        },
        /*alignment=*/1);
  }

 private:
  static constexpr std::int64_t fewest_rows = 16;  // shorter columns are not worth it
  static constexpr std::int64_t fewest_columns = 64;
  static constexpr std::int64_t most_rows = 32;
  static constexpr int arena_bytes = 32768;

  [[nodiscard]] bool is_transposed(int leaf, int axis) const noexcept {
    const std::int64_t along = inner_stride(leaf);
    return axes_.stride(axis, leaf) == 1 && along != 0 && along != 1;
  }

  /// The axis along which an operand is adjacent that is not along the last; -1 if there is none.
  [[nodiscard]] int find_row_axis() const noexcept {
    if (flat_ || axes_.rank() < 2) return -1;
    // Short rows are computed many at a time, so they must be adjacent.
    const int first = inner_extent() < fewest_columns ? axes_.rank() - 2 : 0;
    for (int leaf = 0; leaf < leaves(); ++leaf) {
      for (int axis = first; axis < axes_.rank() - 1; ++axis) {
        if (is_transposed(leaf, axis) && axes_.extent(axis) >= fewest_rows) return axis;
      }
    }
    return -1;
  }

  /// Rows that are computed as one run.
  [[nodiscard]] bool short_rows() const noexcept { return inner_extent() < fewest_columns; }
  [[nodiscard]] bool needs_tile(int leaf) const noexcept {
    const std::int64_t along = inner_stride(leaf);
    return short_rows() ? !is_simple(leaf) : along != 0 && along != 1;
  }

  void plan() noexcept {
    const int last = axes_.rank() - 1;
    std::int64_t bytes = 0;  // of an element of all operands that need a tile
    for (int leaf = 0; leaf < leaves(); ++leaf) {
      if (needs_tile(leaf)) bytes += sizes_[index(leaf)];
    }
    if (short_rows()) {
      rows_ = std::min(arena_bytes / (inner_extent() * bytes) / most_rows * most_rows, axes_.extent(row_axis_));
      columns_ = rows_ > 0 ? inner_extent() : 0;
    } else {
      const std::int64_t room = arena_bytes / (fewest_columns * bytes);
      rows_ = std::min(room < most_rows ? fewest_rows : most_rows, axes_.extent(row_axis_));
      columns_ = arena_bytes / (rows_ * bytes) / fewest_columns * fewest_columns;
    }
    std::int64_t step = inner_extent();
    for (int axis = last - 1; axis >= 0; --axis) {
      if (axis == row_axis_) row_step_ = step;
      else outer_count_ *= axes_.extent(axis);
      step *= axes_.extent(axis);
    }
  }

  /// Columns of one task: if there are few rows, their columns are divided too.
  [[nodiscard]] std::int64_t part_columns() const noexcept { return 16 * columns_; }

  void run_part(std::int64_t outer, std::int64_t block, std::int64_t part, std::byte* out, bool past_cache) const {
    Position at{};
    std::int64_t first = 0, step = inner_extent();  // the number of the first element of the rows
    for (int axis = axes_.rank() - 2; axis >= 0; --axis) {
      auto& place = at[index(axis)];
      if (axis == row_axis_) {
        place = block * rows_;
      } else {
        place = outer % axes_.extent(axis);
        outer /= axes_.extent(axis);
      }
      first += place * step;
      step *= axes_.extent(axis);
    }
    const std::int64_t rows = std::min(rows_, axes_.extent(row_axis_) - block * rows_);
    const std::int64_t end = std::min(inner_extent(), (part + 1) * part_columns());
    for (std::int64_t column = part * part_columns(); column < end; column += columns_) {
      at[index(axes_.rank() - 1)] = column;
      run_tile(at, rows, std::min(columns_, end - column), out + (first + column) * compiled_.out_size, past_cache);
    }
  }

  void run_tile(const Position& at, std::int64_t rows, std::int64_t columns, std::byte* out, bool past_cache) const {
    alignas(64) std::byte arena[arena_bytes];
    Addresses from;
    Steps to_next_row;
    std::byte* free = arena;
    for (int leaf = 0; leaf < leaves(); ++leaf) {
      const auto l = index(leaf);
      const std::int64_t size = sizes_[l], along = inner_stride(leaf);
      from[l] = address(leaf, at);
      to_next_row[l] = axes_.stride(row_axis_, leaf) * size;
      if (!needs_tile(leaf)) continue;
      if (is_transposed(leaf, row_axis_)) {
        compiled_.transpose(sizes_[l], from[l], along, free, columns_, columns, rows);
      } else {
        for (std::int64_t row = 0; row < rows; ++row) {
          std::byte* const to = free + row * columns_ * size;
          if (along == 0) detail::splat(from[l] + row * to_next_row[l], sizes_[l], static_cast<int>(columns), to);
          else detail::gather(sizes_[l], from[l] + row * to_next_row[l], along, to, columns);
        }
      }
      from[l] = free;
      to_next_row[l] = columns_ * size;
      free += rows_ * columns_ * size;
    }
    detail::LeafCursors cursors;
    const std::int64_t runs = short_rows() ? 1 : rows;
    const std::int64_t length = short_rows() ? rows * columns : columns;
    for (std::int64_t row = 0; row < runs; ++row) {
      for (int leaf = 0; leaf < leaves(); ++leaf) {
        const auto l = index(leaf);
        if (!needs_tile(leaf) && inner_stride(leaf) == 0) cursors.set_splat(leaf, from[l], sizes_[l], compiled_.lanes);
        else cursors.set_adjacent(leaf, from[l]);
        from[l] += to_next_row[l];
      }
      detail::run_span(compiled_, cursors.leaves(sizes_.data(), leaves()), out, length, past_cache);
      out += row_step_ * compiled_.out_size;
    }
  }

  CompiledProgram compiled_;
  int row_axis_;
  std::int64_t rows_ = 0;     // of a tile
  std::int64_t columns_ = 0;  // of a tile; 0 if there is no space
  std::int64_t row_step_ = 0;
  std::int64_t outer_count_ = 1;
};

}  // namespace situ::internal::inline SITU_SETTINGS::cpu
