// SPDX-License-Identifier: Apache-2.0
// Exponentials, logarithms, powers, hyperbolic functions, roots and remainders: C99's special values, the error against
// `long double`, and lanes that give the bits of scalars.
// labels: values
#include <cmath>
#include <cstdint>
#include <limits>
#include <random>
#include <string>
#include <type_traits>
#include <vector>

#include <doctest/doctest.h>

#include <situ/cpu/lanes/lanes.hpp>
#include <situ/formula/math/exp.hpp>
#include <situ/formula/math/fmod.hpp>
#include <situ/formula/math/hyperbolic.hpp>
#include <situ/formula/math/log.hpp>
#include <situ/formula/math/pow.hpp>
#include <situ/formula/math/root.hpp>

#include "function_check.hpp"

namespace {

namespace math = situ::internal::math;
using math_test::lanes;
using math_test::same;
using situ::internal::cpu::load;

template <class T>
constexpr T infinity = std::numeric_limits<T>::infinity();

template <class T>
void check_special_values() {
  constexpr T inf = infinity<T>;
  const T none = std::numeric_limits<T>::quiet_NaN();
  auto check = [](const char* name, T value, T expected) {
    INFO(std::string(name), " gave ", value, ", not ", expected);
    CHECK(same(value, expected));
  };
  check("exp(0)", math::exp(T(0)), T(1));
  check("exp(-inf)", math::exp(-inf), T(0));
  check("exp(inf)", math::exp(inf), inf);
  check("exp(nan)", math::exp(none), none);
  for (int n = -1074; n < 1030; ++n) {
    const T power = std::ldexp(T(1), n);
    if (!same(math::exp2(T(n)), power)) check("exp2 of a whole number", math::exp2(T(n)), power);
  }
  check("expm1(-0)", math::expm1(T(-0.0)), T(-0.0));
  check("expm1(-inf)", math::expm1(-inf), T(-1));
  check("log(0)", math::log(T(0)), -inf);
  check("log(-0)", math::log(T(-0.0)), -inf);
  check("log(1)", math::log(T(1)), T(0));
  check("log(-1)", math::log(T(-1)), none);
  check("log(inf)", math::log(inf), inf);
  check("log2(smallest)", math::log2(std::numeric_limits<T>::denorm_min()), T(sizeof(T) == 4 ? -149 : -1074));
  check("log10(1000)", math::log10(T(1000)), T(3));
  check("log1p(-1)", math::log1p(T(-1)), -inf);
  check("log1p(-0)", math::log1p(T(-0.0)), T(-0.0));
  check("log1p(-2)", math::log1p(T(-2)), none);
  check("sinh(-inf)", math::sinh(-inf), -inf);
  check("sinh(-0)", math::sinh(T(-0.0)), T(-0.0));
  check("cosh(-inf)", math::cosh(-inf), inf);
  check("tanh(-0)", math::tanh(T(-0.0)), T(-0.0));
  check("tanh(-inf)", math::tanh(-inf), T(-1));
  check("asinh(-0)", math::asinh(T(-0.0)), T(-0.0));
  check("acosh(1)", math::acosh(T(1)), T(0));
  check("acosh(below 1)", math::acosh(T(0.5)), none);
  check("atanh(-1)", math::atanh(T(-1)), -inf);
  check("atanh(2)", math::atanh(T(2)), none);
  check("sqrt(-0)", math::sqrt(T(-0.0)), T(-0.0));
  check("rsqrt(0)", math::rsqrt(T(0)), inf);
  check("hypot(inf, nan)", math::hypot(-inf, none), inf);
  check("hypot(large)", math::hypot(std::numeric_limits<T>::max() / 2, T(1)), std::numeric_limits<T>::max() / 2);
  check("pow(nan, 0)", math::pow(none, T(0)), T(1));
  check("pow(1, nan)", math::pow(T(1), none), T(1));
  check("pow(-1, inf)", math::pow(T(-1), inf), T(1));
  check("pow(-0, -3)", math::pow(T(-0.0), T(-3)), -inf);
  check("pow(-0, -2)", math::pow(T(-0.0), T(-2)), inf);
  check("pow(-8, 1/3)", math::pow(T(-8), T(1) / T(3)), none);
  check("pow(-2, 3)", math::pow(T(-2), T(3)), T(-8));
  check("pow(-inf, 3)", math::pow(-inf, T(3)), -inf);
  check("pow(-inf, 0.5)", math::pow(-inf, T(0.5)), inf);
  check("pow(0.5, -inf)", math::pow(T(0.5), -inf), inf);
  check("fmod(-6, 3)", math::fmod(T(-6), T(3)), T(-0.0));
  check("fmod(1, inf)", math::fmod(T(1), inf), T(1));
  check("fmod(inf, 1)", math::fmod(inf, T(1)), none);
  check("fmod(1, 0)", math::fmod(T(1), T(0)), none);
  check("modulus(-7, 3)", math::modulus(T(-7), T(3)), T(2));
  check("modulus(7, -3)", math::modulus(T(7), T(-3)), T(-2));
  check("modulus(-1, inf)", math::modulus(T(-1), inf), inf);
  check("modulus(6, -3)", math::modulus(T(6), T(-3)), T(-0.0));
  check("floor_quotient(-7, 2)", math::floor_quotient(T(-7), T(2)), T(-4));
  check("floor_quotient(1, 0.1)", math::floor_quotient(T(1), T(0.1)), T(9));
  check("floor_quotient(1, 0)", math::floor_quotient(T(1), T(0)), inf);
  check("floor_quotient(0, -1)", math::floor_quotient(T(0), T(-1)), T(-0.0));
}

template <class T>
void check_integer_powers() {
  T bases[lanes];
  T exponents[lanes];
  std::mt19937 random(5);
  for (int round = 0; round < 200; ++round) {
    for (int i = 0; i < lanes; ++i) {
      bases[i] = static_cast<T>(static_cast<int>(random() % 13) - 6);
      exponents[i] = static_cast<T>(static_cast<int>(random() % 70) - (std::is_signed_v<T> ? 5 : 0));
    }
    const auto together = math::pow(load<T, lanes>(bases), load<T, lanes>(exponents));
    for (int i = 0; i < lanes; ++i) {
      std::uint64_t expected = 1;
      for (int k = 0; k < static_cast<int>(exponents[i]); ++k) expected *= static_cast<std::uint64_t>(bases[i]);
      if (exponents[i] < 0) {
        const bool odd = exponents[i] % 2 != 0;
        expected = bases[i] == 1 ? 1 : bases[i] == static_cast<T>(-1) ? (odd ? ~std::uint64_t{0} : 1) : 0;
      }
      CHECK(math::pow(bases[i], exponents[i]) == static_cast<T>(expected));
      CHECK(together[i] == static_cast<T>(expected));
    }
  }
}

}  // namespace

