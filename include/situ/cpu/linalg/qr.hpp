// SPDX-License-Identifier: Apache-2.0
// QR factorization by Householder reflections.
#pragma once

#include <algorithm>
#include <cstdint>

#include <Eigen/QR>

#include <situ/cpu/linalg/matrices.hpp>
#include <situ/cpu/linalg/provider.hpp>
#include <situ/cpu/linalg/reflections.hpp>
#include <situ/device/cpu.hpp>
#include <situ/plan/linalg.hpp>

namespace situ::internal::inline SITU_SETTINGS::cpu {

namespace detail {

/// The factorization of matrices of one size, and its memory.
template <class T>
class QrSolver {
 public:
  QrSolver(std::int64_t rows, std::int64_t columns) : matrix_(rows, columns), scales_(columns), qr_(rows, columns) {}

  void factor(const program::Matrices<T>& a, std::int64_t at) {
    matrix_.resize(a.rows, a.columns);
    copy_columns(a, at, matrix_.data());
    scaled_ = false;
    for (std::int64_t j = 0; j < a.columns; ++j) {
      const T scale = scale_for_squares(matrix_.col(j).cwiseAbs().maxCoeff());
      scales_[j] = scale;
      if (scale == T(1)) continue;
      matrix_.col(j) *= scale;
      scaled_ = true;
    }
    qr_.compute(matrix_);
  }

  /// R on and above the diagonal, with each column multiplied by its scale.
  [[nodiscard]] const Matrix<T>& factors() const { return qr_.matrixQR(); }
  /// Scales of the columns; null if all are 1. (Eigen treats a column as 0 if its squares vanish.)
  [[nodiscard]] const T* scales() const { return scaled_ ? scales_.data() : nullptr; }

  /// Writes the first `columns` of Q. For all columns it does what Eigen does: reflections apply only to the part that
  /// differs from the identity, the last first. Column by column, followed by a transpose: applied to rows they take
  /// 1/6 longer.
  void write_q(std::int64_t columns, T* to) {
    const std::int64_t rows = qr_.rows();
    if (columns == rows) {
      matrix_ = qr_.householderQ();
    } else {
      constexpr std::int64_t block = 96;  // twice Eigen's block size
      matrix_.setIdentity(rows, columns);
      for (std::int64_t first = (columns - 1) / block * block; first >= 0; first -= block) {
        const std::int64_t count = std::min(block, columns - first);
        auto part = matrix_.bottomRightCorner(rows - first, columns - first);
        part.applyOnTheLeft(Eigen::householderSequence(qr_.matrixQR().block(first, first, rows - first, count),
                                                       qr_.hCoeffs().segment(first, count)));
      }
    }
    write_rows(matrix_, rows, to);
  }

  /// B becomes Q^T B.
  void multiply_by_transposed_q(Matrix<T>& b) {
    const auto multiply = [&](auto sides) { sides.applyOnTheLeft(qr_.householderQ().adjoint()); };
    if (b.cols() == 1) multiply(b.col(0));  // as a vector type, 10 % less time in all
    else multiply(b.leftCols(b.cols()));
  }

 private:
  Matrix<T> matrix_;  // the operand, then Q
  Eigen::Matrix<T, Eigen::Dynamic, 1> scales_;
  bool scaled_ = false;
  Eigen::HouseholderQR<Matrix<T>> qr_;
};

}  // namespace detail

/// See `FactorsQr`.
template <LinAlgElement T, class Solver = detail::Provided<detail::QrSolver<T>, lapack::Qr<T>>>
void factor_qr(Backend, const program::Matrices<T>& a, bool complete, T* q, T* r) {
  const std::int64_t rows = a.rows;
  const std::int64_t steps = std::min(rows, a.columns);
  const std::int64_t columns = complete ? rows : steps;  // columns of Q
  if (detail::fits_reflections(rows, a.columns)) return detail::qr_side_by_side(a, columns, q, r);
  detail::for_ranges_of_matrices(a.count, 4 * rows * columns * steps, [&](std::int64_t begin, std::int64_t end) {
    Solver solver(rows, a.columns);
    for (std::int64_t i = begin; i < end; ++i) {
      T* const upper = r + i * columns * a.columns;
      solver.factor(a, i);
      detail::write_upper(solver.factors(), columns, upper);
      if (const T* const scales = solver.scales(); scales != nullptr) {
        for (std::int64_t at = 0; at < columns * a.columns; ++at) upper[at] /= scales[at % a.columns];
      }
      solver.write_q(columns, q + i * rows * columns);
    }
  });
}

}  // namespace situ::internal::inline SITU_SETTINGS::cpu
