// SPDX-License-Identifier: Apache-2.0
// Least squares: by QR for matrices of full column rank, by a complete orthogonal decomposition for any.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstdint>

#include <Eigen/QR>

#include <situ/cpu/linalg/matrices.hpp>
#include <situ/cpu/linalg/provider.hpp>
#include <situ/cpu/linalg/qr.hpp>
#include <situ/cpu/linalg/reflections.hpp>
#include <situ/device/cpu.hpp>
#include <situ/plan/linalg.hpp>

namespace situ::internal::inline SITU_SETTINGS::cpu {

namespace detail {

/// The first column, counted from 1, that depends on those before it, given the factor R of a matrix of `rows`; 0 if
/// none.
template <class T>
[[nodiscard]] std::int64_t first_dependent_column(const Matrix<T>& r, std::int64_t rows) {
  const T tolerance = dependence_tolerance<T>(rows);
  for (std::int64_t j = 0; j < r.cols(); ++j) {
    const auto column = r.col(j).head(j + 1);
    const T pivot = std::abs(r(j, j));
    // the 1-norm bounds the length and is cheaper; neither overflows nor vanishes through squares
    if (pivot <= tolerance * column.template lpNorm<1>() && pivot <= tolerance * column.stableNorm()) return j + 1;
  }
  return 0;
}

}  // namespace detail

/// See `SolvesLeastSquares`.
template <LinAlgElement T, class Solver = detail::Provided<detail::QrSolver<T>, lapack::Qr<T>>>
void solve_least_squares(Backend, const program::Matrices<T>& a, const program::Matrices<T>& b, T* x) {
  struct Own {
    Solver solver;
    detail::Matrix<T> right;
  };
  const std::int64_t unknowns = a.columns;
  const auto make = [&] { return Own{{a.rows, unknowns}, detail::Matrix<T>(b.rows, b.columns)}; };
  const auto solve_one = [&](Own& own, std::int64_t i) -> detail::MatrixOutcome {
    own.solver.factor(a, i);
    const auto& r = own.solver.factors();
    if (const std::int64_t column = detail::first_dependent_column<T>(r, a.rows); column != 0) {
      return {LinAlgFault::rank_deficient, column, true};
    }
    detail::copy_columns(b, i, own.right.data());
    own.solver.multiply_by_transposed_q(own.right);
    const auto solve = [&](auto solution) {
      r.topRows(unknowns).template triangularView<Eigen::Upper>().solveInPlace(solution);
    };
    if (b.columns == 1) solve(own.right.col(0).head(unknowns));
    else solve(own.right.topRows(unknowns));
    if (const T* const scales = own.solver.scales(); scales != nullptr) {
      for (std::int64_t j = 0; j < unknowns; ++j) own.right.row(j) *= scales[j];
    }
    detail::write_rows(own.right, unknowns, x + i * unknowns * b.columns);
    return {};
  };
  if (detail::fits_reflections(a.rows, std::max(unknowns, b.columns))) {
    return detail::least_squares_side_by_side(a, b, x, [&](std::int64_t i) {
      Own own = make();
      return solve_one(own, i);
    });
  }
  detail::for_each_matrix(LinAlgOperation::lstsq, a, 2 * a.rows * unknowns * (unknowns + b.columns), make, solve_one);
}

/// See `SolvesLeastSquaresOfAnyRank`.
template <LinAlgElement T,
          class Decomposition = detail::Provided<Eigen::CompleteOrthogonalDecomposition<detail::Matrix<T>>,
                                                 lapack::CompleteOrthogonal<T>>>
void solve_least_squares_of_any_rank(Backend, const program::Matrices<T>& a, const program::Matrices<T>& b,
                                     double tolerance, T* x, std::int64_t* rank) {
  struct Own {
    detail::Matrix<T> matrix;
    detail::Matrix<T> right;
    Decomposition decomposition;
  };
  const auto make = [&] {
    Own own{detail::Matrix<T>(a.rows, a.columns), detail::Matrix<T>(b.rows, b.columns), {a.rows, a.columns}};
    own.decomposition.setThreshold(static_cast<T>(tolerance));
    return own;
  };
  detail::for_each_matrix(LinAlgOperation::lstsq, a, 4 * a.rows * a.columns * (std::min(a.rows, a.columns) + b.columns),
                          make, [&](Own& own, std::int64_t i) -> detail::MatrixOutcome {
                            detail::copy_columns(a, i, own.matrix.data());
                            if (!own.matrix.allFinite())
                              return {LinAlgFault::not_converged, 0, true};  // then no pivot is the largest
                            const T scale = detail::scale_for_squares(own.matrix.cwiseAbs().maxCoeff());
                            if (scale != T(1)) own.matrix *= scale;
                            own.decomposition.compute(own.matrix);
                            detail::copy_columns(b, i, own.right.data());
                            rank[i] = own.decomposition.rank();
                            detail::Matrix<T> solution = own.decomposition.solve(own.right);
                            if (scale != T(1)) solution *= scale;
                            detail::write_rows(solution, a.columns, x + i * a.columns * b.columns);
                            return {};
                          });
}

}  // namespace situ::internal::inline SITU_SETTINGS::cpu
