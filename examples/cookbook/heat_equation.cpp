// SPDX-License-Identifier: Apache-2.0
// The heat equation on a square plate with cold edges, by explicit finite differences. Prints the temperature in the
// middle as time goes on beside the exact solution, of which it must be within half a percent; and checks the whole
// plate against the exact solution of the difference equation, of which it must be within rounding.
#include <cmath>
#include <cstdio>
#include <numbers>

#include <situ/situ.hpp>

using namespace situ;

/// One step: every inner point moves towards the mean of its four neighbours. All of `u` is read before it is written.
template <Device D>
void step(Tensor<float, D>& u, float r) {
  const IndexRange in = range(1, -1), before = range(0, -2), after = range(2, IndexRange::none);
  u.at(in, in) += r * (u(before, in) + u(after, in) + u(in, before) + u(in, after) - 4 * u(in, in));
}

template <Device D>
bool run(D device) {
  constexpr int cells = 32, steps = 400;
  constexpr double h = 1.0 / cells, r = 0.2, pi = std::numbers::pi;  // r = time step / h^2, stable up to 1/4
  const Tensor wave = eval(sin(static_cast<float>(pi) * linspace<float>(0, 1, cells + 1, device)));
  const Tensor start = outer(wave, wave);
  Tensor u = start;

  // `start` is an eigenvector of the difference operator: a step multiplies it by this number.
  const double factor = 1 - 8 * r * std::pow(std::sin(pi * h / 2), 2);
  bool right = true;
  for (int done = 0; done < steps; done += 100) {
    for (int i = 0; i < 100; ++i) step(u, static_cast<float>(r));
    const double time = (done + 100) * r * h * h;
    const double middle = u.element(cells / 2, cells / 2).to(cpu).item();
    const double exact = std::exp(-2 * pi * pi * time);
    std::printf("time %.4f: %.5f in the middle, exact %.5f\n", time, middle, exact);
    right = right && std::abs(middle / exact - 1) < 5e-3;
  }
  const float error = max(abs(u - start * static_cast<float>(std::pow(factor, steps)))).to(cpu).item();
  std::printf("largest error %.1e\n", static_cast<double>(error));
  return right && error < 1e-5f;
}

int main(int argc, char** argv) {
  const auto device = parse_device(argc > 1 ? argv[1] : device_name(try_gpu()));
  return with_device(device, [](auto d) { return run(d); }) ? 0 : 1;
}
