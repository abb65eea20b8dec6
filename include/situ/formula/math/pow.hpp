// SPDX-License-Identifier: Apache-2.0
// Powers of scalars and lanes: for floats with every special case of C99 Annex F, for integers by squaring.
#pragma once

#include <concepts>
#include <limits>
#include <type_traits>

#include <situ/core/config.hpp>
#include <situ/core/lane.hpp>
#include <situ/formula/math/error_free.hpp>
#include <situ/formula/math/exp.hpp>
#include <situ/formula/math/log.hpp>
#include <situ/formula/math/polynomial.hpp>

namespace situ::internal::inline SITU_SETTINGS::math {

namespace detail {

/// x^y for positive finite floats, in `double`: log2 to 2^-37 and 2^x to 2^-29 leave an error of 0.55 ulp of a `float`.
template <class V>
[[SITU_INLINE]] constexpr V pow_positive_float(V x, V y) {
  using D = rebind_lane_t<V, double>;
  const auto split = split_normal(convert<double>(x));
  const D s = split.f / (split.f + D(2.0));
  const D p = polynomial(s * s, 0x1.71547652bedf3p1, 0x1.ec709d12cf29cp-1, 0x1.27777fe8f7afbp-1, 0x1.a58d888300de8p-2,
                         0x1.5ce85a622fc37p-2);
  const D exponent = limit(convert<double>(y) * mul_add(s, p, split.exponent), -1000.0, 1000.0);
  const D n = round_even(exponent);
  const D power = polynomial(exponent - n, 0x1.0000000261672p0, 0x1.62e430c7e85cfp-1, 0x1.ebfbdadca03f2p-3,
                             0x1.c6aed4b91531ep-5, 0x1.3b2dbbc51cca1p-7, 0x1.5f456ad6b0b57p-10, 0x1.41d3332374d16p-13);
  return convert<float>(power * power_of_two(n));
}

/// log(x) in two doubles, with a relative error of about 2^-66: 2 atanh(s) with s = f / (2 + f) in two parts, as are
/// the first two terms of the series.
template <class V>
[[SITU_INLINE]] constexpr DoubleNumber<V> log_double(V x) {
  using C = LogConstants<double>;
  const auto split = split_positive(x);
  const V divisor = split.f + V(2.0);
  const V divisor_low = split.f - (divisor - V(2.0));
  const V inverse = V(1.0) / divisor;
  const V s = rounded_product(split.f, inverse);
  const DoubleNumber<V> back = two_product(s, divisor);
  const V s_low = mul_add(-s, divisor_low, (split.f - back.high) - back.low) * inverse;

  const DoubleNumber<V> z = two_product(s, s);
  const V z_low = mul_add(s + s, s_low, z.low);
  const DoubleNumber<V> third = two_product(z.high, V(0x1.5555555555555p-2));
  const V third_low = mul_add(z_low, V(0x1.5555555555555p-2), mul_add(z.high, V(0x1.5555555555555p-56), third.low));
  const V rest = polynomial(z.high, 0x1.9999999999b3p-3, 0x1.2492492457d23p-3, 0x1.c71c722d6b6abp-4,
                            0x1.745ce9e195f66p-4, 0x1.3b1eec5ffc087p-4, 0x1.0f7fe184dd1ap-4, 0x1.0e42fad242f86p-4);
  const DoubleNumber<V> tail = fast_two_sum(third.high, rounded_product(z.high * z.high, rest));
  const V tail_low = tail.low + third_low;

  const V twice = s + s;
  const DoubleNumber<V> product = two_product(twice, tail.high);
  const DoubleNumber<V> log_f = fast_two_sum(twice, product.high);
  const V twice_low = s_low + s_low;
  const V log_f_low = log_f.low + (product.low + mul_add(twice, tail_low, mul_add(twice_low, tail.high, twice_low)));

  const DoubleNumber<V> sum = fast_two_sum(rounded_product(split.exponent, V(C::ln2_high)), log_f.high);
  return fast_two_sum(sum.high, sum.low + mul_add(split.exponent, V(C::ln2_low), log_f_low));
}

/// x^y for positive finite doubles.
template <class V>
[[SITU_INLINE]] constexpr V pow_positive_double(V x, V y) {
  using C = ExpConstants<double>;
  const V exponent = limit(y, -0x1p70, 0x1p70);  // beyond, the result overflows or underflows in any case, or x is 1
  const DoubleNumber<V> logarithm = log_double(x);
  const DoubleNumber<V> product = two_product(exponent, logarithm.high);
  const V low = mul_add(exponent, logarithm.low, product.low);
  const V added = select(abs(product.high) < V(800.0), low, V(0.0));
  const V limited = limit(product.high, C::exp_low, C::exp_high);
  const V n = nearest_power(limited);
  const V high = less_high(limited, n);
  const V reduced = less_low(high, n);
  const V r = reduced + added;
  const V rest = less_low(high - reduced, n) + (added - (r - reduced));
  return scale_by_power(V(1.0) + expm1_reduced(r, rest), n);
}

}  // namespace detail

namespace detail {

/// x^3, rounded once, nearly.
template <class V>
[[SITU_INLINE]] constexpr V cube(V x) {
  using T = lane_element_t<V>;
  if constexpr (std::is_same_v<T, float>) {
    const auto wide = convert<double>(x);
    return convert<float>((wide * wide) * wide);
  } else {
    const DoubleNumber<V> square = two_product(x, x);
    const V value = square.high * x;
    const V corrected = mul_add(square.high, x, square.low * x);
    return select(abs(x) < V(0x1p300) && abs(x) > V(0x1p-300), corrected, value);  // else parts overflow or underflow
  }
}

/// x^y where y is -1, 1/2, 1, 2 or 3; x elsewhere. A branch for each over all elements of a lane, as most exponents are
/// one constant; an element has the same bits beside other exponents.
template <class V>
[[SITU_INLINE]] constexpr V short_power(V x, V y) {
  using lane::sqrt;
  using T = lane_element_t<V>;
  constexpr T infinity = std::numeric_limits<T>::infinity();
  V value = x;
  if (const auto here = y == V(T(2)); any(here)) value = select(here, x * x, value);
  if (const auto here = y == V(T(0.5)); any(here)) {  // C: infinite at minus infinity, 0 at -0
    value = select(here, select(x == V(-infinity), V(infinity), sqrt(x) + V(T(0))), value);
  }
  if (const auto here = y == V(T(-1)); any(here)) value = select(here, V(T(1)) / x, value);
  if (const auto here = y == V(T(3)); any(here)) value = select(here, cube(x), value);
  return value;
}

}  // namespace detail

/// x^y. -1, 1/2, 1, 2 and 3 as y take a shorter way. `pow(x, 0)` and `pow(1, y)` are 1 even for NaN; negative x needs an integer y, else the result is NaN.
template <class V>
  requires std::floating_point<lane_element_t<V>>
[[SITU_INLINE]] constexpr V pow(V x, V y) {
  using T = lane_element_t<V>;
  constexpr T infinite = std::numeric_limits<T>::infinity();
  constexpr T not_a_number = std::numeric_limits<T>::quiet_NaN();
  const V zero(T(0));
  const V one(T(1));
  const V infinity(infinite);
  const V magnitude = abs(x);
  const auto is_short = (((y == V(T(2))) || (y == V(T(0.5)))) || ((y == V(T(-1))) || (y == V(T(3))))) || (y == one);
  V quick = x;
  if (any(is_short)) {
    quick = detail::short_power(x, y);
    if (!any(!is_short)) return quick;
  }
  V value;
  if constexpr (std::is_same_v<T, float>) value = detail::pow_positive_float(magnitude, y);
  else value = detail::pow_positive_double(magnitude, y);

  const auto rises = (magnitude > one) == (y > zero);  // for the limits: toward infinity, else to zero
  const auto at_limit = (magnitude == zero) || (magnitude == infinity) || (abs(y) == infinity);
  value = select(at_limit, select(rises, infinity, zero), value);

  const V half = y * V(T(0.5));
  const auto whole = trunc(y) == y;
  const auto odd = whole && (trunc(half) != half);
  value = select(sign_bit(x) && odd, -value, value);
  value = select((x < zero) && !whole && (magnitude < infinity), V(not_a_number), value);
  value = select((x != x) || (y != y), x + y, value);
  value = select((y == zero) || (x == one) || ((magnitude == one) && (abs(y) == infinity)), one, value);
  return select(is_short, quick, value);
}

/// x^y of integers; wraps. A negative exponent gives the result rounded toward zero: 0, or 1 or -1 for the bases 1 and
/// -1.
template <class V>
  requires std::integral<lane_element_t<V>>
constexpr V pow(V x, V y) {
  using T = lane_element_t<V>;
  const V zero(T(0));
  const V one(T(1));
  const V parity = static_cast<V>(y & one);
  V exponent = y;
  V base = x;
  V result = one;
  if constexpr (std::is_signed_v<T>) {
    exponent = select(y < zero, select(abs(x) == one, parity, zero), y);
    result = select((y < zero) && (abs(x) != one), zero, one);
  }
  while (any(exponent != zero)) {
    result = select(static_cast<V>(exponent & one) == one, multiply(result, base), result);
    base = multiply(base, base);
    exponent = shift_right_logical(exponent, 1);
  }
  return result;
}

}  // namespace situ::internal::inline SITU_SETTINGS::math
