// SPDX-License-Identifier: Apache-2.0
// NaN and infinity do not exist under these flags. The twin is compiled without.
// kind: flags that change what numbers mean
// flags: -Ofast
// flags[nvcc]: -Xcompiler=-ffast-math
// first: situ: compile without -ffast-math, -ffinite-math-only, -funsafe-math-optimizations and -Ofast \(take -O3\)
#include <situ/core/config.hpp>
#ifndef SITU_CONTROL
static_assert(situ::internal::max_rank > 0);
#endif
