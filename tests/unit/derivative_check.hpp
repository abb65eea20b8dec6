// SPDX-License-Identifier: Apache-2.0
// Derivatives of the rows of functions.hpp, in `double` and `float`, against their formulas in `long double`.
#pragma once

#include <doctest/doctest.h>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <limits>
#include <string>

#include <situ/autograd.hpp>

#include "../functions.hpp"

namespace derivative_check {

using namespace situ;
using R = long double;

/// The gradients of the sum of `f(x)`.
template <class T, class F>
Tensor<T> derivatives(F f, const Tensor<T>& x) {
  const Variable<T> v(x);
  const Gradients gradients = backward(f(v), ones<T>(x.shape()));
  return gradients[v];
}

/// Compares with `expected(long double)` on [low, high], both included; the error may be `ulps` of the largest nearby value.
template <class T, class F, class Expected>
void check_on(F f, Expected expected, function_table::Interval on, double ulps) {
  const Tensor<T> x = linspace<T>(static_cast<T>(on.low), static_cast<T>(on.high), 41);
  const Tensor<T> g = derivatives<T>(f, x);
  for (std::int64_t i = 0; i < x.size(); ++i) {
    const R want = static_cast<R>(expected(static_cast<R>(x(i))));
    CAPTURE(x(i));
    CHECK(std::abs(static_cast<R>(g(i)) - want) <=
          static_cast<R>(ulps) * std::numeric_limits<T>::epsilon() * std::max(1.0L, std::abs(want)));
  }
}
template <class F, class Expected>
void check(F f, Expected expected, function_table::Interval on, double ulps = 8) {
  check_on<double>(f, expected, on, ulps);
  check_on<float>(f, expected, on, ulps);
}

/// Checks the rows of a family that have derivatives.
inline constexpr auto check_family = [](const auto&... row) {
  const auto one = []<class Row>(const Row& r) {
    CAPTURE(std::string(r.name));
    if constexpr (Row::differentiable) check(r.call, r.derivative, r.interval, r.gradient_ulps);
  };
  (one(row), ...);
};

/// The same far out, where formulas overflow: there derivatives have their limits.
inline constexpr auto check_family_far_out = [](const auto&... row) {
  const double infinity = std::numeric_limits<double>::infinity();
  const auto one = [infinity](const auto& r) {
    CAPTURE(std::string(r.name));
    const Tensor<double> g = derivatives<double>(r.call, tensor({-infinity, -1e30, 1e30, infinity}));
    const double below = static_cast<double>(r.derivative(R(-1000))), above = static_cast<double>(r.derivative(R(1000)));
    CHECK(g(0) == doctest::Approx(below));
    CHECK(g(1) == doctest::Approx(below));
    CHECK(g(2) == doctest::Approx(above));
    CHECK(g(3) == doctest::Approx(above));
  };
  (one(row), ...);
};

}  // namespace derivative_check
