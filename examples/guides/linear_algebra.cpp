// SPDX-License-Identifier: Apache-2.0
// Solves a system, and says how well.
// [program]
#include <situ/linalg.hpp>
#include <situ/situ.hpp>
using namespace situ;

int main() {
  Tensor a = tensor({{4., 1., 0.}, {1., 3., 1.}, {0., 1., 2.}});
  Tensor b = tensor({1., 2., 3.});
  Tensor x = solve(a, b);                  // A x = b
  const auto [values, vectors] = eigh(a);  // eigenvalues ascend
  print(x);
  print("condition:", values(2) / values(0));
  return max(abs(matmul(a, x) - b)).item() < 1e-12 ? 0 : 1;
}
// [program-end]
