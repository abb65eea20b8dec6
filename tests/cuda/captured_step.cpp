// SPDX-License-Identifier: Apache-2.0
// A whole training step as a graph: dropout, backward, clipping, an optimizer and its schedule, bit for bit as without
// one; what the graph counts is the host's count too.
#include <doctest/doctest.h>

#include <cstdint>
#include <optional>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

#include <situ/graph.hpp>
#include <situ/nn.hpp>
#include <situ/optim.hpp>
#include <situ/situ.hpp>

#include "compare.hpp"

namespace {

using namespace situ;
using Gpu = Cuda<0>;

template <class T, Device D>
bool same(const Tensor<T, D>& a, const Tensor<T, D>& b) {
  return a.shape() == b.shape() && (a.size() == 0 || all(a == b).template to<Cpu>().item());
}
/// Whether two modules or optimizers have equal tensors.
template <class M>
bool same_entries(const M& a, const M& b) {
  std::vector<Tensor<double>> values;
  const auto keep = [&](const std::string&, const auto& entry) {
    if constexpr (VariableType<decltype(entry)>) values.push_back(cast<double>(entry.value().template to<Cpu>()));
    else values.push_back(cast<double>(entry.template to<Cpu>()));
  };
  nn::for_each_entry(a, keep);
  const std::size_t half = values.size();
  nn::for_each_entry(b, keep);
  if (values.size() != 2 * half || half == 0) return false;
  for (std::size_t i = 0; i < half; ++i) {
    if (!same(values[i], values[half + i])) return false;
  }
  return true;
}

template <class E, class F>
std::string refusal(F&& f) {
  try {
    f();
  } catch (const E& e) {
    return e.what();
  }
  return "nothing was thrown";
}
bool contains(const std::string& text, const std::string& part) { return text.find(part) != std::string::npos; }

auto make_net(Generator generator) {
  return nn::Sequential{nn::Linear(5, 16, gpu<0>, generator), nn::Dropout(0.25, Generator(11)), nn::Tanh(),
                        nn::Linear(16, 8, gpu<0>, generator), nn::Dropout(0.5, Generator(12)), nn::Tanh(),
                        nn::Linear(8, 1, gpu<0>, generator)};
}

/// The step, with noise added to the inputs.
struct TrainingStep {
  auto operator()(auto& net, auto& optimizer, Generator& noise, const auto& x, const auto& y, const auto& rate) const {
    const Variable loss = mse_loss(net(eval(x + 0.1f * randn_like(x, noise))), y);
    Gradients gradients = backward(loss);
    const Tensor norm = optim::clip_by_norm(gradients, net, 0.5);
    optimizer.step(net, gradients, rate);
    return std::pair(loss.value(), norm);
  }
};

/// Twenty steps with and without a graph.
template <class Optimizer>
void compare_steps(Optimizer optimizer, const optim::WarmUp<optim::CosineRate>& schedule) {
  Generator generator(1);
  auto eager_net = make_net(generator);
  auto eager = optimizer;
  Generator noise(9);
  const auto x = [&] { return randn<float>({12, 5}, gpu<0>, generator); };
  const auto rate = [&](std::int64_t step) { return full<double>({}, schedule(step), gpu<0>); };
  const auto y = [](const auto& batch) { return eval(sum(batch, 1, keepdims)); };
  const Tensor first = x();
  const TrainingStep step;
  auto graph = capture<Gpu>(step, carry(eager_net, eager, noise), first, y(first), rate(0));
  for (std::int64_t call = 0; call < 20; ++call) {
    CAPTURE(call);
    const Tensor batch = x();
    const auto [loss, norm] = step(eager_net, eager, noise, batch, y(batch), rate(call));
    const auto [graph_loss, graph_norm] = graph(batch, y(batch), rate(call));
    REQUIRE(same(graph_loss, loss));
    REQUIRE(same(graph_norm, norm));
  }
  auto [net, made, drawn] = graph.carried();
  CHECK(same_entries(net, eager_net));
  CHECK(same_entries(made, eager));  // also the numbers of steps
  CHECK(made.step_count() == 20);
  CHECK(drawn == noise);
  CHECK(drawn.draws() == 20);
  CHECK(nn::layer<1>(net).generator.value() == nn::layer<1>(eager_net).generator.value());
  CHECK(nn::layer<1>(net).generator.value().draws() == 20);
  // What the graph left goes on without it, and in another graph.
  auto again = capture<Gpu>(step, carry(net, made, drawn), first, y(first), rate(0));
  const auto expected = step(eager_net, eager, noise, first, y(first), rate(3));
  CHECK(same(again(first, y(first), rate(3)).first, expected.first));
  CHECK(same(step(net, made, drawn, first, y(first), rate(3)).first, expected.first));
  CHECK(same_entries(made, eager));
  CHECK(std::get<1>(again.carried()).step_count() == 21);
  CHECK(optimizer.step_count() == 0);
}

}  // namespace

