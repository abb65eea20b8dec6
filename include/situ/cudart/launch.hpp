// SPDX-License-Identifier: Apache-2.0
// `launch`: puts a kernel (see kernel.hpp) into a stream.
#pragma once

#include <cstddef>
#include <cstdint>

#include <situ/cudart/backend.hpp>
#include <situ/cudart/kernel.hpp>

namespace situ::cuda {

/// The blocks of a launch: at most 2^31 - 1 by 65535, at least one.
struct Grid {
  std::int64_t x = 1;
  int y = 1;
};

}  // namespace situ::cuda

#if defined(SITU_CUDA)
#if defined(SITU_CUDA_EMULATED)
#include <situ/cudart/emulated/launch.hpp>
#else
#include <situ/cudart/real_launch.hpp>
#endif
#endif
