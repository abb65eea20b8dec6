// SPDX-License-Identifier: Apache-2.0
// Eigenvalues and singular values, compiled once.
#include <situ/cpu/linalg/compiled.hpp>

#if defined(SITU_LINALG_LAPACK)
#include "lapack/solvers.hpp"
#endif

namespace situ::internal::inline SITU_SETTINGS::cpu {

SITU_COMPILED_PART_SPECTRA(template)

}  // namespace situ::internal::inline SITU_SETTINGS::cpu
