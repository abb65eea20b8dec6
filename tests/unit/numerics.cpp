// SPDX-License-Identifier: Apache-2.0
// Interpolation, covariances, derivatives by differences, and polynomials: gradients, ends, element types, errors. NumPy's
// values are in tests/golden/numerics.
// labels: gradients
#include <doctest/doctest.h>

#include <cmath>
#include <concepts>
#include <cstdint>
#include <limits>

#include <situ/autograd.hpp>
#include <situ/linalg.hpp>
#include <situ/order.hpp>
#include <situ/situ.hpp>

#include "gradient_check.hpp"

namespace {

using namespace situ;
using gradient_check::numbers;

constexpr double none = std::numeric_limits<double>::quiet_NaN();
constexpr double inf = std::numeric_limits<double>::infinity();

double largest_difference(const Tensor<double>& a, const Tensor<double>& b) {
  REQUIRE(a.shape() == b.shape());
  return a.size() == 0 ? 0 : max(abs(a - b)).item();
}

TEST_CASE("interp: gradients by x, points and values, between the points and beside them") {
  const Tensor x = tensor({{-1.0, 0.5, 1.5}, {2.5, 3.5, 4.5}});
  const Tensor xp = tensor({0.0, 1.0, 3.0, 4.0});
  const Tensor fp = tensor({1.0, 2.0, -1.0, 5.0});
  gradient_check::check([](const auto& a, const auto& p, const auto& f) { return interp(a, p, f); }, x, xp, fp);
  gradient_check::check([](const auto& a, const auto& p, const auto& f) { return interp(a, p, f, {.left = 2, .right = 3}); },
                        x, xp, fp);
  // at a point it is the slope to the right, at the last to the left, and beside them 0
  const Variable<double> at(tensor({0.0, 1.0, 4.0, 9.0, none}));
  const Tensor slopes = backward(sum(interp(at, constant(xp), constant(fp)) * tensor({1.0, 1.0, 1.0, 1.0, 0.0})))[at];
  CHECK(array_equal(slopes, tensor({1.0, -1.5, 6.0, 0.0, 0.0})).item());
}

TEST_CASE("interp: ends, one point, equal points, infinities, and shapes that do not fit") {
  const Tensor x = tensor({-1.0, 0.0, 2.0, none});
  const Tensor one = tensor({0.0}), value = tensor({3.0});
  CHECK(largest_difference(interp(x(range(0, 3)), one, value), full<double>({3}, 3)) == 0);
  CHECK(largest_difference(interp(x(range(0, 3)), one, value, {.left = -1, .right = 1}), tensor({-1.0, 3.0, 1.0})) == 0);
  CHECK(std::isnan(interp(x, one, value)(3)));
  // a step: its upper value, as NumPy
  const Tensor steps = tensor({0.0, 1.0, 1.0, 2.0}), levels = tensor({0.0, 0.0, 5.0, 5.0});
  CHECK(largest_difference(interp(tensor({0.9, 1.0, 1.1}), steps, levels), tensor({0.0, 5.0, 5.0})) == 0);
  // infinite values, where a line from one end is NaN
  CHECK(interp(0.0, tensor({0.0, 1.0}), tensor({2.0, inf})).item() == 2);
  CHECK(interp(1.0, tensor({0.0, 1.0}), tensor({2.0, inf})).item() == inf);
  CHECK(interp(5.0, tensor({-inf, inf}), tensor({2.0, 2.0})).item() == 2);
  CHECK(interp(zeros<double>({0, 3}), one, value).shape() == Shape{0, 3});
  static_assert(std::same_as<decltype(interp(0.5, zeros({3}, pinned), zeros({3}, pinned))), Tensor<float, Pinned>>);
  CHECK_THROWS_WITH_AS(static_cast<void>(interp(x, one, x)),
                       doctest::Contains("interp: points of shape (1,) and values of shape (4,)"), ShapeError);
  CHECK_THROWS_AS(static_cast<void>(interp(x, zeros<double>({0}), zeros<double>({0}))), ShapeError);
  CHECK_THROWS_AS(static_cast<void>(interp(x, zeros<double>({2, 2}), zeros<double>({2, 2}))), ShapeError);
}

TEST_CASE("cov and corrcoef: gradients") {
  const Tensor x = numbers({3, 7}), y = numbers({2, 7}, -1, 1, 3);
  gradient_check::check([](const auto& a) { return cov(a); }, x);
  gradient_check::check([](const auto& a) { return cov(a, Ddof{0}); }, x(0, all));
  gradient_check::check([](const auto& a, const auto& b) { return cov(a, b, Ddof{2}); }, x, y);
  // the diagonal is 1 whatever x is; a clamp at 1 makes its gradient 0 or half of nothing
  gradient_check::check([](const auto& a, const auto& b) { return tril(corrcoef(a, b), -1); }, x, y(0, all));
}

TEST_CASE("cov and corrcoef: symmetric, of any rank up to 2, and with few observations") {
  const Tensor x = numbers({37, 501});
  const Tensor c = cov(x);
  CHECK(array_equal(c, transpose(c)).item());
  CHECK(largest_difference(diagonal(c), var(x, 1, Ddof{1})) < 1e-15);
  CHECK(largest_difference(diagonal(cov(x, Ddof{0})), var(x, 1)) < 1e-15);
  CHECK(largest_difference(diagonal(corrcoef(x)), ones<double>({37})) < 1e-15);
  CHECK(max(abs(corrcoef(x, 2.0 * x))).item() <= 1.0);
  CHECK(cov(x(0, all)).item() == doctest::Approx(c(0, 0)));
  CHECK(cov(x(0, all)).shape() == Shape{});
  CHECK(cov(x(0, all), x(1, all)).shape() == Shape{2, 2});
  CHECK(corrcoef(x(0, all)).item() == doctest::Approx(1));
  CHECK(largest_difference(cov(transpose(x), Ddof{0}), cov(contiguous(transpose(x)), Ddof{0})) == 0);
  // a large mean must not hide the deviations, not even of 16-bit floats
  CHECK(cov(eval(x + 1e8))(3, 5) == doctest::Approx(c(3, 5)).epsilon(1e-5));
  const Tensor<float16> half = cast<float16>(100.0 + 10.0 * x);
  const Tensor<double> wide = cov(cast<double>(half));
  CHECK(largest_difference(cast<double>(cov(half)), cast<double>(cast<float16>(wide))) < 0.05);
  CHECK(std::isnan(cov(ones<double>({2, 1}))(0, 1)));
  CHECK(std::isnan(cov(ones<double>({2, 0}))(0, 1)));
  CHECK(std::isnan(corrcoef(ones<double>({5})).item()));
  CHECK(cov(zeros<double>({0, 4})).shape() == Shape{0, 0});
  CHECK_THROWS_WITH_AS(static_cast<void>(cov(zeros({2, 3, 4}))), doctest::Contains("cov: shape (2, 3, 4)"), ShapeError);
  CHECK_THROWS_WITH_AS(static_cast<void>(corrcoef(zeros({}))), doctest::Contains("corrcoef: shape ()"), ShapeError);
  CHECK_THROWS_WITH_AS(static_cast<void>(cov(zeros({3, 4}), zeros({5}))), doctest::Contains("numbers of observations"),
                       ShapeError);
}

TEST_CASE("gradient: gradients, exactness, and what is refused") {
  const Tensor x = numbers({4, 5});
  const Tensor places = tensor({0.0, 0.5, 2.0, 2.25});
  gradient_check::check([](const auto& a) { return gradient(a); }, x);
  gradient_check::check([](const auto& a) { return gradient(a, {.spacing = 0.25, .axis = 0, .edge_order = 2}); }, x);
  gradient_check::check([](const auto& a, const auto& b) { return gradient(a, b, {.axis = 0}); }, x, places);
  gradient_check::check([](const auto& a, const auto& b) { return gradient(a, b, {.axis = 0, .edge_order = 2}); }, x, places);
  // exact for lines, with edge_order 2 for parabolas
  const Tensor<double> t = eval(square(arange<double>(9)) * 0.125 + arange<double>(9));
  const auto parabola = [&](const Tensor<double>& s) { return eval(3.0 * s * s - 2.0 * s + 1.0); };
  CHECK(largest_difference(gradient(parabola(t), t, {.edge_order = 2}), 6.0 * t - 2.0) < 1e-12);
  CHECK(largest_difference(gradient(eval(3.0 * t), t), full<double>({9}, 3)) < 1e-14);
  const Tensor<double> s = arange<double>(0, 3, 0.5);
  CHECK(largest_difference(gradient(parabola(s), {.spacing = 0.5, .edge_order = 2}), 6.0 * s - 2.0) < 1e-13);
  CHECK(largest_difference(gradient(parabola(s), s, {.edge_order = 2}), gradient(parabola(s), {.spacing = 0.5, .edge_order = 2})) < 1e-13);
  CHECK(gradient(tensor({1.f, 3.f})).shape() == Shape{2});
  CHECK(gradient(zeros<float16>({0, 3})).shape() == Shape{0, 3});
  CHECK_THROWS_WITH_AS(static_cast<void>(gradient(tensor({1.f}))), doctest::Contains("fewer than 2 positions"), ShapeError);
  CHECK_THROWS_WITH_AS(static_cast<void>(gradient(tensor({1.f, 2.f}), {.edge_order = 2})),
                       doctest::Contains("gradient: axis 0 of shape (2,) has fewer than 3 positions"), ShapeError);
  CHECK_THROWS_WITH_AS(static_cast<void>(gradient(x, {.edge_order = 3})), doctest::Contains("it can be 1 or 2"), ValueError);
  CHECK_THROWS_AS(static_cast<void>(gradient(x, {.axis = 2})), IndexError);
  CHECK_THROWS_AS(static_cast<void>(gradient(zeros({}))), IndexError);
  CHECK_THROWS_WITH_AS(static_cast<void>(gradient(x, places)), doctest::Contains("it takes a vector of 5"), ShapeError);
}

TEST_CASE("polyfit and polyval: gradients") {
  const Tensor x = tensor({-1.0, 0.5, 1.5, 2.0, 3.0}), y = numbers({5}), several = numbers({5, 2});
  gradient_check::check([](const auto& a, const auto& b) { return polyfit(a, b, 2); }, x, y);
  gradient_check::check([](const auto& a, const auto& b) { return polyfit(a, b, 1); }, x, several);
  gradient_check::check([](const auto& p, const auto& a) { return polyval(p, a); }, numbers({4}), numbers({2, 3}));
}

TEST_CASE("polyfit and polyval of constants are constants") {
  const Tensor<double> p = tensor({1.0, 2.0}), x = tensor({1.0, 3.0, 4.0});
  CHECK(!polyval(constant(p), constant(x)).records());
  CHECK(!polyval(p, constant(x)).records());
  CHECK(!polyval(constant(empty<double>({0})), constant(x)).records());
  CHECK(!polyfit(constant(x), x * 2, 0).records());
  const Variable at{x};
  const Gradients found = backward(sum(polyval(p, at)));
  CHECK(found.size() == 1);
  CHECK(found[at](0) == 1.0);
  const Variable coefficients{p};
  CHECK(backward(sum(polyval(coefficients, x))).size() == 1);
}

TEST_CASE("polyfit finds the polynomial that the points are on, and large x do not overflow") {
  const Tensor p = tensor({2.0, -3.0, 0.5, 7.0});
  const Tensor x = arange<double>(-4, 5);
  CHECK(largest_difference(polyfit(x, polyval(p, x), 3), p) < 1e-12);
  CHECK(largest_difference(polyfit(x, polyval(p, x), 5)(range(2, 6)), p) < 1e-11);
  const Tensor both = stack(polyval(p, x), 2.0 * polyval(p, x), 1);
  CHECK(largest_difference(polyfit(x, both, 3), stack(p, 2.0 * p, 1)) < 1e-12);
  // x^7 is above the largest float
  const Tensor<float> far = eval(cast<float>(x) * 1e6f);
  CHECK(max(abs(polyval(polyfit(far, cast<float>(x), 7), far) - cast<float>(x))).item() < 1e-3f);
  CHECK(polyfit(zeros<double>({3}), tensor({1.0, 2.0, 6.0}), 0).item() == doctest::Approx(3));
  CHECK(polyfit(x, zeros<double>({9, 0}), 2).shape() == Shape{3, 0});
  CHECK_THROWS_AS(static_cast<void>(polyfit(zeros<double>({3}), tensor({1.0, 2.0, 6.0}), 1)), LinAlgError);
  CHECK(polyval(tensor({1, 0, -2}), tensor({3, 4}))(1) == 14);
  CHECK(polyval(p, 2.0).item() == 12.0);
  CHECK(polyval(tensor({5.f}), tensor({1e38f, std::numeric_limits<float>::infinity()}))(1) == 5);
  CHECK(polyval(zeros<double>({0}), x).shape() == Shape{9});
  CHECK_THROWS_WITH_AS(static_cast<void>(polyfit(tensor({1.0, 1.0, 1.0}), tensor({1.0, 2.0, 3.0}), 1)),
                       doctest::Contains("polyfit: the 3 points do not determine a polynomial of degree 1"), LinAlgError);
  CHECK_THROWS_WITH_AS(static_cast<void>(polyfit(x, x, 9)), doctest::Contains("polyfit: 9 points do not determine"), ShapeError);
  CHECK_THROWS_AS(static_cast<void>(polyfit(x, x(range(0, 8)), 1)), ShapeError);
  CHECK_THROWS_AS(static_cast<void>(polyfit(x, x, -1)), ValueError);
  CHECK_THROWS_AS(static_cast<void>(polyval(zeros({2, 2}), zeros({2}))), ShapeError);
}

}  // namespace
