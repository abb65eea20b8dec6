// SPDX-License-Identifier: Apache-2.0
// The difference that capturing a function for a graph (situ/graph.hpp) makes: its stream asks a `Recording` for memory
// and tells it what it uses, and what cannot be part of a graph is refused, with the reason.
#pragma once

#include <cstddef>
#include <string>

#include <situ/core/error.hpp>
#include <situ/core/tensor_name.hpp>
#include <situ/cuda/api/api.hpp>

namespace situ::internal::memory {
struct Block;
}  // namespace situ::internal::memory

namespace situ::internal::cuda {

#if defined(SITU_CUDA)

/// Who captures; of a stream that only the thread that captures uses.
class Recording {
 public:
  /// Memory that is the graph's own, for `Scratch`, and its return.
  [[nodiscard]] virtual void* allocate(std::size_t bytes) = 0;
  virtual void release(void* data) noexcept = 0;
  /// The same for a tensor: a block with one handle.
  [[nodiscard]] virtual memory::Block* lend(std::size_t bytes) = 0;
  /// Before work that reads or writes the block. Throws `CaptureError` where a graph could not do it again and again.
  virtual void read(memory::Block& block, const TensorName& name) = 0;
  virtual void write(memory::Block& block, const TensorName& name) = 0;

 protected:
  ~Recording() = default;
};

namespace detail {
/// Of the calling thread, while what it puts into its stream does not run but is recorded.
inline constinit thread_local Recording* recording = nullptr;
}  // namespace detail

/// Whether the calling thread captures a function.
[[nodiscard]] inline bool records() noexcept { return detail::recording != nullptr; }

/// Throws `CaptureError` if the calling thread captures a function. `what` cannot be part of a graph for the reason
/// `why`, which ends with what to do.
inline void refuse_in_capture(const char* what, const char* why) {
  if (!records()) [[likely]]
    return;
  throw CaptureError(std::string(what) + " in a function that is captured: " + why);
}

inline constexpr const char* nothing_to_wait_for =
    "its work is recorded, and runs when the graph is called; wait for what the graph returns";

/// Throws `CaptureError` if the calling thread captures a function, which a copy between the host and a GPU cannot be
/// part of.
inline void refuse_transfer_in_capture(bool to_host) {
  if (to_host) {
    refuse_in_capture("a copy to the host (to, copy, wait, print)",
                      "there is nothing to copy yet, since its work runs when the graph is called; return the tensor, "
                      "and copy what the graph returns");
  } else {
    refuse_in_capture("a copy from the host (to, copy)",
                      "the bytes would be read now and not when the graph is called; make it an input of the function, "
                      "or copy it before");
  }
}

/// While it lives, this thread may make calls that CUDA does not allow a thread that captures, on other streams.
class UncapturedCalls {
 public:
  UncapturedCalls() noexcept : changed_(records()) {
    if (changed_) static_cast<void>(api::exchange_capture_mode(&mode_));
  }
  UncapturedCalls(const UncapturedCalls&) = delete;
  UncapturedCalls& operator=(const UncapturedCalls&) = delete;
  ~UncapturedCalls() {
    if (changed_) static_cast<void>(api::exchange_capture_mode(&mode_));
  }

 private:
  bool changed_;
  api::CaptureMode mode_ = api::capture_relaxed;
};

#endif

}  // namespace situ::internal::cuda
