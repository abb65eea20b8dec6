// SPDX-License-Identifier: Apache-2.0
// Logistic regression by Newton's method: the probability of a yes, from three numbers, with standard errors. Prints
// the coefficients, and checks by plain loops that the likelihood has its top there.
#include <cmath>
#include <cstdio>

#include <situ/linalg.hpp>
#include <situ/situ.hpp>

using namespace situ;

/// The coefficients (d,) of the most likely model of `y`, zeros and ones (n,), by `x` (n, d); their standard errors.
template <Device D>
auto logistic_regression(const Tensor<double, D>& x, const Tensor<double, D>& y) {
  struct Fit {
    Tensor<double, D> coefficients, errors;
    int steps;
  };
  Tensor w = zeros<double>({x.extent(1)}, x.device());
  for (int step = 1;; ++step) {
    const Tensor p = sigmoid(matmul(x, w));
    const Tensor slope = matmul(transpose(x), y - p);
    const Tensor information = matmul(transpose(x), x * unsqueeze(p * (1 - p), 1));  // minus the second derivative
    const Tensor change = cholesky_solve(cholesky(information), slope);
    w += change;
    if (max(abs(change)).to(cpu).item() < 1e-10) return Fit{w, sqrt(diagonal(inv(information))), step};
  }
}

template <Device D>
bool run(D device) {
  Generator generator(2);
  const Tensor truth = tensor({0.5, -1., 2.}, device);
  const Tensor x = concat(ones<double>({400, 1}, device), randn<double>({400, 2}, device, generator), 1);
  const Tensor y = cast<double>(rand<double>({400}, device, generator) < sigmoid(matmul(x, truth)));
  const auto fit = logistic_regression(x, y);
  print("coefficients", fit.coefficients);
  print("standard errors", fit.errors);
  std::printf("after %d steps\n", fit.steps);

  const Tensor rows = x.to(cpu), answers = y.to(cpu), w = fit.coefficients.to(cpu), errors = fit.errors.to(cpu);
  bool right = fit.steps < 12;
  for (int k = 0; k < 3; ++k) {
    double slope = 0;
    for (int i = 0; i < 400; ++i) {
      const double p = 1 / (1 + std::exp(-(rows(i, 0) * w(0) + rows(i, 1) * w(1) + rows(i, 2) * w(2))));
      slope += rows(i, k) * (answers(i) - p);
    }
    right = right && std::abs(slope) < 1e-9 && std::abs(w(k) - truth.to(cpu)(k)) < 3 * errors(k);
  }
  return right;
}

int main(int argc, char** argv) {
  const auto device = parse_device(argc > 1 ? argv[1] : device_name(try_gpu()));
  return with_device(device, [](auto d) { return run(d); }) ? 0 : 1;
}
