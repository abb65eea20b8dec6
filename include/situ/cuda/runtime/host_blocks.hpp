// SPDX-License-Identifier: Apache-2.0
// Pinned host memory, and the copies in flight that read or write it: a block may be freed meanwhile, and is not reused
// before they are over.
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <mutex>
#include <vector>

#include <situ/cuda/api/api.hpp>
#include <situ/cuda/api/error.hpp>
#include <situ/cuda/runtime/device_guard.hpp>
#include <situ/cuda/runtime/device_map.hpp>
#include <situ/cuda/runtime/device_state.hpp>
#include <situ/cuda/runtime/event_pool.hpp>
#include <situ/cuda/runtime/observed.hpp>
#include <situ/cuda/runtime/pinned_copy.hpp>
#include <situ/cuda/runtime/stream.hpp>
#include <situ/cuda/runtime/stream_state.hpp>

#if defined(SITU_CUDA)
#include <memory>

namespace situ::internal::cuda {

/// Whether there is a GPU to lock pages for; without one, `Pinned` is ordinary memory.
[[nodiscard]] inline bool locks_pages() noexcept {
  static const bool locks = device_count() > 0;
  return locks;
}

/// Pinned memory, or null if the system has no more.
[[nodiscard]] inline void* allocate_pinned(std::size_t bytes) {
  const UncapturedCalls calls;
  DeviceState& device = any_device_state();  // the memory is locked for all devices
  const DeviceGuard guard(device.physical, device.ordinal);
  void* pointer = nullptr;
  const api::Error error = api::host_allocate(&pointer, bytes);
  // All arguments but the number of bytes are valid, so an invalid value means a size that no system has.
  if (error == api::out_of_memory || error == api::invalid_value) {
    ignore(error);
    return nullptr;
  }
  check(error, "cudaHostAlloc", device.ordinal, bytes, " bytes");
  return pointer;
}

inline void free_pinned(void* pointer) noexcept {
  const UncapturedCalls calls;
  const DeviceState& device = any_device_state();
  choose_device(device.physical, device.ordinal);
  ignore(api::host_free(pointer));
}

/// The copies in flight that use a block; the block's word points to this once there has been one.
struct HostCopies {
  struct Copy {
    DeviceState* device;
    SharedEvent done;
  };
  std::mutex mutex;
  std::vector<Copy> copies;
};
using HostWord = std::atomic<std::uintptr_t>;

namespace detail {

[[nodiscard]] inline HostCopies* copies_of(const HostWord& word) noexcept {
  return reinterpret_cast<HostCopies*>(word.load(std::memory_order_acquire));
}

[[nodiscard]] inline HostCopies& make_copies(HostWord& word) {
  if (HostCopies* const made = copies_of(word)) return *made;
  auto fresh = std::make_unique<HostCopies>();
  std::uintptr_t expected = 0;
  if (word.compare_exchange_strong(expected, reinterpret_cast<std::uintptr_t>(fresh.get()),
                                   std::memory_order_acq_rel)) {
    return *fresh.release();
  }
  return *reinterpret_cast<HostCopies*>(expected);  // another copy was first
}

/// Under the lock.
inline void forget_copies_over(HostCopies& copies) noexcept {
  std::erase_if(copies.copies, [](const HostCopies::Copy& copy) {
    choose_device(copy.device->physical, copy.device->ordinal);
    const api::Error state = api::event_query(copy.done->get());
    ignore(state);  // not ready, or unknown
    return state == api::success;
  });
}

}  // namespace detail

/// Copies between a pinned block and the GPU, in stream order, and keeps the block from other uses until then. `copy`
/// issues the copy. The returned event is over when the copy is. It is null if the event could not be recorded, and the
/// host has waited instead: a copy that was issued cannot be undone, so that is not an error.
template <class Copy>
SharedEvent copy_with_block(HostWord& word, StreamState& stream, Copy&& copy) {
  HostCopies& copies = detail::make_copies(word);
  const std::lock_guard lock(copies.mutex);
  if (copies.copies.size() >= 16) detail::forget_copies_over(copies);
  copies.copies.reserve(copies.copies.size() + 1);
  SharedEvent done = std::make_shared<const PooledEvent>(*stream.device);
  copy();
  const api::Error error = api::event_record(done->get(), stream.stream);
  if (error != api::success) {
    ignore(error);
    check(await_stream(stream.stream), "cudaStreamSynchronize", stream.ordinal);
    return nullptr;
  }
  copies.copies.push_back({stream.device, done});
  return done;
}

/// Copies from a pinned block to the GPU, in stream order, and keeps the block from being written until then.
inline SharedEvent copy_from_pinned(HostWord& word, StreamState& stream, void* to, const void* from,
                                    const ByteRows& rows) {
  return copy_with_block(word, stream, [&] { copy_rows_to_device(stream, to, from, rows); });
}

/// Copies from the GPU to a pinned block, in stream order; the block must have no other user.
inline SharedEvent copy_to_pinned_async(HostWord& word, StreamState& stream, void* to, const void* from,
                                        const ByteRows& rows) {
  return copy_with_block(word, stream, [&] { copy_rows_to_host(stream, to, from, rows); });
}

/// Copies from the GPU to pinned memory, and waits until the bytes have arrived.
inline void copy_to_pinned(StreamState& stream, void* to, const void* from, const ByteRows& rows) {
  const PooledEvent done(*stream.device);
  copy_rows_to_host(stream, to, from, rows);
  api::Error error = api::event_record(done.get(), stream.stream);
  if (error == api::success) error = await_event(done.get());
  if (error == api::success) return;
  ignore(error);
  check(await_stream(stream.stream), "copy to the host", stream.ordinal, rows.bytes(), " bytes");
}

/// Whether no copy that uses the block is in flight.
[[nodiscard]] inline bool copies_are_over(HostWord& word) noexcept {
  HostCopies* const copies = detail::copies_of(word);
  if (copies == nullptr) return true;
  const std::lock_guard lock(copies->mutex);
  const UncapturedCalls calls;
  detail::forget_copies_over(*copies);
  return copies->copies.empty();
}

/// Which free blocks are handed out: those that no copy uses. If many are in use, the host is far ahead of the GPU, and
/// waits for one of them instead of allocating ever more memory.
struct WantedHostBlocks {
  static constexpr int look_at = 8;
  static constexpr int enough = 8;
  [[nodiscard]] static bool fits(HostWord& word) { return copies_are_over(word); }
};

/// Waits for the copies that use the block, which has no handles, and forgets them.
inline void finish_copies(HostWord& word) {
  const std::unique_ptr<HostCopies> copies(detail::copies_of(word));
  if (copies == nullptr) return;
  word.store(0, std::memory_order_relaxed);
  const UncapturedCalls calls;
  for (const HostCopies::Copy& copy : copies->copies) {
    choose_device(copy.device->physical, copy.device->ordinal);
    const api::Error error = await_event(copy.done->get());
    if (error == api::success) continue;
    // If the context is lost, so are the copies. Otherwise wait for the streams, without the event.
    ignore(error);
    for (StreamState* const stream : streams_of(*copy.device)) ignore(await_stream(stream->stream));
  }
}

}  // namespace situ::internal::cuda

#endif
