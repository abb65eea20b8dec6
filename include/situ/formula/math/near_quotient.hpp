// SPDX-License-Identifier: Apache-2.0
// Division where the operands are known to be tame.
#pragma once

#include <situ/core/config.hpp>
#include <situ/core/lane.hpp>

namespace situ::internal::inline SITU_SETTINGS::math {

namespace detail {

/// a / b from an `inverse` of b that is off by a last place: a product, and the correction by what it leaves of `a`.
/// That is taken negative, quotient b - a, and multiplied by -inverse: a quotient that leaves nothing leaves +0, so what
/// is added is -0, which changes no quotient, and -0 / b stays -0. Of a - quotient b it would be +0, and -0 + 0 is +0.
[[SITU_INLINE]] constexpr float corrected_quotient(float a, float b, float inverse) {
  const float quotient = a * inverse;
  return fma(fma(quotient, b, -a), -inverse, quotient);
}

}  // namespace detail

/// a / b for a finite `a` and `b` from 1/2 to 2^120. In a kernel by an approximate reciprocal and one correction, as
/// good as correctly rounded: the division of all numbers has a branch to a slow path, and the elements of a thread
/// wait for each other at each of them.
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
