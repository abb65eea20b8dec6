// SPDX-License-Identifier: Apache-2.0
// `DevicePointer`: the address of elements in a device's own memory, for kernels only.
#pragma once

#include <concepts>
#include <cstdint>
#include <type_traits>

#include <situ/core/dtype.hpp>
#include <situ/device/cpu.hpp>
#include <situ/device/device.hpp>
#include <situ/device/diagnostics.hpp>

namespace situ {

/// A pointer to elements `T` in memory of device `D`, which the host cannot read or write; to `const T` if it is for
/// reading. `device_data()` of a tensor or of a lease returns one, and `launch_on` passes one for each operand. It
/// converts to a kernel's pointer in `LaunchStream::launch`, and elsewhere only where a cast asks for that.
///
///     auto w = x.write();                                     // Tensor<float, Cuda<0>> x
///     scale<<<blocks, 256, 0, stream.native()>>>(static_cast<float*>(w.device_data()), w.size());
template <class T, Device D>
  requires Element<std::remove_const_t<T>>
class DevicePointer {
 public:
  using element_type = T;
  using device_type = D;

  constexpr explicit DevicePointer(T* address) noexcept : address_(address) {}
  /// What may be written may be read.
  template <class U>
    requires(std::same_as<const U, T>)
  constexpr DevicePointer(const DevicePointer<U, D>& written) noexcept : address_(static_cast<U*>(written)) {}

  [[nodiscard]] constexpr explicit operator T*() const noexcept { return address_; }

  /// Advanced by this many elements.
  [[nodiscard]] constexpr DevicePointer operator+(std::int64_t elements) const noexcept {
    return DevicePointer(address_ + elements);
  }
  friend constexpr bool operator==(const DevicePointer&, const DevicePointer&) = default;

  // The host has no access: the message is the name of the default argument, which every compiler prints.
  template <class Fix = typename the_host_cannot_read_memory_of<D>::template fix_call_dot_to<Cpu>>
  Fix operator*() const = delete;
  template <class Fix = typename the_host_cannot_read_memory_of<D>::template fix_call_dot_to<Cpu>>
  Fix operator[](std::int64_t) const = delete;

 private:
  T* address_;
};

}  // namespace situ
