// SPDX-License-Identifier: Apache-2.0
// A copy that was put into a copy stream: whether it is over, and how a stream or the host waits for it and nothing
// else.
#pragma once

#include <utility>

#include <situ/cuda/api/api.hpp>
#include <situ/cuda/api/error.hpp>
#include <situ/cuda/runtime/device_guard.hpp>
#include <situ/cuda/runtime/device_state.hpp>
#include <situ/cuda/runtime/event_pool.hpp>
#include <situ/cuda/runtime/fault.hpp>
#include <situ/cuda/runtime/host_blocks.hpp>
#include <situ/cuda/runtime/observed.hpp>
#include <situ/cuda/runtime/stream.hpp>
#include <situ/cuda/runtime/stream_state.hpp>
#include <situ/cuda/runtime/tracker.hpp>

namespace situ::internal::cuda {

#if defined(SITU_CUDA)

/// One copy, or none, which counts as over. Each has its own event, since the next copy in the stream may take long.
class CopyInFlight {
 public:
  CopyInFlight() noexcept = default;
  /// `may_have_fault`: whether work that the copy waits for may have left a message in the device's `Fault`.
  CopyInFlight(StreamState& stream, SharedEvent done, bool may_have_fault) noexcept
      : stream_(&stream), done_(std::move(done)), may_have_fault_(may_have_fault) {}

  /// Whether there is a copy.
  [[nodiscard]] explicit operator bool() const noexcept { return stream_ != nullptr; }

  /// Whether it is over. Throws `CudaError`.
  [[nodiscard]] bool over() const {
    if (done_ == nullptr) return true;
    const UncapturedCalls calls;
    choose_device(stream_->device->physical, stream_->ordinal);
    const api::Error state = api::event_query(done_->get());
    if (state == api::not_ready) static_cast<void>(api::last_error());
    else check(state, "asynchronous copy", stream_->ordinal);
    return state == api::success;
  }

  /// For a copy into a GPU's block whose only handle the caller has: work put into this thread's stream from now on
  /// runs after it. The host does not wait.
  void join(BlockWord& word) const {
    if (stream_ == nullptr) return;
    refuse_in_capture("Pending::wait", "wait before, and make the tensor an input of the function");
    StreamState* const stream = current_stream(stream_->ordinal);
    if (may_have_fault_) stream->may_have_fault.store(true, std::memory_order_relaxed);
    if (done_ == nullptr) return;
    check(api::stream_wait(stream->stream, done_->get()), "cudaStreamWaitEvent", stream->ordinal);
    hand_over(word, stream);
  }

  /// For a copy into pinned memory: waits, on the host, until the bytes have arrived. Throws `CudaError`, and the fault
  /// that an earlier kernel reported (runtime/fault.hpp).
  void finish(HostWord& word) const {
    if (stream_ == nullptr) return;
    refuse_in_capture("Pending::wait", nothing_to_wait_for);
    choose_device(stream_->device->physical, stream_->ordinal);
    if (done_ != nullptr) check(await_event(done_->get()), "asynchronous copy", stream_->ordinal);
    if (may_have_fault_) throw_found_fault(*stream_);
    static_cast<void>(copies_are_over(word));
  }

 private:
  StreamState* stream_ = nullptr;
  SharedEvent done_;
  bool may_have_fault_ = false;
};

#else

/// Without a GPU nothing is in flight.
struct CopyInFlight {
  [[nodiscard]] explicit operator bool() const noexcept { return false; }
  [[nodiscard]] bool over() const noexcept { return true; }
  template <class Word>
  void join(Word&) const noexcept {}
  template <class Word>
  void finish(Word&) const noexcept {}
};

#endif

}  // namespace situ::internal::cuda
