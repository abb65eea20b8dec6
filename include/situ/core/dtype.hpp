// SPDX-License-Identifier: Apache-2.0
// The element types: `bool`, integers of 8 to 64 bits with and without a sign, `float16 bfloat16 float double`, their
// names and the type they compute in.
#pragma once

#include <bit>
#include <concepts>
#include <cstdint>
#include <string_view>
#include <type_traits>

#include <situ/core/config.hpp>

namespace situ {

using std::int16_t;
using std::int32_t;
using std::int64_t;
using std::int8_t;
using std::uint16_t;
using std::uint32_t;
using std::uint64_t;
using std::uint8_t;

// A GPU has instructions for the conversions below, each of which replaces a dozen integer ones. The bits are the same
// except for NaN, which a GPU converts to its own.

/// IEEE 754 binary16: a storage type. Expressions over it compute in `float` and round to nearest even when stored.
struct float16 {
  std::uint16_t bits = 0;

  constexpr float16() = default;

  /// Rounds to nearest even; overflow gives an infinity, NaN stays NaN.
  constexpr explicit float16(float value) {
#if defined(__CUDA_ARCH__)
    if (!std::is_constant_evaluated()) {
      asm("cvt.rn.f16.f32 %0, %1;" : "=h"(bits) : "f"(value));
      return;
    }
#endif
    const auto word = std::bit_cast<std::uint32_t>(value);
    const auto sign = static_cast<std::uint16_t>((word >> 16) & 0x8000u);
    const std::uint32_t magnitude = word & 0x7fffffffu;
    if (magnitude > 0x7f800000u) {
      bits = static_cast<std::uint16_t>(sign | 0x7e00u);
    } else if (magnitude >= 0x477ff000u) {  // rounds to 65536 or more
      bits = static_cast<std::uint16_t>(sign | 0x7c00u);
    } else if (magnitude >= 0x38800000u) {  // normal
      const std::uint32_t rounded = magnitude + 0x0fffu + ((magnitude >> 13) & 1u);
      bits = static_cast<std::uint16_t>(sign | ((rounded - 0x38000000u) >> 13));
    } else {  // subnormal: adding 0.5 leaves the bits of the result, rounded by the hardware, at the bottom
      const float shifted = std::bit_cast<float>(magnitude) + 0.5f;
      bits = static_cast<std::uint16_t>(sign | (std::bit_cast<std::uint32_t>(shifted) - 0x3f000000u));
    }
  }

  constexpr explicit operator float() const {
#if defined(__CUDA_ARCH__)
    if (!std::is_constant_evaluated()) {
      float value = 0;
      asm("cvt.f32.f16 %0, %1;" : "=f"(value) : "h"(bits));
      return value;
    }
#endif
    const std::uint32_t sign = (bits & 0x8000u) << 16;
    const std::uint32_t magnitude = bits & 0x7fffu;
    if (magnitude >= 0x7c00u) return std::bit_cast<float>(sign | 0x7f800000u | ((magnitude & 0x3ffu) << 13));
    if (magnitude >= 0x0400u) return std::bit_cast<float>(sign | ((magnitude << 13) + 0x38000000u));
    const float subnormal = static_cast<float>(magnitude) * 0x1p-24f;
    return std::bit_cast<float>(sign | std::bit_cast<std::uint32_t>(subnormal));
  }

  friend constexpr bool operator==(float16 a, float16 b) { return static_cast<float>(a) == static_cast<float>(b); }
};

/// The upper half of a `float`: a storage type, computed in `float` and rounded to nearest even when stored.
struct bfloat16 {
  std::uint16_t bits = 0;

  constexpr bfloat16() = default;

  /// Rounds to nearest even; NaN stays NaN.
  constexpr explicit bfloat16(float value) {
#if defined(__CUDA_ARCH__) && __CUDA_ARCH__ >= 800
    if (!std::is_constant_evaluated()) {
      asm("cvt.rn.bf16.f32 %0, %1;" : "=h"(bits) : "f"(value));
      return;
    }
#endif
    const auto word = std::bit_cast<std::uint32_t>(value);
    if ((word & 0x7fffffffu) > 0x7f800000u) {
      bits = static_cast<std::uint16_t>((word >> 16) | 0x0040u);
    } else {
      bits = static_cast<std::uint16_t>((word + 0x7fffu + ((word >> 16) & 1u)) >> 16);
    }
  }

  constexpr explicit operator float() const { return std::bit_cast<float>(static_cast<std::uint32_t>(bits) << 16); }

