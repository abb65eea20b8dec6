// SPDX-License-Identifier: Apache-2.0
// situ: training steps.
#include "learning.hpp"

#include <memory>

#include <situ/nn.hpp>
#include <situ/optim.hpp>
#include <situ/situ.hpp>

namespace rows {

namespace {

using namespace situ;

template <class Net>
std::function<void()> step(Net net, const Shape& shape) {
  auto kept = std::make_shared<Net>(std::move(net));  // std::function wants to be copied
  const std::int64_t batch = shape[0];
  return [net = kept, optimizer = optim::SGD(*kept, {.learning_rate = learning::rate, .momentum = learning::momentum}),
          x = Tensor<float>(reshape(from_span<float>(random(shape.count(), 1)), shape)),
          y = from_span<std::int64_t>(learning::labels(batch))]() mutable {
    const Variable loss = cross_entropy((*net)(x), y);
    optimizer.step(*net, backward(loss));
    benchmark::DoNotOptimize(loss.value().item());
  };
}

void add_all() {
  set_num_threads(threads);
  for (const std::int64_t batch : learning::batches) {
    add(learning::with_batch(learning::perceptron, batch), "situ", [batch] {
      Generator generator(1);
      return step(nn::Sequential{nn::Linear(784, 256, generator), nn::ReLU(), nn::Linear(256, 10, generator)},
                  {batch, 784});
    });
    add(learning::with_batch(learning::convolutional, batch), "situ", [batch] {
      Generator generator(1);
      return step(nn::Sequential{nn::Conv2d(1, 16, 3, {.padding = 1}, cpu, generator), nn::ReLU(), nn::MaxPool2d(2),
                                 nn::Conv2d(16, 32, 3, {.padding = 1}, cpu, generator), nn::ReLU(), nn::MaxPool2d(2),
                                 nn::Flatten(), nn::Linear(32 * 7 * 7, 10, generator)},
                  {batch, 1, 28, 28});
    });
  }
}

const Registration here("learning", add_all);

}  // namespace

}  // namespace rows
