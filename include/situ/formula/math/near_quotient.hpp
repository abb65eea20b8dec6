// SPDX-License-Identifier: Apache-2.0
// Division of operands in a restricted range.
#pragma once

#include <situ/core/config.hpp>
#include <situ/core/lane.hpp>

namespace situ::internal::inline SITU_SETTINGS::math {

namespace detail {

/// a / b from an `inverse` of b that may be off by one in the last place: a product, corrected by its residual. The
/// residual is negated, quotient b - a, and multiplied by -inverse: that of an exact quotient is +0, so -0 is added,
/// which changes no quotient, and -0 / b stays -0. With a - quotient b it would be +0, and -0 + 0 is +0.
[[SITU_INLINE]] constexpr float corrected_quotient(float a, float b, float inverse) {
  const float quotient = a * inverse;
  return fma(fma(quotient, b, -a), -inverse, quotient);
}

}  // namespace detail

/// a / b for a finite `a` and `b` from 1/2 to 2^120. In a kernel by an approximate reciprocal and one correction,
/// as good as correctly rounded: the general division has a branch to a slow path, and the elements of a thread would
/// wait for each other at each branch.
template <class V>
[[SITU_INLINE]] constexpr V near_quotient(V a, V b) {
#if defined(__CUDA_ARCH__)
  if constexpr (is_kernel_float<V>) {
    float inverse = 0;
    asm("rcp.approx.ftz.f32 %0, %1;" : "=f"(inverse) : "f"(b));
    return detail::corrected_quotient(a, b, inverse);
  } else {
    return a / b;
  }
#else
  return a / b;
#endif
}

}  // namespace situ::internal::inline SITU_SETTINGS::math
