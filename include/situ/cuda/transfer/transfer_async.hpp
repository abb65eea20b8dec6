// SPDX-License-Identifier: Apache-2.0
// Asynchronous copies in copy streams: between pinned memory and a GPU, and between GPUs.
#pragma once

#include <cstddef>
#include <mutex>
#include <type_traits>
#include <utility>

#include <situ/core/config.hpp>
#include <situ/cuda/runtime/copy_in_flight.hpp>
#include <situ/cuda/runtime/handles.hpp>
#include <situ/cuda/transfer/transfer.hpp>
#include <situ/device/device.hpp>
#include <situ/memory/storage.hpp>

#if defined(SITU_CUDA)
#include <atomic>
#include <memory>
#endif

namespace situ::internal::cuda {

/// The storage that a copy in flight fills, and the copy.
template <class To>
struct Arrival {
  Storage<To> storage;
  CopyInFlight copy;
};

#if defined(SITU_CUDA)

namespace detail {

/// While it is alive, this thread's memory and work on a device belong to a copy stream.
class CopyStreamScope {
 public:
  explicit CopyStreamScope(StreamState& stream)
      : ordinal_(stream.ordinal), before_(exchange_stream(ordinal_, &stream)) {}
  CopyStreamScope(const CopyStreamScope&) = delete;
  CopyStreamScope& operator=(const CopyStreamScope&) = delete;
  ~CopyStreamScope() { exchange_stream(ordinal_, before_); }

 private:
  int ordinal_;
  StreamState* before_;
};

template <class From, class To>
[[nodiscard]] StreamState& copy_stream_for() {
  if constexpr (HostDevice<From>) return *copy_stream(device_state(To::ordinal), CopyWay::to_gpu);
  else if constexpr (HostDevice<To>) return *copy_stream(device_state(From::ordinal), CopyWay::to_host);
  else return *copy_stream(device_state(To::ordinal), CopyWay::between_gpus);
}

/// New memory for a copy in `stream`. A GPU's block belongs to the copy stream, so that the copy waits for no other
/// work.
template <class To>
[[nodiscard]] Storage<To> allocate_for_copy(StreamState& stream, std::size_t bytes) {
  if constexpr (HostDevice<To>) {
    return Storage<To>::allocate(bytes);
  } else {
    const CopyStreamScope scope(stream);
    return Storage<To>::allocate(bytes);
  }
}

}  // namespace detail

/// Copies `bytes` bytes from `offset` bytes into `from` to new storage, after all work on them already in any stream,
/// and concurrently with later work. Returns when the copy is issued. Handles of `from` may then be released. The
/// backend only selects this overload for GPUs.
template <class From, class To>
[[nodiscard]] Arrival<To> send_bytes(const Backend&, const Storage<From>& from, std::size_t offset, std::size_t bytes,
                                     std::type_identity<To>) {
  refuse_in_capture("to_async", "an asynchronous copy cannot be part of a graph; begin it before, or after its call");
  StreamState& stream = detail::copy_stream_for<From, To>();
  Storage<To> to = detail::allocate_for_copy<To>(stream, bytes);
  const void* const source = static_cast<const std::byte*>(from.data()) + offset;
  const std::lock_guard lock(stream.copies);
  SharedEvent done;
  if constexpr (HostDevice<From>) {
    done = copy_from_pinned(from.word(), stream, to.data(), source, bytes);
  } else if constexpr (HostDevice<To>) {
    track_read(from.word(), &stream);
    done = copy_to_pinned_async(to.word(), stream, to.data(), source, bytes);
    track_read_until(from.word(), &stream, done);
  } else {
    // Not the stream for copies to the host: another thread might mistake an event of such a copy for the end of this
    // one.
    StreamState& giving = *copy_stream(device_state(From::ordinal), CopyWay::between_gpus);
    track_read(from.word(), &stream);
    track_read(from.word(), &giving);  // for a copy through the host, which begins there
    done = std::make_shared<const PooledEvent>(*stream.device);
    detail::copy_across(stream, giving, to.data(), source, bytes);
    check(api::event_record(done->get(), stream.stream), "cudaEventRecord", stream.ordinal);
    track_read_until(from.word(), &stream, done);
  }
  // This copy, and not the next one in the stream, must report faults of the work that it waited for.
  const bool may_have_fault = stream.may_have_fault.exchange(false, std::memory_order_relaxed);
  return {std::move(to), CopyInFlight(stream, std::move(done), may_have_fault)};
}

#endif

}  // namespace situ::internal::cuda
