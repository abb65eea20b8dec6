// SPDX-License-Identifier: Apache-2.0
// GPU memory from its `cudaMemPool`, and what is freed when there is no more.
#pragma once

#include <array>
#include <atomic>
#include <cstddef>
#include <string>

#include <situ/cuda/api/api.hpp>
#include <situ/cuda/api/error.hpp>
#include <situ/cuda/runtime/device_guard.hpp>
#include <situ/cuda/runtime/device_state.hpp>
#include <situ/cuda/runtime/observed.hpp>
#include <situ/cuda/runtime/stream.hpp>

#if defined(SITU_CUDA)

namespace situ::internal::cuda {

/// `bytes` bytes for work in `stream`, or null if the GPU does not have the memory.
[[nodiscard]] inline void* allocate_bytes(StreamState& stream, std::size_t bytes) {
  // For a size that no GPU has, CUDA may report an invalid value instead of a lack of memory; and a retry would be
  // useless.
  if (bytes > stream.device->properties.memory) return nullptr;
  void* pointer = nullptr;
  const api::Error error = api::pool_allocate(&pointer, bytes, stream.device->pool, stream.stream);
  if (error == api::out_of_memory) {
    ignore(error);
    return nullptr;
  }
  check(error, "cudaMallocFromPoolAsync", stream.device->ordinal, bytes, " bytes");
  return pointer;
}

/// Frees memory once the work now in `stream` is done.
inline void free_bytes(StreamState& stream, void* pointer) noexcept { ignore(api::pool_free(pointer, stream.stream)); }

/// The bytes of workspace of each device, in use and cached; see workspace.hpp.
inline constinit std::array<std::atomic<std::size_t>, max_devices> workspace_bytes{};

/// Frees memory from `allocate_workspace`.
inline void free_workspace(StreamState& stream, const ScratchBlock& block) noexcept {
  if (stream.captures) [[unlikely]]
    return stream.recording->release(block.data);
  workspace_bytes[static_cast<std::size_t>(stream.ordinal)].fetch_sub(block.capacity, std::memory_order_relaxed);
  free_bytes(stream, block.data);
}

namespace detail {

/// Frees the blocks that `Scratch` caches in a stream.
inline void flush_scratch(StreamState& stream) noexcept {
  const std::lock_guard lock(stream.mutex);
  for (const ScratchBlock& block : stream.scratch) free_workspace(stream, block);
  stream.scratch.clear();
}

}  // namespace detail

/// The same for all streams of a device, without waiting: a stream's work precedes the next use of memory freed in it.
inline void shed_workspace(DeviceState& device) noexcept {
  try {
    for (StreamState* const stream : streams_of(device)) detail::flush_scratch(*stream);
  } catch (...) {  // no memory for the list of streams: nothing is freed
  }
}

/// Waits for all work of a device, and returns the memory that is then free to the system.
inline void trim(DeviceState& device) {
  const UncapturedCalls calls;
  choose_device(device.physical, device.ordinal);
  for (StreamState* const stream : streams_of(device)) {
    detail::flush_scratch(*stream);
    check(await_stream(stream->stream), "cudaStreamSynchronize", device.ordinal);
  }
  check(api::pool_trim(device.pool), "cudaMemPoolTrimTo", device.ordinal);
}

/// Makes all unused memory of a GPU available: the free blocks in the pools of all logical devices on it.
inline void reclaim(DeviceState& device) {
  for_each_device_on(device.physical, [](DeviceState& other) {
    if (const auto flush = other.flush.load(std::memory_order_acquire)) flush();
  });
  for_each_device_on(device.physical, [](DeviceState& other) { trim(other); });
}

/// The free and the total memory of the GPU, for `OutOfMemory`.
struct MemoryInfo {
  std::size_t free = 0;
  std::size_t total = 0;
};
[[nodiscard]] inline MemoryInfo memory_info(DeviceState& device) {
  MemoryInfo info;
  const DeviceGuard guard(device.physical, device.ordinal);
  check(api::memory_info(&info.free, &info.total), "cudaMemGetInfo", device.ordinal);
  return info;
}

}  // namespace situ::internal::cuda

#endif
