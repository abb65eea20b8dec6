// SPDX-License-Identifier: Apache-2.0
// What happens to a block of a GPU's memory when a caching pool hands it out, takes it back, or gives it up.
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <string_view>

#include <situ/cudart/api.hpp>
#include <situ/cudart/device_memory.hpp>
#include <situ/cudart/tracker.hpp>

#if defined(SITU_CUDA)

namespace situ::cuda {

/// Whether free blocks are kept for reuse. `SITU_CUDA_POOL=off` gives each back at once, so that compute-sanitizer sees
/// every allocation.
[[nodiscard]] inline bool caching() noexcept {
  static const bool on = [] {
    const char* const wish = std::getenv("SITU_CUDA_POOL");
    return wish == nullptr || std::string_view(wish) != "off";
  }();
  return on;
}

/// The block is handed out for work in `stream`, which waits for all streams that use it still.
inline void acquire_block(BlockWord& word, StreamState* stream, void* data, std::size_t bytes, std::size_t capacity) {
  if (word.load(std::memory_order_relaxed) == 0)
    word.store(detail::word_of(stream), std::memory_order_relaxed);  // new
  else
    track_write(word, stream);
  api::note_allocated(data, bytes, capacity, stream->stream);
}

/// The block has no handle any more. Its users are waited for when it is handed out again.
inline void release_block(BlockWord& word, void* data, std::size_t capacity) noexcept {
  const std::uintptr_t home = word.load(std::memory_order_acquire);
  // Other streams may still read it: then only who reuses it is told.
  if (home != 0 && detail::uses_of(home) == nullptr) {
    api::note_freed(data, capacity, reinterpret_cast<StreamState*>(home)->stream);
  }
}

/// Gives the block's memory back to the GPU's pool once all that use it are done.
inline void free_block(void* pointer, BlockWord& word) noexcept {
  StreamState* home = home_of(word);
  try {
    gather_at_home(word);
  } catch (...) {
    // The context is lost, or an event cannot be had: without order, the memory is better lost than used twice.
    return;
  }
  free_bytes(*home, pointer);
}

/// Gives the free memory of a device back to the system, if the device is in use at all.
inline void trim_if_used(int ordinal) {
  DeviceState* const state = detail::device_states[static_cast<std::size_t>(ordinal)].load(std::memory_order_acquire);
  if (state != nullptr) trim(*state);
}

}  // namespace situ::cuda

#endif
