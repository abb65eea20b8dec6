// SPDX-License-Identifier: Apache-2.0
// The interface to linear algebra: in-place factorizations of column-major matrices, as in LAPACK. On a GPU they are
// cuSOLVER's and cuBLAS's, compiled once (src/cuda/linalg/solver.cpp) into a separate library, so that no header
// includes them and only programs that call them link them; the emulation computes them with Eigen.
//
// All work is put into the backend's stream. `info` is in device memory, one for each matrix: 0, or LAPACK's code for a
// matrix without a result. Functions throw `CudaError`; T is `float` or `double`.
#pragma once

#include <cstdint>

#include <situ/cuda/api/backend.hpp>
#include <situ/cuda/linalg/parts.hpp>
#include <situ/plan/linalg.hpp>

#if defined(SITU_CUDA)

namespace situ::internal::cuda::solver {

enum class Vectors { none, thin, full };

// The name tells what to link if the linker does not find it.
inline namespace in_library_situ_cuda_linalg {

/// P A = L U; step i swaps row i with row `pivots[i]`, counted from 1; each matrix has min(rows, columns) pivots.
template <class T>
void lu(const Backend& backend, const Matrices<T>& a, void* pivots, std::int32_t* info);
/// A = R^T R for the upper triangle; the other one is undefined afterwards.
template <class T>
void cholesky(const Backend& backend, const Matrices<T>& a, std::int32_t* info);
/// R and the reflectors of Q below it, whose factors are `tau`, min(rows, columns) for each matrix.
template <class T>
void qr(const Backend& backend, const Matrices<T>& a, T* tau);
/// The first `a.columns` columns of the Q whose reflectors are the first `reflectors` columns of A, in their place;
/// each matrix has as many elements of `tau`.
template <class T>
void form_q(const Backend& backend, const Matrices<T>& a, std::int64_t reflectors, const T* tau);
/// C := C Q for the Q whose reflectors are in A, which has no more columns than rows; C has as many columns as A has
/// rows.
template <class T>
void multiply_by_q(const Backend& backend, const Matrices<T>& a, const T* tau, const Matrices<T>& c);
template <class T>
void divide(const Backend& backend, const Division<T>& division);
/// Eigenvalues, ascending, of symmetric matrices given by their upper triangles; eigenvectors, if requested, replace
/// the columns of A.
template <class T>
void eigen(const Backend& backend, const Matrices<T>& a, bool vectors, T* values, std::int32_t* info);
/// A = U diag(s) V^T for A with at least as many rows as columns; A is destroyed. U has as many columns as A, or
/// (`full`) as A has rows; V^T is square. All are column-major, matrix after matrix.
template <class T>
void singular_values(const Backend& backend, const Matrices<T>& a, Vectors vectors, T* s, T* u, T* vt,
                     std::int32_t* info);

}  // namespace in_library_situ_cuda_linalg

}  // namespace situ::internal::cuda::solver

#if defined(SITU_CUDA_EMULATED)
#include <situ/emulation/solver.hpp>
#endif

#endif
