// SPDX-License-Identifier: Apache-2.0
// Derivatives of the functions of one operand, against their formulas in `long double`, in `double` and `float`.
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

TEST_CASE("arithmetic") {
  check([](const auto& x) { return -x; }, [](R) -> R { return -1; }, -3, 3);
  check([](const auto& x) { return square(x); }, [](R x) -> R { return 2 * x; }, -3, 3);
  check([](const auto& x) { return abs(x); }, [](R x) -> R { return x > 0 ? 1 : x < 0 ? -1 : 0; }, -3, 3);
  check([](const auto& x) { return x + 1; }, [](R) -> R { return 1; }, -3, 3);
  check([](const auto& x) { return 2 - x; }, [](R) -> R { return -1; }, -3, 3);
  check([](const auto& x) { return x * x; }, [](R x) -> R { return 2 * x; }, -3, 3);
  check([](const auto& x) { return 1 / x; }, [](R x) -> R { return -1 / (x * x); }, 0.5, 3);
}

TEST_CASE("steps have the derivative 0") {
  const auto zero = [](R) -> R { return 0; };
  check([](const auto& x) { return floor(x); }, zero, -3, 3);
  check([](const auto& x) { return ceil(x); }, zero, -3, 3);
  check([](const auto& x) { return trunc(x); }, zero, -3, 3);
  check([](const auto& x) { return round(x); }, zero, -3, 3);
  check([](const auto& x) { return sign(x); }, zero, -3, 3);
}

TEST_CASE("roots, exponentials and logarithms") {
  check([](const auto& x) { return sqrt(x); }, [](R x) -> R { return 0.5L / std::sqrt(x); }, 0.1, 9);
  check([](const auto& x) { return rsqrt(x); }, [](R x) -> R { return -0.5L / (x * std::sqrt(x)); }, 0.1, 9, 16);
  check([](const auto& x) { return exp(x); }, [](R x) -> R { return std::exp(x); }, -9, 9);
  check([](const auto& x) { return exp2(x); }, [](R x) -> R { return std::exp2(x) * std::log(2.0L); }, -9, 9);
  check([](const auto& x) { return expm1(x); }, [](R x) -> R { return std::exp(x); }, -9, 9);
  check([](const auto& x) { return log(x); }, [](R x) -> R { return 1 / x; }, 0.1, 9);
  check([](const auto& x) { return log1p(x); }, [](R x) -> R { return 1 / (1 + x); }, -0.75, 9);
  check([](const auto& x) { return log2(x); }, [](R x) -> R { return 1 / (x * std::log(2.0L)); }, 0.1, 9);
  check([](const auto& x) { return log10(x); }, [](R x) -> R { return 1 / (x * std::log(10.0L)); }, 0.1, 9);
}

}  // namespace
