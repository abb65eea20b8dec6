// SPDX-License-Identifier: Apache-2.0
// A module of one's own: a small residual network, written once for any device, learns 1,797 handwritten digits. And the
// pieces that docs/guide/networks.md quotes. Fails when fewer than 90 % of the test digits are recognised.
#include <cstdint>
#include <cstdio>
#include <exception>
#include <string>

#include <situ/csv.hpp>
#include <situ/nn.hpp>
#include <situ/optim.hpp>

using namespace situ;

namespace {


// [module]
/// Images plus what two convolutions make of them.
template <Device D, int Channels>
struct Residual : nn::Module<Residual<D, Channels>> {
  nn::Conv2d<float, D> first{Channels, Channels, 3, {.padding = 1}};
  nn::BatchNorm<float, D> norm{Channels};
  nn::Conv2d<float, D> second{Channels, Channels, 3, {.padding = 1}};

  static constexpr auto members() {
    return nn::members("first", &Residual::first, "norm", &Residual::norm, "second", &Residual::second);
  }

  template <class X>
  Variable<float, D> operator()(const X& x) {
    return relu(x + second(relu(norm(first(x)))));
  }
};

template <Device D>
struct Net : nn::Module<Net<D>> {
  nn::Conv2d<float, D> stem{1, 8, 3, {.stride = 2, .padding = 1}};
  Residual<D, 8> block;
  nn::Dropout dropout{0.1};
  nn::Linear<float, D> head{8 * 4 * 4, 10};

  static constexpr auto members() {
    return nn::members("stem", &Net::stem, "block", &Net::block, "dropout", &Net::dropout, "head", &Net::head);
  }

  template <class X>
  Variable<float, D> operator()(const X& images) {
    return head(flatten(dropout(block(relu(stem(images)))), 1));
  }
};
// [module-end]

/// Images of shape (rows, 1, 8, 8) with values in [0, 1], and their labels of shape (rows,).
template <Device D>
struct Digits {
  Tensor<float, D> images;
  Tensor<std::int64_t, D> labels;
};

/// Reads rows of 64 pixel values from 0 to 16 and a label, separated by commas.
Digits<Cpu> read_digits(const std::string& path) {
  const Tensor table = load_csv<float>(path);
  return {reshape(table(all, range(0, 64)) / 16, {-1, 1, 8, 8}), cast<std::int64_t>(table(all, 64))};
}

// [train]
template <Device D>
void train(Net<D>& net, const Digits<D>& digits, int epochs, Generator& generator, D device) {
  optim::SGD optimizer(net, {.learning_rate = 0.05, .momentum = 0.9});
  constexpr std::int64_t batch = 64;
  const std::int64_t rows = digits.labels.size();
  net.train();
  for (int epoch = 0; epoch < epochs; ++epoch) {
    const Tensor order = permutation(rows, device, generator);
    for (std::int64_t begin = 0; begin + batch <= rows; begin += batch) {
      const Tensor chosen = order(range(begin, begin + batch));
      const Variable loss = cross_entropy(net(take(digits.images, chosen, 0)), take(digits.labels, chosen, 0));
      optimizer.step(net, backward(loss));
    }
  }
  net.eval();
}
// [train-end]

/// Trains and tests on one device; gives the accuracy.
template <Device D>
float run(const Digits<Cpu>& digits, D device) {
  const std::int64_t half = digits.labels.size() / 2;
  const auto part = [&](IndexRange rows) {
    return Digits<D>{digits.images(rows, all, all, all).to(device), digits.labels(rows).to(device)};
  };
  set_seed(1);
  Generator generator(2);
  Net<D> net;
  std::printf("%d parameters on %s\n", static_cast<int>(net.parameter_count()), device_name(device).c_str());
  train(net, part(range(0, half)), 12, generator, device);
  const Digits<D> test = part(range(half, IndexRange::none));
  const Tensor found = argmax(constant(net)(test.images).value(), 1);
  const float accuracy = mean(cast<float>(found == test.labels)).to(cpu).item();
  std::printf("%.2f %% of %d test digits recognised\n", static_cast<double>(accuracy) * 100,
              static_cast<int>(test.labels.size()));
  return accuracy;
}

/// What docs/guide/networks.md shows of modules; gives whether it is as it says there.
bool tour() {
  // [sequential]
  Generator generator(42);
  nn::Sequential net{nn::Linear(784, 256, generator), nn::ReLU(), nn::Dropout(0.2), nn::Linear(256, 10, generator)};
  Tensor x = rand<float>({32, 784}, generator);
  Variable scores = net(x);                     // (32, 10), with the graph for `backward`
  std::int64_t size = net.parameter_count();    // 203530
  // [sequential-end]
  std::int64_t listed = 0;
  // [walk]
  nn::for_each_parameter(net, [&](const std::string& name, auto& parameter) {
    std::printf("%s %s\n", name.c_str(), parameter.shape().to_string().c_str());  // 0.weight (256, 784), ...
    listed += parameter.size();
  });
  layer<0>(net).weight = nn::kaiming_uniform<float>({256, 784}, generator);
  // [walk-end]
  // [use]
  net.eval();                           // no dropout
  const auto fixed = constant(net);     // parameters that record nothing
  Tensor probabilities = softmax(fixed(x).value(), 1);
  // [use-end]
  // [device]
  auto there = net.to<Pinned>();                                       // another type, the same network
  Variable<float, Pinned> scores_there = there(x.to<Pinned>());        // `there(x)` does not compile
  // [device-end]
  return size == 203530 && listed == size && scores.shape() == Shape{32, 10} && probabilities.extent(1) == 10 &&
         all(scores_there.value().to(cpu) == fixed(x).value()).item();
}

}  // namespace

int main() {
  try {
    if (!tour()) return 1;
    const Digits<Cpu> digits = read_digits("data/digits.csv");
    const float accuracy = with_device(try_gpu<0>(), [&](auto device) { return run(digits, device); });
    return accuracy >= 0.90f ? 0 : 1;
  } catch (const std::exception& error) {
    std::fprintf(stderr, "user_module: %s\n", error.what());
    return 1;
  }
}
