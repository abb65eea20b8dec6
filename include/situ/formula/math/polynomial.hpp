// SPDX-License-Identifier: Apache-2.0
// Polynomials by Horner's rule on a lane type.
#pragma once

#include <situ/core/config.hpp>
#include <situ/core/lane.hpp>

namespace situ::internal::inline SITU_SETTINGS::math {

/// c0 + c1 x + c2 x^2 + ... with `mul_add`. The coefficients are written as `double` and rounded to the element type at
/// compile time. Horner's chain is as fast as a tree here: the processor overlaps the chains of successive lanes.
template <class V>
[[SITU_INLINE]] constexpr V polynomial(V, double c0) {
  return V(static_cast<lane_element_t<V>>(c0));
}
template <class V, class... C>
[[SITU_INLINE]] constexpr V polynomial(V x, double c0, C... rest) {
  return mul_add(polynomial(x, rest...), x, V(static_cast<lane_element_t<V>>(c0)));
}

/// The same with `fma`, so that every machine computes the same bits.
template <class V>
[[SITU_INLINE]] constexpr V fused_polynomial(V, double c0) {
  return V(static_cast<lane_element_t<V>>(c0));
}
template <class V, class... C>
[[SITU_INLINE]] constexpr V fused_polynomial(V x, double c0, C... rest) {
  return fma(fused_polynomial(x, rest...), x, V(static_cast<lane_element_t<V>>(c0)));
}

}  // namespace situ::internal::inline SITU_SETTINGS::math
