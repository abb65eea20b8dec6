// SPDX-License-Identifier: Apache-2.0
// The routines of LAPACK that are called, as overloads for `float` and `double`: by names of our own, for headers of
// other libraries declare them with types of theirs. Fortran passes the lengths of strings behind all other arguments.
#pragma once

#include <cstddef>

#include <situ/core/config.hpp>

namespace situ::internal::inline SITU_SETTINGS::cpu::lapack::routines {

using Length = std::size_t;

// P A = L U; X of A X = B by it; the inverse by it.
template <class T>
using Getrf = void(const int* m, const int* n, T* a, const int* lda, int* pivots, int* info);
Getrf<float> getrf __asm__("sgetrf_");
Getrf<double> getrf __asm__("dgetrf_");
template <class T>
using Getrs = void(const char* transposed, const int* n, const int* sides, const T* a, const int* lda,
                   const int* pivots, T* b, const int* ldb, int* info, Length);
Getrs<float> getrs __asm__("sgetrs_");
Getrs<double> getrs __asm__("dgetrs_");
template <class T>
using Getri = void(const int* n, T* a, const int* lda, const int* pivots, T* work, const int* lwork, int* info);
Getri<float> getri __asm__("sgetri_");
Getri<double> getri __asm__("dgetri_");

// A = U^T U.
template <class T>
using Potrf = void(const char* triangle, const int* n, T* a, const int* lda, int* info, Length);
Potrf<float> potrf __asm__("spotrf_");
Potrf<double> potrf __asm__("dpotrf_");

// A = Q R, and with columns exchanged; columns of Q by it; Q or its transpose times C by it.
template <class T>
using Geqrf = void(const int* m, const int* n, T* a, const int* lda, T* tau, T* work, const int* lwork, int* info);
Geqrf<float> geqrf __asm__("sgeqrf_");
Geqrf<double> geqrf __asm__("dgeqrf_");
template <class T>
using Geqp3 = void(const int* m, const int* n, T* a, const int* lda, int* columns, T* tau, T* work, const int* lwork,
                   int* info);
Geqp3<float> geqp3 __asm__("sgeqp3_");
Geqp3<double> geqp3 __asm__("dgeqp3_");
template <class T>
using Orgqr = void(const int* m, const int* n, const int* k, T* a, const int* lda, const T* tau, T* work,
                   const int* lwork, int* info);
Orgqr<float> orgqr __asm__("sorgqr_");
Orgqr<double> orgqr __asm__("dorgqr_");
template <class T>
using Ormqr = void(const char* side, const char* transposed, const int* m, const int* n, const int* k, const T* a,
                   const int* lda, const T* tau, T* c, const int* ldc, T* work, const int* lwork, int* info, Length,
                   Length);
Ormqr<float> ormqr __asm__("sormqr_");
Ormqr<double> ormqr __asm__("dormqr_");

// R = (T 0) Z of an R with more columns than rows; Z or its transpose times C by it.
template <class T>
using Tzrzf = void(const int* m, const int* n, T* a, const int* lda, T* tau, T* work, const int* lwork, int* info);
Tzrzf<float> tzrzf __asm__("stzrzf_");
Tzrzf<double> tzrzf __asm__("dtzrzf_");
template <class T>
using Ormrz = void(const char* side, const char* transposed, const int* m, const int* n, const int* k, const int* l,
                   const T* a, const int* lda, const T* tau, T* c, const int* ldc, T* work, const int* lwork, int* info,
                   Length, Length);
Ormrz<float> ormrz __asm__("sormrz_");
Ormrz<double> ormrz __asm__("dormrz_");

// Eigenvalues of symmetric matrices, and singular values, by divide and conquer.
template <class T>
using Syevd = void(const char* vectors, const char* triangle, const int* n, T* a, const int* lda, T* w, T* work,
                   const int* lwork, int* iwork, const int* liwork, int* info, Length, Length);
Syevd<float> syevd __asm__("ssyevd_");
Syevd<double> syevd __asm__("dsyevd_");
template <class T>
using Gesdd = void(const char* vectors, const int* m, const int* n, T* a, const int* lda, T* s, T* u, const int* ldu,
                   T* vt, const int* ldvt, T* work, const int* lwork, int* iwork, int* info, Length);
Gesdd<float> gesdd __asm__("sgesdd_");
Gesdd<double> gesdd __asm__("dgesdd_");

}  // namespace situ::internal::inline SITU_SETTINGS::cpu::lapack::routines
