// SPDX-License-Identifier: Apache-2.0
// Shared by the kernels of linear algebra: a matrix of a batch as Eigen sees it, and the loop over a batch.
#pragma once

#include <algorithm>
#include <cstdint>
#include <limits>
#include <mutex>

#include <Eigen/Core>

#include <situ/core/error.hpp>
#include <situ/cpu/transpose.hpp>
#include <situ/plan/linalg.hpp>
#include <situ/threads/openmp.hpp>
#include <situ/threads/thread_pool.hpp>

namespace situ::internal::inline SITU_SETTINGS::cpu::detail {

/// Column-major, which is fastest for Eigen's factorizations.
template <class T>
using Matrix = Eigen::Matrix<T, Eigen::Dynamic, Eigen::Dynamic>;

/// `Eigen::Success`, a name that is a macro after including X11's headers.
inline constexpr Eigen::ComputationInfo success{};

/// A matrix of an operand.
template <class T>
using MatrixOperand = Eigen::Map<const Matrix<T>, Eigen::Unaligned, Eigen::Stride<Eigen::Dynamic, Eigen::Dynamic>>;
template <class T>
[[nodiscard]] MatrixOperand<T> operand(const program::Matrices<T>& a, std::int64_t at) {
  return {a.data + at * a.batch, a.rows, a.columns, Eigen::Stride<Eigen::Dynamic, Eigen::Dynamic>(a.column, a.row)};
}

/// A matrix of a result.
template <class T>
using MatrixResult = Eigen::Map<Eigen::Matrix<T, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor>>;
template <class T>
[[nodiscard]] MatrixResult<T> result(T* out, std::int64_t at, std::int64_t rows, std::int64_t columns) {
  return {out + at * rows * columns, rows, columns};
}

/// Copies a matrix of an operand row by row, with rows `step` elements apart: as a column-major matrix, that is its
/// transpose.
template <class T>
void copy_rows(const program::Matrices<T>& a, std::int64_t at, T* to, std::int64_t step) {
  const T* const from = a.data + at * a.batch;
  if (a.column == 1) {
    for (std::int64_t i = 0; i < a.rows; ++i) std::copy_n(from + i * a.row, a.columns, to + i * step);
  } else if (a.row == 1) {
    transpose_plane(from, a.column, to, step, a.columns, a.rows);
  } else {
    for (std::int64_t i = 0; i < a.rows; ++i) {
      for (std::int64_t j = 0; j < a.columns; ++j) to[i * step + j] = from[i * a.row + j * a.column];
    }
  }
}
/// The same without gaps.
template <class T>
void copy_rows(const program::Matrices<T>& a, std::int64_t at, T* to) {
  copy_rows(a, at, to, a.columns);
}

/// Copies a matrix of an operand column by column without gaps, the layout of Eigen's own matrices.
template <class T>
void copy_columns(const program::Matrices<T>& a, std::int64_t at, T* to) {
  copy_rows(program::Matrices<T>{a.count, a.columns, a.rows, a.data, a.column, a.row, a.batch}, at, to);
}

/// Writes the first `rows` of one of Eigen's matrices as a result.
template <class T>
void write_rows(const Matrix<T>& from, std::int64_t rows, T* to) {
  copy_rows(program::Matrices<T>{1, rows, from.cols(), from.data(), 1, from.rows(), 0}, 0, to);
}

/// The first rows on and above the diagonal, with 0 below. In strips, which read no more than necessary.
template <class T>
void write_upper(const Matrix<T>& from, std::int64_t rows, T* to) {
  constexpr std::int64_t strip = 64;
  const std::int64_t columns = from.cols();
  for (std::int64_t first = 0; first < columns; first += strip) {
    const std::int64_t width = std::min(strip, columns - first);
    const program::Matrices<T> part{
        1, std::min(rows, first + width), width, from.data() + first * from.rows(), 1, from.rows(), 0};
    copy_rows(part, 0, to + first, columns);
  }
  for (std::int64_t i = 1; i < rows; ++i) std::fill_n(to + i * columns, std::min(i, columns), T(0));
}

/// The outcome of one matrix: `at` counts from 1; 0 means success.
struct MatrixOutcome {
  LinAlgFault fault = LinAlgFault::not_converged;
  std::int64_t at = 0;
  bool failed = false;
};

/// `f(first, last)` for ranges of `count` matrices, each of about `operations` additions and multiplications; a thread
/// gets whole matrices.
template <class F>
void for_ranges_of_matrices(std::int64_t count, std::int64_t operations, const F& f) {
  constexpr std::int64_t grain = 16384;
  const auto range = [&](std::int64_t begin, std::int64_t end) {
    const NoThreadsOfEigen ours;
    f(begin, end);
  };
  parallel_for(0, count, std::max<std::int64_t>(1, grain / std::max<std::int64_t>(1, operations)), range, 1);
}

/// The first matrix of a batch without a result, and its outcome; threads report to it.
class FirstFailure {
 public:
  void report(std::int64_t matrix, MatrixOutcome outcome) {
    const std::lock_guard lock(mutex_);
    if (matrix >= matrix_) return;
    matrix_ = matrix;
    outcome_ = outcome;
  }
  /// Throws its `LinAlgError`, if there is one.
  template <class T>
  void throw_if_any(LinAlgOperation operation, const program::Matrices<T>& a) const {
    if (matrix_ == none) return;
    throw LinAlgError(linalg_message(operation, outcome_.fault, outcome_.at, matrix_, a.count, a.rows, a.columns));
  }

 private:
  static constexpr std::int64_t none = std::numeric_limits<std::int64_t>::max();
  std::mutex mutex_;
  std::int64_t matrix_ = none;
  MatrixOutcome outcome_;
};

/// `outcome(own, i)` for every matrix of the batch `a`; `own` is a thread's result of `make()`, the memory of a
/// factorization, which many matrices reuse. After all others, throws the `LinAlgError` of the first that failed.
template <class T, class Make, class F>
void for_each_matrix(LinAlgOperation operation, const program::Matrices<T>& a, std::int64_t operations,
                     const Make& make, const F& outcome) {
  FirstFailure failure;
  for_ranges_of_matrices(a.count, operations, [&](std::int64_t begin, std::int64_t end) {
    auto own = make();
    for (std::int64_t i = begin; i < end; ++i) {
      if (const MatrixOutcome found = outcome(own, i); found.failed) failure.report(i, found);
    }
  });
  failure.throw_if_any(operation, a);
}

/// `outcome(i)` for every matrix of the batch `a`.
template <class T, class F>
void for_each_matrix(LinAlgOperation operation, const program::Matrices<T>& a, std::int64_t operations,
                     const F& outcome) {
  for_each_matrix(operation, a, operations, [] { return 0; }, [&](int, std::int64_t i) { return outcome(i); });
}

}  // namespace situ::internal::inline SITU_SETTINGS::cpu::detail
