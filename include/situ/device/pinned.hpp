// SPDX-License-Identifier: Apache-2.0
// `Pinned`: page-locked host memory, the only host memory that asynchronous copies accept.
#pragma once

#include <cstddef>
#include <string>

#include <situ/device/cpu.hpp>
#include <situ/device/device.hpp>
#include <situ/device/host_memory.hpp>

namespace situ {

/// Page-locked host memory; computes as `Cpu` does. In a build without CUDA there is nothing to lock pages for, and it
/// is ordinary host memory. Printed as `pinned`.
struct Pinned {
  using backend = host::Backend;
  static constexpr bool host_accessible = true;

  [[nodiscard]] static std::string name() { return "pinned"; }
  [[nodiscard]] static void* allocate(std::size_t bytes) { return memory::allocate_host(bytes); }
  static void deallocate(void* pointer, std::size_t bytes) noexcept { memory::deallocate_host(pointer, bytes); }
};

static_assert(HostDevice<Pinned>, "Pinned models HostDevice");

}  // namespace situ
