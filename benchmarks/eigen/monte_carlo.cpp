// SPDX-License-Identifier: Apache-2.0
// examples/cookbook/monte_carlo.cpp with Eigen: what its compile time is compared with.
#include <cmath>
#include <cstdio>
#include <numbers>
#include <random>

#include <Eigen/Core>

constexpr double spot = 100, strike = 105, rate = 0.03, volatility = 0.2, years = 1;
constexpr int months = 12, paths = 20000;

double closed_form(double mean, double deviation) {
  const auto normal = [](double x) { return std::erfc(-x / std::numbers::sqrt2) / 2; };
  const double d = (mean - std::log(strike)) / deviation;
  const double price = std::exp(mean + deviation * deviation / 2) * normal(d + deviation) - strike * normal(d);
  return std::exp(-rate * years) * price;
}

bool check(const char* name, const Eigen::ArrayXf& payoff, double exact) {
  const double discount = std::exp(-rate * years);
  const double mean = static_cast<double>(payoff.mean());
  const double square = static_cast<double>((payoff - payoff.mean()).square().sum());
  const double price = discount * mean;
  const double error = discount * std::sqrt(square / (paths - 1)) / std::sqrt(static_cast<double>(paths));
  std::printf("%s: %.3f +- %.3f, exact %.3f\n", name, price, error, exact);
  return std::abs(price - exact) < 3 * error && error < 0.02 * exact;
}

int main() {
  constexpr double month = years / months, drift = (rate - volatility * volatility / 2) * month;
  std::mt19937 generator(11);
  std::normal_distribution<float> normal;
  const Eigen::ArrayXXf steps = Eigen::ArrayXXf::NullaryExpr(paths, months, [&] { return normal(generator); });
  Eigen::ArrayXXf logs = steps * static_cast<float>(volatility * std::sqrt(month)) + static_cast<float>(drift);
  logs.col(0) += static_cast<float>(std::log(spot));
  for (int i = 1; i < months; ++i) logs.col(i) += logs.col(i - 1);
  double variance = 0;
  for (int j = 1; j <= months; ++j) variance += std::pow(volatility * j / months, 2) * month;
  const double total = drift * months, european_deviation = volatility * std::sqrt(years);
  const auto payoff = [](const auto& last) { return (last.exp() - static_cast<float>(strike)).max(0.f); };
  const bool european =
      check("European call", payoff(logs.col(months - 1)), closed_form(std::log(spot) + total, european_deviation));
  const bool asian = check("Asian call", payoff(logs.rowwise().mean()),
                           closed_form(std::log(spot) + drift * (months + 1) / 2, std::sqrt(variance)));
  return european && asian ? 0 : 1;
}
