// SPDX-License-Identifier: Apache-2.0
// Faults that a kernel finds: an index out of range, a matrix without a result. A kernel cannot throw, and waiting for
// it would be a hidden wait. So it leaves a message, which becomes an `IndexError` or a `LinAlgError` at the next
// transfer to the host or `synchronize`. The message is in host memory: a thread that has waited for the work anyway
// only reads it.
#pragma once

#include <atomic>
#include <cstdint>
#include <mutex>
#include <string>

#include <situ/core/error.hpp>
#include <situ/cuda/api/api.hpp>
#include <situ/cuda/api/backend.hpp>
#include <situ/cuda/api/error.hpp>
#include <situ/cuda/api/kernel.hpp>
#include <situ/cuda/runtime/device_guard.hpp>
#include <situ/cuda/runtime/observed.hpp>
#include <situ/cuda/runtime/stream.hpp>
#include <situ/cuda/runtime/workspace.hpp>
#include <situ/plan/indices.hpp>
#include <situ/plan/linalg.hpp>

#if defined(SITU_CUDA)
#include <new>
#endif

namespace situ::internal::cuda {

/// The kind of a message, which determines the meaning of its numbers.
enum class FaultKind : std::int32_t {
  index,  // the index, the extent, the position
  matrix  // `at` of a LinAlgFault, the matrix, the number of matrices, rows, columns
};

/// The message, in pinned host memory. It belongs to the kernels until it is complete, then to the host until that has
/// cleared `Fault::reported`. Faults found meanwhile are dropped, as are all but the first of a kernel.
struct FaultMessage {
  std::int32_t complete;
  FaultKind kind;
  std::int32_t operation;  // an IndexedOperation, or a LinAlgOperation
  std::int32_t what;       // the axis of the index, or a LinAlgFault
  std::int64_t numbers[5];
};

/// The kernels' state, in device memory.
struct Fault {
  std::int32_t reported;  // not in the message: kernels may find millions of faults, and each would cross the bus
  FaultMessage* message;
};

#if defined(SITU_CUDA)

namespace detail {
/// Leaves the message unless there is one already.
template <class... Number>
SITU_DEVICE void report(Fault* fault, FaultKind kind, std::int32_t operation, std::int32_t what, Number... numbers) {
  if (kernel::atomic_exchange(&fault->reported, std::int32_t{1}) != 0) return;
  FaultMessage* const message = fault->message;
  message->kind = kind;
  message->operation = operation;
  message->what = what;
  int place = 0;
  ((message->numbers[place++] = numbers), ...);
  kernel::publish(&message->complete, std::int32_t{1});
}
}  // namespace detail

/// For kernels: reports an index out of range.
SITU_DEVICE void report_index(Fault* fault, IndexedOperation operation, std::int64_t index, int axis,
                              std::int64_t extent, std::int64_t position = 0) {
  detail::report(fault, FaultKind::index, static_cast<std::int32_t>(operation), axis, index, extent, position);
}
/// For kernels: reports a matrix without a result, with the arguments of `linalg_message`.
SITU_DEVICE void report_matrix(Fault* fault, LinAlgOperation operation, LinAlgFault what, std::int64_t at,
                               std::int64_t matrix, std::int64_t matrices, std::int64_t rows, std::int64_t columns) {
  detail::report(fault, FaultKind::matrix, static_cast<std::int32_t>(operation), static_cast<std::int32_t>(what), at,
                 matrix, matrices, rows, columns);
}

namespace detail {

/// In pinned memory: the message, and the initial value of the device's `Fault`.
struct FaultReport {
  FaultMessage message;
  Fault fault;
};

[[gnu::noinline]] inline void make_fault(StreamState& stream) {
  DeviceState& device = *stream.device;
  const std::lock_guard lock(device.fault_mutex);
  if (device.fault.load(std::memory_order_relaxed) != nullptr) return;
  const DeviceGuard guard(device.physical, device.ordinal);
  if (device.report == nullptr) {
    void* place = nullptr;
    check(api::host_allocate(&place, sizeof(FaultReport)), "cudaHostAlloc", device.ordinal);
    device.report = new (place) FaultReport{};
    device.report->fault.message = &device.report->message;
  }
  void* const memory = allocate_workspace(stream, sizeof(Fault));
  api::note_allocated(memory, sizeof(Fault), sizeof(Fault), stream.stream);
  check(api::copy_to_device(memory, &device.report->fault, sizeof(Fault), stream.stream), "cudaMemcpyAsync",
        device.ordinal);
  // Kernels in other streams may use it at once; it is created once for each device, so the wait does not matter.
  check(await_stream(stream.stream), "cudaStreamSynchronize", device.ordinal);
  device.fault.store(static_cast<Fault*>(memory), std::memory_order_release);
}

/// Takes the message left by work in the stream, if any; that work must be over.
[[nodiscard]] inline FaultMessage take_fault_message(StreamState& stream) {
  DeviceState& device = *stream.device;
  Fault* const fault = device.fault.load(std::memory_order_acquire);
  if (fault == nullptr) return {};
  FaultMessage& message = device.report->message;
  const std::atomic_ref<std::int32_t> complete(message.complete);
  if (complete.load(std::memory_order_acquire) == 0) [[likely]]
    return {};
  const std::lock_guard lock(device.fault_mutex);
  if (complete.load(std::memory_order_acquire) == 0) return {};  // another thread was first
  const FaultMessage found = message;
  complete.store(0, std::memory_order_relaxed);  // before a kernel may write the next
  const DeviceGuard guard(device.physical, device.ordinal);
  api::Error error = api::set_bytes(&fault->reported, 0, sizeof(fault->reported), stream.stream);
  if (error == api::success) error = await_stream(stream.stream);
  if (error != api::success) complete.store(1, std::memory_order_relaxed);  // still to be reported
  check(error, "cudaMemsetAsync", device.ordinal);
  return found;
}

inline void throw_message(const FaultMessage& found) {
  if (found.complete == 0) return;
  const auto& n = found.numbers;
  if (found.kind == FaultKind::matrix) {
    throw LinAlgError(linalg_message(static_cast<LinAlgOperation>(found.operation),
                                     static_cast<LinAlgFault>(found.what), n[0], n[1], n[2], n[3], n[4]));
  }
  const auto operation = static_cast<IndexedOperation>(found.operation);
  const std::string message = index_message(operation, n[0], found.what, n[1], n[2]);
  if (operation == IndexedOperation::multinomial) throw ValueError(message);  // the weights are to blame
  throw IndexError(message);
}

}  // namespace detail

/// The place for messages of kernels put into the backend's stream while this is alive. At the end it marks the stream
/// again: a thread that waited for the stream meanwhile has cleared the mark without waiting for these kernels.
class [[nodiscard]] FaultReports {
 public:
  explicit FaultReports(const Backend& backend) : stream_(*backend.stream) {
    if (stream_.device->fault.load(std::memory_order_acquire) == nullptr) [[unlikely]]
      detail::make_fault(stream_);
    note();
  }
  FaultReports(const FaultReports&) = delete;
  FaultReports& operator=(const FaultReports&) = delete;
  ~FaultReports() { note(); }

