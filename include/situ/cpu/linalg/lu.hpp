// SPDX-License-Identifier: Apache-2.0
// LU with partial pivoting, of matrices of any shape. (Eigen's takes square ones.)
#pragma once

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <utility>

#include <Eigen/Core>

#include <situ/cpu/linalg/matrices.hpp>
#include <situ/cpu/linalg/provider.hpp>
#include <situ/device/cpu.hpp>
#include <situ/plan/linalg.hpp>

namespace situ::internal::inline SITU_SETTINGS::cpu {

namespace detail {

/// Factors columns `[begin, end)` of a matrix in place, from row `begin` on; whole rows are swapped, and entries of
/// `permutation` with them. Recursive (Toledo 1997): nearly all of it is matrix products.
template <class T>
void factor_columns(Matrix<T>& m, std::int64_t begin, std::int64_t end, std::int64_t* permutation) {
  const std::int64_t below = m.rows() - begin;
  if (end - begin <= 4) {
    for (std::int64_t k = begin; k < end; ++k) {
      const std::int64_t rest = m.rows() - k - 1;
      std::int64_t pivot = k;
      for (std::int64_t i = k + 1; i < m.rows(); ++i) {
        if (std::abs(m(i, k)) > std::abs(m(pivot, k))) pivot = i;
      }
      if (pivot != k) {
        m.row(k).swap(m.row(pivot));
        std::swap(permutation[k], permutation[pivot]);
      }
      if (m(k, k) != T(0)) m.col(k).tail(rest) /= m(k, k);
      for (std::int64_t j = k + 1; j < end; ++j) m.col(j).tail(rest) -= m(k, j) * m.col(k).tail(rest);
    }
    return;
  }
  const std::int64_t middle = begin + (end - begin) / 2;
  const std::int64_t left = middle - begin;
  const std::int64_t right = end - middle;
  factor_columns(m, begin, middle, permutation);
  auto upper = m.block(begin, middle, left, right);
  m.block(begin, begin, left, left).template triangularView<Eigen::UnitLower>().solveInPlace(upper);
  m.block(middle, middle, below - left, right).noalias() -= m.block(middle, begin, below - left, left) * upper;
  factor_columns(m, middle, end, permutation);
}

/// The factorization of a matrix of any shape in place.
template <class T>
class FactorsInPlace {
 public:
  /// Swaps entries of `permutation` as it swaps rows.
  static void factor(Matrix<T>& m, std::int64_t* permutation) {
    const std::int64_t rows = m.rows();
    factor_columns(m, 0, std::min(rows, m.cols()), permutation);
    if (m.cols() > rows) {
      auto rest = m.rightCols(m.cols() - rows);
      m.leftCols(rows).template triangularView<Eigen::UnitLower>().solveInPlace(rest);
    }
  }
};

/// The part of the first columns below the diagonal, with 1 on it and 0 above.
template <class T>
void write_lower(const Matrix<T>& from, std::int64_t columns, T* to) {
  copy_rows(program::Matrices<T>{1, from.rows(), columns, from.data(), 1, from.rows(), 0}, 0, to);
  for (std::int64_t i = 0; i < columns; ++i) {
    to[i * columns + i] = T(1);
    std::fill(to + i * columns + i + 1, to + (i + 1) * columns, T(0));
  }
}

}  // namespace detail

/// P A = L U.
template <class T, class Solver = detail::Provided<detail::FactorsInPlace<T>, lapack::Lu<T>>>
void factor_lu(Backend, const program::Matrices<T>& a, std::int64_t* permutation, T* l, T* u) {
  const std::int64_t m = a.rows;
  const std::int64_t n = a.columns;
  const std::int64_t k = std::min(m, n);
  detail::for_each_matrix(
      LinAlgOperation::lu, a, m * n * (k / 3 + 1), [&] { return detail::Matrix<T>(m, n); },
      [&](detail::Matrix<T>& factors, std::int64_t i) -> detail::MatrixOutcome {
        detail::copy_columns(a, i, factors.data());
        std::int64_t* const rows = permutation + i * m;
        for (std::int64_t row = 0; row < m; ++row) rows[row] = row;
        Solver::factor(factors, rows);
        detail::write_lower(factors, k, l + i * m * k);
        detail::write_upper(factors, k, u + i * k * n);
        return {};
      });
}

}  // namespace situ::internal::inline SITU_SETTINGS::cpu
