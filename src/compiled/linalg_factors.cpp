// SPDX-License-Identifier: Apache-2.0
// QR factorizations and least squares, compiled once.
#include <situ/cpu/linalg/compiled.hpp>

#if defined(SITU_LINALG_LAPACK)
#include "lapack/solvers.hpp"
#endif

namespace situ::internal::inline SITU_SETTINGS::cpu {

SITU_COMPILED_PART_FACTORS(template)

}  // namespace situ::internal::inline SITU_SETTINGS::cpu
