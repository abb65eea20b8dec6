// SPDX-License-Identifier: Apache-2.0
// What the rows of docs/guide/coming-from.md are about, and how values are shown; `check.py` makes functions of them.
#pragma once

#include <cstdio>
#include <string>
#include <type_traits>

#include <Eigen/Dense>
#include <situ/autograd.hpp>
#include <situ/einsum.hpp>
#include <situ/fft.hpp>
#include <situ/indexing.hpp>
#include <situ/linalg.hpp>
#include <situ/nn/linear.hpp>
#include <situ/order.hpp>
#include <situ/situ.hpp>

/// The names of the page.
struct Situ {
  situ::Tensor<float> x = situ::tensor({{1.f, 2.f, 3.f}, {4.f, 5.f, 6.f}});
  situ::Tensor<float> y = situ::tensor({{0.5f, -1.f, 2.f}, {0.f, 3.f, 1.f}});
  situ::Tensor<float> z = situ::tensor({{1.f, -2.f}, {0.5f, 1.f}, {2.f, 0.f}});
  situ::Tensor<float> v = situ::tensor({1.f, 0.5f, -2.f});
  situ::Tensor<double> a = situ::tensor({{4., 1., 0.}, {1., 3., 1.}, {0., 1., 2.}});
  situ::Tensor<double> b = situ::tensor({1., 2., 3.});
  situ::Tensor<std::int64_t> i = situ::tensor<std::int64_t>(std::vector<std::int64_t>{2, 0});
  situ::Tensor<std::int64_t> j =
      situ::reshape(situ::tensor<std::int64_t>(std::vector<std::int64_t>{0, 2, 1, 1}), {2, 2});
  situ::Tensor<bool> m = x > 2;
  situ::Tensor<float> image = situ::reshape(situ::arange<float>(384) % 7, {2, 3, 8, 8});
};

/// The same of Eigen's types.
struct Eigens {
  Eigen::MatrixXf x = (Eigen::MatrixXf(2, 3) << 1, 2, 3, 4, 5, 6).finished();
  Eigen::MatrixXf y = (Eigen::MatrixXf(2, 3) << 0.5f, -1, 2, 0, 3, 1).finished();
  Eigen::MatrixXf z = (Eigen::MatrixXf(3, 2) << 1, -2, 0.5f, 1, 2, 0).finished();
  Eigen::VectorXf v = (Eigen::VectorXf(3) << 1, 0.5f, -2).finished();
  Eigen::MatrixXd a = (Eigen::MatrixXd(3, 3) << 4, 1, 0, 1, 3, 1, 0, 1, 2).finished();
  Eigen::VectorXd b = (Eigen::VectorXd(3) << 1, 2, 3).finished();
};

/// Prints "row side shape; values": what `check.py` compares.
class Row {
 public:
  Row(int line, const char* side) : line_(line), side_(side) {}

  template <class T>
  void show(const T& value) const {
    if constexpr (situ::TensorLike<T>) {
      const situ::Tensor there = situ::eval(value);
      const situ::Tensor here = situ::cast<double>(there.to(situ::cpu));
      begin();
      for (const std::int64_t extent : here.shape()) std::printf(" %lld", static_cast<long long>(extent));
      std::printf(";");
      for (const double element : here) std::printf(" %.9g", element);
      std::printf("\n");
    } else if constexpr (std::is_arithmetic_v<T>) {
      begin();
      std::printf("; %.9g\n", static_cast<double>(value));
    } else if constexpr (requires { value.eval(); }) {  // Eigen's
      const auto matrix = value.eval();
      begin();
      std::printf(" %lld %lld;", static_cast<long long>(matrix.rows()), static_cast<long long>(matrix.cols()));
      for (Eigen::Index row = 0; row < matrix.rows(); ++row) {
        for (Eigen::Index column = 0; column < matrix.cols(); ++column) {
          std::printf(" %.9g", static_cast<double>(matrix(row, column)));
        }
      }
      std::printf("\n");
    }
  }

 private:
  void begin() const { std::printf("%d %s", line_, side_); }

  int line_;
  const char* side_;
};
