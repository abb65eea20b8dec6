// SPDX-License-Identifier: Apache-2.0
// A stream of a GPU with what the library keeps about it, and how one stream waits for another.
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <mutex>
#include <vector>

#include <situ/cuda/api/api.hpp>
#include <situ/cuda/api/backend.hpp>
#include <situ/cuda/api/error.hpp>
#include <situ/cuda/runtime/recording.hpp>

#if defined(SITU_CUDA)

namespace situ::internal::cuda {

struct DeviceState;
class Staging;

/// A free block that `Scratch` keeps for the next one in the same stream.
struct ScratchBlock {
  void* data;
  std::size_t capacity;
};

/// Never destroyed, so that a block of memory may name the streams that use it for as long as it likes.
struct StreamState {
  api::Stream stream{};
  DeviceState* device = nullptr;
  int ordinal = 0;                 // of the device
  bool captures = false;           // its work is recorded for graphs, and never runs in it
  Recording* recording = nullptr;  // while a function is captured in it, or run once before that
  bool is_for_copies = false;      // a copy stream
  std::mutex copies;               // of a copy stream: a copy, its event, and the note of it at the blocks are one step
  std::mutex mutex;                // of what follows
  api::Event tail{};               // recorded when somebody must wait for this stream
  std::vector<ScratchBlock> scratch;
  Staging* uploads = nullptr;  // of small copies, see cuda/transfer/staging.hpp
  /// Whether work in this stream, or that it has waited for, may have left a message in the device's `Fault`.
  std::atomic<bool> may_have_fault{false};
  /// Zeroed counters in device memory; see tickets.hpp.
  std::atomic<std::uint32_t*> tickets{nullptr};
};

namespace detail {
/// Nothing else can wait for work that is recorded, nor the other way round.
[[noreturn, gnu::noinline]] inline void refuse_order(bool kept) {
  throw CaptureError(
      kept ? "a tensor that a captured function computed and kept has no value: it belongs to the graph; "
             "let the function return it, and take what the graph returns"
           : "a captured function uses what other streams are working on: make it an input of the function");
}
}  // namespace detail

/// What is put into `waiter` from now on runs after all that is in `other` now. An event is recorded only here, when
/// somebody must wait, instead of after every operation.
inline void wait_for(StreamState& waiter, StreamState& other) {
  if (&waiter == &other) return;
  if (waiter.captures || other.captures) [[unlikely]]
    detail::refuse_order(other.captures);
  const std::lock_guard lock(other.mutex);
  check(api::event_record(other.tail, other.stream), "cudaEventRecord", other.ordinal);
  check(api::stream_wait(waiter.stream, other.tail), "cudaStreamWaitEvent", waiter.ordinal);
  if (other.may_have_fault.load(std::memory_order_relaxed))
    waiter.may_have_fault.store(true, std::memory_order_relaxed);
}

}  // namespace situ::internal::cuda

#endif
