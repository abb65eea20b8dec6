// SPDX-License-Identifier: Apache-2.0
// Gradients of the functions of several operands, against differences: all pairs of broadcast shapes, scalars, tensors
// among variables, ties, element types; user's functors.
// labels: gradients
#include <doctest/doctest.h>

#include <cmath>
#include <cstdint>
#include <string>

#include <situ/autograd.hpp>

#include "../functions.hpp"
#include "gradient_check.hpp"

namespace {

using namespace situ;
using gradient_check::check;
using gradient_check::elements;
using gradient_check::numbers;

const Tensor<double> a = numbers({2, 3, 4}, 0.4, 1.9, 1);
const Tensor<double> b = numbers({2, 3, 4}, 2.1, 2.9, 2);

/// Rows that have derivatives, against differences.
constexpr auto check_family = [](const auto&... row) {
  const auto one = []<class Row>(const Row& r) {
    CAPTURE(std::string(r.name));
    if constexpr (Row::differentiable) {
      check(r.call, numbers({2, 3, 4}, r.left.low, r.left.high), numbers({2, 3, 4}, r.right.low, r.right.high, 1));
    }
  };
  (one(row), ...);
};

TEST_CASE("operators") { function_table::operators(check_family); }

TEST_CASE("functions") { function_table::functions_of_two(check_family); }

TEST_CASE("operands that are broadcast, in every pattern") {
  for (const Shape& shape : {Shape{}, Shape{1}, Shape{4}, Shape{3, 1}, Shape{3, 4}, Shape{1, 1, 4}, Shape{2, 1, 1},
                             Shape{2, 1, 4}, Shape{1, 3, 1}, Shape{2, 3, 4}}) {
    CAPTURE(shape.to_string());
    check([](const auto& x, const auto& y) { return x * y + x / y; }, a, numbers(shape, 1, 2));
    check([](const auto& x, const auto& y) { return y - x; }, a, numbers(shape, 1, 2));
  }
  check([](const auto& x, const auto& y) { return x * y; }, numbers({3, 1}), numbers({1, 4}));
}

TEST_CASE("views as operands") {
  check([](const auto& x, const auto& y) { return x * transpose(y); }, numbers({3, 4}), numbers({4, 3}));
  check([](const auto& x) { return x(all, 1) * x(all, range(0, 2)); }, numbers({2, 2}));
  check([](const auto& x) { return exp(x(0, newaxis) * x(1, all, newaxis)); }, numbers({2, 3}));
}

TEST_CASE("where and clamp") {
  check([](const auto& x, const auto& y) { return where(x > 1, x * x, y); }, a, b);
  check([](const auto& x, const auto& y) { return where(y > 2.5, 3.0, x * y); }, a, b);
  check([](const auto& x, const auto& low) { return clamp(x, low, 1.5); }, a, numbers({4}, 0.8, 1));
  check([](const auto& x, const auto& high) { return clamp(x, 0.8, high); }, a, numbers({3, 1}, 1.3, 1.6));
}

TEST_CASE("ties") {
  const Variable x(tensor({1., 2.})), y(tensor({1., 3.}));
  const Gradients low = backward(sum(minimum(x, y)));
  CHECK(elements(low[x]) == std::vector<double>{0.5, 1});
  CHECK(elements(low[y]) == std::vector<double>{0.5, 0});
  const Gradients high = backward(sum(maximum(x, y)));
  CHECK(elements(high[x]) == std::vector<double>{0.5, 0});
  CHECK(elements(high[y]) == std::vector<double>{0.5, 1});
  CHECK(elements(backward(sum(clamp(x, 1, 2)))[x]) == std::vector<double>{1, 1});
}

TEST_CASE("powers of 0 and to the 0") {
  const Variable x(tensor({0., 0., 2.})), y(tensor({0., 2., 0.}));
  const Gradients gradients = backward(sum(pow(x, y)));
  CHECK(elements(gradients[x]) == std::vector<double>{0, 0, 0});
  CHECK(gradients[y](0) == 0);  // of 0^0, as PyTorch has it
  CHECK(gradients[y](1) == 0);
  CHECK(gradients[y](2) == doctest::Approx(std::log(2.0)));
  CHECK(elements(backward(sum(pow(x, 2)))[x]) == std::vector<double>{0, 0, 4});
}

TEST_CASE("a variable in several places, and a tensor among them") {
  const Tensor<double> t = numbers({4}, 1, 2);
  check([&t](const auto& x) { return x * x * t - x / (x + t); }, a);
  const Variable x(tensor({3.}));
  CHECK(backward(x * x * x)[x](0) == doctest::Approx(27));
}

struct Cube {
  double operator()(double v) const noexcept { return v * v * v; }
  double derivative(double g, double v) const noexcept { return g * 3 * v * v; }
};
struct Mix {
  double rate;
  double operator()(double u, double v) const noexcept { return rate * u * v + u; }
  template <std::size_t At>
  double derivative(double g, double u, double v) const noexcept {
    return g * (At == 0 ? rate * v + 1 : rate * u);
  }
};
struct Root {
  double operator()(double v) const noexcept { return std::sqrt(v); }
  template <std::size_t At>
  static constexpr unsigned derivative_reads = internal::functional::reads::result;
  template <std::size_t At>
  double derivative(double g, double y) const noexcept {
    return g / (2 * y);
  }
};
/// No derivative is needed of what has no gradient.
struct Above {
  bool operator()(double v) const noexcept { return v > 1; }
};

TEST_CASE("functors of the user") {
  check([](const auto& x) { return map(Cube{}, x); }, a);
  check([](const auto& x, const auto& y) { return map(Mix{0.3}, x * y, sin(y)) * x; }, a, b);
  check([](const auto& x) { return map(Root{}, x) + exp(map(Root{}, x + 1)); }, a);
  check([](const auto& x, const auto& y) { return map(Mix{0.3}, map(Cube{}, x), y); }, a, numbers({4}));
  check([](const auto& x) { return where(map(Above{}, x), x * x, 0.5 * x); }, a);
}

TEST_CASE("element types that change on the way") {
  const Variable x(tensor({0.5f, 2.25f, -3.f}));
  const Variable<double> y = cast<double>(x * 2) * tensor({1., 2., 3.});
  const Tensor<float> g = backward(sum(y))[x];
  CHECK(g(0) == 2.f);
  CHECK(g(2) == 6.f);
  const Variable<float> z = cast<float>(cast<std::int64_t>(x)) * x;  // no gradient goes through integers
  CHECK(backward(sum(z))[x](1) == 2.f);
  const Variable<float> h = cast<float>(cast<bfloat16>(x) * bfloat16(3.f)) + x;
  CHECK(backward(sum(h))[x](1) == 4.f);
  static_assert(!Recorded<decltype(cast<std::int64_t>(x))>);
  static_assert(!Recorded<decltype(x > 0)>);
  static_assert(Recorded<decltype(cast<double>(x))>);
}

}  // namespace
