// SPDX-License-Identifier: Apache-2.0
// Armadillo's linear algebra, which is the LAPACK that it is linked with, in matrices of its own order; a batch is a
// loop. (Its `solve` of a square matrix is no least squares.)
#include "linalg.hpp"

#include <armadillo>

namespace rows {

namespace {

using Matrix = arma::fmat;
using Vector = arma::fvec;

struct Factors {
  Matrix left;
  Vector values;
  Matrix right;
};

struct ArmadilloLinalg {
  static constexpr const char* name = "armadillo";

  static std::vector<double> values(float x) { return {static_cast<double>(x)}; }
  static std::vector<double> values(const Matrix& x) {
    const Matrix rows = x.t();
    return numbers(rows.memptr(), static_cast<std::int64_t>(rows.n_elem));
  }
  /// Of factorisations, what signs do not change.
  static std::vector<double> values(const Factors& x) {
    return x.values.n_elem > 0 ? values(x.values)
                               : diagonals(values(x.right), static_cast<std::int64_t>(x.right.n_rows));
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
    add<ArmadilloLinalg>(system_row(operation, n), [=] {
      const std::int64_t count = matrices(n);
      const auto extent = static_cast<arma::uword>(n);
      std::vector<Matrix> a;
      std::vector<Vector> b;
      const std::vector<float> elements = system(n, kind), sides = random(count * n, 3);
      for (std::int64_t i = 0; i < count; ++i) {
        a.emplace_back(Matrix(elements.data() + i * n * n, extent, extent).t());
        b.emplace_back(Vector(sides.data() + i * n, extent));
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
  add_rows("solve", Matrices::general,
           [](const Matrix& a, const Vector& b) -> Vector { return arma::solve(a, b, arma::solve_opts::fast); });
  add_rows("inv", Matrices::general, [](const Matrix& a, const Vector&) -> Matrix { return arma::inv(a); });
  add_rows("det", Matrices::general, [](const Matrix& a, const Vector&) -> float { return arma::det(a); });
  add_rows("cholesky", Matrices::definite,
           [](const Matrix& a, const Vector&) -> Matrix { return arma::chol(a, "lower"); });
  add_rows("qr", Matrices::general, [](const Matrix& a, const Vector&) {
    Factors factors;
    arma::qr(factors.left, factors.right, a);
    return factors;
  });
  add_rows("eigh", Matrices::definite, [](const Matrix& a, const Vector&) {
    Factors factors;
    arma::eig_sym(factors.values, factors.left, a);
    return factors;
  });
  add_rows("svd", Matrices::general, [](const Matrix& a, const Vector&) {
    Factors factors;
    arma::svd_econ(factors.left, factors.values, factors.right, a);
    return factors;
  });
}

const Registration here("linalg", add_all);

}  // namespace

}  // namespace rows
