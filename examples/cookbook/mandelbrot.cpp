// SPDX-License-Identifier: Apache-2.0
// The Mandelbrot set: how many steps of z = z^2 + c each point of the plane stays near 0, all points at a time. Prints
// it in letters, and checks every point by a plain loop.
#include <cstdio>

#include <situ/situ.hpp>

using namespace situ;

constexpr int limit = 40;

/// The steps until |z| > 2, `limit` for those that never get there.
auto steps_of(const TensorLike auto& real, const TensorLike auto& imaginary) {
  const Tensor x = real + zeros_like(imaginary), y = imaginary + zeros_like(real);  // every c
  Tensor a = zeros_like(x), b = zeros_like(x);                                      // every z
  Tensor steps = cast<int>(zeros_like(x));
  for (int i = 0; i < limit; ++i) {
    const Tensor near = a * a + b * b <= 4;
    const Tensor next = where(near, a * a - b * b + x, a);
    b = where(near, 2 * a * b + y, b);
    a = next;
    steps += cast<int>(near);
  }
  return steps;
}

int by_loop(double x, double y) {
  double a = 0, b = 0;
  int steps = 0;
  for (; steps < limit && a * a + b * b <= 4; ++steps) {
    const double next = a * a - b * b + x;
    b = 2 * a * b + y;
    a = next;
  }
  return steps;
}

template <Device D>
bool run(D device) {
  const Tensor real = linspace<double>(-2.2, 0.8, 61, device), imaginary = linspace<double>(-1.2, 1.2, 25, device);
  const Tensor steps = steps_of(real, unsqueeze(imaginary, 1)).to(cpu);
  const Tensor x = real.to(cpu), y = imaginary.to(cpu);
  int different = 0, inside = 0;
  for (std::int64_t row = 0; row < steps.extent(0); ++row) {
    for (std::int64_t column = 0; column < steps.extent(1); ++column) {
      const int found = steps(row, column);
      std::putchar(" .:-=+*#%@"[found * 9 / limit]);
      different += found != by_loop(x(column), y(row));
      inside += found == limit;
    }
    std::putchar('\n');
  }
  // At the border the last bit decides, and a GPU rounds a * a - b * b once where a loop rounds it twice.
  std::printf("%d points inside, %d otherwise than by a loop\n", inside, different);
  return different <= 3 && inside > 200;
}

int main(int argc, char** argv) {
  const auto device = parse_device(argc > 1 ? argv[1] : device_name(try_gpu()));
  return with_device(device, [](auto d) { return run(d); }) ? 0 : 1;
}
