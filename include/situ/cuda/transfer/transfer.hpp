// SPDX-License-Identifier: Apache-2.0
// Copies from and to a GPU: between it and the host, and between GPUs.
#pragma once

#include <cstddef>
#include <type_traits>

#include <situ/core/config.hpp>
#include <situ/cuda/api/api.hpp>
#include <situ/cuda/api/backend.hpp>
#include <situ/cuda/runtime/event_pool.hpp>
#include <situ/cuda/runtime/fault.hpp>
#include <situ/cuda/runtime/host_blocks.hpp>
#include <situ/cuda/runtime/observed.hpp>
#include <situ/cuda/runtime/peers.hpp>
#include <situ/cuda/runtime/stream.hpp>
#include <situ/cuda/transfer/access.hpp>
#include <situ/cuda/transfer/staging.hpp>
#include <situ/device/cpu.hpp>
#include <situ/device/cuda.hpp>
#include <situ/device/device.hpp>
#include <situ/device/pinned.hpp>
#include <situ/memory/storage.hpp>

#if defined(SITU_CUDA)

namespace situ::internal::cuda {

namespace detail {

template <class D>
[[nodiscard]] bool page_locked() noexcept {
  if constexpr (std::is_same_v<D, Pinned>) return locks_pages();
  else return false;
}

inline void copy_across(StreamState& to_stream, StreamState& from_stream, void* to, const void* from,
                        std::size_t bytes) {
  DeviceState& target = *to_stream.device;
  DeviceState& source = *from_stream.device;
  if (target.physical == source.physical) {  // or two logical devices on it: a GPU is not its own peer
    const ObservedWork work(to_stream, "copy on the GPU", bytes);
    check(api::copy_on_device(to, from, bytes, to_stream.stream), "cudaMemcpyAsync", target.ordinal, bytes, " bytes");
  } else if (reaches(target, source)) {
    const ObservedWork work(to_stream, "copy between GPUs", bytes);
    check(api::copy_from_peer(to, from, bytes, to_stream.stream), "cudaMemcpyAsync", target.ordinal, bytes,
          " bytes from ", device_name(source.ordinal));
  } else {
    upload_from(to_stream, from_stream, to, from, bytes);
  }
}

}  // namespace detail

/// Copies rows of bytes between a GPU and the host. They begin `from_offset` bytes into `from` and `to_offset` bytes
/// into `to`, which must have no other user. The backend is the GPU's.
///
/// To a GPU it returns when the bytes are staged (`Cpu`) or the copy is issued (`Pinned`): the owner of the source may
/// overwrite it at once, and the library orders the rest. To the host it waits for the bytes; if an earlier kernel has
/// reported a fault (runtime/fault.hpp), it throws that error before anything is written.
template <class From, class To>
void transfer_rows(const Backend& backend, const Storage<From>& from, std::size_t from_offset, const Storage<To>& to,
                   std::size_t to_offset, const ByteRows& rows) {
  static_assert(HostDevice<From> != HostDevice<To>);
  refuse_transfer_in_capture(HostDevice<To>);
  StreamState& stream = *backend.stream;
  const void* const source = static_cast<const std::byte*>(from.data()) + from_offset;
  void* const target = static_cast<std::byte*>(to.data()) + to_offset;
  if constexpr (HostDevice<From>) {
    before_write(backend, to);
    if (detail::page_locked<From>()) {
      static_cast<void>(copy_from_pinned(from.word(), stream, target, source, rows));
    } else {
      upload(stream, target, source, rows);
    }
  } else {
    before_read(backend, from);
    if (detail::page_locked<To>()) {
      throw_fault(stream);
      copy_to_pinned(stream, target, source, rows);
    } else {
      download(stream, target, source, rows);
    }
  }
}

/// Copies `bytes` bytes from `offset` bytes into `from` to `to_offset` bytes into `to`, which must have no other user.
/// The backend is that of the GPU that receives the bytes, or sends them to the host. Between GPUs it returns when the
/// copy is issued; otherwise as for rows.
template <class From, class To>
void transfer_bytes(const Backend& backend, const Storage<From>& from, std::size_t offset, const Storage<To>& to,
                    std::size_t bytes, std::size_t to_offset = 0) {
  if constexpr (HostDevice<From> || HostDevice<To>) {
    transfer_rows(backend, from, offset, to, to_offset, bytes);
  } else {
    const Backend giving = From::queue();
    before_write(backend, to);
    before_read(backend, from);
    before_read(giving, from);  // for a copy through the host, which begins in the stream of the source
    detail::copy_across(*backend.stream, *giving.stream, static_cast<std::byte*>(to.data()) + to_offset,
                        static_cast<const std::byte*>(from.data()) + offset, bytes);
  }
}

}  // namespace situ::internal::cuda

#endif
