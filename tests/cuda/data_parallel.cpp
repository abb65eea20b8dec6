// SPDX-License-Identifier: Apache-2.0
// Training on two GPUs follows that on the CPU.
#include <doctest/doctest.h>

#include <cmath>
#include <cstdint>
#include <tuple>
#include <type_traits>
#include <utility>

#include <situ/parallel/data_parallel.hpp>
#include <situ/nn/linear.hpp>
#include <situ/nn/sequential.hpp>
#include <situ/optim/clip.hpp>
#include <situ/optim/sgd.hpp>

#include "compare.hpp"

namespace {

using situ::Cpu;
using situ::Cuda;
using situ::Gradients;
using situ::Tensor;

Tensor<float> numbers(const situ::Shape& shape, double seed) {
  return cuda_test::filled<float>(shape,
                                  [seed](std::int64_t i) { return std::sin(seed + 0.7 * static_cast<double>(i)); });
}

/// The mean squared error.
struct SquaredError {
  template <class Replica, class X, class Y>
  auto operator()(Replica& replica, const X& x, const Y& y) const {
    return mean(square(replica(x) - y));
  }
};
struct Clip {
  template <class Replica>
  void operator()(Replica& replica, Gradients& own) const {
    situ::optim::clip_by_norm(own, replica, 0.5);
  }
};

}  // namespace

TEST_CASE("training on two GPUs follows that on the CPU; the replicas stay equal to the bit") {
  situ::Generator generator(5);
  situ::nn::Linear<float> net(3, 2, generator);
  auto parallel = situ::data_parallel<Cuda<0>, Cuda<1>>(net);
  static_assert(std::is_same_v<decltype(parallel.replica<1>()), situ::nn::Linear<float, Cuda<1>>&>);
  situ::optim::SGD optimizer(net, {.learning_rate = 0.1, .momentum = 0.9});
  auto optimizers = parallel.replicate(optimizer);
  const Tensor<float> x = numbers({5, 3}, 1), y = numbers({5, 2}, 2);
  const Tensor<float> before = net.weight.value();
  float expected = 0, found = 0;
  for (int step = 0; step < 4; ++step) {
    const auto error = mean(square(net(x) - y));
    Gradients gradients = backward(error);
    Clip()(net, gradients);
    optimizer.step(net, gradients);
    expected = no_grad(error).to<Cpu>().item();
    auto result = parallel.backward(SquaredError(), x, y);
    static_assert(std::is_same_v<decltype(result.first), Tensor<float, Cuda<0>>>);
    parallel.for_each(Clip(), result.second);
    parallel.step(optimizers, result.second);
    found = result.first.to<Cpu>().item();
  }
  CHECK(found == doctest::Approx(expected).epsilon(1e-5));
  const Tensor<float> first = parallel.module().weight.value().to<Cpu>();
  const Tensor<float> off = max(abs(first - net.weight.value()));
  CHECK(off.item() < 1e-6f);
  const Tensor<float> moved = max(abs(first - before));
  CHECK(moved.item() > 0.1f);
  CHECK(cuda_test::same_bits(parallel.replica<1>().weight.value(), first));
  CHECK(cuda_test::same_bits(parallel.replica<1>().bias.value(), parallel.replica<0>().bias.value().to<Cpu>()));
}
