// SPDX-License-Identifier: Apache-2.0
// The Poisson distribution as a function of an element's index: the same numbers on every machine.
#pragma once

#include <cstdint>

#include <situ/core/config.hpp>
#include <situ/core/lane.hpp>
#include <situ/core/philox.hpp>
#include <situ/formula/math/polynomial.hpp>
#include <situ/formula/math/random_normal.hpp>
#include <situ/formula/random.hpp>

namespace situ::internal::inline SITU_SETTINGS::math {

namespace detail {

// As in random_normal.hpp: a product is added through `fma` only, so that no compiler can contract the two.

/// e^x for x from -10 to 0. x = k log 2 + r, |r| <= log(2) / 2; the series of e^r, whose next term is 2^-58.
constexpr double fused_exp(double x) {
  const double k = floor(fma(x, 0x1.71547652b82fep+0, 0.5));
  const double r = fma(k, -0x1.abc9e3b39803fp-56, fma(k, -0x1.62e42fefa39efp-1, x));
  const double p =
      fused_polynomial(r, 1.0, 1.0, 1.0 / 2, 1.0 / 6, 1.0 / 24, 1.0 / 120, 1.0 / 720, 1.0 / 5040, 1.0 / 40320,
                       1.0 / 362880, 1.0 / 3628800, 1.0 / 39916800, 1.0 / 479001600, 1.0 / 6227020800);
  return p * from_bits<double>((static_cast<std::int64_t>(k) + 1023) << 52);
}

/// k log(k / mean) + mean - k, without the cancellation of its terms where k is near the mean: C. Loader, "Fast and
/// accurate computation of binomial probabilities" (2000).
constexpr double poisson_deviance(double k, double mean) {
  const double distance = k - mean, sum = k + mean;
  if (!(distance < 0.1 * sum && -distance < 0.1 * sum)) return fma(k, fused_log(k / mean), -distance);
  const double v = distance / sum, square = v * v;
  double power = 2 * k * v, series = 0;
  for (int j = 1; j < 20; ++j) {
    power *= square;
    series += power / (2 * j + 1);
  }
  return fma(distance, v, series);
}

/// The logarithm of the probability of k, at least 0.
constexpr double poisson_log_probability(double k, double mean) {
  if (k < 16) {
    double factorial = 1;  // exact
    for (int i = 2; i <= static_cast<int>(k); ++i) factorial *= i;
    return fma(k, fused_log(mean), -mean) - fused_log(factorial);
  }
  const double stirling = fused_polynomial(1 / (k * k), 1.0 / 12, -1.0 / 360, 1.0 / 1260, -1.0 / 1680) / k;
  return -0.5 * fused_log(6.283185307179586 * k) - (stirling + poisson_deviance(k, mean));
}

}  // namespace detail

/// The smallest k whose cumulative probability is at least `u`, for means below 10: by sequential search (L. Devroye,
/// "Non-uniform random variate generation", 1986, X.3).
constexpr std::int64_t poisson_by_search(double mean, double u) {
  double probability = detail::fused_exp(-mean), sum = probability;
  std::int64_t k = 0;
  for (; u > sum && k < 100; ++k) {  // beyond 100 there is less than what a number can be off
    const double factor = mean / static_cast<double>(k + 1);
    sum = fma(probability, factor, sum);
    probability *= factor;
  }
  return k;
}

/// One trial for means from 10 on, by two numbers of (0, 1): a number, or -1, which about one trial in eight gives. The
/// transformed rejection with squeeze PTRS of W. Hoermann, "The transformed rejection method for generating Poisson
/// random variables" (Insurance: Mathematics and Economics 12, 1993).
constexpr double poisson_trial(double mean, double first, double v) {
  const double b = fma(2.53, sqrt(mean), 0.931), a = fma(0.02483, b, -0.059);
  const double u = first - 0.5, us = 0.5 - (u < 0 ? -u : u);
  const double k = floor(fma(2 * a / us + b, u, mean + 0.43));
  if (us >= 0.07 && v <= 0.9277 - 3.6224 / (b - 2)) return k;
  if (k < 0 || (us < 0.013 && v > us)) return -1;
  const double inverse_alpha = 1.1239 + 1.1328 / (b - 3.4);
  const double height = v * inverse_alpha / (a / (us * us) + b);
  return detail::fused_log(height) <= detail::poisson_log_probability(k, mean) ? k : -1.0;
}

}  // namespace situ::internal::inline SITU_SETTINGS::math

namespace situ::internal::distribution {

/// Largest mean, far enough below 2^63 for all that is drawn.
inline constexpr double largest_poisson_mean = 0x1p62;

/// Poisson numbers of one mean, or of a mean for each element; -1 for an invalid one. Trial t of element i takes block
/// i + 2^48 t of the stream: no tensor has as many elements.
struct Poisson {
  RandomStream stream;
  double mean = 0;
  const double* means = nullptr;

  constexpr std::int64_t operator()(std::int64_t index) const {
    const double own = means == nullptr ? mean : means[index];
    if (!(own >= 0 && own <= largest_poisson_mean)) return -1;
    if (own < 10) return math::poisson_by_search(own, number(index, 0, 0));
    for (int trial = 0; trial < 1000; ++trial) {  // all are rejected once in 10^900
      const double k = math::poisson_trial(own, number(index, trial, 0), number(index, trial, 1));
      if (k >= 0) return static_cast<std::int64_t>(k);
    }
    return static_cast<std::int64_t>(own);
  }

 private:
  [[nodiscard]] constexpr double number(std::int64_t index, int trial, int place) const {
    const std::uint64_t at = static_cast<std::uint64_t>(index) + (static_cast<std::uint64_t>(trial) << 48);
    return math::middle_of_cell<double>(static_cast<std::int64_t>(detail::wide_word(stream.block(at), place)));
  }
};

}  // namespace situ::internal::distribution
