// SPDX-License-Identifier: Apache-2.0
// labels: threads
// Solvers and factorisations of square matrices: what they say of themselves holds, for all layouts, sizes and batches.
#include <doctest/doctest.h>

#include <cmath>
#include <cstdint>
#include <limits>
#include <string>
#include <vector>

#include <situ/autograd.hpp>
#include <situ/linalg.hpp>
#include <situ/ops/closeness.hpp>
#include <situ/ops/gather.hpp>

#include "gradient_check.hpp"

using namespace situ;
using gradient_check::numbers;

namespace {

/// On both sides of each path: the sizes known to the compiler, small ones, those in blocks.
constexpr std::int64_t sizes[] = {1, 2, 3, 4, 5, 8, 9, 16, 17, 32, 33, 70, 130};

/// The largest element of |A X - B|, in epsilons of what the elements of A X are made of.
template <class T>
double residual(const Tensor<T>& a, const Tensor<T>& x, const Tensor<T>& b) {
  if (b.size() == 0) return 0;
  const double sums = static_cast<double>(a.extent(-1)) * static_cast<double>((max(abs(a)) * max(abs(x))).item());
  return static_cast<double>(max(abs(matmul(a, x) - b)).item()) /
         (static_cast<double>(std::numeric_limits<T>::epsilon()) * sums);
}

template <class T>
Tensor<T> random(const Shape& shape, std::uint64_t seed = 7) {
  return cast<T>(numbers(shape, -1, 1, seed));
}

/// The matrices themselves, and the same elements lying column by column, or with gaps.
template <class T>
std::vector<Tensor<T>> lying(const Tensor<T>& a) {
  const std::int64_t columns = a.extent(-1);
  Tensor<T> wide = ones<T>({a.extent(0), a.extent(1), 2 * columns});
  wide.at(all, all, range(columns, 2 * columns)) = a;
  return {a, transpose(contiguous(transpose(a))), wide(all, all, range(columns, 2 * columns))};
}

template <class F>
std::string message_of(const F& f) {
  try {
    f();
  } catch (const LinAlgError& e) {
    return e.what();
  }
  return "no error";
}

}  // namespace

TEST_CASE_TEMPLATE("solve and inv", T, float, double) {
  for (const std::int64_t n : sizes) {
    CAPTURE(n);
    const Tensor<T> whole = random<T>({3, n, n}) + T(2) * eye<T>(n);
    for (const Tensor<T>& a : lying(whole)) {
      for (const std::int64_t k : {std::int64_t{1}, std::int64_t{7}}) {
        for (const Tensor<T>& b : lying(random<T>({3, n, k}, 9))) CHECK(residual<T>(a, solve(a, b), b) < 10);
      }
      const Tensor<T> vector = random<T>({n}, 5);
      const Tensor<T> x = solve(a, vector);
      CHECK(x.shape() == Shape{3, n});
      CHECK(residual<T>(a, unsqueeze(x, -1), unsqueeze(vector, -1)) < 10);
      CHECK(residual<T>(a, inv(a), eye<T>(n)) < 10);
    }
  }
}

TEST_CASE("solve broadcasts, and takes what is empty") {
  const Tensor<double> a = random<double>({4, 1, 3, 3});
  const Tensor<double> b = random<double>({5, 3, 2});
  const Tensor<double> x = solve(a, b);
  CHECK(x.shape() == Shape{4, 5, 3, 2});
  CHECK(residual<double>(a, x, b) < 10);
  const Tensor<double> one = a(0, 0, all, all);
  CHECK(residual<double>(one, solve(one, b), b) < 10);  // factored once
  CHECK(solve(one, random<double>({2, 5, 3, 2})).shape() == Shape{2, 5, 3, 2});
  CHECK(solve(zeros<double>({0, 0}), zeros<double>({0, 2})).shape() == Shape{0, 2});
  CHECK(solve(zeros<double>({0, 0}), zeros<double>({2, 0, 3})).shape() == Shape{2, 0, 3});
  CHECK(solve(zeros<double>({2, 0, 0}), zeros<double>({0})).shape() == Shape{2, 0});
  CHECK(solve(zeros<double>({0, 3, 3}), zeros<double>({3})).shape() == Shape{0, 3});
  CHECK(inv(zeros<double>({0, 0})).shape() == Shape{0, 0});
  CHECK_THROWS_WITH_AS((void)solve(one, zeros<double>({2, 1})),
                       doctest::Contains("solve: shapes (3, 3) and (2, 1) do not fit"), ShapeError);
  CHECK_THROWS_WITH_AS((void)inv(zeros<double>({3, 2})),
                       doctest::Contains("inv: the matrices of shape (3, 2) are not square"), ShapeError);
}

