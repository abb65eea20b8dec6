// SPDX-License-Identifier: Apache-2.0
// examples/cookbook/monte_carlo.cpp with LibTorch: what its compile time is compared with.
#include <cmath>
#include <cstdio>
#include <numbers>

#include <torch/torch.h>

constexpr double spot = 100, strike = 105, rate = 0.03, volatility = 0.2, years = 1;
constexpr int months = 12, paths = 20000;

double closed_form(double mean, double deviation) {
  const auto normal = [](double x) { return std::erfc(-x / std::numbers::sqrt2) / 2; };
  const double d = (mean - std::log(strike)) / deviation;
  const double price = std::exp(mean + deviation * deviation / 2) * normal(d + deviation) - strike * normal(d);
  return std::exp(-rate * years) * price;
}

bool check(const char* name, const torch::Tensor& payoff, double exact) {
  const double discount = std::exp(-rate * years);
  const double price = discount * payoff.mean().item<float>();
  const double error = discount * payoff.std().item<float>() / std::sqrt(static_cast<double>(paths));
  std::printf("%s: %.3f +- %.3f, exact %.3f\n", name, price, error, exact);
  return std::abs(price - exact) < 3 * error && error < 0.02 * exact;
}

int main() {
  constexpr double month = years / months, drift = (rate - volatility * volatility / 2) * month;
  torch::manual_seed(11);
  const torch::Tensor steps = torch::randn({paths, months});
  const torch::Tensor logs = (steps * (volatility * std::sqrt(month)) + drift).cumsum(1) + std::log(spot);
  double variance = 0;
  for (int j = 1; j <= months; ++j) variance += std::pow(volatility * j / months, 2) * month;
  const double total = drift * months, european_deviation = volatility * std::sqrt(years);
  const bool european = check("European call", (logs.select(1, -1).exp() - strike).clamp_min(0),
                              closed_form(std::log(spot) + total, european_deviation));
  const bool asian = check("Asian call", (logs.mean(1).exp() - strike).clamp_min(0),
                           closed_form(std::log(spot) + drift * (months + 1) / 2, std::sqrt(variance)));
  return european && asian ? 0 : 1;
}
