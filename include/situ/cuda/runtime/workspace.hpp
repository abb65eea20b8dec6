// SPDX-License-Identifier: Apache-2.0
// GPU memory for the library's own computations, besides the pool of tensors: counted, and within the common limit.
#pragma once

#include <atomic>
#include <cstddef>
#include <string>

#include <situ/core/error.hpp>
#include <situ/cuda/api/api.hpp>
#include <situ/cuda/runtime/device_memory.hpp>
#include <situ/cuda/runtime/device_state.hpp>
#include <situ/cuda/runtime/stream.hpp>

#if defined(SITU_CUDA)

namespace situ::internal::cuda {

namespace detail {

/// Whether the limit of the device's pool allows the workspace counted now; frees the pool's free blocks and the cache
/// of `Scratch` to meet it.
[[nodiscard]] inline bool is_within_limit(DeviceState& device) noexcept {
  const auto admits = device.admits_workspace.load(std::memory_order_acquire);
  if (admits == nullptr || admits()) return true;
  shed_workspace(device);
  return admits();
}

[[noreturn, gnu::noinline]] inline void fail_workspace(DeviceState& device, std::size_t bytes, bool limited) {
  const MemoryInfo info = memory_info(device);
  throw OutOfMemory(
      "out of memory on " + device_name(device.ordinal) + ": " + std::to_string(bytes) +
          " bytes asked for to compute with, " + std::to_string(info.free) + " free of " + std::to_string(info.total) +
          (limited ? "; the limit of set_memory_limit would be exceeded: release tensors that are no longer "
                     "needed, compute in smaller pieces, or raise the limit"
                   : "; release tensors that are no longer needed, or compute in smaller pieces"),
      bytes);
}

}  // namespace detail

/// Memory for work in `stream`. If there is not enough, returns free blocks of the pools to the GPU first. The caller
/// must not hold a lock. Throws `OutOfMemory`.
[[nodiscard]] inline void* allocate_workspace(StreamState& stream, std::size_t bytes) {
  if (stream.captures) [[unlikely]]
    return stream.recording->allocate(bytes);
  DeviceState& device = *stream.device;
  // Counted first, so that two threads at the limit see each other's request.
  auto& counted = workspace_bytes[static_cast<std::size_t>(stream.ordinal)];
  counted.fetch_add(bytes, std::memory_order_relaxed);
  try {
    if (!detail::is_within_limit(device)) detail::fail_workspace(device, bytes, /*limited=*/true);
    if (void* const pointer = allocate_bytes(stream, bytes)) return pointer;
    reclaim(device);
    if (void* const pointer = allocate_bytes(stream, bytes)) return pointer;
    detail::fail_workspace(device, bytes, /*limited=*/false);
  } catch (...) {
    counted.fetch_sub(bytes, std::memory_order_relaxed);
    throw;
  }
}

}  // namespace situ::internal::cuda

#endif
