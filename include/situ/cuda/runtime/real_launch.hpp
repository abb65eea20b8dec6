// SPDX-License-Identifier: Apache-2.0
// `launch` on a GPU.
#pragma once

#include <cuda.h>
#include <cuda_runtime_api.h>

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <mutex>
#include <string_view>
#include <type_traits>

#include <situ/cuda/api/backend.hpp>
#include <situ/cuda/api/error.hpp>
#include <situ/cuda/api/grid.hpp>
#include <situ/cuda/api/real_api.hpp>
#include <situ/cuda/api/real_kernel.hpp>
#include <situ/cuda/runtime/device_guard.hpp>
#include <situ/cuda/runtime/device_state.hpp>
#include <situ/cuda/runtime/stream.hpp>
#include <situ/device/profile_range.hpp>

namespace situ::internal::cuda {

/// How kernels are launched. The driver's function takes the context from the stream; the runtime's takes it from the
/// current device, which must be set before and set back after, 0.2 us a launch.
enum class LaunchPath { driver, runtime };

namespace detail {

using DriverLaunch = CUresult (*)(const CUlaunchConfig*, CUfunction, void**, void**);

struct Launcher {
  LaunchPath path = LaunchPath::runtime;
  DriverLaunch driver = nullptr;
};

/// The driver's function, without linking libcuda. `SITU_LAUNCH=runtime` does without; so does a driver too old for it.
[[nodiscard]] inline Launcher find_launcher() noexcept {
  const char* const wish = std::getenv("SITU_LAUNCH");
  if (wish != nullptr && std::string_view(wish) == "runtime") return {};
  void* entry = nullptr;
  cudaDriverEntryPointQueryResult found{};
  const cudaError_t error =
      cudaGetDriverEntryPointByVersion("cuLaunchKernelEx", &entry, 12000, cudaEnableDefault, &found);
  ignore(error);
  if (error != cudaSuccess || found != cudaDriverEntryPointSuccess || entry == nullptr) return {};
  return {LaunchPath::driver, reinterpret_cast<DriverLaunch>(entry)};
}

[[nodiscard]] inline const Launcher& launcher() noexcept {
  static const Launcher found = find_launcher();
  return found;
}

/// What is kept for every kernel: its handle, which has no context, and how much shared memory it may use on which GPU.
struct KernelHandle {
  std::atomic<CUkernel> kernel{nullptr};
  std::atomic<std::size_t> shared_bytes[max_devices]{};  // by physical device; 0: what every kernel may use
};

/// Shared memory that a launch may ask for without more ado.
inline constexpr std::size_t default_shared_bytes = std::size_t{48} << 10;

[[gnu::noinline]] inline void allow_shared_bytes(const void* entry, KernelHandle& handle, const DeviceState& device,
                                                 std::size_t bytes, const char* name) {
  static std::mutex& mutex = *new std::mutex;  // two threads must not set the smaller value last
  const std::lock_guard lock(mutex);
  std::atomic<std::size_t>& allowed = handle.shared_bytes[device.physical];
  if (allowed.load(std::memory_order_relaxed) >= bytes) return;
  const DeviceGuard guard(device.physical, device.ordinal);
  check(cudaFuncSetAttribute(entry, cudaFuncAttributeMaxDynamicSharedMemorySize, static_cast<int>(bytes)),
        "cudaFuncSetAttribute", device.ordinal, "kernel ", name, ", ", bytes, " bytes of shared memory");
  allowed.store(bytes, std::memory_order_relaxed);
}

/// Its own function, so that `launch` has no strings.
[[gnu::noinline]] inline void check_launch(cudaError_t error, const char* what, const StreamState& stream,
                                           const char* name, std::int64_t x, int y, int threads, std::size_t shared) {
  check(error, what, stream.ordinal, "kernel ", name, ", grid ", x, " x ", y, " of ", threads, " threads, ", shared,
        " bytes of dynamic shared memory");
}

[[gnu::noinline, noreturn]] inline void throw_driver_error(CUresult result, const StreamState& stream, const char* name,
                                                           std::int64_t x, int y, int threads, std::size_t shared) {
  // The driver's codes are those of the runtime.
  check_launch(static_cast<cudaError_t>(result), "cuLaunchKernelEx", stream, name, x, y, threads, shared);
  throw CudaError("cuLaunchKernelEx failed on " + device_name(stream.ordinal), "CUDA_ERROR_UNKNOWN", false);
}

}  // namespace detail

/// Which way kernels are launched in this process; for benchmarks.
[[nodiscard]] inline LaunchPath launch_path() noexcept { return detail::launcher().path; }

#if defined(__CUDACC__)

/// Hidden, so that two shared libraries that have the same kernel do not share its handle.
namespace [[gnu::visibility("hidden")]] of_this_library {

/// The blocks that a multiprocessor shall have registers for: `K::blocks_at_once` where a kernel says so, 0 to leave it
/// to the compiler.
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
  const ProfileRange profile(K::name);
  const StreamState& stream = *backend.stream;
  const void* const entry = reinterpret_cast<const void*>(&of_this_library::run_kernel<K>);
  detail::KernelHandle& handle = of_this_library::kernel_handle<K>;
  K copy = kernel;
  void* arguments[] = {&copy};
  if (dynamic_shared_bytes > detail::default_shared_bytes &&
      dynamic_shared_bytes > handle.shared_bytes[stream.device->physical].load(std::memory_order_relaxed))
      [[unlikely]] {
    detail::allow_shared_bytes(entry, handle, *stream.device, dynamic_shared_bytes, K::name);
  }
  const detail::Launcher& launcher = detail::launcher();
  if (launcher.path == LaunchPath::driver) [[likely]] {
    CUkernel function = handle.kernel.load(std::memory_order_relaxed);
    if (function == nullptr) [[unlikely]] {
      detail::check_launch(cudaGetKernel(&function, entry), "cudaGetKernel", stream, K::name, grid.x, grid.y,
                           K::threads, dynamic_shared_bytes);
      handle.kernel.store(function, std::memory_order_relaxed);
    }
    CUlaunchConfig config{};
    config.gridDimX = static_cast<unsigned>(grid.x);
    config.gridDimY = static_cast<unsigned>(grid.y);
    config.gridDimZ = 1;
    config.blockDimX = static_cast<unsigned>(K::threads);
    config.blockDimY = 1;
    config.blockDimZ = 1;
    config.sharedMemBytes = static_cast<unsigned>(dynamic_shared_bytes);
    config.hStream = stream.stream;
    const CUresult result = launcher.driver(&config, reinterpret_cast<CUfunction>(function), arguments, nullptr);
    if (result != CUDA_SUCCESS) [[unlikely]] {
      detail::throw_driver_error(result, stream, K::name, grid.x, grid.y, K::threads, dynamic_shared_bytes);
    }
    return;
  }
  const DeviceGuard guard(stream.device->physical, stream.ordinal);
  cudaLaunchConfig_t config{};
  config.gridDim = dim3(static_cast<unsigned>(grid.x), static_cast<unsigned>(grid.y), 1);
  config.blockDim = dim3(static_cast<unsigned>(K::threads), 1, 1);
  config.dynamicSmemBytes = dynamic_shared_bytes;
  config.stream = stream.stream;
  detail::check_launch(cudaLaunchKernelExC(&config, entry, arguments), "cudaLaunchKernelExC", stream, K::name, grid.x,
                       grid.y, K::threads, dynamic_shared_bytes);
}

}  // namespace compiled_as_cuda
#else
namespace detail {
/// Depends on no kernel, so that the compiler says it once in a file, and in few words.
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

/// A file that the host compiler compiles holds, moves, copies, views and frees tensors of a GPU, and has no kernels.
template <class K>
void launch(const Backend&, Grid, const K&, std::size_t = 0) {
  static_cast<void>(sizeof(detail::LaunchInCpp<std::conditional_t<sizeof(K) == 0, K, void>>));
}

}  // namespace compiled_as_cpp
#endif

}  // namespace situ::internal::cuda
