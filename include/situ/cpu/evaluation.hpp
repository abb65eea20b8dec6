// SPDX-License-Identifier: Apache-2.0
// Drives a compiled program over any shape: walks strides, gathers, pads tails. No template: every
// expression shares this code. Element-wise operations and reductions both read through it.
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

namespace situ::internal::cpu {

/// A compiled program with the operands it reads and the shape it is evaluated over. `fill` computes any range of its
/// elements, counted in row-major order of that shape, into adjacent places; ranges may be computed by many threads.
class Evaluation {
 public:
  /// Operands hold strides for `shape`, whose axes are walked in the order of `order` if that names them. What
  /// `compiled.program` points to must outlive this.
  Evaluation(const CompiledProgram& compiled, std::span<const program::Operand> operands, const Shape& shape,
             std::span<const int> order = {})
      : compiled_(compiled), axes_(operands, shape, order), count_(shape.count()) {
    for (int leaf = 0; leaf < leaves(); ++leaf) {
      data_[index(leaf)] = static_cast<const std::byte*>(operands[index(leaf)].data);
      sizes_[index(leaf)] = operands[index(leaf)].element_size;
      widest_ = std::max(widest_, sizes_[index(leaf)]);
    }
    classify();
  }

  [[nodiscard]] std::int64_t count() const noexcept { return count_; }
  /// Bytes of an element that `fill` writes.
  [[nodiscard]] int out_size() const noexcept { return compiled_.out_size; }

  /// Computes elements `[begin, end)` to `out`.
  void fill(std::int64_t begin, std::int64_t end, void* out) const {
    auto* to = static_cast<std::byte*>(out);
    if (flat_) fill_flat(begin, end, to, /*past_cache=*/false);
    else if (inner_extent() >= shortest_run) fill_runs(begin, end, to);
    else fill_tiles(begin, end, to);
  }

  /// Whether `stream` can go to a place: all is read and written in one sweep of whole lines.
  [[nodiscard]] bool streams_to(const void* out) const noexcept {
    return flat_ && compiled_.streams && reinterpret_cast<std::uintptr_t>(out) % 64 == 0;
  }
  /// `fill`, past the cache (see `stream_fence`).
  void stream(std::int64_t begin, std::int64_t end, void* out) const {
    fill_flat(begin, end, static_cast<std::byte*>(out), /*past_cache=*/true);
  }

 private:
  enum class Kind : std::uint8_t { flat, splat, strided };

  // Below it, rows are gathered into tiles that span several: a kernel call a row would cost more than the row.
  static constexpr std::int64_t shortest_run = 128;
  // Gathered leaves share this; it stays in the first-level cache.
  static constexpr int arena_bytes = 16384;

  static constexpr std::size_t index(int i) noexcept { return static_cast<std::size_t>(i); }

  using Position = program::Axes<>::Position;

  [[nodiscard]] int leaves() const noexcept { return axes_.operands(); }
  [[nodiscard]] std::int64_t inner_extent() const noexcept { return axes_.extent(axes_.rank() - 1); }
  [[nodiscard]] std::int64_t inner_stride(int leaf) const noexcept { return axes_.stride(axes_.rank() - 1, leaf); }
  [[nodiscard]] std::int64_t inner_index(const Position& position) const noexcept {
    return position[index(axes_.rank() - 1)];
  }
  [[nodiscard]] const std::byte* address(int leaf, const Position& position) const noexcept {
    return data_[index(leaf)] + axes_.offset(leaf, position) * sizes_[index(leaf)];
  }

  void classify() {
    flat_ = true;
    for (int leaf = 0; leaf < leaves(); ++leaf) {
      bool splat = true;
      bool flat = true;
      std::int64_t step = 1;
      for (int axis = axes_.rank() - 1; axis >= 0; --axis) {
        const std::int64_t stride = axes_.stride(axis, leaf);
        if (stride != 0) splat = false;
        if (stride != step) flat = false;
        step *= axes_.extent(axis);
      }
      kinds_[index(leaf)] = flat ? Kind::flat : splat ? Kind::splat : Kind::strided;
      if (!flat && !splat) flat_ = false;
    }
  }

