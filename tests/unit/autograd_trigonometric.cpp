// SPDX-License-Identifier: Apache-2.0
// Derivatives of trigonometric and hyperbolic functions, against their formulas in `long double`, in `double` and `float`.
// labels: gradients
#include <doctest/doctest.h>

#include <cmath>
#include <cstdint>
#include <limits>
#include <vector>

#include <situ/autograd.hpp>

namespace {

using namespace situ;

/// Points of [low, high], both included.
template <class T>
Tensor<T> points(double low, double high) {
  return linspace<T>(static_cast<T>(low), static_cast<T>(high), 37);
}

/// Compares the derivative of `f` with `expected(long double)`; the error may be `ulps` of the largest nearby value.
template <class T, class F, class Expected>
void check_on(F f, Expected expected, double low, double high, double ulps) {
  const Tensor<T> x = points<T>(low, high);
  const Variable<T> v(x);
  const Gradients gradients = backward(f(v), ones<T>(x.shape()));
  const Tensor<T>& g = gradients[v];
  for (std::int64_t i = 0; i < x.size(); ++i) {
    const long double want = expected(static_cast<long double>(x(i)));
    CAPTURE(x(i));
    CHECK(std::abs(static_cast<long double>(g(i)) - want) <=
          static_cast<long double>(ulps) * std::numeric_limits<T>::epsilon() * std::max(1.0L, std::abs(want)));
  }
}
template <class F, class Expected>
void check(F f, Expected expected, double low, double high, double ulps = 8) {
  check_on<double>(f, expected, low, high, ulps);
  check_on<float>(f, expected, low, high, ulps);
}

using R = long double;

TEST_CASE("trigonometry") {
  check([](const auto& x) { return sin(x); }, [](R x) -> R { return std::cos(x); }, -4, 4);
  check([](const auto& x) { return cos(x); }, [](R x) -> R { return -std::sin(x); }, -4, 4);
  check([](const auto& x) { return tan(x); }, [](R x) -> R { return 1 + std::tan(x) * std::tan(x); }, -1.3, 1.3, 16);
  check([](const auto& x) { return asin(x); }, [](R x) -> R { return 1 / std::sqrt(1 - x * x); }, -0.9, 0.9);
  check([](const auto& x) { return acos(x); }, [](R x) -> R { return -1 / std::sqrt(1 - x * x); }, -0.9, 0.9);
  check([](const auto& x) { return atan(x); }, [](R x) -> R { return 1 / (1 + x * x); }, -9, 9);
}

TEST_CASE("hyperbolic functions") {
  check([](const auto& x) { return sinh(x); }, [](R x) -> R { return std::cosh(x); }, -5, 5);
  check([](const auto& x) { return cosh(x); }, [](R x) -> R { return std::sinh(x); }, -5, 5);
  check([](const auto& x) { return tanh(x); }, [](R x) -> R { return 1 / (std::cosh(x) * std::cosh(x)); }, -9, 9);
  check([](const auto& x) { return asinh(x); }, [](R x) -> R { return 1 / std::sqrt(x * x + 1); }, -9, 9);
  check([](const auto& x) { return acosh(x); }, [](R x) -> R { return 1 / std::sqrt(x * x - 1); }, 1.25, 9);
  check([](const auto& x) { return atanh(x); }, [](R x) -> R { return 1 / (1 - x * x); }, -0.9, 0.9);
}

}  // namespace
