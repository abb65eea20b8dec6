// SPDX-License-Identifier: Apache-2.0
// Sums and products together with their rounding errors (Dekker 1971, Knuth): numbers of twice the precision.
#pragma once

#include <type_traits>

#include <situ/core/config.hpp>
#include <situ/core/lane.hpp>

namespace situ::internal::inline SITU_SETTINGS::math::detail {

/// high + low, where high is the sum rounded.
template <class V>
struct DoubleNumber {
  V high, low;
};

/// a + b exactly, for |a| >= |b| or a == 0.
template <class V>
[[SITU_INLINE]] constexpr DoubleNumber<V> fast_two_sum(V a, V b) {
  const V sum = a + b;
  return {sum, b - (sum - a)};
}

/// a * b exactly, unless the product is nearly subnormal.
template <class V>
[[SITU_INLINE]] constexpr DoubleNumber<V> two_product(V a, V b) {
  using T = lane_element_t<V>;
  const V product = rounded_product(a, b);
  if constexpr (has_fast_fma) {
    return {product, fma(a, b, -product)};
  } else {
    constexpr T splitter = std::is_same_v<T, float> ? T(0x1p12 + 1) : T(0x1p27 + 1);
    const V a_scaled = a * V(splitter);
    const V a_high = a_scaled - (a_scaled - a);
    const V a_low = a - a_high;
    const V b_scaled = b * V(splitter);
    const V b_high = b_scaled - (b_scaled - b);
    const V b_low = b - b_high;
    return {product, a_low * b_low - (((product - a_high * b_high) - a_low * b_high) - a_high * b_low)};
  }
}

/// a + b * c, for an `a` with so few bits that the sum minus `a` is exact.
template <class V>
[[SITU_INLINE]] constexpr DoubleNumber<V> short_plus_product(V a, V b, V c) {
  if constexpr (has_fast_fma) {
    const V sum = fma(b, c, a);
    return {sum, fma(b, c, a - sum)};
  } else {
    const DoubleNumber<V> product = two_product(b, c);
    const V sum = a + product.high;
    return {sum, (product.high - (sum - a)) + product.low};
  }
}

}  // namespace situ::internal::inline SITU_SETTINGS::math::detail
