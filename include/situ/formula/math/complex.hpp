// SPDX-License-Identifier: Apache-2.0
// exp, log, sqrt, sin, cos, tanh and pow of complex lanes, composed of functions of their parts: one formula for SIMD
// vectors and GPUs, which std::complex does not support. Branch cuts are along the negative real axis, continuous from
// above, and the sign of a zero imaginary part selects the side, as in C99 (exp, log and sqrt also have the values of
// Annex G at infinities and NaN).
#pragma once

#include <limits>
#include <type_traits>

#include <situ/core/complex_lane.hpp>
#include <situ/core/config.hpp>
#include <situ/core/lane.hpp>
#include <situ/formula/math/error_free.hpp>
#include <situ/formula/math/exp.hpp>
#include <situ/formula/math/hyperbolic.hpp>
#include <situ/formula/math/inverse_trigonometric.hpp>
#include <situ/formula/math/log.hpp>
#include <situ/formula/math/trigonometric.hpp>

namespace situ::internal::inline SITU_SETTINGS::math {

namespace detail {

/// From here on e^x is near overflow, and is applied as two factors, each its square root.
template <class T>
inline constexpr T large_exponent = std::is_same_v<T, float> ? T(80) : T(700);

/// Neither infinite nor NaN.
template <class V>
[[SITU_INLINE]] constexpr mask_t<V> is_finite(V x) {
  return x - x == V(lane_element_t<V>(0));
}

/// a + b exactly (Knuth).
template <class V>
[[SITU_INLINE]] constexpr DoubleNumber<V> two_sum(V a, V b) {
  const V sum = a + b;
  const V of_b = sum - a;
  return {sum, (a - (sum - of_b)) + (b - of_b)};
}

/// `factor * hyperbolic`, where `hyperbolic` is cosh(y) or sinh(y) and may overflow although the product does not; 0 if
/// the factor is 0, even times infinity.
template <class V>
[[SITU_INLINE]] constexpr V times_hyperbolic(V factor, V y, V hyperbolic) {
  using T = lane_element_t<V>;
  const V magnitude = abs(y);
  const V root = exp(V(T(0.5)) * magnitude);
  const V large = factor * copy_sign(root, hyperbolic) * (V(T(0.5)) * root);
  const V value = select(magnitude > V(large_exponent<T>), large, factor * hyperbolic);
  return select(factor == V(T(0)), factor * copy_sign(V(T(1)), hyperbolic), value);
}

}  // namespace detail

/// e^x (cos y + i sin y).
template <class V>
constexpr ComplexLane<V> exp(ComplexLane<V> z) {
  using T = lane_element_t<V>;
  constexpr T infinity = std::numeric_limits<T>::infinity();
  const V zero(T(0));
  const auto large = z.re > V(detail::large_exponent<T>);
  const V size = exp(select(large, V(T(0.5)) * z.re, z.re));
  V re = size * cos(z.im);
  V im = size * sin(z.im);
  re = select(large, re * size, re);
  im = select(large, im * size, im);
  im = select(z.im == zero, z.im, im);
  // If the angle is infinite or NaN, magnitude 0 gives 0 and an infinite magnitude gives infinity.
  const V limit = select(z.re == V(-infinity), zero, select(z.re == V(infinity), V(infinity), z.im - z.im));
  re = select(detail::is_finite(z.im), re, limit);
  im = select(z.re == V(-infinity) && z.im - z.im != zero, zero, im);
  return {re, im};
}

/// log |z| + i atan2(y, x). If |z| is near 1, its logarithm is computed from x^2 + y^2 - 1, a sum that is exact before
/// it is rounded once.
template <class V>
constexpr ComplexLane<V> log(ComplexLane<V> z) {
  using T = lane_element_t<V>;
  constexpr T infinity = std::numeric_limits<T>::infinity();
  const V zero(T(0)), half(T(0.5));
  const V a = abs(z.re), b = abs(z.im);
  const V large = select(a < b, b, a);
  const V small_part = select(a < b, a, b);
  const auto near_one = large > half && large < V(T(2));
  const auto square = detail::two_product(large, large);
  const auto other = detail::two_product(small_part, small_part);
  const auto first = detail::two_sum(square.high, V(T(-1)));
  const auto second = detail::two_sum(first.high, other.high);
  const V excess = second.high + (second.low + (first.low + (square.low + other.low)));
  const V ratio = select(large == zero, zero, small_part / large);
  const V elsewhere = log(large) + half * log1p(ratio * ratio);
  const V value = select(near_one, half * log1p(excess), elsewhere);
  const auto infinite = a == V(infinity) || b == V(infinity);
  const V not_a_number = a + b;
  return {select(infinite, V(infinity), select(a != a || b != b, not_a_number, value)), atan2(z.im, z.re)};
}

/// The square root with a non-negative real part (W. Kahan, "Branch cuts for complex elementary functions", 1987): t =
/// sqrt((|x| + |z|) / 2) is its larger part, y / 2t the other; the parts are first scaled by a power of 4, so that no
/// sum overflows and no square underflows.
template <class V>
constexpr ComplexLane<V> sqrt(ComplexLane<V> z) {
  using T = lane_element_t<V>;
  using Limits = std::numeric_limits<T>;
  constexpr T infinity = Limits::infinity();
  constexpr T up = std::is_same_v<T, float> ? T(0x1p48) : T(0x1p108);
  constexpr T root_of_up = std::is_same_v<T, float> ? T(0x1p24) : T(0x1p54);
  const V zero(T(0)), half(T(0.5));
  const V size = max_number(abs(z.re), abs(z.im));
  const auto high = size > V(Limits::max() / 8);
  const auto low = size < V(Limits::min() * up);
  const V scale = select(high, V(T(0.0625)), select(low, V(up), V(T(1))));
  const V back = select(high, V(T(4)), select(low, V(T(1) / root_of_up), V(T(1))));
  const V x = z.re * scale, y = z.im * scale;
  const V t = sqrt(half * (abs(x) + abs(ComplexLane<V>{x, y})));
  const V other = select(t == zero, y, y / (t + t));
  const auto right = x >= zero;
  const V re = select(right, t, abs(other)) * back;
  const V im = select(right, other, copy_sign(t, y)) * back;
  const auto vertical = abs(z.im) == V(infinity);
  const auto to_the_left = z.re == V(-infinity);
  const V side = select(z.im == z.im, zero, z.im);
  return {select(vertical, V(infinity), select(to_the_left, side, select(x == x, re, x))),
          select(vertical, z.im, select(to_the_left, copy_sign(V(infinity), z.im), select(x == x, im, x)))};
}

/// sin x cosh y + i cos x sinh y.
template <class V>
constexpr ComplexLane<V> sin(ComplexLane<V> z) {
  const V im = detail::times_hyperbolic(cos(z.re), z.im, sinh(z.im));
  const auto none = z.im == V(lane_element_t<V>(0)) && im != im;  // for infinite x
  return {detail::times_hyperbolic(sin(z.re), z.im, cosh(z.im)), select(none, z.im, im)};
}

/// cos x cosh y - i sin x sinh y.
template <class V>
constexpr ComplexLane<V> cos(ComplexLane<V> z) {
  const V im = detail::times_hyperbolic(-sin(z.re), z.im, sinh(z.im));
  const auto none = z.im == V(lane_element_t<V>(0)) && im != im;
  return {detail::times_hyperbolic(cos(z.re), z.im, cosh(z.im)), select(none, z.im, im)};
}

/// (sinh x cosh x + i sin y cos y) / (sinh^2 x + cos^2 y); if sinh x is large, 1 with the sign of x and, for the other
/// part, 4 sin y cos y e^(-2|x|).
template <class V>
constexpr ComplexLane<V> tanh(ComplexLane<V> z) {
  using T = lane_element_t<V>;
  constexpr T large_from = std::is_same_v<T, float> ? T(10) : T(20);
  const V zero(T(0));
  const V magnitude = abs(z.re);
  const auto large = magnitude > V(large_from);
  const V x = select(large, V(T(1)), z.re);
  const V s = sinh(x), c = cos(z.im), product = sin(z.im) * c;
  const V divisor = s * s + c * c;
  const V decay = exp(V(T(-1)) * magnitude);
  const V re = select(large, copy_sign(V(T(1)), z.re), s * cosh(x) / divisor);
  const V im = select(large, V(T(4)) * product * decay * decay, product / divisor);
  const auto vanishes = magnitude == V(std::numeric_limits<T>::infinity()) && z.im - z.im != zero;
  return {re, select(z.im == zero, z.im, select(vanishes, zero, im))};
}

/// e^(b log a), but for integer exponents up to 64 a product, or its inverse, if that neither overflows nor underflows;
/// a itself if b is 1. 0^0 is 1, 0^b is 0 for b with a positive real part, and otherwise NaN. The error of e^(b log a)
/// grows with |b log a|.
template <class V>
constexpr ComplexLane<V> pow(ComplexLane<V> a, ComplexLane<V> b) {
  using T = lane_element_t<V>;
  using Z = ComplexLane<V>;
  const V zero(T(0)), one(T(1)), nan(std::numeric_limits<T>::quiet_NaN());
  const V size = abs(b.re);
  const auto whole = b.im == zero && floor(b.re) == b.re && size <= V(T(64));
  V left = select(whole, size, zero);
  Z power = a, product{one, zero};
  V factors = zero;
  for (int bit = 0; bit < 7; ++bit) {  // 64 has 7
    const V rest = floor(left * V(T(0.5)));
    const auto odd = left - (rest + rest) != zero;
    product = select(odd, select(factors == zero, power, product * power), product);  // 1 * z is not z for infinities
    factors = select(odd, one, factors);
    power = power * power;
    left = rest;
  }
  const V parts = abs(product.re) + abs(product.im);
  const auto in_range = parts - parts == zero && parts != zero;
  const auto exact = whole && (in_range || size <= one);
  product = select(b.re < zero, Z{one, zero} / product, product);
  const Z value = select(exact, product, exp(b * log(a)));
  const auto of_zero = a.re == zero && a.im == zero;
  const V at_zero = select(b.re > zero, zero, select(b.re == zero && b.im == zero, one, nan));
  return {select(of_zero, at_zero, value.re), select(of_zero, select(at_zero == at_zero, zero, nan), value.im)};
}

}  // namespace situ::internal::inline SITU_SETTINGS::math
