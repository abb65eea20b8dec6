// SPDX-License-Identifier: Apache-2.0
// Exponential and Poisson numbers: the same bits on every machine and with any number of threads, moments, and the
// distribution by chi-square at fixed seeds.
// labels: values
#include <doctest/doctest.h>

#include <algorithm>
#include <cmath>
#include <concepts>
#include <cstdint>
#include <limits>
#include <vector>

#include <situ/situ.hpp>

namespace {

using namespace situ;
using internal::distribution::Exponential;
using internal::distribution::Poisson;

/// FNV-1a of the elements' bytes.
template <class T>
std::uint64_t hash(const Tensor<T>& x) {
  std::uint64_t h = 1469598103934665603u;
  for (const std::byte byte : std::as_bytes(x.span())) h = (h ^ std::to_integer<std::uint64_t>(byte)) * 1099511628211u;
  return h;
}

double log_probability(double k, double mean) { return k * std::log(mean) - mean - std::lgamma(k + 1); }

// The hashes were written down once, with g++ 12: every compiler, instruction set and setting of -ffp-contract must give
// them again.
TEST_CASE("exponential and Poisson numbers have the same bits on every machine") {
  CHECK(hash(exponential<float>({100000}, Generator(20240607, 11))) == 0xcba3ef59f35a736eu);
  CHECK(hash(exponential<double>({100000}, Generator(20240607, 11))) == 0xa94f8914565a0a3cu);
  CHECK(hash(poisson(3.25, {100000}, Generator(20240607, 11))) == 0xd40ab0951aac8c41u);
  CHECK(hash(poisson(1234.5, {100000}, Generator(20240607, 11))) == 0xb808ddba8b48333bu);
  CHECK(hash(poisson(exponential<double>({100000}, Generator(1)) * 20.0, Generator(20240607, 11))) == 0x18cfe4814ac1b696u);
}

TEST_CASE("an element depends on seed, draw and position alone, with any number of threads") {
  const int threads = num_threads();
  const auto draw = [] {
    Generator generator(7);
    const Tensor a = exponential<float>({100003}, generator);
    const Tensor b = poisson<std::int64_t>(42.0, {3, 30001}, generator);
    const Tensor c = poisson<float>(a * 30.f, generator);
    CHECK(generator.draws() == 3);
    return std::vector<std::uint64_t>{hash(a), hash(b), hash(c)};
  };
  set_num_threads(1);
  const auto one = draw();
  set_num_threads(5);
  CHECK(draw() == one);
  set_num_threads(threads);
  const Tensor x = exponential<double>({1000}, Generator(42, 3));
  const Tensor n = poisson(25.0, {1000}, pinned, Generator(42, 3)).to<Cpu>();
  bool equal = true;
  for (std::int64_t i = 0; i < 1000; ++i) {
    equal = equal && x(i) == Exponential<double>{{42, 3}}(i) && n(i) == Poisson{{42, 3}, 25.0}(i);
  }
  CHECK(equal);
  // one mean for all is that mean for each
  CHECK(array_equal(poisson(full<double>({1000}, 25.0), Generator(42, 3)), n).item());
  CHECK(array_equal(poisson(full<double>({1000}, 2.5), Generator(4)), poisson(2.5, {1000}, Generator(4))).item());
}

TEST_CASE_TEMPLATE("exponential numbers have their moments and distribution", T, float16, bfloat16, float, double) {
  const Tensor<double> x = cast<double>(exponential<T>({1000000}, Generator(3)));
  CHECK(min(x).item() >= 0);
  CHECK(max(x).item() < 37);
  CHECK(max(x).item() > 11);
  // five standard errors; bfloat16 has steps of 2^-8
  const double step = sizeof(T) == 2 ? 0x1p-9 : 0;
  CHECK(std::abs(mean(x).item() - 1) < 0.005 + step);
  CHECK(std::abs(var(x).item() - 1) < 5 * std::sqrt(8.0) / 1000 + step);
  CHECK(std::abs(mean(x * x * x).item() - 6) < 5 * std::sqrt(684.0) / 1000 + 6 * step);
  if constexpr (sizeof(T) > 2) {
    const Tensor<double> sorted = sort(x);
    const Tensor<double> expected = 1.0 - exp(-sorted);
    const Tensor<double> empirical = (arange<double>(1000000) + 0.5) / 1e6;
    CHECK(max(abs(expected - empirical)).item() * 1000 < 1.95);  // Kolmogorov and Smirnov, 0.1 %
  }
}

TEST_CASE("the logarithm of a probability, next to the standard library's gamma function") {
  using internal::math::detail::fused_exp;
  using internal::math::detail::poisson_log_probability;
  for (double x = -10; x <= 0; x += 0.01) CHECK(fused_exp(x) == doctest::Approx(std::exp(x)).epsilon(4e-16));
  for (const double mean : {10.0, 31.7, 1e3, 1e6}) {
    for (double k = 0; k < mean + 12 * std::sqrt(mean) + 10; k += k < 40 ? 1 : std::ceil(mean / 50)) {
      CAPTURE(mean);
      CAPTURE(k);
      const double wanted = log_probability(k, mean);
      CHECK(std::abs(poisson_log_probability(k, mean) - wanted) < 1e-14 * (std::abs(wanted) + std::abs(k * std::log(mean))) + 1e-13);
    }
  }
}

/// Chi-square of counts in bins that hold at least 50 each, less its degrees of freedom, in its standard deviations.
double excess_of_chi_square(double mean, const Tensor<std::int64_t>& x) {
  const double deviation = std::sqrt(mean) + 1;
  const auto low = static_cast<std::int64_t>(std::max(0.0, mean - 12 * deviation));
  const auto high = static_cast<std::int64_t>(mean + 12 * deviation) + 12;
  std::vector<double> counts(static_cast<std::size_t>(high - low + 1));
  for (const std::int64_t k : x) {
    REQUIRE((k >= low && k <= high));
    ++counts[static_cast<std::size_t>(k - low)];
  }
  double sum = 0, found = 0, expected = 0;
  int bins = 0;
  const double all_of_them = static_cast<double>(x.size());
  double left = all_of_them;
  for (std::int64_t k = low; k <= high; ++k) {
    const double share = all_of_them * std::exp(mean == 0 ? (k == 0 ? 0.0 : -1e9) : log_probability(static_cast<double>(k), mean));
    found += counts[static_cast<std::size_t>(k - low)];
    expected += share;
    left -= share;
    if (expected < 50 || left < 50) continue;
    sum += (found - expected) * (found - expected) / expected;
    found = expected = 0;
    ++bins;
  }
  if (expected > 0) sum += (found - expected) * (found - expected) / expected;
  return (sum - bins) / std::sqrt(2.0 * std::max(bins, 1));
}

TEST_CASE("Poisson numbers have their moments and distribution, below and above the means that search and reject") {
  std::uint64_t seed = 100;
  for (const double mean : {0.01, 0.7, 3.0, 9.99, 10.0, 10.5, 17.0, 64.0, 250.0, 3000.0, 1e5}) {
    CAPTURE(mean);
    const Tensor<std::int64_t> x = poisson(mean, {400000}, Generator(++seed));
    const Tensor<double> numbers = cast<double>(x);
    CHECK(std::abs(situ::mean(numbers).item() - mean) < 4.5 * std::sqrt(mean / 400000));
    CHECK(std::abs(situ::mean(square(numbers - mean)).item() - mean) < 4.5 * std::sqrt((mean + 2 * mean * mean) / 400000));
    CHECK(excess_of_chi_square(mean, x) < 4);
  }
}

TEST_CASE("the largest means, whose logarithms would cancel") {
  for (const double mean : {1e9, 1e12, 1e15, 0x1p62}) {
    CAPTURE(mean);
    const Tensor<double> x = (cast<double>(poisson(mean, {100000}, Generator(5))) - mean) / std::sqrt(mean);
    CHECK(std::abs(situ::mean(x).item()) < 4.5 / std::sqrt(1e5));
    CHECK(std::abs(situ::mean(square(x)).item() - 1) < 4.5 * std::sqrt(2e-5));
    CHECK(std::abs(situ::mean(square(square(x))).item() - 3) < 4.5 * std::sqrt(96e-5));
  }
}

TEST_CASE("element types, shapes, zero means and errors") {
  static_assert(std::same_as<decltype(poisson(1.0, {2}, pinned)), Tensor<std::int64_t, Pinned>>);
  static_assert(std::same_as<decltype(poisson<float>(zeros({2}))), Tensor<float, Cpu>>);
  static_assert(std::same_as<decltype(exponential({2})), Tensor<float, Cpu>>);
  CHECK(sum(poisson(0.0, {1000})).item() == 0);
  CHECK(poisson(5.0, {0, 3}).shape() == Shape{0, 3});
  CHECK(poisson(zeros<float16>({0, 3})).shape() == Shape{0, 3});
  CHECK(array_equal(cast<std::int64_t>(poisson<float16>(20.0, {500}, Generator(1))), poisson(20.0, {500}, Generator(1))).item());
  CHECK(min(poisson<std::uint8_t>(1000.0, {50})).item() == 255);  // does not wrap
  const Tensor<float> brightness = transpose(reshape(arange<float>(12), {3, 4}));
  const Tensor<std::int64_t> photons = poisson(brightness, Generator(2));
  CHECK(photons.shape() == Shape{4, 3});
  CHECK(photons(0, 0) == 0);
  CHECK(photons(3, 2) == Poisson{{2, 0}, 11.0}(11));
  Generator generator(1);
  CHECK_THROWS_WITH_AS(static_cast<void>(poisson(-1.0, {2}, generator)), doctest::Contains("poisson: the mean -1 is not in"), ValueError);
  CHECK_THROWS_AS(static_cast<void>(poisson(std::nan(""), {2}, generator)), ValueError);
  CHECK_THROWS_AS(static_cast<void>(poisson(std::numeric_limits<double>::infinity(), {2})), ValueError);
  CHECK_THROWS_WITH_AS(static_cast<void>(poisson(tensor({1.f, -1.f}), generator)), doctest::Contains("a mean in the tensor of shape (2,)"), ValueError);
  CHECK_THROWS_AS(static_cast<void>(exponential<float>({-1}, generator)), ShapeError);
  set_seed(5);
  const Tensor a = exponential({3}), b = exponential({3}, pinned).to<Cpu>();
  CHECK(array_equal(a, exponential({3}, Generator(5))).item());
  CHECK(array_equal(b, exponential({3}, Generator(5, 1))).item());
  CHECK(array_equal(poisson(3.0, {3}), poisson(3.0, {3}, Generator(5, 2))).item());
  CHECK(array_equal(poisson(full({3}, 3.f)), poisson(3.0, {3}, Generator(5, 3))).item());
}

}  // namespace
