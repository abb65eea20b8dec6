// SPDX-License-Identifier: Apache-2.0
// `Cpu`: ordinary host memory; all cores compute.
#pragma once

#include <cstddef>
#include <string>

#include <situ/core/config.hpp>
#include <situ/device/device.hpp>
#include <situ/device/host_memory.hpp>
#include <situ/device/host_workspace.hpp>

namespace situ {

// The tag names the settings that change code: a function over `Tensor<float, Cpu>` compiled for AVX-512 has a
// different symbol from one compiled for AVX2, so that mixed object files fail to link. (Rejected: an inline namespace,
// which does the same but appears in every error message.)
#if defined(__AVX512F__) && defined(__AVX512DQ__) && defined(__AVX512BW__) && defined(__AVX512VL__)
struct [[gnu::abi_tag("avx512")]] Cpu;
struct [[gnu::abi_tag("avx512")]] Pinned;
namespace internal::inline SITU_SETTINGS::cpu {
struct [[gnu::abi_tag("avx512")]] Backend;
}  // namespace internal::inline SITU_SETTINGS::cpu
#elif defined(__AVX2__) && defined(__FMA__) && defined(__F16C__)
struct [[gnu::abi_tag("avx2")]] Cpu;
struct [[gnu::abi_tag("avx2")]] Pinned;
namespace internal::inline SITU_SETTINGS::cpu {
struct [[gnu::abi_tag("avx2")]] Backend;
}  // namespace internal::inline SITU_SETTINGS::cpu
#else
struct [[gnu::abi_tag("baseline")]] Cpu;
struct [[gnu::abi_tag("baseline")]] Pinned;
namespace internal::inline SITU_SETTINGS::cpu {
struct [[gnu::abi_tag("baseline")]] Backend;
}  // namespace internal::inline SITU_SETTINGS::cpu
#endif

/// The tag by which overload resolution finds the kernels of `cpu/`.
struct internal::cpu::Backend {
  static constexpr bool present = true;
};

/// Pageable host memory, on which the library's own SIMD vectors and threads compute. Printed as `cpu`.
struct Cpu {
  using backend = internal::cpu::Backend;
  static constexpr bool host_accessible = true;

  [[nodiscard]] static std::string name() { return "cpu"; }
  [[nodiscard]] static void* allocate(std::size_t bytes) { return internal::memory::allocate_host(bytes); }
  static void deallocate(void* pointer, std::size_t bytes) noexcept {
    internal::memory::deallocate_host(pointer, bytes);
  }

  // Hooks of memory/device_hooks.hpp and of `call_kernel`.
  [[nodiscard]] static std::size_t workspace() noexcept { return internal::memory::HostWorkspace::bytes(); }
  static void shed_workspace() noexcept { internal::memory::HostWorkspace::release_all(); }
  static void begin_kernel() noexcept { ++internal::memory::kernels_begun; }
};

static_assert(HostDevice<Cpu>, "Cpu models HostDevice");

}  // namespace situ
