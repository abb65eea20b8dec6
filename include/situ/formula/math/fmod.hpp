// SPDX-License-Identifier: Apache-2.0
// The exact remainder of a division of floats, and Python's floor division and modulus based on it.
#pragma once

#include <limits>
#include <type_traits>

#include <situ/core/config.hpp>
#include <situ/core/lane.hpp>
#include <situ/formula/math/error_free.hpp>
#include <situ/formula/math/exp.hpp>
#include <situ/formula/math/log.hpp>

namespace situ::internal::inline SITU_SETTINGS::math {

namespace detail {

/// a - q * b for an integer q such that the result is exactly representable: the nearest quotient, or one off.
template <class V>
[[SITU_INLINE]] constexpr V exact_residual(V a, V q, V b) {
  if constexpr (has_fast_fma) {
    return fma(-q, b, a);
  } else {
    using T = lane_element_t<V>;
    // Splitting overflows near the largest number; `b` is no less than a / q there, so that scaling is exact.
    const auto large = a > V(std::is_same_v<T, float> ? T(0x1p100) : T(0x1p960));
    const V scale = select(large, V(T(0x1p-64)), V(T(1)));
    const DoubleNumber<V> product = two_product(q, b * scale);
    return ((a * scale - product.high) - product.low) * select(large, V(T(0x1p64)), V(T(1)));
  }
}

}  // namespace detail

/// x - n y with n = trunc(x / y), exact for any n; it has the sign of x. NaN for infinite x or zero y. Each round takes
/// `step` bits off the quotient: it subtracts a multiple of y 2^k, which is exact.
template <class V>
constexpr V fmod(V x, V y) {
  using T = lane_element_t<V>;
  using limits = std::numeric_limits<T>;
  constexpr T infinity = limits::infinity();
  constexpr T nan = limits::quiet_NaN();
  constexpr int step = std::is_same_v<T, float> ? 20 : 49;
  constexpr T longest = std::is_same_v<T, float> ? T(252) : T(2040);
  const V divisor = abs(y);
  const V magnitude = abs(x);
  const auto valid = (magnitude < V(infinity)) && (divisor > V(T(0))) && (divisor == divisor);
  const V b = select(valid, divisor, V(infinity));
  V rest = select(valid, magnitude, V(T(0)));
  while (any(rest >= b)) {
    const V distance = detail::split_positive(rest).exponent - detail::split_positive(b).exponent - V(T(step));
    // The shift can exceed the largest exponent when b is subnormal: it is applied in two halves, each a normal power.
    const V shift = min_number(V(longest), select((rest >= b) && (distance > V(T(0))), distance, V(T(0))));
    const V half = floor(shift * V(T(0.5)));
    const V multiple = b * detail::power_of_two(half) * detail::power_of_two(shift - half);
    const V quotient = trunc(rest / multiple);
    V next = detail::exact_residual(rest, quotient, multiple);
    next = select(next < V(T(0)), next + multiple, next);
    rest = select(rest >= b, next, rest);
  }
  return select(valid, copy_sign(rest, x), V(nan));
}

/// Python's and NumPy's `%` on floats: fmod moved to the sign of the divisor.
template <class V>
constexpr V modulus(V x, V y) {
  using T = lane_element_t<V>;
  const V zero(T(0));
  const V rest = fmod(x, y);
  const V moved = select((y < zero) != (rest < zero), rest + y, rest);
  return select(rest == zero, copy_sign(zero, y), moved);
}

/// Python's and NumPy's `//` on floats: the largest integer not above x / y, from the exact remainder.
template <class V>
constexpr V floor_quotient(V x, V y) {
  using T = lane_element_t<V>;
  const V zero(T(0));
  const V one(T(1));
  const V rest = fmod(x, y);
  const V raw = (x - rest) / y;
  const V quotient = select((rest != zero) && ((y < zero) != (rest < zero)), raw - one, raw);
  const V lower = floor(quotient);
  const V nearest = select(quotient - lower > V(T(0.5)), lower + one, lower);
  const V value = select(quotient == zero, copy_sign(zero, x / y), nearest);
  return select(y == zero, x / y, value);
}

}  // namespace situ::internal::inline SITU_SETTINGS::math
