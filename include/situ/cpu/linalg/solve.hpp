// SPDX-License-Identifier: Apache-2.0
// Linear systems and inverses: LU with partial pivoting.
#pragma once

#include <algorithm>
#include <cstdint>

#include <Eigen/LU>

#include <situ/cpu/linalg/matrices.hpp>
#include <situ/cpu/linalg/provider.hpp>
#include <situ/cpu/linalg/side_by_side.hpp>
#include <situ/cpu/linalg/substitution.hpp>
#include <situ/device/cpu.hpp>
#include <situ/plan/linalg.hpp>

namespace situ::internal::inline SITU_SETTINGS::cpu {

namespace detail {

/// The LU factorization of the transpose of a matrix, which a row-major matrix already is to a column-major library: no
/// element is moved. P A^T = L U, so A X = B is X^T P^T L U = B^T.
template <class T>
class TransposedLu {
  using Operand = Eigen::Map<const Matrix<T>, Eigen::Unaligned, Eigen::OuterStride<>>;

 public:
  /// Memory for matrices of this many rows.
  explicit TransposedLu(std::int64_t rows) : lu_(rows) {}

  void factor(const program::Matrices<T>& a, std::int64_t at) {
    if (a.column == 1) {
      lu_.compute(Operand(a.data + at * a.batch, a.rows, a.rows, Eigen::OuterStride<>(a.row)));
    } else {
      moved_.resize(a.rows, a.rows);
      copy_rows(a, at, moved_.data());
      lu_.compute(Operand(moved_.data(), a.rows, a.rows, Eigen::OuterStride<>(a.rows)));
    }
  }

  [[nodiscard]] T pivot(std::int64_t i) const { return lu_.matrixLU()(i, i); }
  /// The sign of the permutation: 1 or -1.
  [[nodiscard]] T sign() const { return static_cast<T>(lu_.permutationP().determinant()); }
  [[nodiscard]] T determinant() const { return lu_.determinant(); }

  /// X of A X = B for matrix `at` of a batch, row by row.
  void solve(const program::Matrices<T>& b, std::int64_t at, T* x) {
    const std::int64_t n = lu_.rows();
    sides_.resize(b.columns, n);
    copy_rows(b, at, sides_.data());
    if (b.columns != 1) return solve_sides(x);
    const T* const factors = lu_.matrixLU().data();
    T* const y = sides_.data();
    substitute_by_rows(factors, n, n, true, false, y);
    substitute_by_rows(factors, n, n, false, true, y);
    write_permuted(x);
  }

  /// The inverse, row by row.
  void invert(T* out) {
    sides_.setIdentity(lu_.rows(), lu_.rows());
    solve_sides(out);
  }

 private:
  void solve_sides(T* x) {
    const Matrix<T>& f = lu_.matrixLU();
    f.template triangularView<Eigen::Upper>().template solveInPlace<Eigen::OnTheRight>(sides_);
    f.template triangularView<Eigen::UnitLower>().template solveInPlace<Eigen::OnTheRight>(sides_);
    write_permuted(x);
  }
  void write_permuted(T* x) const {
    const auto& permutation = lu_.permutationP().indices();
    const std::int64_t count = sides_.rows();
    for (std::int64_t i = 0; i < sides_.cols(); ++i) {
      const T* const from = sides_.data() + permutation[i] * count;
      if (count == 1) x[i] = *from;
      else std::copy_n(from, count, x + i * count);
    }
  }

  Eigen::PartialPivLU<Matrix<T>> lu_;
  Matrix<T> moved_;
  Matrix<T> sides_;
};

/// The outcome of a singular matrix, one where one of `n` pivots is 0.
template <class Lu>
[[nodiscard]] MatrixOutcome outcome_of(const Lu& lu, std::int64_t n) {
  for (std::int64_t i = 0; i < n; ++i) {
    if (lu.pivot(i) == 0) return {LinAlgFault::singular, i + 1, true};
  }
  return {};
}

}  // namespace detail

/// X of A X = B.
template <class T, class Lu = detail::Provided<detail::TransposedLu<T>, lapack::TransposedLu<T>>>
void solve_matrices(Backend, LinAlgOperation operation, const program::Matrices<T>& a, const program::Matrices<T>& b,
                    T* x) {
  const std::int64_t n = a.rows;
  if (detail::fits_side_by_side(n, b.columns)) {
    const auto sides = [&](auto form, auto rows, auto columns, std::int64_t at, auto* to, std::int64_t stride) {
      form.read(b, rows, columns, at, to, stride);
    };
    return detail::solve_side_by_side(operation, a, b.columns, sides, x);
  }
  detail::for_each_matrix(
      operation, a, n * n * (n / 3 + b.columns), [&] { return Lu(n); },
      [&](Lu& lu, std::int64_t i) {
        lu.factor(a, i);
        const detail::MatrixOutcome outcome = detail::outcome_of(lu, n);
        if (!outcome.failed) lu.solve(b, i, x + i * n * b.columns);
        return outcome;
      });
}

/// The inverse.
template <class T, class Lu = detail::Provided<detail::TransposedLu<T>, lapack::TransposedLu<T>>>
void invert_matrices(Backend, LinAlgOperation operation, const program::Matrices<T>& a, T* out) {
  const std::int64_t n = a.rows;
  if (detail::fits_side_by_side(n, n)) {
    const auto identity = [n](auto form, auto, auto, std::int64_t, auto* to, std::int64_t stride) {
      for (std::int64_t i = 0; i < n; ++i) {
        for (std::int64_t j = 0; j < n; ++j) to[i * stride + j] = form.constant(i == j ? 1 : 0);
      }
    };
    return detail::solve_side_by_side(operation, a, n, identity, out);
  }
  detail::for_each_matrix(
      operation, a, n * n * n, [&] { return Lu(n); },
      [&](Lu& lu, std::int64_t i) {
        lu.factor(a, i);
        const detail::MatrixOutcome outcome = detail::outcome_of(lu, n);
        if (!outcome.failed) lu.invert(out + i * n * n);
        return outcome;
      });
}

}  // namespace situ::internal::inline SITU_SETTINGS::cpu
