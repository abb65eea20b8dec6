// SPDX-License-Identifier: Apache-2.0
// Rows: steps of training, those of ../cpu/learning.hpp: forward, cross-entropy, backward, SGD with momentum; a step of
// Adam alone; a convolution.
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

/// A step of an optimiser, which reads and writes the parameter, its gradient and two states; before it the gradient of a
/// sum, for each step wants one of its own: the parameter is read, the gradient written.
void add_adam() {
  const std::int64_t n = size(std::int64_t{1} << 27, 1 << 12);
  add_memory("adam step fp32", 36.0 * static_cast<double>(n), [n] {
    const auto weight = std::make_shared<situ::Variable<float, Gpu>>(situ::randn<float>({n}, gpu<0>));
    const auto optimizer = std::make_shared<situ::optim::Adam<float, Gpu>>(*weight, situ::optim::AdamOptions{});
    return [weight, optimizer] { optimizer->step(*weight, situ::backward(situ::sum(*weight * 0.5f))); };
  });
}

void add_convolution() {
  const std::int64_t images = size(64, 1), channels = size(64, 4), side = size(56, 8);
  const double flops = 2.0 * 9 * static_cast<double>(images * channels * channels * side * side);
  const double bytes = 8.0 * static_cast<double>(images * channels * side * side);
  all_rows().push_back({"convolution 3x3 fp32", Clock::gpu, bytes, flops, [images, channels, side] {
                          return Peers{{"situ", [x = situ::randn<float>({images, channels, side, side}, gpu<0>),
                                                 w = situ::randn<float>({channels, channels, 3, 3}, gpu<0>),
                                                 b = situ::randn<float>({channels}, gpu<0>)] {
                                          const Tensor<float> y = situ::conv2d(x, w, b, {.padding = 1});
                                        }}};
                        }});
}

void add() {
  namespace nn = situ::nn;
  add_adam();
  add_convolution();
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
