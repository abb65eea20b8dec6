// SPDX-License-Identifier: Apache-2.0
// exp, exp2 and expm1 for scalars and lanes, and the reduction of their argument that the hyperbolic functions share.
#pragma once

#include <limits>
#include <type_traits>

#include <situ/core/config.hpp>
#include <situ/core/lane.hpp>
#include <situ/formula/math/polynomial.hpp>

namespace situ::internal::inline SITU_SETTINGS::math {

namespace detail {

/// Constants of the exponential family for an element type.
template <class T>
struct ExpConstants;
template <>
struct ExpConstants<float> {
  static constexpr int mantissa = 23;
  /// Adding it rounds to an integer n, and leaves the exponent bits of 2^n in the lowest bits.
  static constexpr float magic = 0x1.8p23f + 127;
  static constexpr float ln2_high = 0x1.62e4p-1f;  ///< 15 bits: its product with an exponent is exact
  static constexpr float ln2_low = 0x1.7f7d1cp-20f;
  static constexpr float exp_low = -104.0f;  ///< below, exp rounds to 0
  static constexpr float exp_high = 89.0f;   ///< above, it overflows
  static constexpr float sinh_high = 89.6f;  ///< above, sinh and cosh overflow
  static constexpr float exp2_low = -151.0f;
  static constexpr float exp2_high = 129.0f;
  static constexpr float expm1_low = -20.0f;  ///< below, expm1 rounds to -1
  static constexpr float tiny = 0x1p-40f;     ///< below, expm1(x), sinh(x), ... round to x
};
template <>
struct ExpConstants<double> {
  static constexpr int mantissa = 52;
  static constexpr double magic = 0x1.8p52 + 1023;
  static constexpr double ln2_high = 0x1.62e42fee00000p-1;
  static constexpr double ln2_low = 0x1.a39ef35793c76p-33;
  static constexpr double exp_low = -746.0;
  static constexpr double exp_high = 710.0;
  static constexpr double sinh_high = 710.6;
  static constexpr double exp2_low = -1076.0;
  static constexpr double exp2_high = 1025.0;
  static constexpr double expm1_low = -45.0;
  static constexpr double tiny = 0x1p-70;
};

/// 2^n from n + magic.
template <class V>
[[SITU_INLINE]] constexpr V power_of_sum(V sum) {
  using T = lane_element_t<V>;
  return from_bits<T>(to_bits(sum) << ExpConstants<T>::mantissa);
}

/// 2^n for an integer n in the range of normal exponents.
template <class V>
[[SITU_INLINE]] constexpr V power_of_two(V n) {
  return power_of_sum(n + V(ExpConstants<lane_element_t<V>>::magic));
}

/// x * 2^n, rounded once, for x in [0.5, 2] and an integer n. `Lanes` with an instruction for it have an overload. The
/// first factor keeps the product normal, so only the second can round.
template <class V>
[[SITU_INLINE]] constexpr V scale_by_power(V x, V n) {
  using T = lane_element_t<V>;
  using C = ExpConstants<T>;
  const V sum = mul_add(n, V(T(0.5)), V(C::magic));
  return x * power_of_sum(sum) * power_of_two(n - (sum - V(C::magic)));
}

// The reduction of Cody and Waite, x = n ln 2 + r + rest with |r| at most ln 2 / 2 and a little:
//
//     n = nearest_power(x),  high = less_high(x, n),  r = less_low(high, n),  rest = less_low(high - r, n)
//
// (Separate functions, not one that returns a struct of the three: gcc writes the lanes of such a struct to the stack
// in every iteration of a loop, although they are never read.)

/// n + magic. The argument must be small enough that n has 11 bits (8 for `float`). `Factor`: for another multiple of
/// x.
template <int Factor = 1, class V>
[[SITU_INLINE]] constexpr V nearest_power_sum(V x) {
  using T = lane_element_t<V>;
  return mul_add(x, V(T(Factor * 0x1.71547652b82fep0)), V(ExpConstants<T>::magic));
}
/// The n above.
template <class V>
[[SITU_INLINE]] constexpr V nearest_power(V x) {
  return nearest_power_sum(x) - V(ExpConstants<lane_element_t<V>>::magic);
}
/// x minus n times the high part of ln 2.
template <class V>
[[SITU_INLINE]] constexpr V less_high(V x, V n) {
  return mul_add(n, V(-ExpConstants<lane_element_t<V>>::ln2_high), x);
}
/// x minus n times the low part.
template <class V>
[[SITU_INLINE]] constexpr V less_low(V x, V n) {
  return mul_add(n, V(-ExpConstants<lane_element_t<V>>::ln2_low), x);
}

/// (e^r - 1 - r) / r^2, a minimax fit (Remez): error relative to e^r 2^-28.3 (float), 2^-57.9 (double).
template <class V>
[[SITU_INLINE]] constexpr V exp_quotient(V r) {
  if constexpr (std::is_same_v<lane_element_t<V>, float>) {
    return polynomial(r, 0x1.fffffcp-2, 0x1.55549p-3, 0x1.5558f4p-5, 0x1.123a6cp-7, 0x1.6a235p-10);
  } else {
    return polynomial(r, 0x1.000000000000ap-1, 0x1.55555555554f9p-3, 0x1.55555555507f1p-5, 0x1.1111111127e85p-7,
                      0x1.6c16c1844b08dp-10, 0x1.a01a0129b3d7cp-13, 0x1.a01999adb84cap-16, 0x1.71df262d27cf7p-19,
                      0x1.28adce83f0516p-22, 0x1.ad7f019a3d07bp-26);
  }
}

/// e^(r + rest) - 1.
template <class V>
[[SITU_INLINE]] constexpr V expm1_reduced(V r, V rest) {
  return r + mul_add(r * r, exp_quotient(r), rest);
}

/// `x` limited to [low, high]; NaN stays.
template <class V>
[[SITU_INLINE]] constexpr V limit(V x, lane_element_t<V> low, lane_element_t<V> high) {
  return max_number(V(low), min_number(V(high), x));
}

/// (e^x - 1) / 4 for x from `expm1_low` up: the factor keeps later steps from overflowing early.
template <class V>
[[SITU_INLINE]] constexpr V expm1_quarter(V x) {
  using T = lane_element_t<V>;
  const V n = nearest_power(x);
  const V high = less_high(x, n);
  const V r = less_low(high, n);
  const V scale = power_of_two(n - V(T(2)));
  return mul_add(scale, expm1_reduced(r, less_low(high - r, n)), scale - V(T(0.25)));
}

}  // namespace detail

/// e^x. C99 Annex F for infinities and NaN; rounds correctly into the subnormal range.
template <class V>
[[SITU_INLINE]] constexpr V exp(V x) {
  if constexpr (is_kernel_float<V>) {
    return ::expf(x);
  } else {
    using T = lane_element_t<V>;
    using C = detail::ExpConstants<T>;
    using detail::scale_by_power;
    const V limited = detail::limit(x, C::exp_low, C::exp_high);
    const V n = detail::nearest_power(limited);
    const V r = detail::less_low(detail::less_high(limited, n), n);
    const V power = V(T(1)) + mul_add(r * r, detail::exp_quotient(r), r);
    return scale_by_power(power, n);
  }
}

/// 2^x; exact for integers.
template <class V>
[[SITU_INLINE]] constexpr V exp2(V x) {
  if constexpr (is_kernel_float<V>) {
    return ::exp2f(x);
  } else {
    using T = lane_element_t<V>;
    using C = detail::ExpConstants<T>;
    using detail::scale_by_power;
    const V limited = detail::limit(x, C::exp2_low, C::exp2_high);
    const V n = round_even(limited);
    const V fraction = limited - n;
    const V r = fraction * V(T(0x1.62e42fefa39efp-1));
    const V power = V(T(1)) + mul_add(r * r, detail::exp_quotient(r), r);
    return scale_by_power(power, n);
  }
}

/// e^x - 1, also accurate near zero.
template <class V>
[[SITU_INLINE]] constexpr V expm1(V x) {
  using T = lane_element_t<V>;
  using C = detail::ExpConstants<T>;
  const V quarter = detail::expm1_quarter(detail::limit(x, C::expm1_low, C::exp_high));
  return select(abs(x) < V(C::tiny), x, quarter * V(T(4)));
}

}  // namespace situ::internal::inline SITU_SETTINGS::math