  operator Fault*() const noexcept { return stream_.device->fault.load(std::memory_order_acquire); }

 private:
  void note() const noexcept { stream_.may_have_fault.store(true, std::memory_order_relaxed); }

  StreamState& stream_;
};
/// The same until the end of the full expression that launches a kernel.
[[nodiscard]] inline FaultReports fault_of(const Backend& backend) { return FaultReports(backend); }

/// Throws the error of a fault found by work in the stream. The work must be over.
inline void throw_found_fault(StreamState& stream) { detail::throw_message(detail::take_fault_message(stream)); }

/// The same around a wait for all work in a stream at the time of construction. It checks before the wait whether there
/// may be a message, since other threads may continue to use the stream.
class FaultCheck {
 public:
  explicit FaultCheck(StreamState& stream) noexcept
      : stream_(stream), open_(stream.may_have_fault.exchange(false, std::memory_order_relaxed)) {}
  FaultCheck(const FaultCheck&) = delete;
  FaultCheck& operator=(const FaultCheck&) = delete;
  ~FaultCheck() {
    if (open_) stream_.may_have_fault.store(true, std::memory_order_relaxed);  // the wait failed: still to be reported
  }

  /// Whether there may be a message.
  [[nodiscard]] bool open() const noexcept { return open_; }

  /// To be called after the wait.
  void close() {
    if (!open_) return;
    const FaultMessage found = detail::take_fault_message(stream_);
    open_ = false;
    detail::throw_message(found);
  }

 private:
  StreamState& stream_;
  bool open_;
};

/// Waits for the stream if work in it may have left a message, and throws its error if there is one.
inline void throw_fault(StreamState& stream) {
  FaultCheck fault(stream);
  if (!fault.open()) return;
  check(await_stream(stream.stream), "cudaStreamSynchronize", stream.ordinal);
  fault.close();
}

#endif

}  // namespace situ::internal::cuda
