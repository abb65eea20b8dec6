// SPDX-License-Identifier: Apache-2.0
// Saves a network and its optimizer, and reads them back.
// [program]
#include <situ/io/checkpoint.hpp>
#include <situ/nn.hpp>
#include <situ/optim.hpp>
#include <situ/situ.hpp>
using namespace situ;

int main() {
  Generator generator(1);
  auto net = nn::Sequential{nn::Linear(3, 8, generator), nn::ReLU(), nn::Linear(8, 1, generator)};
  optim::Adam optimizer(net);
  Tensor x = rand<float>({16, 3}, generator);
  optimizer.step(net, backward(mean(square(net(x)))));
  save("model.safetensors", "net", net, "optimizer", optimizer);  // one file, replaced in one step

  auto other = nn::Sequential{nn::Linear(3, 8), nn::ReLU(), nn::Linear(8, 1)};
  optim::Adam its_optimizer(other);
  load("model.safetensors", "net", other, "optimizer", its_optimizer);
  const bool same = array_equal(net(x).value(), other(x).value()).item();
  print("the same:", same);
  return same ? 0 : 1;
}
// [program-end]
