// SPDX-License-Identifier: Apache-2.0
// What a kernel finds wrong: an index out of range, a matrix without result. A kernel cannot throw, and waiting for it
// would be hidden: it leaves a message, which becomes an `IndexError` or a `LinAlgError` at the next transfer to the
// host or `synchronize`. The message is in memory of the host: who has waited for the work anyway only looks.
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

/// What a message is about, which says what its numbers are.
enum class FaultKind : std::int32_t {
  index,  // the index, the extent, the position
  matrix  // `at` of a LinAlgFault, the matrix, how many there are, rows, columns
};

/// The message, in pinned memory of the host. The kernels' until it is complete; then the host's, until it has cleared
/// `Fault::reported`. What is found meanwhile is dropped, as is all but the first that a kernel finds.
struct FaultMessage {
  std::int32_t complete;
  FaultKind kind;
  std::int32_t operation;  // an IndexedOperation, or a LinAlgOperation
  std::int32_t what;       // the axis of the index, or a LinAlgFault
  std::int64_t numbers[5];
};

/// What kernels know, in memory of the device.
struct Fault {
  std::int32_t reported;  // not in the message: kernels may find millions, and each would cross the bus
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

/// For kernels: an index that names no position.
SITU_DEVICE void report_index(Fault* fault, IndexedOperation operation, std::int64_t index, int axis,
                              std::int64_t extent, std::int64_t position = 0) {
  detail::report(fault, FaultKind::index, static_cast<std::int32_t>(operation), axis, index, extent, position);
}
/// For kernels: a matrix without result, as `linalg_message` takes it.
SITU_DEVICE void report_matrix(Fault* fault, LinAlgOperation operation, LinAlgFault what, std::int64_t at,
                               std::int64_t matrix, std::int64_t matrices, std::int64_t rows, std::int64_t columns) {
  detail::report(fault, FaultKind::matrix, static_cast<std::int32_t>(operation), static_cast<std::int32_t>(what), at,
                 matrix, matrices, rows, columns);
}

namespace detail {

/// In pinned memory: the message, and what the device's `Fault` begins as.
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
  // Kernels in other streams may use it at once: it is made once in the life of a device, so the wait does not matter.
  check(await_stream(stream.stream), "cudaStreamSynchronize", device.ordinal);
  device.fault.store(static_cast<Fault*>(memory), std::memory_order_release);
}

/// Takes the message that work in the stream has left, if it has; that work is over.
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
  if (error != api::success) complete.store(1, std::memory_order_relaxed);  // still to be told
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

/// The place for messages of the kernels that are put into the backend's stream while this lives. That there may be one
/// is noted again behind them: a thread that has waited for the stream meanwhile has taken the note, and did not wait
/// for them.
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
/// The same until the end of an expression that launches a kernel.
[[nodiscard]] inline FaultReports fault_of(const Backend& backend) { return FaultReports(backend); }

/// Throws the error of what work in the stream has found. The work is over.
inline void throw_found_fault(StreamState& stream) { detail::throw_message(detail::take_fault_message(stream)); }

/// The same around a wait for all that is in a stream when this is made. It asks before the wait whether there may be a
/// message, for other threads go on with the stream.
class FaultCheck {
 public:
  explicit FaultCheck(StreamState& stream) noexcept
      : stream_(stream), open_(stream.may_have_fault.exchange(false, std::memory_order_relaxed)) {}
  FaultCheck(const FaultCheck&) = delete;
  FaultCheck& operator=(const FaultCheck&) = delete;
  ~FaultCheck() {
    if (open_) stream_.may_have_fault.store(true, std::memory_order_relaxed);  // the wait failed: still to be told
  }

  /// Whether there may be a message.
  [[nodiscard]] bool open() const noexcept { return open_; }

  /// After the wait.
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

/// Waits for the stream if work in it may have left a message, and throws its error if one has.
inline void throw_fault(StreamState& stream) {
  FaultCheck fault(stream);
  if (!fault.open()) return;
  check(await_stream(stream.stream), "cudaStreamSynchronize", stream.ordinal);
  fault.close();
}

#endif

}  // namespace situ::internal::cuda
