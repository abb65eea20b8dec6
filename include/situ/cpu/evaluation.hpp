// SPDX-License-Identifier: Apache-2.0
// Drives a compiled program over any shape: iterates over strides, gathers, pads tails. Not a template: all expressions
// share this code. Both element-wise operations and reductions read through it.
#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <span>

#include <situ/core/shape.hpp>
#include <situ/cpu/evaluation_leaves.hpp>
#include <situ/cpu/program_lanes.hpp>
#include <situ/cpu/program_span.hpp>
#include <situ/plan/program.hpp>

namespace situ::internal::inline SITU_SETTINGS::cpu {

/// A compiled program with its operands and the shape it is evaluated over. `fill` computes any range of its elements,
/// counted in row-major order of that shape, into contiguous memory; several threads may compute ranges.
class Evaluation : EvaluationLeaves {
 public:
  /// Operands hold strides for `shape`, whose axes are iterated in the order `order` if it names them. The target of
  /// `compiled.program` must outlive this.
  Evaluation(const CompiledProgram& compiled, std::span<const program::Operand> operands, const Shape& shape,
             std::span<const int> order = {})
      : EvaluationLeaves(operands, shape, order), compiled_(compiled), count_(shape.count()) {}

  [[nodiscard]] std::int64_t count() const noexcept { return count_; }
  /// Bytes of an element that `fill` writes.
  [[nodiscard]] int out_size() const noexcept { return compiled_.out_size; }

  /// Computes elements `[begin, end)` to `out`.
  void fill(std::int64_t begin, std::int64_t end, void* out) const {
    auto* to = static_cast<std::byte*>(out);
    if (flat_) fill_flat(begin, end, to, /*past_cache=*/false);
    else if (repeats_ && end - begin >= 2 * longest_period_) fill_repeating(begin, end, to, /*past_cache=*/false);
    else if (inner_extent() >= shortest_run) fill_runs(begin, end, to, /*past_cache=*/false);
    else fill_tiles(begin, end, to);
  }

  /// Whether each leaf is contiguous or a single element.
  [[nodiscard]] bool is_flat() const noexcept { return flat_; }
  /// Calls `f(program, leaves)` with leaves in place, element `begin` first: for kernels other than the one that
  /// writes.
  template <class F>
  void visit_flat(std::int64_t begin, const F& f) const {
    detail::LeafCursors cursors;
    for (int leaf = 0; leaf < leaves(); ++leaf) set_simple(leaf, begin, cursors);
    f(compiled_.program, cursors.leaves(sizes_.data(), leaves()));
  }

  /// Whether `stream` can write to an address: everything is read and written in whole lines, or in long rows.
  [[nodiscard]] bool streams_to(const void* out) const noexcept {
    if (!compiled_.streams) return false;
    return flat_ || repeats_ ? before_line(out) == 0 : inner_extent() >= shortest_streamed_run;
  }
  /// `fill`, past the cache (see `stream_fence`).
  void stream(std::int64_t begin, std::int64_t end, void* out) const {
    auto* to = static_cast<std::byte*>(out);
    if (flat_) fill_flat(begin, end, to, /*past_cache=*/true);
    else if (repeats_) fill_repeating(begin, end, to, /*past_cache=*/true);
    else fill_runs(begin, end, to, /*past_cache=*/true);
  }

 private:
  // Shorter rows are gathered into tiles that span several: a kernel call per row would cost more than the row.
  static constexpr std::int64_t shortest_run = 128;
  // Too much of shorter rows would be partial lines, at both ends, which are written through the cache.
  static constexpr std::int64_t shortest_streamed_run = 1024;
  // Gathered leaves share this; it stays in the first-level cache.
  static constexpr int arena_bytes = 16384;
  static constexpr std::int64_t line_bytes = 64;

  /// Bytes from an address to the next cache line.
  [[nodiscard]] static std::int64_t before_line(const void* place) noexcept {
    return static_cast<std::int64_t>(-reinterpret_cast<std::uintptr_t>(place) % std::uintptr_t{line_bytes});
  }

  void fill_flat(std::int64_t begin, std::int64_t end, std::byte* out, bool past_cache) const {
    visit_flat(begin, [&](const void*, const detail::SpanLeaves& all) {
      detail::run_span(compiled_, all, out, end - begin, past_cache);
    });
  }

  /// Periodic leaves, such as a row added to each row of a matrix, are written out for several periods, so that a span
  /// covers many rows of any length. A span ends when a leaf has no whole line left; the next begins at the leaf's
  /// beginning.
  void fill_repeating(std::int64_t begin, std::int64_t end, std::byte* out, bool past_cache) const {
    alignas(64) std::byte arena[arena_bytes];
    std::array<std::byte*, most_leaves> repeated;
    std::array<std::int64_t, most_leaves> periods;
    // In whole lines: each leaf is aligned.
    const std::int64_t wanted = std::min(repeated_bytes / repeated_size_, end - begin + longest_period_);
    const std::int64_t length = (wanted + line_elements - 1) / line_elements * line_elements;
    std::byte* free = arena;
    for (int leaf = 0; leaf < leaves(); ++leaf) {
      const auto l = index(leaf);
      if (kinds_[l] != Kind::repeating) continue;
      periods[l] = period(leaf);
      repeated[l] = free;
      const std::int64_t whole = length * sizes_[l];
      free += whole;
      std::int64_t done = periods[l] * sizes_[l];
      std::memcpy(repeated[l], data_[l], static_cast<std::size_t>(done));
      for (std::int64_t next = 0; done < whole; done += next) {
        next = std::min(done, whole - done);
        std::memcpy(repeated[l] + done, repeated[l], static_cast<std::size_t>(next));
      }
    }
    detail::LeafCursors cursors;
    while (begin < end) {
      std::int64_t run = end - begin;
      for (int leaf = 0; leaf < leaves(); ++leaf) {
        const auto l = index(leaf);
        if (kinds_[l] != Kind::repeating) {
          set_simple(leaf, begin, cursors);
          continue;
        }
        const std::int64_t at = begin % periods[l];
        cursors.set_adjacent(leaf, repeated[l] + at * sizes_[l]);
        if (length - at < run) run = (length - at) / line_elements * line_elements;
      }
      detail::run_span(compiled_, cursors.leaves(sizes_.data(), leaves()), out, run, past_cache);
      out += run * compiled_.out_size;
      begin += run;
    }
  }

