// SPDX-License-Identifier: Apache-2.0
// Hooks for capturing a function for a graph (situ/graph.hpp): its stream requests memory from a `Recording` and
// reports its uses, and operations that cannot be part of a graph are refused with the reason.
#pragma once

#include <cstddef>
#include <string>

#include <situ/core/call_count.hpp>
#include <situ/core/error.hpp>
#include <situ/core/tensor_name.hpp>
#include <situ/cuda/api/api.hpp>

namespace situ::internal::memory {
struct Block;
}  // namespace situ::internal::memory

namespace situ::internal::cuda {

#if defined(SITU_CUDA)

/// A capture in progress, of a stream that only the capturing thread uses.
class Recording {
 public:
  /// Memory that belongs to the graph, for `Scratch`, and its return.
  [[nodiscard]] virtual void* allocate(std::size_t bytes) = 0;
  virtual void release(void* data) noexcept = 0;
  /// The same for a tensor: a block with one handle.
  [[nodiscard]] virtual memory::Block* lend(std::size_t bytes) = 0;
  /// Called before work that reads or writes the block. Throws `CaptureError` if a graph could not repeat it.
  virtual void read(memory::Block& block, const TensorName& name) = 0;
  virtual void write(memory::Block& block, const TensorName& name) = 0;
  /// Whether this graph counts the number to which it adds `added`.
  [[nodiscard]] virtual bool counts_it(AddedByCalls added) const noexcept = 0;

 protected:
  ~Recording() = default;
};

namespace detail {
/// Set while the calling thread's work is recorded instead of run.
inline constinit thread_local Recording* recording = nullptr;
}  // namespace detail

/// Whether the calling thread captures a function.
[[nodiscard]] inline bool records() noexcept { return detail::recording != nullptr; }

/// Throws `CaptureError` if the calling thread captures a function. `what` cannot be part of a graph for the reason
/// `why`, which ends with the next step.
inline void refuse_in_capture(const char* what, const char* why) {
  if (!records()) [[likely]]
    return;
  throw CaptureError(std::string(what) + " in a function that is captured: " + why);
}

inline constexpr const char* nothing_to_wait_for =
    "its work is recorded, and runs when the graph is called; wait for what the graph returns";

/// Throws `CaptureError` if the calling thread captures a function, since it must not copy between the host and a GPU.
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

/// While it is alive, this thread may make calls on other streams that CUDA forbids in a capturing thread.
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
