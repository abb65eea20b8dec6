// SPDX-License-Identifier: Apache-2.0
// Reports to a ledger (situ/ledger.hpp) when work in a GPU's stream begins and ends, and how long the host waits for
// it.
#pragma once

#include <atomic>
#include <cstddef>
#include <utility>

#include <situ/core/movement.hpp>
#include <situ/cuda/api/api.hpp>
#include <situ/cuda/runtime/stream_state.hpp>

#if defined(SITU_CUDA)

namespace situ::internal::cuda {

/// An observer of work in streams. Never destroyed, like `movement::Observer`.
class WorkObserver {
 public:
  /// Called before work is put into the stream; returns the argument for `ends`, or null. A copy has bytes.
  [[nodiscard]] virtual void* begins(StreamState& stream, const char* name, std::size_t bytes) noexcept = 0;
  virtual void ends(StreamState& stream, void* begun) noexcept = 0;

 protected:
  ~WorkObserver() = default;
};

class ObservedWork;
namespace detail {
inline constinit std::atomic<WorkObserver*> work_observer{nullptr};
inline constinit thread_local ObservedWork* innermost_work = nullptr;
}  // namespace detail

/// A scope around calls that put work into a stream. The name is a literal. A scope within another for the same stream
/// is part of it and not reported.
class [[nodiscard]] ObservedWork {
 public:
  ObservedWork(const StreamState& stream, const char* name, std::size_t bytes = 0) noexcept
      : observer_(detail::work_observer.load(std::memory_order_acquire)) {
    if (observer_ != nullptr) [[unlikely]] {
      stream_ = const_cast<StreamState*>(&stream);
      outer_ = std::exchange(detail::innermost_work, this);
      for (const ObservedWork* work = outer_; work != nullptr; work = work->outer_) {
        if (work->stream_ == stream_) return;
      }
      begun_ = observer_->begins(*stream_, name, bytes);
    }
  }
  ObservedWork(const ObservedWork&) = delete;
  ObservedWork& operator=(const ObservedWork&) = delete;
  ~ObservedWork() {
    if (observer_ != nullptr) [[unlikely]] {
      detail::innermost_work = outer_;
      if (begun_ != nullptr) observer_->ends(*stream_, begun_);
    }
  }

 private:
  WorkObserver* observer_;
  StreamState* stream_ = nullptr;
  ObservedWork* outer_ = nullptr;
  void* begun_ = nullptr;
};

/// Waits, on the host, until an event is over.
[[nodiscard]] inline api::Error await_event(api::Event event) noexcept {
  const movement::HostWait wait;
  return api::event_synchronize(event);
}

/// Waits, on the host, until all work now in the stream is done.
[[nodiscard]] inline api::Error await_stream(api::Stream stream) noexcept {
  const movement::HostWait wait;
  return api::stream_synchronize(stream);
}

}  // namespace situ::internal::cuda

#endif
