// SPDX-License-Identifier: Apache-2.0
// Masks for all backends: truth values in row-major order, counted and listed in blocks.
#pragma once

#include <cstdint>

namespace situ::internal::program {

/// The number of truth values in a block. Results do not depend on it.
inline constexpr std::int64_t mask_block = 4096;

[[nodiscard]] constexpr std::int64_t mask_blocks(std::int64_t count) noexcept {
  return (count + mask_block - 1) / mask_block;
}

/// The positions of the `true` elements of a mask, in order: `positions[i]` of the i-th one, for the first `room` of
/// them. `ends[b]` is their number up to and including block `b`.
struct TruePositions {
  const bool* mask;
  std::int64_t count;
  const std::int64_t* ends;
  std::int64_t* positions;
  std::int64_t room;
};

/// The elements of a line where a mask is true, in order: `to[i]` is that at the i-th one, for the first `room` of
/// them. The elements of the line have the distance `step`, in elements; `ends` is that of `TruePositions`.
struct TrueElements {
  const bool* mask;
  std::int64_t count;
  const std::int64_t* ends;
  const void* from;
  std::int64_t step;
  void* to;
  std::int64_t room;
};

}  // namespace situ::internal::program
