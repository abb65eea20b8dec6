// SPDX-License-Identifier: Apache-2.0
// Activation functions of neural networks, accurate in their tails and without overflow.
#pragma once

#include <type_traits>

#include <situ/core/config.hpp>
#include <situ/core/lane.hpp>
#include <situ/formula/math/error_free.hpp>
#include <situ/formula/math/error_function.hpp>
#include <situ/formula/math/exp.hpp>
#include <situ/formula/math/log.hpp>
#include <situ/formula/math/near_quotient.hpp>

namespace situ::internal::math {

namespace detail {

/// x / (1 + exp(-y sign(x))), y = high + low >= 0, t = |x| (bounded so that the exponential is 0 beyond). For negative
/// x it is -t exp(-y) / (1 + exp(-y)). That product must not lose digits where the exponential alone is subnormal: from
/// a certain y on, exp(-shift) goes to t. The effect of `low` is brought into the sum, which is rounded anyway.
template <class V>
[[SITU_INLINE]] constexpr V logistic_product(V x, V t, V high, V low) {
  using T = lane_element_t<V>;
  constexpr T shift = std::is_same_v<T, float> ? T(64) : T(512);
  constexpr T decay = std::is_same_v<T, float> ? T(0x1.969d48p-93) : T(0x1.44109edb20931p-739);  // exp(-shift)
  const V one(T(1));
  const auto negative = x < V(T(0)), distant = high > V(shift);
  const V e = exp(select(distant, V(shift) - high, -high));  // the difference is exact
  const V product = select(distant, t * V(decay), t) * e;
  const V little = select(distant, V(T(0)), e);
  // negative: (1 + e) (1 + low), as the numerator lacks 1 - low; else 1 + e (1 - low)
  const V sum = one + mul_add(low, select(negative, one + little, -little), little);
  const V value = near_quotient(select(negative, -product, x), sum);
  if constexpr (is_kernel_float<V>) return select(x > t, x, value);  // infinity as well
  else return value;
}

/// min(|x|, bound); a NaN stays.
template <class V>
[[SITU_INLINE]] constexpr V bounded_magnitude(V x, lane_element_t<V> bound) {
  const V magnitude = abs(x);
  return select(magnitude > V(bound), V(bound), magnitude);
}

}  // namespace detail

/// The logistic function 1 / (1 + exp(-x)).
template <class V>
constexpr V sigmoid(V x) {
  using T = lane_element_t<V>;
  const V e = exp(-abs(x));
  return near_quotient(select(x < V(T(0)), e, V(T(1))), V(T(1)) + e);
}

/// x sigmoid(x), also called swish; -0 at minus infinity.
template <class V>
constexpr V silu(V x) {
  using T = lane_element_t<V>;
  const V t = detail::bounded_magnitude(x, std::is_same_v<T, float> ? T(120) : T(800));
  return detail::logistic_product(x, t, t, V(T(0)));
}

/// log(1 + exp(x)), without overflow: max(x, 0) + log1p(exp(-|x|)).
template <class V>
constexpr V softplus(V x) {
  using T = lane_element_t<V>;
  return select(x < V(T(0)), V(T(0)), x) + log1p(exp(-abs(x)));
}

/// x times the probability that a standard normal number is below x (Hendrycks and Gimpel, 2016), x (1 + erf(x /
/// sqrt 2)) / 2; -0 at minus infinity. The lower tail does not cancel: see `normal_tail_divisor`.
/// Below 1 a polynomial, which is closer; minimax fit (Remez, by mpmath) 2^-27 (float), 2^-55 (double).
template <class V>
constexpr V gelu(V x) {
  using T = lane_element_t<V>;
  const V t = detail::bounded_magnitude(x, std::is_same_v<T, float> ? T(14.5) : T(39));
  const auto square = detail::two_product(t, t);
  const V half(T(0.5));
  const V e = exp(-half * square.high);
  const V quotient = near_quotient(t, detail::normal_tail_divisor(t, half * square.low));  // times e, the tail
  V odd;  // the probability is 1/2 + x odd(x^2)
  if constexpr (std::is_same_v<T, float>) {
    odd = polynomial(square.high, 0x1.988454p-2, -0x1.105862p-4, 0x1.46d558p-7, -0x1.376e82p-10, 0x1.e267d8p-14,
                     -0x1.120ba4p-17);
  } else {
    odd = polynomial(square.high, 0x1.9884533d4364ep-2, -0x1.1058377e2cc4ap-4, 0x1.46d042974f92p-7,
                     -0x1.37403f643f397p-10, 0x1.e42b0af0bb0bap-14, -0x1.3ce8bf059b9d4p-17, 0x1.6582b7b110592p-21,
                     -0x1.618c30ef5b87ap-25, 0x1.311567a6e0a92p-29, -0x1.86431a8688f8ep-34);
  }
  const V distant = select(x < V(T(0)), -(quotient * e), mul_add(-quotient, e, x));
  return select(t < V(T(1)), x * mul_add(x, odd, half), distant);
}

/// The approximation of gelu by tanh, x (1 + tanh(sqrt(2 / pi) (x + 0.044715 x^3))) / 2; -0 at minus infinity.
/// Computed as x / (1 + exp(-y)), y = x (a + b x^2) in two parts, because exp magnifies the error of y by y.
template <class V>
constexpr V gelu_tanh(V x) {
  using T = lane_element_t<V>;
  constexpr bool single = std::is_same_v<T, float>;
  // a = 2 sqrt(2 / pi) and b = 0.044715 a
  constexpr T a = single ? T(0x1.988454p+0) : T(0x1.9884533d43651p+0);
  constexpr T a_low = single ? T(-0x1.857936p-25) : T(-0x1.cbc0d30ebfd15p-54);
  constexpr T b = single ? T(0x1.2444f2p-4) : T(0x1.2444f2a4d8b4bp-4);
  constexpr T b_low = single ? T(0x1.49b16ap-29) : T(-0x1.6c843a29d1c7p-61);
  const V t = detail::bounded_magnitude(x, single ? T(16) : T(32));
  const auto square = detail::two_product(t, t);
  const auto cubic = detail::two_product(V(b), square.high);
  const auto sum = detail::fast_two_sum(max_number(V(a), cubic.high), min_number(V(a), cubic.high));
  const V sum_low = sum.low + (V(a_low) + (cubic.low + mul_add(V(b), square.low, V(b_low) * square.high)));
  const auto y = detail::two_product(t, sum.high);
  return detail::logistic_product(x, t, y.high, mul_add(t, sum_low, y.low));
}

/// x above 0, alpha (exp(x) - 1) below (Clevert, Unterthiner, Hochreiter, 2016).
template <class V>
constexpr V elu(V x, V alpha) {
  return select(x > V(lane_element_t<V>(0)), x, alpha * expm1(x));
}

/// elu with the constants that keep mean 0 and variance 1 (Klambauer and others, "Self-normalizing neural networks",
/// 2017).
template <class V>
constexpr V selu(V x) {
  using T = lane_element_t<V>;
  constexpr double scale = 1.0507009873554804934193349852946, scale_alpha = 1.7580993408473768599402175208123;
  return select(x > V(T(0)), V(static_cast<T>(scale)) * x, V(static_cast<T>(scale_alpha)) * expm1(x));
}

}  // namespace situ::internal::math