TEST_CASE_TEMPLATE("a matrix by itself has the bits that it has in a batch", T, float, double) {
  for (const std::int64_t n : {1, 2, 3, 5, 8, 9, 16, 17, 24, 25, 33}) {
    CAPTURE(n);
    const Tensor<T> a = random<T>({19, n, n}), b = random<T>({19, n, 3}, 9);
    const Tensor<T> x = solve(a, b), first = solve(a, b(all, all, range(0, 1))), y = inv(a), d = det(a);
    const Tensor<T> positive = matmul(a, transpose(a)) + eye<T>(n), l = cholesky(positive);
    for (const std::int64_t i : {0, 7, 18}) {
      const Tensor<T> one = a(i, all, all);
      CHECK(all(solve(one, b(i, all, all)) == x(i, all, all)).item());
      CHECK(all(solve(one, b(i, all, 0)) == first(i, all, 0)).item());
      CHECK(all(inv(transpose(contiguous(transpose(one)))) == y(i, all, all)).item());
      CHECK(det(one).item() == d(i));
      CHECK(all(cholesky(positive(i, all, all)) == l(i, all, all)).item());
    }
    const auto most = range(0, 17);  // groups, and one that is left
    CHECK(all(solve(a(most, all, all), b(most, all, all)) == x(most, all, all)).item());
    CHECK(all(det(a(most, all, all)) == d(most)).item());
  }
}

TEST_CASE("a singular matrix of a batch is named") {
  for (const std::int64_t n : {3, 20, 40}) {
    CAPTURE(n);
    Tensor<float> a = broadcast_to(eye(n), {50, n, n});
    a.at(17, n - 1, n - 1) = 0.0f;
    CHECK_THROWS_WITH_AS((void)inv(a(17, all, all)), doctest::Contains("inv: the matrix is singular"), LinAlgError);
    a.at(30, 0, 0) = 0.0f;
    const std::string wanted = "matrix 17 of 50 is singular: pivot " + std::to_string(n) + " is 0";
    CHECK_THROWS_WITH_AS((void)inv(a), doctest::Contains(("inv: " + wanted).c_str()), LinAlgError);
    CHECK_THROWS_WITH_AS((void)solve(a, ones({n})), doctest::Contains(("solve: " + wanted).c_str()), LinAlgError);
  }
}

TEST_CASE_TEMPLATE("cholesky, cholesky_solve and solve_triangular", T, float, double) {
  for (const std::int64_t n : sizes) {
    CAPTURE(n);
    const Tensor<T> factor = random<T>({3, n, n});
    const Tensor<T> whole = matmul(factor, transpose(factor)) + eye<T>(n);
    for (const Tensor<T>& a : lying(whole)) {
      const Tensor<T> l = cholesky(a);
      CHECK(residual<T>(l, transpose(l), a) < 10);
      CHECK(max(abs(triu(l, 1))).item() == T(0));
      CHECK(min(diagonal(l)).item() > T(0));
    }
    const Tensor<T> l = cholesky(whole) + triu(random<T>({3, n, n}), 1);  // which is not read
    for (const Tensor<T>& a : lying(l)) {
      for (const std::int64_t k : {std::int64_t{1}, std::int64_t{7}}) {
        const Tensor<T> b = random<T>({3, n, k}, 9);
        CHECK(residual<T>(tril(a), solve_triangular(a, b, Triangle::lower), b) < 10);
        const Tensor<T> upper = transpose(a);
        CHECK(residual<T>(triu(upper), solve_triangular(upper, b, Triangle::upper), b) < 10);
        const Tensor<T> unit = a / (T(4) * static_cast<T>(n) + max(abs(a)).item());
        const Tensor<T> x = solve_triangular(unit, b, Triangle::lower, UnitDiagonal::yes);
        CHECK(residual<T>(tril(unit, -1) + eye<T>(n), x, b) < 10);
        const Tensor<T> y = solve_triangular(transpose(unit), b, Triangle::upper, UnitDiagonal::yes);
        CHECK(residual<T>(transpose(tril(unit, -1) + eye<T>(n)), y, b) < 10);
        CHECK(residual<T>(matmul(tril(a), transpose(tril(a))), cholesky_solve(a, b), b) < 10);
      }
      CHECK(cholesky_solve(a, ones<T>({n})).shape() == Shape{3, n});
    }
  }
}

