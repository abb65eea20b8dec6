// SPDX-License-Identifier: Apache-2.0
// The calls that copy and fill, and the pool's notes about its blocks; see api.hpp.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <string>
#include <utility>

#include <situ/emulation/memory_calls.hpp>

namespace situ::internal::cuda::emulated::calls {

namespace detail {
/// Where an end of a copy must be: a device, or the host.
inline constexpr int on_host = -1;

inline ErrorCode copy_rows(const char* name, void* to, std::size_t to_pitch, int to_device, const void* from,
                           std::size_t from_pitch, int from_device, std::size_t width, std::size_t height,
                           Stream* stream) noexcept {
  return with_stream(Call::copy, stream, name, [&](Machine& here) {
    if (width == 0 || height == 0) return ErrorCode::success;
    if (height > 1 && (to_pitch < width || from_pitch < width)) {
      return here.wrong(ErrorCode::invalid_pitch, std::string(name) + ": rows of " + std::to_string(width) +
                                                      " bytes are " + std::to_string(std::min(to_pitch, from_pitch)) +
                                                      " bytes apart");
    }
    const std::size_t to_bytes = (height - 1) * to_pitch + width;
    const std::size_t from_bytes = (height - 1) * from_pitch + width;
    const auto wrong_with = [&](const void* place, std::size_t bytes, int device) {
      return device == on_host ? wrong_host_memory(here, place, bytes)
                               : wrong_device_memory(here, place, bytes, device);
    };
    if (const std::string wrong = wrong_with(to, to_bytes, to_device); !wrong.empty()) {
      return here.wrong(ErrorCode::invalid_value, std::string(name) + ": destination: " + wrong);
    }
    if (const std::string wrong = wrong_with(from, from_bytes, from_device); !wrong.empty()) {
      return here.wrong(ErrorCode::invalid_value, std::string(name) + ": source: " + wrong);
    }
    if (static_cast<const char*>(from) < static_cast<char*>(to) + to_bytes &&
        static_cast<char*>(to) < static_cast<const char*>(from) + from_bytes) {
      return here.wrong(ErrorCode::invalid_value, std::string(name) + ": source and destination overlap");
    }
    auto operation = make_operation(name, [=] {
      for (std::size_t row = 0; row < height; ++row) {
        std::memcpy(static_cast<char*>(to) + row * to_pitch, static_cast<const char*>(from) + row * from_pitch, width);
      }
    });
    operation->host = to_device == on_host ? to : from_device == on_host ? from : nullptr;
    for (const int device : {to_device, from_device}) {
      if (device != on_host) operation->other_devices |= std::uint64_t{1} << device;
    }
    here.enqueue(*stream, std::move(operation));
    return ErrorCode::success;
  });
}
inline ErrorCode copy(const char* name, void* to, int to_device, const void* from, int from_device, std::size_t bytes,
                      Stream* stream) noexcept {
  return copy_rows(name, to, bytes, to_device, from, bytes, from_device, bytes, 1, stream);
}
inline int device_of(Stream* stream) noexcept {
  const std::lock_guard guard(machine().lock);
  return machine().has(stream) ? stream->device : 0;
}
/// Records how many bytes of a block of the caching pool are in use, for observers of launches. (They do not see the
/// parts of a block.)
inline void note_used(Machine& here, const void* block, std::size_t bytes) {
  Pool* const pool = here.pool_of(block);
  if (pool == nullptr) return;
  if (DeviceMemory::Allocation* const whole = pool->memory.starting_at(block); whole != nullptr) whole->used = bytes;
}
}  // namespace detail

inline ErrorCode copy_to_device(void* to, const void* from, std::size_t bytes, Stream* stream) noexcept {
  return detail::copy("copy_to_device", to, detail::device_of(stream), from, detail::on_host, bytes, stream);
}
inline ErrorCode copy_to_host(void* to, const void* from, std::size_t bytes, Stream* stream) noexcept {
  return detail::copy("copy_to_host", to, detail::on_host, from, detail::device_of(stream), bytes, stream);
}
inline ErrorCode copy_on_device(void* to, const void* from, std::size_t bytes, Stream* stream) noexcept {
  const int device = detail::device_of(stream);
  return detail::copy("copy_on_device", to, device, from, device, bytes, stream);
}
/// Copies from memory of another device, whose pool grants access to the stream's device.
inline ErrorCode copy_from_peer(void* to, const void* from, std::size_t bytes, Stream* stream) noexcept {
  int giver = detail::on_host;
  const ErrorCode error = detail::with_stream(Call::none, stream, "copy_from_peer", [&](Machine& here) {
    const Pool* const pool = here.pool_of(from);
    if (pool == nullptr) return here.wrong(ErrorCode::invalid_value, "copy_from_peer: source: not device memory");
    giver = pool->device;
    if (giver == stream->device || (pool->peers >> stream->device & 1) != 0) return ErrorCode::success;
    return here.wrong(ErrorCode::invalid_value, "copy_from_peer: source: the pool of device " + std::to_string(giver) +
                                                    " gives device " + std::to_string(stream->device) + " no access");
  });
  if (is_error(error)) return error;
  return detail::copy("copy_from_peer", to, detail::device_of(stream), from, giver, bytes, stream);
}
inline ErrorCode copy_rows_to_device(void* to, std::size_t to_pitch, const void* from, std::size_t from_pitch,
                                     std::size_t width, std::size_t height, Stream* stream) noexcept {
  return detail::copy_rows("copy_rows_to_device", to, to_pitch, detail::device_of(stream), from, from_pitch,
                           detail::on_host, width, height, stream);
}
inline ErrorCode copy_rows_to_host(void* to, std::size_t to_pitch, const void* from, std::size_t from_pitch,
                                   std::size_t width, std::size_t height, Stream* stream) noexcept {
  return detail::copy_rows("copy_rows_to_host", to, to_pitch, detail::on_host, from, from_pitch,
                           detail::device_of(stream), width, height, stream);
}
inline ErrorCode set_bytes(void* to, int value, std::size_t bytes, Stream* stream) noexcept {
  return detail::with_stream(Call::set_bytes, stream, "set_bytes", [&](Machine& here) {
    if (const ErrorCode error = emulated::detail::check_current(here, *stream, "set_bytes"); is_error(error))
      return error;
    if (bytes == 0) return ErrorCode::success;
    if (const std::string wrong = detail::wrong_device_memory(here, to, bytes, stream->device); !wrong.empty()) {
      return here.wrong(ErrorCode::invalid_value, "set_bytes: " + wrong);
    }
    here.enqueue(*stream, make_operation("set_bytes", [=] { std::memset(to, value, bytes); }));
    return ErrorCode::success;
  });
}

// --- notes of the pool -----------------------------------------------------------------------------------------------
/// From this point of `stream` on, the first `bytes` of the `capacity` bytes at `block` may be used; they are
/// uninitialized.
inline void note_allocated(void* block, std::size_t bytes, std::size_t capacity, Stream* stream) noexcept {
  detail::with_stream(Call::none, stream, "note_allocated", [&](Machine& here) {
    auto operation = make_operation("note_allocated", [=, &here] {
      detail::note_used(here, block, bytes);
      detail::fill_with_nan(block, capacity);
      poison(static_cast<char*>(block) + bytes, capacity - bytes);
    });
    operation->bookkeeping = true;
    operation->claim.start = static_cast<char*>(block);
    operation->claim.bytes = capacity;
    here.enqueue(*stream, std::move(operation));
    return ErrorCode::success;
  });
}
/// From this point of `stream` on, none of the bytes may be used.
inline void note_freed(void* block, std::size_t capacity, Stream* stream) noexcept {
  detail::with_stream(Call::none, stream, "note_freed", [&](Machine& here) {
    auto operation = make_operation("note_freed", [=, &here] {
      detail::note_used(here, block, 0);
      detail::fill_with_nan(block, capacity);
      poison(block, capacity);
    });
    operation->bookkeeping = true;
    operation->claim.start = static_cast<char*>(block);
    operation->claim.bytes = capacity;
    here.enqueue(*stream, std::move(operation));
    return ErrorCode::success;
  });
}

}  // namespace situ::internal::cuda::emulated::calls
