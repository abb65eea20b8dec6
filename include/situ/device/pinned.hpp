// SPDX-License-Identifier: Apache-2.0
// `Pinned`: page-locked host memory, the only host memory that asynchronous copies accept.
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <string>

#include <situ/cudart/host_blocks.hpp>
#include <situ/device/cpu.hpp>
#include <situ/device/device.hpp>
#include <situ/device/host_memory.hpp>

namespace situ {

/// Page-locked host memory; computes as `Cpu` does. In a build without CUDA, and where there is no GPU, there is
/// nothing to lock pages for, and it is ordinary host memory. Printed as `pinned`.
struct Pinned {
  using backend = host::Backend;
  static constexpr bool host_accessible = true;

  [[nodiscard]] static std::string name() { return "pinned"; }

#if defined(SITU_CUDA)
  [[nodiscard]] static void* allocate(std::size_t bytes) {
    return cuda::locks_pages() ? cuda::allocate_pinned(bytes) : memory::allocate_host(bytes);
  }
  static void deallocate(void* pointer, std::size_t bytes) noexcept {
    if (cuda::locks_pages())
      cuda::free_pinned(pointer);
    else
      memory::deallocate_host(pointer, bytes);
  }

  // What a caching pool asks; see memory/device_hooks.hpp. `word` tells the copies in flight that read the block.
  static void deallocate(void* pointer, std::size_t bytes, std::atomic<std::uintptr_t>& word) noexcept {
    cuda::finish_copies(word);
    deallocate(pointer, bytes);
  }
  static void acquired(std::atomic<std::uintptr_t>& word, void*, std::size_t, std::size_t) noexcept {
    if (word.load(std::memory_order_relaxed) != 0) [[unlikely]]
      cuda::finish_copies(word);
  }
  static void released(std::atomic<std::uintptr_t>& word, void*, std::size_t) noexcept {
    if (word.load(std::memory_order_acquire) != 0 && cuda::copies_are_over(word)) cuda::finish_copies(word);
  }
  [[nodiscard]] static cuda::WantedHostBlocks wanted() noexcept { return {}; }
  [[nodiscard]] static bool idle(std::atomic<std::uintptr_t>& word) noexcept { return cuda::copies_are_over(word); }
#else
  [[nodiscard]] static void* allocate(std::size_t bytes) { return memory::allocate_host(bytes); }
  static void deallocate(void* pointer, std::size_t bytes) noexcept { memory::deallocate_host(pointer, bytes); }
#endif
};

static_assert(HostDevice<Pinned>, "Pinned models HostDevice");

}  // namespace situ
