// SPDX-License-Identifier: Apache-2.0
// Linear systems with a triangular matrix.
#pragma once

#include <cstdint>

#include <Eigen/Core>

#include <situ/cpu/linalg/matrices.hpp>
#include <situ/cpu/linalg/substitution.hpp>
#include <situ/device/cpu.hpp>
#include <situ/plan/linalg.hpp>

namespace situ::internal::inline SITU_SETTINGS::cpu {

namespace detail {

/// The number of the first 0 on the diagonal, from 1; 0 if there is none.
template <class T>
[[nodiscard]] std::int64_t zero_on_diagonal(const program::Matrices<T>& a, std::int64_t at) {
  const T* const from = a.data + at * a.batch;
  for (std::int64_t i = 0; i < a.rows; ++i) {
    if (from[i * (a.row + a.column)] == T(0)) return i + 1;
  }
  return 0;
}

/// X^T A^T = B^T, in place: columns of `a` are rows of A.
template <class A, class X>
void solve_on_the_right(const A& a, bool lower, bool unit, X& x) {
  if (lower && unit) a.template triangularView<Eigen::UnitUpper>().template solveInPlace<Eigen::OnTheRight>(x);
  else if (lower) a.template triangularView<Eigen::Upper>().template solveInPlace<Eigen::OnTheRight>(x);
  else if (unit) a.template triangularView<Eigen::UnitLower>().template solveInPlace<Eigen::OnTheRight>(x);
  else a.template triangularView<Eigen::Lower>().template solveInPlace<Eigen::OnTheRight>(x);
}

}  // namespace detail

/// X of A X = B for a triangle of A.
template <class T>
void solve_triangles(Backend, LinAlgOperation operation, const program::Matrices<T>& a, Triangle triangle, bool unit,
                     const program::Matrices<T>& b, T* x) {
  using Operand = Eigen::Map<const detail::Matrix<T>, Eigen::Unaligned, Eigen::OuterStride<>>;
  const std::int64_t n = a.rows;
  const bool lower = triangle == Triangle::lower;
  detail::for_each_matrix(
      operation, a, n * n * b.columns / 2, [] { return detail::Matrix<T>(); },
      [&](detail::Matrix<T>& moved, std::int64_t i) -> detail::MatrixOutcome {
        if (const std::int64_t pivot = unit ? 0 : detail::zero_on_diagonal(a, i); pivot > 0) {
          return {LinAlgFault::singular, pivot, true};
        }
        T* const to = x + i * n * b.columns;
        detail::copy_rows(b, i, to);
        const T* from = a.data + i * a.batch;
        std::int64_t row = a.row;
        if (a.column != 1 && (b.columns > 1 || a.row != 1)) {
          moved.resize(n, n);
          detail::copy_rows(a, i, moved.data());
          from = moved.data();
          row = n;
        }
        if (b.columns == 1) {
          if (from == moved.data() || a.column == 1) detail::substitute_by_rows(from, row, n, lower, unit, to);
          else detail::substitute_by_columns(from, a.column, n, lower, unit, to);
        } else {
          Eigen::Map<detail::Matrix<T>> sides(to, b.columns, n);
          detail::solve_on_the_right(Operand(from, n, n, Eigen::OuterStride<>(row)), lower, unit, sides);
        }
        return {};
      });
}

}  // namespace situ::internal::inline SITU_SETTINGS::cpu
