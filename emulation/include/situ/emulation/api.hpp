// SPDX-License-Identifier: Apache-2.0
// `situ::internal::cuda::api` in the emulation: the names of real_api.hpp with the same meaning. docs/emulated-cuda.md
// lists what the emulation finds and what it cannot find.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>

#include <unistd.h>

#include <situ/emulation/control.hpp>
#include <situ/emulation/copy_calls.hpp>
#include <situ/emulation/graph_calls.hpp>
#include <situ/emulation/memory_calls.hpp>
#include <situ/emulation/stream_calls.hpp>

namespace situ::internal::cuda::api {

inline constexpr bool emulated = true;

using Error = cuda::emulated::ErrorCode;
inline constexpr Error success = Error::success;
inline constexpr Error out_of_memory = Error::out_of_memory;
inline constexpr Error not_ready = Error::not_ready;
inline constexpr Error invalid_value = Error::invalid_value;
inline constexpr Error invalid_configuration = Error::invalid_configuration;

using Stream = cuda::emulated::Stream*;
using Event = cuda::emulated::Event*;
using MemoryPool = cuda::emulated::Pool*;
using Graph = cuda::emulated::Graph*;
using GraphExec = cuda::emulated::GraphExec*;
using CaptureMode = cuda::emulated::detail::CaptureMode;
inline constexpr CaptureMode capture_relaxed = CaptureMode::relaxed;

using cuda::emulated::error_name;
using cuda::emulated::error_text;
/// Returns the error left by a failed call, and clears it unless it is sticky.
inline Error last_error() noexcept {
  Error& left = cuda::emulated::detail::left_behind;
  return is_sticky(left) ? left : std::exchange(left, success);
}

struct DeviceProperties {
  char name[256];
  int multiprocessors;
  int capability;
  std::size_t memory;
  std::size_t shared_bytes;
  std::size_t shared_bytes_opt_in;
  int warp_threads;
  int block_threads;
  int multiprocessor_threads;
  std::size_t cache_bytes;
  unsigned char id[16];
};

using cuda::emulated::calls::can_access_peer;
using cuda::emulated::calls::capture_begin;
using cuda::emulated::calls::capture_end;
using cuda::emulated::calls::copy_from_peer;
using cuda::emulated::calls::copy_on_device;
using cuda::emulated::calls::copy_rows_to_device;
using cuda::emulated::calls::copy_rows_to_host;
using cuda::emulated::calls::copy_to_device;
using cuda::emulated::calls::copy_to_host;
using cuda::emulated::calls::device_count;
using cuda::emulated::calls::device_synchronize;
using cuda::emulated::calls::driver_version;
using cuda::emulated::calls::event_create;
using cuda::emulated::calls::event_create_timed;
using cuda::emulated::calls::event_destroy;
using cuda::emulated::calls::event_elapsed;
using cuda::emulated::calls::event_query;
using cuda::emulated::calls::event_record;
using cuda::emulated::calls::event_synchronize;
using cuda::emulated::calls::exchange_capture_mode;
using cuda::emulated::calls::get_device;
using cuda::emulated::calls::graph_destroy;
using cuda::emulated::calls::graph_exec_destroy;
using cuda::emulated::calls::graph_instantiate;
using cuda::emulated::calls::graph_launch;
using cuda::emulated::calls::graph_nodes;
using cuda::emulated::calls::has_context;
using cuda::emulated::calls::has_driver_launch;
using cuda::emulated::calls::host_allocate;
using cuda::emulated::calls::host_free;
using cuda::emulated::calls::memory_info;
using cuda::emulated::calls::MemoryKind;
using cuda::emulated::calls::note_allocated;
using cuda::emulated::calls::note_freed;
using cuda::emulated::calls::pointer_info;
using cuda::emulated::calls::PointerInfo;
using cuda::emulated::calls::pool_allocate;
using cuda::emulated::calls::pool_allow_peer;
using cuda::emulated::calls::pool_create;
using cuda::emulated::calls::pool_free;
using cuda::emulated::calls::pool_trim;
using cuda::emulated::calls::set_bytes;
using cuda::emulated::calls::set_device;
using cuda::emulated::calls::stream_create;
using cuda::emulated::calls::stream_destroy;
using cuda::emulated::calls::stream_query;
using cuda::emulated::calls::stream_synchronize;
using cuda::emulated::calls::stream_wait;

inline Error device_properties(DeviceProperties* out, int device) noexcept {
  return cuda::emulated::detail::call(cuda::emulated::Call::none, [&](cuda::emulated::Machine& here) {
    if (device < 0 || device >= here.device_count()) return Error::invalid_device;
    *out = {"emulated GPU",
            cuda::emulated::multiprocessors,
            90,
            here.device(device).limit,
            cuda::emulated::shared_bytes_static,
            cuda::emulated::shared_bytes_dynamic,
            cuda::emulated::warp_threads,
            cuda::emulated::most_threads,
            cuda::emulated::most_threads,
            0,
            {}};
    // Each process has its own emulated GPUs.
    const auto process = static_cast<std::uint32_t>(getpid());
    for (unsigned i = 0; i < 4; ++i) out->id[i] = static_cast<unsigned char>(process >> (8 * i));
    out->id[4] = static_cast<unsigned char>(device + 1);
    return success;
  });
}

}  // namespace situ::internal::cuda::api

namespace situ::internal::cuda::emulated {

/// Puts a host function into a stream: it runs in stream order, with the device's memory accessible, and must not call
/// the API. `name` is not copied.
inline api::Error enqueue(api::Stream stream, const char* name, std::function<void()> function) {
  return calls::detail::with_stream(Call::launch, stream, name, [&](Machine& here) {
    here.enqueue(*stream, make_operation(name, std::move(function)));
    return ErrorCode::success;
  });
}

}  // namespace situ::internal::cuda::emulated
