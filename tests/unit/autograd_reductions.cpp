// SPDX-License-Identifier: Apache-2.0
// Gradients of reductions and scans, against differences and analytic values: axes, keepdims, ties, zeros, nothing.
// labels: gradients
#include <doctest/doctest.h>

#include <cmath>
#include <cstdint>
#include <limits>

#include <situ/autograd.hpp>

#include "gradient_check.hpp"

namespace {

using namespace situ;
using gradient_check::check;
using gradient_check::elements;
using gradient_check::numbers;

const Tensor<double> x = numbers({2, 3, 4}, 0.3, 1.7);
const Tensor<double> row = numbers({4}, 0.5, 2, 3);

TEST_CASE("sum and mean, of variables and of expressions") {
  check([](const auto& v) { return sum(v); }, x);
  check([](const auto& v) { return sum(v, 1); }, x);
  check([](const auto& v) { return sum(v, {0, -1}, keepdims); }, x);
  check([](const auto& v) { return mean(v, 2); }, x);
  check([](const auto& v, const auto& w) { return sum(exp(v * w), {0, 1}); }, x, row);
  check([](const auto& v, const auto& w) { return mean(square(v - w)); }, x, row);
  check([](const auto& v, const auto& w) { return mean(v / w, 0, keepdims); }, x, row);
  check([](const auto& v) { return sum(v); }, numbers({}));
}

TEST_CASE("prod, with and without zeros") {
  check([](const auto& v) { return prod(v); }, x);
  check([](const auto& v) { return prod(v, 1); }, x);
  check([](const auto& v) { return prod(v, {0, 2}, keepdims); }, x);
  check([](const auto& v) { return prod(v, 1); }, tensor({{0., 2., 3.}, {1., 0., 0.}, {4., 5., 6.}}));
  check([](const auto& v) { return prod(v); }, numbers({1}));
}

TEST_CASE("var, stddev and norms") {
  check([](const auto& v) { return var(v); }, x);
  check([](const auto& v) { return var(v, 1, Ddof{1}); }, x);
  check([](const auto& v) { return stddev(v, {0, 2}); }, x);
  check([](const auto& v) { return stddev(v, 2, keepdims, Ddof{1}); }, x);
  check([](const auto& v) { return norm(v); }, x);
  check([](const auto& v) { return norm(v, {0}) * var(v, {0}) * stddev(v, {0}); }, x);
  check([](const auto& v) { return norm(v, {1}, NormOrder{1}); }, x);
  check([](const auto& v) { return norm(v, NormOrder{std::numeric_limits<double>::infinity()}); }, x);
}

TEST_CASE("min, max and logsumexp") {
  check([](const auto& v) { return min(v); }, x);
  check([](const auto& v) { return max(v, 1); }, x);
  check([](const auto& v) { return max(v * v, {0, 2}, keepdims); }, x);
  check([](const auto& v) { return logsumexp(v); }, x);
  check([](const auto& v) { return logsumexp(v, 1); }, x);
  check([](const auto& v) { return logsumexp(v, {1, 2}, keepdims); }, x);
}

TEST_CASE("scans") {
  const ScanOptions both{.exclusive = true, .reverse = true};
  check([&](const auto& v) { return cumsum(v, 1, both) * cumprod(v, 0, {.exclusive = true}); }, numbers({3, 4}));
  check([](const auto& v) { return cumsum(v, 1); }, x);
  check([](const auto& v) { return cumsum(v); }, numbers({5}));
  check([](const auto& v) { return cumprod(v, 2); }, x);
  check([](const auto& v) { return cumprod(v); }, tensor({2., 0.5, 0., 3., 4.}));
  check([](const auto& v) { return cumprod(v, 1); }, tensor({{0., 2., 3.}, {1., 0., 0.}, {4., 5., 6.}}));
}

TEST_CASE("equal elements share the gradient of a minimum or maximum") {
  const Variable v(tensor({{3., 1., 3.}, {2., 2., 2.}}));
  CHECK(elements(backward(sum(max(v, 1)))[v]) == std::vector<double>{0.5, 0, 0.5, 1. / 3, 1. / 3, 1. / 3});
  CHECK(elements(backward(min(v))[v]) == std::vector<double>{0, 1, 0, 0, 0, 0});
}

TEST_CASE("where a root has no derivative, the gradient is 0") {
  const Variable v(zeros<double>({3}));
  CHECK(elements(backward(norm(v))[v]) == std::vector<double>{0, 0, 0});
  CHECK(elements(backward(stddev(v))[v]) == std::vector<double>{0, 0, 0});
}

TEST_CASE("logsumexp of minus infinities has no gradient but 0") {
  const double low = -std::numeric_limits<double>::infinity();
  const Variable v(tensor({{low, low}, {0., low}}));
  CHECK(elements(backward(sum(logsumexp(v, 1)))[v]) == std::vector<double>{0, 0, 1, 0});
}

TEST_CASE("no elements") {
  const Variable v(zeros<double>({0, 3}));
  CHECK(backward(sum(v))[v].shape() == Shape{0, 3});
  CHECK(backward(prod(v))[v].shape() == Shape{0, 3});
  CHECK(backward(sum(sum(v, 0)))[v].shape() == Shape{0, 3});
  CHECK(backward(sum(cumsum(v, 1)))[v].shape() == Shape{0, 3});
}

TEST_CASE("positions are tensors") {
  const Variable v(tensor({{3., 1., 2.}, {2., 5., 4.}}));
  static_assert(std::same_as<decltype(argmax(v, 1)), Tensor<std::int64_t>>);
  CHECK(argmax(v, 1)(1) == 1);
  CHECK(argmin(v * 2).item() == 1);
  CHECK(any(v > 4).item());
  CHECK(!all(v > 4).item());
}

TEST_CASE("float and 16-bit floats") {
  const Variable v(tensor({1.f, 2.f, 3.f}));
  CHECK(backward(mean(v * v))[v](2) == doctest::Approx(2.0));
  const Variable h(Tensor<float16>(cast<float16>(v.value())));
  const Tensor<float16> g = backward(sum(h * h))[h];
  CHECK(static_cast<float>(g(1)) == 4.0f);
}

}  // namespace
