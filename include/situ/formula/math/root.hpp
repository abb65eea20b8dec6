// SPDX-License-Identifier: Apache-2.0
// sqrt, rsqrt and hypot for scalars and lanes.
#pragma once

#include <limits>
#include <type_traits>

#include <situ/core/config.hpp>
#include <situ/core/lane.hpp>

namespace situ::internal::inline SITU_SETTINGS::math {

/// The square root, correctly rounded; NaN below zero.
template <class V>
[[SITU_INLINE]] constexpr V sqrt(V x) {
  using lane::sqrt;
  return sqrt(x);
}

/// 1 / sqrt(x), within 1.5 ulp. The estimates of different processors differ, so none is used.
template <class V>
[[SITU_INLINE]] constexpr V rsqrt(V x) {
  using lane::sqrt;
  return V(lane_element_t<V>(1)) / sqrt(x);
}

/// sqrt(x^2 + y^2) without intermediate overflow; infinite if either is, even if the other is NaN. `float` computes in
/// `double`, in which its squares neither overflow nor underflow; `double` is scaled by a power of two.
template <class V>
[[SITU_INLINE]] constexpr V hypot(V x, V y) {
  using lane::sqrt;
  using T = lane_element_t<V>;
  const V a = abs(x);
  const V b = abs(y);
  V value;
  if constexpr (std::is_same_v<T, float>) {
    const auto wide_a = convert<double>(a);
    const auto wide_b = convert<double>(b);
    value = convert<float>(sqrt(mul_add(wide_a, wide_a, wide_b * wide_b)));
  } else {
    const V large = max_number(a, b);
    const V little = min_number(a, b);
    const auto shrink = large > V(0x1p500);
    const auto grow = large < V(0x1p-450);
    const V scale = select(shrink, V(0x1p-600), select(grow, V(0x1p600), V(1.0)));
    const V back = select(shrink, V(0x1p600), select(grow, V(0x1p-600), V(1.0)));
    const V p = large * scale;
    const V q = little * scale;
    value = sqrt(mul_add(p, p, q * q)) * back;
    value = select(a == a, select(b == b, value, b), a);
  }
  constexpr T infinity = std::numeric_limits<T>::infinity();
  return select((a == V(infinity)) || (b == V(infinity)), V(infinity), value);
}

}  // namespace situ::internal::inline SITU_SETTINGS::math
