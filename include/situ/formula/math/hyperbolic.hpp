// SPDX-License-Identifier: Apache-2.0
// sinh, cosh, tanh and their inverses for scalars and lanes. The formulas are Kahan's and fdlibm's: expm1 and log1p
// keep small arguments accurate.
#pragma once

#include <limits>
#include <type_traits>

#include <situ/core/config.hpp>
#include <situ/core/lane.hpp>
#include <situ/formula/math/exp.hpp>
#include <situ/formula/math/log.hpp>
#include <situ/formula/math/root.hpp>

namespace situ::internal::inline SITU_SETTINGS::math {

/// The hyperbolic sine: with E = e^|x| - 1 it is (E + E / (E + 1)) / 2.
template <class V>
[[SITU_INLINE]] constexpr V sinh(V x) {
  using T = lane_element_t<V>;
  using C = detail::ExpConstants<T>;
  const V magnitude = abs(x);
  const V quarter = detail::expm1_quarter(min_number(V(C::sinh_high), magnitude));
  const V half = quarter + quarter;
  const V value = half + quarter / (half + V(T(0.5)));
  return select(magnitude < V(C::tiny), x, copy_sign(value, x));
}

/// The hyperbolic cosine, e^|x| / 2 + 1 / (2 e^|x|).
template <class V>
[[SITU_INLINE]] constexpr V cosh(V x) {
  using T = lane_element_t<V>;
  using C = detail::ExpConstants<T>;
  const V magnitude = min_number(V(C::sinh_high), abs(x));
  const V n = detail::nearest_power(magnitude);
  const V high = detail::less_high(magnitude, n);
  const V r = detail::less_low(high, n);
  const V scale = detail::power_of_two(n - V(T(2)));
  const V quarter = mul_add(scale, detail::expm1_reduced(r, detail::less_low(high - r, n)), scale);
  return mul_add(quarter, V(T(2)), V(T(0.125)) / min_number(V(T(0x1p100)), quarter));  // no slow subnormal quotient
}

namespace detail {

/// (s coth(s) - 1) / s^2 from z = s^2, for |s| up to ln 2 / 4 and a little: a minimax fit (Remez), error relative to
/// s coth(s) 2^-28.7 (float), 2^-59.9 (double).
template <class V>
[[SITU_INLINE]] constexpr V coth_quotient(V z) {
  if constexpr (std::is_same_v<lane_element_t<V>, float>) {
    return polynomial(z, 0x1.55551ep-2, -0x1.6aa2b4p-6);
  } else {
    return polynomial(z, 0x1.555555555553dp-2, -0x1.6c16c16bead2fp-6, 0x1.1566aaeebdd3fp-9, -0x1.bbd41255fbb13p-13,
                      0x1.6371dae545dbep-16);
  }
}

}  // namespace detail

/// The hyperbolic tangent. With |x| = n ln 2 / 2 + s and a = s coth(s), e^(2s) is (a + s) / (a - s): one quotient
/// computes the exponential too. It is N / (N + d) with d = a - s and N = 2^n s + d (2^n - 1) / 2. The closer the
/// result is to 1, the less the rounding of N matters.
template <class V>
[[SITU_INLINE]] constexpr V tanh(V x) {
  if constexpr (is_kernel_float<V>) {
    return ::tanhf(x);
  } else {
    using T = lane_element_t<V>;
    using C = detail::ExpConstants<T>;
    constexpr T one_from = std::is_same_v<T, float> ? T(10) : T(20);  // beyond, tanh rounds to 1
    const V limited = min_number(V(one_from), abs(x));
    const V sum = detail::nearest_power_sum<2>(limited);
    const V n = sum - V(C::magic);
    V s;
    if constexpr (has_fast_fma) {
      s = mul_add(n, V(T(-0x1.62e42fefa39efp-2)), limited);  // for larger n, the error of ln 2 matters less
    } else {
      s = mul_add(n, V(C::ln2_low / -2), mul_add(n, V(C::ln2_high / -2), limited));
    }
    const V power = detail::power_of_sum(sum);
    const V square = s * s;
    const V d = V(T(1)) + mul_add(square, detail::coth_quotient(square), -s);
    const V numerator = mul_add(mul_add(power, V(T(0.5)), V(T(-0.5))), d, power * s);
    constexpr bits_t<T> sign = std::numeric_limits<bits_t<T>>::min();
    using At = rebind_lane_t<V, bits_t<T>>;
    return from_bits<T>(to_bits(numerator / (numerator + d)) | (to_bits(x) & At(sign)));  // the quotient has none
  }
}

/// The inverse hyperbolic sine: log1p(|x| + x^2 / (1 + sqrt(x^2 + 1))), for large |x| log(|x|) + ln 2.
template <class V>
[[SITU_INLINE]] constexpr V asinh(V x) {
  using T = lane_element_t<V>;
  constexpr T large_from = std::is_same_v<T, float> ? T(0x1p26) : T(0x1p54);
  const V magnitude = abs(x);
  const auto large = magnitude > V(large_from);
  const V limited = select(large, V(T(1)), magnitude);
  const V square = limited * limited;
  const V argument = limited + square / (V(T(1)) + sqrt(mul_add(limited, limited, V(T(1)))));
  const V value = log1p(select(large, magnitude, argument));
  const V all = value + select(large, V(T(0x1.62e42fefa39efp-1)), V(T(0)));
  return select(magnitude < V(detail::ExpConstants<T>::tiny), x, copy_sign(all, x));
}

/// The inverse hyperbolic cosine; NaN below 1.
template <class V>
[[SITU_INLINE]] constexpr V acosh(V x) {
  using T = lane_element_t<V>;
  constexpr T large_from = std::is_same_v<T, float> ? T(0x1p26) : T(0x1p54);
  const auto large = x > V(large_from);
  const V t = select(large, V(T(1)), x - V(T(1)));
  const V argument = t + sqrt(mul_add(t, t, t + t));
  const V value = log1p(select(large, x, argument));
  const V all = value + select(large, V(T(0x1.62e42fefa39efp-1)), V(T(0)));
  constexpr T nan = std::numeric_limits<T>::quiet_NaN();
  return select(x < V(T(1)), V(nan), all);
}

/// The inverse hyperbolic tangent: log1p(2|x| + 2|x|^2 / (1 - |x|)) / 2; infinite at 1, NaN beyond.
template <class V>
[[SITU_INLINE]] constexpr V atanh(V x) {
  using T = lane_element_t<V>;
  const V magnitude = abs(x);
  const V doubled = magnitude + magnitude;
  const V argument = doubled + doubled * magnitude / (V(T(1)) - magnitude);
  const V value = V(T(0.5)) * log1p(argument);
  constexpr T nan = std::numeric_limits<T>::quiet_NaN();
  const V inside = select(magnitude > V(T(1)), V(nan), copy_sign(value, x));
  return select(magnitude < V(detail::ExpConstants<T>::tiny), x, inside);
}

}  // namespace situ::internal::inline SITU_SETTINGS::math
