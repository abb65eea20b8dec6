// SPDX-License-Identifier: Apache-2.0
// Learns a product of two numbers by Adam.
// [program]
#include <situ/nn.hpp>
#include <situ/optim.hpp>
#include <situ/situ.hpp>
using namespace situ;

int main() {
  Generator generator(1);
  nn::Sequential net{nn::Linear(2, 32, generator), nn::Tanh(), nn::Linear(32, 1, generator)};
  optim::Adam optimizer(net, {.learning_rate = 1e-2});
  Tensor x = 2 * rand<float>({256, 2}, generator) - 1;
  Tensor y = x(all, range(0, 1)) * x(all, range(1, 2));
  for (int step = 0; step < 200; ++step) optimizer.step(net, backward(mse_loss(net(x), y)));
  Variable loss = mse_loss(net(x), y);
  print("loss:", loss);
  return loss.item() < 0.02f ? 0 : 1;
}
// [program-end]
