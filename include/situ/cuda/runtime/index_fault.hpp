// SPDX-License-Identifier: Apache-2.0
// Indices out of range that a kernel finds. A kernel cannot throw, and waiting for it would be hidden: it leaves a
// message, which becomes an `IndexError` at the next transfer to the host or `synchronize`. The message is in memory of the
// host: who has waited for the work anyway only looks.
#pragma once

#include <atomic>
#include <cstdint>
#include <mutex>

#include <situ/core/error.hpp>
#include <situ/cuda/api/api.hpp>
#include <situ/cuda/api/backend.hpp>
#include <situ/cuda/api/error.hpp>
#include <situ/cuda/api/kernel.hpp>
#include <situ/cuda/runtime/device_guard.hpp>
#include <situ/cuda/runtime/stream.hpp>
#include <situ/cuda/runtime/workspace.hpp>
#include <situ/plan/indices.hpp>

#if defined(SITU_CUDA)
#include <new>
#endif

namespace situ::internal::cuda {

/// The message, in pinned memory of the host. The kernels' until it is complete; then the host's, until it has cleared
/// `IndexFault::reported`. What is found meanwhile is dropped, as is all but the first that a kernel finds.
struct IndexMessage {
  std::int32_t complete;
  std::int32_t operation;  // an IndexedOperation
  std::int32_t axis;
  std::int64_t index, extent, position;
};

/// What kernels know, in memory of the device.
struct IndexFault {
  std::int32_t reported;  // not in the message: kernels may find millions, and each would cross the bus
  IndexMessage* message;
};

#if defined(SITU_CUDA)

/// For kernels: leaves the message unless there is one already.
SITU_DEVICE void report_index(IndexFault* fault, IndexedOperation operation, std::int64_t index, int axis,
                              std::int64_t extent, std::int64_t position = 0) {
  if (kernel::atomic_exchange(&fault->reported, std::int32_t{1}) != 0) return;
  IndexMessage* const message = fault->message;
  message->operation = static_cast<std::int32_t>(operation);
  message->axis = axis;
  message->index = index;
  message->extent = extent;
  message->position = position;
  kernel::publish(&message->complete, std::int32_t{1});
}

namespace detail {

/// In pinned memory: the message, and what the device's `IndexFault` begins as.
struct IndexReport {
  IndexMessage message;
  IndexFault fault;
};

[[gnu::noinline]] inline void make_index_fault(StreamState& stream) {
  DeviceState& device = *stream.device;
  const std::lock_guard lock(device.fault_mutex);
  if (device.fault.load(std::memory_order_relaxed) != nullptr) return;
  const DeviceGuard guard(device.physical, device.ordinal);
  if (device.report == nullptr) {
    void* place = nullptr;
    check(api::host_allocate(&place, sizeof(IndexReport)), "cudaHostAlloc", device.ordinal);
    device.report = new (place) IndexReport{};
    device.report->fault.message = &device.report->message;
  }
  void* const memory = allocate_workspace(stream, sizeof(IndexFault));
  api::note_allocated(memory, sizeof(IndexFault), sizeof(IndexFault), stream.stream);
  check(api::copy_to_device(memory, &device.report->fault, sizeof(IndexFault), stream.stream), "cudaMemcpyAsync",
        device.ordinal);
  // Kernels in other streams may use it at once: it is made once in the life of a device, so the wait does not matter.
  check(api::stream_synchronize(stream.stream), "cudaStreamSynchronize", device.ordinal);
  device.fault.store(static_cast<IndexFault*>(memory), std::memory_order_release);
}

/// Takes the message that work in the stream has left, if it has; that work is over.
[[nodiscard]] inline IndexMessage take_index_message(StreamState& stream) {
  DeviceState& device = *stream.device;
  IndexFault* const fault = device.fault.load(std::memory_order_acquire);
  if (fault == nullptr) return {};
  IndexMessage& message = device.report->message;
  const std::atomic_ref<std::int32_t> complete(message.complete);
  if (complete.load(std::memory_order_acquire) == 0) [[likely]]
    return {};
  const std::lock_guard lock(device.fault_mutex);
  if (complete.load(std::memory_order_acquire) == 0) return {};  // another thread was first
  const IndexMessage found = message;
  complete.store(0, std::memory_order_relaxed);  // before a kernel may write the next
  const DeviceGuard guard(device.physical, device.ordinal);
  api::Error error = api::set_bytes(&fault->reported, 0, sizeof(fault->reported), stream.stream);
  if (error == api::success) error = api::stream_synchronize(stream.stream);
  if (error != api::success) complete.store(1, std::memory_order_relaxed);  // still to be told
  check(error, "cudaMemsetAsync", device.ordinal);
  return found;
}

inline void throw_index(const IndexMessage& found) {
  if (found.complete == 0) return;
  throw IndexError(index_message(static_cast<IndexedOperation>(found.operation), found.index, found.axis, found.extent,
                                 found.position));
}

}  // namespace detail

/// The place for messages of the kernels that are put into the backend's stream while this lives. That there may be one is
/// noted again behind them: a thread that has waited for the stream meanwhile has taken the note, and did not wait for them.
class [[nodiscard]] IndexReports {
 public:
  explicit IndexReports(const Backend& backend) : stream_(*backend.stream) {
    if (stream_.device->fault.load(std::memory_order_acquire) == nullptr) [[unlikely]]
      detail::make_index_fault(stream_);
    note();
  }
  IndexReports(const IndexReports&) = delete;
  IndexReports& operator=(const IndexReports&) = delete;
  ~IndexReports() { note(); }

  operator IndexFault*() const noexcept { return stream_.device->fault.load(std::memory_order_acquire); }

 private:
  void note() const noexcept { stream_.may_have_fault.store(true, std::memory_order_relaxed); }

  StreamState& stream_;
};
/// The same until the end of an expression that launches a kernel.
[[nodiscard]] inline IndexReports index_fault(const Backend& backend) { return IndexReports(backend); }

/// Throws the `IndexError` of a bad index that work in the stream has found. The work is over.
inline void throw_found_index(StreamState& stream) { detail::throw_index(detail::take_index_message(stream)); }

/// The same around a wait for all that is in a stream when this is made. It asks before the wait whether there may be a
/// message, for other threads go on with the stream.
class IndexCheck {
 public:
  explicit IndexCheck(StreamState& stream) noexcept
      : stream_(stream), open_(stream.may_have_fault.exchange(false, std::memory_order_relaxed)) {}
  IndexCheck(const IndexCheck&) = delete;
  IndexCheck& operator=(const IndexCheck&) = delete;
  ~IndexCheck() {
    if (open_) stream_.may_have_fault.store(true, std::memory_order_relaxed);  // the wait failed: still to be told
  }

  /// Whether there may be a message.
  [[nodiscard]] bool open() const noexcept { return open_; }

  /// After the wait.
  void close() {
    if (!open_) return;
    const IndexMessage found = detail::take_index_message(stream_);
    open_ = false;
    detail::throw_index(found);
  }

 private:
  StreamState& stream_;
  bool open_;
};

/// Waits for the stream if work in it may have left a message, and throws the `IndexError` if one has.
inline void throw_index_fault(StreamState& stream) {
  IndexCheck index(stream);
  if (!index.open()) return;
  check(api::stream_synchronize(stream.stream), "cudaStreamSynchronize", stream.ordinal);
  index.close();
}

#endif

}  // namespace situ::internal::cuda
