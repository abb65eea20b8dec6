// SPDX-License-Identifier: Apache-2.0
// Drives a compiled program over any shape: collapses dimensions, walks strides, pads tails. No template: every
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
#include <situ/plan/program.hpp>

namespace situ::internal::cpu {

/// A compiled program with the operands it reads and the shape it is evaluated over. `fill` computes any range of its
/// elements, counted in row-major order of that shape, into adjacent places; ranges may be computed by many threads.
class Evaluation {
 public:
  /// Operands hold strides for `shape`. What `compiled.program` points to must outlive this.
  Evaluation(const CompiledProgram& compiled, std::span<const program::Operand> operands, const Shape& shape)
      : compiled_(compiled), leaves_(static_cast<int>(operands.size())), count_(shape.count()) {
    collapse(operands, shape);
    classify();
  }

  [[nodiscard]] std::int64_t count() const noexcept { return count_; }
  /// Bytes of an element that `fill` writes.
  [[nodiscard]] int out_size() const noexcept { return compiled_.out_size; }

  /// Computes elements `[begin, end)` to `out`.
  void fill(std::int64_t begin, std::int64_t end, void* out) const {
    auto* to = static_cast<std::byte*>(out);
    if (flat_) fill_flat(begin, end, to);
    else if (extents_[index(rank_ - 1)] >= shortest_run) fill_runs(begin, end, to);
    else fill_tiles(begin, end, to);
  }

 private:
  enum class Kind : std::uint8_t { flat, splat, strided };

  // Below it, rows are gathered into tiles that span several: a kernel call a row would cost more than the row.
  static constexpr std::int64_t shortest_run = 128;
  // Gathered leaves share this; it stays in the first-level cache.
  static constexpr int arena_bytes = 16384;

  static constexpr std::size_t index(int i) noexcept { return static_cast<std::size_t>(i); }

  /// Drops axes of extent 1, and merges neighbours that every operand walks as one.
  void collapse(std::span<const program::Operand> operands, const Shape& shape) {
    for (int leaf = 0; leaf < leaves_; ++leaf) {
      data_[index(leaf)] = static_cast<const std::byte*>(operands[index(leaf)].data);
      sizes_[index(leaf)] = operands[index(leaf)].element_size;
    }
    for (int axis = 0; axis < shape.rank(); ++axis) {
      const std::int64_t extent = shape[axis];
      if (extent == 1) continue;
      bool merges = rank_ > 0;
      for (int leaf = 0; merges && leaf < leaves_; ++leaf) {
        merges = strides_[index(leaf)][index(rank_ - 1)] == operands[index(leaf)].strides[index(axis)] * extent;
      }
      if (!merges) extents_[index(rank_++)] = 1;
      extents_[index(rank_ - 1)] *= extent;
      for (int leaf = 0; leaf < leaves_; ++leaf) {
        strides_[index(leaf)][index(rank_ - 1)] = operands[index(leaf)].strides[index(axis)];
      }
    }
    if (rank_ == 0) {
      extents_[0] = 1;
      rank_ = 1;
      for (int leaf = 0; leaf < leaves_; ++leaf) strides_[index(leaf)][0] = 1;
    }
  }

  void classify() {
    flat_ = true;
    for (int leaf = 0; leaf < leaves_; ++leaf) {
      const Strides& strides = strides_[index(leaf)];
      bool splat = true;
      bool flat = true;
      std::int64_t step = 1;
      for (int axis = rank_ - 1; axis >= 0; --axis) {
        if (strides[index(axis)] != 0) splat = false;
        if (strides[index(axis)] != step) flat = false;
        step *= extents_[index(axis)];
      }
      kinds_[index(leaf)] = flat ? Kind::flat : splat ? Kind::splat : Kind::strided;
      if (!flat && !splat) flat_ = false;
    }
  }

  void fill_flat(std::int64_t begin, std::int64_t end, std::byte* out) const {
    detail::LaneBuffers splats;
    std::array<LeafCursor, most_leaves> cursors;
    for (int leaf = 0; leaf < leaves_; ++leaf) set_simple(leaf, begin, cursors, splats);
    detail::run_span(compiled_, cursors.data(), sizes_.data(), leaves_, out, end - begin);
  }

  /// The cursor of a leaf that is no `strided` one.
  void set_simple(int leaf, std::int64_t begin, std::array<LeafCursor, most_leaves>& cursors,
                  detail::LaneBuffers& splats) const {
    const auto l = index(leaf);
    if (kinds_[l] == Kind::flat) {
      cursors[l] = {data_[l] + begin * sizes_[l], -1};
    } else {
      detail::splat(data_[l], sizes_[l], compiled_.lanes, splats.bytes[l]);
      cursors[l] = {splats.bytes[l], 0};
    }
  }

  using Position = std::array<std::int64_t, max_rank>;

  [[nodiscard]] Position position_of(std::int64_t flat_index) const noexcept {
    Position position{};
    for (int axis = rank_ - 1; axis >= 0; --axis) {
      position[index(axis)] = flat_index % extents_[index(axis)];
      flat_index /= extents_[index(axis)];
    }
    return position;
  }

