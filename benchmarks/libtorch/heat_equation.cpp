// SPDX-License-Identifier: Apache-2.0
// examples/cookbook/heat_equation.cpp with LibTorch: what its compile time is compared with.
#include <cmath>
#include <cstdio>
#include <numbers>

#include <torch/torch.h>

/// One step: every inner point moves towards the mean of its four neighbours.
void step(torch::Tensor& u, float r) {
  using torch::indexing::None;
  using torch::indexing::Slice;
  const Slice in(1, -1), before(0, -2), after(2, None);
  u.index_put_({in, in}, u.index({in, in}) + r * (u.index({before, in}) + u.index({after, in}) + u.index({in, before}) +
                                                  u.index({in, after}) - 4 * u.index({in, in})));
}

int main() {
  constexpr int cells = 32, steps = 400;
  constexpr double h = 1.0 / cells, r = 0.2, pi = std::numbers::pi;
  const torch::Tensor wave = torch::sin(pi * torch::linspace(0, 1, cells + 1));
  const torch::Tensor start = torch::outer(wave, wave);
  torch::Tensor u = start.clone();
  const double factor = 1 - 8 * r * std::pow(std::sin(pi * h / 2), 2);
  bool right = true;
  for (int done = 0; done < steps; done += 100) {
    for (int i = 0; i < 100; ++i) step(u, static_cast<float>(r));
    const double time = (done + 100) * r * h * h;
    const double middle = u.index({cells / 2, cells / 2}).item<float>();
    const double exact = std::exp(-2 * pi * pi * time);
    std::printf("time %.4f: %.5f in the middle, exact %.5f\n", time, middle, exact);
    right = right && std::abs(middle / exact - 1) < 5e-3;
  }
  const float error = (u - start * std::pow(factor, steps)).abs().max().item<float>();
  std::printf("largest error %.1e\n", static_cast<double>(error));
  return right && error < 1e-5f ? 0 : 1;
}
