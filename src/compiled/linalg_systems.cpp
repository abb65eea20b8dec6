// SPDX-License-Identifier: Apache-2.0
// Systems of linear equations, compiled once.
#include <situ/cpu/linalg/compiled.hpp>

#if defined(SITU_LINALG_LAPACK)
#include "lapack/solvers.hpp"
#endif

namespace situ::internal::inline SITU_SETTINGS::cpu {

SITU_COMPILED_PART_SYSTEMS(template)

}  // namespace situ::internal::inline SITU_SETTINGS::cpu