TEST_CASE("a captured training step, 20 times: bit for bit as without a graph") {
  Generator generator(1);
  const auto net = make_net(generator);
  const optim::WarmUp schedule(5, optim::CosineRate{.from = 1e-1, .steps = 15});
  compare_steps(optim::Adam(net, {.learning_rate = 1e-2}), schedule);
  compare_steps(optim::AdamW(net, {.learning_rate = 1e-2, .weight_decay = 0.1}), schedule);
  compare_steps(optim::SGD(net, {.learning_rate = 1e-2, .momentum = 0.9, .dampening = 0.5}), schedule);
  compare_steps(optim::SGD(net, {.learning_rate = 1e-2}), schedule);
}

TEST_CASE("the optimizer's own rate is a constant of the graph, and its steps count") {
  Generator generator(3);
  nn::Linear<float, Gpu> net(4, 3, gpu<0>, generator);
  optim::Adam optimizer(net, {.learning_rate = 0.1});
  const auto step = [](auto& module, auto& own, const auto& x) {
    const Variable loss = mean(square(module(x)));
    own.step(module, backward(loss));
    return loss.value();
  };
  const Tensor x = randn<float>({6, 4}, gpu<0>, generator);
  const auto graph = capture<Gpu>(step, carry(net, optimizer), x);
  for (int call = 0; call < 4; ++call) CHECK(same(graph(x), step(net, optimizer, x)));
  CHECK(same_entries(std::get<0>(graph.carried()), net));
  CHECK(same_entries(std::get<1>(graph.carried()), optimizer));
  // Two steps in one call, of which the second is of one parameter only.
  const auto twice = [](auto& module, auto& own, const auto& a) {
    own.step(module, backward(mean(square(module(a)))));
    const Variable loss = mean(square(matmul(a, transpose(module.weight))));
    own.step(module, backward(loss));
    return loss.value();
  };
  const auto both = capture<Gpu>(twice, carry(net, optimizer), x);
  for (int call = 0; call < 3; ++call) CHECK(same(both(x), twice(net, optimizer, x)));
  CHECK(same_entries(std::get<0>(both.carried()), net));
  CHECK(same_entries(std::get<1>(both.carried()), optimizer));
}

TEST_CASE("random numbers in a graph go on from call to call") {
  Generator generator(21, 5);
  const auto draw = [](Generator& own, const auto& x) {
    const Tensor counts = poisson<float>(3.5, {7}, gpu<0>, own);
    const Tensor large = poisson<float>(square(x) * 20.f, own);
    const Tensor order = cast<float>(permutation(7, gpu<0>, own));
    return eval(x + counts + large + order + exponential({7}, gpu<0>, own) + rand<float>({7}, gpu<0>, own));
  };
  const Tensor x = randn<float>({7}, gpu<0>, Generator(2));
  const auto graph = capture<Gpu>(draw, carry(generator), x);
  for (int call = 0; call < 5; ++call) CHECK(same(graph(x), draw(generator, x)));
  CHECK(graph.carried() == generator);
  CHECK(generator.draws() == 5 + 5 * 5);
}

TEST_CASE("what a graph would not count is refused, with the fix") {
  Generator generator(3);
  nn::Linear<float, Gpu> net(4, 3, gpu<0>, generator);
  optim::Adam optimizer(net, {.learning_rate = 0.1});
  const Tensor x = randn<float>({6, 4}, gpu<0>, generator);
  const auto refused = [&](auto&& f) {
    return refusal<CaptureError>([&] { static_cast<void>(capture<Gpu>(f, carry(net, optimizer), x)); });
  };
  // The rate would be that of the capture.
  CHECK(contains(refused([](auto& module, auto& own, const auto& a) {
                   own.learning_rate = 0.1 / static_cast<double>(1 + own.step_count());
                   const Variable loss = mean(square(module(a)));
                   own.step(module, backward(loss));
                   return loss.value();
                 }),
                 "step(net, gradients, rate)"));
  // An optimizer outside.
  optim::SGD outside(net, {.learning_rate = 0.1});
  CHECK(contains(refused([&](auto& module, auto&, const auto& a) {
                   const Variable loss = mean(square(module(a)));
                   outside.step(module, backward(loss));
                   return loss.value();
                 }),
                 "carry(net, optimizer)"));
  // Generators outside: one of its own, and the process's.
  CHECK(contains(refused([&](auto&, auto&, const auto& a) { return dropout(a, 0.5, generator); }), "carry(generator)"));
  CHECK(contains(refused([&](auto&, auto&, const auto& a) { return dropout(a, 0.5); }), "carry(generator)"));
  // One that the function keeps has no number outside.
  std::optional<Generator> kept;
  const auto graph = capture<Gpu>(
      [&](Generator& own, const auto& a) {
        kept = own;
        return eval(a + randn_like(a, own));
      },
      carry(generator), x);
  CHECK(contains(refusal<CaptureError>([&] { static_cast<void>(randn_like(x, *kept)); }), "graph.carried()"));
  CHECK(graph(x).shape() == x.shape());
  optim::Adam kept_optimizer = optimizer;
  static_cast<void>(refused([&](auto& module, auto& own, const auto& a) {
    kept_optimizer = own;
    return eval(matmul(a, transpose(module.weight.value())));
  }));
  const Gradients gradients = backward(mean(square(net(x))));
  CHECK_THROWS_AS(kept_optimizer.step(net, gradients), CaptureError);
  optimizer.step(net, gradients);  // unharmed
  CHECK(optimizer.step_count() == 1);
}

