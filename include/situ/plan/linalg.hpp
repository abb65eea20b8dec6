// SPDX-License-Identifier: Apache-2.0
// The contract of linear algebra for all backends: batches of dense matrices, one concept for each kernel (as in
// plan/kernels.hpp, which explains how they are found), and the messages for matrices without a result.
//
// Elements are `float` or `double`. Operands have any strides; results are stored in row-major order without gaps, one
// matrix after another, and do not overlap operands. No extent is 0. A matrix without a result is a `LinAlgError`: at
// once on the host; on a device whose work is queued, at the next transfer to the host or wait, and its results are
// NaN.
#pragma once

#include <concepts>
#include <cstdint>
#include <limits>
#include <string>

#include <situ/core/shape.hpp>

namespace situ {

/// The triangle of a square matrix that is read; the other one is ignored.
enum class Triangle { lower, upper };

namespace internal {

/// The operation that the user called.
enum class LinAlgOperation : std::int32_t {
  solve,
  inv,
  det,
  slogdet,
  cholesky,
  cholesky_solve,
  solve_triangular,
  lu,
  qr,
  lstsq,
  eigh,
  eigvalsh,
  svd,
  svdvals,
  pinv,
  matrix_rank,
  cond,
  matrix_norm,
  matrix_power,
  expm
};

/// Why a matrix has no result; `at` in the message counts from 1.
enum class LinAlgFault : std::int32_t {
  singular,               // pivot `at` is exactly 0
  not_positive_definite,  // the leading minor of order `at`
  not_symmetric,          // row `at` has the first element that differs from its transpose
  rank_deficient,         // column `at` depends on those before it
  not_converged,          // `at` values did not converge; 0 if unknown
};

/// "cholesky: the leading minor of order 3 of matrix 17 of 20 is not positive; ...": `matrix` counts from 0.
[[nodiscard, gnu::cold]] inline std::string linalg_message(LinAlgOperation operation, LinAlgFault fault,
                                                           std::int64_t at, std::int64_t matrix, std::int64_t matrices,
                                                           std::int64_t rows, std::int64_t columns) {
  constexpr const char* names[] = {"solve",
                                   "inv",
                                   "det",
                                   "slogdet",
                                   "cholesky",
                                   "cholesky_solve",
                                   "solve_triangular",
                                   "lu",
                                   "qr",
                                   "lstsq",
                                   "eigh",
                                   "eigvalsh",
                                   "svd",
                                   "svdvals",
                                   "pinv",
                                   "matrix_rank",
                                   "cond",
                                   "matrix_norm",
                                   "matrix_power",
                                   "expm"};
  struct Words {  // around `at`
    const char* before;
    const char* after;
  };
  constexpr Words words[] = {
      {" is singular: pivot ", " is 0; lstsq and pinv take such a matrix"},
      {" is not positive definite: its leading minor of order ", " is not positive"},
      {" is not symmetric: row ", " is the first that differs from its column; (a + transpose(a)) / 2 is"},
      {" has linearly dependent columns: column ", " is the first; lstsq_rank_revealing takes such a matrix"},
      {" did not converge for ", " values; it may have NaN or infinite elements"}};
  // appended piece by piece: concatenations by `+` would be compiled in each file that calls any operation
  std::string text = names[static_cast<int>(operation)];
  text += fault == LinAlgFault::not_converged ? ": the iteration for " : ": ";
  if (matrices == 1) {
    text += "the matrix";
  } else {
    text += "matrix ";
    text += std::to_string(matrix);
    text += " of ";
    text += std::to_string(matrices);
  }
  if (fault == LinAlgFault::not_converged && at <= 0) {
    text += " did not converge; it may have NaN or infinite elements";
  } else {
    text += words[static_cast<int>(fault)].before;
    text += std::to_string(at);
    text += words[static_cast<int>(fault)].after;
  }
  text += "; each is ";
  text += std::to_string(rows);
  text += " x ";
  text += std::to_string(columns);
  return text;
}

namespace program {

/// `count` matrices of `rows` x `columns`, with any strides, in elements; 0 along `batch` repeats one matrix.
template <class T>
struct Matrices {
  std::int64_t count = 1;
  std::int64_t rows = 0;
  std::int64_t columns = 0;
  const T* data = nullptr;
  std::int64_t row = 0;
  std::int64_t column = 0;
  std::int64_t batch = 0;
};

}  // namespace program

/// The element types of linear algebra.
template <class T>
concept LinAlgElement = std::same_as<T, float> || std::same_as<T, double>;

/// The tolerance between an element of a symmetric matrix and its transpose, relative to the largest magnitude in its
/// lower triangle: the square root of the type's epsilon. Rounding of sums of products causes less, a matrix that is
/// not symmetric more.
template <LinAlgElement T>
inline constexpr T symmetry_tolerance = std::same_as<T, float> ? T(0x1p-11) : T(0x1p-26);

/// A column depends on earlier ones if |R_jj| of A = Q R is at most this fraction of the length of column j of R, which
/// is what rounding leaves of such a column.
template <LinAlgElement T>
[[nodiscard]] constexpr T dependence_tolerance(std::int64_t rows) {
  return static_cast<T>(rows) * std::numeric_limits<T>::epsilon();
}

// Square matrices.

/// X of A X = B, by LU with partial pivoting. `singular`.
template <class B, class T>
concept SolvesMatrices = requires(const B& backend, const program::Matrices<T>& a, const program::Matrices<T>& b,
                                  T* x) { solve_matrices(backend, LinAlgOperation::solve, a, b, x); };
/// The inverse. `singular`.
template <class B, class T>
concept InvertsMatrices = requires(const B& backend, const program::Matrices<T>& a, T* out) {
  invert_matrices(backend, LinAlgOperation::inv, a, out);
};
/// One determinant for each matrix; exactly 0 if a pivot is.
template <class B, class T>
concept FindsDeterminants =
    requires(const B& backend, const program::Matrices<T>& a, T* out) { find_determinants(backend, a, out); };
/// Its sign and the logarithm of its magnitude; 0 and minus infinity if a pivot is 0.
template <class B, class T>
concept FindsLogDeterminants = requires(const B& backend, const program::Matrices<T>& a, T* sign, T* logarithm) {
  find_log_determinants(backend, a, sign, logarithm);
};
/// A = L L^T from the lower triangle of A; if `checked`, the upper one must be its transpose; 0 above the diagonal.
/// `not_symmetric`, `not_positive_definite`.
template <class B, class T>
concept FactorsCholesky = requires(const B& backend, const program::Matrices<T>& a, bool checked, T* l) {
  factor_cholesky(backend, a, checked, l);
};
/// X of A X = B for a triangle of A; `unit`: its diagonal counts as 1. `singular`.
template <class B, class T>
concept SolvesTriangles = requires(const B& backend, const program::Matrices<T>& a, Triangle triangle, bool unit,
                                   const program::Matrices<T>& b, T* x) {
  solve_triangles(backend, LinAlgOperation::solve_triangular, a, triangle, unit, b, x);
};
/// A = V diag(w) V^T, w ascending, columns of V of length 1; V is not computed if `v` is null. Reads the lower triangle
/// of A, and checks that the upper one is its transpose. `not_symmetric`, `not_converged`.
template <class B, class T>
concept FindsEigenOfSymmetric = requires(const B& backend, const program::Matrices<T>& a, T* w, T* v) {
  find_eigen_of_symmetric(backend, LinAlgOperation::eigh, a, w, v);
};

// Matrices of any shape, m x n; k is the smaller extent.

/// LU with partial pivoting: row i of L U is row `permutation[i]` of A; L is m x k with a diagonal of 1, U k x n.
template <class B, class T>
concept FactorsLu = requires(const B& backend, const program::Matrices<T>& a, std::int64_t* permutation, T* l, T* u) {
  factor_lu(backend, a, permutation, l, u);
};
/// A = Q R by Householder reflections: Q m x k and R k x n, or (`complete`) m x m and m x n. The signs are LAPACK's:
/// the diagonal of R may be negative.
template <class B, class T>
concept FactorsQr = requires(const B& backend, const program::Matrices<T>& a, bool complete, T* q, T* r) {
  factor_qr(backend, a, complete, q, r);
};
/// X that minimizes |A X - B|, for A of full column rank and m >= n, by QR. `rank_deficient` if a column depends on
/// those before it (`dependence_tolerance`).
template <class B, class T>
concept SolvesLeastSquares = requires(const B& backend, const program::Matrices<T>& a, const program::Matrices<T>& b,
                                      T* x) { solve_least_squares(backend, a, b, x); };
/// The X of minimal length that minimizes |A X - B|, for any A; and the rank, the number of singular values above
/// `tolerance` times the largest.
template <class B, class T>
concept SolvesLeastSquaresOfAnyRank =
    requires(const B& backend, const program::Matrices<T>& a, const program::Matrices<T>& b, double tolerance, T* x,
             std::int64_t* rank) { solve_least_squares_of_any_rank(backend, a, b, tolerance, x, rank); };
/// A = U diag(s) V^T, s descending: U m x k and V^T k x n, or (`full`) m x m and n x n. U and V^T are not computed if
/// null; both are null or neither is. `not_converged`.
template <class B, class T>
concept FindsSingularValues = requires(const B& backend, const program::Matrices<T>& a, bool full, T* u, T* s, T* vh) {
  find_singular_values(backend, LinAlgOperation::svd, a, full, u, s, vh);
};

/// Names of kernels for the error of `call_kernel`.
namespace kernels {
struct Cholesky;
struct Determinant;
struct Eigh;
struct Inverse;
struct LeastSquares;
struct Lu;
struct Qr;
struct Solve;
struct SolveTriangular;
struct Svd;
}  // namespace kernels

}  // namespace internal

}  // namespace situ
