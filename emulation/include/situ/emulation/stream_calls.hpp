// SPDX-License-Identifier: Apache-2.0
// The calls for devices, streams and events; see api.hpp.
#pragma once

#include <chrono>
#include <memory>
#include <string>
#include <utility>

#include <situ/emulation/control.hpp>

namespace situ::internal::cuda::emulated::calls {

namespace detail {
using emulated::detail::call;
using emulated::detail::current_device;
using emulated::detail::use_context;

/// Graphs do not allocate memory: CUDA supports it, but a graph that keeps the memory cannot be launched twice.
constexpr bool can_be_captured(Call kind) noexcept {
  return kind != Call::synchronize && kind != Call::query && kind != Call::allocate && kind != Call::free;
}

/// Runs `body` if the stream exists.
template <class F>
ErrorCode with_stream(Call kind, Stream* stream, const char* name, F&& body) noexcept {
  return call(kind, [&](Machine& here) {
    if (!here.has(stream) || stream->destroyed) {
      return here.wrong(ErrorCode::invalid_resource_handle,
                        std::string(name) + (stream == nullptr ? ": the default stream is not used here"
                                                               : ": the stream does not exist (any more)"));
    }
    if (stream->capture != nullptr) {
      if (stream->capture->invalidated) return here.wrong(ErrorCode::capture_invalidated, name);
      if (!can_be_captured(kind)) {
        stream->capture->invalidated = true;
        return here.wrong(ErrorCode::capture_unsupported,
                          std::string(name) + ": the stream captures; its work has not run, and will not yet");
      }
    }
    return body(here);
  });
}
template <class F>
ErrorCode with_event(Call kind, Event* event, const char* name, F&& body) noexcept {
  return call(kind, [&](Machine& here) {
    if (!here.events.contains(event)) {
      return here.wrong(ErrorCode::invalid_resource_handle,
                        std::string(name) + ": the event does not exist (any more)");
    }
    if (event->captured && kind != Call::none) {
      return here.wrong(ErrorCode::captured_event, std::string(name) + ": the work before its record has not run");
    }
    return body(here);
  });
}
inline ErrorCode check_device(Machine& here, int device, const char* name) {
  if (device >= 0 && device < here.device_count()) return ErrorCode::success;
  return here.wrong(here.device_count() == 0 ? ErrorCode::no_device : ErrorCode::invalid_device,
                    std::string(name) + ": there is no device " + std::to_string(device) + "; there are " +
                        std::to_string(here.device_count()));
}
}  // namespace detail

// --- devices ---------------------------------------------------------------------------------------------------------
inline ErrorCode device_count(int* count) noexcept {
  return detail::call(Call::none, [&](Machine& here) {
    *count = here.device_count();
    return here.device_count() == 0 ? ErrorCode::no_device : ErrorCode::success;
  });
}
inline ErrorCode get_device(int* device) noexcept {
  *device = detail::current_device;
  return ErrorCode::success;
}
inline ErrorCode set_device(int device) noexcept {
  return detail::call(Call::set_device, [&](Machine& here) {
    const ErrorCode error = detail::check_device(here, device, "set_device");
    if (error == ErrorCode::success) {
      detail::current_device = device;
      detail::use_context(here);
    }
    return error;
  });
}
inline bool has_context(int device) noexcept {
  Machine& here = machine();
  const std::lock_guard guard(here.lock);
  return device >= 0 && device < here.device_count() && here.device(device).has_context;
}
inline ErrorCode driver_version(int* version) noexcept {
  return detail::call(Call::none, [&](Machine& here) {
    *version = here.driver_version;
    return ErrorCode::success;
  });
}
inline bool has_driver_launch() noexcept { return true; }
inline ErrorCode memory_info(std::size_t* free, std::size_t* total) noexcept {
  return detail::call(Call::none, [&](Machine& here) {
    if (const ErrorCode error = detail::check_device(here, detail::current_device, "memory_info"); is_error(error))
      return error;
    const Device& device = here.device(detail::current_device);
    *total = device.limit;
    *free = device.limit - std::min(device.limit, device.reserved);
    return ErrorCode::success;
  });
}
inline ErrorCode can_access_peer(int* can, int device, int peer) noexcept {
  return detail::call(Call::none, [&](Machine& here) {
    if (const ErrorCode error = detail::check_device(here, device, "can_access_peer"); is_error(error)) return error;
    if (const ErrorCode error = detail::check_device(here, peer, "can_access_peer"); is_error(error)) return error;
    *can = device != peer && (here.device(device).can_reach >> peer & 1) != 0 ? 1 : 0;
    return ErrorCode::success;
  });
}
inline ErrorCode device_synchronize() noexcept {
  return detail::call(Call::synchronize, [&](Machine& here) {
    for (const Stream* const stream : here.streams) {
      if (stream->device == detail::current_device) here.order_after(stream->order);
    }
    return here.finish_device(detail::current_device);
  });
}

// --- streams ---------------------------------------------------------------------------------------------------------
inline ErrorCode stream_create(Stream** stream) noexcept {
  return detail::call(Call::create, [&](Machine& here) {
    if (const ErrorCode error = detail::check_device(here, detail::current_device, "stream_create"); is_error(error))
      return error;
    auto made = std::make_unique<Stream>();
    made->device = detail::current_device;
    made->order.turn.stream = here.streams_made++;
    here.streams.push_back(made.get());
    *stream = made.release();
    return ErrorCode::success;
  });
}
/// Operations in the stream still run.
inline ErrorCode stream_destroy(Stream* stream) noexcept {
  return detail::with_stream(Call::none, stream, "stream_destroy", [&](Machine& here) {
    stream->capture.reset();
    stream->destroyed = true;
    here.forget_drained();
    return ErrorCode::success;
  });
}
inline ErrorCode stream_synchronize(Stream* stream) noexcept {
  return detail::with_stream(Call::synchronize, stream, "stream_synchronize", [&](Machine& here) {
    here.order_after(stream->order);
    return here.finish(*stream);
  });
}
/// Runs one operation before it returns, so that a loop of queries ends.
inline ErrorCode stream_query(Stream* stream) noexcept {
  return detail::with_stream(Call::query, stream, "stream_query", [&](Machine& here) {
    if (!stream->operations.empty()) here.step(*stream);
    if (here.sticky != ErrorCode::success) return here.sticky;
    if (!stream->operations.empty()) return ErrorCode::not_ready;
    here.order_after(stream->order);
    return ErrorCode::success;
  });
}
inline ErrorCode stream_wait(Stream* stream, Event* event) noexcept {
  return detail::with_stream(Call::wait, stream, "stream_wait", [&](Machine& here) {
    if (!here.events.contains(event)) {
      return here.wrong(ErrorCode::invalid_resource_handle, "stream_wait: the event does not exist (any more)");
    }
    if (event->captured != (stream->capture != nullptr)) {
      if (stream->capture != nullptr) stream->capture->invalidated = true;
      return here.wrong(event->captured ? ErrorCode::capture_unsupported : ErrorCode::capture_isolation,
                        event->captured ? "stream_wait: a second stream in a capture is not emulated"
                                        : "stream_wait: a stream that captures, and an event recorded outside of it");
    }
    if (event->last == nullptr || event->captured) return ErrorCode::success;
    here.order_after(*stream, event->last->order);
    if (event->last->done) return ErrorCode::success;
    auto operation = make_operation("stream_wait", [] {});
    operation->waits_for = event->last;
    operation->bookkeeping = true;
    here.enqueue(*stream, std::move(operation));
    return ErrorCode::success;
  });
}

// --- events ----------------------------------------------------------------------------------------------------------
namespace detail {
inline ErrorCode create_event(Event** event, bool timed) noexcept {
  return call(Call::create, [&](Machine& here) {
    if (const ErrorCode error = check_device(here, current_device, "event_create"); is_error(error)) return error;
    auto made = std::make_unique<Event>();
    made->device = current_device;
    made->timed = timed;
    here.events.insert(made.get());
    *event = made.release();
    return ErrorCode::success;
  });
}
}  // namespace detail
inline ErrorCode event_create(Event** event) noexcept { return detail::create_event(event, false); }
inline ErrorCode event_create_timed(Event** event) noexcept { return detail::create_event(event, true); }
inline ErrorCode event_destroy(Event* event) noexcept {
  return detail::with_event(Call::none, event, "event_destroy", [&](Machine& here) {
    here.events.erase(event);
    delete event;
    return ErrorCode::success;
  });
}
inline ErrorCode event_record(Event* event, Stream* stream) noexcept {
  return detail::with_stream(Call::record, stream, "event_record", [&](Machine& here) {
    if (!here.events.contains(event)) {
      return here.wrong(ErrorCode::invalid_resource_handle, "event_record: the event does not exist (any more)");
    }
    if (event->device != stream->device) {
      return here.wrong(ErrorCode::invalid_resource_handle,
                        "event_record: the event is of device " + std::to_string(event->device) +
                            " and the stream of device " + std::to_string(stream->device));
    }
    event->captured = stream->capture != nullptr;
    if (event->captured) {
      event->last = nullptr;
      return ErrorCode::success;
    }
    auto record = std::make_shared<Record>();
    record->stream = stream;
    event->last = record;
    auto operation = make_operation("event_record", [record] {
      record->done = true;
      record->when = std::chrono::steady_clock::now();
    });
    operation->bookkeeping = true;
    here.enqueue(*stream, std::move(operation));
    record->order = stream->order;
    return ErrorCode::success;
  });
}
inline ErrorCode event_synchronize(Event* event) noexcept {
  return detail::with_event(Call::synchronize, event, "event_synchronize", [&](Machine& here) {
    if (event->last == nullptr) return ErrorCode::success;
    here.order_after(event->last->order);
    return here.finish(event->last);
  });
}
inline ErrorCode event_query(Event* event) noexcept {
  return detail::with_event(Call::query, event, "event_query", [&](Machine& here) {
    const std::shared_ptr<Record> record = event->last;
    if (record == nullptr) return ErrorCode::success;
    if (!record->done) here.step(*record->stream);
    if (here.sticky != ErrorCode::success) return here.sticky;
    if (!record->done) return ErrorCode::not_ready;
    here.order_after(record->order);
    return ErrorCode::success;
  });
}
inline ErrorCode event_elapsed(float* milliseconds, Event* start, Event* end) noexcept {
  return detail::call(Call::query, [&](Machine& here) {
    for (Event* const event : {start, end}) {
      if (!here.events.contains(event) || !event->timed || event->last == nullptr) {
        return here.wrong(ErrorCode::invalid_resource_handle, "event_elapsed: needs two recorded events with a time");
      }
    }
    if (!start->last->done || !end->last->done) return ErrorCode::not_ready;
    *milliseconds = std::chrono::duration<float, std::milli>(end->last->when - start->last->when).count();
    return ErrorCode::success;
  });
}

}  // namespace situ::internal::cuda::emulated::calls
