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

/// Whether kernels and copies of `reader` can access the memory of `owner`; enables access the first time. The two must
/// be different physical GPUs: a GPU is not its own peer.
[[nodiscard]] inline bool reaches(DeviceState& reader, DeviceState& owner) {
  const std::lock_guard lock(owner.mutex);
  std::int8_t& known = owner.peers[static_cast<std::size_t>(reader.ordinal)];
  if (known == 0) {
    int can = 0;
    check(api::can_access_peer(&can, reader.physical, owner.physical), "cudaDeviceCanAccessPeer", reader.ordinal);
    // For the pool: cudaDeviceEnablePeerAccess does not apply to memory of pools.
    if (can != 0) check(api::pool_allow_peer(owner.pool, reader.physical), "cudaMemPoolSetAccess", owner.ordinal);
    known = can != 0 ? 1 : -1;
  }
  return known > 0;
}

/// Whether work of the backend's GPU can read the memory of another's.
[[nodiscard]] inline bool reaches(const Backend& reader, const Backend& owner) {
  DeviceState& here = *reader.stream->device;
  DeviceState& there = *owner.stream->device;
  return here.physical == there.physical || reaches(here, there);
}

}  // namespace situ::internal::cuda

#endif
