// SPDX-License-Identifier: Apache-2.0
// QR factorisation by Householder reflections.
#pragma once

#include <algorithm>
#include <cstdint>

#include <Eigen/QR>

#include <situ/cpu/linalg/matrices.hpp>
#include <situ/device/cpu.hpp>
#include <situ/plan/linalg.hpp>

namespace situ::internal::cpu {

namespace detail {

/// The factorisation of matrices of one size, and its memory.
template <class T>
struct QrSolver {
  Matrix<T> matrix;
  Eigen::HouseholderQR<Matrix<T>> qr;

  QrSolver(std::int64_t rows, std::int64_t columns) : matrix(rows, columns), qr(rows, columns) {}

  void factor(const program::Matrices<T>& a, std::int64_t at) {
    copy_columns(a, at, matrix.data());
    qr.compute(matrix);
  }
};

}  // namespace detail

/// See `FactorsQr`.
template <LinAlgElement T>
void factor_qr(Backend, const program::Matrices<T>& a, bool complete, T* q, T* r) {
  const std::int64_t rows = a.rows;
  const std::int64_t columns = complete ? rows : std::min(rows, a.columns);  // of Q
  const std::int64_t steps = std::min(rows, a.columns);
  detail::for_ranges_of_matrices(a.count, 4 * rows * columns * steps, [&](std::int64_t begin, std::int64_t end) {
    detail::QrSolver<T> solver(rows, a.columns);
    detail::Matrix<T> factor;
    for (std::int64_t i = begin; i < end; ++i) {
      solver.factor(a, i);
      factor = solver.qr.matrixQR().template triangularView<Eigen::Upper>();
      detail::write_rows(factor, columns, r + i * columns * a.columns);
      if (columns == rows) {
        factor = solver.qr.householderQ();
      } else {
        factor.setIdentity(rows, columns);
        factor.applyOnTheLeft(solver.qr.householderQ());
      }
      detail::write_rows(factor, rows, q + i * rows * columns);
    }
  });
}

}  // namespace situ::internal::cpu
