// SPDX-License-Identifier: Apache-2.0
// Exponentials, logarithms, powers, hyperbolic functions, roots and remainders: C99's special values, the error against
// `long double`, and lanes that give the bits of scalars.
// labels: values
#include <algorithm>
#include <cmath>
#include <cstdint>
#include <cstring>
#include <initializer_list>
#include <limits>
#include <random>
#include <string>
#include <utility>
#include <vector>

#include <doctest/doctest.h>

#include <situ/cpu/lanes/lanes.hpp>
#include <situ/formula/math/exp.hpp>
#include <situ/formula/math/fmod.hpp>
#include <situ/formula/math/hyperbolic.hpp>
#include <situ/formula/math/log.hpp>
#include <situ/formula/math/pow.hpp>
#include <situ/formula/math/root.hpp>

namespace {

namespace math = situ::internal::math;
using situ::internal::cpu::load;

template <class T>
constexpr T infinity = std::numeric_limits<T>::infinity();
template <class T>
constexpr T nan = std::numeric_limits<T>::quiet_NaN();

/// Equal to the bit, or both NaN.
template <class T>
bool same(T a, T b) {
  if (a != a && b != b) return true;
  return std::memcmp(&a, &b, sizeof(T)) == 0;
}

/// The error in units of the last place of the reference; huge where one is NaN, zero or infinite and the other is not
/// (one step at the edge of overflow is one unit).
template <class T>
double ulp_error(T value, long double reference) {
  using limits = std::numeric_limits<T>;
  const T rounded = static_cast<T>(reference);
  if (same(value, rounded)) return 0;
  if (value != value || rounded != rounded) return 1e9;
  if (std::isinf(value) || std::isinf(rounded)) {
    const bool edge = std::abs(std::isinf(value) ? rounded : value) == limits::max();
    return edge && std::signbit(value) == std::signbit(rounded) ? 1 : 1e9;
  }
  if (value == rounded) return 1e9;  // a zero of the wrong sign
  int exponent = 0;
  std::frexp(rounded, &exponent);
  exponent = std::max(exponent, limits::min_exponent) - limits::digits;
  return static_cast<double>(std::abs((static_cast<long double>(value) - reference) / std::ldexp(1.0L, exponent)));
}

template <class T>
struct Numbers {
  std::mt19937_64 random{20240501};

