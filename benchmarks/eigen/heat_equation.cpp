// SPDX-License-Identifier: Apache-2.0
// examples/cookbook/heat_equation.cpp with Eigen: what its compile time is compared with.
#include <cmath>
#include <cstdio>
#include <numbers>

#include <Eigen/Core>

int main() {
  constexpr int cells = 32, steps = 400, inner = cells - 1;
  constexpr double h = 1.0 / cells, r = 0.2, pi = std::numbers::pi;
  const Eigen::ArrayXf wave = (static_cast<float>(pi) * Eigen::ArrayXf::LinSpaced(cells + 1, 0, 1)).sin();
  const Eigen::ArrayXXf start = (wave.matrix() * wave.matrix().transpose()).array();
  Eigen::ArrayXXf u = start;
  const double factor = 1 - 8 * r * std::pow(std::sin(pi * h / 2), 2);
  bool right = true;
  for (int done = 0; done < steps; done += 100) {
    for (int i = 0; i < 100; ++i) {
      const Eigen::ArrayXXf old = u;
      const auto part = [&](int row, int column) { return old.block(row, column, inner, inner); };
      u.block(1, 1, inner, inner) +=
          static_cast<float>(r) * (part(0, 1) + part(2, 1) + part(1, 0) + part(1, 2) - 4 * part(1, 1));
    }
    const double time = (done + 100) * r * h * h;
    const double middle = static_cast<double>(u(cells / 2, cells / 2));
    const double exact = std::exp(-2 * pi * pi * time);
    std::printf("time %.4f: %.5f in the middle, exact %.5f\n", time, middle, exact);
    right = right && std::abs(middle / exact - 1) < 5e-3;
  }
  const float error = (u - start * static_cast<float>(std::pow(factor, steps))).abs().maxCoeff();
  std::printf("largest error %.1e\n", static_cast<double>(error));
  return right && error < 1e-5f ? 0 : 1;
}
