// SPDX-License-Identifier: Apache-2.0
// Principal components by power iteration: the directions in which points in five dimensions vary most. Prints the
// share of the variance that each explains, and checks that the components are orthonormal and make up the
// covariance, which plain loops compute again.
#include <algorithm>
#include <cmath>
#include <cstdio>

#include <situ/situ.hpp>

using namespace situ;

/// The eigenvectors of a symmetric matrix as rows, those of the largest eigenvalues first.
auto eigenvectors(const TensorLike auto& symmetric) {
  auto rest = eval(symmetric);
  auto vectors = eval(symmetric);
  for (std::int64_t i = 0; i < rest.extent(0); ++i) {
    auto v = eval(rest(0, all) / norm(rest(0, all)));
    for (int step = 0; step < 60; ++step) {
      v = matmul(rest, v);
      v /= norm(v);
    }
    vectors.at(i, all) = v;
    rest -= dot(v, matmul(rest, v)) * outer(v, v);  // what is left when this direction is taken out
  }
  return vectors;
}

auto covariance(const TensorLike auto& rows) {
  const Tensor centred = eval(rows - mean(rows, 0));
  return eval(matmul(transpose(centred), centred) / static_cast<double>(rows.extent(0) - 1));
}

/// The largest deviation from what the components must be.
double error(const Tensor<double>& x, const Tensor<double>& components, const Tensor<double>& variances) {
  const int n = static_cast<int>(x.extent(0)), d = static_cast<int>(x.extent(1));
  double worst = 0;
  for (int i = 0; i < d; ++i) {
    for (int j = 0; j < d; ++j) {
      double mean_i = 0, mean_j = 0, product = 0, rebuilt = 0, dot = 0;
      for (int k = 0; k < n; ++k) mean_i += x(k, i) / n, mean_j += x(k, j) / n;
      for (int k = 0; k < n; ++k) product += (x(k, i) - mean_i) * (x(k, j) - mean_j) / (n - 1);
      for (int k = 0; k < d; ++k) rebuilt += variances(k) * components(k, i) * components(k, j);
      for (int k = 0; k < d; ++k) dot += components(i, k) * components(j, k);
      worst = std::max({worst, std::abs(product - rebuilt), std::abs(dot - (i == j ? 1 : 0))});
    }
  }
  return worst;
}

template <Device D>
bool run(D device) {
  // Independent numbers of five scales, mixed.
  Generator generator(1);
  const Tensor scales = tensor({8., 4., 2., 1., 0.5}, device);
  const Tensor mixing = randn<double>({5, 5}, device, generator);
  const Tensor x = matmul(randn<double>({100, 5}, device, generator) * scales, mixing);

  const Tensor matrix = covariance(x);
  const Tensor components = eigenvectors(matrix);
  const Tensor variances = eval(sum(matmul(components, matrix) * components, 1));
  print(variances / sum(variances));
  const double worst = error(x.to(cpu), components.to(cpu), variances.to(cpu));
  std::printf("largest error %.1e\n", worst);
  return worst < 1e-9;
}

int main(int argc, char** argv) {
  const auto device = parse_device(argc > 1 ? argv[1] : device_name(try_gpu()));
  return with_device(device, [](auto d) { return run(d); }) ? 0 : 1;
}
