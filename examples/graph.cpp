// SPDX-License-Identifier: Apache-2.0
// Gradient descent whose step is captured once and then launched as a whole, of a weight and of a network: on a GPU, or emulated where there is none.
#include <cstdio>
#include <string>
#include <tuple>

#include <situ/graph.hpp>
#include <situ/nn.hpp>
#include <situ/optim.hpp>
#include <situ/situ.hpp>

using namespace situ;

// [step]
/// One step of gradient descent for the mean squared error of y = x w.
struct Step {
  float rate;

  auto operator()(const TensorLike auto& w, const TensorLike auto& x, const TensorLike auto& y) const {
    Tensor error = matmul(x, w) - y;
    return eval(w - rate * 2.f / static_cast<float>(x.extent(0)) * matmul(transpose(x), error));
  }
};
// [step-end]

static Tensor<float> train() {
  Generator generator(7);
  // [train]
  Tensor truth = tensor({{2.f}, {-3.4f}, {0.5f}}).to<Cuda<0>>();
  Tensor w = zeros<float>({3, 1}, gpu<0>);
  Tensor x = randn<float>({64, 3}, gpu<0>, generator);

  auto step = capture<Cuda<0>>(Step{0.1f}, w, x, matmul(x, truth));  // runs it once, records it, changes nothing
  for (int i = 0; i < 60; ++i) {
    w = step(w, x, matmul(x, truth));              // one launch; w is a value as ever
    x = randn<float>({64, 3}, gpu<0>, generator);  // beside the graph
  }
  // [train-end]
  std::printf("%zu nodes, %zu bytes of its own\n", step.nodes(), step.memory());
  return w.to<Cpu>();
}

/// The mean squared error of a network that has learned the same: whole steps of training in a graph.
static float learn_by_network() {
  Generator generator(8);
  const Tensor truth = tensor({{2.f}, {-3.4f}, {0.5f}}).to<Cuda<0>>();
  const Tensor x = randn<float>({64, 3}, gpu<0>, generator);
  // [learn]
  nn::Sequential net{nn::Linear(3, 16, gpu<0>, generator), nn::BatchNorm(16, gpu<0>), nn::ReLU(),
                     nn::Dropout(0.1, Generator(9)), nn::Linear(16, 1, gpu<0>, generator)};
  optim::AdamW optimizer(net);
  const optim::WarmUp schedule(5, optim::CosineRate{.from = 0.1, .steps = 75});
  auto learn = capture<Cuda<0>>(
      [](auto& network, auto& adam, const auto& inputs, const auto& targets, const auto& rate) {
        const Variable loss = mse_loss(network(inputs), targets);
        Gradients gradients = backward(loss);
        optim::clip_by_norm(gradients, network, 1.0);
        adam.step(network, gradients, rate);
        return loss.value();
      },
      carry(net, optimizer), x, matmul(x, truth), full<double>({}, 0, gpu<0>));
  for (int i = 0; i < 80; ++i) learn(x, matmul(x, truth), full<double>({}, schedule(i), gpu<0>));  // one launch
  std::tie(net, optimizer) = learn.carried();
  // [learn-end]
  return mse_loss(net.eval()(x), matmul(x, truth)).value().to<Cpu>().item();
}

int main() {
  if (!is_available<Cuda<0>>()) {
    std::puts("no GPU");
    return 0;
  }
  const Tensor<float> w = train();
  print(w);
  const Tensor<float> expected = tensor({{2.f}, {-3.4f}, {0.5f}});
  const float error = learn_by_network();
  std::printf("a network: %.4f\n", static_cast<double>(error));
  return all(abs(w - expected) < 1e-3f).item() && error < 0.5f ? 0 : 1;
}
