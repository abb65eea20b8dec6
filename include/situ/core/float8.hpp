// SPDX-License-Identifier: Apache-2.0
// 8-bit floats, `float8_e4m3fn` and `float8_e5m2`, and their conversions, written once for scalars and lanes.
#pragma once

#include <cstdint>

#include <situ/core/config.hpp>
#include <situ/core/dtype.hpp>
#include <situ/core/lane.hpp>

namespace situ {

namespace internal::lane {

/// A format of a sign, an exponent and `Mantissa` bits, stored in the lower 8 bits of an `int32`. `Largest` is the
/// largest finite number; `Beyond` is the result for numbers more than halfway to the number that would follow it, and
/// for those exactly halfway if `Largest` is odd. From P. Micikevicius et al., "FP8 formats for deep learning" (2022),
/// table 1; the conversion is that of `float16`.
template <int Mantissa, int Bias, std::int32_t Largest, std::int32_t Beyond, std::int32_t NotANumber>
struct Float8Conversion {
  static constexpr int shift = 23 - Mantissa;
  static constexpr std::int32_t rebias = (127 - Bias) << 23;
  static constexpr std::int32_t smallest_normal = rebias + (1 << 23);
  /// The bits of the number halfway from the largest to what would follow it.
  static constexpr std::int32_t halfway = (Largest << shift) + rebias + (1 << (shift - 1));
  static constexpr std::int32_t overflow = halfway + (Largest % 2 == 0 ? 1 : 0);
  /// The bits of a number whose last place is the smallest subnormal: 2^(24 - bias - mantissa).
  static constexpr std::int32_t rounder = (127 + 24 - Bias - Mantissa) << 23;

  /// Rounds to nearest even; numbers beyond the largest become `beyond`, NaN stays NaN.
  template <class V>
  [[SITU_INLINE]] static constexpr rebind_lane_t<V, std::int32_t> narrow(V x) {
    using Bits = rebind_lane_t<V, std::int32_t>;
    const Bits word = to_bits(x);
    const Bits sign = shift_right_logical(word, 24) & Bits(0x80);
    const Bits magnitude = word & Bits(0x7fffffff);
    const Bits odd = shift_right_logical(magnitude, shift) & Bits(1);
    // adding wraps for NaN and infinity, which are replaced
    const Bits rounded = add(magnitude, Bits((1 << (shift - 1)) - 1 - rebias) + odd);
    const Bits subnormal = to_bits(from_bits<float>(magnitude) + from_bits<float>(Bits(rounder))) - Bits(rounder);
    Bits result = select(magnitude < Bits(smallest_normal), subnormal, shift_right_logical(rounded, shift));
    result = select(magnitude >= Bits(overflow), Bits(Beyond), result);
    result = select(magnitude > Bits(0x7f800000), Bits(NotANumber), result);
    return result | sign;
  }

  template <class Bits>
  [[SITU_INLINE]] static constexpr rebind_lane_t<Bits, float> widen(Bits bits) {
    using V = rebind_lane_t<Bits, float>;
    const Bits magnitude = bits & Bits(0x7f);
    const V subnormal = convert<float>(magnitude) * (from_bits<float>(Bits(rounder - (23 << 23))));
    const Bits normal = (magnitude << shift) + Bits(rebias);
    Bits result = select(magnitude < Bits(1 << Mantissa), to_bits(subnormal), normal);
    // an infinity is the first number beyond the largest, if there is one
    result = select(magnitude > Bits(Largest), (magnitude << shift) | Bits(0x7f800000), result);
    return from_bits<float>(result | ((bits & Bits(0x80)) << 24));
  }
};

}  // namespace internal::lane

/// 4 bits of exponent, 3 of mantissa: up to 448, in steps of 2^-9 near 0. It has no infinity: larger numbers become
/// NaN, unless a cast saturates. A storage type: it can only be stored, moved and cast.
struct float8_e4m3fn {
  using Conversion = internal::lane::Float8Conversion<3, 7, 0x7e, 0x7f, 0x7f>;
  static constexpr float largest = 448;
  std::uint8_t bits = 0;

  constexpr float8_e4m3fn() = default;
  /// Rounds to nearest even; numbers that round to more than 448 become NaN.
  constexpr explicit float8_e4m3fn(float value) : bits(static_cast<std::uint8_t>(Conversion::narrow(value))) {}
  constexpr explicit operator float() const { return Conversion::widen(std::int32_t{bits}); }
  friend constexpr bool operator==(float8_e4m3fn a, float8_e4m3fn b) {
    return static_cast<float>(a) == static_cast<float>(b);
  }
};

/// The upper half of a `float16`: up to 57344, in steps of 2^-16 near 0. A storage type: it can only be stored, moved
/// and cast.
struct float8_e5m2 {
  using Conversion = internal::lane::Float8Conversion<2, 15, 0x7b, 0x7c, 0x7e>;
  static constexpr float largest = 57344;
  std::uint8_t bits = 0;

  constexpr float8_e5m2() = default;
  /// Rounds to nearest even; overflow gives an infinity, NaN stays NaN.
  constexpr explicit float8_e5m2(float value) : bits(static_cast<std::uint8_t>(Conversion::narrow(value))) {}
  constexpr explicit operator float() const { return Conversion::widen(std::int32_t{bits}); }
  friend constexpr bool operator==(float8_e5m2 a, float8_e5m2 b) {
    return static_cast<float>(a) == static_cast<float>(b);
  }
};

}  // namespace situ
