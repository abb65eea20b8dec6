// SPDX-License-Identifier: Apache-2.0
// Rounding errors that are computed are taken for 0 under this flag. The twin is compiled without.
// flags: -funsafe-math-optimizations
// flags[nvcc]: -Xcompiler=-funsafe-math-optimizations
// skip[clang]: the flag leaves no trace that a program can see
// first: situ: compile without -ffast-math, -ffinite-math-only, -funsafe-math-optimizations and -Ofast \(take -O3\)
#include <situ/core/config.hpp>
#ifndef SITU_CONTROL
static_assert(situ::internal::max_rank > 0);
#endif
