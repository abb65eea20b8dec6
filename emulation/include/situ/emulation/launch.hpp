// SPDX-License-Identifier: Apache-2.0
// `launch` in the emulation: copies the kernel into the stream, where it runs in order.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <new>
#include <string>
#include <type_traits>
#include <utility>

#include <situ/cuda/api/grid.hpp>
#include <situ/emulation/api.hpp>
#include <situ/emulation/kernel.hpp>
#include <situ/emulation/observer.hpp>

namespace situ::internal::cuda::emulated {

/// A kernel's members, copied when it is launched.
class KernelCopy {
 public:
  KernelCopy(const void* kernel, std::size_t bytes)
      : memory_(::operator new(bytes, std::align_val_t{alignment}), Delete{}) {
    std::memcpy(memory_.get(), kernel, bytes);
  }
  [[nodiscard]] const void* get() const noexcept { return memory_.get(); }
  static constexpr std::size_t alignment = 64;

 private:
  struct Delete {
    void operator()(void* memory) const noexcept { ::operator delete(memory, std::align_val_t{alignment}); }
  };
  std::unique_ptr<void, Delete> memory_;
};

/// The CUDA function that launches: the runtime's requires the stream's device to be current; the driver's, for a
/// kernel without a context, uses the stream's context, but only since CUDA 13.
enum class LaunchedBy { runtime, driver };

namespace detail {
/// Checks the calling thread's context for a launch into a stream.
inline ErrorCode check_context(Machine& here, const Stream& stream, LaunchedBy by) {
  if (by == LaunchedBy::runtime) {
    use_context(here);
    return check_current(here, stream, "launch");
  }
  if (here.driver_version >= 13000 || (has_current_context && current_device == stream.device))
    return ErrorCode::success;
  return here.wrong(ErrorCode::invalid_context,
                    "launch: a driver of CUDA " + std::to_string(here.driver_version / 1000) +
                        " wants the context of device " + std::to_string(stream.device) + " to be current");
}
}  // namespace detail

/// Puts a launch into a stream; the kernel still belongs to the caller.
inline api::Error enqueue_launch(api::Stream stream, Launch launch, LaunchedBy by) noexcept {
  return calls::detail::with_stream(Call::launch, stream, launch.name, [&](Machine& here) {
    const auto wrong = [&](ErrorCode code, const char* what) {
      return here.wrong(code, std::string("launch of kernel '") + launch.name + "': " + what);
    };
    if (const ErrorCode error = detail::check_context(here, *stream, by); is_error(error)) return error;
    if (launch.blocks < 1 || launch.blocks > most_blocks || launch.blocks_y < 1 || launch.blocks_y > most_blocks_y) {
      return wrong(ErrorCode::invalid_configuration, "a grid has 1 to 2147483647 by 1 to 65535 blocks");
    }
    if (launch.threads < 1 || launch.threads > launch.most_threads) {
      return wrong(ErrorCode::invalid_configuration, "a block has at least one thread, and not more than its kernel");
    }
    if (launch.dynamic_bytes > shared_bytes_dynamic) {
      return wrong(ErrorCode::invalid_value, "a block has at most 227 KiB of dynamic shared memory");
    }
    launch.device = stream->device;
    auto run = [&here, launch, kernel = KernelCopy(launch.kernel, launch.type->bytes)]() mutable {
      launch.kernel = kernel.get();
      ErrorCode error = ErrorCode::success;
      if (detail::fails_now(Call::run_kernel, error)) return here.fail(error, "fail_after asked for this failure");
      detail::ensure_handler_stack();
      const std::string what = detail::run_launch(here, launch);
      if (!what.empty()) here.fail(ErrorCode::launch_failure, what);
    };
    here.enqueue(*stream, make_operation(launch.name, std::move(run)));
    return ErrorCode::success;
  });
}

template <class K>
api::Error launch_on(api::Stream stream, Grid grid, const K& kernel, std::size_t dynamic_shared_bytes = 0,
                     LaunchedBy by = LaunchedBy::runtime) noexcept {
  static_assert(std::is_trivially_copyable_v<K>, "a kernel is trivially copyable: it is copied to the device");
  static_assert(sizeof(K) <= 32764, "a kernel has at most 32764 bytes of members");
  static_assert(alignof(K) <= KernelCopy::alignment);
  static_assert(K::threads >= 1 && K::threads <= most_threads, "a block has 1 to 1024 threads");
  Launch launch;
  launch.name = K::name;
  launch.threads = grid.threads_of(K::threads);
  launch.most_threads = K::threads;
  launch.blocks = grid.x;
  launch.blocks_y = grid.y;
  launch.dynamic_bytes = dynamic_shared_bytes;
  launch.kernel = &kernel;
  launch.type = &kernel_type<K>;
  launch.run_threads = &run_threads<K>;
  return enqueue_launch(stream, launch, by);
}

}  // namespace situ::internal::cuda::emulated
