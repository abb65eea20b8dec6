// SPDX-License-Identifier: Apache-2.0
// A classifier trained from a loader, with a progress bar.
// [program]
#include <situ/data.hpp>
#include <situ/nn.hpp>
#include <situ/optim.hpp>
#include <situ/situ.hpp>
#include <situ/train.hpp>

#include <cstdint>

using namespace situ;

int main() {
  Generator generator(1);
  Tensor points = randn<float>({1000, 2}, generator);
  Tensor inside = cast<std::int64_t>(norm(points, {1}) < 1.2f);  // 1 in a disk, 0 outside
  nn::Sequential net{nn::Linear(2, 16, generator), nn::Tanh(), nn::Linear(16, 2, generator)};
  optim::AdamW optimizer(net, {.learning_rate = 1e-2});
  const DataLoader loader(TensorDataset(points, inside), {.batch_size = 50, .shuffle = true});
  ProgressBar bar(20 * loader.batch_count(), {.unit = "batches"});
  for (std::int64_t epoch = 0; epoch < 20; ++epoch) {
    for (auto& [x, y] : loader.epoch(epoch)) {
      Variable loss = cross_entropy(net(x), y);
      optimizer.step(net, backward(loss));
      bar.advance(1, "loss", loss);
    }
  }
  bar.finish();
  const float right = mean(cast<float>(argmax(net(points).value(), 1) == inside)).item();
  print("right:", right);
  return right > 0.9f ? 0 : 1;
}
// [program-end]
