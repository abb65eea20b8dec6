// SPDX-License-Identifier: Apache-2.0
// The seam of linear algebra: factorisations of matrices that lie by columns, in place, as LAPACK has them. On a GPU
// they are cuSOLVER's and cuBLAS's, compiled once (src/cuda/linalg/solver.cpp) into a library of its own, so that no
// header includes them and only who calls them links them; the emulation computes them by Eigen.
//
// All work goes into the backend's stream. `info` is in device memory, one for each matrix: 0, or what LAPACK says of
// one without result. Functions throw `CudaError`; T is `float` or `double`.
#pragma once

#include <cstdint>

#include <situ/cuda/api/backend.hpp>
#include <situ/plan/linalg.hpp>

#if defined(SITU_CUDA)

namespace situ::internal::cuda::solver {

/// `count` matrices that lie by columns without gaps, their first elements `batch` elements apart.
template <class T>
struct Matrices {
  std::int64_t rows = 0;
  std::int64_t columns = 0;
  T* data = nullptr;
  std::int64_t count = 1;
  std::int64_t batch = rows * columns;
};

/// C := C op(A)^-1 for `count` triangular matrices A of `order` and C of `rows` x `order`. C by rows is op(A)^-T C: no
/// right-hand side of ours needs a transposed copy.
template <class T>
struct Division {
  std::int64_t rows = 0;
  std::int64_t order = 0;
  const T* triangle = nullptr;
  std::int64_t triangle_ld = 0;
  std::int64_t triangle_batch = 0;  // 0 repeats one
  bool upper = false;               // of A as it lies
  bool transposed = false;
  bool unit = false;
  T* c = nullptr;
  std::int64_t c_batch = 0;
  std::int64_t count = 1;
};

enum class Vectors { none, thin, full };

/// Whether matrices are small and many enough for the routines that take a batch in one call, else there is one call
/// for each.
[[nodiscard]] constexpr bool in_batches(std::int64_t order, std::int64_t count) { return count > 1 && order <= 256; }
/// The same for `lu`, whose pivots are 32-bit integers then, and 64-bit ones elsewhere.
template <class T>
[[nodiscard]] constexpr bool has_short_pivots(const Matrices<T>& a) {
  return a.rows == a.columns && in_batches(a.rows, a.count);
}

// A name that says, where the linker misses it, what to link.
inline namespace in_library_situ_cuda_linalg {

/// P A = L U; step i exchanges row i with row `pivots[i]`, counted from 1, of which each matrix has min(rows, columns).
template <class T>
void lu(const Backend& backend, const Matrices<T>& a, void* pivots, std::int32_t* info);
/// A = R^T R for the upper triangle, the other being left in any state.
template <class T>
void cholesky(const Backend& backend, const Matrices<T>& a, std::int32_t* info);
/// R and the reflectors of Q below it, whose factors are `tau`, min(rows, columns) for each matrix.
template <class T>
void qr(const Backend& backend, const Matrices<T>& a, T* tau);
/// The first `a.columns` columns of the Q whose reflectors are the first `reflectors` columns of A, in their place; as
/// many elements of `tau` are of each matrix.
template <class T>
void form_q(const Backend& backend, const Matrices<T>& a, std::int64_t reflectors, const T* tau);
/// C := C Q for the Q whose reflectors are in A, which has no more columns than rows; C has as many columns as A has
/// rows.
template <class T>
void multiply_by_q(const Backend& backend, const Matrices<T>& a, const T* tau, const Matrices<T>& c);
template <class T>
void divide(const Backend& backend, const Division<T>& division);
/// Eigenvalues, ascending, of the symmetric matrices of which the upper triangle is given; eigenvectors, if wanted,
/// become the columns of A.
template <class T>
void eigen(const Backend& backend, const Matrices<T>& a, bool vectors, T* values, std::int32_t* info);
/// A = U diag(s) V^T for A with at least as many rows as columns, which is lost: U has as many columns as A, or
/// (`full`) as A has rows; V^T is square. All lie by columns, matrix behind matrix.
template <class T>
void singular_values(const Backend& backend, const Matrices<T>& a, Vectors vectors, T* s, T* u, T* vt,
                     std::int32_t* info);

}  // namespace in_library_situ_cuda_linalg

}  // namespace situ::internal::cuda::solver

#if defined(SITU_CUDA_EMULATED)
#include <situ/emulation/solver.hpp>
#endif

#endif
