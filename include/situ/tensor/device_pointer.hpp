// SPDX-License-Identifier: Apache-2.0
// `DevicePointer`: the address of elements in a device's own memory, for kernels only.
#pragma once

#include <cstdint>

#include <situ/core/dtype.hpp>
#include <situ/device/cpu.hpp>
#include <situ/device/device.hpp>
#include <situ/device/diagnostics.hpp>

namespace situ {

/// A pointer into memory of device `D`, which the host cannot read or write: the result of `device_data()` of a lease.
/// It converts to a kernel's pointer only where a cast asks for that.
///
///     auto w = x.write();                                     // Tensor<float, Cuda<0>> x
///     scale<<<blocks, 256>>>(static_cast<float*>(w.device_data()), w.size());
template <Element T, Device D>
class DevicePointer {
 public:
  constexpr explicit DevicePointer(T* address) noexcept : address_(address) {}

  [[nodiscard]] constexpr explicit operator T*() const noexcept { return address_; }

  /// Advanced by this many elements.
  [[nodiscard]] constexpr DevicePointer operator+(std::int64_t elements) const noexcept {
    return DevicePointer(address_ + elements);
  }
  friend constexpr bool operator==(const DevicePointer&, const DevicePointer&) = default;

  // The host has no access: the message is the name of these functions' result type.
  typename the_host_cannot_read_memory_of<D>::template fix_call_dot_to<Cpu> operator*() const = delete;
  typename the_host_cannot_read_memory_of<D>::template fix_call_dot_to<Cpu> operator[](std::int64_t) const = delete;

 private:
  T* address_;
};

}  // namespace situ
