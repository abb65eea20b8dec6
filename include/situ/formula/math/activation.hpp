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

namespace situ::internal::inline SITU_SETTINGS::math {

namespace detail {

/// x 2^y / (1 + 2^y), y = high + low. With y = n + f, an integer and a fraction, and a = f coth(f ln 2 / 2), 2^f is (a
/// + f) / (a - f), so that one quotient computes the power too. Its terms are scaled up by `unit`, since 2^n may be
/// subnormal although the product is not; so only the quotient rounds. `high` is bounded such that unit 2^n is normal.
template <class V>
[[SITU_INLINE]] constexpr V logistic_product(V x, V high, V low) {
  using T = lane_element_t<V>;
  constexpr bool single = std::is_same_v<T, float>;
  constexpr T unit = single ? T(0x1p40) : T(0x1p300);
  constexpr T magic = ExpConstants<T>::magic + (single ? T(40) : T(300));
  const V sum = high + V(magic);
  const V power = power_of_sum(sum);
  const V f = (high - (sum - V(magic))) + low;
  V a;  // a minimax fit (Remez), error relative to 2^f 2^-29 (float), 2^-60 (double)
  if constexpr (single) {
    a = polynomial(f * f, 0x1.715476p+1, 0x1.d93080p-4, -0x1.e3e09ap-11);
  } else {
    a = polynomial(f * f, 0x1.71547652b82fep+1, 0x1.d9303fea2f896p-4, -0x1.e50096de761d3p-11, 0x1.63144fc601450p-17,
                   -0x1.10f448997afffp-23, 0x1.a4d529999f808p-30);
  }
  const V scaled = x * power;
  if constexpr (has_fast_fma) {  // by products with the small f instead of rounded sums
    return near_quotient(mul_add(scaled, a, scaled * f), mul_add(power + V(unit), a, (power - V(unit)) * f));
  } else {
    const V upper = a + f;
    return near_quotient(scaled * upper, power * upper + V(unit) * (a - f));
  }
}

/// min(|x|, bound); NaN stays.
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
  constexpr bool single = std::is_same_v<T, float>;
  constexpr T log2_e = single ? T(0x1.715476p+0) : T(0x1.71547652b82fep+0);
  constexpr T log2_e_low = single ? T(0x1.4ae0cp-26) : T(0x1.777d0ffda0d24p-56);
  constexpr T one_from = single ? T(20) : T(40);  // beyond, the sigmoid rounds to 1
  const V limited = detail::limit(x, single ? T(-110) : T(-760), one_from);
  const auto y = detail::two_product(limited, V(log2_e));
  const V value = detail::logistic_product(limited, y.high, mul_add(limited, V(log2_e_low), y.low));
  return select(x > V(one_from), x, value);
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
/// Computed as x 2^y / (1 + 2^y), y = x (a + b x^2) in two parts, because the power magnifies the error of y by y.
template <class V>
constexpr V gelu_tanh(V x) {
  using T = lane_element_t<V>;
  constexpr bool single = std::is_same_v<T, float>;
  // a = 2 sqrt(2 / pi) / ln 2, its high part of 17 or 40 bits, and b = 0.044715 a
  constexpr T a = single ? T(0x1.26afp+1) : T(0x1.26aec21bce8p+1);
  constexpr T a_low = single ? T(-0x1.ef218cp-18) : T(-0x1.4d6896bd325e7p-44);
  constexpr T b = single ? T(0x1.a5a7dp-4) : T(0x1.a5a7cf7572a98p-4);
  constexpr T b_low = single ? T(-0x1.151aaep-29) : T(-0x1.b91c940e4cfcfp-58);
  constexpr T one_from = single ? T(5.5) : T(7.5);  // beyond, the factor of x rounds to 1
  const V limited = detail::limit(x, single ? T(-11) : T(-22), one_from);
  const auto square = detail::two_product(limited, limited);
  const auto factor = detail::short_plus_product(V(a), V(b), square.high);
  const V factor_low = mul_add(V(b_low), square.high, V(a_low)) + mul_add(V(b), square.low, factor.low);
  const auto y = detail::two_product(limited, factor.high);
  const V value = detail::logistic_product(limited, y.high, mul_add(limited, factor_low, y.low));
  return select(x > V(one_from), x, value);
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

}  // namespace situ::internal::inline SITU_SETTINGS::math
