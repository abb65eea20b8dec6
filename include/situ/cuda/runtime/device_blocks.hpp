// SPDX-License-Identifier: Apache-2.0
// The life cycle of a block of GPU memory: handed out by a caching pool, taken back, freed.
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <limits>
#include <string_view>

#include <situ/cuda/api/api.hpp>
#include <situ/cuda/runtime/device_guard.hpp>
#include <situ/cuda/runtime/device_memory.hpp>
#include <situ/cuda/runtime/device_state.hpp>
#include <situ/cuda/runtime/tracker.hpp>

#if defined(SITU_CUDA)

namespace situ::internal::cuda {

/// Whether free blocks are kept for reuse. `SITU_CUDA_POOL=off` frees each at once, so that compute-sanitizer sees
/// every allocation.
[[nodiscard]] inline bool caching() noexcept {
  static const bool on = [] {
    const char* const wish = std::getenv("SITU_CUDA_POOL");
    return wish == nullptr || std::string_view(wish) != "off";
  }();
  return on;
}

/// Called when the block is handed out for work in `stream`, which waits for all streams that still use it.
inline void acquire_block(BlockWord& word, StreamState* stream, void* data, std::size_t bytes, std::size_t capacity) {
  if (word.load(std::memory_order_relaxed) == 0) word.store(detail::word_of(stream), std::memory_order_relaxed);  // new
  else track_write(word, stream);
  api::note_allocated(data, bytes, capacity, stream->stream);
}

/// Called when the block's last handle is gone. When the block is handed out again, its users are waited for.
inline void release_block(BlockWord& word, void* data, std::size_t capacity) noexcept {
  const std::uintptr_t value = word.load(std::memory_order_acquire);
  if (value == 0 || detail::is_freed(value)) return;  // the latter if handing it out failed
  const BlockUses* const uses = detail::uses_of(value);
  // If other streams may still read it, only the next user is notified.
  if (uses == nullptr || uses->readers.empty()) api::note_freed(data, capacity, home_of(word)->stream);
  note_freed_by(word);
}

/// Which free blocks are handed out; see memory/device_hooks.hpp. A stream prefers its own, and a copy stream takes no
/// others except those filled by copies before: otherwise its copy would have to wait for the program's queued work.
struct WantedBlocks {
  std::uintptr_t home;
  int look_at;
  int enough;
  [[nodiscard]] bool fits(const BlockWord& word) const noexcept {
    const std::uintptr_t value = word.load(std::memory_order_relaxed);
    return value == home || (enough != 1 && detail::is_freed(value));
  }
};
[[nodiscard]] inline WantedBlocks wanted_blocks(const StreamState* stream) noexcept {
  constexpr int most = std::numeric_limits<int>::max();
  if (stream->is_for_copies) [[unlikely]]
    return {detail::word_of(stream), most, most};
  return {detail::word_of(stream), 8, 1};
}

/// Returns the block's memory to the GPU's pool once all its users are done.
inline void free_block(void* pointer, BlockWord& word) noexcept {
  StreamState* home = home_of(word);
  choose_device(home->device->physical, home->ordinal);
  try {
    gather_at_home(word);
  } catch (...) {
    // The context is lost, or no event could be created: without ordering, it is better to leak the memory than to use
    // it twice.
    pointer = nullptr;
  }
  delete detail::uses_of(word.exchange(0, std::memory_order_acq_rel));
  if (pointer != nullptr) free_bytes(*home, pointer);
}

/// The state of a device if it is in use; null otherwise.
[[nodiscard]] inline DeviceState* state_if_used(int ordinal) noexcept {
  if (ordinal >= max_devices) return nullptr;
  return detail::device_states[static_cast<std::size_t>(ordinal)].load(std::memory_order_acquire);
}
/// Returns the free memory of a device to the system.
inline void trim_if_used(int ordinal) {
  if (DeviceState* const state = state_if_used(ordinal)) trim(*state);
}
/// Frees the cached workspace.
inline void shed_if_used(int ordinal) noexcept {
  if (DeviceState* const state = state_if_used(ordinal)) shed_workspace(*state);
}

}  // namespace situ::internal::cuda

#endif
