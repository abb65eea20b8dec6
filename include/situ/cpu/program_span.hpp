// SPDX-License-Identifier: Apache-2.0
// Runs a compiled program over any number of contiguous elements, and packs strided elements for it.
#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <span>

#include <situ/cpu/lanes/lanes.hpp>
#include <situ/cpu/program_lanes.hpp>
#include <situ/plan/unit.hpp>

namespace situ::internal::inline SITU_SETTINGS::cpu {

/// The most leaves of one expression; a node count of 64 allows no more.
inline constexpr int most_leaves = 64;

namespace detail {

template <class T>
void gather(const std::byte* from, std::int64_t stride, std::byte* to, std::int64_t count) {
  using Alias = alias_of_t<T>;  // the elements may have any type of this size
  const Alias* source = reinterpret_cast<const Alias*>(from);
  Alias* target = reinterpret_cast<Alias*>(to);
  for (std::int64_t i = 0; i < count; ++i) target[i] = source[i * stride];
}

/// Copies `count` elements that are `stride` apart to contiguous memory. (Not inlined, like `scatter` and `splat`: each
/// is four loops, which would be compiled at every call.)
[[gnu::noinline]] inline void gather(int element_size, const std::byte* from, std::int64_t stride, std::byte* to,
                                     std::int64_t count) {
  if (stride == 1) {
    std::memcpy(to, from, static_cast<std::size_t>(count * element_size));
    return;
  }
  switch (element_size) {
    case 1:
      return gather<std::uint8_t>(from, stride, to, count);
    case 2:
      return gather<std::uint16_t>(from, stride, to, count);
    case 4:
      return gather<std::uint32_t>(from, stride, to, count);
    case 16:
      return gather<PairOfUnits>(from, stride, to, count);
    default:
      return gather<std::uint64_t>(from, stride, to, count);
  }
}

template <class T>
void scatter(const std::byte* from, std::int64_t stride, std::byte* to, std::int64_t count) {
  using Alias = alias_of_t<T>;  // the elements may have any type of this size
  const Alias* source = reinterpret_cast<const Alias*>(from);
  Alias* target = reinterpret_cast<Alias*>(to);
  for (std::int64_t i = 0; i < count; ++i) target[i * stride] = source[i];
}

/// Copies `count` contiguous elements to addresses `stride` apart.
[[gnu::noinline]] inline void scatter(int element_size, const std::byte* from, std::int64_t stride, std::byte* to,
                                      std::int64_t count) {
  switch (element_size) {
    case 1:
      return scatter<std::uint8_t>(from, stride, to, count);
    case 2:
      return scatter<std::uint16_t>(from, stride, to, count);
    case 4:
      return scatter<std::uint32_t>(from, stride, to, count);
    case 16:
      return scatter<PairOfUnits>(from, stride, to, count);
    default:
      return scatter<std::uint64_t>(from, stride, to, count);
  }
}

/// Space for one padded lane of every leaf.
struct LaneBuffers {
  alignas(64) std::byte bytes[most_leaves][most_lane_bytes];
};

template <class T>
void splat(const std::byte* element, int count, std::byte* lane) noexcept {
  using Alias = alias_of_t<T>;  // the elements may have any type of this size
  std::fill_n(reinterpret_cast<Alias*>(lane), count, *reinterpret_cast<const Alias*>(element));
}

/// Fills a lane, or a part of one, with copies of one element.
[[gnu::noinline]] inline void splat(const std::byte* element, int element_size, int count, std::byte* lane) noexcept {
  switch (element_size) {
    case 1:
      return splat<std::uint8_t>(element, count, lane);
    case 2:
      return splat<std::uint16_t>(element, count, lane);
    case 4:
      return splat<std::uint32_t>(element, count, lane);
    case 16:
      return splat<PairOfUnits>(element, count, lane);
    default:
      return splat<std::uint64_t>(element, count, lane);
  }
}

/// `splat` of a whole lane by whole registers, matching the loads of kernels: a load that stalls on several narrower
/// stores takes as long as computing 64 elements. A lane of less than a register is followed by more copies, for which
/// a leaf has space.
template <class T>
void splat_lane(const std::byte* element, int lanes, std::byte* lane) noexcept {
  constexpr int width = vector_bytes / static_cast<int>(sizeof(T));
  static_assert(vector_bytes <= most_lane_bytes);
  T value;
  std::memcpy(&value, element, sizeof(T));
  for (int at = 0; at < lanes; at += width) store(reinterpret_cast<T*>(lane) + at, Lanes<T, width>(value));
}

/// The leaves of a span, as a `Kernel` reads them, and the bytes of an element of each.
struct SpanLeaves {
  const void* const* data;
  const std::int64_t* masks;
  const int* element_sizes;
  int count;
};

/// Space for the leaves of spans that are not all contiguous.
class LeafCursors {
 public:
  void set_adjacent(int leaf, const void* from) noexcept { set(leaf, from, -1); }
  /// Element `from` in every position, copied to a lane.
  void set_splat(int leaf, const std::byte* from, int element_size, int lanes) noexcept {
    std::byte* const lane = repeated_.bytes[leaf];
    if (element_size == 4) splat_lane<std::uint32_t>(from, lanes, lane);
    else if (element_size == 8) splat_lane<std::uint64_t>(from, lanes, lane);
    else splat(from, element_size, lanes, lane);
    set_masked(leaf, lane, 0);
  }
  /// `period` elements repeated, where the period divides a lane: copied until they fill one.
  void set_repeated(int leaf, const std::byte* from, int element_size, std::int64_t period, int lanes) noexcept {
    if (period == 1) return set_splat(leaf, from, element_size, lanes);
    if (period == lanes) return set_masked(leaf, from, 0);
    std::byte* const lane = repeated_.bytes[leaf];
    const auto bytes = static_cast<std::size_t>(period * element_size);
    const std::size_t filled = static_cast<std::size_t>(lanes * element_size);
    for (std::size_t at = 0; at != filled; at += bytes) std::memcpy(lane + at, from, bytes);
    set_masked(leaf, lane, 0);
  }

