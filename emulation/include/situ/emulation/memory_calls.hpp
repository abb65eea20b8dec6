// SPDX-License-Identifier: Apache-2.0
// The calls for memory and copies; see api.hpp.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstring>
#include <memory>
#include <new>
#include <string>
#include <utility>

#include <situ/emulation/control.hpp>
#include <situ/emulation/pending_frees.hpp>
#include <situ/emulation/stream_calls.hpp>

namespace situ::internal::cuda::emulated::calls {

namespace detail {
/// Larger blocks are filled only at both ends, so that memory that is never used is not taken from the host.
inline constexpr std::size_t filled_whole = std::size_t{1} << 30;

inline void fill_with_nan(void* start, std::size_t bytes) noexcept {
  unpoison(start, bytes);
  if (bytes <= filled_whole) {
    std::memset(start, 0xff, bytes);
    return;
  }
  constexpr std::size_t end = filled_whole / 16;
  std::memset(start, 0xff, end);
  std::memset(static_cast<char*>(start) + bytes - end, 0xff, end);
}

/// Describes what is wrong with device memory passed to a call; empty if nothing is.
inline std::string wrong_device_memory(Machine& here, const void* pointer, std::size_t bytes, int device) {
  const Pool* const found = here.pool_of(pointer);
  if (found == nullptr) return "a pointer to host memory is given for memory of device " + std::to_string(device);
  if (found->device != device) {
    return "a pointer to memory of device " + std::to_string(found->device) + " is given for memory of device " +
           std::to_string(device);
  }
  if (!found->memory.allocated(pointer, bytes)) return "the bytes are not, or not all, allocated";
  return {};
}
/// The same for the host memory of asynchronous copies.
inline std::string wrong_host_memory(Machine& here, const void* pointer, std::size_t bytes) {
  const char* const place = static_cast<const char*>(pointer);
  if (here.device_of(pointer) >= 0) return "a pointer to device memory is given for host memory";
  auto next = here.host_blocks.upper_bound(place);
  if (next != here.host_blocks.begin()) {
    --next;
    const auto within = static_cast<std::size_t>(place - next->first);
    if (within <= next->second && bytes <= next->second - within) return {};
  }
  return "the host memory is pageable (not of host_allocate), or the bytes are not all allocated";
}
}  // namespace detail

// --- pools -----------------------------------------------------------------------------------------------------------
inline ErrorCode pool_create(Pool** pool, int device) noexcept {
  return detail::call(Call::create_pool, [&](Machine& here) {
    if (const ErrorCode error = detail::check_device(here, device, "pool_create"); is_error(error)) return error;
    auto made = std::make_unique<Pool>();
    made->device = device;
    std::size_t addresses = std::size_t{64} << 30;
    while (!made->memory.reserve(addresses) && addresses > DeviceMemory::page) addresses /= 2;
    here.pools.insert(made.get());
    *pool = made.release();
    return ErrorCode::success;
  });
}
inline ErrorCode pool_allocate(void** pointer, std::size_t bytes, Pool* pool, Stream* stream) noexcept {
  return detail::with_stream(Call::allocate, stream, "pool_allocate", [&](Machine& here) {
    if (!here.pools.contains(pool)) return here.wrong(ErrorCode::invalid_value, "pool_allocate: no such pool");
    if (bytes == 0) return here.wrong(ErrorCode::invalid_value, "pool_allocate: no bytes");
    if (pool->device != stream->device) {
      return here.wrong(ErrorCode::invalid_value, "pool_allocate: the pool is of device " +
                                                      std::to_string(pool->device) + " and the stream of device " +
                                                      std::to_string(stream->device));
    }
    if (!pool->memory.has_room_for(bytes)) {
      return here.wrong(ErrorCode::invalid_value, "pool_allocate: no device has " + std::to_string(bytes) +
                                                      " bytes, which CUDA may call invalid");
    }
    Device& device = here.device(pool->device);
    const std::size_t room = DeviceMemory::round_up(bytes);
    const auto fits = [&] {
      const std::size_t kept = pool->reserved - pool->used;
      const std::size_t fresh = room > kept ? room - kept : 0;
      return bytes <= device.limit && device.reserved <= device.limit && fresh <= device.limit - device.reserved;
    };
    emulated::detail::pass_on(here, *pool, *stream);
    while (!fits() && (emulated::detail::pass_on(here, *pool, *stream, *stream) ||
                       emulated::detail::pass_on(here, *pool, *stream))) {
    }
    void* const place = fits() ? pool->memory.allocate(bytes) : nullptr;
    if (place == nullptr) {
      return here.wrong(ErrorCode::out_of_memory, "pool_allocate: " + std::to_string(bytes) + " bytes, of " +
                                                      std::to_string(device.limit) + " are " +
                                                      std::to_string(device.reserved) + " in use");
    }
    pool->used += room;
    if (pool->used > pool->reserved) {
      device.reserved += pool->used - pool->reserved;
      pool->reserved = pool->used;
    }
    auto operation = make_operation("pool_allocate", [place, bytes] {
      detail::fill_with_nan(place, bytes);
      poison(static_cast<char*>(place) + bytes, DeviceMemory::round_up(bytes) + DeviceMemory::granularity - bytes);
    });
    operation->bookkeeping = true;
    operation->claim.start = static_cast<char*>(place);
    operation->claim.bytes = bytes;
    here.enqueue(*stream, std::move(operation));
    *pointer = place;
    return ErrorCode::success;
  });
}
inline ErrorCode pool_free(void* pointer, Stream* stream) noexcept {
  return detail::with_stream(Call::free, stream, "pool_free", [&](Machine& here) {
    Pool* const pool = here.pool_of(pointer);
    DeviceMemory::Allocation* const found = pool == nullptr ? nullptr : pool->memory.starting_at(pointer);
    if (found == nullptr || found->freed) {
      return here.wrong(ErrorCode::invalid_value,
                        pool == nullptr ? "pool_free: not device memory" : "pool_free: not allocated, or freed twice");
    }
    if (pool->device != stream->device) {
      return here.wrong(ErrorCode::invalid_value, "pool_free: memory of device " + std::to_string(pool->device) +
                                                      " in a stream of device " + std::to_string(stream->device));
    }
    found->freed = true;
    auto operation = make_operation("pool_free", [pool, pointer] {
      const DeviceMemory::Allocation freed = *pool->memory.starting_at(pointer);
      detail::fill_with_nan(pointer, freed.bytes);
      poison(pointer, freed.bytes);
      if (!freed.passed_on) pool->used -= DeviceMemory::round_up(freed.bytes);
      pool->memory.release(pointer);
    });
    operation->bookkeeping = true;
    operation->claim.start = static_cast<char*>(pointer);
    operation->claim.bytes = found->bytes;
    operation->done = std::make_shared<Record>();
    operation->done->stream = stream;
    here.enqueue(*stream, std::move(operation));
    return ErrorCode::success;
  });
}
/// Waits for the device's work, since frees may be queued behind it.
inline ErrorCode pool_trim(Pool* pool) noexcept {
  return detail::call(Call::trim, [&](Machine& here) {
    if (!here.pools.contains(pool)) return here.wrong(ErrorCode::invalid_value, "pool_trim: no such pool");
    if (const ErrorCode error = here.finish_device(pool->device); is_error(error)) return error;
    Device& device = here.device(pool->device);
    device.reserved -= pool->reserved - pool->used;
    pool->reserved = pool->used;
    pool->memory.release_pages();
    return ErrorCode::success;
  });
}
inline ErrorCode pool_allow_peer(Pool* pool, int peer) noexcept {
  return detail::call(Call::none, [&](Machine& here) {
    if (!here.pools.contains(pool)) return here.wrong(ErrorCode::invalid_value, "pool_allow_peer: no such pool");
    if (const ErrorCode error = detail::check_device(here, peer, "pool_allow_peer"); is_error(error)) return error;
    if (peer != pool->device && (here.device(peer).can_reach >> pool->device & 1) == 0) {
      return here.wrong(ErrorCode::peer_access_unsupported, "pool_allow_peer: device " + std::to_string(peer) +
                                                                " cannot reach device " + std::to_string(pool->device));
    }
    pool->peers |= std::uint64_t{1} << peer;
    return ErrorCode::success;
  });
}

// --- host memory -----------------------------------------------------------------------------------------------------
inline ErrorCode host_allocate(void** pointer, std::size_t bytes) noexcept {
  return detail::call(Call::allocate_host, [&](Machine& here) {
    if (bytes > std::size_t{1} << 47) {
      return here.wrong(ErrorCode::invalid_value, "host_allocate: there are no addresses for " + std::to_string(bytes) +
                                                      " bytes, which CUDA may call invalid");
    }
    void* const made = ::operator new(bytes, std::align_val_t{4096}, std::nothrow);
    if (made == nullptr)
      return here.wrong(ErrorCode::out_of_memory, "host_allocate: " + std::to_string(bytes) + " bytes");
    here.host_blocks.emplace(static_cast<const char*>(made), bytes);
    *pointer = made;
    return ErrorCode::success;
  });
}
inline ErrorCode host_free(void* pointer) noexcept {
  return detail::call(Call::trim, [&](Machine& here) {
    const auto found = here.host_blocks.find(static_cast<const char*>(pointer));
    if (found == here.host_blocks.end()) {
      return here.wrong(ErrorCode::invalid_value, "host_free: not of host_allocate, or freed twice");
    }
    for (const Stream* const stream : here.streams) {
      for (const auto& operation : stream->operations) {
        const char* const touched = static_cast<const char*>(operation->host);
        if (touched != nullptr && touched >= found->first && touched < found->first + found->second) {
          return here.wrong(ErrorCode::invalid_value,
                            std::string("host_free: a ") + operation->name + " of this memory has not run");
        }
      }
    }
    here.host_blocks.erase(found);
    ::operator delete(pointer, std::align_val_t{4096});
    return ErrorCode::success;
  });
}

/// The kind of memory at an address; the emulation has no managed memory.
enum class MemoryKind { pageable, pinned, device, managed };
struct PointerInfo {
  MemoryKind kind;
  int device;
};
inline ErrorCode pointer_info(PointerInfo* out, const void* pointer) noexcept {
  return detail::call(Call::none, [&](Machine& here) {
    *out = {MemoryKind::pageable, -1};
    if (const Pool* const pool = here.pool_of(pointer); pool != nullptr) *out = {MemoryKind::device, pool->device};
    else if (detail::wrong_host_memory(here, pointer, 0).empty()) out->kind = MemoryKind::pinned;
    return ErrorCode::success;
  });
}

}  // namespace situ::internal::cuda::emulated::calls
