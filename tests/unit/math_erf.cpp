// SPDX-License-Identifier: Apache-2.0
// erf and the activation functions: errors against long double, tails, special values.
// labels: values
#include <algorithm>
#include <cmath>
#include <cstdint>
#include <limits>
#include <string>
#include <vector>

#include <doctest/doctest.h>

#include <situ/formula/functional/activation.hpp>
#include <situ/formula/math/activation.hpp>
#include <situ/formula/math/error_function.hpp>
#include <situ/formula/math/near_quotient.hpp>

#include "function_check.hpp"
#include "kernel_float.hpp"

namespace {

using namespace situ;
using namespace math_test;

TEST_CASE_TEMPLATE("erf and activations: errors, and agreement of lanes with scalars", T, float, double) {
  function_table::smooth_activations(check_family<T>);
  function_table::rectifiers(check_family<T>);
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

// The division of kernels, which only there is reached by near_quotient, from a reciprocal that is off by a last place.
TEST_CASE("near_quotient: what kernels compute keeps the sign of zero, and is the quotient") {
  using internal::math::detail::corrected_quotient;
  const auto around = [](float x) {
    return std::vector{std::nextafter(x, 0.0f), x, std::nextafter(x, std::numeric_limits<float>::infinity())};
  };
  for (const float b : {0.5f, 1.0f, 1.5f, 2.0f, 3.0f, 0x1p40f, 0x1.8p60f, 0x1.fffffep119f}) {
    CAPTURE(b);
    for (const float inverse : around(1 / b)) {
      CHECK(identical(corrected_quotient(0.0f, b, inverse), 0.0f));
      CHECK(identical(corrected_quotient(-0.0f, b, inverse), -0.0f));
      std::uint32_t state = 5;
      double worst = 0;
      for (int i = 0; i < 1000; ++i) {
        state = state * 1664525U + 1013904223U;
        const float a = (static_cast<float>(state >> 8) - 0x1p23f) * 0x1p-20f * b;
        worst = std::max(worst, ulp_error(corrected_quotient(a, b, inverse), static_cast<long double>(a) / b));
      }
      CHECK(worst <= 0.501);
      CHECK(identical(corrected_quotient(b, b, inverse), 1.0f));
      CHECK(identical(corrected_quotient(-3 * b, b, inverse), -3.0f));
    }
    // what is nearest to zero, and underflows to one of its sign
    CHECK(identical(corrected_quotient(-0x1p-149f, b, 1 / b), -0x1p-149f / b));
    CHECK(identical(corrected_quotient(0x1p-149f, b, 1 / b), 0x1p-149f / b));
  }
}

/// Each function by what kernels compute: zeros are those of the host, of either sign.
constexpr auto check_zeros_of_kernels = [](const auto&... row) {
  const auto check = [](const auto& function) {
    CAPTURE(std::string(function.name));
    for (const float x : special_values<float>()) {
      CAPTURE(x);
      const float on_host = function.functor(x);
      for (KernelFloat::off = -1; KernelFloat::off <= 1; ++KernelFloat::off) {
        const float in_kernel = KernelFloat(function.functor(KernelFloat(x))).value;
        if (on_host == 0 || in_kernel == 0 || std::isnan(on_host)) CHECK(identical(in_kernel, on_host));
        else CHECK(ulp_error(in_kernel, static_cast<long double>(on_host)) <= 8);
      }
    }
  };
  (check(row), ...);
};

TEST_CASE("what kernels compute has the host's zeros, infinities and NaN") {
  function_table::exponentials(check_zeros_of_kernels);
  function_table::hyperbolic(check_zeros_of_kernels);
  function_table::smooth_activations(check_zeros_of_kernels);
  function_table::rectifiers(check_zeros_of_kernels);
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

}  // namespace
