// SPDX-License-Identifier: Apache-2.0
// Memory that another library owns: checks that it is on the device of the tensor's type, and orders it with other
// libraries' streams.
#pragma once

#include <cstddef>
#include <cstdint>
#include <mutex>
#include <string>

#include <situ/core/error.hpp>
#include <situ/core/foreign_stream.hpp>
#include <situ/cuda/api/api.hpp>
#include <situ/cuda/api/error.hpp>
#include <situ/cuda/runtime/device_guard.hpp>
#include <situ/cuda/runtime/device_map.hpp>
#include <situ/cuda/runtime/device_state.hpp>
#include <situ/cuda/runtime/event_pool.hpp>
#include <situ/cuda/runtime/host_blocks.hpp>
#include <situ/cuda/runtime/stream.hpp>
#include <situ/cuda/runtime/stream_state.hpp>
#include <situ/cuda/runtime/tracker.hpp>

#if defined(SITU_CUDA)

namespace situ::internal::cuda {

namespace detail {

/// The name of the memory at an address in errors. GPUs have CUDA's number, which may not be that of a `Cuda<N>` if
/// devices are mapped.
[[nodiscard]] inline std::string memory_name(const api::PointerInfo& info) {
  switch (info.kind) {
    case api::MemoryKind::device:
      return "memory of GPU " + std::to_string(info.device);
    case api::MemoryKind::managed:
      return "managed memory of GPU " + std::to_string(info.device);
    case api::MemoryKind::pinned:
      return "pinned memory of the host";
    case api::MemoryKind::pageable:
      break;
  }
  return "pageable memory of the host";
}

/// `native` is null for a stream that cannot have work: the emulation has no default streams.
[[nodiscard]] inline bool native_stream(ForeignStream stream, api::Stream& native) noexcept {
  if (!stream || (api::emulated && stream.is_default())) return false;
  native = reinterpret_cast<api::Stream>(stream.number());
  return true;
}

}  // namespace detail

/// Whether this process already uses a GPU, so that a query does not create a context.
[[nodiscard]] inline bool any_gpu_in_use() noexcept {
  for (const auto& state : detail::device_states) {
    if (state.load(std::memory_order_acquire) != nullptr) return true;
  }
  return false;
}

/// Throws `InteropError` for GPU memory that is to be a tensor on a host device.
inline void require_host_memory(const void* data, const std::string& device) {
  if (!any_gpu_in_use()) return;
  const UncapturedCalls calls;
  const DeviceState& device_in_use = any_device_state();
  choose_device(device_in_use.physical, device_in_use.ordinal);
  api::PointerInfo info{};
  check(api::pointer_info(&info, data), "cudaPointerGetAttributes", device_in_use.ordinal);
  if (info.kind != api::MemoryKind::device) return;
  throw InteropError("the tensor is to be on " + device + ", and the elements are in " + detail::memory_name(info) +
                     "; import them to Cuda<" + std::to_string(info.device) + ">, and call .to<Cpu>()");
}

namespace detail {

/// Orders the work now in another library's stream before all work put into `ours` from now on.
inline void wait_uncaptured(StreamState& ours, ForeignStream other) {
  api::Stream native{};
  if (!native_stream(other, native)) return;
  const DeviceGuard guard(ours.device->physical, ours.ordinal);  // a default stream is that of the current device
  const PooledEvent done(*ours.device);
  check(api::event_record(done.get(), native), "cudaEventRecord in a stream of another library", ours.ordinal);
  check(api::stream_wait(ours.stream, done.get()), "cudaStreamWaitEvent", ours.ordinal);
}

/// Orders the work now in `ours` before later work in another library's stream; without such a stream the host waits.
inline void let_wait_uncaptured(ForeignStream other, StreamState& ours) {
  const DeviceGuard guard(ours.device->physical, ours.ordinal);
  api::Stream native{};
  if (!native_stream(other, native)) {
    check(api::stream_synchronize(ours.stream), "cudaStreamSynchronize", ours.ordinal);
    return;
  }
  const std::lock_guard lock(ours.mutex);
  check(api::event_record(ours.tail, ours.stream), "cudaEventRecord", ours.ordinal);
  check(api::stream_wait(native, ours.tail), "cudaStreamWaitEvent of a stream of another library", ours.ordinal);
}

}  // namespace detail

/// `import_memory` of a GPU; see memory/device_hooks.hpp.
inline void import_device_memory(BlockWord& word, int ordinal, const void* data, ForeignStream stream) {
  refuse_in_capture("importing memory", "import it before, and make the tensor an input of the function");
  StreamState* const ours = current_stream(ordinal);
  choose_device(ours->device->physical, ordinal);
  api::PointerInfo info{};
  check(api::pointer_info(&info, data), "cudaPointerGetAttributes", ordinal);
  const bool of_a_gpu = info.kind == api::MemoryKind::device || info.kind == api::MemoryKind::managed;
  if (!of_a_gpu || (info.kind == api::MemoryKind::device && info.device != ours->device->physical)) {
    throw InteropError("the tensor is to be on " + device_name(ordinal) + ", GPU " +
                       std::to_string(ours->device->physical) + " for CUDA, and the elements are in " +
                       detail::memory_name(info) + "; import them to " + (of_a_gpu ? "the device of that GPU" : "Cpu") +
                       ", and call .to<Cuda<" + std::to_string(ordinal) + ">>()");
  }
  detail::wait_uncaptured(*ours, stream);
  word.store(detail::word_of(ours), std::memory_order_relaxed);
}

/// `end_import` of a GPU.
inline void end_device_import(BlockWord& word, ForeignStream stream) noexcept {
  const UncapturedCalls calls;
  StreamState* const home = home_of(word);
  try {
    gather_at_home(word);
    // The default stream of the importing thread need not be that of the releasing one.
    detail::let_wait_uncaptured(stream.is_of_thread() ? ForeignStream() : stream, *home);
  } catch (...) {  // the stream is gone, or the context is lost
    choose_device(home->device->physical, home->ordinal);
    for (StreamState* const each : streams_of(*home->device)) ignore(api::stream_synchronize(each->stream));
  }
  delete detail::uses_of(word.exchange(0, std::memory_order_acq_rel));
}

/// Called when the block is handed to another library, whose work in `stream` comes after ours, including reads if the
/// library may write. Without a stream the caller orders the work.
inline void begin_device_export(BlockWord& word, ForeignStream stream, bool writable) {
  refuse_in_capture("handing a tensor to another library", nothing_to_wait_for);
  if (writable) gather_at_home(word);
  if (stream) detail::let_wait_uncaptured(stream, *home_of(word));
}
/// Called when the other library is done, except for its queued work.
inline void end_device_export(BlockWord& word, ForeignStream stream) noexcept {
  if (!stream) return;
  const UncapturedCalls calls;
  StreamState* const home = home_of(word);
  try {
    if (!stream.is_of_thread()) return detail::wait_uncaptured(*home, stream);
  } catch (...) {  // the stream is gone
  }
  // The default stream of another thread, or an unknown one: the host waits for all work of the GPU.
  try {
    const DeviceGuard guard(home->device->physical, home->ordinal);
    ignore(api::device_synchronize());
  } catch (...) {  // the context is lost
  }
}

/// `import_memory` of pinned memory.
inline void import_pinned_memory(const void* data) {
  if (!locks_pages()) return;
  const UncapturedCalls calls;
  const DeviceState& device = any_device_state();
  choose_device(device.physical, device.ordinal);
  api::PointerInfo info{};
  check(api::pointer_info(&info, data), "cudaPointerGetAttributes", device.ordinal);
  if (info.kind == api::MemoryKind::pinned) return;
  throw InteropError("the tensor is to be on pinned, and the elements are in " + detail::memory_name(info) +
                     "; import them to " + (info.kind == api::MemoryKind::pageable ? "Cpu" : "the device of that GPU") +
                     ", and call .to<Pinned>()");
}

}  // namespace situ::internal::cuda

#endif
