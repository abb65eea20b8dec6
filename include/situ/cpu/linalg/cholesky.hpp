// SPDX-License-Identifier: Apache-2.0
// The Cholesky factorization.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstdint>

#include <Eigen/Cholesky>

#include <situ/cpu/linalg/matrices.hpp>
#include <situ/cpu/linalg/provider.hpp>
#include <situ/cpu/linalg/side_by_side.hpp>
#include <situ/cpu/linalg/symmetric.hpp>
#include <situ/cpu/transpose.hpp>
#include <situ/device/cpu.hpp>
#include <situ/plan/linalg.hpp>

namespace situ::internal::inline SITU_SETTINGS::cpu {

namespace detail {

/// The lower triangle of a matrix, row by row, and 0 above it.
template <class T>
void copy_lower(const program::Matrices<T>& a, std::int64_t at, T* to) {
  const T* const from = a.data + at * a.batch;
  for (std::int64_t i = 0; i < a.rows; ++i, to += a.rows) {
    for (std::int64_t j = 0; j <= i; ++j) to[j] = from[i * a.row + j * a.column];
    std::fill(to + i + 1, to + a.rows, T(0));
  }
}

/// How many columns of a triangle are transposed at a time.
inline constexpr std::int64_t transposed_columns = 16;

/// Copies the lower triangle of a matrix column by column; the elements above it are arbitrary.
template <class T>
void copy_lower_columns(const program::Matrices<T>& a, std::int64_t at, T* to) {
  const T* const from = a.data + at * a.batch;
  for (std::int64_t j = 0; j < a.rows; j += transposed_columns) {
    const std::int64_t width = std::min(transposed_columns, a.rows - j);
    const program::Matrices<T> columns{1, width, a.rows - j, from + j * (a.row + a.column), a.column, a.row, 0};
    copy_rows(columns, 0, to + j * (a.rows + 1), a.rows);
  }
}

/// Converts a lower triangle from column-major to row-major, with 0 above it.
template <class T>
void transpose_lower(T* l, std::int64_t n) {
  for (std::int64_t first = 0; first < n; first += transposed_columns) {
    const std::int64_t end = std::min(first + transposed_columns, n);
    transpose_plane(l + first * n + end, n, l + end * n + first, n, end - first, n - end);
    for (std::int64_t j = first; j < end; ++j) {
      for (std::int64_t i = j + 1; i < end; ++i) l[i * n + j] = l[j * n + i];
      std::fill(l + j * n + j + 1, l + (j + 1) * n, T(0));
    }
  }
}

/// The order of the first leading minor that is not positive, for the message: computes L row by row, in place of the
/// lower triangle.
template <class T>
[[nodiscard]] std::int64_t first_minor_not_positive(T* l, std::int64_t n) {
  for (std::int64_t i = 0; i < n; ++i) {
    for (std::int64_t j = 0; j <= i; ++j) {
      T rest = l[i * n + j];
      for (std::int64_t k = 0; k < j; ++k) rest -= l[i * n + k] * l[j * n + k];
      if (i == j && !(rest > T(0))) return i + 1;
      l[i * n + j] = i == j ? std::sqrt(rest) : rest / l[j * n + j];
    }
  }
  return n;  // with this order of rounding, all are positive
}

/// The factorization, in place, of the lower triangle of a column-major matrix: for Eigen it takes half the time of an
/// upper triangle, or a row-major one.
template <class T>
class LowerCholesky {
 public:
  /// Whether it succeeded.
  [[nodiscard]] static bool factor(T* matrix, std::int64_t n) {
    using Lower = Eigen::Ref<Matrix<T>>;
    Eigen::Map<Matrix<T>> memory(matrix, n, n);
    Lower lower(memory);
    return Eigen::LLT<Lower, Eigen::Lower>(lower).info() == success;
  }
};

}  // namespace detail

/// A = L L^T, computed in the memory of L.
template <class T, class Solver = detail::Provided<detail::LowerCholesky<T>, lapack::Cholesky<T>>>
void factor_cholesky(Backend, const program::Matrices<T>& a, bool checked, T* l) {
  const std::int64_t n = a.rows;
  if (n <= detail::most_rows_side_by_side) return detail::cholesky_side_by_side(a, checked, l);
  const std::int64_t operations = n * n * (n / 6 + 1);
  detail::for_each_matrix(LinAlgOperation::cholesky, a, operations, [&](std::int64_t i) -> detail::MatrixOutcome {
    if (const std::int64_t row = checked ? detail::first_unsymmetric_row(a, i) : 0; row > 0) {
      return {LinAlgFault::not_symmetric, row, true};
    }
    T* const factor = l + i * n * n;
    detail::copy_lower_columns(a, i, factor);
    // Eigen accepts NaN as positive, and does not report where it stopped.
    if (Solver::factor(factor, n) && !Eigen::Map<detail::Matrix<T>>(factor, n, n).diagonal().hasNaN()) {
      detail::transpose_lower(factor, n);
      return {};
    }
    detail::copy_lower(a, i, factor);
    return {LinAlgFault::not_positive_definite, detail::first_minor_not_positive(factor, n), true};
  });
}

}  // namespace situ::internal::inline SITU_SETTINGS::cpu
