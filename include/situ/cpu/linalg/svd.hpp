// SPDX-License-Identifier: Apache-2.0
// Singular values and vectors.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <limits>
#include <optional>

#include <Eigen/SVD>

#include <situ/cpu/linalg/matrices.hpp>
#include <situ/cpu/linalg/one_sided.hpp>
#include <situ/cpu/linalg/provider.hpp>
#include <situ/device/cpu.hpp>
#include <situ/plan/linalg.hpp>

namespace situ::internal::inline SITU_SETTINGS::cpu {

namespace detail {

/// The decomposition of matrices of one size, and its memory. Eigen gets the transpose, whose columns are the rows of
/// an operand: A^T = V diag(s) U^T.
///
/// By divide and conquer, except for small matrices by Jacobi's method, as Eigen does itself (here by the smaller
/// extent). The deflation of the former silently fails in Eigen 3.4.0 for some matrices of low rank, the constant one
/// among them (gitlab.com/libeigen/eigen, merge request 1507): so the result is tested with a vector, and if it is
/// wrong, Jacobi's method, which is slower and does not fail, is used.
template <class T>
class SingularValueSolver {
 public:
  using Vector = Eigen::Matrix<T, Eigen::Dynamic, 1>;

  SingularValueSolver(std::int64_t rows, std::int64_t columns, unsigned options)
      : transposed_(columns, rows), options_(options) {
    if (std::min(rows, columns) < by_jacobi) jacobi_.emplace(columns, rows, options);
    else divided_.emplace(columns, rows, options);
  }

  /// Writes the singular values of one matrix, and U and V^T unless they are null. Returns whether there is a result; a
  /// matrix with NaN or infinite elements has none.
  [[nodiscard]] bool decompose(const program::Matrices<T>& a, std::int64_t at, T* u, T* s, T* vh) {
    if (!compute(a, at)) return false;
    if (by_division_) write(*divided_, u, s, vh);
    else write(*jacobi_, u, s, vh);
    return true;
  }

 private:
  static constexpr std::int64_t by_jacobi = 16;

  [[nodiscard]] bool compute(const program::Matrices<T>& a, std::int64_t at) {
    copy_rows(a, at, transposed_.data());
    if (!transposed_.allFinite()) return false;
    if (divided_) {
      divided_->compute(transposed_, options_);
      if (divided_->info() == success && holds(*divided_)) {
        by_division_ = true;
        return true;
      }
      if (!jacobi_) jacobi_.emplace(transposed_.rows(), transposed_.cols(), options_);
    }
    by_division_ = false;
    jacobi_->compute(transposed_, options_);
    return jacobi_->info() == success;
  }

  template <class Svd>
  static void write(const Svd& svd, T* u, T* s, T* vh) {
    result(s, 0, svd.singularValues().size(), 1) = svd.singularValues();
    if (u == nullptr) return;
    write_rows(svd.matrixV(), svd.matrixV().rows(), u);
    std::copy_n(svd.matrixU().data(), svd.matrixU().size(), vh);
  }

  /// Whether the factors map one vector as the matrix does, and are orthogonal as far as another one shows; without
  /// vectors, whether the lengths agree. A few matrix-vector products, in addition to the decomposition.
  template <class Svd>
  [[nodiscard]] bool holds(const Svd& svd) const {
    const Vector& s = svd.singularValues();
    const T scale = s(0);
    if (!s.allFinite() || scale == T(0)) return s.allFinite() && transposed_.isZero(T(0));
    const T length = (transposed_ / scale).norm();
    if (options_ == 0) return std::abs((s / scale).norm() - length) <= error() * length;
    const Matrix<T>& v = svd.matrixU();
    const Matrix<T>& u = svd.matrixV();
    const Vector in = probe(u.rows());
    const Vector out = scale > T(1) ? Vector(transposed_ * (in / scale)) : Vector((transposed_ * in) / scale);
    const Vector turned = u.leftCols(s.size()).transpose() * in;
    const Vector found = v.leftCols(s.size()) * turned.cwiseProduct(s / scale);
    return (out - found).norm() <= error() * in.norm() && is_orthogonal(u) && is_orthogonal(v);
  }
  [[nodiscard]] bool is_orthogonal(const Matrix<T>& x) const {
    const Vector in = probe(x.cols());
    const Vector out = x * in;
    return (x.transpose() * out - in).norm() <= error() * in.norm();
  }
  [[nodiscard]] T error() const {
    return static_cast<T>(std::max(transposed_.rows(), transposed_.cols())) * std::numeric_limits<T>::epsilon();
  }
  /// Irregular, with a component along everything, the constant vector included.
  [[nodiscard]] static Vector probe(std::int64_t size) {
    Vector x(size);
    for (std::int64_t i = 0; i < size; ++i) {
      const double turns = static_cast<double>(i) * 0.61803398874989485;
      x(i) = static_cast<T>(0.25 + turns - std::floor(turns));
    }
    return x;
  }

  Matrix<T> transposed_;
  unsigned options_;
  std::optional<Eigen::BDCSVD<Matrix<T>>> divided_;
  std::optional<Eigen::JacobiSVD<Matrix<T>>> jacobi_;
  bool by_division_ = false;
};

}  // namespace detail

/// See `FindsSingularValues`.
template <LinAlgElement T, class Solver = detail::Provided<detail::SingularValueSolver<T>, lapack::SingularValues<T>>>
void find_singular_values(Backend, LinAlgOperation operation, const program::Matrices<T>& a, bool full, T* u, T* s,
                          T* vh) {
  const std::int64_t least = std::min(a.rows, a.columns);
  const std::int64_t u_size = u == nullptr ? 0 : a.rows * (full ? a.rows : least);
  const std::int64_t vh_size = u == nullptr ? 0 : a.columns * (full ? a.columns : least);
  const unsigned options = u == nullptr ? 0U
                           : full       ? unsigned{Eigen::ComputeFullU} | unsigned{Eigen::ComputeFullV}
                                        : unsigned{Eigen::ComputeThinU} | unsigned{Eigen::ComputeThinV};
  const auto make = [&] { return Solver(a.rows, a.columns, options); };
  const auto find = [&](Solver& solver, std::int64_t i) -> detail::MatrixOutcome {
    if (solver.decompose(a, i, u + i * u_size, s + i * least, vh + i * vh_size)) return {};
    return {LinAlgFault::not_converged, 0, true};
  };
  if (std::max(a.rows, a.columns) <= detail::most_rows_rotated_side_by_side && (!full || a.rows == a.columns)) {
    return detail::singular_values_side_by_side(operation, a, u, s, vh, [&](std::int64_t i) {
      Solver solver = make();
      return find(solver, i);
    });
  }
  detail::for_each_matrix(operation, a, (u == nullptr ? 4 : 20) * a.rows * a.columns * least, make, find);
}

}  // namespace situ::internal::inline SITU_SETTINGS::cpu
