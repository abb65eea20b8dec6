// SPDX-License-Identifier: Apache-2.0
// Prices of two options by Monte Carlo: a European call, and an Asian one on the geometric mean of twelve months.
// Prints each with its standard error beside the closed form, of which it must be within three standard errors.
#include <cmath>
#include <cstdio>
#include <numbers>

#include <situ/situ.hpp>

using namespace situ;

constexpr double spot = 100, strike = 105, rate = 0.03, volatility = 0.2, years = 1;
constexpr int months = 12, paths = 20000;

/// E[max(exp(X) - strike, 0)], discounted, of a normal X: Black and Scholes' formula.
double closed_form(double mean, double deviation) {
  const auto normal = [](double x) { return std::erfc(-x / std::numbers::sqrt2) / 2; };
  const double d = (mean - std::log(strike)) / deviation;
  const double price = std::exp(mean + deviation * deviation / 2) * normal(d + deviation) - strike * normal(d);
  return std::exp(-rate * years) * price;
}

/// Compares what the paths paid with the exact price.
bool check(const char* name, const TensorLike auto& payoff, double exact) {
  const double discount = std::exp(-rate * years);
  const double price = discount * mean(payoff).to(cpu).item();
  const double error = discount * stddev(payoff, Ddof{1}).to(cpu).item() / std::sqrt(static_cast<double>(paths));
  std::printf("%s: %.3f +- %.3f, exact %.3f\n", name, price, error, exact);
  return std::abs(price - exact) < 3 * error && error < 0.02 * exact;
}

template <Device D>
bool run(D device) {
  constexpr double month = years / months, drift = (rate - volatility * volatility / 2) * month;
  const Tensor steps = randn<float>({paths, months}, device, Generator(11));
  // The logarithm of the price at the end of each month, along the second axis.
  const Tensor logs = cumsum(steps * (volatility * std::sqrt(month)) + drift, 1) + std::log(spot);

  // A mean of normal numbers is normal: month j counts in (months - j) / months of the mean, j = 0, 1, ...
  double variance = 0;
  for (int j = 1; j <= months; ++j) variance += std::pow(volatility * j / months, 2) * month;
  const double total = drift * months, european_deviation = volatility * std::sqrt(years);
  const bool european = check("European call", maximum(exp(logs(all, -1)) - strike, 0),
                              closed_form(std::log(spot) + total, european_deviation));
  const bool asian = check("Asian call", maximum(exp(mean(logs, 1)) - strike, 0),
                           closed_form(std::log(spot) + drift * (months + 1) / 2, std::sqrt(variance)));
  return european && asian;
}

int main(int argc, char** argv) {
  const auto device = parse_device(argc > 1 ? argv[1] : device_name(try_gpu()));
  return with_device(device, [](auto d) { return run(d); }) ? 0 : 1;
}
