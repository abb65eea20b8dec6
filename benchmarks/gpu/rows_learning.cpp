// SPDX-License-Identifier: Apache-2.0
// Rows: steps of training, those of ../cpu/learning.hpp: forward, cross-entropy, backward, SGD with momentum.
#include <memory>

#include <situ/nn.hpp>
#include <situ/optim.hpp>

#include "rows.hpp"

namespace rows {

namespace {

template <class Net>
std::function<void()> step(Net net, const situ::Shape& shape) {
  const auto kept = std::make_shared<Net>(std::move(net));  // std::function wants to be copied
  const auto optimizer = std::make_shared<situ::optim::SGD<float, Gpu>>(
      *kept, situ::optim::SGDOptions{.learning_rate = 1e-3, .momentum = 0.9});
  return [kept, optimizer, x = situ::rand<float>(shape, gpu<0>),
          y = situ::randint<std::int64_t>(0, 10, {shape[0]}, gpu<0>)] {
    const situ::Variable<float, Gpu> loss = situ::cross_entropy((*kept)(x), y);
    optimizer->step(*kept, situ::backward(loss));
  };
}

void add() {
  namespace nn = situ::nn;
  for (const std::int64_t full : {64, 1024}) {
    const std::int64_t batch = size(full, 4);
    all_rows().push_back(
        {"training step, perceptron 784-256-10, batch " + std::to_string(full), Clock::gpu, 0, 0, [batch] {
           situ::Generator generator(1);
           return Peers{{"situ", step(nn::Sequential{nn::Linear(784, 256, gpu<0>, generator), nn::ReLU(),
                                                     nn::Linear(256, 10, gpu<0>, generator)},
                                      {batch, 784})}};
         }});
    all_rows().push_back(
        {"training step, convolutional 16-32, batch " + std::to_string(full), Clock::gpu, 0, 0, [batch] {
           situ::Generator generator(1);
           return Peers{
               {"situ", step(nn::Sequential{nn::Conv2d(1, 16, 3, {.padding = 1}, gpu<0>, generator), nn::ReLU(),
                                            nn::MaxPool2d(2), nn::Conv2d(16, 32, 3, {.padding = 1}, gpu<0>, generator),
                                            nn::ReLU(), nn::MaxPool2d(2), nn::Flatten(),
                                            nn::Linear(32 * 7 * 7, 10, gpu<0>, generator)},
                             {batch, 1, 28, 28})}};
         }});
  }
}

const Registered registered{&add};

}  // namespace

}  // namespace rows
