// SPDX-License-Identifier: Apache-2.0
// The one file that calls LAPACK. What it shares with other files does not know of it: nothing here defines
// EIGEN_USE_LAPACKE, which would give Eigen's templates, the program's own among them, other definitions.
#include "solvers.hpp"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <limits>
#include <string>
#include <utility>

#include <Eigen/SVD>

#include <situ/core/config.hpp>
#include <situ/core/error.hpp>

#include "routines.hpp"

namespace situ::internal::inline SITU_SETTINGS::cpu::lapack {

namespace {

// LAPACK counts in 32 bits, the memory that it works in too: 32 columns, or up to 5 matrices of the smaller extent.
constexpr std::int64_t most_rows = std::numeric_limits<int>::max();
constexpr std::int64_t most_columns = std::int64_t{1} << 25;
constexpr std::int64_t most_in_iterations = std::int64_t{1} << 14;

int extent(std::int64_t n, std::int64_t most) {
  if (n <= most) return static_cast<int>(n);
  throw ValueError("linear algebra: LAPACK, whose integers have 32 bits, takes an extent of at most " +
                   std::to_string(most) + " here, not " + std::to_string(n) +
                   "; a build with -DSITU_LINALG=EIGEN takes any");
}

/// As the copies of cpu/linalg take an operand.
template <class T>
program::Matrices<T> matrices(const MatrixOperand<T>& a) {
  return {1, a.rows(), a.cols(), a.data(), a.innerStride(), a.outerStride(), 0};
}

/// At least one element, so that it has an address.
template <class T>
std::vector<T> room(std::int64_t size) {
  return std::vector<T>(static_cast<std::size_t>(std::max<std::int64_t>(1, size)));
}

}  // namespace

template <class T>
template <class F>
void Work<T>::call(const F& routine) {
  T wanted = 0;
  const int question = -1;
  routine(&wanted, &question);
  // A large number in `float` may be one that was rounded down.
  const auto size = static_cast<std::size_t>(std::nextafter(wanted, std::numeric_limits<T>::infinity()));
  if (memory_.size() < std::max<std::size_t>(1, size)) memory_.resize(std::max<std::size_t>(1, size));
  const int length = static_cast<int>(memory_.size());
  routine(memory_.data(), &length);
}

// --- LU -----------------------------------------------------------------------------------------------------------

template <class T>
TransposedLu<T>::TransposedLu(std::int64_t rows)
    : n_(extent(rows, most_columns)), factors_(rows, rows), pivots_(room<int>(rows)) {}

template <class T>
void TransposedLu<T>::factor(const program::Matrices<T>& a, std::int64_t at) {
  int info = 0;  // pivots of 0 are looked for
  detail::copy_rows(a, at, factors_.data());
  routines::getrf(&n_, &n_, factors_.data(), &n_, pivots_.data(), &info);
  SITU_ASSERT(info >= 0);
}

template <class T>
T TransposedLu<T>::sign() const {
  T sign = 1;
  for (int i = 0; i < n_; ++i) sign = pivots_[static_cast<std::size_t>(i)] == i + 1 ? sign : -sign;
  return sign;
}

template <class T>
void TransposedLu<T>::solve(const program::Matrices<T>& b, std::int64_t at, T* x) {
  const int sides = extent(b.columns, most_columns);
  int info = 0;
  sides_.resize(n_, sides);
  detail::copy_columns(b, at, sides_.data());
  routines::getrs("T", &n_, &sides, factors_.data(), &n_, pivots_.data(), sides_.data(), &n_, &info, 1);
  SITU_ASSERT(info == 0);
  detail::write_rows(sides_, n_, x);
}

/// Column by column, the inverse of the transpose is the inverse row by row.
template <class T>
void TransposedLu<T>::invert(T* out) {
  int info = 0;
  std::copy_n(factors_.data(), factors_.size(), out);
  work_.call([&](T* work, const int* length) { routines::getri(&n_, out, &n_, pivots_.data(), work, length, &info); });
  SITU_ASSERT(info == 0);
}

template <class T>
void Lu<T>::factor(Matrix<T>& m, std::int64_t* permutation) {
  const int rows = extent(m.rows(), most_rows);
  const int columns = extent(m.cols(), most_rows);
  std::vector<int> pivots = room<int>(std::min(rows, columns));
  int info = 0;
  routines::getrf(&rows, &columns, m.data(), &rows, pivots.data(), &info);
  SITU_ASSERT(info >= 0);
  for (std::size_t i = 0; i < pivots.size(); ++i) std::swap(permutation[i], permutation[pivots[i] - 1]);
}

// --- Cholesky -----------------------------------------------------------------------------------------------------

template <class T>
bool Cholesky<T>::factor(T* matrix, std::int64_t n) {
  const int rows = extent(n, most_rows);
  int info = 0;
  routines::potrf("L", &rows, matrix, &rows, &info, 1);
  return info == 0;
}

// --- QR -----------------------------------------------------------------------------------------------------------

template <class T>
Qr<T>::Qr(std::int64_t rows, std::int64_t columns)
    : rows_(extent(rows, most_rows)),
      columns_(extent(columns, most_columns)),
      steps_(std::min(rows_, columns_)),
      factors_(rows, columns),
      tau_(room<T>(steps_)) {}

template <class T>
void Qr<T>::factor(const program::Matrices<T>& a, std::int64_t at) {
  int info = 0;
  detail::copy_columns(a, at, factors_.data());
  work_.call([&](T* work, const int* length) {
    routines::geqrf(&rows_, &columns_, factors_.data(), &rows_, tau_.data(), work, length, &info);
  });
  SITU_ASSERT(info == 0);
}

template <class T>
void Qr<T>::write_q(std::int64_t columns, T* to) {
  const int width = extent(columns, most_columns);
  int info = 0;
  q_.resize(rows_, width);
  q_.leftCols(steps_) = factors_.leftCols(steps_);
  work_.call([&](T* work, const int* length) {
    routines::orgqr(&rows_, &width, &steps_, q_.data(), &rows_, tau_.data(), work, length, &info);
  });
  SITU_ASSERT(info == 0);
  detail::write_rows(q_, rows_, to);
}

template <class T>
void Qr<T>::multiply_by_transposed_q(Matrix<T>& b) {
  const int sides = extent(b.cols(), most_columns);
  int info = 0;
  work_.call([&](T* work, const int* length) {
    routines::ormqr("L", "T", &rows_, &sides, &steps_, factors_.data(), &rows_, tau_.data(), b.data(), &rows_, work,
                    length, &info, 1, 1);
  });
  SITU_ASSERT(info == 0);
}

template <class T>
CompleteOrthogonal<T>::CompleteOrthogonal(std::int64_t rows, std::int64_t columns)
    : rows_(extent(rows, most_rows)),
      columns_(extent(columns, most_columns)),
      order_(room<int>(columns)),
      tau_(room<T>(std::min(rows, columns))),
      tau_z_(room<T>(std::min(rows, columns))) {}

/// A P = Q (R 0; 0 0) Z, as xGELSY: R has as many rows as pivots are larger than the threshold times the largest.
template <class T>
void CompleteOrthogonal<T>::compute(const Matrix<T>& a) {
  int info = 0;
  factors_ = a;
  std::fill(order_.begin(), order_.end(), 0);
  work_.call([&](T* work, const int* length) {
    routines::geqp3(&rows_, &columns_, factors_.data(), &rows_, order_.data(), tau_.data(), work, length, &info);
  });
  SITU_ASSERT(info == 0);
  const auto pivots = factors_.diagonal().cwiseAbs();
  rank_ = static_cast<int>((pivots.array() > threshold_ * pivots.maxCoeff()).count());
  if (rank_ == 0 || rank_ == columns_) return;
  work_.call([&](T* work, const int* length) {
    routines::tzrzf(&rank_, &columns_, factors_.data(), &rows_, tau_z_.data(), work, length, &info);
  });
  SITU_ASSERT(info == 0);
}

/// B is overwritten.
template <class T>
Matrix<T> CompleteOrthogonal<T>::solve(Matrix<T>& b) {
  Matrix<T> x = Matrix<T>::Zero(columns_, b.cols());
  if (rank_ == 0) return x;
  const int sides = extent(b.cols(), most_columns);
  int info = 0;
  work_.call([&](T* work, const int* length) {
    routines::ormqr("L", "T", &rows_, &sides, &rank_, factors_.data(), &rows_, tau_.data(), b.data(), &rows_, work,
                    length, &info, 1, 1);
  });
  SITU_ASSERT(info == 0);
  x.topRows(rank_) =
      factors_.topLeftCorner(rank_, rank_).template triangularView<Eigen::Upper>().solve(b.topRows(rank_));
  if (rank_ < columns_) {
    const int rest = columns_ - rank_;
    work_.call([&](T* work, const int* length) {
      routines::ormrz("L", "T", &columns_, &sides, &rank_, &rest, factors_.data(), &rows_, tau_z_.data(), x.data(),
                      &columns_, work, length, &info, 1, 1);
    });
    SITU_ASSERT(info == 0);
  }
  Matrix<T> solution(columns_, b.cols());
  for (int i = 0; i < columns_; ++i) solution.row(order_[static_cast<std::size_t>(i)] - 1) = x.row(i);
  return solution;
}

// --- eigenvalues and singular values --------------------------------------------------------------------------------

template <class T>
Eigh<T>::Eigh(std::int64_t rows)
    : n_(extent(rows, most_in_iterations)), values_(rows), vectors_(rows, rows), integers_(room<int>(5 * rows + 3)) {}

/// The lower triangle row by row is the upper one column by column.
template <class T>
void Eigh<T>::compute(const MatrixOperand<T>& a, int options) {
  const int integers = static_cast<int>(integers_.size());
  int info = 0;
  detail::copy_rows(matrices(a), 0, vectors_.data());
  work_.call([&](T* work, const int* length) {
    routines::syevd(options == Eigen::EigenvaluesOnly ? "N" : "V", "U", &n_, vectors_.data(), &n_, values_.data(), work,
                    length, integers_.data(), &integers, &info, 1, 1);
  });
  info_ = info == 0 ? detail::success : Eigen::NoConvergence;
}

template <class T>
SingularValues<T>::SingularValues(std::int64_t rows, std::int64_t columns, unsigned options)
    : rows_(extent(rows, most_columns)),
      columns_(extent(columns, most_columns)),
      vectors_(options == 0                                     ? "N"
               : (options & unsigned{Eigen::ComputeFullU}) != 0 ? "A"
                                                                : "S"),
      integers_(room<int>(8 * extent(std::min(rows, columns), most_in_iterations))),
      transposed_(columns, rows) {}

/// Of the transpose, A^T = V diag(s) U^T: column by column, V and U^T are V^T and U row by row.
template <class T>
bool SingularValues<T>::decompose(const program::Matrices<T>& a, std::int64_t at, T* u, T* s, T* vh) {
  const int u_columns = *vectors_ == 'A' ? rows_ : std::min(rows_, columns_);
  T none = 0;
  int info = 0;
  detail::copy_rows(a, at, transposed_.data());
  if (!transposed_.allFinite()) return false;
  work_.call([&](T* work, const int* length) {
    routines::gesdd(vectors_, &columns_, &rows_, transposed_.data(), &columns_, s, vh == nullptr ? &none : vh,
                    &columns_, u == nullptr ? &none : u, &u_columns, work, length, integers_.data(), &info, 1);
  });
  return info == 0;
}

template class CompleteOrthogonal<float>;
template class CompleteOrthogonal<double>;
template class Cholesky<float>;
template class Cholesky<double>;
template class Eigh<float>;
template class Eigh<double>;
template class Lu<float>;
template class Lu<double>;
template class Qr<float>;
template class Qr<double>;
template class SingularValues<float>;
template class SingularValues<double>;
template class TransposedLu<float>;
template class TransposedLu<double>;

}  // namespace situ::internal::inline SITU_SETTINGS::cpu::lapack
