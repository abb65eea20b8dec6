// SPDX-License-Identifier: Apache-2.0
// log, log1p, log2 and log10 for scalars and lanes.
#pragma once

#include <cstdint>
#include <limits>
#include <type_traits>

#include <situ/core/config.hpp>
#include <situ/core/lane.hpp>
#include <situ/formula/math/polynomial.hpp>

namespace situ::internal::inline SITU_SETTINGS::math {

namespace detail {

// A product that is added to something is written with `mul_add` or `rounded_product`: otherwise the compiler would
// fuse it in one place and round it in another, and lanes would differ from scalars.

template <class T>
struct LogConstants;
template <>
struct LogConstants<float> {
  static constexpr int mantissa = 23;
  static constexpr int bias = 127;
  static constexpr std::int32_t one = 0x3f800000;
  static constexpr std::int32_t root_half = 0x3f3504f3;  ///< the bits of sqrt(1/2)
  static constexpr std::int32_t upper_half = -0x1000;    ///< keeps 12 bits of a mantissa
  static constexpr std::int32_t fraction = 0x007fffff;
  static constexpr float smallest = 0x1p-126f;
  static constexpr float magic = 0x1p23f;
  static constexpr float ln2_high = 0x1.62e4p-1f;
  static constexpr float ln2_low = 0x1.7f7d1cp-20f;
  static constexpr float log2e_high = 0x1.714p0f;
  static constexpr float log2e_low = 0x1.47652cp-12f;
  static constexpr float log10e_high = 0x1.bcap-2f;
  static constexpr float log10e_low = 0x1.7b1526p-14f;
  static constexpr float log10_2_high = 0x1.344p-2f;
  static constexpr float log10_2_low = 0x1.3509f8p-18f;
};
template <>
struct LogConstants<double> {
  static constexpr int mantissa = 52;
  static constexpr int bias = 1023;
  static constexpr std::int64_t one = 0x3ff0000000000000;
  static constexpr std::int64_t root_half = 0x3fe6a09e667f3bcd;
  static constexpr std::int64_t upper_half = -0x8000000;  ///< keeps 26 bits of a mantissa
  static constexpr std::int64_t fraction = 0x000fffffffffffff;
  static constexpr double smallest = 0x1p-1022;
  static constexpr double magic = 0x1p52;
  static constexpr double ln2_high = 0x1.62e42fee00000p-1;
  static constexpr double ln2_low = 0x1.a39ef35793c76p-33;
  static constexpr double log2e_high = 0x1.715476p0;
  static constexpr double log2e_low = 0x1.4ae0bf85ddf44p-26;
  static constexpr double log10e_high = 0x1.bcb7b1p-2;
  static constexpr double log10e_low = 0x1.49b9438ca9aaep-28;
  static constexpr double log10_2_high = 0x1.34413508p-2;
  static constexpr double log10_2_low = 0x1.f79fef311f12bp-34;
};

/// x = 2^exponent * (1 + f), 1 + f in [sqrt(1/2), sqrt(2)).
template <class V>
struct SplitNumber {
  V exponent, f;
};

/// For positive normal x. The exponent becomes a float through the bits of 2^23 (2^52): machines without AVX-512 have
/// neither a 64-bit arithmetic shift nor a conversion of 64-bit integers.
template <class V>
[[SITU_INLINE]] constexpr SplitNumber<V> split_normal(V x) {
  using T = lane_element_t<V>;
  using C = LogConstants<T>;
  using At = rebind_lane_t<V, bits_t<T>>;
  const At shifted = add(to_bits(x), At(C::one - C::root_half));  // wraps for NaN
  const At biased = shift_right_logical(shifted, C::mantissa);
  const At mantissa = (shifted & At(C::fraction)) + At(C::root_half);
  return {from_bits<T>(biased | At(to_bits(C::magic))) - V(C::magic + T(C::bias)), from_bits<T>(mantissa) - V(T(1))};
}

/// For any positive finite x. A subnormal x is a multiple of the smallest, and becomes normal through its bits: for
/// arithmetic with a subnormal operand, processors take over 100 cycles.
template <class V>
[[SITU_INLINE]] constexpr SplitNumber<V> split_positive(V x) {
  using T = lane_element_t<V>;
  using C = LogConstants<T>;
  using At = rebind_lane_t<V, bits_t<T>>;
  const auto subnormal = x < V(C::smallest);
  const V multiple = from_bits<T>(to_bits(x) | At(to_bits(C::magic))) - V(C::magic);
  const SplitNumber<V> split = split_normal(select(subnormal, multiple, x));
  return {split.exponent - select(subnormal, V(T(C::bias - 1 + C::mantissa)), V(T(0))), split.f};
}

/// log(1 + f) - f + f^2 / 2. For float f^3 times a minimax polynomial (error relative to the logarithm 2^-27.3); for
/// double, where that would be long, the series of atanh(f / (2 + f)) as in fdlibm, refitted (2^-59.5).
template <class V>
[[SITU_INLINE]] constexpr V log_rest(V f, V half_square) {
  using T = lane_element_t<V>;
  if constexpr (std::is_same_v<T, float>) {
    const V p = polynomial(f, 0x1.555554p-2, -0x1.000226p-2, 0x1.99a008p-3, -0x1.547246p-3, 0x1.22da14p-3,
                           -0x1.0d8532p-3, 0x1.055ba6p-3, -0x1.38b652p-4);
    return rounded_product((f * f) * f, p);
  } else {
    const V s = f / (f + V(T(2)));
    const V z = s * s;
    const V p = polynomial(z, 0x1.5555555555592p-1, 0x1.999999997fd78p-2, 0x1.24924941f4f57p-2, 0x1.c71c52060aa15p-3,
                           0x1.74663fa1eeb57p-3, 0x1.39a1a6f670997p-3, 0x1.2f0634bf34336p-3);
    return rounded_product(s, mul_add(z, p, half_square));
  }
}

/// log(2^exponent * (1 + f)).
template <class V>
[[SITU_INLINE]] constexpr V log_split(V exponent, V f) {
  using T = lane_element_t<V>;
  using C = LogConstants<T>;
  const V half_square = rounded_product(V(T(0.5)) * f, f);
  const V low = mul_add(exponent, V(C::ln2_low), log_rest(f, half_square)) - half_square;
  return mul_add(exponent, V(C::ln2_high), f + low);
}

/// The value of a logarithm at 0, infinity, NaN and below 0, else `value`.
template <class V>
[[SITU_INLINE]] constexpr V log_special(V x, V value) {
  using T = lane_element_t<V>;
  using limits = std::numeric_limits<T>;
  constexpr T infinity = limits::infinity();
  constexpr T nan = limits::quiet_NaN();
  const V low = select(x == V(T(0)), V(-infinity), V(nan));
  const V result = select(x > V(T(0)), value, low);
  return select(x < V(infinity), result, x);  // infinity and NaN map to themselves
}

/// `scale` (in two parts) times log(1 + f), with the two halves of f - f^2 / 2 so short that products of upper halves
/// are exact, which makes log2 and log10 as accurate as log.
template <class V>
[[SITU_INLINE]] constexpr V scaled_log(V f, lane_element_t<V> scale_high, lane_element_t<V> scale_low, V high_before,
                                       V low_before) {
  using T = lane_element_t<V>;
  using C = LogConstants<T>;
  using At = rebind_lane_t<V, bits_t<T>>;
  const V half_square = rounded_product(V(T(0.5)) * f, f);
  const V rest = log_rest(f, half_square);
  const V high = from_bits<T>(to_bits(f - half_square) & At(C::upper_half));
  const V low = ((f - high) - half_square) + rest;
  const V tail = mul_add(low + high, V(scale_low), mul_add(low, V(scale_high), low_before));
  const V product = high * V(scale_high);
  const V sum = high_before + product;
  return sum + (((high_before - sum) + product) + tail);
}

}  // namespace detail

/// The natural logarithm: -infinity at 0, NaN below.
template <class V>
[[SITU_INLINE]] constexpr V log(V x) {
  if constexpr (is_kernel_float<V>) {
    return ::logf(x);
  } else {
    const auto split = detail::split_positive(x);
    return detail::log_special(x, detail::log_split(split.exponent, split.f));
  }
}

/// The logarithm to base 2; exact for powers of two.
template <class V>
[[SITU_INLINE]] constexpr V log2(V x) {
  using T = lane_element_t<V>;
  using C = detail::LogConstants<T>;
  const auto split = detail::split_positive(x);
  const V value = detail::scaled_log(split.f, C::log2e_high, C::log2e_low, split.exponent, V(T(0)));
  return detail::log_special(x, value);
}

/// The logarithm to base 10.
template <class V>
[[SITU_INLINE]] constexpr V log10(V x) {
  using T = lane_element_t<V>;
  using C = detail::LogConstants<T>;
  const auto split = detail::split_positive(x);
  const V value = detail::scaled_log(split.f, C::log10e_high, C::log10e_low, split.exponent * V(C::log10_2_high),
                                     split.exponent * V(C::log10_2_low));
  return detail::log_special(x, value);
}

/// log(1 + x), accurate near zero. 1 + x = u + c exactly; c is added to the mantissa of u after the split.
template <class V>
[[SITU_INLINE]] constexpr V log1p(V x) {
  using T = lane_element_t<V>;
  using C = detail::LogConstants<T>;
  using At = rebind_lane_t<V, bits_t<T>>;
  const V one(T(1));
  const V u = x + one;
  const V x_in_u = u - one;
  const V c = (one - (u - x_in_u)) + (x - x_in_u);
  const auto split = detail::split_normal(u);
  const At exponent_bits = to_bits(split.exponent + V(T(1.5) * C::magic)) << C::mantissa;
  const V inverse_power = from_bits<T>(subtract(At(C::one), exponent_bits));   // wraps for infinity
  const V scale = select(split.exponent > V(T(100)), V(T(0)), inverse_power);  // there c is far below the last bit
  const V value = detail::log_split(split.exponent, mul_add(c, scale, split.f));
  return select(abs(x) < V(T(0x1p-70)), x, detail::log_special(u, value));
}

}  // namespace situ::internal::inline SITU_SETTINGS::math
