// SPDX-License-Identifier: Apache-2.0
// The error function, and the tail of the normal distribution that gelu needs.
#pragma once

#include <type_traits>

#include <situ/core/config.hpp>
#include <situ/core/lane.hpp>
#include <situ/formula/math/exp.hpp>
#include <situ/formula/math/near_quotient.hpp>
#include <situ/formula/math/polynomial.hpp>

namespace situ::internal::inline SITU_SETTINGS::math {

/// erf(x), the integral of 2 / sqrt(pi) exp(-t^2) from 0 to x. Below 1 a polynomial in x^2, above it 1 - exp(-p(x))
/// with p = -log(1 - erf). Minimax fits (Remez, by mpmath) of the relative error of erf: 2^-28 (float), 2^-55.8
/// (double).
template <class V>
constexpr V erf(V x) {
  if constexpr (is_kernel_float<V>) {
    return ::erff(x);
  } else {
    using T = lane_element_t<V>;
    const V magnitude = abs(x);
    const V square = x * x;
    V near_zero, p;
    if constexpr (std::is_same_v<T, float>) {
      near_zero = polynomial(square, 0x1.06eba8p-3, -0x1.81273ep-2, 0x1.ce2ce6p-4, -0x1.b7f71ep-6, 0x1.53f24ep-8,
                             -0x1.a352e6p-11, 0x1.4776fap-14);
      const V t = select(magnitude > V(T(3.93)), V(T(3.93)), magnitude);  // from here on 1; NaN stays
      p = polynomial(t, -0x1.8b3dc4p-13, 0x1.212c2cp+0, 0x1.4434f2p-1, 0x1.bc18cap-4, -0x1.9d0bc6p-6, 0x1.1398e4p-8,
                     -0x1.ceeaaap-12, 0x1.6c0638p-16);
    } else {
      near_zero = polynomial(square, 0x1.06eba8214db69p-3, -0x1.812746b037a25p-2, 0x1.ce2f21a0458d7p-4,
                             -0x1.b82ce31354c7p-6, 0x1.565bcd2c6106bp-8, -0x1.c02db9329b8d7p-11, 0x1.f9a3b94082c4cp-14,
                             -0x1.f4dcefaa8a6bfp-17, 0x1.ba68fc0160f5fp-20, -0x1.638fe00fece9ap-23,
                             0x1.131b775a73926p-26, -0x1.c49805f0f4208p-30, 0x1.3b7099b0412b7p-33);
      const V t = select(magnitude > V(T(5.93)), V(T(5.93)), magnitude);
      p = polynomial(t, 0x1.81a78f6136b8bp-23, 0x1.20dd56303fe7cp+0, 0x1.45f42b49611e8p-1, 0x1.a4da4eb21656cp-4,
                     -0x1.38939e65dfd41p-6, -0x1.261a0786ae37bp-12, 0x1.cfbacc90aeaa8p-10, -0x1.50275987a3d18p-11,
                     0x1.77f0a697ba389p-15, 0x1.2727832c94435p-14, -0x1.79d04afdeca6ep-15, 0x1.1510ffd55a86ap-16,
                     -0x1.226456a8b9726p-18, 0x1.c8aa012d4518bp-21, -0x1.0df5ad2897dbep-23, 0x1.d43b032c688c6p-27,
                     -0x1.19f4e7c081ad7p-30, 0x1.a5e350f339b4bp-35, -0x1.277601e1f5da9p-40);
    }
    const V distant = copy_sign(V(T(1)) - exp(-p), x);
    return select(magnitude < V(T(1)), mul_add(x, near_zero, x), distant);
  }
}

namespace detail {

/// The probability that a standard normal number is above t, as exp(-t^2 / 2) divided by this, for 0 <= t <= 14.5
/// (float) or 39 (double). sqrt(2 pi) t, the value for large t, plus a rational function that decreases from 2 to 0, so
/// that the errors of the polynomials matter little. Minimax fit (Remez, by mpmath): 2^-28.2 (float), 2^-54.9 (double).
/// The result is multiplied by 1 + correction, with a small |correction|, without an extra rounding.
template <class V>
[[SITU_INLINE]] constexpr V normal_tail_divisor(V t, V correction) {
  using T = lane_element_t<V>;
  constexpr bool single = std::is_same_v<T, float>;
  V rest;
  if constexpr (single) {
    rest =
        near_quotient(polynomial(t, 0x1p+1, 0x1.42e6dep+0, 0x1.aad54p-2, 0x1.32d8dap-4, 0x1.9ad822p-8),
                      polynomial(t, 0x1p+0, 0x1.160a78p+0, 0x1.2203cp-1, 0x1.5e416ep-3, 0x1.e9dbbcp-6, 0x1.47c63ap-9));
  } else {
    rest = polynomial(t, 0x1p+1, 0x1.3d1979f910829p+1, 0x1.91b2ebe0c0737p+0, 0x1.4a57fce995436p-1, 0x1.7f12b2849c7adp-3,
                      0x1.4263ede956fb9p-5, 0x1.88c2f5e9178a8p-8, 0x1.4e5ed8a2bc373p-11, 0x1.6afcc4e4fef75p-15,
                      0x1.836b8ce110079p-20) /
           polynomial(t, 0x1p+0, 0x1.b1b08259d1402p+0, 0x1.6b63cae114937p+0, 0x1.85f13ce5e961fp-1, 0x1.263132af9f327p-2,
                      0x1.44cf500c3b934p-4, 0x1.0982c7d1dfc4dp-6, 0x1.3de75ab273dd5p-9, 0x1.0bff1d5422e3bp-12,
                      0x1.219f3d122cf88p-16, 0x1.351dd4fa611cfp-21);
  }
  const V slope(single ? T(0x1.40d932p+1) : T(0x1.40d931ff62706p+1));
  return mul_add(slope, t, mul_add(correction, mul_add(slope, t, rest), rest));
}

}  // namespace detail

}  // namespace situ::internal::inline SITU_SETTINGS::math
