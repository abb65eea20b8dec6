// SPDX-License-Identifier: Apache-2.0
// Derivatives of erf and of the activation functions, against their formulas in `long double`; far out, where formulas
// overflow; and at the points where there is none.
// labels: gradients
#include <doctest/doctest.h>

#include <cmath>
#include <cstdint>
#include <limits>
#include <vector>

#include <situ/autograd.hpp>

namespace {

using namespace situ;
using R = long double;

constexpr R pi = 3.14159265358979323846264338327950288L;

R sigmoid_of(R x) { return 1 / (1 + std::exp(-x)); }

template <class T, class F, class Expected>
void check_on(F f, Expected expected, double low, double high, double ulps) {
  const Tensor<T> x = linspace<T>(static_cast<T>(low), static_cast<T>(high), 41);
  const Variable<T> v(x);
  const Gradients gradients = backward(f(v), ones<T>(x.shape()));
  const Tensor<T>& g = gradients[v];
  for (std::int64_t i = 0; i < x.size(); ++i) {
    const R want = expected(static_cast<R>(x(i)));
    CAPTURE(x(i));
    CHECK(std::abs(static_cast<R>(g(i)) - want) <=
          static_cast<R>(ulps) * std::numeric_limits<T>::epsilon() * std::max(1.0L, std::abs(want)));
  }
}
/// Over [-9, 9], and at infinities, where the derivative is `below` and `above`.
template <class F, class Expected>
void check(F f, Expected expected, double below, double above, double ulps = 8) {
  check_on<double>(f, expected, -9, 9, ulps);
  check_on<float>(f, expected, -9, 9, ulps);
  const double infinity = std::numeric_limits<double>::infinity();
  const Variable far(tensor({-infinity, -1e30, 1e30, infinity}));
  const Gradients gradients = backward(f(far), ones<double>({4}));
  const Tensor<double>& g = gradients[far];
  CHECK(g(0) == doctest::Approx(below));
  CHECK(g(1) == doctest::Approx(below));
  CHECK(g(2) == doctest::Approx(above));
  CHECK(g(3) == doctest::Approx(above));
}

TEST_CASE("erf and sigmoid") {
  check([](const auto& x) { return erf(x); }, [](R x) -> R { return 2 / std::sqrt(pi) * std::exp(-x * x); }, 0, 0, 16);
  check([](const auto& x) { return sigmoid(x); }, [](R x) -> R { return sigmoid_of(x) * (1 - sigmoid_of(x)); }, 0, 0);
}

TEST_CASE("rectifiers") {
  check([](const auto& x) { return relu(x); }, [](R x) -> R { return x > 0 ? 1 : 0; }, 0, 1);
  check([](const auto& x) { return leaky_relu(x, 0.25); }, [](R x) -> R { return x > 0 ? 1 : 0.25L; }, 0.25, 1);
  check([](const auto& x) { return elu(x, 0.5); }, [](R x) -> R { return x > 0 ? 1 : 0.5L * std::exp(x); }, 0, 1);
  constexpr R scale = 1.0507009873554804934193349852946L, alpha = 1.6732632423543772848170429916717L;
  check([](const auto& x) { return selu(x); }, [](R x) -> R { return x > 0 ? scale : scale * alpha * std::exp(x); }, 0,
        static_cast<double>(scale));
}

TEST_CASE("smooth activations") {
  check([](const auto& x) { return softplus(x); }, [](R x) -> R { return sigmoid_of(x); }, 0, 1);
  check([](const auto& x) { return silu(x); },
        [](R x) -> R { return sigmoid_of(x) * (1 + x * (1 - sigmoid_of(x))); }, 0, 1);
  check([](const auto& x) { return gelu(x); },
        [](R x) -> R {
          return 0.5L * (1 + std::erf(x / std::sqrt(2.0L))) + x * std::exp(-x * x / 2) / std::sqrt(2 * pi);
        },
        0, 1);
  check([](const auto& x) { return gelu_tanh(x); },
        [](R x) -> R {
          const R k = std::sqrt(2 / pi), t = std::tanh(k * (x + 0.044715L * x * x * x));
          return 0.5L * (1 + t) + 0.5L * x * (1 - t * t) * k * (1 + 3 * 0.044715L * x * x);
        },
        0, 1, 24);
}

TEST_CASE("NaN stays NaN, and the kink of relu has the derivative 0") {
  const Variable v(tensor({std::numeric_limits<double>::quiet_NaN(), 0.0}));
  const Gradients gradients = backward(relu(v) * abs(v), ones<double>({2}));
  CHECK(std::isnan(gradients[v](0)));
  CHECK(backward(relu(v), ones<double>({2}))[v](1) == 0);
  CHECK(backward(abs(v), ones<double>({2}))[v](1) == 0);
}

}  // namespace
