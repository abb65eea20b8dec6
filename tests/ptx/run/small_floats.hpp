// SPDX-License-Identifier: Apache-2.0
// float16 and bfloat16, by arithmetic that does not depend on situ's own.
#pragma once

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstdint>

namespace ptx {

/// A value of less precision: rounded once, from one that is exact or rounded to odd.
inline long double round_to_precision(long double value, int fraction_bits, int least_exponent) {
  if (value == 0 || !std::isfinite(value)) return value;
  int exponent = 0;
  std::frexp(value, &exponent);  // value = f * 2^exponent, 0.5 <= f < 1
  const int step = std::max(exponent - 1 - fraction_bits, least_exponent - fraction_bits);
  return std::ldexp(std::nearbyint(std::ldexp(value, -step)), step);  // in the current rounding mode
}

/// A format of 16 bits. NaN is 0x7fff, as a GPU has it.
template <int fraction_bits, int exponent_bits>
struct SmallFloat {
  static constexpr int bias = (1 << (exponent_bits - 1)) - 1;
  static constexpr int special = (1 << exponent_bits) - 1;  // the exponent of infinity and NaN
  static constexpr std::uint16_t infinity = special << fraction_bits;

  static double from(std::uint16_t word) {
    const int exponent = word >> fraction_bits & special;
    const int fraction = word & ((1 << fraction_bits) - 1);
    double value = 0;
    if (exponent == special) {
      value = fraction != 0 ? static_cast<double>(NAN) : static_cast<double>(INFINITY);
    } else if (exponent == 0) {
      value = std::ldexp(fraction, 1 - bias - fraction_bits);
    } else {
      value = std::ldexp(fraction + (1 << fraction_bits), exponent - bias - fraction_bits);
    }
    return (word & 0x8000) != 0 ? -value : value;
  }

  /// In the current rounding mode.
  static std::uint16_t to(long double value) {
    if (std::isnan(value)) return 0x7fff;
    const std::uint16_t sign = std::signbit(value) ? 0x8000 : 0;
    const long double rounded = round_to_precision(value, fraction_bits, 1 - bias);
    const long double size = std::fabs(rounded);
    if (std::isinf(value)) return static_cast<std::uint16_t>(sign | infinity);
    if (size >= std::ldexp(1.0L, bias + 1)) {
      // Overflows to infinity or, rounded towards zero, to the largest number: as the sum of two large numbers does.
      const volatile double large = std::signbit(value) ? -1.7976931348623157e308 : 1.7976931348623157e308;
      const bool infinite = std::isinf(large + large);
      return static_cast<std::uint16_t>(sign | (infinite ? infinity : infinity - 1));
    }
    if (size == 0) return sign;
    int exponent = 0;
    std::frexp(size, &exponent);
    --exponent;
    if (exponent < 1 - bias) {
      return static_cast<std::uint16_t>(sign | static_cast<int>(std::ldexp(size, bias - 1 + fraction_bits)));
    }
    const int fraction = static_cast<int>(std::ldexp(size, fraction_bits - exponent)) - (1 << fraction_bits);
    return static_cast<std::uint16_t>(sign | (exponent + bias) << fraction_bits | fraction);
  }
};
using Half = SmallFloat<10, 5>;
using Bfloat = SmallFloat<7, 8>;

/// The sum of two doubles, rounded to odd: rounded again to 16 bits it is right.
inline double sum_rounded_to_odd(double a, double b) {
  const double sum = a + b;
  if (!std::isfinite(sum)) return sum;
  const double part = sum - a;
  const double error = (a - (sum - part)) + (b - part);
  auto word = std::bit_cast<std::uint64_t>(sum);
  if (error == 0 || (word & 1) != 0) return sum;
  word = (error > 0) == (sum > 0) ? word + 1 : word - 1;
  return std::bit_cast<double>(word);
}

}  // namespace ptx
