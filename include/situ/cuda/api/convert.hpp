// SPDX-License-Identifier: Apache-2.0
// Conversions in kernels, where a GPU has an instruction for what core/dtype.hpp does with integers.
#pragma once

#include <concepts>
#include <cstdint>

#include <situ/core/dtype.hpp>
#include <situ/cuda/api/vector.hpp>

namespace situ::internal::cuda::kernel {

/// `static_cast<To>(value)` between an element type and the type that it computes in. To and from `float16` it is one
/// instruction on a GPU instead of about twenty; the bits are the same, but that a NaN which is read becomes the GPU's
/// own.
template <class To, class From>
SITU_DEVICE To converted(From value) {
#if defined(__CUDA_ARCH__)
  if constexpr (std::same_as<From, float16> && std::same_as<To, float>) {
    float result;
    asm("cvt.f32.f16 %0, %1;" : "=f"(result) : "h"(value.bits));
    return result;
  } else if constexpr (std::same_as<From, float> && std::same_as<To, float16>) {
    float16 result;
    asm("cvt.rn.f16.f32 %0, %1;" : "=h"(result.bits) : "f"(value));
    const auto sign = static_cast<std::uint16_t>((__builtin_bit_cast(std::uint32_t, value) >> 16) & 0x8000u);
    if (value != value) result.bits = static_cast<std::uint16_t>(sign | 0x7e00u);
    return result;
  } else {
    return static_cast<To>(value);
  }
#else
  return static_cast<To>(value);
#endif
}

}  // namespace situ::internal::cuda::kernel
