// SPDX-License-Identifier: Apache-2.0
// Access of one GPU to the memory of another.
#pragma once

#include <cstddef>
#include <cstdint>
#include <mutex>

#include <situ/cuda/api/api.hpp>
#include <situ/cuda/api/backend.hpp>
#include <situ/cuda/api/error.hpp>
#include <situ/cuda/runtime/device_state.hpp>
#include <situ/cuda/runtime/stream_state.hpp>

#if defined(SITU_CUDA)

namespace situ::internal::cuda {

/// Whether kernels and copies of `reader` may reach the memory of `owner`; opens it the first time. The two are
/// different GPUs of the machine: a GPU is no peer of itself.
[[nodiscard]] inline bool reaches(DeviceState& reader, DeviceState& owner) {
  const std::lock_guard lock(owner.mutex);
  std::int8_t& known = owner.peers[static_cast<std::size_t>(reader.ordinal)];
  if (known == 0) {
    int can = 0;
    check(api::can_access_peer(&can, reader.physical, owner.physical), "cudaDeviceCanAccessPeer", reader.ordinal);
    // The pool, not cudaDeviceEnablePeerAccess: that does not count for memory of pools.
    if (can != 0) check(api::pool_allow_peer(owner.pool, reader.physical), "cudaMemPoolSetAccess", owner.ordinal);
    known = can != 0 ? 1 : -1;
  }
  return known > 0;
}

/// Whether work of the backend's GPU may read the memory of another's.
[[nodiscard]] inline bool reaches(const Backend& reader, const Backend& owner) {
  DeviceState& here = *reader.stream->device;
  DeviceState& there = *owner.stream->device;
  return here.physical == there.physical || reaches(here, there);
}

}  // namespace situ::internal::cuda

#endif
