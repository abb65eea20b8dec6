// SPDX-License-Identifier: Apache-2.0
// The solvers of cpu/linalg by LAPACK, in the place of those by Eigen; lapack.cpp has their definitions. What these do
// is said there: `detail::TransposedLu` and so on.
#pragma once

#include <cstdint>
#include <vector>

#include <situ/cpu/linalg/matrices.hpp>
#include <situ/cpu/linalg/provider.hpp>
#include <situ/plan/linalg.hpp>

namespace situ::internal::inline SITU_SETTINGS::cpu::lapack {

using detail::Matrix;
using detail::MatrixOperand;
using detail::MatrixResult;

/// Memory that routines work in, as much as they ask for.
template <class T>
class Work {
 public:
  /// `routine(work, length)`, before with a length of -1: it then says in `work` how much it wants.
  template <class F>
  void call(const F& routine);

 private:
  std::vector<T> memory_;
};

template <class T>
class TransposedLu {
 public:
  explicit TransposedLu(std::int64_t rows);

  void factor(const program::Matrices<T>& a, std::int64_t at);
  [[nodiscard]] T pivot(std::int64_t i) const { return factors_(i, i); }
  [[nodiscard]] T sign() const;
  [[nodiscard]] T determinant() const { return sign() * factors_.diagonal().prod(); }
  void solve(const program::Matrices<T>& b, std::int64_t at, T* x);
  void invert(T* out);

 private:
  int n_;
  Matrix<T> factors_;
  std::vector<int> pivots_;
  Matrix<T> sides_;
  Work<T> work_;
};

template <class T>
class Cholesky {
 public:
  [[nodiscard]] static bool factor(T* matrix, std::int64_t n);
};

template <class T>
class Lu {
 public:
  static void factor(Matrix<T>& m, std::int64_t* permutation);
};

template <class T>
class Qr {
 public:
  Qr(std::int64_t rows, std::int64_t columns);

  void factor(const program::Matrices<T>& a, std::int64_t at);
  [[nodiscard]] const Matrix<T>& factors() const { return factors_; }
  [[nodiscard]] const T* scales() const { return nullptr; }  // LAPACK's reflections have their own
  void write_q(std::int64_t columns, T* to);
  void multiply_by_transposed_q(Matrix<T>& b);

 private:
  int rows_, columns_, steps_;
  Matrix<T> factors_;
  std::vector<T> tau_;
  Matrix<T> q_;
  Work<T> work_;
};

/// As `Eigen::CompleteOrthogonalDecomposition`.
template <class T>
class CompleteOrthogonal {
 public:
  CompleteOrthogonal(std::int64_t rows, std::int64_t columns);

  void setThreshold(T threshold) { threshold_ = threshold; }
  void compute(const Matrix<T>& a);
  [[nodiscard]] std::int64_t rank() const { return rank_; }
  [[nodiscard]] Matrix<T> solve(Matrix<T>& b);

 private:
  int rows_, columns_;
  int rank_ = 0;
  T threshold_ = 0;
  Matrix<T> factors_;
  std::vector<int> order_;  // of the columns, from 1
  std::vector<T> tau_, tau_z_;
  Work<T> work_;
};

/// As `Eigen::SelfAdjointEigenSolver`.
template <class T>
class Eigh {
 public:
  explicit Eigh(std::int64_t rows);

  void compute(const MatrixOperand<T>& a, int options);
  [[nodiscard]] Eigen::ComputationInfo info() const { return info_; }
  [[nodiscard]] const Eigen::Matrix<T, Eigen::Dynamic, 1>& eigenvalues() const { return values_; }
  [[nodiscard]] const Matrix<T>& eigenvectors() const { return vectors_; }

 private:
  int n_;
  Eigen::ComputationInfo info_ = detail::success;
  Eigen::Matrix<T, Eigen::Dynamic, 1> values_;
  Matrix<T> vectors_;
  std::vector<int> integers_;
  Work<T> work_;
};

template <class T>
class SingularValues {
 public:
  SingularValues(std::int64_t rows, std::int64_t columns, unsigned options);

  [[nodiscard]] bool decompose(const program::Matrices<T>& a, std::int64_t at, T* u, T* s, T* vh);

 private:
  int rows_, columns_;
  const char* vectors_;
  std::vector<int> integers_;
  Matrix<T> transposed_;
  Work<T> work_;
};

}  // namespace situ::internal::inline SITU_SETTINGS::cpu::lapack
