// SPDX-License-Identifier: Apache-2.0
// The grid of a launch.
#pragma once

#include <cstdint>

namespace situ::internal::cuda {

/// The blocks of a launch: at most 2^31 - 1 by 65535, at least one.
struct Grid {
  std::int64_t x = 1;
  int y = 1;
};

}  // namespace situ::internal::cuda
