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

#include "gradient_check.hpp"

using namespace situ;
using gradient_check::numbers;

namespace {

/// On both sides of each path: the sizes known to the compiler, small ones, those in blocks.
constexpr std::int64_t sizes[] = {1, 2, 3, 4, 5, 8, 9, 16, 31, 32, 33, 70, 130};

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
  CHECK_THROWS_WITH_AS((void)solve(one, zeros<double>({2, 1})), doctest::Contains("solve: shapes (3, 3) and (2, 1) do not fit"),
                       ShapeError);
  CHECK_THROWS_WITH_AS((void)inv(zeros<double>({3, 2})), doctest::Contains("inv: the matrices of shape (3, 2) are not square"),
                       ShapeError);
}

TEST_CASE("a singular matrix of a batch is named") {
  for (const std::int64_t n : {3, 20, 40}) {
    CAPTURE(n);
    Tensor<float> a = broadcast_to(eye(n), {50, n, n});
    a.at(17, n - 1, n - 1) = 0.0f;
    a.at(30, 0, 0) = 0.0f;
    const std::string wanted = "matrix 17 of 50 is singular: pivot " + std::to_string(n) + " is 0";
    CHECK_THROWS_WITH_AS((void)inv(a), doctest::Contains(("inv: " + wanted).c_str()), LinAlgError);
    CHECK_THROWS_WITH_AS((void)solve(a, ones({n})), doctest::Contains(("solve: " + wanted).c_str()), LinAlgError);
  }
}

TEST_CASE("gradients of solve and inv") {
  const Tensor<double> a = random<double>({2, 3, 3}) + 2.0 * eye<double>(3);
  gradient_check::check([](const auto& x, const auto& y) { return solve(x, y); }, a, random<double>({2, 3, 2}, 3));
  gradient_check::check([](const auto& x, const auto& y) { return solve(x * 2.0, y); }, a, random<double>({3}, 3));
  const Tensor<double> one = a(0, all, all);
  gradient_check::check([](const auto& x, const auto& y) { return solve(x, y); }, one, random<double>({2, 3, 2}, 3));
  gradient_check::check([](const auto& x) { return inv(x); }, a);
}
