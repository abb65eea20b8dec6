// SPDX-License-Identifier: Apache-2.0
// asin, acos, atan and atan2, for scalars and lanes, with the special cases of C99 Annex F.
#pragma once

#include <limits>
#include <type_traits>

#include <situ/core/config.hpp>
#include <situ/core/lane.hpp>
#include <situ/formula/math/polynomial.hpp>

namespace situ::internal::inline SITU_SETTINGS::math {

namespace detail {

// The coefficients are minimax fits (Remez, by mpmath) of the relative error.

/// (atan(q) - q) / q^3 as a function of q^2, |q| <= tan(pi/8). Error of atan 2^-30.4 (float), 2^-59.4 (double).
template <class V>
[[SITU_INLINE]] constexpr V atan_curve(V square) {
  if constexpr (std::is_same_v<lane_element_t<V>, float>) {
    return polynomial(square, -0x1.55554ap-2, 0x1.9991dep-3, -0x1.23b924p-3, 0x1.b21adep-4, -0x1.f2acbap-5);
  } else {
    return polynomial(square, -0x1.555555555553cp-2, 0x1.999999999564ep-3, -0x1.24924922a0a3ep-3, 0x1.c71c70e136b55p-4,
                      -0x1.745cf85345134p-4, 0x1.3b110facc507ap-4, -0x1.10eb4da71b259p-4, 0x1.df09406430641p-5,
                      -0x1.9cb78ae394e69p-5, 0x1.3790858d86806p-5, -0x1.24d2bca36b84cp-6);
  }
}

/// (asin(s) - s) / s^3 as a function of s^2 <= 1/4. Error of asin 2^-27.6 (float), 2^-59.8 (double).
template <class V>
[[SITU_INLINE]] constexpr V asin_curve(V square) {
  if constexpr (std::is_same_v<lane_element_t<V>, float>) {
    return polynomial(square, 0x1.5555c8p-3, 0x1.330204p-4, 0x1.747bbap-5, 0x1.8c3e34p-6, 0x1.595c8p-5);
  } else {
    return polynomial(square, 0x1.5555555555577p-3, 0x1.333333332e131p-4, 0x1.6db6db7212661p-5, 0x1.f1c71a94f4533p-6,
                      0x1.6e8bdee0066dfp-6, 0x1.1c49f061fdff5p-6, 0x1.ca1f8cde5e2bep-7, 0x1.75858efb2d362p-7,
                      0x1.613c6b0198146p-7, 0x1.e5f7b80a1b799p-9, 0x1.639bb704d5c4p-6, -0x1.57fc5b061b16p-6,
                      0x1.0b465b849fe78p-5);
  }
}

/// pi in two parts of the element type.
template <class T>
inline constexpr T pi_high = std::is_same_v<T, float> ? T(0x1.921fb6p+1) : T(0x1.921fb54442d18p+1);
template <class T>
inline constexpr T pi_low = std::is_same_v<T, float> ? T(-0x1.777a5cp-24) : T(0x1.1a62633145c07p-53);

/// atan(smaller / larger) of two finite numbers, 0 <= smaller <= larger, 0 < larger, as eighths * pi/4 + high + curve:
/// above tan(pi/8) the quotient of the difference and the sum is taken, atan((a - b) / (a + b)) = atan(a / b) - pi/4.
template <class V>
struct AtanParts {
  V high;
  V curve;    // atan(high) - high
  V eighths;  // 0 or 1
};
template <class V>
[[SITU_INLINE]] constexpr AtanParts<V> atan_parts(V smaller, V larger) {
  using T = lane_element_t<V>;
  const auto shift = smaller > V(T(0.41421356237309503)) * larger;
  const V numerator = select(shift, smaller - larger, smaller);
  const V denominator = select(shift, smaller + larger, larger);
  const V q = numerator / denominator;
  const V square = q * q;
  return {q, q * square * atan_curve(square), select(shift, V(T(1)), V(T(0)))};
}

/// eighths * pi/4 + sign * atan: the small terms first. sign * curve is exact, so is what mul_add adds.
template <class V>
[[SITU_INLINE]] constexpr V rotate_atan(const AtanParts<V>& parts, V eighths, V sign) {
  using T = lane_element_t<V>;
  const V little = mul_add(eighths, V(pi_low<T> / 4), sign * parts.curve);
  return mul_add(eighths, V(pi_high<T> / 4), mul_add(sign, parts.high, little));
}

}  // namespace detail

/// The arc tangent, in [-pi/2, pi/2].
template <class V>
constexpr V atan(V x) {
  using T = lane_element_t<V>;
  const V magnitude = abs(x);
  const V one(T(1));
  const auto inverted = magnitude > one;
  // 1 / inf is 0 as it should be
  const detail::AtanParts<V> parts = detail::atan_parts(select(inverted, one / magnitude, magnitude), one);
  const V sign = select(inverted, V(T(-1)), one);
  // base + sign * atan, base a multiple of pi/4: 0, 1, 1, 2 of them
  const V eighths = select(inverted, V(T(2)) - parts.eighths, parts.eighths);
  const V value = detail::rotate_atan(parts, eighths, sign);
  return copy_sign(value, x);
}

/// The angle of the point (x, y), in [-pi, pi].
template <class V>
constexpr V atan2(V y, V x) {
  using T = lane_element_t<V>;
  constexpr T largest = std::numeric_limits<T>::max(), infinity = std::numeric_limits<T>::infinity();
  const V zero(T(0)), one(T(1));
  const V absolute_x = abs(x), absolute_y = abs(y);
  const auto steep = absolute_y > absolute_x;
  V larger = select(steep, absolute_y, absolute_x);
  V smaller = select(steep, absolute_x, absolute_y);
  // The sum of the two must not overflow, and 0/0 and inf/inf have a limit.
  const auto large = larger > V(largest / 4);
  smaller = select(large, smaller * V(T(0.25)), smaller);
  larger = select(large, larger * V(T(0.25)), larger);
  const auto both_infinite = smaller == V(infinity);
  smaller = select(both_infinite, one, smaller);
  larger = select(both_infinite || larger == zero, one, larger);
  const detail::AtanParts<V> parts = detail::atan_parts(smaller, larger);
  // multiples of pi/4: eighths, or 2 - eighths if steep, then 4 minus that on the left
  const auto left = sign_bit(x);
  V eighths = select(steep, V(T(2)) - parts.eighths, parts.eighths);
  eighths = select(left, V(T(4)) - eighths, eighths);
  const V sign = select(steep != left, V(T(-1)), one);
  const V value = detail::rotate_atan(parts, eighths, sign);
  const auto not_a_number = x != x || y != y;
  return select(not_a_number, x + y, copy_sign(value, y));
}

/// The arc sine, in [-pi/2, pi/2]; NaN outside [-1, 1]. Above 1/2 by asin(x) = pi/2 - 2 asin(sqrt((1 - x) / 2)).
template <class V>
constexpr V asin(V x) {
  using T = lane_element_t<V>;
  const V magnitude = abs(x);
  const V half(T(0.5));
  const auto large = magnitude > half;
  const V square = select(large, half - half * magnitude, magnitude * magnitude);
  const V s = select(large, sqrt(square), magnitude);
  const V curve = detail::asin_curve(square), cube = s * square;
  const V half_pi(detail::pi_high<T> / 2), twice = s + s;
  const V head = half_pi - twice;
  const V rest = ((half_pi - head) - twice) + V(detail::pi_low<T> / 2);
  const V near_one = head + mul_add(V(T(-2)) * cube, curve, rest);
  return copy_sign(select(large, near_one, mul_add(cube, curve, s)), x);
}

/// The arc cosine, in [0, pi]; NaN outside [-1, 1].
template <class V>
constexpr V acos(V x) {
  using T = lane_element_t<V>;
  const V magnitude = abs(x);
  const V half(T(0.5));
  const auto large = magnitude > half;
  const V square = select(large, half - half * magnitude, magnitude * magnitude);
  const V s = select(large, sqrt(square), magnitude);
  const V curve = detail::asin_curve(square);
  // large: 2 asin(s), or pi minus that for negative x; else pi/2 - asin(x)
  const auto negative = x < V(T(0));
  const V scale = select(large, V(T(2)), V(T(1)));
  const V sign = select(large != negative, scale, -scale);
  const V base = select(large, select(negative, V(detail::pi_high<T>), V(T(0))), V(detail::pi_high<T> / 2));
  const V base_low = select(large, select(negative, V(detail::pi_low<T>), V(T(0))), V(detail::pi_low<T> / 2));
  return base + mul_add(sign, s, mul_add(sign * s * square, curve, base_low));
}

}  // namespace situ::internal::inline SITU_SETTINGS::math
