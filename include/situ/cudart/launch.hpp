// SPDX-License-Identifier: Apache-2.0
// `launch`: puts a kernel (see kernel.hpp) into a stream.
#pragma once

#include <cstddef>

#include <situ/core/profile_range.hpp>
#include <situ/cudart/backend.hpp>
#include <situ/cudart/grid.hpp>
#include <situ/cudart/kernel.hpp>

#if defined(SITU_CUDA)
#if defined(SITU_CUDA_EMULATED)
#include <situ/cudart/emulated/launch.hpp>
#include <situ/cudart/error.hpp>
#include <situ/cudart/stream.hpp>

namespace situ::cuda {

/// Puts a kernel into the backend's stream. Throws `CudaError`.
template <class K>
void launch(const Backend& backend, Grid grid, const K& kernel, std::size_t dynamic_shared_bytes = 0) {
  const ProfileRange profile(K::name);
  check(emulated::launch_on(stream_of(backend), grid, kernel, dynamic_shared_bytes), "launch", backend.ordinal,
        "kernel ", K::name, ", grid ", grid.x, " x ", grid.y, " of ", K::threads, " threads, ", dynamic_shared_bytes,
        " bytes of dynamic shared memory");
}

}  // namespace situ::cuda
#else
#include <situ/cudart/real_launch.hpp>
#endif
#endif
