// SPDX-License-Identifier: Apache-2.0
// Counters by which the blocks of a kernel find out which of them is the last, without a launch that clears them first.
#pragma once

#include <cstddef>
#include <cstdint>
#include <mutex>

#include <situ/cuda/api/api.hpp>
#include <situ/cuda/api/backend.hpp>
#include <situ/cuda/api/error.hpp>
#include <situ/cuda/runtime/device_guard.hpp>
#include <situ/cuda/runtime/device_state.hpp>
#include <situ/cuda/runtime/stream_state.hpp>

#if defined(SITU_CUDA)

namespace situ::internal::cuda {

/// The counters of a stream.
inline constexpr int ticket_count = 4096;

/// Counters in device memory for a kernel in the backend's stream: zeros, and the kernel leaves zeros behind. Kernels
/// of one stream follow one another, so each stream has its own, and keeps them.
[[nodiscard]] inline std::uint32_t* tickets(const Backend& backend) {
  StreamState& stream = *backend.stream;
  if (std::uint32_t* const made = stream.tickets.load(std::memory_order_acquire)) return made;
  const std::lock_guard lock(stream.mutex);
  if (std::uint32_t* const made = stream.tickets.load(std::memory_order_relaxed)) return made;
  const DeviceState& device = *stream.device;
  const DeviceGuard guard(device.physical, device.ordinal);
  constexpr std::size_t bytes = ticket_count * sizeof(std::uint32_t);
  void* counters = nullptr;
  check(api::pool_allocate(&counters, bytes, device.pool, stream.stream), "cudaMallocFromPoolAsync", device.ordinal);
  api::note_allocated(counters, bytes, bytes, stream.stream);
  check(api::set_bytes(counters, 0, bytes, stream.stream), "cudaMemsetAsync", device.ordinal);
  stream.tickets.store(static_cast<std::uint32_t*>(counters), std::memory_order_release);
  return static_cast<std::uint32_t*>(counters);
}

}  // namespace situ::internal::cuda

#endif
