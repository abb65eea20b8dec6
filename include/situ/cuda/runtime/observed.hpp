// SPDX-License-Identifier: Apache-2.0
// What a ledger (situ/ledger.hpp) wants to know of a GPU: when work in a stream begins and ends, and how long the host
// waits for it.
#pragma once

#include <atomic>
#include <cstddef>
#include <utility>

#include <situ/core/movement.hpp>
#include <situ/cuda/api/api.hpp>
#include <situ/cuda/runtime/stream_state.hpp>

#if defined(SITU_CUDA)

namespace situ::internal::cuda {

/// Who looks at the work in streams. Never destroyed, as `movement::Observer`.
class WorkObserver {
 public:
  /// Before work is put into the stream; gives what `ends` is to be given, null if nothing. A copy has bytes.
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

/// Around calls that put work into a stream. The name is a literal. One within another of the same stream is a part of
/// that one, and not told.
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

/// Makes the host wait until an event is over.
[[nodiscard]] inline api::Error await_event(api::Event event) noexcept {
  const movement::HostWait wait;
  return api::event_synchronize(event);
}

/// Makes the host wait until all that is in the stream now is done.
[[nodiscard]] inline api::Error await_stream(api::Stream stream) noexcept {
  const movement::HostWait wait;
  return api::stream_synchronize(stream);
}

}  // namespace situ::internal::cuda

#endif
