// SPDX-License-Identifier: Apache-2.0
// A stream of a GPU with the library's state for it, and how one stream waits for another.
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

/// A free block cached for the next `Scratch` in the same stream.
struct ScratchBlock {
  void* data;
  std::size_t capacity;
};

/// Never destroyed, so that a block of memory may refer to the streams that use it indefinitely.
struct StreamState {
  api::Stream stream{};
  DeviceState* device = nullptr;
  int ordinal = 0;                 // of the device
  bool captures = false;           // its work is recorded for graphs, and never runs in it
  Recording* recording = nullptr;  // while a function is captured in it, or runs once before that
  bool is_for_copies = false;      // a copy stream
  std::mutex copies;               // for a copy stream: a copy, its event, and its entry in the blocks are one step
  std::mutex mutex;                // of the members below
  api::Event tail{};               // recorded when another must wait for this stream
  std::vector<ScratchBlock> scratch;
  Staging* uploads = nullptr;  // for small copies, see cuda/transfer/staging.hpp
  /// Whether work in this stream, or work it has waited for, may have left a message in the device's `Fault`.
  std::atomic<bool> may_have_fault{false};
  /// Zeroed counters in device memory; see tickets.hpp.
  std::atomic<std::uint32_t*> tickets{nullptr};
};

namespace detail {
/// Recorded work cannot wait for other work, and other work cannot wait for it.
[[noreturn, gnu::noinline]] inline void refuse_order(bool kept) {
  throw CaptureError(
      kept ? "a tensor that a captured function computed and kept has no value: it belongs to the graph; "
             "let the function return it, and take what the graph returns"
           : "a captured function uses what other streams are working on: make it an input of the function");
}
}  // namespace detail

/// Work put into `waiter` from now on runs after all work now in `other`. An event is recorded only here, when a stream
/// must wait, instead of after every operation.
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
