// SPDX-License-Identifier: Apache-2.0
// LibTorch's C++ interface: training steps, eager.
#include "learning.hpp"

#include <torch/nn.h>
#include <torch/optim/sgd.h>
#include <torch/utils.h>

namespace rows {

namespace {

namespace nn = torch::nn;

std::function<void()> step(nn::Sequential net, const std::vector<std::int64_t>& shape) {
  std::int64_t count = 1;
  for (const std::int64_t extent : shape) count *= extent;
  std::vector<float> values = random(count, 1);
  std::vector<std::int64_t> classes = learning::labels(shape[0]);
  auto optimizer = std::make_shared<torch::optim::SGD>(
      net->parameters(), torch::optim::SGDOptions(learning::rate).momentum(learning::momentum));
  return [net, optimizer, x = torch::from_blob(values.data(), shape, torch::kFloat).clone(),
          y = torch::from_blob(classes.data(), {shape[0]}, torch::kLong).clone()]() mutable {
    optimizer->zero_grad();
    const torch::Tensor loss = nn::functional::cross_entropy(net->forward(x), y);
    loss.backward();
    optimizer->step();
    benchmark::DoNotOptimize(loss.item<float>());
  };
}

void add_all() {
  torch::set_num_threads(threads);
  for (const std::int64_t batch : learning::batches) {
    add(learning::with_batch(learning::perceptron, batch), "libtorch",
        [batch] { return step(nn::Sequential(nn::Linear(784, 256), nn::ReLU(), nn::Linear(256, 10)), {batch, 784}); });
    add(learning::with_batch(learning::convolutional, batch), "libtorch", [batch] {
      const auto convolution = [](int in, int out) { return nn::Conv2d(nn::Conv2dOptions(in, out, 3).padding(1)); };
      return step(nn::Sequential(convolution(1, 16), nn::ReLU(), nn::MaxPool2d(2), convolution(16, 32), nn::ReLU(),
                                 nn::MaxPool2d(2), nn::Flatten(), nn::Linear(32 * 7 * 7, 10)),
                  {batch, 1, 28, 28});
    });
  }
}

const Registration here("learning", add_all);

}  // namespace

}  // namespace rows
