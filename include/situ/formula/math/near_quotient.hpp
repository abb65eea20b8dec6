// SPDX-License-Identifier: Apache-2.0
// Division where the operands are known to be tame.
#pragma once

#include <situ/core/config.hpp>
#include <situ/core/lane.hpp>

namespace situ::internal::math {

/// a / b for a finite `a` and `b` from 1/2 to 2^120. In a kernel by an approximate reciprocal and one correction, as
/// good as correctly rounded: the division of all numbers has a branch to a slow path, and the elements of a thread
/// wait for each other at each of them.
template <class V>
[[SITU_INLINE]] constexpr V near_quotient(V a, V b) {
#if defined(__CUDA_ARCH__)
  if constexpr (is_kernel_float<V>) {
    float inverse = 0;
    asm("rcp.approx.ftz.f32 %0, %1;" : "=f"(inverse) : "f"(b));
    const float quotient = a * inverse;
    return fma(fma(-quotient, b, a), inverse, quotient);
  } else {
    return a / b;
  }
#else
  return a / b;
#endif
}

}  // namespace situ::internal::math
