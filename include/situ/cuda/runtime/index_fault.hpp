// SPDX-License-Identifier: Apache-2.0
// Indices out of range that a kernel finds. A kernel cannot throw, and waiting for it would be hidden: it leaves a
// message, which becomes an `IndexError` at the next transfer to the host or `synchronize`.
#pragma once

#include <cstdint>

#include <situ/core/error.hpp>
#include <situ/cuda/api/api.hpp>
#include <situ/cuda/api/backend.hpp>
#include <situ/cuda/api/kernel.hpp>
#include <situ/cuda/runtime/device_guard.hpp>
#include <situ/cuda/runtime/device_memory.hpp>
#include <situ/cuda/runtime/stream.hpp>
#include <situ/plan/indices.hpp>

namespace situ::internal::cuda {

/// The message: of the first thread that finds a bad index, `if (kernel::atomic_exchange(&fault->reported, 1) == 0)`.
struct IndexFault {
  std::int32_t reported;
  std::int32_t operation;  // an IndexedOperation
  std::int32_t axis;
  std::int64_t index, extent, position;
};

#if defined(SITU_CUDA)

/// For kernels: leaves the message unless there is one already.
SITU_DEVICE void report_index(IndexFault* fault, IndexedOperation operation, std::int64_t index, int axis,
                              std::int64_t extent, std::int64_t position = 0) {
  if (kernel::atomic_exchange(&fault->reported, std::int32_t{1}) != 0) return;
  fault->operation = static_cast<std::int32_t>(operation);
  fault->axis = axis;
  fault->index = index;
  fault->extent = extent;
  fault->position = position;
}

namespace detail {

[[gnu::noinline]] inline void make_index_fault(StreamState& stream) {
  DeviceState& device = *stream.device;
  const std::lock_guard lock(device.mutex);
  if (device.fault != nullptr) return;
  const DeviceGuard guard(device.physical, device.ordinal);
  if (device.fault_copy == nullptr) {
    void* copy = nullptr;
    check(api::host_allocate(&copy, sizeof(IndexFault)), "cudaHostAlloc", device.ordinal);
    device.fault_copy = static_cast<IndexFault*>(copy);
  }
  void* const memory = allocate_bytes(stream, sizeof(IndexFault));
  if (memory == nullptr) {
    throw OutOfMemory("out of memory on " + device_name(device.ordinal) + ": no room for the report of bad indices",
                      sizeof(IndexFault));
  }
  api::note_allocated(memory, sizeof(IndexFault), sizeof(IndexFault), stream.stream);
  check(api::set_bytes(memory, 0, sizeof(IndexFault), stream.stream), "cudaMemsetAsync", device.ordinal);
  // Kernels in other streams may use it at once: it is made once in the life of a device, so the wait does not matter.
  check(api::stream_synchronize(stream.stream), "cudaStreamSynchronize", device.ordinal);
  device.fault = static_cast<IndexFault*>(memory);
}

/// The message as the work in the stream leaves it. Under the device's lock.
[[nodiscard]] inline IndexFault read_index_fault(StreamState& stream) {
  const DeviceState& device = *stream.device;
  check(api::copy_to_host(device.fault_copy, device.fault, sizeof(IndexFault), stream.stream), "cudaMemcpyAsync",
        device.ordinal);
  check(api::stream_synchronize(stream.stream), "cudaStreamSynchronize", device.ordinal);
  return *device.fault_copy;
}

}  // namespace detail

/// The place for messages of the kernels that are put into the backend's stream from now on.
[[nodiscard]] inline IndexFault* index_fault(const Backend& backend) {
  StreamState& stream = *backend.stream;
  detail::make_index_fault(stream);
  stream.may_have_fault.store(true, std::memory_order_relaxed);
  return stream.device->fault;
}

namespace detail {

/// Takes the message that work in the stream has left, if it has.
[[nodiscard]] inline IndexFault take_index_fault(StreamState& stream) {
  DeviceState& device = *stream.device;
  const std::lock_guard lock(device.mutex);
  if (device.fault == nullptr) return {};
  if (read_index_fault(stream).reported == 0) return {};
  // Other streams may be about to write, or to have written, the rest of the message.
  for (StreamState* const other : device.streams) {
    check(api::stream_synchronize(other->stream), "cudaStreamSynchronize", device.ordinal);
  }
  const IndexFault found = read_index_fault(stream);
  const DeviceGuard guard(device.physical, device.ordinal);
  check(api::set_bytes(device.fault, 0, sizeof(IndexFault), stream.stream), "cudaMemsetAsync", device.ordinal);
  check(api::stream_synchronize(stream.stream), "cudaStreamSynchronize", device.ordinal);
  return found;
}

}  // namespace detail

/// Waits for the stream if work in it may have left a message, and throws the `IndexError` if one has.
inline void throw_index_fault(StreamState& stream) {
  if (!stream.may_have_fault.exchange(false, std::memory_order_relaxed)) return;
  IndexFault found{};
  try {
    found = detail::take_index_fault(stream);
  } catch (...) {
    stream.may_have_fault.store(true, std::memory_order_relaxed);  // still to be told
    throw;
  }
  if (found.reported == 0) return;
  throw IndexError(index_message(static_cast<IndexedOperation>(found.operation), found.index, found.axis, found.extent,
                                 found.position));
}

#endif

}  // namespace situ::internal::cuda