  friend constexpr bool operator==(bfloat16 a, bfloat16 b) { return static_cast<float>(a) == static_cast<float>(b); }
};

// Floats of 8 bits, complete in core/float8.hpp: programs that have none do not read their formulas.
struct float8_e4m3fn;
struct float8_e5m2;

template <class T, class... U>
concept OneOf = (std::same_as<T, U> || ...);

namespace internal {

/// Recognizes `std::complex<Part>` by its members, not by its name, so that programs without complex numbers do not
/// read <complex>, and the answer does not depend on which headers were included first.
template <class T, class Part>
concept HasComplexParts = OneOf<Part, float, double> && requires(const T& z) {
  requires std::same_as<typename T::value_type, Part>;
  { z.real() } -> std::same_as<Part>;
  { z.imag() } -> std::same_as<Part>;
};

template <class T>
inline constexpr bool is_complex = false;
template <template <class> class Complex, class Part>
inline constexpr bool is_complex<Complex<Part>> = HasComplexParts<Complex<Part>, Part>;

}  // namespace internal

/// Complex numbers: `std::complex<float>` and `std::complex<double>`. They need `#include <situ/complex.hpp>`.
template <class T>
concept ComplexElement = internal::is_complex<T>;

namespace internal {

/// Whether the header that `T` needs as an element was included: `situ/complex.hpp` makes this true for the two complex
/// types above, and for no other type with such members.
template <class T>
inline constexpr bool element_is_read = !ComplexElement<T>;

}  // namespace internal

/// Elements with a fraction: what `exp`, `mean` and `/` need.
template <class T>
concept FloatingElement = OneOf<T, float16, bfloat16, float, double>;

/// Integers, except `bool`.
template <class T>
concept IntegerElement = OneOf<T, int8_t, int16_t, int32_t, int64_t, uint8_t, uint16_t, uint32_t, uint64_t>;

/// Elements that can be added: all but `bool`.
template <class T>
concept NumberElement = FloatingElement<T> || IntegerElement<T>;

/// A type a tensor can hold.
template <class T>
concept Element = OneOf<T, bool, uint8_t, int32_t, int64_t, float16, bfloat16, float, double, int8_t, int16_t, uint16_t,
                        uint32_t, uint64_t, float8_e4m3fn, float8_e5m2> ||
                  ComplexElement<T>;

/// Elements that can only be stored, moved and cast: `#include <situ/float8.hpp>`.
template <class T>
concept StorageElement = OneOf<T, float8_e4m3fn, float8_e5m2>;

/// Elements that have gradients: floating and complex ones.
template <class T>
concept DifferentiableElement = FloatingElement<T> || ComplexElement<T>;

namespace internal {

/// The type of a complex element's parts; any other element type itself.
template <class T>
struct RealOf {
  using type = T;
};
template <ComplexElement T>
struct RealOf<T> {
  using type = typename T::value_type;
};

}  // namespace internal

/// The type that `RealOf` computes.
template <class T>
using real_t = typename internal::RealOf<T>::type;

/// The type that expressions over `T` compute in: `float` for 16-bit floats and for casts of 8-bit floats, else `T`.
template <Element T>
using compute_t = std::conditional_t<OneOf<T, float16, bfloat16> || StorageElement<T>, float, T>;

/// The name of an element type as NumPy and PyTorch spell it: `"float32"`, `"bfloat16"`, `"bool"`.
template <Element T>
[[nodiscard]] constexpr std::string_view dtype_name() noexcept {
  if constexpr (std::same_as<T, bool>) return "bool";
  else if constexpr (std::same_as<T, int8_t>) return "int8";
  else if constexpr (std::same_as<T, int16_t>) return "int16";
  else if constexpr (std::same_as<T, int32_t>) return "int32";
  else if constexpr (std::same_as<T, int64_t>) return "int64";
  else if constexpr (std::same_as<T, uint8_t>) return "uint8";
  else if constexpr (std::same_as<T, uint16_t>) return "uint16";
  else if constexpr (std::same_as<T, uint32_t>) return "uint32";
  else if constexpr (std::same_as<T, uint64_t>) return "uint64";
  else if constexpr (std::same_as<T, float16>) return "float16";
  else if constexpr (std::same_as<T, bfloat16>) return "bfloat16";
  else if constexpr (std::same_as<T, float8_e4m3fn>) return "float8_e4m3fn";
  else if constexpr (std::same_as<T, float8_e5m2>) return "float8_e5m2";
  else if constexpr (std::same_as<T, float>) return "float32";
  else if constexpr (ComplexElement<T>) return sizeof(T) == 8 ? "complex64" : "complex128";
  else return "float64";
}

}  // namespace situ
