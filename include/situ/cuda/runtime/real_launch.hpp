// SPDX-License-Identifier: Apache-2.0
// `launch` on a GPU.
#pragma once

#include <cuda.h>
#include <cuda_runtime_api.h>

#include <algorithm>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <mutex>
#include <type_traits>

#include <situ/core/profile_range.hpp>
#include <situ/cuda/api/backend.hpp>
#include <situ/cuda/api/error.hpp>
#include <situ/cuda/api/grid.hpp>
#include <situ/cuda/api/real_api.hpp>
#include <situ/cuda/api/real_kernel.hpp>
#include <situ/cuda/runtime/device_guard.hpp>
#include <situ/cuda/runtime/device_state.hpp>
#include <situ/cuda/runtime/launch_path.hpp>
#include <situ/cuda/runtime/observed.hpp>
#include <situ/cuda/runtime/stream.hpp>

namespace situ::internal::cuda {

namespace detail {

/// The state of a kernel: its handle, which has no context, and the dynamic shared memory that it may use on each GPU.
struct KernelHandle {
#if CUDART_VERSION >= 12050
  std::atomic<CUkernel> kernel{nullptr};
#endif
  std::atomic<std::size_t> shared_bytes[max_devices]{};  // by physical device; 0 before the first query
};

/// The shared memory of a block without opt-in, including static shared memory.
inline constexpr std::size_t default_shared_bytes = std::size_t{48} << 10;

[[gnu::noinline]] inline void allow_shared_bytes(const void* entry, KernelHandle& handle, const DeviceState& device,
                                                 std::size_t bytes, const char* name) {
  static std::mutex& mutex = *new std::mutex;  // two threads must not set the smaller value last
  const std::lock_guard lock(mutex);
  std::atomic<std::size_t>& allowed = handle.shared_bytes[device.physical];
  if (allowed.load(std::memory_order_relaxed) >= bytes) return;
  const DeviceGuard guard(device.physical, device.ordinal);
  cudaFuncAttributes attributes{};
  check(cudaFuncGetAttributes(&attributes, entry), "cudaFuncGetAttributes", device.ordinal, "kernel ", name);
  const std::size_t declared = std::min(attributes.sharedSizeBytes, default_shared_bytes);
  const std::size_t without = default_shared_bytes - declared;
  if (bytes > without) {
    check(cudaFuncSetAttribute(entry, cudaFuncAttributeMaxDynamicSharedMemorySize, static_cast<int>(bytes)),
          "cudaFuncSetAttribute", device.ordinal, "kernel ", name, ", ", bytes, " bytes of shared memory beside ",
          declared);
  }
  allowed.store(std::max(bytes, without), std::memory_order_relaxed);
}

/// The parameters of a launch, without the kernel's type.
struct Launch {
  const void* entry;
  KernelHandle& handle;
  const char* name;
  int threads;
  Grid grid;
  std::size_t shared;  // bytes of dynamic shared memory
};

/// A separate function, so that launches contain no strings.
[[gnu::noinline]] inline void check_launch(cudaError_t error, const char* call, const StreamState& stream,
                                           const Launch& what) {
  check(error, call, stream.ordinal, "kernel ", what.name, ", grid ", what.grid.x, " x ", what.grid.y, " of ",
        what.threads, " threads, ", what.shared, " bytes of dynamic shared memory");
}

[[gnu::noinline, noreturn]] inline void throw_driver_error(CUresult result, const StreamState& stream,
                                                           const Launch& what) {
  // The driver's error codes equal the runtime's.
  check_launch(static_cast<cudaError_t>(result), "cuLaunchKernelEx", stream, what);
  throw CudaError("cuLaunchKernelEx failed on " + device_name(stream.ordinal), "CUDA_ERROR_UNKNOWN", false);
}

/// `launch` for any kernel, compiled once; CUDA copies `kernel`.
[[gnu::noinline]] inline void launch_entry(const Backend& backend, const Launch& what, const void* kernel) {
  const ProfileRange profile(what.name);
  const StreamState& stream = *backend.stream;
  const ObservedWork work(stream, what.name);
  void* arguments[] = {const_cast<void*>(kernel)};
  const std::size_t allowed = what.handle.shared_bytes[stream.device->physical].load(std::memory_order_relaxed);
  if (what.shared > allowed) [[unlikely]]
    allow_shared_bytes(what.entry, what.handle, *stream.device, what.shared, what.name);
  if (what.grid.x < 1 || what.grid.x > most_blocks || what.grid.y < 1 || what.grid.y > most_blocks_y) [[unlikely]]
    check_launch(api::invalid_configuration, "launch", stream, what);  // truncated to 32 bits it could be another grid
#if CUDART_VERSION >= 12050
  if (launch_path() == LaunchPath::driver) [[likely]] {
    CUkernel function = what.handle.kernel.load(std::memory_order_relaxed);
    if (function == nullptr) [[unlikely]] {
      check_launch(cudaGetKernel(&function, what.entry), "cudaGetKernel", stream, what);
      what.handle.kernel.store(function, std::memory_order_relaxed);
    }
    CUlaunchConfig config{};
    config.gridDimX = static_cast<unsigned>(what.grid.x);
    config.gridDimY = static_cast<unsigned>(what.grid.y);
    config.gridDimZ = 1;
    config.blockDimX = static_cast<unsigned>(what.threads);
    config.blockDimY = 1;
    config.blockDimZ = 1;
    config.sharedMemBytes = static_cast<unsigned>(what.shared);
    config.hStream = stream.stream;
    const CUresult result = api::driver_launch()(&config, reinterpret_cast<CUfunction>(function), arguments, nullptr);
    if (result != CUDA_SUCCESS) [[unlikely]]
      throw_driver_error(result, stream, what);
    return;
  }
#endif
  const DeviceGuard guard(stream.device->physical, stream.ordinal);
  cudaLaunchConfig_t config{};
  config.gridDim = dim3(static_cast<unsigned>(what.grid.x), static_cast<unsigned>(what.grid.y), 1);
  config.blockDim = dim3(static_cast<unsigned>(what.threads), 1, 1);
  config.dynamicSmemBytes = what.shared;
  config.stream = stream.stream;
  check_launch(cudaLaunchKernelExC(&config, what.entry, arguments), "cudaLaunchKernelExC", stream, what);
}

}  // namespace detail

#if defined(__CUDACC__)

/// Hidden, so that two shared libraries with the same kernel do not share its handle.
namespace [[gnu::visibility("hidden")]] of_this_library {

/// The number of blocks that must fit in a multiprocessor's registers: `K::blocks_at_once` if the kernel defines it; 0
/// leaves it to the compiler.
template <class K>
inline constexpr int least_blocks = 0;
template <class K>
  requires requires { K::blocks_at_once; }
inline constexpr int least_blocks<K> = K::blocks_at_once;

/// Every kernel of the library is an instantiation of this one function.
template <class K>
__global__ void __launch_bounds__(K::threads, least_blocks<K>) run_kernel(const __grid_constant__ K kernel) {
  kernel();
}

template <class K>
inline constinit detail::KernelHandle kernel_handle{};

}  // namespace of_this_library

inline namespace compiled_as_cuda {

/// Puts a kernel into the backend's stream. Does not touch the caller's current device. Throws `CudaError`.
template <class K>
void launch(const Backend& backend, Grid grid, const K& kernel, std::size_t dynamic_shared_bytes = 0) {
  static_assert(std::is_trivially_copyable_v<K> && sizeof(K) <= 32764,
                "a kernel is a trivially copyable struct of at most 32764 bytes");
  detail::launch_entry(
      backend,
      {reinterpret_cast<const void*>(&of_this_library::run_kernel<K>), of_this_library::kernel_handle<K>, K::name,
       grid.threads_of(K::threads), grid, dynamic_shared_bytes},
      &kernel);
}

}  // namespace compiled_as_cuda
#else
namespace detail {
/// Independent of the kernel, so that the compiler reports it once for a file, and briefly.
template <class Void>
struct LaunchInCpp {
  static constexpr bool this_file_is_compiled_as_cuda = !std::is_void_v<Void>;
  static_assert(this_file_is_compiled_as_cuda,
                "this launches a kernel: compile this file as CUDA (rename it to .cu, or "
                "set_source_files_properties(file.cpp PROPERTIES LANGUAGE CUDA)), or declare the instantiation extern "
                "template here and define it in a .cu");
};
}  // namespace detail

inline namespace compiled_as_cpp {

/// A file compiled by the host compiler can hold, move, copy, view and free tensors on a GPU, but has no kernels.
template <class K>
void launch(const Backend&, Grid, const K&, std::size_t = 0) {
  static_cast<void>(sizeof(detail::LaunchInCpp<std::conditional_t<sizeof(K) == 0, K, void>>));
}

}  // namespace compiled_as_cpp
#endif

}  // namespace situ::internal::cuda
