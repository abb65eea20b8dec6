// SPDX-License-Identifier: Apache-2.0
// `situ::internal::cuda::api` over the CUDA runtime. Every function returns CUDA's error code, which the caller checks.
// The emulation (emulation/api.hpp) has the same names with the same meaning.
#pragma once

#include <cuda.h>
#include <cuda_runtime_api.h>

#include <cstddef>
#include <cstdint>

namespace situ::internal::cuda::api {

/// Whether kernels run on the host.
inline constexpr bool emulated = false;

using Error = cudaError_t;
inline constexpr Error success = cudaSuccess;
inline constexpr Error out_of_memory = cudaErrorMemoryAllocation;
inline constexpr Error not_ready = cudaErrorNotReady;
inline constexpr Error invalid_value = cudaErrorInvalidValue;
inline constexpr Error invalid_configuration = cudaErrorInvalidConfiguration;

using Stream = cudaStream_t;
using Event = cudaEvent_t;
using MemoryPool = cudaMemPool_t;
using Graph = cudaGraph_t;
using GraphExec = cudaGraphExec_t;
using CaptureMode = cudaStreamCaptureMode;
inline constexpr CaptureMode capture_relaxed = cudaStreamCaptureModeRelaxed;

inline const char* error_name(Error error) noexcept { return cudaGetErrorName(error); }
inline const char* error_text(Error error) noexcept { return cudaGetErrorString(error); }
/// Returns the error left by a failed call, and clears it unless it is sticky.
inline Error last_error() noexcept { return cudaGetLastError(); }

namespace detail {
/// A function of the driver, to which programs are not linked; null if the driver is too old to have it.
template <class Function>
[[nodiscard]] Function driver_function(const char* name) noexcept {
  void* found = nullptr;
  cudaDriverEntryPointQueryResult result{};
#if CUDART_VERSION >= 12050
  const Error error = cudaGetDriverEntryPointByVersion(name, &found, 12000, cudaEnableDefault, &result);
#else
  const Error error = cudaGetDriverEntryPoint(name, &found, cudaEnableDefault, &result);
#endif
  if (error != success) static_cast<void>(cudaGetLastError());
  return error == success && result == cudaDriverEntryPointSuccess ? reinterpret_cast<Function>(found) : nullptr;
}
}  // namespace detail

/// The newest CUDA version that the driver supports: 13000 is 13.0.
inline Error driver_version(int* version) noexcept { return cudaDriverGetVersion(version); }

// --- devices: physical ordinals throughout -----------------------------------------------------------------------
inline Error device_count(int* count) noexcept { return cudaGetDeviceCount(count); }
inline Error get_device(int* device) noexcept { return cudaGetDevice(device); }
/// Also creates a context on the device if there is none yet: 500 MB, 200 ms.
inline Error set_device(int device) noexcept { return cudaSetDevice(device); }
/// Whether this process has a context on a device, because some code has set or used the device.
inline bool has_context(int device) noexcept {
  using State = CUresult (*)(CUdevice, unsigned*, int*);
  static const State state = detail::driver_function<State>("cuDevicePrimaryCtxGetState");
  unsigned flags = 0;
  int active = 0;
  return state == nullptr || state(device, &flags, &active) != CUDA_SUCCESS || active != 0;
}

struct DeviceProperties {
  char name[256];
  int multiprocessors;
  int capability;  // major * 10 + minor
  std::size_t memory;
  std::size_t shared_bytes;         // of a block, by default
  std::size_t shared_bytes_opt_in;  // of a block, with the opt-in attribute
  int warp_threads;
  int block_threads;           // at most
  int multiprocessor_threads;  // at most at once
  std::size_t cache_bytes;     // the cache that all multiprocessors share
  unsigned char id[16];        // unique to the GPU
};
inline Error device_properties(DeviceProperties* out, int device) noexcept {
  cudaDeviceProp properties{};
  const Error error = cudaGetDeviceProperties(&properties, device);
  if (error != success) return error;
  for (std::size_t i = 0; i < sizeof(out->name); ++i) out->name[i] = properties.name[i];
  out->multiprocessors = properties.multiProcessorCount;
  out->capability = properties.major * 10 + properties.minor;
  out->memory = properties.totalGlobalMem;
  out->shared_bytes = properties.sharedMemPerBlock;
  out->shared_bytes_opt_in = properties.sharedMemPerBlockOptin;
  out->warp_threads = properties.warpSize;
  out->block_threads = properties.maxThreadsPerBlock;
  out->multiprocessor_threads = properties.maxThreadsPerMultiProcessor;
  out->cache_bytes = static_cast<std::size_t>(properties.l2CacheSize);
  for (std::size_t i = 0; i < sizeof(out->id); ++i) out->id[i] = static_cast<unsigned char>(properties.uuid.bytes[i]);
  return success;
}
/// For the current device.
inline Error memory_info(std::size_t* free, std::size_t* total) noexcept { return cudaMemGetInfo(free, total); }
inline Error can_access_peer(int* can, int device, int peer) noexcept {
  return cudaDeviceCanAccessPeer(can, device, peer);
}

// --- streams and events: created on the current device --------------------------------------------------------------
inline Error stream_create(Stream* stream) noexcept { return cudaStreamCreateWithFlags(stream, cudaStreamNonBlocking); }
inline Error stream_destroy(Stream stream) noexcept { return cudaStreamDestroy(stream); }
inline Error stream_synchronize(Stream stream) noexcept { return cudaStreamSynchronize(stream); }
inline Error stream_query(Stream stream) noexcept { return cudaStreamQuery(stream); }
/// Work put into `stream` from now on waits for the last record of `event`.
inline Error stream_wait(Stream stream, Event event) noexcept { return cudaStreamWaitEvent(stream, event, 0); }
inline Error device_synchronize() noexcept { return cudaDeviceSynchronize(); }

inline Error event_create(Event* event) noexcept { return cudaEventCreateWithFlags(event, cudaEventDisableTiming); }
inline Error event_create_timed(Event* event) noexcept { return cudaEventCreate(event); }
inline Error event_destroy(Event event) noexcept { return cudaEventDestroy(event); }
inline Error event_record(Event event, Stream stream) noexcept { return cudaEventRecord(event, stream); }
inline Error event_synchronize(Event event) noexcept { return cudaEventSynchronize(event); }
inline Error event_query(Event event) noexcept { return cudaEventQuery(event); }
inline Error event_elapsed(float* milliseconds, Event start, Event end) noexcept {
  return cudaEventElapsedTime(milliseconds, start, end);
}

// --- launches ------------------------------------------------------------------------------------------------------
/// The driver's function, whose kernels have no context. The runtime has handles of these kernels since CUDA 12.1, and
/// lookup of a versioned function since 12.5: programs compiled with an older version do not use it.
#if CUDART_VERSION >= 12050
using DriverLaunch = CUresult (*)(const CUlaunchConfig*, CUfunction, void**, void**);
[[nodiscard]] inline DriverLaunch driver_launch() noexcept {
  static const auto launch = detail::driver_function<DriverLaunch>("cuLaunchKernelEx");
  return launch;
}
inline bool has_driver_launch() noexcept { return driver_launch() != nullptr; }
#else
inline bool has_driver_launch() noexcept { return false; }
#endif

/// A kernel of the program's own, a `__global__` function, in a stream of the current device.
inline Error launch_function(const void* function, std::int64_t blocks, int blocks_y, int threads,
                             std::size_t shared_bytes, Stream stream, void** arguments) noexcept {
  cudaLaunchConfig_t config{};
  config.gridDim = dim3(static_cast<unsigned>(blocks), static_cast<unsigned>(blocks_y), 1);
  config.blockDim = dim3(static_cast<unsigned>(threads), 1, 1);
  config.dynamicSmemBytes = shared_bytes;
  config.stream = stream;
  return cudaLaunchKernelExC(&config, function, arguments);
}

// --- memory ---------------------------------------------------------------------------------------------------------
/// A pool of device memory that keeps freed memory until it is trimmed. A stream never gets memory that another has
/// freed through a dependency that CUDA inserts between them: copies would wait for kernels, for no visible reason.
inline Error pool_create(MemoryPool* pool, int device) noexcept {
  cudaMemPoolProps properties{};
  properties.allocType = cudaMemAllocationTypePinned;
  properties.location.type = cudaMemLocationTypeDevice;
  properties.location.id = device;
  Error error = cudaMemPoolCreate(pool, &properties);
  if (error != success) return error;
  int no = 0;
  std::uint64_t keep_everything = UINT64_MAX;
  error = cudaMemPoolSetAttribute(*pool, cudaMemPoolReuseAllowInternalDependencies, &no);
  if (error == success) error = cudaMemPoolSetAttribute(*pool, cudaMemPoolAttrReleaseThreshold, &keep_everything);
  if (error != success) static_cast<void>(cudaMemPoolDestroy(*pool));
  return error;
}
inline Error pool_allocate(void** pointer, std::size_t bytes, MemoryPool pool, Stream stream) noexcept {
  return cudaMallocFromPoolAsync(pointer, bytes, pool, stream);
}
inline Error pool_free(void* pointer, Stream stream) noexcept { return cudaFreeAsync(pointer, stream); }
inline Error pool_trim(MemoryPool pool) noexcept { return cudaMemPoolTrimTo(pool, 0); }
/// Lets kernels and copies of `peer` access the memory of the pool.
inline Error pool_allow_peer(MemoryPool pool, int peer) noexcept {
  cudaMemAccessDesc access{};
  access.location.type = cudaMemLocationTypeDevice;
  access.location.id = peer;
  access.flags = cudaMemAccessFlagsProtReadWrite;
  return cudaMemPoolSetAccess(pool, &access, 1);
}

/// CUDA's information about the memory at an address; `device` is valid for `device` and `managed` memory.
enum class MemoryKind { pageable, pinned, device, managed };
struct PointerInfo {
  MemoryKind kind;
  int device;
};
inline Error pointer_info(PointerInfo* out, const void* pointer) noexcept {
  cudaPointerAttributes attributes{};
  const Error error = cudaPointerGetAttributes(&attributes, pointer);
  if (error != success) return error;
  const auto kind = attributes.type == cudaMemoryTypeDevice    ? MemoryKind::device
                    : attributes.type == cudaMemoryTypeManaged ? MemoryKind::managed
                    : attributes.type == cudaMemoryTypeHost    ? MemoryKind::pinned
                                                               : MemoryKind::pageable;
  *out = {kind, attributes.device};
  return success;
}

/// Pinned host memory, for all devices: kernels access it at the same address.
inline Error host_allocate(void** pointer, std::size_t bytes) noexcept {
  return cudaHostAlloc(pointer, bytes, cudaHostAllocPortable);
}
inline Error host_free(void* pointer) noexcept { return cudaFreeHost(pointer); }

/// Host memory given to a copy must be pinned; its bytes are read and written when the copy runs.
inline Error copy_to_device(void* to, const void* from, std::size_t bytes, Stream stream) noexcept {
  return cudaMemcpyAsync(to, from, bytes, cudaMemcpyHostToDevice, stream);
}
inline Error copy_to_host(void* to, const void* from, std::size_t bytes, Stream stream) noexcept {
  return cudaMemcpyAsync(to, from, bytes, cudaMemcpyDeviceToHost, stream);
}
inline Error copy_on_device(void* to, const void* from, std::size_t bytes, Stream stream) noexcept {
  return cudaMemcpyAsync(to, from, bytes, cudaMemcpyDeviceToDevice, stream);
}
/// From memory of another device, whose pool grants access to the stream's device. Not cudaMemcpyPeerAsync, which is
/// for memory without such access, and is known to lose the bytes if there is access (CUDA.jl's pull request 3112).
inline Error copy_from_peer(void* to, const void* from, std::size_t bytes, Stream stream) noexcept {
  return cudaMemcpyAsync(to, from, bytes, cudaMemcpyDefault, stream);
}
/// `height` rows of `width` bytes; the pitches are the distances of their starts, in bytes.
inline Error copy_rows_to_device(void* to, std::size_t to_pitch, const void* from, std::size_t from_pitch,
                                 std::size_t width, std::size_t height, Stream stream) noexcept {
  return cudaMemcpy2DAsync(to, to_pitch, from, from_pitch, width, height, cudaMemcpyHostToDevice, stream);
}
inline Error copy_rows_to_host(void* to, std::size_t to_pitch, const void* from, std::size_t from_pitch,
                               std::size_t width, std::size_t height, Stream stream) noexcept {
  return cudaMemcpy2DAsync(to, to_pitch, from, from_pitch, width, height, cudaMemcpyDeviceToHost, stream);
}
inline Error set_bytes(void* to, int value, std::size_t bytes, Stream stream) noexcept {
  return cudaMemsetAsync(to, value, bytes, stream);
}

// --- graphs ---------------------------------------------------------------------------------------------------------
/// Work put into the stream from now on is added to a graph and does not run. In thread-local mode: this thread must
/// not make calls that could wait; other threads are not restricted.
inline Error capture_begin(Stream stream) noexcept {
  return cudaStreamBeginCapture(stream, cudaStreamCaptureModeThreadLocal);
}
/// Also to be called after an error, so that the stream can be used again; the graph is then null.
inline Error capture_end(Stream stream, Graph* graph) noexcept { return cudaStreamEndCapture(stream, graph); }
/// Sets the mode of the calling thread to `mode`, and returns the previous one.
inline Error exchange_capture_mode(CaptureMode* mode) noexcept { return cudaThreadExchangeStreamCaptureMode(mode); }
inline Error graph_destroy(Graph graph) noexcept { return cudaGraphDestroy(graph); }
inline Error graph_nodes(Graph graph, std::size_t* count) noexcept { return cudaGraphGetNodes(graph, nullptr, count); }
inline Error graph_instantiate(GraphExec* made, Graph graph) noexcept { return cudaGraphInstantiate(made, graph, 0); }
inline Error graph_exec_destroy(GraphExec graph) noexcept { return cudaGraphExecDestroy(graph); }
/// Runs after the work in the stream, and after the last launch of the same graph.
inline Error graph_launch(GraphExec graph, Stream stream) noexcept { return cudaGraphLaunch(graph, stream); }

// --- notes for the emulation, which a real device does not need ------------------------------------------------------
/// From this point of `stream` on, the first `bytes` of the `capacity` bytes at `block` may be used; they are
/// uninitialized.
inline void note_allocated(void*, std::size_t, std::size_t, Stream) noexcept {}
/// From this point of `stream` on, none of the bytes may be used.
inline void note_freed(void*, std::size_t, Stream) noexcept {}

}  // namespace situ::internal::cuda::api