TEST_CASE("a function that assigns or swaps what it carries and a graph counts is refused") {
  const std::string text = "assigned or swapped a generator or an optimizer";
  const auto x = ones<float>({4}, gpu<0>);
  CHECK(contains(refusal<CaptureError>([&] {
                   static_cast<void>(capture<Gpu>(
                       [](Generator& p, Generator& q, const auto& v) {
                         auto result = eval(v + randn_like(v, p));
                         std::swap(p, q);
                         return result;
                       },
                       carry(Generator(1), Generator(2, 50)), x));
                 }), text));
  CHECK(contains(refusal<CaptureError>([&] {
                   static_cast<void>(capture<Gpu>(
                       [](Generator& p, const auto& v) {
                         auto result = eval(v + randn_like(v, p));
                         p = Generator(3, 100);
                         return result;
                       },
                       carry(Generator(7, 10)), x));
                 }), text));
  Variable w(ones<float>({4}, gpu<0>));
  optim::Adam one(w), other(w);
  other.step(w, backward(sum(w * x)));
  CHECK(contains(refusal<CaptureError>([&] {
                   static_cast<void>(capture<Gpu>(
                       [](auto& v, auto& p, auto& q, const auto& y) {
                         const Variable loss = sum(v * y);
                         p.step(v, backward(loss));
                         std::swap(p, q);
                         return loss.value();
                       },
                       carry(w, one, other), x));
                 }), text));
  // A copy of the net as a target for the next call: its generators count what the net's have drawn.
  const auto layers = [] { return nn::Sequential{nn::Linear(4, 4, gpu<0>, Generator(5)), nn::Dropout(0.5, Generator(7))}; };
  CHECK(contains(refusal<CaptureError>([&] {
                   static_cast<void>(capture<Gpu>(
                       [](auto& net, auto& target, const auto& y) {
                         auto result = eval(target(y).value() + net(y).value());
                         target = net;
                         return result;
                       },
                       carry(layers(), layers()), ones<float>({2, 4}, gpu<0>)));
                 }), text));
}

TEST_CASE("a generator that a captured function kept is refused in another graph too") {
  const auto x = ones<float>({4}, gpu<0>);
  std::optional<Generator> kept;
  static_cast<void>(capture<Gpu>(
      [&](Generator& g, const auto& v) {
        kept = g;
        return eval(v + randn_like(v, g));
      },
      carry(Generator(7)), x));
  CHECK(contains(refusal<CaptureError>([&] {
                   static_cast<void>(capture<Gpu>(
                       [&](Generator& g, const auto& v) {
                         Generator copy = *kept;
                         return eval(v + randn_like(v, copy) + randn_like(v, g));
                       },
                       carry(Generator(8)), x));
                 }), "of a captured function, which kept it"));
}

TEST_CASE("the rate of a step as a tensor is the rate as a number") {
  Generator generator(4);
  nn::Linear<float, Gpu> net(7, 5, gpu<0>, generator);
  nn::Linear<float, Gpu> other = net;
  optim::AdamW optimizer(net, {.learning_rate = 0.25, .weight_decay = 0.1});
  optim::AdamW by_tensor = optimizer;
  const Tensor x = randn<float>({6, 7}, gpu<0>, generator);
  for (int step = 0; step < 3; ++step) {
    optimizer.step(net, backward(mean(square(net(x)))));
    by_tensor.learning_rate = 100;
    by_tensor.step(other, backward(mean(square(other(x)))), full<float>({1}, 0.25f, gpu<0>));
  }
  CHECK(same_entries(net, other));
  CHECK(same_entries(optimizer, by_tensor));
  const Gradients gradients = backward(mean(square(other(x))));
  CHECK(contains(refusal<ShapeError>([&] { by_tensor.step(other, gradients, ones<float>({2}, gpu<0>)); }),
                 "must be one number"));
  CHECK(by_tensor.step_count() == 3);
}

TEST_CASE("a call of a captured training step takes no memory but for what it returns") {
  Generator generator(1);
  const auto net = make_net(generator);
  optim::Adam optimizer(net, {.learning_rate = 1e-2});
  const Tensor x = randn<float>({12, 5}, gpu<0>, generator);
  const Tensor y = sum(x, 1, keepdims);
  const Tensor rate = full<double>({}, 1e-2, gpu<0>);
  auto graph = capture<Gpu>(TrainingStep{}, carry(net, optimizer, Generator(9)), x, y, rate);
  auto results = graph(x, y, rate);
  results = graph(x, y, rate);
  synchronize<Gpu>();
  const auto before = memory_stats<Gpu>();
  for (int call = 0; call < 5; ++call) results = graph(x, y, rate);
  synchronize<Gpu>();
  const auto after = memory_stats<Gpu>();
  CHECK(after.in_use == before.in_use);
  CHECK(after.allocations - after.pool_hits == before.allocations - before.pool_hits);
}
