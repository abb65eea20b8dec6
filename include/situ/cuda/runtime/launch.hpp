// SPDX-License-Identifier: Apache-2.0
// `launch`: puts a kernel (see kernel.hpp) into a stream.
#pragma once

#include <cstddef>

#include <situ/core/profile_range.hpp>
#include <situ/cuda/api/backend.hpp>
#include <situ/cuda/api/grid.hpp>
#include <situ/cuda/api/kernel.hpp>

#if defined(SITU_CUDA)
#if defined(SITU_CUDA_EMULATED)
#include <situ/cuda/api/error.hpp>
#include <situ/cuda/runtime/device_guard.hpp>
#include <situ/cuda/runtime/device_state.hpp>
#include <situ/cuda/runtime/launch_path.hpp>
#include <situ/cuda/runtime/observed.hpp>
#include <situ/cuda/runtime/stream_state.hpp>
#include <situ/emulation/launch.hpp>

namespace situ::internal::cuda {

/// Puts a kernel into the backend's stream. Throws `CudaError`.
template <class K>
void launch(const Backend& backend, Grid grid, const K& kernel, std::size_t dynamic_shared_bytes = 0) {
  const ProfileRange profile(K::name);
  const StreamState& stream = *backend.stream;
  const ObservedWork work(stream, K::name);
  const auto put = [&](emulated::LaunchedBy by) {
    check(emulated::launch_on(stream.stream, grid, kernel, dynamic_shared_bytes, by), "launch", stream.ordinal,
          "kernel ", K::name, ", grid ", grid.x, " x ", grid.y, " of ", grid.threads_of(K::threads), " threads, ",
          dynamic_shared_bytes, " bytes of dynamic shared memory");
  };
  if (launch_path() == LaunchPath::driver) return put(emulated::LaunchedBy::driver);
  const DeviceGuard guard(stream.device->physical, stream.ordinal);
  put(emulated::LaunchedBy::runtime);
}

}  // namespace situ::internal::cuda
#else
#include <situ/cuda/runtime/real_launch.hpp>
#endif
#endif
