// SPDX-License-Identifier: Apache-2.0
// Derivatives of erf and of the activation functions; far out, where formulas overflow; and at the points where there is
// none.
// labels: gradients
#include <algorithm>
#include <cmath>
#include <cstdint>
#include <limits>

#include "../reference.hpp"
#include "derivative_check.hpp"
#include "gradient_check.hpp"

namespace {

using namespace situ;

TEST_CASE("erf and smooth activations") {
  function_table::smooth_activations(derivative_check::check_family);
  function_table::smooth_activations(derivative_check::check_family_far_out);
}

TEST_CASE("rectifiers") {
  function_table::rectifiers(derivative_check::check_family);
  function_table::rectifiers(derivative_check::check_family_far_out);
}

/// A composed activation `f` against a formula of one double, and its gradient against differences.
template <class F, class Formula>
void check_composed(F f, Formula formula) {
  const Tensor<double> x = gradient_check::numbers({3, 4}, -5, 5);
  const Tensor<double> y = f(x);
  for (std::int64_t i = 0; i < 3; ++i) {
    for (std::int64_t j = 0; j < 4; ++j) CHECK(y(i, j) == doctest::Approx(formula(x(i, j))).epsilon(1e-14));
  }
  gradient_check::check(f, x);
  const Tensor<double> far = tensor({-1e300, 1e300, std::nan("")});
  const Tensor<double> limits = f(far);
  for (std::int64_t i = 0; i < 2; ++i) CHECK(limits(i) == doctest::Approx(formula(far(i))));
  CHECK(std::isnan(limits(2)));
}

TEST_CASE("activations made of other functions") {
  check_composed([](const auto& x) { return celu(x); }, [](double x) { return x > 0 ? x : std::expm1(x); });
  check_composed([](const auto& x) { return celu(x, 0.5); }, [](double x) { return x > 0 ? x : 0.5 * std::expm1(2 * x); });
  const auto hardsigmoid_of = [](double x) { return std::clamp(x / 6 + 0.5, 0.0, 1.0); };
  check_composed([](const auto& x) { return hardsigmoid(x); }, hardsigmoid_of);
  check_composed([](const auto& x) { return hardswish(x); }, [&](double x) { return x * hardsigmoid_of(x); });
  check_composed([](const auto& x) { return hardtanh(x); }, [](double x) { return std::clamp(x, -1.0, 1.0); });
  check_composed([](const auto& x) { return hardtanh(x, -2, 0.5); }, [](double x) { return std::clamp(x, -2.0, 0.5); });
  check_composed([](const auto& x) { return mish(x); }, [](double x) { return x < -700 ? 0 : x * std::tanh(x > 700 ? x : std::log1p(std::exp(x))); });
  check_composed([](const auto& x) { return softsign(x); }, [](double x) { return x / (1 + std::abs(x)); });
  check_composed([](const auto& x) { return prelu(x, tensor({0.25})); }, [](double x) { return x > 0 ? x : 0.25 * x; });

  const auto weighted = [](const auto& x, const auto& w) { return prelu(x, w); };
  gradient_check::check(weighted, gradient_check::numbers({2, 3, 2}, -2, 2), gradient_check::numbers({3}));
  const Tensor<double> channels = prelu(full({1, 2, 2}, -1.0), tensor({0.5, 2.0}));
  CHECK(array_equal(channels, tensor({{{-0.5, -0.5}, {-2.0, -2.0}}})).item());
  using reference::message_of;
  CHECK(message_of([] { static_cast<void>(prelu(zeros<double>({2, 3}), zeros<double>({2}))); }) ==
        "prelu: a weight of shape (2,) for x of shape (2, 3); it must have 1 element, or 3, one for each position of axis 1");
  CHECK(message_of([] { static_cast<void>(celu(zeros({2}), 0)); }) == "celu: alpha is 0; it must be above 0");
  CHECK(message_of([] { static_cast<void>(hardtanh(zeros({2}), 1, 0.5)); }) ==
        "hardtanh: the limits are 1 and 0.5; the first must not be above the second");
}

TEST_CASE("NaN stays NaN, and the kink of relu has the derivative 0") {
  const Variable v(tensor({std::numeric_limits<double>::quiet_NaN(), 0.0}));
  const Gradients gradients = backward(relu(v) * abs(v), ones<double>({2}));
  CHECK(std::isnan(gradients[v](0)));
  CHECK(backward(relu(v), ones<double>({2}))[v](1) == 0);
  CHECK(backward(abs(v), ones<double>({2}))[v](1) == 0);
}

}  // namespace
