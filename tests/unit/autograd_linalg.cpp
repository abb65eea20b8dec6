// SPDX-License-Identifier: Apache-2.0
// Gradients of linear algebra, against differences. Where an operand must be symmetric it is made so within the
// function; of eigenvectors and singular vectors, whose signs are free, functions are taken that do not depend on them.
// labels: gradients
#include <doctest/doctest.h>

#include <situ/autograd.hpp>
#include <situ/linalg.hpp>

#include "gradient_check.hpp"

namespace {

using namespace situ;
using gradient_check::check;
using gradient_check::elements;
using gradient_check::numbers;

/// Away from singular: elements of [-1, 1), and more on the diagonal.
Tensor<double> regular(const Shape& shape, std::uint64_t seed = 7) {
  return numbers(shape, -1, 1, seed) + eye<double>(shape[-1]) * 2.0;
}

const auto symmetric = [](const auto& x) { return eval(x + transpose(x)); };
const auto definite = [](const auto& x) { return eval(matmul(x, transpose(x)) + eye<double>(x.extent(-1))); };

TEST_CASE("systems") {
  const auto solved = [](const auto& a, const auto& b) { return solve(a, b); };
  check(solved, regular({3, 3}), numbers({3, 2}));
  check(solved, regular({3, 3}), numbers({3}));
  check(solved, regular({2, 3, 3}), numbers({2, 3, 1}));
  check(solved, regular({2, 3, 3}), numbers({3}));
  check(solved, regular({3, 3}), numbers({2, 3, 1}));
  check(solved, regular({2, 1, 2, 2}), numbers({3, 2, 2}));
  check([](const auto& a, const auto& b) { return solve(transpose(a), b * 2.0); }, regular({3, 3}), numbers({3, 2}));
  check([](const auto& a) { return inv(a); }, regular({2, 3, 3}));
}

TEST_CASE("determinants") {
  check([](const auto& a) { return det(a); }, regular({3, 3}));
  check([](const auto& a) { return det(a); }, regular({2, 4, 4}));
  check([](const auto& a) { return slogdet(a).logabsdet; }, regular({2, 3, 3}));
  check([](const auto& a) { return det(a); }, numbers({1, 1}));
}

TEST_CASE("the determinant of a singular matrix has a gradient: its cofactors") {
  const Variable a(tensor({{1., 2., 0.}, {2., 4., 0.}, {0., 0., 3.}}));
  const std::vector<double> found = elements(backward(det(a))[a]);
  const std::vector<double> cofactors{12, -6, 0, -6, 3, 0, 0, 0, 0};
  for (std::size_t i = 0; i != cofactors.size(); ++i) CHECK(found[i] == doctest::Approx(cofactors[i]).epsilon(1e-12));
}

TEST_CASE("triangles and Cholesky") {
  for (const Triangle triangle : {Triangle::lower, Triangle::upper}) {
    for (const UnitDiagonal unit : {UnitDiagonal::no, UnitDiagonal::yes}) {
      const auto solved = [=](const auto& a, const auto& b) { return solve_triangular(a, b, triangle, unit); };
      check(solved, regular({3, 3}), numbers({3, 2}));
      check(solved, regular({2, 3, 3}), numbers({3}));
    }
  }
  check([](const auto& x) { return cholesky(definite(x)); }, regular({3, 3}));
  check([](const auto& x) { return cholesky(definite(x)); }, regular({2, 2, 2}));
  check([](const auto& x, const auto& b) { return cholesky_solve(tril(x), b); }, regular({3, 3}), numbers({3, 2}));
  check([](const auto& x, const auto& b) { return cholesky_solve(cholesky(definite(x)), b); }, regular({2, 3, 3}),
        numbers({3}));
}

TEST_CASE("the gradient by a matrix that must be symmetric is symmetric, and moves by both triangles") {
  const Variable a(symmetric(regular({3, 3})) + 4.0 * eye<double>(3));
  for (const Tensor<double>& g : {backward(sum(cholesky(a)))[a], backward(sum(sin(eigvalsh(a))))[a]}) {
    CHECK(allclose(g, transpose(g)).item());
  }
}

TEST_CASE("QR") {
  for (const Shape& shape : {Shape{4, 3}, Shape{3, 3}, Shape{2, 3, 2}, Shape{2, 4}}) {
    CAPTURE(shape.to_string());
    check([](const auto& a) { return qr(a).r; }, numbers(shape));
    check([](const auto& a) { return qr(a).q; }, numbers(shape));
  }
  check([](const auto& a) {
    const auto [q, r] = qr(a);
    return concat(flatten(sin(q)), flatten(square(r)));
  }, numbers({4, 2}));
}

TEST_CASE("least squares") {
  const auto fit = [](const auto& a, const auto& b) { return lstsq(a, b); };
  check(fit, numbers({5, 3}), numbers({5, 2}, -1, 1, 3));
  check(fit, numbers({5, 3}), numbers({5}, -1, 1, 3));
  check(fit, numbers({2, 4, 2}), numbers({4, 1}, -1, 1, 3));
  check(fit, regular({3, 3}), numbers({3, 1}));
}

TEST_CASE("eigenvalues and eigenvectors") {
  check([](const auto& x) { return eigvalsh(symmetric(x)); }, numbers({4, 4}));
  check([](const auto& x) { return eigh(symmetric(x)).eigenvalues; }, numbers({2, 3, 3}));
  check([](const auto& x) { return square(eigh(symmetric(x)).eigenvectors); }, numbers({3, 3}));
  check([](const auto& x) {
    const auto [w, v] = eigh(symmetric(x));
    return matmul(v * unsqueeze(exp(w), -2), transpose(v));
  }, numbers({2, 3, 3}));
}

TEST_CASE("singular values and vectors") {
  for (const Shape& shape : {Shape{3, 3}, Shape{4, 3}, Shape{2, 2, 3}}) {
    CAPTURE(shape.to_string());
    check([](const auto& x) { return svdvals(x); }, numbers(shape));
    check([](const auto& x) { return svd(x, FullMatrices::no).s; }, numbers(shape));
    check([](const auto& x) { return square(svd(x, FullMatrices::no).u); }, numbers(shape));
    check([](const auto& x) { return square(svd(x, FullMatrices::no).vh); }, numbers(shape));
    check([](const auto& x) {
      const auto [u, s, vh] = svd(x, FullMatrices::no);
      return matmul(u * unsqueeze(sin(s), -2), vh);
    }, numbers(shape));
  }
}

TEST_CASE("pseudo-inverse and norms") {
  check([](const auto& x) { return pinv(x); }, numbers({4, 2}));
  check([](const auto& x) { return pinv(x); }, numbers({2, 2, 3}));
  for (const MatrixNorm order : {MatrixNorm::fro, MatrixNorm::nuc, MatrixNorm::two, MatrixNorm::one, MatrixNorm::inf}) {
    check([=](const auto& x) { return matrix_norm(x, order); }, numbers({2, 3, 4}));
  }
}

TEST_CASE("powers and products") {
  for (const int n : {1, 2, 5, -1, -2}) {
    CAPTURE(n);
    check([=](const auto& x) { return matrix_power(x, n); }, regular({2, 2, 2}));
  }
  check([](const auto& x) { return expm(x); }, numbers({3, 3}));
  check([](const auto& x) { return expm(x * 8.0); }, numbers({2, 2, 2}));  // scaled and squared
  check([](const auto& x, const auto& y) { return kron(x, y); }, numbers({2, 3}), numbers({3, 2}, -1, 1, 3));
  check([](const auto& x, const auto& y) { return cross(x, y, -1); }, numbers({2, 3}), numbers({3}, -1, 1, 3));
}

TEST_CASE("equal eigenvalues and singular values give no NaN") {
  const Variable a(eye<double>(3));
  const auto finite = [](const Tensor<double>& g) { return situ::all(isfinite(g)).item(); };
  // functions that the choice of vectors does not change have a gradient
  CHECK(finite(backward(sum(square(eigvalsh(a))))[a]));
  CHECK(finite(backward(sum(svdvals(a)))[a]));
}

TEST_CASE("no matrices, and matrices without elements") {
  for (const Shape& shape : {Shape{0, 0}, Shape{0, 3, 3}, Shape{2, 0, 0}}) {
    const Variable a(zeros<double>(shape));
    CHECK(backward(sum(inv(a)))[a].shape() == shape);
    CHECK(backward(sum(det(a)))[a].shape() == shape);
    CHECK(backward(sum(cholesky(a)))[a].shape() == shape);
    CHECK(backward(sum(eigvalsh(a)))[a].shape() == shape);
    CHECK(backward(sum(svdvals(a)))[a].shape() == shape);
  }
}

}  // namespace
