// SPDX-License-Identifier: Apache-2.0
// A few lines of NumPy, and what they are here.
// [program]
#include <situ/situ.hpp>
using namespace situ;

int main() {
  Tensor x = rand<float>({100, 3}, Generator(1));  // x = np.random.default_rng(1).random((100, 3), np.float32)
  Tensor z = (x - mean(x, 0)) / stddev(x, 0);      // z = (x - x.mean(0)) / x.std(0)
  Tensor c = matmul(transpose(z), z) / 100;        // c = z.T @ z / 100
  z.at(all, 0) = 0.f;                              // z[:, 0] = 0
  print(c);                                        // print(c)
  return max(abs(diagonal(c) - 1)).item() < 1e-3f ? 0 : 1;
}
// [program-end]