  [[nodiscard]] SpanLeaves leaves(const int* element_sizes, int count) const noexcept {
    return {data_.data(), any_masked_ ? masks_.data() : nullptr, element_sizes, count};
  }

 private:
  void set(int leaf, const void* from, std::int64_t mask) noexcept {
    data_[static_cast<std::size_t>(leaf)] = from;
    masks_[static_cast<std::size_t>(leaf)] = mask;
  }

  void set_masked(int leaf, const void* from, std::int64_t mask) noexcept {
    set(leaf, from, mask);
    any_masked_ = true;
  }

  LaneBuffers repeated_;
  std::array<const void*, most_leaves> data_;
  std::array<std::int64_t, most_leaves> masks_;
  bool any_masked_ = false;
};

/// The last elements of each leaf, `rest` from `whole` on, padded to a lane: the same kernel computes them as all
/// others, so that a value does not depend on its position. Padding repeats the last element, which a user's functor
/// must accept anyway.
class PaddedLane {
 public:
  PaddedLane(int lanes, const SpanLeaves& leaves, std::int64_t whole, std::int64_t rest) {
    for (int leaf = 0; leaf < leaves.count; ++leaf) {
      data_[static_cast<std::size_t>(leaf)] = leaves.data[leaf];
      if (leaves.masks != nullptr && leaves.masks[leaf] == 0) continue;
      const int size = leaves.element_sizes[leaf];
      std::byte* lane = buffers_.bytes[leaf];
      const std::byte* from = static_cast<const std::byte*>(leaves.data[leaf]) + whole * size;
      std::memcpy(lane, from, static_cast<std::size_t>(rest * size));
      splat(from + (rest - 1) * size, size, lanes - static_cast<int>(rest), lane + rest * size);
      data_[static_cast<std::size_t>(leaf)] = lane;
    }
  }

  [[nodiscard]] const void* const* data() const noexcept { return data_.data(); }

 private:
  LaneBuffers buffers_;
  std::array<const void*, most_leaves> data_;
};

/// The last elements, fewer than a lane. (Not inlined: most spans have none, and should not pay for its buffers.)
[[gnu::noinline]] inline void run_last(const CompiledProgram& compiled, const SpanLeaves& leaves, std::byte* out,
                                       std::int64_t whole, std::int64_t rest) {
  const PaddedLane last(compiled.lanes, leaves, whole, rest);
  alignas(64) std::byte lane_out[most_lane_bytes];
  compiled.kernel(compiled.program, last.data(), leaves.masks, lane_out, compiled.lanes, false);
  std::memcpy(out + whole * compiled.out_size, lane_out, static_cast<std::size_t>(rest * compiled.out_size));
}

/// Computes any number `count` of contiguous elements: whole lanes directly, `past_cache` if set (see `Kernel`), and
/// the rest from padded copies of the leaves.
inline void run_span(const CompiledProgram& compiled, const SpanLeaves& leaves, std::byte* out, std::int64_t count,
                     bool past_cache = false) {
  const std::int64_t rest = count & (compiled.lanes - 1);
  const std::int64_t whole = count - rest;
  if (whole > 0) compiled.kernel(compiled.program, leaves.data, leaves.masks, out, whole, past_cache);
  if (rest > 0) run_last(compiled, leaves, out, whole, rest);
}

/// The destination of one of several results.
struct Place {
  std::byte* data;
  int element_size;
};

/// The last elements of several results.
[[gnu::noinline]] inline void run_last(const CompiledProgram& compiled, const SpanLeaves& leaves,
                                       std::span<const Place> out, std::int64_t whole, std::int64_t rest) {
  const PaddedLane last(compiled.lanes, leaves, whole, rest);
  alignas(64) std::byte lanes_out[most_results][most_lane_bytes];
  std::array<void*, most_results> places;
  for (std::size_t r = 0; r < out.size(); ++r) places[r] = lanes_out[r];
  compiled.kernel(compiled.program, last.data(), nullptr, places.data(), compiled.lanes, false);
  for (std::size_t r = 0; r < out.size(); ++r) {
    std::memcpy(out[r].data + whole * out[r].element_size, lanes_out[r],
                static_cast<std::size_t>(rest * out[r].element_size));
  }
}

/// `run_span` for a program with several results, whose leaves are all contiguous.
inline void run_span(const CompiledProgram& compiled, const SpanLeaves& leaves, std::span<const Place> out,
                     std::int64_t count) {
  const std::int64_t rest = count & (compiled.lanes - 1);
  const std::int64_t whole = count - rest;
  std::array<void*, most_results> places;
  for (std::size_t r = 0; r < out.size(); ++r) places[r] = out[r].data;
  if (whole > 0) compiled.kernel(compiled.program, leaves.data, nullptr, places.data(), whole, false);
  if (rest > 0) run_last(compiled, leaves, out, whole, rest);
}

}  // namespace detail

}  // namespace situ::internal::inline SITU_SETTINGS::cpu
