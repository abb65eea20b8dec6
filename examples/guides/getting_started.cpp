// SPDX-License-Identifier: Apache-2.0
// Standardizes the columns of a matrix.
// [program]
#include <situ/situ.hpp>
using namespace situ;

int main() {
  Tensor x = tensor({{1.f, 2.f, 3.f}, {4.f, 5.f, 7.f}});  // Tensor<float, Cpu>, shape (2, 3)
  Tensor y = (x - mean(x, 0)) / stddev(x, 0);             // element-wise work is one pass over memory
  Tensor z = matmul(y, transpose(x));                     // (2, 2)
  print(y);
  print(z);
  return max(abs(mean(y, 0))).item() < 1e-6f ? 0 : 1;
}
// [program-end]
