// SPDX-License-Identifier: Apache-2.0
// sin, cos, tan and their inverses: errors against long double, huge angles, the special cases of C99 Annex F.
// labels: values
#include <algorithm>
#include <cmath>
#include <cstdint>
#include <iterator>
#include <limits>
#include <vector>

#include <doctest/doctest.h>

#include <situ/formula/math/inverse_trigonometric.hpp>
#include <situ/formula/math/trigonometric.hpp>

#include "function_check.hpp"

namespace {

using namespace situ;
using namespace math_test;

constexpr double inf = std::numeric_limits<double>::infinity();

const auto sine = [](auto x) { return internal::math::sin(x); };
const auto cosine = [](auto x) { return internal::math::cos(x); };
const auto tangent = [](auto x) { return internal::math::tan(x); };
const auto arc_sine = [](auto x) { return internal::math::asin(x); };
const auto arc_cosine = [](auto x) { return internal::math::acos(x); };
const auto arc_tangent = [](auto x) { return internal::math::atan(x); };

TEST_CASE_TEMPLATE("trigonometric: errors, and agreement of lanes with scalars", T, float, double) {
  function_table::trigonometric(check_family<T>);
}

TEST_CASE_TEMPLATE("trigonometric: errors of sin, cos and tan of angles of every magnitude", T, float, double) {
  const double huge = std::is_same_v<T, float> ? 1e38 : 1e308;
  for (const std::vector<T>& arguments : {spread_exponents<T>(1e-30, huge, 20000), spread<T>(-1e6, 1e6, 20000)}) {
    CHECK(largest_error<T>(sine, [](long double x) { return std::sin(x); }, arguments) < 1.0);
    CHECK(largest_error<T>(cosine, [](long double x) { return std::cos(x); }, arguments) < 1.0);
    CHECK(largest_error<T>(tangent, [](long double x) { return std::tan(x); }, arguments) < 1.5);
  }
}

TEST_CASE_TEMPLATE("trigonometric: next to multiples of pi/2, where digits cancel", T, float, double) {
  std::vector<T> arguments;
  for (long double n = 1; n < 1e12L; n = n * 1.37L + 1) {
    const T nearest = static_cast<T>(std::floor(n) * 1.570796326794896619231321691639751442L);
    arguments.push_back(nearest);
    arguments.push_back(std::nextafter(nearest, T(0)));
    arguments.push_back(std::nextafter(nearest, std::numeric_limits<T>::max()));
  }
  CHECK(largest_error<T>(sine, [](long double x) { return std::sin(x); }, arguments) < 1.0);
  CHECK(largest_error<T>(cosine, [](long double x) { return std::cos(x); }, arguments) < 1.0);
  CHECK(largest_error<T>(tangent, [](long double x) { return std::tan(x); }, arguments) < 1.5);
}

TEST_CASE("trigonometric: the double closest to a multiple of pi/2") {
  // 6381956970095103 * 2^797 (Muller, "Elementary Functions", 2006, section 9.3.2); cos from there
  const double x = 6381956970095103.0 * 0x1p797;
  CHECK(internal::math::cos(x) == doctest::Approx(-4.68716592425462761112e-19).epsilon(1e-15));
  CHECK(internal::math::sin(x) == 1.0);
}

TEST_CASE("trigonometric: large angles of float are reduced as those of double, beside any others") {
  using internal::cpu::load;
  constexpr float bound = 0x1p17f, most = std::numeric_limits<float>::max(), infinite = std::numeric_limits<float>::infinity();
  std::vector<float> arguments{bound, std::nextafter(bound, infinite), most, 16367173.0f * 0x1p72f, -0x1p127f};
  Numbers<float> numbers;
  for (int exponent = 17; exponent < 128; ++exponent) {
    for (int i = 0; i < 2000; ++i) {
      const double fraction = numbers.uniform(1, 2);
      arguments.push_back(static_cast<float>(std::ldexp(i % 2 == 0 ? fraction : -fraction, exponent)));
      if (!(std::fabs(arguments.back()) <= most)) arguments.pop_back();
    }
  }
  int wrong = 0;
  double furthest = 0;
  for (const float x : arguments) {
    const auto angle = internal::math::reduce_angle(x);
    const auto exact = internal::math::detail::reduce_large_angle(static_cast<double>(x));
    const double got = static_cast<double>(angle.high) + static_cast<double>(angle.low);
    const bool next = std::fabs(std::fabs(exact.high) - 0.785398) < 1e-4;  // either of two quadrants
    if (next) continue;
    wrong += ((static_cast<std::int64_t>(angle.quadrant) - exact.quadrant) & 3) != 0;
    furthest = std::max(furthest, std::fabs(got / exact.high - 1));
  }
  CHECK(wrong == 0);
  CHECK(furthest < 1e-14);  // what two floats hold
  const float some[] = {0.5f, bound, 1e6f, -infinite, 3e38f, std::numeric_limits<float>::quiet_NaN(), -1e20f, -0.0f};
  float mixed[lanes];
  for (std::size_t shift = 0; shift < std::size(some); ++shift) {
    for (std::size_t i = 0; i < lanes; ++i) mixed[i] = some[(i * 3 + shift) % std::size(some)];
    const auto together = internal::math::sin(load<float, lanes>(mixed));
    const auto tangents = internal::math::tan(load<float, lanes>(mixed));
    for (int i = 0; i < lanes; ++i) {
      CHECK(same(static_cast<float>(together[i]), internal::math::sin(mixed[i])));
      CHECK(same(static_cast<float>(tangents[i]), internal::math::tan(mixed[i])));
    }
  }
}

TEST_CASE_TEMPLATE("trigonometric: error of atan2, with quotients that overflow and underflow", T, float, double) {
  const double limit = std::is_same_v<T, float> ? 3e38 : 1e308;
  const std::vector<T> wide = spread_exponents<T>(1 / limit, limit, 40000), narrow = spread<T>(-1, 1, 40000);
  double largest = 0;
  for (std::size_t i = 0; i < wide.size(); ++i) {
    const T y = i % 2 == 0 ? narrow[i] : wide[i];
    const T x = i % 4 < 2 ? narrow[wide.size() - 1 - i] : wide[wide.size() - 1 - i];
    const long double want = std::atan2(static_cast<long double>(y), static_cast<long double>(x));
    largest = std::max(largest, ulp_error(internal::math::atan2(y, x), want));
  }
  CHECK(largest < 2.0);
  constexpr T top = std::numeric_limits<T>::max(), bottom = std::numeric_limits<T>::denorm_min();
  CHECK(ulp_error(internal::math::atan2(top, top), std::atan(1.0L)) < 1.0);
  CHECK(ulp_error(internal::math::atan2(top, -top), 3 * std::atan(1.0L)) < 1.0);
  CHECK(ulp_error(internal::math::atan2(bottom, bottom), std::atan(1.0L)) < 1.0);
  CHECK(ulp_error(internal::math::atan2(top, bottom), 2 * std::atan(1.0L)) < 1.0);
  CHECK(internal::math::atan2(bottom, top) == T(0));
}

TEST_CASE_TEMPLATE("trigonometric: special values", T, float, double) {
  const T nan = std::numeric_limits<T>::quiet_NaN(), infinite = static_cast<T>(inf);
  for (const T zero : {T(0), T(-0.0)}) {
    CHECK(identical(internal::math::sin(zero), zero));
    CHECK(identical(internal::math::tan(zero), zero));
    CHECK(identical(internal::math::asin(zero), zero));
    CHECK(identical(internal::math::atan(zero), zero));
    CHECK(internal::math::cos(zero) == T(1));
  }
  for (const T x : {infinite, -infinite, nan}) {
    CHECK(std::isnan(internal::math::sin(x)));
    CHECK(std::isnan(internal::math::cos(x)));
    CHECK(std::isnan(internal::math::tan(x)));
    CHECK(std::isnan(internal::math::asin(x)));
    CHECK(std::isnan(internal::math::acos(x)));
  }
  CHECK(std::isnan(internal::math::asin(T(1.0001))));
  CHECK(std::isnan(internal::math::acos(T(-1.0001))));
  CHECK(identical(internal::math::acos(T(1)), T(0)));
  CHECK(internal::math::acos(T(-1)) == static_cast<T>(std::acos(-1.0L)));
  CHECK(internal::math::asin(T(1)) == static_cast<T>(std::asin(1.0L)));
  CHECK(internal::math::asin(T(-1)) == static_cast<T>(std::asin(-1.0L)));
  CHECK(internal::math::atan(infinite) == static_cast<T>(std::acos(0.0L)));
  CHECK(internal::math::atan(-infinite) == static_cast<T>(-std::acos(0.0L)));
  CHECK(std::isnan(internal::math::atan(nan)));
  CHECK(identical(internal::math::sin(std::numeric_limits<T>::denorm_min()), std::numeric_limits<T>::denorm_min()));
}

TEST_CASE_TEMPLATE("trigonometric: atan2 of zeros, infinities and NaN as in C99", T, float, double) {
  const T infinite = static_cast<T>(inf), nan = std::numeric_limits<T>::quiet_NaN();
  for (const T y : {T(0), T(-0.0), T(1), T(-1), infinite, -infinite, nan}) {
    for (const T x : {T(0), T(-0.0), T(1), T(-1), infinite, -infinite, nan}) {
      CAPTURE(y);
      CAPTURE(x);
      const long double want = std::atan2(static_cast<long double>(y), static_cast<long double>(x));
      CHECK(identical(internal::math::atan2(y, x), static_cast<T>(want)));
    }
  }
}

}  // namespace