  void fill_flat(std::int64_t begin, std::int64_t end, std::byte* out, bool past_cache) const {
    detail::LeafCursors cursors;
    for (int leaf = 0; leaf < leaves(); ++leaf) set_simple(leaf, begin, cursors);
    detail::run_span(compiled_, cursors.leaves(sizes_.data(), leaves()), out, end - begin, past_cache);
  }

  /// The cursor of a leaf that is no `strided` one.
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

  /// Long rows, adjacent in all leaves.
  void fill_adjacent_runs(std::int64_t begin, std::int64_t end, std::byte* out) const {
    std::array<const void*, most_leaves> data;
    Position position = axes_.position(begin);
    while (begin < end) {
      const std::int64_t run = std::min(inner_extent() - inner_index(position), end - begin);
      for (int leaf = 0; leaf < leaves(); ++leaf) data[index(leaf)] = address(leaf, position);
      detail::run_span(compiled_, {data.data(), nullptr, sizes_.data(), leaves()}, out, run);
      out += run * compiled_.out_size;
      begin += run;
      axes_.next_row(position);
    }
  }

  /// Long rows: leaves that lie evenly along the row are read in place, the others are gathered tile by tile.
  void fill_runs(std::int64_t begin, std::int64_t end, std::byte* out) const {
    int gathered = 0;
    bool adjacent = true;
    for (int leaf = 0; leaf < leaves(); ++leaf) {
      const std::int64_t stride = inner_stride(leaf);
      if (stride != 1) adjacent = false;
      if (stride != 0 && stride != 1) ++gathered;
    }
    if (adjacent) return fill_adjacent_runs(begin, end, out);
    const std::int64_t tile = tile_length(gathered);
    alignas(64) std::byte arena[arena_bytes + most_leaves * most_lane_bytes];
    Position position = axes_.position(begin);
    while (begin < end) {
      const std::int64_t run = std::min(inner_extent() - inner_index(position), end - begin);
      for (std::int64_t done = 0; done < run;) {
        const std::int64_t length = std::min(tile, run - done);
        std::byte* buffer = arena;
        detail::LeafCursors cursors;
        for (int leaf = 0; leaf < leaves(); ++leaf) {
          const auto l = index(leaf);
          const std::int64_t stride = inner_stride(leaf);
          const std::byte* from = address(leaf, position) + done * stride * sizes_[l];
          if (stride == 1) {
            cursors.set_adjacent(leaf, from);
          } else if (stride == 0) {
            cursors.set_splat(leaf, from, sizes_[l], compiled_.lanes);
          } else {
            detail::gather(sizes_[l], from, stride, buffer, length);
            cursors.set_adjacent(leaf, buffer);
            buffer += tile * widest_;
          }
        }
        detail::run_span(compiled_, cursors.leaves(sizes_.data(), leaves()), out, length);
        out += length * compiled_.out_size;
        done += length;
      }
      begin += run;
      axes_.next_row(position);
    }
  }

  /// Short rows: strided leaves are gathered into tiles of many rows.
  void fill_tiles(std::int64_t begin, std::int64_t end, std::byte* out) const {
    int gathered = 0;
    for (int leaf = 0; leaf < leaves(); ++leaf) gathered += kinds_[index(leaf)] == Kind::strided ? 1 : 0;
    const std::int64_t tile = tile_length(gathered);
    alignas(64) std::byte arena[arena_bytes + most_leaves * most_lane_bytes];
    while (begin < end) {
      const std::int64_t length = std::min(tile, end - begin);
      const Position start = axes_.position(begin);
      std::byte* buffer = arena;
      detail::LeafCursors cursors;
      for (int leaf = 0; leaf < leaves(); ++leaf) {
        if (kinds_[index(leaf)] != Kind::strided) {
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

  CompiledProgram compiled_;
  program::Axes<> axes_;
  bool flat_ = true;
  int widest_ = 8;  // bytes of a gathered element, at most
  std::int64_t count_;
  // Only the first `leaves()` entries are set: filling all of them would cost more than a small operation.
  std::array<const std::byte*, most_leaves> data_;
  std::array<int, most_leaves> sizes_;
  std::array<Kind, most_leaves> kinds_;
};

}  // namespace situ::internal::cpu
