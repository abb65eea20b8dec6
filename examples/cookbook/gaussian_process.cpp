// SPDX-License-Identifier: Apache-2.0
// A Gaussian process: a smooth curve through noisy points, with its uncertainty. How wide, how high and how noisy the
// curve is comes from the points: the logarithm of their marginal likelihood is maximised by its gradients (C. E.
// Rasmussen and C. K. I. Williams, Gaussian Processes for Machine Learning, 2006, algorithm 2.1 and section 5.4).
// Checked against the curve that the points were made from, the noise that was added, and the likelihood by a
// determinant and a system.
#include <cmath>
#include <cstdio>
#include <numbers>

#include <situ/autograd.hpp>
#include <situ/linalg.hpp>
#include <situ/situ.hpp>

using namespace situ;

/// Logarithms of what the process is described by: variables while it is sought, then tensors.
template <class X>
struct Parameters {
  X height, width, noise;
};

// [covariance]
/// exp(2 height) exp(-(x - z)^2 / (2 exp(2 width))) of every x with every z.
auto covariance(const TensorLike auto& x, const TensorLike auto& z, const auto& p) {
  return eval(exp(2 * p.height - square(unsqueeze(x, 1) - z) * exp(-2 * p.width) / 2));
}

/// The lower factor of the covariance of noisy points at x.
auto factor(const TensorLike auto& x, const auto& p) {
  return cholesky(covariance(x, x, p) + exp(2 * p.noise) * eye<double>(x.size(), x.device()));
}

/// log p(y | x): of |y|^2 in the metric of the covariance, and of its determinant.
auto log_likelihood(const TensorLike auto& x, const TensorLike auto& y, const auto& p) {
  const auto l = factor(x, p);
  const auto whitened = solve_triangular(l, y, Triangle::lower);
  return eval(-sum(square(whitened)) / 2 - sum(log(diagonal(l))) -
              static_cast<double>(x.size()) / 2 * std::log(2 * std::numbers::pi));
}
// [covariance-end]

template <Device D>
bool run(D device) {
  constexpr double noise = 0.1;
  Generator generator(3);
  const Tensor x = rand<double>({40}, device, generator) * 6;
  const Tensor y = sin(x) + noise * randn<double>({40}, device, generator);

  // [ascent]
  Parameters<Variable<double, D>> p{Variable(zeros<double>({}, device)), Variable(zeros<double>({}, device)),
                                    Variable(zeros<double>({}, device))};
  for (int step = 0; step < 150; ++step) {
    const Variable likelihood = log_likelihood(x, y, p);
    const Gradients gradients = backward(likelihood / static_cast<double>(x.size()));
    for (Variable<double, D>* v : {&p.height, &p.width, &p.noise}) {
      v->update([&](auto& value) { value += 0.3 * gradients[*v]; });
    }
    if (step % 50 == 0) print("step", step, "log likelihood", likelihood);
  }
  // [ascent-end]
  // [prediction]
  const Parameters<Tensor<double, D>> found{p.height.value(), p.width.value(), p.noise.value()};
  const Tensor z = linspace<double>(0.5, 5.5, 50, device);
  const Tensor l = factor(x, found);
  const Tensor across = covariance(x, z, found);                                     // (40, 50)
  const Tensor mean = matmul(transpose(across), cholesky_solve(l, y));
  const Tensor variance = exp(2 * found.height) - sum(square(solve_triangular(l, across, Triangle::lower)), 0);
  // [prediction-end]
  const Tensor error = mean - sin(z);
  const double worst = max(abs(error)).to(cpu).item();
  const double deviations = max(abs(error) / sqrt(variance)).to(cpu).item();
  const double found_noise = exp(found.noise).to(cpu).item();
  std::printf("noise %.3f (added: %.3f); the mean is off by at most %.3f, %.1f standard deviations\n", found_noise,
              noise, worst, deviations);

  const Tensor matrix = matmul(l, transpose(l));
  const double n = static_cast<double>(x.size());
  const double direct =
      -0.5 * (dot(y, solve(matrix, y)) + slogdet(matrix).logabsdet + n * std::log(2 * std::numbers::pi)).to(cpu).item();
  const bool same = std::abs(direct - log_likelihood(x, y, found).to(cpu).item()) < 1e-9 * n;
  return same && std::abs(found_noise - noise) < 0.05 && worst < 0.15 && deviations < 4;
}

int main(int argc, char** argv) {
  const auto device = parse_device(argc > 1 ? argv[1] : device_name(try_gpu()));
  return with_device(device, [](auto d) { return run(d); }) ? 0 : 1;
}