TEST_CASE_TEMPLATE("error and agreement of lanes with scalars", T, float, double) {
  function_table::exponentials(math_test::check_family<T>);
  function_table::hyperbolic(math_test::check_family<T>);
  function_table::functions_of_two(math_test::check_family<T>);
}

TEST_CASE("special values") {
  check_special_values<float>();
  check_special_values<double>();
}

TEST_CASE("powers of integers") {
  check_integer_powers<std::uint8_t>();
  check_integer_powers<std::int32_t>();
  check_integer_powers<std::int64_t>();
}

TEST_CASE_TEMPLATE("short powers: C's values, beside any other exponent", T, float, double) {
  using limits = std::numeric_limits<T>;
  std::vector<T> bases = math_test::special_values<T>();
  for (int n = limits::min_exponent - limits::digits; n <= limits::max_exponent; ++n) {
    bases.push_back(std::ldexp(T(1.2345), n - 1));
    bases.push_back(-std::ldexp(T(1.8765), n - 1));
  }
  for (const T exponent : {T(-1), T(0.5), T(1), T(2), T(3)}) {
    CAPTURE(exponent);
    for (std::size_t at = 0; at < bases.size(); ++at) {
      const T base = bases[at], value = math::pow(base, exponent);
      const long double exact = std::pow(static_cast<long double>(base), static_cast<long double>(exponent));
      INFO("base ", base);
      if (exact != exact || std::isinf(exact) || exact == 0) CHECK(same(value, static_cast<T>(exact)));
      else CHECK(math_test::ulp_error(value, exact) < (exponent == T(3) ? 1.01 : 0.501));
      // All of a lane have this exponent; then only the first, beside exponents of the long way and of another short one.
      T some[lanes], all_alike[lanes], mixed[lanes];
      for (int i = 0; i < lanes; ++i) {
        some[i] = bases[(at + static_cast<std::size_t>(i)) % bases.size()];
        all_alike[i] = exponent;
        mixed[i] = i == 0 ? exponent : i % 3 == 0 ? T(2.5) : i % 3 == 1 ? T(2) : T(-1);
      }
      const auto alike = math::pow(load<T, lanes>(some), load<T, lanes>(all_alike));
      const auto beside = math::pow(load<T, lanes>(some), load<T, lanes>(mixed));
      CHECK(same(static_cast<T>(alike[0]), value));
      CHECK(same(static_cast<T>(beside[0]), value));
      CHECK(same(static_cast<T>(beside[3]), math::pow(some[3], T(2.5))));
    }
  }
}

