// SPDX-License-Identifier: Apache-2.0
// One number added to a few others, printed: the least that a program does with Eigen.
#include <iostream>

#include <Eigen/Core>

int main() {
  const Eigen::ArrayXf x = Eigen::ArrayXf::Ones(3);
  const Eigen::ArrayXf y = x + 1;
  std::cout << y << "\n";
}
