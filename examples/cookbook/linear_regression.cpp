// SPDX-License-Identifier: Apache-2.0
// Linear regression: a curve through noisy points by least squares, and how far its coefficients can be trusted.
// Checked against the coefficients that the points were made with, the normal equations, and 500 curves through points
// with other noise, which are fitted in one call.
#include <cmath>
#include <cstdio>

#include <situ/linalg.hpp>
#include <situ/situ.hpp>

using namespace situ;

double largest(const TensorLike auto& x) { return max(abs(x)).to(cpu).item(); }

template <Device D>
bool run(D device) {
  Generator generator(1);
  // [regression]
  Tensor t = linspace<double>(0, 1, 200, device);
  Tensor y = 1 + 2 * t - 3 * square(t) + 0.1 * randn<double>({200}, device, generator);

  Tensor x = stack(ones_like(t), t, square(t), 1);  // (200, 3): a column for each coefficient
  Tensor c = lstsq(x, y);                           // the c of least |x c - y|: near 1, 2, -3
  // [regression-end]
  // [errors]
  Tensor variance = sum(square(matmul(x, c) - y)) / (200 - 3);
  Tensor errors = sqrt(variance * diagonal(inv(matmul(transpose(x), x))));
  // [errors-end]
  print("coefficients", c, "standard errors", errors);

  // [many]
  Tensor points = unsqueeze(1 + 2 * t - 3 * square(t), 1) + 0.1 * randn<double>({500, 200, 1}, device, generator);
  Tensor fits = lstsq(x, points);                   // (500, 3, 1): x is factored once
  // [many-end]
  const Tensor spread = stddev(squeeze(fits, -1), 0);
  print("spread of 500 fits", spread);

  const Tensor normal = cholesky_solve(cholesky(matmul(transpose(x), x)), matmul(transpose(x), y));
  return largest((c - tensor({1., 2., -3.}, device)) / errors) < 4 && largest(c - normal) < 1e-9 &&
         largest(spread / errors - 1) < 0.2;
}

int main(int argc, char** argv) {
  const auto device = parse_device(argc > 1 ? argv[1] : device_name(try_gpu()));
  return with_device(device, [](auto d) { return run(d); }) ? 0 : 1;
}
