// SPDX-License-Identifier: Apache-2.0
// Random distributions: the vector form agrees with the scalar one to the bit, the split does not matter, the bits are
// the same on every machine, and the numbers have the moments and the distribution they should.
// labels: values
#include <algorithm>
#include <cmath>
#include <cstdint>
#include <cstring>
#include <functional>
#include <limits>
#include <memory>
#include <numeric>
#include <vector>

#include <doctest/doctest.h>

#include <situ/formula/random.hpp>
#include <situ/cpu/random.hpp>

namespace {

using namespace situ;
using namespace situ::internal::distribution;

constexpr internal::RandomStream stream{20240607, 11};
constexpr std::int64_t many = 1'000'000;

template <class D>
std::unique_ptr<typename D::value_type[]> draw(const D& distribution, std::int64_t first, std::int64_t count) {
  auto values = std::make_unique<typename D::value_type[]>(static_cast<std::size_t>(count));
  internal::cpu::fill_random(distribution, values.get(), first, count);
  return values;
}

template <class D>
std::vector<double> draw_as_double(const D& distribution, std::int64_t count) {
  const auto values = draw(distribution, 0, count);
  std::vector<double> result;
  result.reserve(static_cast<std::size_t>(count));
  for (std::int64_t i = 0; i < count; ++i) {
    using T = typename D::value_type;
    const T value = values.get()[i];
    if constexpr (OneOf<T, float16, bfloat16>) result.push_back(static_cast<double>(static_cast<float>(value)));
    else result.push_back(static_cast<double>(value));
  }
  return result;
}

template <class D>
void check_bits(const D& distribution) {
  using T = typename D::value_type;
  const std::int64_t count = 1000;
  for (const std::int64_t first : {std::int64_t{0}, std::int64_t{3}, (std::int64_t{1} << 34) - 5}) {
    const auto values = draw(distribution, first, count);
    int different = 0;
    for (std::int64_t i = 0; i < count; ++i) {
      const T one = distribution(first + i);
      different += std::memcmp(&one, &values.get()[i], sizeof(T)) != 0;
    }
    CHECK(different == 0);
  }
  // any split, and nothing written beyond
  const auto whole = draw(distribution, 0, count);
  auto parts = std::make_unique<T[]>(static_cast<std::size_t>(count));
  std::int64_t at = 0;
  for (std::int64_t step = 1; at < count; step = step * 2 + 1) {
    const std::int64_t take = std::min(step, count - at);
    internal::cpu::fill_random(distribution, parts.get() + at, at, take);
    at += take;
  }
  CHECK(std::memcmp(whole.get(), parts.get(), static_cast<std::size_t>(count) * sizeof(T)) == 0);
}

TEST_CASE_TEMPLATE("random: vector and scalar forms agree, whatever the split", T, float, double, float16, bfloat16) {
  check_bits(Uniform<T>{stream});
  check_bits(Normal<T>{stream});
  check_bits(Exponential<T>{stream});
  check_bits(Bernoulli<T>::with_probability(stream, 0.25));
}
TEST_CASE_TEMPLATE("random: integers agree, whatever the split", T, uint8_t, int32_t, int64_t) {
  check_bits(Integers<T>::between(stream, T(3), T(100)));
  check_bits(Integers<T>::between(stream, std::numeric_limits<T>::min(), std::numeric_limits<T>::max()));
  check_bits(Bernoulli<bool>::with_probability(stream, 0.25));
}

TEST_CASE("random: nothing is written outside the range") {
  std::vector<float> values(40, -1.0f);
  internal::cpu::fill_random(Uniform<float>{stream}, values.data() + 7, 5, 21);
  for (std::size_t i = 0; i < values.size(); ++i) CHECK((values[i] == -1.0f) == (i < 7 || i >= 28));
  internal::cpu::fill_random(Uniform<float>{stream}, values.data(), 0, 0);
  CHECK(values[0] == -1.0f);
}

/// FNV-1a of the elements' bytes.
template <class D>
std::uint64_t hash(const D& distribution) {
  const auto values = draw(distribution, 0, many);
  std::vector<unsigned char> bytes(static_cast<std::size_t>(many) * sizeof(typename D::value_type));
  std::memcpy(bytes.data(), values.get(), bytes.size());
  std::uint64_t h = 1469598103934665603u;
  for (const unsigned char byte : bytes) h = (h ^ byte) * 1099511628211u;
  return h;
}

// The hashes were written down once, with g++ 12 and AVX-512. Every compiler, instruction set and setting of
// -ffp-contract must give them again: that is the promise that a seed gives the same numbers on every machine.
TEST_CASE("random: the same bits on every machine") {
  CHECK(hash(Uniform<float>{stream}) == 0xc5c0173f1665bfdbu);
  CHECK(hash(Uniform<double>{stream}) == 0xd8a086ef328e75beu);
  CHECK(hash(Normal<float>{stream}) == 0x667ead593b3deba8u);
  CHECK(hash(Normal<double>{stream}) == 0xe5f8228b3c9117d6u);
  CHECK(hash(Integers<std::int64_t>::between(stream, -10, 1000)) == 0xc4b172153738aa27u);
}

double mean(const std::vector<double>& v) {
  return std::accumulate(v.begin(), v.end(), 0.0) / static_cast<double>(v.size());
}

/// The mean of (x - center)^power.
double moment(const std::vector<double>& v, double center, int power) {
  double sum = 0;
  for (const double x : v) sum += std::pow(x - center, power);
  return sum / static_cast<double>(v.size());
}

/// The largest distance between the empirical and the expected distribution, times sqrt(n): above 1.95 with a
/// probability of 0.1%.
double kolmogorov_smirnov(std::vector<double> v, const std::function<double(double)>& expected) {
  std::sort(v.begin(), v.end());
  const auto n = static_cast<double>(v.size());
  double largest = 0;
  for (std::size_t i = 0; i < v.size(); ++i) {
    const double f = expected(v[i]);
    largest = std::max({largest, f - static_cast<double>(i) / n, static_cast<double>(i + 1) / n - f});
  }
  return largest * std::sqrt(n);
}

/// The correlation of each element with the one `lag` later, times sqrt(n): normal with variance 1 if independent.
double correlation(const std::vector<double>& v, std::size_t lag) {
  const double center = mean(v), variance = moment(v, center, 2);
  double sum = 0;
  for (std::size_t i = 0; i + lag < v.size(); ++i) sum += (v[i] - center) * (v[i + lag] - center);
  return sum / variance / std::sqrt(static_cast<double>(v.size()));
}

// The limits are 4.5 standard errors of a million samples; the seed is fixed, so the outcome is too.
TEST_CASE_TEMPLATE("random: moments and distribution of uniform numbers", T, float, double) {
  const std::vector<double> v = draw_as_double(Uniform<T>{stream}, many);
  CHECK(*std::min_element(v.begin(), v.end()) >= 0.0);
  CHECK(*std::max_element(v.begin(), v.end()) < 1.0);
  CHECK(std::abs(mean(v) - 0.5) < 4.5 * std::sqrt(1.0 / 12) / 1000);
  CHECK(std::abs(moment(v, 0.5, 2) - 1.0 / 12) < 4.5 * std::sqrt(1.0 / 180) / 1000);
  CHECK(kolmogorov_smirnov(v, [](double x) { return x; }) < 1.95);
  for (const std::size_t lag : {1u, 2u, 3u, 4u, 64u}) CHECK(std::abs(correlation(v, lag)) < 4.5);
}

TEST_CASE_TEMPLATE("random: moments and distribution of normal numbers", T, float, double) {
  const std::vector<double> v = draw_as_double(Normal<T>{stream}, many);
  CHECK(std::abs(mean(v)) < 4.5 / 1000);
  CHECK(std::abs(moment(v, 0, 2) - 1) < 4.5 * std::sqrt(2.0) / 1000);
  CHECK(std::abs(moment(v, 0, 3)) < 4.5 * std::sqrt(15.0) / 1000);
  CHECK(std::abs(moment(v, 0, 4) - 3) < 4.5 * std::sqrt(96.0) / 1000);
  CHECK(kolmogorov_smirnov(v, [](double x) { return 0.5 * std::erfc(-x / std::sqrt(2.0)); }) < 1.95);
  for (const std::size_t lag : {1u, 2u, 3u, 4u, 64u}) CHECK(std::abs(correlation(v, lag)) < 4.5);
  // the two of a pair share a radius: their squares must be uncorrelated too
  std::vector<double> squares;
  for (const double x : v) squares.push_back(x * x);
  CHECK(std::abs(correlation(squares, 1)) < 4.5);
  // a million normal numbers reach 4.5 and rarely 6
  const double largest = *std::max_element(v.begin(), v.end());
  CHECK(largest > 4.2);
  CHECK(largest < 6.2);
}

TEST_CASE("random: Box and Muller at the ends of its words") {
  using internal::math::box_muller;
  const auto smallest_u = box_muller<float>(0, 0);  // u = 2^-31, angle 0
  CHECK(smallest_u.first == doctest::Approx(std::sqrt(62 * std::log(2.0))).epsilon(1e-6));
  CHECK(smallest_u.second == 0.0f);
  const auto largest_u = box_muller<float>(-1, 0);  // u rounds to 1
  CHECK(largest_u.first == 0.0f);
  const auto tail = box_muller<double>(0, std::int64_t{1} << 62);  // second quadrant begins, minus half of one
  CHECK(std::hypot(tail.first, tail.second) == doctest::Approx(std::sqrt(106 * std::log(2.0))).epsilon(1e-14));
  CHECK(std::isfinite(box_muller<double>(-1, -1).first));
}

TEST_CASE("random: logarithm, sine and cosine of the normal numbers are accurate") {
  double log_error = 0, direction_error = 0;
  for (int i = 0; i < 100000; ++i) {
    const double u = (i + 0.5) / 100000;
    log_error = std::max(log_error, std::abs(internal::math::detail::fused_log(u) / std::log(u) - 1));
    const double s = u - 0.5;
    for (std::int64_t quadrant = 0; quadrant < 4; ++quadrant) {
      const auto [c, t] = internal::math::detail::fused_cos_sin<double>(quadrant, s);
      const double angle = (static_cast<double>(quadrant) + s) * std::acos(0.0);
      direction_error = std::max({direction_error, std::abs(c - std::cos(angle)), std::abs(t - std::sin(angle))});
    }
  }
  CHECK(log_error < 5e-16);
  CHECK(direction_error < 1.5e-15);  // most of it from rounding the angle of the reference
}

TEST_CASE_TEMPLATE("random: integers are even over their range", T, uint8_t, int32_t, int64_t) {
  const auto values = draw(Integers<T>::between(stream, T(7), T(27)), 0, many);
  std::vector<double> count(20, 0.0);
  bool inside = true;
  for (std::int64_t i = 0; i < many; ++i) {
    inside = inside && values.get()[i] >= T(7) && values.get()[i] < T(27);
    if (inside) ++count[static_cast<std::size_t>(values.get()[i] - T(7))];
  }
  CHECK(inside);
  double chi_square = 0;
  for (const double c : count) chi_square += (c - many / 20.0) * (c - many / 20.0) / (many / 20.0);
  CHECK(chi_square < 43.8);  // 19 degrees of freedom, 0.1%
}

TEST_CASE("random: integers at the edges of their range") {
  constexpr auto low = std::numeric_limits<std::int64_t>::min(), high = std::numeric_limits<std::int64_t>::max();
  const auto values = draw(Integers<std::int64_t>::between(stream, low, high), 0, 1000);
  CHECK(*std::min_element(values.get(), values.get() + 1000) < low / 2);
  CHECK(*std::max_element(values.get(), values.get() + 1000) > high / 2);
  const auto one = draw(Integers<std::int32_t>::between(stream, -3, -2), 0, 100);
  CHECK(std::all_of(one.get(), one.get() + 100, [](std::int32_t x) { return x == -3; }));
  // ranges on both sides of the switch between the two multiplications agree with the scalar form
  for (const std::int64_t range : {(std::int64_t{1} << 32) - 1, std::int64_t{1} << 32, (std::int64_t{1} << 32) + 1})
    check_bits(Integers<std::int64_t>::between(stream, 5, 5 + range));
}

TEST_CASE("random: Bernoulli") {
  for (const double p : {0.001, 0.3, 0.5, 0.9}) {
    const std::vector<double> v = draw_as_double(Bernoulli<bool>::with_probability(stream, p), many);
    CHECK(std::abs(mean(v) - p) < 4.5 * std::sqrt(p * (1 - p)) / 1000);
  }
  CHECK(mean(draw_as_double(Bernoulli<bool>::with_probability(stream, 0.0), many)) == 0.0);
  CHECK(mean(draw_as_double(Bernoulli<float>::with_probability(stream, 1.0), many)) == 1.0);
}

}  // namespace
