// SPDX-License-Identifier: Apache-2.0
// One number added to a few others, printed: the least that a program does with LibTorch.
#include <iostream>

#include <torch/torch.h>

int main() {
  const torch::Tensor x = torch::ones({3});
  const torch::Tensor y = x + 1;
  std::cout << y << "\n";
}
