// SPDX-License-Identifier: Apache-2.0
// Raw Eigen's linear algebra, written as its documentation shows, in matrices of its own order; a batch is a loop. On
// the given number of threads (OpenMP) where Eigen has them.
#include "linalg.hpp"
#include "peer_eigen.hpp"

#include <Eigen/Dense>

namespace rows {

namespace {

using Matrix = Eigen::MatrixXf;
using Vector = Eigen::VectorXf;

struct Factors {
  Matrix left;
  Vector values;
  Matrix right;
};

struct EigenLinalg : Eigen3 {
  static std::vector<double> values(float x) { return {static_cast<double>(x)}; }
  template <class X>
  static std::vector<double> values(const Eigen::MatrixBase<X>& x) {
    return Eigen3::values(x.derived());
  }
  /// Of factorisations, what signs do not change.
  static std::vector<double> values(const Factors& x) {
    return x.values.size() > 0 ? values(x.values) : diagonals(values(x.right), x.right.rows());
  }
  template <class X>
  static std::vector<double> values(const std::vector<X>& batch) {
    std::vector<double> found;
    for (const X& x : batch) {
      const std::vector<double> one = values(x);
      found.insert(found.end(), one.begin(), one.end());
    }
    return found;
  }
};

/// `f(a, b)` for each of the batch, with the results of all in memory at the end.
template <class F>
void add_rows(const std::string& operation, Matrices kind, F f) {
  for (const std::int64_t n : systems) {
    add<EigenLinalg>(system_row(operation, n), [=] {
      const std::int64_t count = matrices(n);
      std::vector<Matrix> a;
      std::vector<Vector> b;
      const std::vector<float> elements = system(n, kind), sides = random(count * n, 3);
      for (std::int64_t i = 0; i < count; ++i) {
        a.emplace_back(Eigen::Map<const Matrix>(elements.data() + i * n * n, n, n).transpose());
        b.emplace_back(Eigen::Map<const Vector>(sides.data() + i * n, n));
      }
      return [a, b, f] {
        using Result = decltype(f(a[0], b[0]));
        std::vector<Result> results(a.size());
        for (std::size_t i = 0; i < a.size(); ++i) results[i] = f(a[i], b[i]);
        return results;
      };
    });
  }
}

void add_all() {
  Eigen::setNbThreads(threads);
  add_rows("solve", Matrices::general,
           [](const Matrix& a, const Vector& b) -> Vector { return a.partialPivLu().solve(b); });
  add_rows("inv", Matrices::general, [](const Matrix& a, const Vector&) -> Matrix { return a.inverse(); });
  add_rows("det", Matrices::general, [](const Matrix& a, const Vector&) -> float { return a.determinant(); });
  add_rows("cholesky", Matrices::definite, [](const Matrix& a, const Vector&) -> Matrix { return a.llt().matrixL(); });
  add_rows("qr", Matrices::general, [](const Matrix& a, const Vector&) -> Factors {
    const Eigen::HouseholderQR<Matrix> qr(a);
    return {qr.householderQ(), {}, qr.matrixQR().triangularView<Eigen::Upper>()};
  });
  add_rows("lstsq", Matrices::general,
           [](const Matrix& a, const Vector& b) -> Vector { return a.householderQr().solve(b); });
  add_rows("eigh", Matrices::definite, [](const Matrix& a, const Vector&) -> Factors {
    const Eigen::SelfAdjointEigenSolver<Matrix> eigen(a);
    return {eigen.eigenvectors(), eigen.eigenvalues(), {}};
  });
  add_rows("svd", Matrices::general, [](const Matrix& a, const Vector&) -> Factors {
    const Eigen::BDCSVD<Matrix> svd(a, Eigen::ComputeThinU | Eigen::ComputeThinV);
    return {svd.matrixU(), svd.singularValues(), svd.matrixV()};
  });
}

const Registration here("linalg", add_all);

}  // namespace

}  // namespace rows
