// SPDX-License-Identifier: Apache-2.0
// The solvers that factor matrices: Eigen's; or, in the compiled part, those of the LAPACK that the program links:
// `SITU_LINALG_LAPACK`, which the build option SITU_LINALG=LAPACK defines for situ::compiled.
#pragma once

#include <situ/core/config.hpp>

#if defined(SITU_LINALG_LAPACK) && !defined(SITU_COMPILED)
#error "situ: SITU_LINALG_LAPACK is for programs that link situ::compiled (-DSITU_LINALG=LAPACK of CMake defines it)"
#endif

namespace situ {

namespace every_file_of_a_program_needs_the_same_SITU_LINALG {
// Like the guards of core/config.hpp, for files with linear algebra.
#if defined(SITU_LINALG_LAPACK)
[[gnu::used, gnu::visibility("hidden")]] inline thread_local char by_lapack = 0;
#else
[[gnu::used, gnu::visibility("hidden")]] inline char by_lapack = 0;
#endif
}  // namespace every_file_of_a_program_needs_the_same_SITU_LINALG

namespace internal::inline SITU_SETTINGS::cpu {

/// The solvers by LAPACK, which exist only in the compiled part: src/compiled/lapack.hpp.
namespace lapack {

template <class T>
class Cholesky;
template <class T>
class CompleteOrthogonal;
template <class T>
class Eigh;
template <class T>
class Lu;
template <class T>
class Qr;
template <class T>
class SingularValues;
template <class T>
class TransposedLu;

}  // namespace lapack

namespace detail {

/// The solver of a kernel, its template argument: so kernels by Eigen and by LAPACK have one source and two symbols.
#if defined(SITU_LINALG_LAPACK)
template <class ByEigen, class ByLapack>
using Provided = ByLapack;
#else
template <class ByEigen, class ByLapack>
using Provided = ByEigen;
#endif

}  // namespace detail

}  // namespace internal::inline SITU_SETTINGS::cpu

}  // namespace situ