  [[nodiscard]] const std::byte* address(int leaf, const Position& position) const noexcept {
    std::int64_t offset = 0;
    for (int axis = 0; axis < rank_; ++axis) offset += position[index(axis)] * strides_[index(leaf)][index(axis)];
    return data_[index(leaf)] + offset * sizes_[index(leaf)];
  }

  void advance_row(Position& position) const noexcept {
    position[index(rank_ - 1)] = 0;
    for (int axis = rank_ - 2; axis >= 0; --axis) {
      if (++position[index(axis)] < extents_[index(axis)]) return;
      position[index(axis)] = 0;
    }
  }

  [[nodiscard]] std::int64_t tile_length(int gathered) const noexcept {
    if (gathered == 0) return count_;
    const std::int64_t elements = arena_bytes / (8 * gathered);
    return std::max<std::int64_t>(elements / compiled_.lanes, 1) * compiled_.lanes;
  }

  /// Long rows: leaves that lie evenly along the row are read in place, the others are gathered tile by tile.
  void fill_runs(std::int64_t begin, std::int64_t end, std::byte* out) const {
    const int inner_axis = rank_ - 1;
    int gathered = 0;
    for (int leaf = 0; leaf < leaves_; ++leaf) {
      const std::int64_t stride = strides_[index(leaf)][index(inner_axis)];
      if (stride != 0 && stride != 1) ++gathered;
    }
    const std::int64_t tile = tile_length(gathered);
    alignas(64) std::byte arena[arena_bytes + most_leaves * most_lane_bytes];
    detail::LaneBuffers splats;
    std::array<LeafCursor, most_leaves> cursors;
    Position position = position_of(begin);
    while (begin < end) {
      const std::int64_t run = std::min(extents_[index(inner_axis)] - position[index(inner_axis)], end - begin);
      for (std::int64_t done = 0; done < run;) {
        const std::int64_t length = std::min(tile, run - done);
        std::byte* buffer = arena;
        for (int leaf = 0; leaf < leaves_; ++leaf) {
          const auto l = index(leaf);
          const std::int64_t stride = strides_[l][index(inner_axis)];
          const std::byte* from = address(leaf, position) + done * stride * sizes_[l];
          if (stride == 1) {
            cursors[l] = {from, -1};
          } else if (stride == 0) {
            detail::splat(from, sizes_[l], compiled_.lanes, splats.bytes[l]);
            cursors[l] = {splats.bytes[l], 0};
          } else {
            detail::gather(sizes_[l], from, stride, buffer, length);
            cursors[l] = {buffer, -1};
            buffer += tile * 8;
          }
        }
        detail::run_span(compiled_, cursors.data(), sizes_.data(), leaves_, out, length);
        out += length * compiled_.out_size;
        done += length;
      }
      begin += run;
      position[index(inner_axis)] += run;
      if (position[index(inner_axis)] == extents_[index(inner_axis)]) advance_row(position);
    }
  }

  /// Short rows: strided leaves are gathered into tiles of many rows.
  void fill_tiles(std::int64_t begin, std::int64_t end, std::byte* out) const {
    int gathered = 0;
    for (int leaf = 0; leaf < leaves_; ++leaf) gathered += kinds_[index(leaf)] == Kind::strided ? 1 : 0;
    const std::int64_t tile = tile_length(gathered);
    alignas(64) std::byte arena[arena_bytes + most_leaves * most_lane_bytes];
    detail::LaneBuffers splats;
    std::array<LeafCursor, most_leaves> cursors;
    while (begin < end) {
      const std::int64_t length = std::min(tile, end - begin);
      const Position start = position_of(begin);
      std::byte* buffer = arena;
      for (int leaf = 0; leaf < leaves_; ++leaf) {
        const auto l = index(leaf);
        if (kinds_[l] != Kind::strided) {
          set_simple(leaf, begin, cursors, splats);
          continue;
        }
        gather_rows(leaf, start, length, buffer);
        cursors[l] = {buffer, -1};
        buffer += tile * 8;
      }
      detail::run_span(compiled_, cursors.data(), sizes_.data(), leaves_, out, length);
      out += length * compiled_.out_size;
      begin += length;
    }
  }

  void gather_rows(int leaf, Position position, std::int64_t count, std::byte* to) const {
    const auto l = index(leaf);
    const int inner_axis = rank_ - 1;
    while (count > 0) {
      const std::int64_t run = std::min(extents_[index(inner_axis)] - position[index(inner_axis)], count);
      detail::gather(sizes_[l], address(leaf, position), strides_[l][index(inner_axis)], to, run);
      to += run * sizes_[l];
      count -= run;
      advance_row(position);
    }
  }

  CompiledProgram compiled_;
  int leaves_;
  int rank_ = 0;
  bool flat_ = true;
  std::int64_t count_;
  // Only the first `leaves_` and `rank_` entries are set: filling all of them would cost more than a small operation.
  std::array<std::int64_t, max_rank> extents_;
  std::array<const std::byte*, most_leaves> data_;
  std::array<int, most_leaves> sizes_;
  std::array<Kind, most_leaves> kinds_;
  std::array<Strides, most_leaves> strides_;
};

}  // namespace situ::internal::cpu