TEST_CASE("a matrix without a Cholesky factorisation is named, and why") {
  for (const std::int64_t n : {3, 20, 40}) {
    CAPTURE(n);
    Tensor<double> a = broadcast_to(eye<double>(n), {50, n, n});
    a.at(17, n - 1, n - 1) = -1.0;
    a.at(30, 0, 0) = 0.0;
    std::string wanted = "cholesky: matrix 17 of 50 is not positive definite: its leading minor of order ";
    CHECK_THROWS_WITH_AS((void)cholesky(a), doctest::Contains((wanted + std::to_string(n)).c_str()), LinAlgError);
    a.at(17, n - 1, n - 1) = std::numeric_limits<double>::quiet_NaN();
    CHECK_THROWS_WITH_AS((void)cholesky(a), doctest::Contains((wanted + std::to_string(n)).c_str()), LinAlgError);
    a.at(4, 0, 1) = 0.25;  // row 2 is as its column
    a.at(4, 1, 0) = 0.25;
    a.at(4, 2, 0) = 1e-6;
    CHECK_THROWS_WITH_AS((void)cholesky(a), doctest::Contains("matrix 4 of 50 is not symmetric: row 3 is the first"),
                         LinAlgError);
    a.at(4, 2, 0) = 1e-9;
    CHECK_THROWS_WITH_AS((void)cholesky(a), doctest::Contains("matrix 17 of 50"), LinAlgError);
    CHECK_THROWS_WITH_AS((void)solve_triangular(a, ones<double>({n}), Triangle::lower),
                         doctest::Contains("solve_triangular: matrix 30 of 50 is singular: pivot 1 is 0"), LinAlgError);
    CHECK_THROWS_WITH_AS((void)cholesky_solve(a, ones<double>({n, 2})),
                         doctest::Contains("cholesky_solve: matrix 30 of 50"), LinAlgError);
  }
  CHECK(cholesky(zeros<float>({2, 0, 0})).shape() == Shape{2, 0, 0});
  CHECK(solve_triangular(zeros<float>({0, 0}), zeros<float>({0}), Triangle::upper).shape() == Shape{0});
  CHECK_THROWS_WITH_AS((void)cholesky(zeros<float>({2})),
                       doctest::Contains("cholesky: shape (2,) has fewer than two axes"), ShapeError);
}

TEST_CASE_TEMPLATE("det, slogdet and lu", T, float, double) {
  for (const std::int64_t n : sizes) {
    CAPTURE(n);
    const Tensor<T> whole = random<T>({3, n, n});
    for (const Tensor<T>& a : lying(whole)) {
      const auto [permutation, l, u] = lu(a);
      for (std::int64_t i = 0; i < 3; ++i) {
        const Tensor<T> exchanged = take(a(i, all, all), permutation(i, all), 0);
        CHECK(residual<T>(l(i, all, all), u(i, all, all), exchanged) < 10);
      }
      CHECK(max(abs(l)).item() == T(1));
      CHECK(all(diagonal(l) == T(1)).item());
      CHECK(max(abs(triu(l, 1))).item() == T(0));
      CHECK(max(abs(tril(u, -1))).item() == T(0));
      const auto [sign, logarithm] = slogdet(a);
      const Tensor<T> magnitude = sum(log(abs(diagonal(u))), -1);
      CHECK(allclose(logarithm, magnitude, {.relative = 1e-3, .absolute = 1e-3 * static_cast<double>(n)}).item());
      if (n < 40) CHECK(allclose(det(a), sign * exp(logarithm), {.relative = 1e-3, .absolute = 0.0}).item());
    }
  }
  for (const Shape& shape : {Shape{2, 5, 3}, Shape{2, 3, 5}, Shape{2, 40, 7}, Shape{2, 7, 40}}) {
    const Tensor<T> a = random<T>(shape);
    const auto [permutation, l, u] = lu(a);
    for (std::int64_t i = 0; i < 2; ++i) {
      const Tensor<T> exchanged = take(a(i, all, all), permutation(i, all), 0);
      CHECK(residual<T>(l(i, all, all), u(i, all, all), exchanged) < 10);
    }
  }
}