  /// The cursor of a simple leaf.
  void set_simple(int leaf, std::int64_t begin, detail::LeafCursors& cursors) const {
    const auto l = index(leaf);
    if (kinds_[l] == Kind::flat) cursors.set_adjacent(leaf, data_[l] + begin * sizes_[l]);
    else cursors.set_splat(leaf, data_[l], sizes_[l], compiled_.lanes);
  }

  [[nodiscard]] std::int64_t tile_length(int gathered) const noexcept {
    if (gathered == 0) return count_;
    const std::int64_t elements = arena_bytes / (widest_ * gathered);
    return std::max<std::int64_t>(elements / compiled_.lanes, 1) * compiled_.lanes;
  }

  /// Long rows: leaves with a constant stride along the row are read in place, the others are gathered tile by tile.
  void fill_runs(std::int64_t begin, std::int64_t end, std::byte* out, bool past_cache) const {
    Steps steps;
    steps_along(axes_.rank() - 1, steps);
    int gathered = 0;
    for (int leaf = 0; leaf < leaves(); ++leaf) {
      if (steps[index(leaf)] != 0 && steps[index(leaf)] != sizes_[index(leaf)]) ++gathered;
    }
    detail::LeafCursors cursors;
    if (gathered == 0 && !past_cache) {  // only addresses to find, which may take as long as a row
      const int leaf_count = leaves();
      return for_each_row(begin, end, steps, [&](const Addresses& from, std::int64_t run) {
        for (int leaf = 0; leaf < leaf_count; ++leaf) {
          const auto l = index(leaf);
          if (steps[l] != 0) cursors.set_adjacent(leaf, from[l]);
          else cursors.set_splat(leaf, from[l], sizes_[l], compiled_.lanes);
        }
        detail::run_span(compiled_, cursors.leaves(sizes_.data(), leaf_count), out, run);
        out += run * compiled_.out_size;
      });
    }
    const std::int64_t tile = tile_length(gathered);
    alignas(64) std::byte arena[arena_bytes + most_leaves * most_lane_bytes];
    for_each_row(begin, end, steps, [&](const Addresses& row, std::int64_t run) {
      for (std::int64_t length = 0, done = 0; done < run; done += length) {
        const std::int64_t ahead = past_cache ? before_line(out) / compiled_.out_size : 0;
        length = std::min({tile, ahead != 0 ? ahead : tile, run - done});
        std::byte* buffer = arena;
        for (int leaf = 0; leaf < leaves(); ++leaf) {
          const auto l = index(leaf);
          const std::byte* from = row[l] + done * steps[l];
          if (steps[l] == sizes_[l]) {
            cursors.set_adjacent(leaf, from);
          } else if (steps[l] == 0) {
            cursors.set_splat(leaf, from, sizes_[l], compiled_.lanes);
          } else {
            detail::gather(sizes_[l], from, inner_stride(leaf), buffer, length);
            cursors.set_adjacent(leaf, buffer);
            buffer += tile * widest_;
          }
        }
        detail::run_span(compiled_, cursors.leaves(sizes_.data(), leaves()), out, length, past_cache && ahead == 0);
        out += length * compiled_.out_size;
      }
    });
  }

  /// Short rows: strided leaves are gathered into tiles of many rows.
  void fill_tiles(std::int64_t begin, std::int64_t end, std::byte* out) const {
    int gathered = 0;
    for (int leaf = 0; leaf < leaves(); ++leaf) gathered += is_simple(leaf) ? 0 : 1;
    const std::int64_t tile = tile_length(gathered);
    alignas(64) std::byte arena[arena_bytes + most_leaves * most_lane_bytes];
    while (begin < end) {
      const std::int64_t length = std::min(tile, end - begin);
      const Position start = axes_.position(begin);
      std::byte* buffer = arena;
      detail::LeafCursors cursors;
      for (int leaf = 0; leaf < leaves(); ++leaf) {
        if (is_simple(leaf)) {
          set_simple(leaf, begin, cursors);
          continue;
        }
        gather_rows(leaf, start, length, buffer);
        cursors.set_adjacent(leaf, buffer);
        buffer += tile * widest_;
      }
      detail::run_span(compiled_, cursors.leaves(sizes_.data(), leaves()), out, length);
      out += length * compiled_.out_size;
      begin += length;
    }
  }

  CompiledProgram compiled_;
  std::int64_t count_;
};

}  // namespace situ::internal::inline SITU_SETTINGS::cpu
