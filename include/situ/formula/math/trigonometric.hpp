// SPDX-License-Identifier: Apache-2.0
// sin, cos and tan of any angle in radians, for scalars and lanes.
#pragma once

#include <type_traits>

#include <situ/core/config.hpp>
#include <situ/core/lane.hpp>
#include <situ/formula/math/pi_reduction.hpp>
#include <situ/formula/math/polynomial.hpp>

namespace situ::internal::inline SITU_SETTINGS::math {

namespace detail {

// The coefficients are minimax fits (Remez, by mpmath) of the relative error on [-pi/4, pi/4], 1% wider.

/// sin(high + low). Error of the fit 2^-32 (float), 2^-57.7 (double).
template <class V>
[[SITU_INLINE]] constexpr V sin_reduced(V high, V low) {
  const V square = high * high;
  V p;
  if constexpr (std::is_same_v<lane_element_t<V>, float>) {
    p = polynomial(square, -0x1.555556p-3, 0x1.111172p-7, -0x1.a056a2p-13, 0x1.7b580ep-19);
  } else {
    p = polynomial(square, -0x1.5555555555547p-3, 0x1.111111110f572p-7, -0x1.a01a019bad7e7p-13, 0x1.71de351efdb0cp-19,
                   -0x1.ae5e1f948ab65p-26, 0x1.5d7e3cb8687fcp-33);
  }
  return high + mul_add(high * square, p, low);
}

/// cos(high + low). 1 - square/2 is rounded, and its error is added with the small terms. Error of the fit 2^-32.7
/// (float), 2^-63.7 (double).
template <class V>
[[SITU_INLINE]] constexpr V cos_reduced(V high, V low) {
  const V square = high * high;
  const V half = V(lane_element_t<V>(0.5)) * square;
  const V one(lane_element_t<V>(1));
  const V head = one - half;
  V p;
  if constexpr (std::is_same_v<lane_element_t<V>, float>) {
    p = polynomial(square, 0x1.55554ap-5, -0x1.6c0c14p-10, 0x1.99de6ep-16);
  } else {
    p = polynomial(square, 0x1.5555555555549p-5, -0x1.6c16c16c14bcfp-10, 0x1.a01a019c24eeep-16, -0x1.27e4f7a4f06e3p-22,
                   0x1.1ee9a7acb483p-29, -0x1.8f8b77cb40d36p-37);
  }
  return head + (((one - head) - half) + mul_add(square * square, p, -(high * low)));
}

/// `value` negated where bit 1 of `quadrant` is set.
template <class V, class At>
[[SITU_INLINE]] constexpr V negate_by_quadrant(V value, At quadrant) {
  using T = lane_element_t<V>;
  constexpr int up = static_cast<int>(8 * sizeof(T)) - 2;
  return from_bits<T>(to_bits(value) ^ ((quadrant & At(bits_t<T>(2))) << up));
}

}  // namespace detail

/// The sine; NaN for infinities. C99 Annex F for NaN and signed zeros.
template <class V>
constexpr V sin(V x) {
  using At = rebind_lane_t<V, bits_t<lane_element_t<V>>>;
  const ReducedAngle<V> angle = reduce_angle(x);
  const V s = detail::sin_reduced(angle.high, angle.low);
  const V c = detail::cos_reduced(angle.high, angle.low);
  const auto odd = (angle.quadrant & At(1)) != At(0);
  const V value = detail::negate_by_quadrant(select(odd, c, s), angle.quadrant);
  return select(x == V(lane_element_t<V>(0)), x, value);  // the sum with `low` loses the sign of -0
}

/// The cosine; NaN for infinities.
template <class V>
constexpr V cos(V x) {
  using At = rebind_lane_t<V, bits_t<lane_element_t<V>>>;
  const ReducedAngle<V> angle = reduce_angle(x);
  const V s = detail::sin_reduced(angle.high, angle.low);
  const V c = detail::cos_reduced(angle.high, angle.low);
  const At quadrant = angle.quadrant + At(1);
  const auto odd = (quadrant & At(1)) != At(0);
  return detail::negate_by_quadrant(select(odd, c, s), quadrant);
}

/// The tangent; NaN for infinities. In odd quadrants -1 / tan of the reduced angle, which is kept in two parts for
/// this. Error of the fit 2^-29.2 (float), 2^-58.8 (double).
template <class V>
constexpr V tan(V x) {
  using T = lane_element_t<V>;
  using At = rebind_lane_t<V, bits_t<T>>;
  const ReducedAngle<V> angle = reduce_angle(x);
  const V square = angle.high * angle.high;
  V p;
  if constexpr (std::is_same_v<T, float>) {
    p = polynomial(square, 0x1.555562p-2, 0x1.110d12p-3, 0x1.baf31p-5, 0x1.5bb616p-6, 0x1.684d3ap-7, -0x1.f20956p-14,
                   0x1.25b3cep-8);
  } else {
    p = polynomial(square, 0x1.5555555555561p-2, 0x1.111111111022fp-3, 0x1.ba1ba1baf06f3p-5, 0x1.664f4852a77abp-6,
                   0x1.226e3bd3ae80ep-7, 0x1.d6d2b0b0c887bp-9, 0x1.7db4997f2c2aap-10, 0x1.349ddcdbbb5d4p-11,
                   0x1.006e21b34b514p-12, 0x1.55e94bc1e8e1p-14, 0x1.29806459738edp-14, -0x1.fc93e39352259p-16,
                   0x1.b8b052aa1092p-15, -0x1.b792570f36a0ep-16, 0x1.57276a4940da9p-17);
  }
  const V curve = angle.high * (square * p);
  const V slope = mul_add(square, mul_add(square, V(T(0.7)), V(T(1))), V(T(1)));  // tan' = 1 + tan^2, nearly
  const V rest = mul_add(angle.low, slope, curve);
  const V high = angle.high + rest;
  const V low = rest - (high - angle.high);
  const V inverse = V(T(-1)) / high;
  const V cotangent = mul_add(inverse * inverse, low, inverse);  // -1 / (high + low)
  const auto odd = (angle.quadrant & At(1)) != At(0);
  return select(x == V(T(0)), x, select(odd, cotangent, high));
}

}  // namespace situ::internal::inline SITU_SETTINGS::math
