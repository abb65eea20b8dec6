// SPDX-License-Identifier: Apache-2.0
// Optimisers, and training on two devices; the pieces that docs/guide/optimisers.md quotes.
#include <cstdio>

#include <situ/parallel.hpp>

using namespace situ;

namespace {

/// What the network is to find: y = (x0 - x1, x1 x2).
struct Batch {
  Tensor<float> x, y;
};
Batch make_batch(Generator& generator) {
  const Tensor x = randn<float>({64, 3}, generator);
  return {x, stack(x(all, 0) - x(all, 1), x(all, 1) * x(all, 2), 1)};
}

auto make_network(Generator& generator) {
  return nn::Sequential{nn::Linear(3, 32, generator), nn::Tanh(), nn::Linear(32, 2, generator)};
}

constexpr int steps = 300;

float train_on_one() {
  Generator generator(1);
  // [training]
  auto net = make_network(generator);
  optim::AdamW optimizer(net, {.learning_rate = 1e-2, .weight_decay = 1e-3});
  const optim::WarmUp schedule(20, optim::CosineRate{.from = 1e-2, .steps = steps});
  Tensor<float> loss;
  for (int step = 0; step < steps; ++step) {
    const auto [x, y] = make_batch(generator);
    Variable error = mse_loss(net(x), y);
    Gradients gradients = backward(error);
    optim::clip_by_norm(gradients, net, 1.0);  // gives the norm, which stays on the device
    optimizer.learning_rate = schedule(optimizer.step_count());
    optimizer.step(net, gradients);
    loss = error.value();
  }
  // [training-end]
  return loss.item();
}

void parts() {
  Generator generator(1);
  auto net = make_network(generator);
  const auto [x, y] = make_batch(generator);
  // [parts]
  optim::SGD body(layer<0>(net), {.learning_rate = 1e-3});
  optim::SGD head(layer<2>(net), {.learning_rate = 1e-1, .momentum = 0.9, .nesterov = true});
  const Gradients gradients = backward(mse_loss(net(x), y));
  body.step(layer<0>(net), gradients);
  head.step(layer<2>(net), gradients);

  Variable w(zeros<float>({3})), b(zeros<float>({}));  // without a module
  optim::Adam optimizer(std::tie(w, b));
  optimizer.step(std::tie(w, b), backward(mean(square(matmul(x, w) + b - y(all, 0)))));
  // [parts-end]
}

template <Device First, Device Second>
float train_on_two() {
  Generator generator(1);
  const auto net = make_network(generator);
  // [parallel]
  DataParallel parallel = data_parallel<First, Second>(net);
  auto optimizers = parallel.replicate(optim::AdamW(net, {.learning_rate = 1e-2}));
  const auto loss_of = [](auto& replica, const auto& x, const auto& y) { return mse_loss(replica(x), y); };
  Tensor<float, First> loss;
  for (int step = 0; step < steps; ++step) {
    const auto [x, y] = make_batch(generator);
    auto [mean, gradients] = parallel.backward(loss_of, x, y);  // of each device's rows; then the same on both
    parallel.step(optimizers, gradients);
    loss = mean;
  }
  Tensor weight = layer<0>(parallel.module()).weight.value();  // the replicas are equal
  // [parallel-end]
  return weight.size() == 96 ? loss.to(cpu).item() : 1;
}

}  // namespace

int main() {
  const float one = train_on_one();
  const float two = is_available<Cuda<1>>() ? train_on_two<Cuda<0>, Cuda<1>>() : train_on_two<Cpu, Cpu>();
  parts();
  std::printf("error after %d steps: %.4f on one device, %.4f on two\n", steps, one, two);
  return one < 0.1f && two < 0.1f ? 0 : 1;
}
