// SPDX-License-Identifier: Apache-2.0
// Conformance: linear algebra. Solutions and factors are those of no other device to the bit: what is checked is what
// makes them solutions and factors, on the host, in double.
#pragma once

#include <situ/autograd.hpp>
#include <situ/linalg.hpp>

#include "support.hpp"

namespace conformance {

/// A result on the host, in double.
template <class X>
Tensor<double, Cpu> wide(const X& x) {
  return cast<double>(eval(x).to(Cpu{}));
}

/// That all elements of `x` and `y` differ by less than `bound` n eps times the largest of `y`, or of `scale`.
template <class T>
void check_near(const Tensor<double, Cpu>& x, const Tensor<double, Cpu>& y, double bound = 20, double scale = 0) {
  REQUIRE(x.shape() == y.shape());
  if (x.size() == 0) return;
  const auto n = static_cast<double>(x.rank() > 0 ? x.extent(-1) + x.extent(0) : 1);
  const double allowed = bound * n * static_cast<double>(std::numeric_limits<T>::epsilon());
  CHECK(max(abs(x - y)).item() <= allowed * std::max({max(abs(y)).item(), scale, 1e-30}));
}

/// Matrices that are well conditioned, and definite ones.
template <class T>
Tensor<T, Cpu> dominant(const Shape& shape, std::uint64_t seed) {
  const std::int64_t n = shape[-1];
  return numbers<T>(shape, -1, 1, seed) + flip(eye<T>(n), 0) * static_cast<T>(n);
}
template <class T>
Tensor<T, Cpu> definite(const Shape& shape, std::uint64_t seed) {
  const Tensor<T, Cpu> a = numbers<T>(shape, -1, 1, seed);
  return a + transpose(a) + eye<T>(shape[-1]) * static_cast<T>(3 * shape[-1]);
}

template <class T, class D>
void check_solvers() {
  const auto residual = [](const auto& a, const auto& b) {
    const auto x = solve(a.to(D{}), b.to(D{}));
    const Tensor<double, Cpu> columns = b.rank() == 1 ? wide(unsqueeze(x, -1)) : wide(x);
    const Tensor<double, Cpu> wanted = b.rank() == 1 ? wide(unsqueeze(b, -1)) : wide(b);
    const Tensor<double, Cpu> got = matmul(wide(a), columns);
    const double scale = max(abs(columns)).item() * static_cast<double>(a.extent(-1));
    check_near<T>(got, eval(broadcast_to(wanted, got.shape())), 20, scale);
  };
  for (const std::int64_t n : {1, 2, 3, 4, 5, 8, 17, 33}) {
    residual(dominant<T>({n, n}, 1), numbers<T>({n, 3}, -2, 2, 2));
  }
  residual(dominant<T>({5, 5}, 3), numbers<T>({5}, -2, 2, 4));
  residual(dominant<T>({3, 4, 4}, 5), numbers<T>({3, 4, 2}, -2, 2, 6));
  residual(dominant<T>({2, 1, 4, 4}, 5), numbers<T>({3, 4, 1}, -2, 2, 6));
  residual(dominant<T>({200, 3, 3}, 7), numbers<T>({200, 3, 1}, -2, 2, 8));

  // operands that lie otherwise: transposed, backwards, every second one, one matrix for all, an expression
  const Tensor<T, Cpu> host = dominant<T>({4, 6, 6}, 9);
  const Tensor<T, Cpu> right = numbers<T>({6, 4}, -2, 2, 10);
  const Tensor<T, D> a = host.to(D{}), b = right.to(D{});
  const Tensor<double, Cpu> identity = eval(broadcast_to(eye<double>(6), host.shape()));
  check_near<T>(matmul(wide(transpose(host)), wide(inv(transpose(a)))), identity);
  check_near<T>(matmul(wide(flip(host, 0)), wide(inv(flip(a, 0)))), identity);
  const Tensor<T, D> every_second = a(range(0, 4, 2), all, all);
  check_near<T>(wide(solve(every_second, b)), wide(solve(contiguous(every_second), b)));
  check_near<T>(wide(solve(a(1, all, all), b(all, range(0, 4, 3)))), wide(solve(a, b))(1, all, range(0, 4, 3)));
  check_near<T>(wide(inv(a * T{2})) * 2.0, wide(inv(a)));

  // the determinant of a product, and by its logarithm
  const Tensor<T, D> p = definite<T>({3, 5, 5}, 11).to(D{});
  check_near<T>(wide(det(matmul(p, a(range(0, 3), range(0, 5), range(0, 5))))),
                eval(wide(det(p)) * wide(det(a(range(0, 3), range(0, 5), range(0, 5))))), 50);
  const auto [sign, logarithm] = slogdet(a);
  check_near<T>(eval(wide(sign) * exp(wide(logarithm))), wide(det(a)), 50);

  const Tensor<T, D> l = cholesky(p);
  check_near<T>(matmul(wide(l), wide(transpose(l))), wide(p));
  CHECK(elements(tril(l)) == elements(l));
  const Tensor<T, D> c = numbers<T>({3, 5, 2}, -2, 2, 12).to(D{});
  check_near<T>(wide(cholesky_solve(l, c)), wide(solve(p, c)));
  check_near<T>(matmul(wide(l), wide(solve_triangular(l, c, Triangle::lower))), wide(c));
  check_near<T>(matmul(wide(transpose(l)), wide(solve_triangular(transpose(l), c, Triangle::upper))), wide(c));
  // what stands in the other triangle is not read
  const Tensor<T, D> noise = where(triu(ones_like(l), 1) == 1, std::numeric_limits<T>::quiet_NaN(), l);
  check_near<T>(wide(solve_triangular(noise, c, Triangle::lower)), wide(solve_triangular(l, c, Triangle::lower)));

  const Tensor<T, D> square = a(0, all, all);
  check_near<T>(wide(matrix_power(square, 3)), wide(matmul(square, matmul(square, square))));
  check_near<T>(matmul(wide(expm(square * T{0.1f})), wide(expm(square * T{-0.1f}))), eye<double>(6), 100);
}
TEST_CASE_TEMPLATE_DEFINE("linear algebra: systems", D, linalg_solvers) {
  check_solvers<float, D>();
  check_solvers<double, D>();
}

template <class T, class D>
void check_orthogonal(const Tensor<T, D>& q) {
  const Tensor<double, Cpu> x = wide(q);
  const Tensor<double, Cpu> gram = matmul(transpose(x), x);
  check_near<T>(gram, eval(broadcast_to(eye<double>(gram.extent(-1)), gram.shape())));
}

template <class T, class D>
void check_factors() {
  for (const Shape& shape : {Shape{1, 1}, Shape{4, 4}, Shape{9, 4}, Shape{4, 9}, Shape{35, 33}, Shape{3, 5, 2},
                             Shape{2, 3, 2, 5}, Shape{100, 3, 3}}) {
    CAPTURE(shape.to_string());
    const Tensor<T, Cpu> host = numbers<T>(shape, -2, 2, 1);
    const Tensor<T, D> a = host.to(D{});
    for (const bool whole : {false, true}) {
      const auto [q, r] = qr(a, whole ? QrMode::complete : QrMode::reduced);
      check_near<T>(matmul(wide(q), wide(r)), wide(host));
      check_orthogonal(q);
      CHECK(elements(triu(r)) == elements(r));
      const auto [u, s, vh] = svd(a, whole ? FullMatrices::yes : FullMatrices::no);
      const auto k = arange<std::int64_t>(s.extent(-1));
      check_near<T>(matmul(take(wide(u), k, -1) * unsqueeze(wide(s), -2), take(wide(vh), k, -2)), wide(host));
      check_orthogonal(u);
      check_orthogonal(eval(transpose(vh)));
      check_near<T>(wide(svdvals(a)), wide(s));
    }
    const auto [permutation, l, u] = lu(a);
    const Tensor<std::int64_t, Cpu> rows = broadcast_to(unsqueeze(permutation.to(Cpu{}), -1), host.shape());
    check_near<T>(matmul(wide(l), wide(u)), wide(gather(host, -2, rows)));
    const Tensor<T, Cpu> square = matmul(host, transpose(host));
    const auto [w, v] = eigh(square.to(D{}));
    check_near<T>(matmul(wide(v) * unsqueeze(wide(w), -2), transpose(wide(v))), wide(square));
    check_orthogonal(v);
    check_near<T>(wide(eigvalsh(square.to(D{}))), wide(w), 20, max(abs(wide(w))).item());
    // the pseudo-inverse by its first equation, and what is counted
    check_near<T>(matmul(matmul(wide(host), wide(pinv(a))), wide(host)), wide(host), 400);
    CHECK(min(matrix_rank(a)).to(Cpu{}).item() == std::min(shape[-1], shape[-2]));
    check_near<T>(wide(matrix_norm(a, MatrixNorm::two)), eval(max(wide(svdvals(a)), -1)));
  }
  // least squares: the residual is orthogonal to the columns; dependent columns are told
  const Tensor<T, Cpu> tall = numbers<T>({3, 8, 3}, -2, 2, 2), right = numbers<T>({3, 8, 2}, -2, 2, 3);
  const Tensor<double, Cpu> residual = matmul(wide(tall), wide(lstsq(tall.to(D{}), right.to(D{})))) - wide(right);
  check_near<T>(matmul(transpose(wide(tall)), residual), zeros<double>({3, 3, 2}), 20, 50);
  const Tensor<T, Cpu> dependent = concat(std::vector{tall, tall}, -1);
  const auto [x, rank] = lstsq_rank_revealing(dependent.to(D{}), right.to(D{}));
  CHECK(elements(rank) == std::vector<std::int64_t>{3, 3, 3});
  check_near<T>(matmul(wide(dependent), wide(x)) - wide(right), residual, 20, 50);
  // a polynomial through its points
  const Tensor<T, Cpu> coefficients = tensor({T{2}, T{-1}, T{0.5}, T{3}}), places = linspace<T>(-1, 1, 9);
  const Tensor<T, D> on_curve = polyval(coefficients.to(D{}), places.to(D{}));
  check_near<T>(wide(on_curve), wide(polyval(coefficients, places)));
  check_near<T>(wide(polyfit(places.to(D{}), on_curve, 3)), wide(coefficients), 100);
}
TEST_CASE_TEMPLATE_DEFINE("linear algebra: factors", D, linalg_factors) {
  check_factors<float, D>();
  check_factors<double, D>();
}

TEST_CASE_TEMPLATE_DEFINE("linear algebra: empty matrices, and those without a result", D, linalg_errors) {
  const Tensor<double, D> none = zeros<double>({0, 0}, D{});
  CHECK(elements(det(none)) == std::vector<double>{1});
  CHECK(inv(none).shape() == Shape{0, 0});
  CHECK(cholesky(zeros<double>({0, 3, 3}, D{})).shape() == Shape{0, 3, 3});
  CHECK(svd(zeros<double>({2, 0, 3}, D{}), FullMatrices::no).vh.shape() == Shape{2, 0, 3});
  CHECK(solve(zeros<double>({3, 0, 0}, D{}), zeros<double>({3, 0, 2}, D{})).shape() == Shape{3, 0, 2});

  // at once on the host, and with the transfer on a device whose work is queued
  const auto message = [](auto f) {
    try {
      static_cast<void>(elements(f()));
    } catch (const LinAlgError& error) {
      return std::string(error.what());
    }
    return std::string("nothing was thrown");
  };
  const Tensor<float, Cpu> one = eye<float>(3);
  const Tensor<float, D> singular = stack(std::vector{one, one, eval(one * tensor({1.f, 0.f, 1.f})), one}, 0).to(D{});
  const Tensor<float, D> b = ones<float>({3, 1}, D{});
  const Tensor<float, D> lopsided = triu(ones<float>({3, 3}, D{}));
  const auto says = [&](auto f, const char* text) { CHECK(message(f).find(text) == 0); };
  says([&] { return inv(singular); }, "inv: matrix 2 of 4 is singular: pivot 2 is 0");
  says([&] { return solve(singular, b); }, "solve: matrix 2 of 4 is singular: pivot 2 is 0");
  says([&] { return solve_triangular(singular, b, Triangle::upper); }, "solve_triangular: matrix 2 of 4");
  says([&] { return cholesky(singular - 1.f); }, "cholesky: matrix 0 of 4 is not positive definite");
  says([&] { return cholesky(lopsided); }, "cholesky: the matrix is not symmetric: row 2");
  says([&] { return eigvalsh(lopsided); }, "eigvalsh: the matrix is not symmetric: row 2");
  says([&] { return lstsq(singular, b); }, "lstsq: matrix 2 of 4 has linearly dependent columns: column 2");
  CHECK(elements(det(singular)) == std::vector<float>{1, 1, 0, 1});
  // and what follows is not concerned
  CHECK(elements(inv(eye<float>(2, 2, 0, D{}))) == std::vector<float>{1, 0, 0, 1});

  CHECK_THROWS_AS(static_cast<void>(inv(ones<float>({2, 3}, D{}))), ShapeError);
  CHECK_THROWS_AS(static_cast<void>(solve(eye<float>(3, 3, 0, D{}), ones<float>({2, 1}, D{}))), ShapeError);
  CHECK_THROWS_AS(static_cast<void>(svd(ones<float>({3}, D{}))), ShapeError);
}

TEST_CASE_TEMPLATE_DEFINE("linear algebra: gradients", D, linalg_gradients) {
  // log N(y; 0, A): its gradient by A is (A^-1 y y^T A^-1 - A^-1) / 2
  const Tensor<double, Cpu> host = definite<double>({4, 4}, 1), y = numbers<double>({4}, -1, 1, 2);
  const Variable<double, D> a(host.to(D{}));
  const Tensor<double, D> right = y.to(D{});
  const auto likelihood = [&](const auto& x, const auto& solution) {
    return (sum(solution * right) + slogdet(x).logabsdet) * -0.5;
  };
  const Tensor<double, Cpu> inverse = inv(host), solved = matmul(inverse, y);
  const Tensor<double, Cpu> wanted = (outer(solved, solved) - inverse) * 0.5;
  const auto by_solve = backward(likelihood(a, solve(a, right)));
  check_near<double>(wide(by_solve[a]), wanted, 50);
  // by Cholesky the gradient is that of a symmetric matrix
  const auto l = cholesky(a);
  const auto by_cholesky = backward((sum(cholesky_solve(l, right) * right) + 2.0 * sum(log(diagonal(l)))) * -0.5);
  check_near<double>(wide(by_cholesky[a] + transpose(by_cholesky[a])) * 0.5, wanted, 50);
  // sum of squares of singular values, and of eigenvalues: that of all elements
  check_near<double>(wide(backward(sum(square(svdvals(a))))[a]), eval(host * 2.0), 50);
  check_near<double>(wide(backward(sum(square(eigvalsh(a))))[a]), eval(host * 2.0), 50);
}

}  // namespace conformance
