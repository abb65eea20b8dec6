// SPDX-License-Identifier: Apache-2.0
// `Cuda<N>`: the memory of one GPU, by its ordinal. Every build can name the type, so that placement errors are the
// same everywhere; allocating in a build without the CUDA backend throws `DeviceUnavailable`.
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <string>

#include <situ/core/error.hpp>
#include <situ/core/foreign_stream.hpp>
#include <situ/cuda/api/api.hpp>
#include <situ/cuda/api/backend.hpp>
#include <situ/cuda/runtime/copy_in_flight.hpp>
#include <situ/cuda/runtime/device_blocks.hpp>
#include <situ/cuda/runtime/device_map.hpp>
#include <situ/cuda/runtime/device_memory.hpp>
#include <situ/cuda/runtime/imported_memory.hpp>
#include <situ/cuda/runtime/stream.hpp>
#include <situ/cuda/runtime/tracker.hpp>
#include <situ/device/device.hpp>

namespace situ {

/// The memory of GPU number `Ordinal`. Printed as `cuda:Ordinal`, or `cuda:Ordinal (emulated)`.
template <int Ordinal>
struct Cuda {
  static_assert(Ordinal >= 0, "a GPU's ordinal is 0 or more");

  using backend = internal::cuda::Backend;
  static constexpr int ordinal = Ordinal;
  static constexpr bool host_accessible = false;
  using copy_in_flight = internal::cuda::CopyInFlight;  // what `Pending` waits for

  /// Throws `DeviceUnavailable` with the number of GPUs found and the reason.
  [[noreturn]] static void fail() { internal::cuda::fail_unavailable(Ordinal, name()); }

#if defined(SITU_CUDA)
  [[nodiscard]] static std::string name() { return internal::cuda::device_name(Ordinal); }

  /// The tag with the stream into which this thread's work is put.
  [[nodiscard]] static backend queue() { return {Ordinal, internal::cuda::current_stream(Ordinal)}; }

  /// Memory for work in this thread's stream.
  [[nodiscard]] static void* allocate(std::size_t bytes) {
    return internal::cuda::allocate_bytes(*internal::cuda::current_stream(Ordinal), bytes);
  }
  /// The last stream that used the memory must have been waited for.
  static void deallocate(void* pointer, std::size_t) noexcept {
    internal::cuda::free_bytes(*internal::cuda::device_state(Ordinal).compute, pointer);
  }

  // Hooks for a caching pool; see memory/device_hooks.hpp. `word` is the block's word for the stream tracker.
  static void deallocate(void* pointer, std::size_t, std::atomic<std::uintptr_t>& word) noexcept {
    internal::cuda::free_block(pointer, word);
  }
  static void acquired(std::atomic<std::uintptr_t>& word, void* data, std::size_t bytes, std::size_t capacity) {
    internal::cuda::acquire_block(word, internal::cuda::current_stream(Ordinal), data, bytes, capacity);
  }
  static void released(std::atomic<std::uintptr_t>& word, void* data, std::size_t capacity) noexcept {
    internal::cuda::release_block(word, data, capacity);
  }
  [[nodiscard]] static internal::cuda::WantedBlocks wanted() {
    return internal::cuda::wanted_blocks(internal::cuda::current_stream(Ordinal));
  }
  [[nodiscard]] static bool caches() noexcept { return internal::cuda::caching(); }
  // While a function is captured, its memory is the graph's own.
  [[nodiscard]] static bool lends() noexcept { return internal::cuda::records(); }
  [[nodiscard]] static internal::memory::Block* lend(std::size_t bytes) {
    return internal::cuda::lend_block(Ordinal, bytes);
  }
  // Hooks for memory of another library.
  static void import_memory(std::atomic<std::uintptr_t>& word, const void* data, std::size_t, ForeignStream stream) {
    internal::cuda::import_device_memory(word, Ordinal, data, stream);
  }
  static void end_import(std::atomic<std::uintptr_t>& word, ForeignStream stream) noexcept {
    internal::cuda::end_device_import(word, stream);
  }
  static void serve_pool(void (*flush)() noexcept, bool (*admits_workspace)() noexcept) {
    internal::cuda::DeviceState& device = internal::cuda::device_state(Ordinal);
    device.flush.store(flush, std::memory_order_release);
    device.admits_workspace.store(admits_workspace, std::memory_order_release);
  }
  static void reclaim() { internal::cuda::reclaim(internal::cuda::device_state(Ordinal)); }
  [[nodiscard]] static std::size_t workspace() noexcept {
    if constexpr (Ordinal < internal::cuda::max_devices)
      return internal::cuda::workspace_bytes[Ordinal].load(std::memory_order_relaxed);
    else return 0;
  }
  static void shed_workspace() noexcept { internal::cuda::shed_if_used(Ordinal); }
  static void trim() { internal::cuda::trim_if_used(Ordinal); }
  static void system_memory(std::size_t& free, std::size_t& total) {
    const internal::cuda::MemoryInfo info = internal::cuda::memory_info(internal::cuda::device_state(Ordinal));
    free = info.free;
    total = info.total;
  }
#else
  [[nodiscard]] static std::string name() { return "cuda:" + std::to_string(Ordinal); }
  [[noreturn]] static void* allocate(std::size_t) { fail(); }
  static void deallocate(void*, std::size_t) noexcept {}
#endif
};

static_assert(Device<Cuda<0>> && !HostDevice<Cuda<0>>, "Cuda<0> is a device whose memory the host cannot read");

}  // namespace situ
