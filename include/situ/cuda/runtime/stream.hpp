// SPDX-License-Identifier: Apache-2.0
// The stream of the calling thread's work on a GPU, and queries of kernels to their `Backend`.
#pragma once

#include <array>
#include <mutex>
#include <vector>

#include <situ/cuda/api/api.hpp>
#include <situ/cuda/api/backend.hpp>
#include <situ/cuda/runtime/device_guard.hpp>
#include <situ/cuda/runtime/device_state.hpp>
#include <situ/cuda/runtime/stream_state.hpp>

#if defined(SITU_CUDA)

namespace situ::internal::cuda {

namespace detail {

/// For each device; null before the thread's first use of it.
inline constinit thread_local std::array<StreamState*, max_devices> current_streams{};

[[gnu::noinline]] inline StreamState* first_current_stream(int ordinal) {
  // a capturing thread has only the stream that records
  refuse_in_capture("work on another GPU", "a graph is of one GPU; capture one for each, and copy between their calls");
  const DeviceState& device = device_state(ordinal);
  choose_device(device.physical, ordinal);
  current_streams[static_cast<std::size_t>(ordinal)] = device.compute;
  return device.compute;
}

}  // namespace detail

/// The stream of this thread's work on a device: the device's compute stream, or that of a `StreamScope`.
[[nodiscard]] inline StreamState* current_stream(int ordinal) {
  if (ordinal >= max_devices) [[unlikely]]
    fail_unavailable(ordinal, device_name(ordinal));
  StreamState* const stream = detail::current_streams[static_cast<std::size_t>(ordinal)];
  if (stream != nullptr) [[likely]]
    return stream;
  return detail::first_current_stream(ordinal);
}

/// A block of the graph whose function the calling thread captures.
[[nodiscard]] inline memory::Block* lend_block(int ordinal, std::size_t bytes) {
  static_cast<void>(current_stream(ordinal));  // refuses other GPUs
  return detail::recording->lend(bytes);
}

/// CUDA's handle of the stream of `backend`.
[[nodiscard]] inline api::Stream stream_of(const Backend& backend) noexcept { return backend.stream->stream; }

/// Streaming multiprocessors of the GPU.
[[nodiscard]] inline int multiprocessors(const Backend& backend) noexcept {
  return backend.stream->device->properties.multiprocessors;
}

/// All current streams of a device.
[[nodiscard]] inline std::vector<StreamState*> streams_of(DeviceState& device) {
  const std::lock_guard lock(device.mutex);
  return device.streams;
}

}  // namespace situ::internal::cuda

#endif
