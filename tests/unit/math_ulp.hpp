// SPDX-License-Identifier: Apache-2.0
// What the tests of mathematical functions share: errors in units in the last place, and evaluation on lanes.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <limits>
#include <random>
#include <vector>

#include <situ/cpu/lanes/lanes.hpp>

namespace math_test {

inline constexpr int lanes = 16;

/// |got - want| in units of the last place of T at `want`; infinite if one is NaN, an infinity or a zero and the other is not
/// the same (one step at the edge of overflow is one unit).
template <class T>
double ulp_error(T got, long double want) {
  using limits = std::numeric_limits<T>;
  const T nearest = static_cast<T>(want);
  if (std::isnan(got) || std::isnan(nearest)) return std::isnan(got) && std::isnan(nearest) ? 0 : INFINITY;
  if (std::isinf(got) || std::isinf(nearest)) {
    const T finite = std::isinf(got) ? nearest : got;
    return got == nearest ? 0 : std::signbit(got) == std::signbit(nearest) && std::abs(finite) == limits::max() ? 1 : INFINITY;
  }
  if (got == nearest && std::signbit(got) != std::signbit(nearest)) return INFINITY;
  const int exponent = std::max(want == 0 ? limits::min_exponent - 1 : std::ilogb(want), limits::min_exponent - 1);
  return static_cast<double>(std::ldexp(std::abs(static_cast<long double>(got) - want), limits::digits - 1 - exponent));
}

/// The largest error of f on lanes at the given arguments; `reference` takes and gives `long double`.
template <class T, class F, class R>
double largest_error(F f, R reference, std::vector<T> arguments) {
  while (arguments.size() % lanes != 0) arguments.push_back(arguments.back());
  double largest = 0;
  for (std::size_t at = 0; at < arguments.size(); at += lanes) {
    T out[lanes];
    situ::internal::cpu::store<T>(out, f(situ::internal::cpu::load<T, lanes>(&arguments[at])));
    for (std::size_t i = 0; i < lanes; ++i)
      largest = std::max(largest, ulp_error(out[i], reference(static_cast<long double>(arguments[at + i]))));
  }
  return largest;
}

/// `count` arguments evenly spread over [low, high], with a fixed seed.
template <class T>
std::vector<T> spread(double low, double high, int count) {
  std::mt19937_64 generator(5);
  std::uniform_real_distribution<double> uniform(low, high);
  std::vector<T> values(static_cast<std::size_t>(count));
  for (T& value : values) value = static_cast<T>(uniform(generator));
  return values;
}

/// `count` arguments of both signs whose magnitudes are spread evenly over the exponents of [low, high].
template <class T>
std::vector<T> spread_exponents(double low, double high, int count) {
  std::mt19937_64 generator(6);
  std::uniform_real_distribution<double> uniform(std::log2(low), std::log2(high));
  std::vector<T> values(static_cast<std::size_t>(count));
  for (T& value : values)
    value = static_cast<T>(std::copysign(std::exp2(uniform(generator)), (generator() & 1) != 0 ? 1.0 : -1.0));
  return values;
}

/// Equal, with the sign of zero, or both NaN.
template <class T>
bool identical(T a, T b) {
  return (std::isnan(a) && std::isnan(b)) || (a == b && std::signbit(a) == std::signbit(b));
}

}  // namespace math_test
