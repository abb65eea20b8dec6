// SPDX-License-Identifier: Apache-2.0
// erf and the activation functions: errors against long double, tails, special values.
// labels: values
#include <cmath>
#include <cstdint>
#include <limits>
#include <vector>

#include <doctest/doctest.h>

#include <situ/formula/functional/activation.hpp>
#include <situ/formula/math/activation.hpp>
#include <situ/formula/math/error_function.hpp>

#include "math_ulp.hpp"

namespace {

using namespace situ;
using namespace math_test;

const auto error_function = [](auto x) { return internal::math::erf(x); };
const auto sigmoid = [](auto x) { return internal::math::sigmoid(x); };
const auto silu = [](auto x) { return internal::math::silu(x); };
const auto softplus = [](auto x) { return internal::math::softplus(x); };
const auto gelu = [](auto x) { return internal::math::gelu(x); };
const auto gelu_tanh = [](auto x) { return internal::math::gelu_tanh(x); };
const auto selu = [](auto x) { return internal::math::selu(x); };

TEST_CASE_TEMPLATE("erf: error", T, float, double) {
  const auto reference = [](long double x) { return std::erf(x); };
  CHECK(largest_error<T>(error_function, reference, spread<T>(-7, 7, 50000)) < 1.5);
  CHECK(largest_error<T>(error_function, reference, spread_exponents<T>(1e-30, 10, 20000)) < 1.5);
}

TEST_CASE_TEMPLATE("erf: special values", T, float, double) {
  const T infinite = std::numeric_limits<T>::infinity();
  CHECK(identical(internal::math::erf(T(0)), T(0)));
  CHECK(identical(internal::math::erf(T(-0.0)), T(-0.0)));
  CHECK(internal::math::erf(infinite) == T(1));
  CHECK(internal::math::erf(-infinite) == T(-1));
  CHECK(internal::math::erf(T(6)) == T(1));
  CHECK(std::isnan(internal::math::erf(std::numeric_limits<T>::quiet_NaN())));
  CHECK(ulp_error(internal::math::erf(std::numeric_limits<T>::min()),
                  2 / std::sqrt(std::acos(-1.0L)) * std::numeric_limits<T>::min()) <= 1.0);
}

// The references lose digits in the far tails, where exp magnifies the error of its argument; the ranges stop before a
// long double shows it. benchmarks/accuracy.cpp has references for the tails.
TEST_CASE_TEMPLATE("activations: errors", T, float, double) {
  const std::vector<T> wide = spread<T>(-80, 80, 30000), narrow = spread<T>(-6, 6, 50000);
  const auto sigmoid_reference = [](long double x) { return 1 / (1 + std::exp(-x)); };
  const auto silu_reference = [](long double x) { return x / (1 + std::exp(-x)); };
  const auto softplus_reference = [](long double x) { return std::log1p(std::exp(x)); };
  const auto gelu_reference = [](long double x) { return x * std::erfc(-x / std::sqrt(2.0L)) / 2; };
  const auto gelu_tanh_reference = [](long double x) {
    return x / (1 + std::exp(-2 * std::sqrt(2 / std::acos(-1.0L)) * (x + 0.044715L * x * x * x)));
  };
  const auto selu_reference = [](long double x) {
    const long double scale = 1.0507009873554804934193349852946L, alpha = 1.6732632423543772848170429916717L;
    return scale * (x > 0 ? x : alpha * std::expm1(x));
  };
  for (const std::vector<T>& arguments : {wide, narrow}) {
    CHECK(largest_error<T>(sigmoid, sigmoid_reference, arguments) < 2.5);
    CHECK(largest_error<T>(silu, silu_reference, arguments) < 3.5);
    CHECK(largest_error<T>(softplus, softplus_reference, arguments) < 2.0);
    CHECK(largest_error<T>(selu, selu_reference, arguments) < 2.5);
  }
  CHECK(largest_error<T>(gelu, gelu_reference, narrow) < 3.8);
  CHECK(largest_error<T>(gelu_tanh, gelu_tanh_reference, narrow) < 3.8);
}

TEST_CASE("activations: the tails of float, where exp alone is subnormal or 0") {
  for (float x = -105.0f; x < -80.0f; x += 0.01f) {
    const long double y = x;
    CHECK(ulp_error(internal::math::silu(x), y * std::exp(y) / (1 + std::exp(y))) < 3.5);
    CHECK(ulp_error(internal::math::sigmoid(x), std::exp(y) / (1 + std::exp(y))) < 2.5);
    CHECK(ulp_error(internal::math::softplus(x), std::log1p(std::exp(y))) < 2.0);
  }
  for (float x = -14.6f; x < -12.0f; x += 0.001f) {
    const long double y = x;
    CHECK(ulp_error(internal::math::gelu(x), y * std::erfc(-y / std::sqrt(2.0L)) / 2) < 3.8);
  }
  for (float x = -10.8f; x < -9.0f; x += 0.001f) {
    const long double y = x;
    const long double z = 2 * std::sqrt(2 / std::acos(-1.0L)) * (y + 0.044715L * y * y * y);
    CHECK(ulp_error(internal::math::gelu_tanh(x), y * std::exp(z) / (1 + std::exp(z))) < 3.8);
  }
}

TEST_CASE_TEMPLATE("activations: special values", T, float, double) {
  const T infinite = std::numeric_limits<T>::infinity(), nan = std::numeric_limits<T>::quiet_NaN();
  const T largest = std::numeric_limits<T>::max();
  for (const T x : {infinite, largest}) {
    CHECK(internal::math::sigmoid(x) == T(1));
    CHECK(internal::math::silu(x) == x);
    CHECK(internal::math::softplus(x) == x);
    CHECK(internal::math::gelu(x) == x);
    CHECK(internal::math::gelu_tanh(x) == x);
    CHECK(internal::math::sigmoid(-x) == T(0));
    CHECK(internal::math::silu(-x) == T(0));
    CHECK(internal::math::softplus(-x) == T(0));
    CHECK(internal::math::gelu(-x) == T(0));
    CHECK(internal::math::gelu_tanh(-x) == T(0));
    CHECK(internal::math::selu(-x) == doctest::Approx(-1.7580993408473769));
    CHECK(internal::math::elu(-x, T(0.5)) == T(-0.5));
    CHECK(internal::math::elu(x, T(0.5)) == x);
  }
  for (const T zero : {T(0), T(-0.0)}) {
    CHECK(internal::math::sigmoid(zero) == T(0.5));
    CHECK(identical(internal::math::silu(zero), zero));
    CHECK(identical(internal::math::gelu(zero), zero));
    CHECK(identical(internal::math::gelu_tanh(zero), zero));
    CHECK(identical(internal::math::selu(zero), zero));
    CHECK(internal::math::softplus(zero) == static_cast<T>(std::log(2.0L)));
  }
  CHECK(std::isnan(internal::math::sigmoid(nan)));
  CHECK(std::isnan(internal::math::silu(nan)));
  CHECK(std::isnan(internal::math::softplus(nan)));
  CHECK(std::isnan(internal::math::gelu(nan)));
  CHECK(std::isnan(internal::math::gelu_tanh(nan)));
  CHECK(std::isnan(internal::math::selu(nan)));
  CHECK(std::isnan(internal::math::elu(nan, T(1))));
  CHECK(std::isnan(internal::functional::Relu{}(nan)));
  CHECK(std::isnan(internal::functional::LeakyRelu{}(nan)));
}

TEST_CASE("activations: relu and leaky_relu") {
  const internal::functional::Relu relu;
  CHECK(relu(2.5f) == 2.5f);
  CHECK(identical(relu(-2.5f), 0.0f));
  CHECK(identical(relu(-0.0f), 0.0f));
  CHECK(relu(std::int32_t{-3}) == 0);
  CHECK(relu(std::int64_t{7}) == 7);
  CHECK(relu(std::uint8_t{200}) == 200);
  const internal::functional::LeakyRelu leaky{{}, 0.25};
  CHECK(leaky(8.0) == 8.0);
  CHECK(leaky(-8.0) == -2.0);
  CHECK(leaky(-8.0f) == -2.0f);
  CHECK(internal::functional::Elu{{}, 2.0}(-1.0) == doctest::Approx(2 * std::expm1(-1.0)));
}

TEST_CASE_TEMPLATE("erf and activations: a value does not depend on its place in a lane", T, float, double) {
  for (const T x : {T(0.5), T(-2), T(100), T(-3e5), T(-12.5), T(2.5e30), T(1e-20), T(-0.0), T(-90), T(0.99)}) {
    CAPTURE(x);
    CHECK(independent_of_position(error_function, x));
    CHECK(independent_of_position(sigmoid, x));
    CHECK(independent_of_position(silu, x));
    CHECK(independent_of_position(softplus, x));
    CHECK(independent_of_position(gelu, x));
    CHECK(independent_of_position(gelu_tanh, x));
    CHECK(independent_of_position(selu, x));
  }
}

}  // namespace
