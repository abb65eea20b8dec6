// SPDX-License-Identifier: Apache-2.0
// Gradients over several devices against those on one, for any list of devices: tests/unit/parallel.cpp, tests/cuda/parallel.cpp.
#pragma once

#include <doctest/doctest.h>

#include <cmath>
#include <concepts>
#include <cstddef>
#include <cstdint>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

#include <situ/parallel.hpp>

namespace parallel_cases {

using namespace situ;
using std::int64_t;

inline Tensor<double> numbers(const Shape& shape, double seed) {
  Tensor<double> x = zeros<double>(shape);
  auto lease = x.write();
  for (int64_t i = 0; i < lease.size(); ++i) lease.data()[i] = std::sin(seed + 0.7 * static_cast<double>(i));
  return x;
}
template <class A, class B>
double largest_difference(const A& a, const B& b) {
  const Tensor<double> left = a.template to<Cpu>(), right = b.template to<Cpu>();
  REQUIRE(left.shape() == right.shape());
  if (left.size() == 0) return 0;
  return max(abs(left - right)).item();
}
inline void check_zero(double difference) { CHECK(difference == 0); }
/// A spread value against the whole; replicas must agree to the bit.
template <class S, class X>
double largest_difference_spread(const S& spread, const X& whole) {
  if constexpr (std::same_as<layout_t<S>, Replicated>) {
    std::apply([&](const auto& first, const auto&... rest) {
      (check_zero(largest_difference(first, rest)), ...);
    }, spread.parts());
  }
  return largest_difference(gather(spread, Cpu{}), whole);
}

/// The gradient of each collective is the reverse collective.
template <class... D>
void collectives(D... where) {
  for (const int64_t rows : {0, 1, 2, 5}) {
    CAPTURE(rows);
    const Tensor<double> x = numbers({rows, 4}, 1), c = numbers({4}, 2), whole_c = numbers({rows, 4}, 3);
    const SpreadVariable s(shard<0>(x, where...));
    const SpreadVariable r(replicate(x, where...));
    const auto weights = replicate(c, where...), whole_weights = replicate(whole_c, where...);
    {  // Sharded -> Partial -> Replicated
      const auto total = all_reduce(sum<0>(s * s));
      static_assert(std::same_as<decltype(total), const SpreadVariable<double, Replicated, D...>>);
      const auto gradients = backward(sum(total * weights));
      static_assert(std::same_as<decltype(gradients), const PendingGradients>);
      static_assert(std::same_as<decltype(gradients[s]), const Spread<double, Sharded<0>, D...>&>);
      CHECK(largest_difference_spread(gradients[s], eval(2.0 * x * c)) < 1e-15);
      CHECK(!gradients.contains(r));
    }
    {  // Sharded -> Replicated
      const PendingGradients gradients = backward(sum(all_gather(s) * whole_weights * all_gather(s)));
      CHECK(largest_difference_spread(gradients[s], eval(2.0 * x * whole_c)) < 1e-15);
    }
    {  // Replicated -> Partial -> Sharded
      const auto z = reduce_scatter<1>(partial(r));
      static_assert(std::same_as<decltype(z), const SpreadVariable<double, Sharded<1>, D...>>);
      PendingGradients gradients = backward(sum(z * z));
      static_assert(std::same_as<decltype(gradients[r]), Spread<double, Partial<>, D...>&>);
      const ReducedGradients reduced = all_reduce(std::move(gradients));
      static_assert(std::same_as<decltype(reduced[r]), const Spread<double, Replicated, D...>&>);
      CHECK(largest_difference_spread(reduced[r], eval(2.0 * x)) < 1e-15);
    }
    {  // Sharded<0> -> Sharded<1>
      const auto z = reshard<1>(s);
      const PendingGradients gradients = backward(sum(z * z * z));
      CHECK(largest_difference_spread(gradients[s], eval(3.0 * x * x)) < 1e-15);
    }
    {  // the pieces of replicas, which moves nothing; a replicated loss; the same twice
      const auto z = shard<0>(r);
      const auto loss = all_reduce(sum(z * z));
      for (int twice = 0; twice != 2; ++twice) {
        CHECK(largest_difference_spread(all_reduce(backward(loss))[r], eval(2.0 * x)) < 1e-15);
      }
    }
    {  // to one device; a loss of one device is a sum of one term
      const Variable<double> whole = gather(s, Cpu{});
      const PendingGradients gradients = backward(as<Partial<>>(sum(whole * whole)));
      CHECK(largest_difference_spread(gradients[s], eval(2.0 * x)) < 1e-15);
    }
  }
}

/// A part that the loss does not depend on has a part of the gradient that is 0.
template <class... D>
void part_without_gradient(D... where) {
  const Tensor<double> x = numbers({5, 2}, 1);
  const SpreadVariable r(replicate(x, where...));
  const auto doubled = all_reduce(partial(r * 2.0));
  auto losses = std::apply([](const auto& first, const auto&... rest) {
    return std::tuple(sum(square(first)), sum(constant(rest))...);
  }, local(doubled));
  const auto loss = std::apply([](const auto&... each) { return as<Partial<>>(each...); }, losses);
  CHECK(largest_difference_spread(all_reduce(backward(loss))[r], eval(8.0 * x)) < 1e-14);
}

inline auto network() {
  Generator generator(5);
  return nn::Sequential{nn::Linear<double>(3, 5, generator), nn::Tanh(), nn::Linear<double>(5, 2, generator)};
}

/// The mean of squares over rows that are cut, as a sum that is not added up.
template <class Y, class X>
auto squared_error(const Y& y, const X& x) {
  return sum(square(y - x)) / static_cast<double>(y.size());
}

template <class... D>
void data_parallel_training(D... where) {
  auto net = network();
  const Tensor<double> before = layer<0>(net).weight.value();
  auto spread = replicas(net, where...), bucketed = replicas(net, where...), sharded = replicas(net, where...);
  static_assert(std::same_as<decltype(spread), Replicas<decltype(net), D...>>);
  optim::AdamW optimizer(net, {.learning_rate = 0.05});
  auto spread_state = spread_optimizer<optim::AdamW>(spread, {.learning_rate = 0.05});
  auto bucketed_state = spread_optimizer<optim::AdamW>(bucketed, {.learning_rate = 0.05});
  auto sharded_state = sharded_optimizer<optim::AdamW>(sharded, {.learning_rate = 0.05});
  int step = 0;
  for (const int64_t rows : {9, 1, 2, 7, 5}) {
    CAPTURE(rows);
    const Tensor<double> x = numbers({rows, 3}, 3 + static_cast<double>(rows)), y = numbers({rows, 2}, 4);
    const auto xs = shard<0>(x, where...);
    const auto ys = shard<0>(y, where...);
    const Variable<double> expected = mse_loss(net(x), y);
    optimizer.step(net, backward(expected));

    const auto output = spread(xs);
    static_assert(std::same_as<decltype(output), const SpreadVariable<double, Sharded<0>, D...>>);
    CHECK(output.shape() == Shape{rows, 2});
    const SpreadVariable<double, Partial<>, D...> loss = squared_error(output, ys);
    CHECK(gather(all_reduce(loss.value()), Cpu{}).item() == doctest::Approx(expected.item()).epsilon(1e-12));
    spread_state.step(spread, all_reduce(backward(loss)));
    bucketed_state.step(bucketed,
                        backward_and_all_reduce(squared_error(bucketed(xs), ys), {.bytes = std::size_t(1) << (5 * step++)}));
    sharded_state.step(sharded, reduce_scatter(backward(squared_error(sharded(xs), ys))));
  }
  CHECK(spread_state.step_count() == 5);
  for_each_spread_parameter(spread, [](const std::string&, const auto& parameter) {
    largest_difference_spread(parameter.value(), gather(parameter.value(), Cpu{}));
  });
  CHECK(largest_difference(layer<0>(spread.module()).weight.value(), layer<0>(net).weight.value()) < 1e-11);
  CHECK(largest_difference(layer<0>(net).weight.value(), before) > 0.1);
  // in which pieces sums are made, and who keeps the state, changes no bit
  nn::for_each_parameter(spread.module(), [&](const std::string& name, const auto& parameter) {
    const auto same = [&](auto& other) {
      nn::for_each_parameter(other.module(), [&](const std::string& its_name, const auto& its) {
        if (name == its_name) CHECK(largest_difference(parameter.value(), its.value()) == 0);
      });
    };
    same(bucketed);
    same(sharded);
  });
  // the state of a piece: 15 weights over the devices
  const auto& first = std::get<0>(sharded_state.optimizers());
  first.for_each_entry([](const std::string& name, const auto& state) {
    if (name == "exp_avg.0.weight") CHECK(state.size() == (15 + int64_t(sizeof...(D)) - 1) / int64_t(sizeof...(D)));
  });
}

/// One norm for what is replicated and what is sharded.
template <class... D>
void clipping(D... where) {
  Generator generator(3);
  nn::Linear<double> up(3, 5, generator);
  const auto column = nn::column_parallel(up, where...);
  const SpreadVariable r(replicate(numbers({2, 3}, 1), where...));
  const Variable x(numbers({2, 3}, 1));
  const auto all = std::tie(up, x);
  const auto spread = std::tie(column, r);
  Gradients gradients = backward(sum(square(up(x))));
  const double norm = optim::clip_by_norm(gradients, all, 0.5).item();
  const auto pending = [&] { return backward(sum(square(column(r)))); };
  ReducedGradients reduced = all_reduce(pending());
  ScatteredGradients scattered = reduce_scatter(pending());
  CHECK(gather(optim::clip_by_norm(reduced, spread, 0.5), Cpu{}).item() == doctest::Approx(norm).epsilon(1e-12));
  CHECK(gather(optim::clip_by_norm(scattered, spread, 0.5), Cpu{}).item() == doctest::Approx(norm).epsilon(1e-12));
  CHECK(largest_difference_spread(reduced[r], gradients[x]) < 1e-13);
  CHECK(largest_difference_spread(reduced[column.weight], gradients[up.weight]) < 1e-13);
  CHECK(largest_difference_spread(scattered[r], reshape(gradients[x], {6})) < 1e-13);
  CHECK(gather(optim::norm(reduced, spread), Cpu{}).item() == doctest::Approx(0.5));
  CHECK_THROWS_AS(optim::clip_by_norm(reduced, spread, -1), ValueError);
}

/// A parameter's gradient is handed over as soon as it is complete, those of the last layer first.
struct Order final : autograd::GradientListener {
  std::vector<const autograd::Node*> nodes;
  void complete(autograd::Collected gradient) override { nodes.push_back(gradient.node.get()); }
};
template <class... D>
void gradients_as_they_are_complete(D... where) {
  auto spread = replicas(network(), where...);
  Order order;
  const auto late = internal::collected_gradients(
      squared_error(spread(shard<0>(numbers({4, 3}, 1), where...)), shard<0>(numbers({4, 2}, 1), where...)), &order);
  CHECK(late.empty());
  std::vector<const autograd::Node*> forward;
  for_each_spread_parameter(spread, [&](const std::string&, const auto& parameter) {
    forward.push_back(internal::joint_parameter(std::get<0>(parameter.parts()).node().get()));
  });
  REQUIRE(order.nodes.size() == 4);
  const auto is_of_layer = [&](std::size_t at, std::size_t first) {
    return order.nodes[at] == forward[first] || order.nodes[at] == forward[first + 1];
  };
  CHECK(is_of_layer(0, 2));
  CHECK(is_of_layer(1, 2));
  CHECK(is_of_layer(2, 0));
  CHECK(is_of_layer(3, 0));
}

template <FloatingElement T, class... D>
struct Block : nn::Module<Block<T, D...>> {
  nn::ShardedEmbedding<T, D...> embedding;
  nn::ColumnParallelLinear<T, D...> up;
  nn::RowParallelLinear<T, D...> down;

