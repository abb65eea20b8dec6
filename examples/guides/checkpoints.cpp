// SPDX-License-Identifier: Apache-2.0
// The program that docs/guide/checkpoints.md begins with.
// [program]
#include <situ/data.hpp>
#include <situ/io/checkpoint.hpp>
#include <situ/nn.hpp>
#include <situ/optim.hpp>
#include <situ/situ.hpp>

#include <cstdint>
#include <filesystem>

using namespace situ;

/// Trains up to an epoch: from the checkpoint, if there is one.
float train(const std::filesystem::path& path, std::int64_t epochs) {
  Generator generator(1);
  Tensor points = rand<float>({64, 3}, generator);
  Tensor sums = sum(points, 1, keepdims);
  nn::Sequential net{nn::Linear(3, 16, generator), nn::ReLU(), nn::Dropout(0.1, Generator(2)),
                     nn::Linear(16, 1, generator)};
  Generator& drops = layer<2>(net).generator.value();
  optim::Adam optimizer(net);
  const DataLoader loader(TensorDataset(points, sums), {.batch_size = 16, .shuffle = true, .seed = 3});
  std::int64_t epoch = 0;
  if (std::filesystem::exists(path)) load(path, "net", net, "optimizer", optimizer, "drops", drops, "epoch", epoch);
  float last = 0;
  while (epoch < epochs) {
    for (auto& [x, y] : loader.epoch(epoch)) {
      Variable loss = mse_loss(net(x), y);
      optimizer.step(net, backward(loss));
      last = loss.item();
    }
    ++epoch;
    save(path, "net", net, "optimizer", optimizer, "drops", drops, "epoch", epoch);  // replaced in one step
  }
  return last;
}

int main() {
  std::filesystem::remove("straight.safetensors");
  std::filesystem::remove("model.safetensors");
  const float straight = train("straight.safetensors", 4);
  train("model.safetensors", 2);                        // the run ends here, or is killed in its third epoch ...
  const float resumed = train("model.safetensors", 4);  // ... and another one begins with the third epoch
  print("the same loss:", straight, resumed);
  return straight == resumed ? 0 : 1;
}
// [program-end]
