// SPDX-License-Identifier: Apache-2.0
// A Kalman filter: where 50 things are, and how fast they go, from noisy measurements of their places, all 50 at a
// time. Prints the errors of the measurements and of the filter, and checks that the filter's own idea of its error is
// right, and one track by a loop.
#include <cmath>
#include <cstdio>

#include <situ/linalg.hpp>
#include <situ/situ.hpp>

using namespace situ;

constexpr double noise = 1, jolt = 0.1;  // variances of a measurement, and of what changes the speed in a step

/// What is known after a measurement: the state, (n, 2, 1) for place and speed, and its covariance, (2, 2).
template <Device D>
struct Belief {
  Tensor<double, D> state, covariance;
};

/// A step of time, and the measurement (n, 1, 1) at its end.
template <Device D>
Belief<D> step(const Belief<D>& last, const Tensor<double, D>& measured) {
  const D device{};
  const Tensor f = tensor({{1., 1.}, {0., 1.}}, device);  // place += speed
  const Tensor h = tensor({{1., 0.}}, device);            // the place is measured
  const Tensor q = jolt * tensor({{0.25, 0.5}, {0.5, 1.}}, device);
  const Tensor state = matmul(f, last.state);
  const Tensor p = matmul(matmul(f, last.covariance), transpose(f)) + q;
  const Tensor s = matmul(matmul(h, p), transpose(h)) + noise;
  const Tensor gain = transpose(solve(s, matmul(h, p)));  // p h^T s^-1
  return {state + matmul(gain, measured - matmul(h, state)), matmul(eye<double>(2, device) - matmul(gain, h), p)};
}

/// The place of the first thing after the last measurement, with each number written out.
double by_loop(const Tensor<double>& measured) {
  double x = 0, v = 0, a = 10, b = 0, c = 10;  // covariance {{a, b}, {b, c}}
  for (std::int64_t t = 0; t < measured.extent(0); ++t) {
    x += v;
    const double p = a + 2 * b + c + jolt / 4, r = b + c + jolt / 2, w = c + jolt;
    const double k = p / (p + noise), l = r / (p + noise), surprise = measured(t, 0) - x;
    x += k * surprise, v += l * surprise;
    a = (1 - k) * p, b = (1 - k) * r, c = w - l * r;
  }
  return x;
}

template <Device D>
bool run(D device) {
  Generator generator(11);
  const Tensor jolts = std::sqrt(jolt) * randn<double>({60, 50}, device, generator);
  const Tensor speed = cumsum(jolts, 0);
  const Tensor place = cumsum(speed - jolts / 2, 0);
  const Tensor measured = place + randn<double>({60, 50}, device, generator);

  Belief<D> belief{zeros<double>({50, 2, 1}, device), 10 * eye<double>(2, device)};
  for (int t = 0; t < 60; ++t) belief = step<D>(belief, reshape(measured(t, all), {50, 1, 1}));

  const auto error_of = [&](const auto& guess) { return sqrt(mean(square(guess - place(59, all)))).to(cpu).item(); };
  const double raw = error_of(measured(59, all)), filtered = error_of(belief.state(all, 0, 0));
  const double believed = std::sqrt(belief.covariance.to(cpu)(0, 0));
  std::printf("error of the measurements %.2f, of the filter %.2f, which believes %.2f\n", raw, filtered, believed);
  return filtered < raw && std::abs(filtered - believed) < 0.25 * believed &&
         std::abs(by_loop(measured.to(cpu)) - belief.state.to(cpu)(0, 0, 0)) < 1e-9;
}

int main(int argc, char** argv) {
  const auto device = parse_device(argc > 1 ? argv[1] : device_name(try_gpu()));
  return with_device(device, [](auto d) { return run(d); }) ? 0 : 1;
}
