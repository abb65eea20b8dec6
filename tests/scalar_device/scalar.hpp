// SPDX-License-Identifier: Apache-2.0
// `scalar_device::Scalar`: a device whose kernels are plain loops over elements. What is written here is all that a device
// needs (docs/adding.md, "a device"), and what it computes is the oracle of the other devices' kernels.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>

#include <situ/device/device.hpp>
#include <situ/device/host_memory.hpp>

namespace scalar_device {

// [device]
/// The tag by which overload resolution finds the kernels: they are functions of this namespace whose first parameter it
/// is.
struct Backend {
  static constexpr bool present = true;
};

/// Memory of the host, computed on one element at a time. Printed as `scalar`.
struct Scalar {
  using backend = Backend;
  static constexpr bool host_accessible = true;

  [[nodiscard]] static std::string name() { return "scalar"; }
  [[nodiscard]] static void* allocate(std::size_t bytes) { return situ::internal::memory::allocate_host(bytes); }
  static void deallocate(void* pointer, std::size_t bytes) noexcept { situ::internal::memory::deallocate_host(pointer, bytes); }
};
// [device-end]

static_assert(situ::HostDevice<Scalar>, "Scalar models HostDevice");

}  // namespace scalar_device
