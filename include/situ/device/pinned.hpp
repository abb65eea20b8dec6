// SPDX-License-Identifier: Apache-2.0
// `Pinned`: page-locked host memory, the only host memory that asynchronous copies accept.
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <string>

#include <situ/core/foreign_stream.hpp>
#include <situ/cuda/runtime/copy_in_flight.hpp>
#include <situ/cuda/runtime/host_blocks.hpp>
#include <situ/cuda/runtime/imported_memory.hpp>
#include <situ/device/cpu.hpp>
#include <situ/device/device.hpp>
#include <situ/device/host_memory.hpp>

namespace situ {

/// Page-locked host memory; computes as `Cpu` does. In a build without CUDA, or without a GPU, it is ordinary host
/// memory. Printed as `pinned`.
struct Pinned {
  using backend = internal::cpu::Backend;
  static constexpr bool host_accessible = true;
  using copy_in_flight = internal::cuda::CopyInFlight;  // what `Pending` waits for

  [[nodiscard]] static std::string name() { return "pinned"; }

#if defined(SITU_CUDA)
  [[nodiscard]] static void* allocate(std::size_t bytes) {
    return internal::cuda::locks_pages() ? internal::cuda::allocate_pinned(bytes)
                                         : internal::memory::allocate_host(bytes);
  }
  static void deallocate(void* pointer, std::size_t bytes) noexcept {
    if (internal::cuda::locks_pages()) internal::cuda::free_pinned(pointer);
    else internal::memory::deallocate_host(pointer, bytes);
  }

  // Hooks for a caching pool; see memory/device_hooks.hpp. `word` tracks the copies in flight that read the block.
  static void deallocate(void* pointer, std::size_t bytes, std::atomic<std::uintptr_t>& word) noexcept {
    internal::cuda::finish_copies(word);
    deallocate(pointer, bytes);
  }
  static void acquired(std::atomic<std::uintptr_t>& word, void*, std::size_t, std::size_t) noexcept {
    if (word.load(std::memory_order_relaxed) != 0) [[unlikely]]
      internal::cuda::finish_copies(word);
  }
  static void released(std::atomic<std::uintptr_t>& word, void*, std::size_t) noexcept {
    if (word.load(std::memory_order_acquire) != 0 && internal::cuda::copies_are_over(word))
      internal::cuda::finish_copies(word);
  }
  static void import_memory(std::atomic<std::uintptr_t>&, const void* data, std::size_t, ForeignStream) {
    internal::cuda::import_pinned_memory(data);
  }
  static void end_import(std::atomic<std::uintptr_t>& word, ForeignStream) noexcept {
    internal::cuda::finish_copies(word);
  }
  [[nodiscard]] static internal::cuda::WantedHostBlocks wanted() noexcept { return {}; }
  [[nodiscard]] static bool idle(std::atomic<std::uintptr_t>& word) noexcept {
    return internal::cuda::copies_are_over(word);
  }
#else
  [[nodiscard]] static void* allocate(std::size_t bytes) { return internal::memory::allocate_host(bytes); }
  static void deallocate(void* pointer, std::size_t bytes) noexcept {
    internal::memory::deallocate_host(pointer, bytes);
  }
#endif

  /// Called before each kernel, whose working memory is the CPU's.
  static void begin_kernel() noexcept { Cpu::begin_kernel(); }
};

static_assert(HostDevice<Pinned>, "Pinned models HostDevice");

}  // namespace situ
