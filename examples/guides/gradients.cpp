// SPDX-License-Identifier: Apache-2.0
// Fits a line by gradient descent.
// [program]
#include <situ/autograd.hpp>
#include <situ/situ.hpp>
using namespace situ;

int main() {
  Tensor x = linspace<float>(-1, 1, 100);
  Tensor y = 3 * x + 2;
  Variable w(zeros<float>({})), b(zeros<float>({}));  // parameters
  for (int step = 0; step < 200; ++step) {
    Variable loss = mse_loss(w * x + b, y);
    Gradients g = backward(loss);  // a map from parameters to tensors
    w.update([&](auto& value) { value -= 0.3f * g[w]; });
    b.update([&](auto& value) { value -= 0.3f * g[b]; });
  }
  print("y =", w.item(), "x +", b.item());
  return max(abs(w.value() - 3)).item() < 1e-3f ? 0 : 1;
}
// [program-end]
