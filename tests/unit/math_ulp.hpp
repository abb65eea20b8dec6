// SPDX-License-Identifier: Apache-2.0
// What the tests of mathematical functions share: errors in units in the last place, and evaluation on lanes.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <cstring>
#include <limits>
#include <random>
#include <vector>

#include <situ/cpu/lanes/lanes.hpp>

namespace math_test {

inline constexpr int lanes = 16;

/// |got - want| in units of the last place of T at `want`; infinite if one is NaN or an infinity and the other is not.
template <class T>
double ulp_error(T got, long double want) {
  if (std::isnan(want) || std::isnan(got)) return std::isnan(want) == std::isnan(got) ? 0 : INFINITY;
  const T rounded = static_cast<T>(want);
  if (std::isinf(rounded) || std::isinf(got)) return got == rounded ? 0 : INFINITY;
  const int lowest = std::numeric_limits<T>::min_exponent - 1;
  const int exponent = want == 0 ? lowest : std::max(std::ilogb(want), lowest);
  const int digits = std::numeric_limits<T>::digits - 1;
  return static_cast<double>(std::ldexp(std::abs(static_cast<long double>(got) - want), digits - exponent));
}

/// f at one argument in every position of a lane, each beside neighbours of other magnitudes: the same bits or NaN.
template <class T, class F>
bool independent_of_position(F f, T x) {
  const T others[] = {T(0), T(1e30), T(0.3), std::numeric_limits<T>::quiet_NaN(), T(-7), T(3e5), T(-0.99)};
  const T alone = f(x);
  for (int position = 0; position < lanes; ++position) {
    T in[lanes], out[lanes];
    for (int i = 0; i < lanes; ++i) in[i] = i == position ? x : others[(i + position) % 7];
    situ::internal::cpu::store<T>(out, f(situ::internal::cpu::load<T, lanes>(in)));
    const bool same = std::memcmp(&out[position], &alone, sizeof(T)) == 0;
    if (!same && !(std::isnan(out[position]) && std::isnan(alone))) return false;
  }
  return true;
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