  T within(double low, double high) {
    return static_cast<T>(low + (high - low) * std::ldexp(static_cast<double>(random() >> 11), -53));
  }
  /// Any bits; the range of interest; near zero; close to 1.
  T next(double low, double high) {
    switch (random() % 4) {
      case 0: return situ::internal::lane::from_bits<T>(static_cast<situ::bits_t<T>>(random()));
      case 1: return within(low, high);
      case 2: return within(-2, 2);
      default: return static_cast<T>(1 + std::ldexp(within(-1, 1), -static_cast<int>(random() % 30)));
    }
  }
};

template <class T>
const std::vector<T>& edges() {
  using limits = std::numeric_limits<T>;
  static const std::vector<T> values = [] {
    std::vector<T> list;
    for (const T v : {T(0), T(0.5), T(1), T(1.5), T(2), T(3), T(10), T(1000), T(1e10), limits::min(),
                      limits::denorm_min(), limits::max(), limits::infinity(), limits::epsilon(),
                      std::nextafter(T(1), T(0))}) {
      list.push_back(v);
      list.push_back(-v);
    }
    list.push_back(limits::quiet_NaN());
    return list;
  }();
  return values;
}

constexpr int lanes = 16;
constexpr std::size_t samples = 40000;

template <class T, class F, class Reference>
void check_unary(const char* name, double bound, double low, double high, F f, Reference reference) {
  Numbers<T> numbers;
  std::vector<T> x = edges<T>();
  while (x.size() < samples) x.push_back(numbers.next(low, high));
  double worst = 0;
  T worst_at = 0;
  int different = 0;
  for (std::size_t i = 0; i + lanes <= x.size(); i += lanes) {
    const auto together = f(load<T, lanes>(&x[i]));
    for (int j = 0; j < lanes; ++j) {
      const T argument = x[i + static_cast<std::size_t>(j)];
      const T value = f(argument);
      different += !same(value, together[j]);
      const double error = ulp_error(value, reference(static_cast<long double>(argument)));
      if (error > worst) worst = error, worst_at = argument;
    }
  }
  CAPTURE(std::string(name));
  CAPTURE(sizeof(T));
  CAPTURE(worst_at);
  CHECK(worst <= bound);
  CHECK(different == 0);
}

template <class T, class F, class Reference>
void check_binary(const char* name, double bound, double high, double y_high, F f, Reference reference) {
  Numbers<T> numbers;
  std::vector<T> x;
  std::vector<T> y;
  for (const T a : edges<T>()) {
    for (const T b : edges<T>()) x.push_back(a), y.push_back(b);
  }
  while (x.size() < samples) {
    const T a = numbers.next(0, high);
    x.push_back(numbers.random() % 2 == 0 ? std::abs(a) : a);
    y.push_back(numbers.random() % 2 == 0 ? std::round(numbers.within(-20, 20)) : numbers.next(-y_high, y_high));
  }
  double worst = 0;
  std::pair<T, T> worst_at;
  int different = 0;
  for (std::size_t i = 0; i + lanes <= x.size(); i += lanes) {
    const auto together = f(load<T, lanes>(&x[i]), load<T, lanes>(&y[i]));
    for (int j = 0; j < lanes; ++j) {
      const std::size_t k = i + static_cast<std::size_t>(j);
      const T value = f(x[k], y[k]);
      different += !same(value, together[j]);
      const double error = ulp_error(value, reference(static_cast<long double>(x[k]), static_cast<long double>(y[k])));
      if (error > worst) worst = error, worst_at = {x[k], y[k]};
    }
  }
  CAPTURE(std::string(name));
  CAPTURE(sizeof(T));
  CAPTURE(worst_at.first);
  CAPTURE(worst_at.second);
  CHECK(worst <= bound);
  CHECK(different == 0);
}

template <class T>
void check_accuracy() {
  const bool single = sizeof(T) == 4;
  const double e = single ? 105 : 746;
  const double two = single ? 151 : 1076;
  using L = long double;
  check_unary<T>("exp", 1.1, -e, e, [](auto x) { return math::exp(x); }, [](L x) { return std::exp(x); });
  check_unary<T>("exp2", 1.2, -two, two, [](auto x) { return math::exp2(x); }, [](L x) { return std::exp2(x); });
  check_unary<T>("expm1", 1.7, -40, e, [](auto x) { return math::expm1(x); }, [](L x) { return std::expm1(x); });
  check_unary<T>("log", 0.95, 0, 100, [](auto x) { return math::log(x); }, [](L x) { return std::log(x); });
  check_unary<T>("log2", 0.95, 0, 100, [](auto x) { return math::log2(x); }, [](L x) { return std::log2(x); });
  check_unary<T>("log10", 0.95, 0, 1000, [](auto x) { return math::log10(x); }, [](L x) { return std::log10(x); });
  check_unary<T>("log1p", 1.5, -1, 10, [](auto x) { return math::log1p(x); }, [](L x) { return std::log1p(x); });
  check_unary<T>("sinh", 2.4, -e, e, [](auto x) { return math::sinh(x); }, [](L x) { return std::sinh(x); });
  check_unary<T>("cosh", 1.5, -e, e, [](auto x) { return math::cosh(x); }, [](L x) { return std::cosh(x); });
  check_unary<T>("tanh", 2.5, -20, 20, [](auto x) { return math::tanh(x); }, [](L x) { return std::tanh(x); });
  check_unary<T>("asinh", 1.9, -100, 100, [](auto x) { return math::asinh(x); }, [](L x) { return std::asinh(x); });
  check_unary<T>("acosh", 2.3, 1, 100, [](auto x) { return math::acosh(x); }, [](L x) { return std::acosh(x); });
  check_unary<T>("atanh", 1.9, -1, 1, [](auto x) { return math::atanh(x); }, [](L x) { return std::atanh(x); });
  check_unary<T>("sqrt", 0.501, 0, 100, [](auto x) { return math::sqrt(x); }, [](L x) { return std::sqrt(x); });
  check_unary<T>("rsqrt", 1.5, 0, 100, [](auto x) { return math::rsqrt(x); }, [](L x) { return 1 / std::sqrt(x); });
  const double power = single ? 20 : 150;
  check_binary<T>("pow", single ? 0.6 : 1.1, 100, power, [](auto x, auto y) { return math::pow(x, y); },
                  [](L x, L y) { return std::pow(x, y); });
  check_binary<T>("hypot", 1.3, 100, 100, [](auto x, auto y) { return math::hypot(x, y); },
                  [](L x, L y) { return std::hypot(x, y); });
  check_binary<T>("fmod", 0, 100, 20, [](auto x, auto y) { return math::fmod(x, y); },
                  [](L x, L y) { return std::fmod(x, y); });
}

template <class T>
void check_special_values() {
  constexpr T inf = infinity<T>;
  const T none = nan<T>;
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

TEST_CASE("float: error and agreement of lanes with scalars") { check_accuracy<float>(); }

TEST_CASE("double: error and agreement of lanes with scalars") { check_accuracy<double>(); }

TEST_CASE("special values") {
  check_special_values<float>();
  check_special_values<double>();
}

TEST_CASE("powers of integers") {
  check_integer_powers<std::uint8_t>();
  check_integer_powers<std::int32_t>();
  check_integer_powers<std::int64_t>();
}