TEST_CASE("determinants of matrices that are special") {
  Tensor<double> a = broadcast_to(eye<double>(3), {2, 3, 3});
  a.at(1, 2, 2) = 0.0;
  a.at(1, 0, 0) = std::numeric_limits<double>::infinity();
  CHECK(det(a)(1) == 0);
  CHECK(slogdet(a).sign(1) == 0);
  CHECK(slogdet(a).logabsdet(1) == -std::numeric_limits<double>::infinity());
  CHECK(det(zeros<double>({2, 0, 0}))(1) == 1);
  CHECK(slogdet(zeros<double>({0, 0})).sign.item() == 1);
  CHECK(slogdet(zeros<double>({0, 0})).logabsdet.item() == 0);
  CHECK(det(zeros<double>({0, 3, 3})).shape() == Shape{0});
  CHECK(slogdet(full({3, 3}, std::numeric_limits<double>::quiet_NaN())).sign.item() != 0);
  const auto [permutation, l, u] = lu(zeros<double>({2, 3, 0}));
  CHECK(permutation(1, 2) == 2);
  CHECK(l.shape() == Shape{2, 3, 0});
  CHECK(u.shape() == Shape{2, 0, 0});
  CHECK(lu(zeros<double>({3, 3})).u(0, 0) == 0);
}

TEST_CASE("powers and exponentials") {
  const Tensor<double> a = random<double>({2, 3, 3});
  CHECK(all(matrix_power(a, 0) == eye<double>(3)).item());
  CHECK(all(matrix_power(a, 1) == a).item());
  Tensor<double> product = a;
  for (std::int64_t n = 2; n < 12; ++n) {
    product = matmul(product, a);
    CHECK(allclose(matrix_power(a, n), product, {.relative = 1e-12, .absolute = 1e-12}).item());
  }
  const Tensor<double> one = matmul(matrix_power(a, -2), matmul(a, a));
  CHECK(allclose(one, eye<double>(3), {.relative = 1e-9, .absolute = 1e-9}).item());
  CHECK_THROWS_WITH_AS((void)matrix_power(zeros<double>({2, 2}), -1),
                       doctest::Contains("matrix_power: the matrix is singular"), LinAlgError);

  CHECK(all(expm(zeros({2, 4, 4})) == eye(4)).item());
  for (const double angle : {0.1, 3.0, 1000.0}) {  // a rotation, whatever the scaling
    const Tensor<double> turned = expm(tensor({{0.0, -angle}, {angle, 0.0}}));
    const Tensor<double> expected = tensor({{std::cos(angle), -std::sin(angle)}, {std::sin(angle), std::cos(angle)}});
    CHECK(allclose(turned, expected, {.relative = 1e-11, .absolute = 1e-11}).item());
    CHECK(allclose(expm(tensor({{angle / 100}})), std::exp(angle / 100), {.relative = 1e-13, .absolute = 0.0}).item());
  }
  CHECK(allclose(matmul(expm(a), expm(-a)), eye<double>(3), {.relative = 1e-12, .absolute = 1e-12}).item());
  CHECK(std::isnan(expm(full({2, 2}, std::numeric_limits<double>::infinity()))(0, 0)));
  CHECK(expm(zeros({0, 3, 3})).shape() == Shape{0, 3, 3});
}

