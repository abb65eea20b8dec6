// SPDX-License-Identifier: Apache-2.0
// Counters by which the blocks of a kernel determine the last of them, without a launch that clears the counters first.
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>

#include <situ/cuda/api/api.hpp>
#include <situ/cuda/api/backend.hpp>
#include <situ/cuda/api/error.hpp>
#include <situ/cuda/runtime/device_guard.hpp>
#include <situ/cuda/runtime/device_memory.hpp>
#include <situ/cuda/runtime/device_state.hpp>
#include <situ/cuda/runtime/stream_state.hpp>
#include <situ/cuda/runtime/workspace.hpp>

#if defined(SITU_CUDA)

namespace situ::internal::cuda {

/// The counters of a stream.
inline constexpr int ticket_count = 4096;

/// Counters in device memory for a kernel in the backend's stream: they are zero, and the kernel must leave them zero.
/// Kernels in a stream run one after the other, so each stream has its own counters.
[[nodiscard]] inline std::uint32_t* tickets(const Backend& backend) {
  StreamState& stream = *backend.stream;
  std::uint32_t* made = stream.tickets.load(std::memory_order_acquire);
  if (made != nullptr) [[likely]]
    return made;
  const DeviceGuard guard(stream.device->physical, stream.ordinal);
  constexpr std::size_t bytes = ticket_count * sizeof(std::uint32_t);
  void* const counters = allocate_workspace(stream, bytes);  // not under the stream's lock: it may free its blocks
  api::note_allocated(counters, bytes, bytes, stream.stream);
  const api::Error error = api::set_bytes(counters, 0, bytes, stream.stream);
  // Work that other threads put into the stream from now on comes after the zeros.
  if (error == api::success &&
      stream.tickets.compare_exchange_strong(made, static_cast<std::uint32_t*>(counters), std::memory_order_acq_rel))
    return static_cast<std::uint32_t*>(counters);
  free_workspace(stream, {counters, bytes});
  check(error, "cudaMemsetAsync", stream.ordinal);
  return made;  // made by the first thread
}

}  // namespace situ::internal::cuda

#endif
