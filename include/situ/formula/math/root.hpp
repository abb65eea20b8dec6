// SPDX-License-Identifier: Apache-2.0
// sqrt, rsqrt and hypot for scalars and lanes.
#pragma once

#include <cstdint>
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

namespace detail {

/// In `double`, in which squares of `float` neither overflow nor underflow.
template <class V>
[[SITU_INLINE]] constexpr V hypot_widened(V a, V b) {
  using lane::sqrt;
  const auto wide_a = convert<double>(a);
  const auto wide_b = convert<double>(b);
  return convert<float>(sqrt(mul_add(wide_a, wide_a, wide_b * wide_b)));
}

/// In `float`, for a larger operand of 2^-40 to 2^60 (and NaN): the sum of the squares in two parts, its root, and the
/// root's error, in which 1 / root needs 12 bits: a line through the bits, and two of Newton's steps. Half the time of
/// two roots in `double`, and as accurate.
template <class V>
[[SITU_INLINE]] constexpr V hypot_corrected(V large, V little) {
  using lane::sqrt;
  using At = rebind_lane_t<V, std::int32_t>;
  const V first = rounded_product(large, large);
  const V second = rounded_product(little, little);
  const V sum = first + second;
  const V error = fma(large, large, -first) + (fma(little, little, -second) + (second - (sum - first)));
  const V root = sqrt(sum);
  const V rest = fma(-root, root, sum) + error;
  V inverse = from_bits<float>(subtract(At(0x7ef311c7), to_bits(root)));
  inverse = inverse * fma(-root, inverse, V(2.0f));
  inverse = inverse * fma(-root, inverse, V(2.0f));
  return fma(rest, inverse * V(0.5f), root);
}

}  // namespace detail

/// sqrt(x^2 + y^2) without intermediate overflow; infinite if either is, even if the other is NaN. `double` is scaled
/// by a power of two.
template <class V>
[[SITU_INLINE]] constexpr V hypot(V x, V y) {
  using lane::sqrt;
  using T = lane_element_t<V>;
  const V a = abs(x);
  const V b = abs(y);
  V value;
  if constexpr (std::is_same_v<T, float>) {
    if constexpr (has_fast_fma) {
      const V large = max_number(a, b);
      value = detail::hypot_corrected(large, min_number(a, b));
      const auto outside = !(large >= V(0x1p-40f) && large <= V(0x1p60f));
      if (any(outside)) value = select(outside, detail::hypot_widened(a, b), value);
      value = select(a == a, select(b == b, value, b), a);
    } else {
      value = detail::hypot_widened(a, b);
    }
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
