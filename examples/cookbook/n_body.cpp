// SPDX-License-Identifier: Apache-2.0
// Stars that attract each other, by the leapfrog scheme: the forces of all pairs are one broadcast expression, which a
// sum reads in the pass that computes it. Prints the energy, and checks that it and the momentum stay, and the forces
// by plain loops.
#include <cmath>
#include <cstdio>

#include <situ/situ.hpp>

using namespace situ;

constexpr double softening = 0.05;  // squared, so that stars that meet do not fling each other away

/// The acceleration of every star (n, 3) by all others.
auto acceleration(const TensorLike auto& place, const TensorLike auto& mass) {
  const auto apart = unsqueeze(place, 0) - unsqueeze(place, 1);        // (n, n, 3), an expression: nothing is computed
  const Tensor squared = sum(square(apart), 2, keepdims) + softening;  // (n, n, 1)
  return eval(sum(apart * (unsqueeze(mass, 1) / (squared * sqrt(squared))), 1));
}

auto energy(const TensorLike auto& place, const TensorLike auto& speed, const TensorLike auto& mass) {
  const Tensor squared = sum(square(unsqueeze(place, 0) - unsqueeze(place, 1)), 2) + softening;
  const Tensor pairs = triu(outer(mass, mass) / sqrt(squared), 1);
  return eval(sum(mass * sum(square(speed), 1)) / 2 - sum(pairs));
}

/// The largest difference from the sums of Newton's law.
double error(const Tensor<double>& found, const Tensor<double>& place, const Tensor<double>& mass) {
  double worst = 0;
  for (std::int64_t i = 0; i < place.extent(0); ++i) {
    for (std::int64_t axis = 0; axis < 3; ++axis) {
      double expected = 0;
      for (std::int64_t j = 0; j < place.extent(0); ++j) {
        double squared = softening;
        for (std::int64_t k = 0; k < 3; ++k) squared += std::pow(place(j, k) - place(i, k), 2);
        expected += mass(j) * (place(j, axis) - place(i, axis)) / std::pow(squared, 1.5);
      }
      worst = std::fmax(worst, std::abs(found(i, axis) - expected));
    }
  }
  return worst;
}

template <Device D>
bool run(D device) {
  Generator generator(3);
  const Tensor mass = rand<double>({24}, device, generator) / 24;
  Tensor place = randn<double>({24, 3}, device, generator);
  Tensor speed = 0.3 * randn<double>({24, 3}, device, generator);
  speed -= sum(unsqueeze(mass, 1) * speed, 0) / sum(mass);  // the middle of all rests

  const double before = energy(place, speed, mass).to(cpu).item();
  const double step = 0.02;
  Tensor force = acceleration(place, mass);
  for (int i = 0; i < 100; ++i) {
    speed += step / 2 * force;
    place += step * speed;
    force = acceleration(place, mass);
    speed += step / 2 * force;
  }
  const double after = energy(place, speed, mass).to(cpu).item();
  const double momentum = max(abs(sum(unsqueeze(mass, 1) * speed, 0))).to(cpu).item();
  std::printf("energy %.6f, after 100 steps %.6f; momentum %.1e\n", before, after, momentum);
  return std::abs(after - before) < 1e-4 * std::abs(before) && momentum < 1e-14 &&
         error(force.to(cpu), place.to(cpu), mass.to(cpu)) < 1e-12;
}

int main(int argc, char** argv) {
  const auto device = parse_device(argc > 1 ? argv[1] : device_name(try_gpu()));
  return with_device(device, [](auto d) { return run(d); }) ? 0 : 1;
}
