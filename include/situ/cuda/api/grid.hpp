// SPDX-License-Identifier: Apache-2.0
// The grid of a launch.
#pragma once

#include <cstdint>

namespace situ::internal::cuda {

/// The blocks of a launch: at least one, and at most this many along each axis.
struct Grid {
  std::int64_t x = 1;
  int y = 1;
  int threads = 0;  // in a block; 0: as many as the kernel allows

  /// The threads in a block of a kernel that allows `most`.
  [[nodiscard]] constexpr int threads_of(int most) const noexcept { return threads == 0 ? most : threads; }
};
inline constexpr std::int64_t most_blocks = 2147483647;
inline constexpr int most_blocks_y = 65535;

}  // namespace situ::internal::cuda
