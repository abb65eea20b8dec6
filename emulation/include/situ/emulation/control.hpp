// SPDX-License-Identifier: Apache-2.0
// Control of the emulation by tests, and the frame of every API call: lock, sticky error, requested failures.
#pragma once

#include <cstddef>
#include <cstdint>
#include <mutex>
#include <new>
#include <string>
#include <utility>

#include <situ/emulation/schedule.hpp>

namespace situ::internal::cuda::emulated {

/// The kinds of calls that `fail_after` distinguishes; `run_kernel` is not a call but the execution of a kernel in its
/// stream.
enum class Call {
  none,
  set_device,
  create,
  synchronize,
  query,
  record,
  wait,
  create_pool,
  allocate,
  free,
  allocate_host,
  trim,
  copy,
  set_bytes,
  launch,
  graph,
  run_kernel,
};

namespace detail {
inline constexpr int calls = static_cast<int>(Call::run_kernel) + 1;
struct Failure {
  std::int64_t after = -1;  // calls that still succeed; negative for never
  ErrorCode error = ErrorCode::success;
};
inline constinit Failure failures[calls] = {};
inline constinit thread_local int current_device = 0;
inline constinit thread_local ErrorCode left_behind = ErrorCode::success;
inline constinit thread_local bool inside = false;
/// Which calls are allowed while a thread captures: see `exchange_capture_mode`.
enum class CaptureMode { global, thread_local_, relaxed };
inline constinit thread_local CaptureMode capture_mode = CaptureMode::global;
inline constinit thread_local int captures = 0;  // begun by this thread in a mode other than relaxed, and not ended

/// Whether this thread has a current context, made by itself or by the runtime.
inline constinit thread_local bool has_current_context = false;

/// Nearly every runtime call makes a context on the calling thread's current device, except queries, and a launch,
/// which checks for itself.
constexpr bool makes_context(Call kind) noexcept {
  return kind != Call::none && kind != Call::set_device && kind != Call::launch;
}
inline void use_context(Machine& here) {
  if (current_device >= here.device_count()) return;
  here.device(current_device).has_context = true;
  has_current_context = true;
}
/// Only for copies and events does CUDA document that the device of the stream need not be current.
inline ErrorCode check_current(Machine& here, const Stream& stream, const char* name) {
  if (current_device == stream.device) return ErrorCode::success;
  return here.wrong(ErrorCode::invalid_resource_handle, std::string(name) + ": the stream is of device " +
                                                            std::to_string(stream.device) + ", and device " +
                                                            std::to_string(current_device) + " is current");
}

/// Calls that CUDA forbids in a capturing thread, since they may wait implicitly.
constexpr bool is_unsafe(Call kind) noexcept {
  return kind == Call::synchronize || kind == Call::query || kind == Call::allocate_host || kind == Call::trim;
}
/// Invalidates the captures of this thread.
inline ErrorCode refuse_unsafe(Machine& here) {
  for (Stream* const stream : here.streams) {
    if (stream->capture != nullptr && pthread_equal(stream->capture->thread, pthread_self()) != 0)
      stream->capture->invalidated = true;
  }
  return here.wrong(ErrorCode::capture_unsupported, "a thread that captures may not make this call");
}

/// Whether this call is the one to fail. Under the lock.
inline bool fails_now(Call kind, ErrorCode& error) noexcept {
  Failure& failure = failures[static_cast<int>(kind)];
  if (failure.after < 0 || failure.after-- > 0) return false;
  error = failure.error;
  return true;
}

/// Runs the body of an API call. Its error is kept for `last_error`; "not ready" is not an error.
template <class F>
ErrorCode call(Call kind, F&& body) noexcept {
  ErrorCode error = ErrorCode::success;
  try {
    Machine& here = machine();
    if (inside) return here.wrong(ErrorCode::invalid_value, "an operation of a stream calls the API");
    const std::lock_guard guard(here.lock);
    inside = true;
    if (makes_context(kind)) use_context(here);
    if (here.sticky != ErrorCode::success) error = here.sticky;
    else if (is_unsafe(kind) && captures > 0 && capture_mode != CaptureMode::relaxed) error = refuse_unsafe(here);
    else if (fails_now(kind, error)) here.wrong(error, "fail_after asked for this failure");
    else error = body(here);
    if (is_sticky(error)) here.sticky = error;
    here.close();
  } catch (const std::bad_alloc&) {
    error = ErrorCode::out_of_memory;
  }
  inside = false;
  if (error != ErrorCode::success) left_behind = error;  // not_ready too: programs have to expect it
  return error;
}
}  // namespace detail

/// Details of the last call or operation that failed.
[[nodiscard]] inline std::string last_message() {
  Machine& here = machine();
  if (detail::inside) return here.message;
  const std::lock_guard guard(here.lock);
  return here.message;
}

/// Makes the call after `count` more of this kind fail with `error`; a negative `count` cancels that.
inline void fail_after(Call kind, std::int64_t count, ErrorCode error = ErrorCode::launch_failure) {
  const std::lock_guard guard(machine().lock);
  detail::failures[static_cast<int>(kind)] = {count, error};
}

/// Clears errors, requested failures, captures, and pending operations of streams. Streams, events and memory stay.
inline void reset() {
  Machine& here = machine();
  const std::lock_guard guard(here.lock);
  here.fail(ErrorCode::launch_failure, "reset");
  for (Stream* const stream : here.streams) stream->capture.reset();
  detail::captures = 0;
  for (int d = 0; d < here.device_count(); ++d) here.finish_device(d);
  for (const Stream* const stream : here.streams) here.order_after(stream->order);
  here.sticky = ErrorCode::success;
  here.message.clear();
  for (detail::Failure& failure : detail::failures) failure = {};
  detail::left_behind = ErrorCode::success;
}

/// Sets when operations run from now on. A random order is drawn from `seed`.
inline void set_order(Order order, std::uint64_t seed = 0) {
  Machine& here = machine();
  const std::lock_guard guard(here.lock);
  here.order = order;
  here.seed = seed * 2 + 1;
}

/// Sets the memory size of a device.
inline void set_device_memory(int device, std::size_t bytes) {
  const std::lock_guard guard(machine().lock);
  machine().device(device).limit = bytes;
}

/// Sets whether peer access from `device` to the memory of `peer` is possible. If it no longer is, access already
/// granted is revoked.
inline void set_peer_access(int device, int peer, bool possible) {
  const std::lock_guard guard(machine().lock);
  std::uint64_t& can = machine().device(device).can_reach;
  const std::uint64_t bit = std::uint64_t{1} << peer;
  can = possible ? can | bit : can & ~bit;
  if (possible) return;
  for (Pool* const pool : machine().pools) {
    if (pool->device == peer) pool->peers &= ~(std::uint64_t{1} << device);
  }
}

/// The number of operations that have been called but not run.
[[nodiscard]] inline std::size_t pending() {
  const std::lock_guard guard(machine().lock);
  std::size_t count = 0;
  for (const Stream* const stream : machine().streams) count += stream->operations.size();
  return count;
}

}  // namespace situ::internal::cuda::emulated
