// SPDX-License-Identifier: Apache-2.0
// Indices checked and turned into positions a tile at a time, in lanes: the loops that read and write there do neither.
#pragma once

#include <algorithm>
#include <array>
#include <concepts>
#include <cstddef>
#include <cstdint>
#include <type_traits>

#include <situ/core/config.hpp>
#include <situ/core/dtype.hpp>
#include <situ/cpu/lanes/lanes.hpp>
#include <situ/plan/indices.hpp>

namespace situ::internal::inline SITU_SETTINGS::cpu::detail {

/// Indices that are checked together; their positions stay in the first-level cache.
inline constexpr std::int64_t index_tile = 512;

/// The positions of some indices.
using PositionTile = std::array<std::int64_t, std::size_t{index_tile}>;

/// The position of an index, as `IndexedAxis` defines it. `bad` becomes true if it is outside the axis.
template <class V, class Bad>
[[SITU_INLINE]] inline V position_of(V index, V extent, bool counts_from_end, Bad& bad) {
  const V zero(std::int64_t{0});
  if (counts_from_end) index = select(index < zero, index + extent, index);
  bad = bad | (index < zero) | (index >= extent);
  return index;
}

/// `positions[i] = position of indices[i]` for an axis of `extent`. False if an index is invalid: then the positions
/// mean nothing. Unsigned indices of 64 bits that do not fit into 63 are invalid.
template <IntegerElement At>
[[nodiscard]] bool positions_of(const At* indices, std::int64_t count, std::int64_t extent, std::int64_t* positions) {
  constexpr bool counts_from_end = std::is_signed_v<At>;
  std::int64_t i = 0;
  bool bad = false;
  // Narrower registers have no comparison of 64 bits.
  if constexpr (vector_bytes >= 32) {
    constexpr int size = 16;
    using V = Lanes<std::int64_t, size>;
    const V all(extent);
    Mask<std::int64_t, size> any_bad(false);
    for (; i + size <= count; i += size) {
      const V index = convert<std::int64_t>(load<At, size>(indices + i));
      store(positions + i, position_of(index, all, counts_from_end, any_bad));
    }
    bad = any(any_bad);
  }
  for (; i < count; ++i) {
    auto index = static_cast<std::int64_t>(indices[i]);
    if (counts_from_end && index < 0) index += extent;
    bad |= index < 0 || index >= extent;
    positions[i] = index;
  }
  return !bad;
}

/// The same for indices that are `step` apart.
template <IntegerElement At>
[[nodiscard]] bool positions_of(const At* indices, std::int64_t step, std::int64_t count, std::int64_t extent,
                                std::int64_t* positions) {
  if (step == 1) return positions_of(indices, count, extent, positions);
  bool valid = true;
  for (std::int64_t i = 0; i < count; ++i) valid &= positions_of(indices + i * step, 1, extent, positions + i);
  return valid;
}

/// The same; throws `IndexError` for the first invalid index.
template <class Axis, IntegerElement At>
void positions_of(const Axis& axis, const At* indices, std::int64_t step, std::int64_t count, std::int64_t* positions) {
  if (positions_of(indices, step, count, axis.extent, positions)) return;
  for (std::int64_t i = 0; i < count; ++i) positions[i] = axis.position(indices[i * step]);
}

/// Calls `f(positions, first, length)` for tiles of a line of `count` indices.
template <class Axis, IntegerElement At, class F>
void each_position_tile(const Axis& axis, const At* indices, std::int64_t step, std::int64_t count, const F& f) {
  alignas(64) PositionTile tile;
  for (std::int64_t first = 0; first < count; first += index_tile) {
    const std::int64_t length = std::min(index_tile, count - first);
    positions_of(axis, indices + first * step, step, length, tile.data());
    f(static_cast<const std::int64_t*>(tile.data()), first, length);
  }
}

}  // namespace situ::internal::inline SITU_SETTINGS::cpu::detail