TEST_CASE_TEMPLATE("hypot where its ways meet", T, float, double) {
  for (const T base : {T(0x1p-126), T(0x1p-63), T(0x1p-40), T(0x1p-39), T(0x1p-20), T(1), T(0x1p59), T(0x1p60), T(0x1p61), T(0x1p126)}) {
    for (const T large : {base, std::nextafter(base, T(0)), std::nextafter(base, T(1e30)), T(1.5) * base}) {
      for (const T ratio : {T(0), T(0x1p-60), T(0x1p-24), T(0x1p-12), T(0.0123), T(0.3), T(0.75), T(1)}) {
        const T little = large * ratio;
        const long double exact = std::hypot(static_cast<long double>(large), static_cast<long double>(little));
        const T value = math::hypot(large, little);
        INFO(large, " ", little);
        CHECK(math_test::ulp_error(value, exact) < (sizeof(T) == 4 ? 0.501 : 1.3));
        CHECK(same(math::hypot(-little, large), value));
        T first[lanes], second[lanes];  // beside one that takes the other way
        for (int i = 0; i < lanes; ++i) first[i] = i % 2 == 0 ? large : T(0), second[i] = i % 2 == 0 ? little : T(0);
        const auto beside = math::hypot(load<T, lanes>(first), load<T, lanes>(second));
        CHECK(same(static_cast<T>(beside[0]), value));
        CHECK(same(static_cast<T>(beside[1]), T(0)));
      }
    }
  }
  CHECK(same(math::hypot(T(3), std::numeric_limits<T>::quiet_NaN()), std::numeric_limits<T>::quiet_NaN()));
  CHECK(same(math::hypot(std::numeric_limits<T>::quiet_NaN(), T(3)), std::numeric_limits<T>::quiet_NaN()));
  CHECK(same(math::hypot(T(0), T(-0.0)), T(0)));
}

TEST_CASE_TEMPLATE("logarithms of all magnitudes of subnormals", T, float, double) {
  constexpr T least = std::numeric_limits<T>::denorm_min();
  for (int n = 0; n < std::numeric_limits<T>::digits; ++n) {
    for (const T factor : {T(1), T(1.25), T(1.999)}) {
      const T x = least * std::floor(std::ldexp(factor, n));
      const auto exact = static_cast<long double>(x);
      CHECK(math_test::ulp_error(math::log(x), std::log(exact)) < 1);
      CHECK(math_test::ulp_error(math::log2(x), std::log2(exact)) < 1);
      CHECK(math_test::ulp_error(math::log10(x), std::log10(exact)) < 1);
      CHECK(same(math::log(-x), std::numeric_limits<T>::quiet_NaN()));
      if (factor == T(1)) CHECK(math::log2(x) == std::log2(least) + T(n));
    }
  }
}
