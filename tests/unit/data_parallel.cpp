// SPDX-License-Identifier: Apache-2.0
// Training on several devices: it follows that on one, also where a batch does not come out even.
// labels: gradients
#include <doctest/doctest.h>

#include <cmath>
#include <cstdint>
#include <tuple>
#include <type_traits>

#include <situ/parallel.hpp>

namespace {

using namespace situ;
using std::int64_t;

Tensor<double> numbers(const Shape& shape, double seed) {
  Tensor<double> x = zeros<double>(shape);
  auto lease = x.write();
  for (int64_t i = 0; i < lease.size(); ++i) lease.data()[i] = std::sin(seed + 0.7 * static_cast<double>(i));
  return x;
}
double largest_difference(const Tensor<double>& a, const Tensor<double>& b) {
  REQUIRE(a.shape() == b.shape());
  const Tensor<double> most = max(abs(a - b));
  return most.item();
}

struct SquaredError {
  template <class Replica, class X, class Y>
  auto operator()(Replica& replica, const X& x, const Y& y) const {
    return mse_loss(replica(x), y);
  }
};

auto network() {
  Generator generator(5);
  return nn::Sequential{nn::Linear<double>(3, 5, generator), nn::Tanh(), nn::Linear<double>(5, 2, generator)};
}

}  // namespace

TEST_CASE("the gradients of a batch are those of one device, however it is divided") {
  const auto net = network();
  DataParallel parallel = data_parallel<Cpu, Pinned, Cpu>(net);
  static_assert(std::is_same_v<decltype(parallel), DataParallel<std::remove_const_t<decltype(net)>, Cpu, Pinned, Cpu>>);
  for (const int64_t rows : {1, 2, 3, 7, 12}) {
    CAPTURE(rows);
    const Tensor<double> x = numbers({rows, 3}, 1), y = numbers({rows, 2}, 2);
    const Variable<double> expected = mse_loss(net(x), y);
    const Gradients whole = backward(expected);
    auto [loss, gradients] = parallel.backward(SquaredError(), x, y);
    static_assert(std::is_same_v<decltype(loss), Tensor<double>>);
    CHECK(loss.item() == doctest::Approx(expected.value().item()).epsilon(1e-13));
    CHECK(gradients[0].size() == 4);
    CHECK(largest_difference(gradients[0][layer<0>(parallel.replica<0>()).weight], whole[layer<0>(net).weight]) <
          1e-14);
    CHECK(largest_difference(gradients[1][layer<2>(parallel.replica<1>()).weight].to<Cpu>(),
                             whole[layer<2>(net).weight]) < 1e-14);
    CHECK(largest_difference(gradients[2][layer<2>(parallel.replica<2>()).bias], whole[layer<2>(net).bias]) <
          1e-14);
  }
}

TEST_CASE("a parameter that was replaced between steps has its gradient in the next") {
  const auto net = network();
  DataParallel parallel = data_parallel<Cpu, Pinned>(net);
  const Tensor<double> x = numbers({4, 3}, 1), y = numbers({4, 2}, 2);
  const auto clamped = [](auto& replica) {
    layer<0>(replica).weight.update([](auto& w) { w = clamp(w, -0.1, 0.1); });
  };
  parallel.for_each(clamped);
  auto one = network();
  clamped(one);
  const Gradients whole = backward(mse_loss(one(x), y));
  const auto gradients = parallel.backward(SquaredError(), x, y).second;
  CHECK(gradients[0].size() == 4);
  CHECK(gradients[1].size() == 4);
  CHECK(largest_difference(gradients[0][layer<0>(parallel.replica<0>()).weight], whole[layer<0>(one).weight]) < 1e-14);
}

TEST_CASE("training on several devices follows that on one, and the replicas stay equal to the bit") {
  auto net = network();
  DataParallel parallel = data_parallel<Cpu, Pinned>(net);
  optim::AdamW optimizer(net, {.learning_rate = 0.05});
  auto optimizers = parallel.replicate(optimizer);
  static_assert(
      std::is_same_v<decltype(optimizers), std::tuple<optim::AdamW<double, Cpu>, optim::AdamW<double, Pinned>>>);
  const Tensor<double> x = numbers({9, 3}, 3), y = numbers({9, 2}, 4);
  for (int step = 0; step < 10; ++step) {
    const Variable<double> expected = mse_loss(net(x), y);
    Gradients gradients = backward(expected);
    optim::clip_by_norm(gradients, net, 0.2);
    optimizer.step(net, gradients);
    auto [loss, all_gradients] = parallel.backward(SquaredError(), x, y);
    parallel.for_each([](auto& replica, Gradients& own) { optim::clip_by_norm(own, replica, 0.2); }, all_gradients);
    parallel.step(optimizers, all_gradients);
    CHECK(loss.item() == doctest::Approx(expected.value().item()).epsilon(1e-11));
  }
  const auto& module = parallel.module();
  CHECK(largest_difference(layer<0>(module).weight.value(), layer<0>(net).weight.value()) < 1e-11);
  CHECK(largest_difference(layer<0>(module).weight.value(), network().layer<0>().weight.value()) > 0.1);
  CHECK(largest_difference(layer<0>(module).weight.value(),
                           layer<0>(parallel.replica<1>()).weight.value().to<Cpu>()) == 0);
  CHECK(largest_difference(layer<2>(module).bias.value(), layer<2>(parallel.replica<1>()).bias.value().to<Cpu>()) ==
        0);
}

TEST_CASE("parameters without a gradient, modes, and batches that are none") {
  Generator generator(6);
  // The second layer is left out of the loss.
  nn::Sequential net{nn::Linear<double>(2, 2, generator), nn::Linear<double>(2, 2, generator)};
  DataParallel parallel = data_parallel<Cpu, Cpu>(net);
  const auto first = [](auto& replica, const auto& x) { return mean(square(layer<0>(replica)(x))); };
  auto [loss, gradients] = parallel.backward(first, numbers({4, 2}, 1));
  CHECK(gradients[1].contains(layer<0>(parallel.replica<1>()).weight));
  CHECK(!gradients[1].contains(layer<1>(parallel.replica<1>()).weight));

  DataParallel dropping = data_parallel<Cpu, Cpu>(nn::Sequential{nn::Linear<double>(2, 2), nn::Dropout()});
  CHECK(!dropping.eval().replica<1>().layer<1>().training);
  CHECK(dropping.train().replica<1>().layer<1>().training);

  const Tensor<double> x = numbers({4, 2}, 1);
  CHECK_THROWS_WITH_AS(static_cast<void>(parallel.backward(SquaredError(), x, numbers({3, 2}, 1))),
                       "DataParallel: the parts of the batch have 4 and 3 rows; all must have the same number",
                       ShapeError);
  CHECK_THROWS_AS(static_cast<void>(parallel.backward(first, zeros<double>({0, 2}))), ShapeError);
  CHECK_THROWS_AS(static_cast<void>(parallel.backward(first, zeros<double>({}))), ShapeError);
  const auto rows = [](auto& replica, const auto& part) { return replica(part); };
  CHECK_THROWS_WITH_AS(static_cast<void>(parallel.backward(rows, x)), doctest::Contains("the loss has shape (2, 2)"),
                       ShapeError);
}