TEST_CASE("kron and cross") {
  const Tensor a = tensor({{1, 2}, {3, 4}});
  CHECK(all(kron(a, tensor({{0, 5}, {6, 7}})) ==
            tensor({{0, 5, 0, 10}, {6, 7, 12, 14}, {0, 15, 0, 20}, {18, 21, 24, 28}})).item());
  CHECK(all(kron(tensor({1, 2}), tensor({1, 10, 100})) == tensor({1, 10, 100, 2, 20, 200})).item());
  CHECK(all(kron(tensor({1, 10}), a) == tensor({{1, 2, 10, 20}, {3, 4, 30, 40}})).item());
  CHECK(kron(zeros({2, 0}), zeros({3, 3})).shape() == Shape{6, 0});
  CHECK(kron(zeros({1, 1, 2, 2, 2}), zeros({3, 3, 1, 2, 2})).shape() == Shape{3, 3, 2, 4, 4});
  CHECK_THROWS_AS((void)kron(zeros({2, 2, 2, 2, 2}), zeros({2, 2, 2, 2, 2})), ShapeError);
  CHECK(all(cross(tensor({1, 0, 0}), tensor({0, 1, 0})) == tensor({0, 0, 1})).item());
  const Tensor<double> x = random<double>({4, 3}), y = random<double>({2, 1, 3}, 9);
  const Tensor<double> z = cross(x, y);
  CHECK(z.shape() == Shape{2, 4, 3});
  CHECK(max(abs(sum(z * x, -1))).item() < 1e-14);
  CHECK(max(abs(sum(z * y, -1))).item() < 1e-14);
  CHECK(all(cross(transpose(x), transpose(x) * 2.0, 0) == 0.0).item());
  CHECK_THROWS_WITH_AS((void)cross(zeros({2, 3}), zeros({3}), 0), doctest::Contains("both need 3 elements"),
                       ShapeError);
}

TEST_CASE("gradients") {
  const Tensor<double> a = random<double>({2, 3, 3}) + 2.0 * eye<double>(3);
  gradient_check::check([](const auto& x, const auto& y) { return solve(x, y); }, a, random<double>({2, 3, 2}, 3));
  gradient_check::check([](const auto& x, const auto& y) { return solve(x * 2.0, y); }, a, random<double>({3}, 3));
  const Tensor<double> one = a(0, all, all);
  gradient_check::check([](const auto& x, const auto& y) { return solve(x, y); }, one, random<double>({2, 3, 2}, 3));
  gradient_check::check([](const auto& x) { return inv(x); }, a);

  const auto of_symmetric = [](const auto& x) { return cholesky((x + transpose(x)) * 0.5 + 4.0 * eye<double>(3)); };
  gradient_check::check(of_symmetric, a);
  const Tensor<double> b = random<double>({2, 3, 2}, 3);
  gradient_check::check([](const auto& x, const auto& y) { return cholesky_solve(x, y); }, a, b);
  for (const Triangle triangle : {Triangle::lower, Triangle::upper}) {
    for (const UnitDiagonal unit : {UnitDiagonal::no, UnitDiagonal::yes}) {
      const auto solved = [&](const auto& x, const auto& y) { return solve_triangular(x, y, triangle, unit); };
      gradient_check::check(solved, a, b);
      gradient_check::check(solved, one, b);
    }
  }

  gradient_check::check([](const auto& x) { return det(x); }, a);
  const Tensor<double> singular = tensor({{1.0, 2.0, 0.0}, {2.0, 4.0, 0.0}, {1.0, 0.0, 3.0}});
  for (const Tensor<double>& x : {singular, zeros<double>({3, 3}), zeros<double>({1, 1})}) {
    gradient_check::check([](const auto& y) { return det(y); }, x);
  }
  gradient_check::check([](const auto& x) { return slogdet(x).logabsdet; }, a);
  gradient_check::check([](const auto& x) { return slogdet(x).sign + slogdet(x * 2.0).logabsdet; }, a);
  gradient_check::check([](const auto& x) { return matrix_power(x, 5); }, a);
  gradient_check::check([](const auto& x) { return matrix_power(x, -3); }, a);
  gradient_check::check([](const auto& x) { return expm(x); }, a * 4.0);
  gradient_check::check([](const auto& x, const auto& y) { return kron(x, y); }, one, a);
  gradient_check::check([](const auto& x, const auto& y) { return cross(x, y); }, one, a);
}
