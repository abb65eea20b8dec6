// SPDX-License-Identifier: Apache-2.0
// A tensor as an Eigen matrix, and an Eigen expression as a tensor.
// [program]
#include <situ/interop/eigen.hpp>
#include <situ/situ.hpp>

#include <Eigen/Dense>

using namespace situ;

int main() {
  Tensor x = tensor({{1.f, 2.f}, {3.f, 4.f}});
  Eigen::RowVector2f means = eigen(x).colwise().mean();  // Eigen reads the tensor's memory: no copy
  Tensor centered = x - means;                           // an Eigen object is an operand beside a tensor
  Tensor inverse = from_eigen(eigen(x).inverse());       // what Eigen computes, as a tensor
  print(centered);
  print(inverse);
  return max(abs(matmul(x, inverse) - eye<float>(2))).item() < 1e-5f ? 0 : 1;
}
// [program-end]
