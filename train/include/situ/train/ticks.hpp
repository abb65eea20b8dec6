// SPDX-License-Identifier: Apache-2.0
// Where the axes of a picture have their ticks.
#pragma once

#include <cmath>
#include <vector>

namespace situ::internal::train {

/// Multiples of 1, 2 or 5 times a power of ten between two numbers, about `count` of them.
[[nodiscard]] inline std::vector<double> ticks(double low, double high, int count) {
  const double raw = (high - low) / count;
  const double power = std::pow(10.0, std::floor(std::log10(raw)));
  double step = 10 * power;
  for (const double factor : {1.0, 2.0, 5.0}) {
    if (raw <= factor * power * (1 + 1e-9)) {
      step = factor * power;
      break;
    }
  }
  std::vector<double> found;
  for (double i = std::ceil(low / step - 1e-9); i * step <= high + 1e-9 * step; ++i)
    found.push_back(i * step + 0.0);  // never -0
  return found;
}

/// Powers of ten between two logarithms, and 2 and 5 times those if they are few.
[[nodiscard]] inline std::vector<double> logarithmic_ticks(double low, double high) {
  std::vector<double> found;
  const double decades = high - low;
  if (decades < 0.5) {  // as on a linear axis
    for (const double value : ticks(std::pow(10.0, low), std::pow(10.0, high), 5)) {
      if (value > 0) found.push_back(std::log10(value));
    }
    return found;
  }
  const double every = std::ceil(decades / 8);
  for (double power = std::floor(low); power <= high; power += every) {
    for (const double factor : {1.0, 2.0, 5.0}) {
      const double at = power + std::log10(factor);
      if ((factor == 1 || decades < 3) && at >= low && at <= high) found.push_back(at);
    }
  }
  return found;
}

}  // namespace situ::internal::train
