// SPDX-License-Identifier: Apache-2.0
// Scores and their gradients by a small network.
// [program]
#include <situ/nn.hpp>
#include <situ/situ.hpp>

#include <cstdint>

using namespace situ;

int main() {
  Generator generator(42);
  nn::Sequential net{nn::Linear(8, 32, generator), nn::ReLU(), nn::Linear(32, 3, generator)};
  Tensor x = rand<float>({16, 8}, generator);
  Tensor labels = randint<std::int64_t>(0, 3, {16}, generator);
  Variable loss = cross_entropy(net(x), labels);
  Gradients gradients = backward(loss);
  print("parameters:", net.parameter_count(), "loss:", loss);
  return gradients[layer<0>(net).weight].shape() == layer<0>(net).weight.shape() ? 0 : 1;
}
// [program-end]
