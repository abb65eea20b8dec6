// SPDX-License-Identifier: Apache-2.0
// Masks as every backend sees them: truth values in row-major order, counted and listed by blocks.
#pragma once

#include <cstdint>

namespace situ::internal::program {

/// How many truth values are counted together. A result does not depend on it.
inline constexpr std::int64_t mask_block = 4096;

[[nodiscard]] constexpr std::int64_t mask_blocks(std::int64_t count) noexcept {
  return (count + mask_block - 1) / mask_block;
}

/// Where the `true` of a mask are, in order: `positions[i]` of the i-th one, for the first `room` of them. `ends[b]` is
/// how many there are up to and with block `b`.
struct TruePositions {
  const bool* mask;
  std::int64_t count;
  const std::int64_t* ends;
  std::int64_t* positions;
  std::int64_t room;
};

}  // namespace situ::internal::program