  static constexpr auto members() {
    return nn::members("embedding", &Block::embedding, "up", &Block::up, "down", &Block::down);
  }
  template <class Tokens>
  auto operator()(const Tokens& tokens) const {
    return all_reduce(down(tanh(up.template along<2>(all_reduce(embedding(tokens))))));
  }
};

/// A network of which every device has a part, for sizes that do not come out even, down to one that one device has alone.
template <class... D>
void tensor_parallel_training(D... where) {
  for (const int64_t hidden : {5, 1}) {
    for (const bool bias : {true, false}) {
      CAPTURE(hidden);
      CAPTURE(bias);
      Generator generator(7);
      nn::Embedding<double> embedding(hidden + 2, 3, generator);
      nn::Linear<double> up(3, hidden, {.bias = bias}, generator), down(hidden, 3, {.bias = bias}, generator);
      Block<double, D...> block{{},
                                nn::sharded_embedding(embedding, where...),
                                nn::column_parallel(up, where...),
                                nn::row_parallel(down, where...)};
      auto all = std::tie(embedding, up, down);
      optim::SGD optimizer(all, {.learning_rate = 0.3, .momentum = 0.5});
      auto state = spread_optimizer<optim::SGD>(block, {.learning_rate = 0.3, .momentum = 0.5});
      const Tensor<int64_t> tokens = tensor<int64_t>({{0, 2, 1}, {-1, 2, 2}});
      const auto spread_tokens = replicate(tokens, where...);
      const Tensor<double> y = numbers({2, 3, 3}, 2);
      const auto ys = replicate(y, where...);
      for (int step = 0; step != 3; ++step) {
        const Variable<double> expected = down(tanh(up(embedding(tokens))));
        const auto output = block(spread_tokens);
        static_assert(std::same_as<decltype(output), const SpreadVariable<double, Replicated, D...>>);
        CHECK(largest_difference_spread(output.value(), expected.value()) < 1e-13);
        optimizer.step(all, backward(mse_loss(expected, y)));
        state.step(block, all_reduce(backward(squared_error(output, ys))));
      }
      CHECK(largest_difference_spread(block.embedding.weight.value(), embedding.weight.value()) < 1e-12);
      CHECK(largest_difference_spread(block.up.weight.value(), up.weight.value()) < 1e-12);
      CHECK(largest_difference_spread(block.down.weight.value(), down.weight.value()) < 1e-12);
      if (bias) CHECK(largest_difference_spread(block.down.bias.value(), down.bias.value()) < 1e-12);
      if (bias) CHECK(largest_difference_spread(block.up.bias.value(), up.bias.value()) < 1e-12);
    }
  }
}

template <class First, class Second>
void pipeline_training(First first, Second second) {
  for (const int64_t pieces : {1, 3, 20}) {
    CAPTURE(pieces);
    auto net = network();
    Pipeline pipeline(nn::Sequential{layer<0>(net), layer<1>(net)}.to(first), nn::Sequential{layer<2>(net)}.to(second));
    optim::SGD optimizer(net, {.learning_rate = 0.2});
    auto optimizers = pipeline.optimizers([](const auto& stage) { return optim::SGD(stage, {.learning_rate = 0.2}); });
    const Tensor<double> x = numbers({7, 3}, 1), y = numbers({7, 2}, 2);
    for (int step = 0; step != 3; ++step) {
      const Variable<double> expected = mse_loss(net(x), y);
      optimizer.step(net, backward(expected));
      auto [loss, gradients] =
          pipeline.backward(pieces, [](const auto& output, const auto& target) { return mse_loss(output, target); }, x, y);
      static_assert(std::same_as<decltype(loss), Tensor<double, Second>>);
      CHECK(loss.template to<Cpu>().item() == doctest::Approx(expected.item()).epsilon(1e-12));
      pipeline.step(optimizers, gradients);
    }
    CHECK(largest_difference(layer<0>(pipeline.template stage<0>()).weight.value(), layer<0>(net).weight.value()) < 1e-13);
    CHECK(largest_difference(layer<0>(pipeline.template stage<1>()).bias.value(), layer<2>(net).bias.value()) < 1e-13);
  }
}

template <class... D>
void all_cases(D... where) {
  SUBCASE("collectives") { collectives(where...); }
  SUBCASE("a part without a gradient") { part_without_gradient(where...); }
  SUBCASE("data parallel") { data_parallel_training(where...); }
  SUBCASE("clipping") { clipping(where...); }
  SUBCASE("gradients as they are complete") { gradients_as_they_are_complete(where...); }
  SUBCASE("tensor parallel") { tensor_parallel_training(where...); }
}

}  // namespace parallel_cases
