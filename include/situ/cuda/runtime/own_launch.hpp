// SPDX-License-Identifier: Apache-2.0
// Work that a program puts into a stream itself: its frame, and a kernel that is a function.
#pragma once

#include <cstddef>
#include <string>

#include <situ/core/pack.hpp>
#include <situ/core/profile_range.hpp>
#include <situ/cuda/api/api.hpp>
#include <situ/cuda/api/backend.hpp>
#include <situ/cuda/api/error.hpp>
#include <situ/cuda/api/grid.hpp>
#include <situ/cuda/runtime/device_guard.hpp>
#include <situ/cuda/runtime/device_state.hpp>
#include <situ/cuda/runtime/observed.hpp>
#include <situ/cuda/runtime/stream_state.hpp>

#if defined(SITU_CUDA)
#if defined(SITU_CUDA_EMULATED)
#include <situ/emulation/function_call.hpp>
#endif

namespace situ::internal::cuda {

/// A scope around CUDA calls of the program: the stream's device is current, profilers and ledgers see the name, and
/// `close` reports the error of a call that did not say so itself, as `<<<>>>` does not.
class [[nodiscard]] OwnLaunch {
 public:
  /// Throws `CudaError`, also for an error that an earlier call of the program has left.
  OwnLaunch(const Backend& backend, const char* name)
      : profile_(name),
        work_(*backend.stream, name),
        guard_(backend.stream->device->physical, backend.ordinal),
        ordinal_(backend.ordinal),
        name_(name) {
    check(left_error(), "a CUDA call of this thread before launch_on", ordinal_, "launch_on of ", name_,
          " found its error: check it where it is called, by cudaGetLastError()");
  }
  void close() const {
    check(left_error(), "launch_on", ordinal_, "of ", name_, ", whose launches and other CUDA calls left this error");
  }

 private:
  /// The error that a call has left. A query that found work pending may leave its answer, which is not an error.
  [[nodiscard]] static api::Error left_error() noexcept {
    const api::Error error = api::last_error();
    return error == api::not_ready ? api::success : error;
  }

  ProfileRange profile_;
  ObservedWork work_;
  DeviceGuard guard_;
  int ordinal_;
  const char* name_;
};

namespace detail {
/// A separate function, so that launches contain no strings.
[[gnu::noinline]] inline void check_function(api::Error error, const Backend& backend, const char* name,
                                             const Grid& grid, std::size_t shared) {
  check(error, "launch", backend.ordinal, "kernel ", name, ", grid ", grid.x, " x ", grid.y, " of ", grid.threads,
        " threads, ", shared, " bytes of dynamic shared memory");
}
#if !defined(SITU_CUDA_EMULATED)
[[gnu::noinline]] inline void launch_function(const Backend& backend, const char* name, const Grid& grid,
                                              std::size_t shared, const void* function, void** arguments) {
  api::Error error = api::invalid_configuration;  // truncated to 32 bits it could be another grid
  if (grid.x >= 1 && grid.x <= most_blocks && grid.y >= 1 && grid.y <= most_blocks_y && grid.threads >= 1) {
    error = api::launch_function(function, grid.x, grid.y, grid.threads, shared, backend.stream->stream, arguments);
  }
  check_function(error, backend, name, grid, shared);
}
#endif
}  // namespace detail

/// Puts a `__global__` function into the backend's stream, whose device is current. Throws `CudaError`.
template <class... Parameters>
void launch_function(const Backend& backend, const char* name, const Grid& grid, std::size_t shared,
                     void (*function)(Parameters...), Pack<Parameters...> arguments) {
#if defined(SITU_CUDA_EMULATED)
  detail::check_function(emulated::launch_function(backend.stream->stream, name, grid, shared, function, arguments),
                         backend, name, grid, shared);
#else
  [&]<std::size_t... At>(std::index_sequence<At...>) {
    void* addresses[] = {static_cast<void*>(&get<At>(arguments))..., nullptr};
    detail::launch_function(backend, name, grid, shared, reinterpret_cast<const void*>(function), addresses);
  }(std::index_sequence_for<Parameters...>());
#endif
}

}  // namespace situ::internal::cuda

#endif
