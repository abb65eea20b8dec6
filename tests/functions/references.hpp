// SPDX-License-Identifier: Apache-2.0
// References of functions.hpp that the C library does not have, as templates on the type they compute in: `double` for
// `float`, `long double` for `double`.
#pragma once

#include <cmath>
#include <concepts>
#include <cstddef>
#include <cstdint>

namespace function_table {

template <class R>
inline constexpr R pi_of = static_cast<R>(3.14159265358979323846264338327950288L);

template <class R>
R sigmoid_reference(R x) {
  return 1 / (1 + std::exp(-x));
}

// In the tails exp(-y) magnifies the error of y by y: y is kept in two parts, with the C library's fma.

template <class R>
R gelu_reference(R x) {
  // erfc(z) exp(z^2) changes slowly: the error of z = -x / sqrt(2) is removed from the exponential only.
  constexpr R root_half = static_cast<R>(0.707106781186547524400844362104849039L);
  const R z = -x * root_half;
  if (x < R(-64)) return -R(0);
  if (!(x < R(-1))) return x * std::erfc(z) / 2;
  const R square = x * x / 2, square_low = std::fma(x, x / 2, -square);
  return x * (std::erfc(z) / 2) * std::exp(std::fma(z, z, -square) - square_low);
}

template <class R>
R gelu_tanh_reference(R x) {
  if (std::abs(x) > R(64)) return x > 0 ? x : -R(0);
  // a = 2 sqrt(2 / pi), b = 0.044715 a, to twice the precision of R
  constexpr R a = static_cast<R>(1.59576912160573071175978423973752747L);
  constexpr R b = static_cast<R>(0.0713548162726002487763387522798635410L);
  constexpr R a_low = std::same_as<R, double> ? static_cast<R>(1.59576912160573071175978423973752747L - a)
                                              : static_cast<R>(5.351177755720478e-20L);
  constexpr R b_low = std::same_as<R, double> ? static_cast<R>(0.0713548162726002487763387522798635410L - b)
                                              : static_cast<R>(-8.750062144008985e-22L);
  const R q = x * x, q_low = std::fma(x, x, -q);
  const R p = b * q, p_low = std::fma(b, q, -p) + (b * q_low + b_low * q);
  const R w = a + p, part = w - a, w_low = ((a - (w - part)) + (p - part)) + (a_low + p_low);
  const R y = x * w, y_low = std::fma(x, w, -y) + x * w_low;
  const R e = std::exp(-std::abs(y)) * (1 - std::copysign(y_low, y * y_low));
  return x < 0 ? x * e / (1 + e) : x / (1 + e);
}

/// The derivative of gelu_tanh, from its formula.
template <class R>
R gelu_tanh_derivative(R x) {
  const R k = std::sqrt(2 / pi_of<R>), t = std::tanh(k * (x + R(0.044715L) * x * x * x));
  return (1 + t) / 2 + x / 2 * (1 - t * t) * k * (1 + 3 * R(0.044715L) * x * x);
}

/// Python's `%`: the sign is that of `b`.
template <class R>
R remainder_reference(R a, R b) {
  const R rest = std::fmod(a, b);
  if (rest == 0) return std::copysign(rest, b);
  return (rest < 0) == (b < 0) ? rest : rest + b;
}

/// NumPy's `//`: the whole number next below the quotient, by way of the exact remainder.
template <class R>
R floor_divide_reference(R a, R b) {
  if (b == 0) return a / b;
  const R rest = std::fmod(a, b);
  const R quotient = std::nearbyint((a - rest) / b) - (rest != 0 && (rest < 0) != (b < 0) ? 1 : 0);
  return quotient == 0 ? std::copysign(quotient, a / b) : quotient;
}

// Of integers, by way of ones that hold every result. Counts that are none shift everything out.

template <std::integral R>
R left_shift_reference(R a, R places) {
  R result = places < 0 || static_cast<std::uint64_t>(places) >= 8 * sizeof(R) ? R(0) : a;
  for (R i = 0; result != 0 && i != places; ++i) result = static_cast<R>(2 * static_cast<std::uint64_t>(result));
  return result;
}

template <std::integral R>
R right_shift_reference(R a, R places) {
  const bool out = places < 0 || static_cast<std::uint64_t>(places) >= 8 * sizeof(R);
  for (int i = 0; i < (out ? 64 : static_cast<int>(places)); ++i) {
    a = static_cast<R>((a - (a < 0 && a % 2 != 0 ? 1 : 0)) / 2);
  }
  return a;
}

template <std::integral R>
R trunc_divide_reference(R a, R b) {
  if (b == 0) return R(0);
  __extension__ using Wide = __int128;
  return static_cast<R>(static_cast<Wide>(a) / static_cast<Wide>(b));
}

}  // namespace function_table
