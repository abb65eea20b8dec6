// SPDX-License-Identifier: Apache-2.0
// The CUDA calls behind the classes of device/stream.hpp, for a GPU's ordinal. In a build without CUDA each throws
// `DeviceUnavailable`, so that a program for GPUs compiles there too.
#pragma once

#include <mutex>
#include <string>
#include <vector>

#include <situ/core/profile_range.hpp>
#include <situ/cuda/api/api.hpp>
#include <situ/cuda/api/backend.hpp>
#include <situ/cuda/api/error.hpp>
#include <situ/cuda/runtime/device_guard.hpp>
#include <situ/cuda/runtime/device_map.hpp>
#include <situ/cuda/runtime/device_state.hpp>
#include <situ/cuda/runtime/fault.hpp>
#include <situ/cuda/runtime/observed.hpp>
#include <situ/cuda/runtime/stream.hpp>
#include <situ/cuda/runtime/stream_state.hpp>

namespace situ::internal::cuda {

#if defined(SITU_CUDA)

/// CUDA's handles of an event and of a stream.
using NativeEvent = api::Event;
using NativeStream = api::Stream;

[[nodiscard]] inline NativeStream native_stream(const StreamState* stream) noexcept { return stream->stream; }

/// CUDA's number of a GPU, which from now on `set_devices` does not change. Throws `DeviceUnavailable`.
[[nodiscard]] inline int physical_device(int ordinal) { return device_state(ordinal).physical; }

/// A stream for a new `Stream` object: an idle one, else a new one.
[[nodiscard]] inline StreamState* take_stream(int ordinal) {
  DeviceState& device = device_state(ordinal);
  {
    const std::lock_guard lock(device.mutex);
    if (!device.idle_streams.empty()) {
      StreamState* const stream = device.idle_streams.back();
      device.idle_streams.pop_back();
      return stream;
    }
    device.idle_streams.reserve(device.streams.size() + 1);  // so that `give_stream` needs no memory for any of them
  }
  return detail::make_stream(device);
}

/// Takes back a stream; the work in it continues.
inline void give_stream(StreamState* stream) noexcept {
  const std::lock_guard lock(stream->device->mutex);
  stream->device->idle_streams.push_back(stream);
}

[[nodiscard]] inline StreamState* compute_stream(int ordinal) { return device_state(ordinal).compute; }

/// Sets this thread's stream; returns the previous one.
inline StreamState* exchange_stream(int ordinal, StreamState* stream) {
  refuse_in_capture("another stream", "a graph is recorded in one stream, which orders all of it");
  StreamState* const before = current_stream(ordinal);
  detail::current_streams[static_cast<std::size_t>(ordinal)] = stream;
  return before;
}

inline void synchronize_stream(StreamState* stream) {
  refuse_in_capture("synchronize", nothing_to_wait_for);
  const ProfileRange profile("synchronize");
  choose_device(stream->device->physical, stream->ordinal);
  FaultCheck fault(*stream);
  check(await_stream(stream->stream), "synchronize", stream->ordinal);
  fault.close();
}

inline void synchronize_device(int ordinal) {
  refuse_in_capture("synchronize", nothing_to_wait_for);
  const ProfileRange profile("synchronize");
  DeviceState& device = device_state(ordinal);
  choose_device(device.physical, ordinal);
  const std::vector<StreamState*> streams = streams_of(device);
  for (StreamState* const stream : streams) check(await_stream(stream->stream), "synchronize", ordinal);
  for (StreamState* const stream : streams) throw_fault(*stream);
}

[[nodiscard]] inline bool stream_is_idle(StreamState* stream) {
  refuse_in_capture("Stream::idle", nothing_to_wait_for);
  choose_device(stream->device->physical, stream->ordinal);
  const api::Error state = api::stream_query(stream->stream);
  if (state != api::not_ready) check(state, "cudaStreamQuery", stream->ordinal);
  else static_cast<void>(api::last_error());
  return state == api::success;
}

[[nodiscard]] inline NativeEvent make_event(int ordinal, bool timed) {
  DeviceState& device = device_state(ordinal);
  const DeviceGuard guard(device.physical, ordinal);
  NativeEvent event{};
  check(timed ? api::event_create_timed(&event) : api::event_create(&event), "cudaEventCreate", ordinal);
  return event;
}
inline void destroy_event(NativeEvent event) noexcept { ignore(api::event_destroy(event)); }
inline void record_event(NativeEvent event, StreamState* stream) {
  refuse_in_capture("an event", "record it before or after a call of the graph");
  const std::lock_guard lock(stream->mutex);
  check(api::event_record(event, stream->stream), "cudaEventRecord", stream->ordinal);
}
inline void wait_for_event(StreamState* stream, NativeEvent event) {
  refuse_in_capture("waiting for an event", "let the stream that calls the graph wait");
  check(api::stream_wait(stream->stream, event), "cudaStreamWaitEvent", stream->ordinal);
}
inline void synchronize_event(NativeEvent event, int ordinal) {
  refuse_in_capture("StreamEvent::synchronize", nothing_to_wait_for);
  const ProfileRange profile("synchronize");
  choose_device(device_state(ordinal).physical, ordinal);
  check(await_event(event), "cudaEventSynchronize", ordinal);
}
[[nodiscard]] inline bool event_is_over(NativeEvent event, int ordinal) {
  refuse_in_capture("StreamEvent::over", nothing_to_wait_for);
  choose_device(device_state(ordinal).physical, ordinal);
  const api::Error state = api::event_query(event);
  if (state != api::not_ready) check(state, "cudaEventQuery", ordinal);
  else static_cast<void>(api::last_error());
  return state == api::success;
}
[[nodiscard]] inline double milliseconds_between(NativeEvent start, NativeEvent end, int ordinal) {
  float milliseconds = 0;
  check(api::event_elapsed(&milliseconds, start, end), "cudaEventElapsedTime", ordinal);
  return static_cast<double>(milliseconds);
}

#else

struct StreamState;
using NativeEvent = void*;
using NativeStream = void*;

namespace detail {
[[noreturn]] inline void no_backend(int ordinal) { fail_unavailable(ordinal, "cuda:" + std::to_string(ordinal)); }
}  // namespace detail

[[nodiscard]] inline NativeStream native_stream(const StreamState*) noexcept { return nullptr; }
[[noreturn]] inline int physical_device(int ordinal) { detail::no_backend(ordinal); }
[[noreturn]] inline StreamState* take_stream(int ordinal) { detail::no_backend(ordinal); }
inline void give_stream(StreamState*) noexcept {}
[[noreturn]] inline StreamState* compute_stream(int ordinal) { detail::no_backend(ordinal); }
[[noreturn]] inline StreamState* current_stream(int ordinal) { detail::no_backend(ordinal); }
[[noreturn]] inline StreamState* exchange_stream(int ordinal, StreamState*) { detail::no_backend(ordinal); }
inline void synchronize_stream(StreamState*) {}
[[noreturn]] inline void synchronize_device(int ordinal) { detail::no_backend(ordinal); }
[[nodiscard]] inline bool stream_is_idle(StreamState*) { return true; }
[[noreturn]] inline NativeEvent make_event(int ordinal, bool) { detail::no_backend(ordinal); }
inline void destroy_event(NativeEvent) noexcept {}
inline void record_event(NativeEvent, StreamState*) {}
inline void wait_for_event(StreamState*, NativeEvent) {}
inline void synchronize_event(NativeEvent, int) {}
[[nodiscard]] inline bool event_is_over(NativeEvent, int) { return true; }
[[nodiscard]] inline double milliseconds_between(NativeEvent, NativeEvent, int) { return 0; }

#endif

}  // namespace situ::internal::cuda
