// SPDX-License-Identifier: Apache-2.0
// Devices and element types as DLPack's numbers, and the names of these numbers for errors.
#pragma once

#include <concepts>
#include <cstdint>
#include <string>
#include <type_traits>

#include <situ/core/dtype.hpp>
#include <situ/cuda/runtime/device_state.hpp>
#include <situ/cuda/runtime/host_blocks.hpp>
#include <situ/device/cpu.hpp>
#include <situ/device/cuda.hpp>
#include <situ/device/device.hpp>
#include <situ/device/pinned.hpp>
#include <situ/interop/dlpack_abi.hpp>

namespace situ::internal {

/// The element type `T` in DLPack's form.
template <Element T>
[[nodiscard]] constexpr dlpack::DataType dlpack_type() noexcept {
  const auto bits = static_cast<std::uint8_t>(8 * sizeof(T));
  if constexpr (std::same_as<T, bool>) return {dlpack::bool_code, bits, 1};
  else if constexpr (std::same_as<T, bfloat16>) return {dlpack::bfloat_code, bits, 1};
  else if constexpr (std::same_as<T, float8_e4m3fn>) return {dlpack::float8_e4m3fn_code, bits, 1};
  else if constexpr (std::same_as<T, float8_e5m2>) return {dlpack::float8_e5m2_code, bits, 1};
  else if constexpr (FloatingElement<T>) return {dlpack::float_code, bits, 1};
  else if constexpr (ComplexElement<T>) return {dlpack::complex_code, bits, 1};
  else return {std::is_signed_v<T> ? dlpack::int_code : dlpack::uint_code, bits, 1};
}

/// CUDA's number of GPU `Ordinal`: the ordinal itself unless devices are mapped.
template <int Ordinal>
[[nodiscard]] std::int32_t cuda_number(Cuda<Ordinal>) {
#if defined(SITU_CUDA)
  return cuda::device_state(Ordinal).physical;
#else
  return Ordinal;
#endif
}

/// The DLPack device of `D`'s memory. Throws `DeviceUnavailable`.
template <Device D>
[[nodiscard]] dlpack::Device dlpack_device() {
  if constexpr (std::same_as<D, Pinned>) {
#if defined(SITU_CUDA)
    if (cuda::locks_pages()) return {dlpack::cuda_host_device, 0};
#endif
    return {dlpack::cpu_device, 0};
  } else if constexpr (HostDevice<D>) {
    return {dlpack::cpu_device, 0};
  } else {
    return {dlpack::cuda_device, cuda_number(D{})};
  }
}

/// Whether a tensor on `D` may be stored there. Pinned memory also counts as the host's, and managed memory as its
/// GPU's.
template <Device D>
[[nodiscard]] bool dlpack_device_fits(const dlpack::Device& device) {
  if constexpr (HostDevice<D>) {
    const std::int32_t wanted = dlpack_device<D>().device_type;
    return device.device_type == wanted ||
           (wanted == dlpack::cpu_device && device.device_type == dlpack::cuda_host_device);
  } else {
    const bool of_cuda = device.device_type == dlpack::cuda_device || device.device_type == dlpack::cuda_managed_device;
    return of_cuda && device.device_id == dlpack_device<D>().device_id;
  }
}

/// "cuda:1", "cpu", "device type 8, number 0".
[[nodiscard]] inline std::string device_text(const dlpack::Device& device) {
  const std::string number = ":" + std::to_string(device.device_id);
  switch (device.device_type) {
    case dlpack::cpu_device:
      return "cpu";
    case dlpack::cuda_device:
      return "cuda" + number;
    case dlpack::cuda_host_device:
      return "pinned memory of the host";
    case dlpack::cuda_managed_device:
      return "managed memory of cuda" + number;
    case dlpack::rocm_device:
      return "rocm" + number;
    case dlpack::rocm_host_device:
      return "pinned memory of the host (rocm)";
    default:
      break;
  }
  return "device type " + std::to_string(device.device_type) + ", number " + std::to_string(device.device_id);
}

/// "float32", "complex64", "type code 7 of 8 bits", with its lanes if there are several.
[[nodiscard]] inline std::string dtype_text(const dlpack::DataType& type) {
  const std::string bits = std::to_string(type.bits);
  const auto name = [&]() -> std::string {
    switch (type.code) {
      case dlpack::int_code:
        return "int" + bits;
      case dlpack::uint_code:
        return "uint" + bits;
      case dlpack::float_code:
        return "float" + bits;
      case dlpack::bfloat_code:
        return "bfloat" + bits;
      case dlpack::float8_e4m3fn_code:
        return "float8_e4m3fn";
      case dlpack::float8_e5m2_code:
        return "float8_e5m2";
      case dlpack::complex_code:
        return "complex" + bits;
      case dlpack::bool_code:
        return type.bits == 8 ? "bool" : "bool of " + bits + " bits";
      default:
        return "type code " + std::to_string(type.code) + " of " + bits + " bits";
    }
  };
  return type.lanes == 1 ? name() : name() + " in " + std::to_string(type.lanes) + " lanes";
}

/// The C++ type of a device, for the advice in errors; empty if situ has none.
[[nodiscard]] inline std::string device_type_text(const dlpack::Device& device) {
  switch (device.device_type) {
    case dlpack::cpu_device:
      return "Cpu";
    case dlpack::cuda_host_device:
      return "Pinned";
    case dlpack::cuda_device:
    case dlpack::cuda_managed_device:
      return "Cuda<" + std::to_string(device.device_id) + ">";
    default:
      return {};
  }
}
template <Device D>
[[nodiscard]] std::string device_type_text() {
  if constexpr (std::same_as<D, Pinned>) return "Pinned";
  else if constexpr (HostDevice<D>) return "Cpu";
  else return "Cuda<" + std::to_string(D::ordinal) + ">";
}

}  // namespace situ::internal
