// SPDX-License-Identifier: Apache-2.0
// Modules on GPUs: initial values to the bit, and a training step of a network like that on the CPU.
#include <doctest/doctest.h>

#include <concepts>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include <situ/graph.hpp>
#include <situ/nn.hpp>

namespace {

using namespace situ;

template <Device D>
struct Net : nn::Module<Net<D>> {
  nn::Embedding<float, D> words;
  nn::Sequential<nn::Conv2d<float, D>, nn::BatchNorm<float, D>, nn::ReLU, nn::MaxPool2d, nn::Flatten, nn::Dropout> body;
  nn::LayerNorm<float, D> norm;
  nn::Linear<float, D> head;

  static constexpr auto members() {
    return nn::members("words", &Net::words, "body", &Net::body, "norm", &Net::norm, "head", &Net::head);
  }

  template <class X>
  Variable<float, D> operator()(const X& images, const Tensor<std::int64_t, D>& labels) {
    return head(norm(body(images) * words(labels)));  // a pass for two gradients
  }
};

/// Made on the device, with numbers from a generator.
template <Device D>
Net<D> net_on(D device, Generator& generator) {
  return {{},
          {10, 12, device, generator},
          nn::Sequential{nn::Conv2d(2, 3, 3, {.padding = 1}, device, generator), nn::BatchNorm(3, device), nn::ReLU(),
                         nn::MaxPool2d(2), nn::Flatten(), nn::Dropout(0.25, Generator(4))},
          {12, device},
          {12, 10, device, generator}};
}

template <class A, class B>
double largest_difference(const A& a, const B& b) {
  const Tensor x = a.template to<Cpu>();
  const Tensor y = b.template to<Cpu>();
  REQUIRE(x.shape() == y.shape());
  return static_cast<double>(max(abs(cast<double>(x) - cast<double>(y))).item());
}

/// All that a step of training computes: the loss, the gradients, and the entries after it, on the host.
struct Step {
  std::vector<Tensor<double>> values;
  std::vector<std::string> names;

  template <Device D>
  explicit Step(Net<D>& net, D device) {
    Generator generator(9);
    const Tensor images = randn<float>({6, 2, 4, 4}, device, generator);
    const Tensor labels = randint(0, 10, {6}, device, generator);
    const Variable loss = cross_entropy(net(images, labels), labels);
    const Gradients gradients = backward(loss);
    keep("loss", loss.value());
    nn::for_each_parameter(net, [&](const std::string& name, auto& parameter) { keep(name, gradients[parameter]); });
    nn::for_each_entry(net, [&](const std::string& name, auto& entry) {
      if constexpr (!VariableType<decltype(entry)>) keep(name, entry);
    });
    keep("evaluated", net.eval()(images, labels).value());
    net.train();
  }

 private:
  template <class X>
  void keep(const std::string& name, const X& x) {
    values.emplace_back(cast<double>(x.template to<Cpu>()));
    names.push_back(name);
  }
};

template <Device D>
void check(D device) {
  Generator here_generator(1), there_generator(1);
  Net<Cpu> here = net_on(cpu, here_generator);
  Net<D> there = net_on(device, there_generator);
  auto moved = here.to(device);
  static_assert(std::same_as<decltype(moved), Net<D>>);

  std::vector<Tensor<double>> entries;
  nn::for_each_entry(here, [&](const std::string&, auto& entry) {
    if constexpr (VariableType<decltype(entry)>)
      entries.emplace_back(cast<double>(entry.value()));
    else
      entries.emplace_back(cast<double>(entry));
  });
  std::size_t at = 0;
  nn::for_each_entry(there, [&](const std::string& name, auto& entry) {
    CAPTURE(name);
    if constexpr (VariableType<decltype(entry)>)
      CHECK(largest_difference(entry.value(), entries[at]) == 0);
    else
      CHECK(largest_difference(entry, entries[at]) == 0);
    ++at;
  });
  REQUIRE(at == 12);

  const Step expected(here, cpu);
  for (Net<D>* net : {&there, &moved}) {
    const Step found(*net, device);
    REQUIRE(found.names == expected.names);
    for (std::size_t i = 0; i != found.values.size(); ++i) {
      CAPTURE(found.names[i]);
      CHECK(largest_difference(found.values[i], expected.values[i]) < 2e-5);
    }
  }
}

TEST_CASE("a training step on a GPU is that on the CPU") { check(gpu<0>); }
TEST_CASE("and on the second GPU") { check(gpu<1>); }

/// With running statistics, and a layer that uses those it has.
template <Device D>
struct Learner : nn::Module<Learner<D>> {
  nn::Sequential<nn::Conv2d<float, D>, nn::BatchNorm<float, D>, nn::ReLU, nn::Flatten> body;
  nn::BatchNorm<float, D> norm;
  nn::Linear<float, D> head;

  static constexpr auto members() {
    return nn::members("body", &Learner::body, "norm", &Learner::norm, "head", &Learner::head);
  }
};

/// A step of training: changes the network, and gives its loss.
template <Device D>
Tensor<float, D> learn(Learner<D>& net, const Tensor<float, D>& images, const Tensor<std::int64_t, D>& labels) {
  const Variable loss = cross_entropy(net.head(net.norm(net.body(images))), labels);
  const Gradients gradients = backward(loss);
  nn::for_each_parameter(net, [&](const std::string&, auto& parameter) {
    parameter.update([&](auto& value) { value -= 0.25f * gradients[parameter]; });
  });
  return loss.value();
}

TEST_CASE("steps of training as calls of a graph, which carries parameters and running statistics") {
  Generator generator(3);
  const Learner<Cuda<0>> start{{},
                               nn::Sequential{nn::Conv2d(1, 2, 3, {}, gpu<0>, generator), nn::BatchNorm(2, gpu<0>),
                                              nn::ReLU(), nn::Flatten()},
                               nn::BatchNorm<float, Cuda<0>>(8, {.momentum = 0.3, .affine = false}),
                               {8, 4, gpu<0>, generator}};
  Learner<Cuda<0>> eager = start;
  Learner<Cuda<0>> kept = start;
  const auto images = [&] { return randn<float>({6, 1, 4, 4}, gpu<0>, generator); };
  const auto labels = [&] { return randint(0, 4, {6}, gpu<0>, generator); };
  const auto step = capture<Cuda<0>>([](auto& net, const auto& x, const auto& y) { return learn(net, x, y); },
                                     carry(kept), images(), labels());
  const Stream<Cuda<0>> side;
  for (int call = 0; call < 4; ++call) {
    const Tensor x = images();
    const Tensor y = labels();
    const Tensor expected = learn(eager, x, y);
    std::optional<StreamScope<Cuda<0>>> scope;
    if (call == 2) scope.emplace(side);
    CHECK(largest_difference(step(x, y), expected) == 0);
    if (call == 1) kept = step.carried();  // which later calls do not change
  }
  Learner<Cuda<0>> learnt = step.carried();
  CHECK(learnt.norm.momentum == 0.3);
  CHECK(learnt.norm.num_batches_tracked.to<Cpu>().item() == 4);
  CHECK(kept.norm.num_batches_tracked.to<Cpu>().item() == 2);
  CHECK(start.norm.num_batches_tracked.to<Cpu>().item() == 0);
  CHECK(largest_difference(learnt.norm.running_var, start.norm.running_var) > 0.01);
  std::vector<Tensor<double>> values;
  const auto keep = [&](const std::string&, auto& entry) {
    if constexpr (VariableType<decltype(entry)>) values.emplace_back(cast<double>(entry.value().template to<Cpu>()));
    else values.emplace_back(cast<double>(entry.template to<Cpu>()));
  };
  nn::for_each_entry(learnt, keep);
  const std::size_t entries = values.size();
  REQUIRE(entries == 12);
  nn::for_each_entry(eager, keep);
  for (std::size_t i = 0; i < entries; ++i) {
    CAPTURE(i);
    CHECK(largest_difference(values[i], values[entries + i]) == 0);
  }
  const Tensor x = images();
  CHECK(largest_difference(learnt.eval().norm(learnt.body(x)).value(), eager.eval().norm(eager.body(x)).value()) == 0);
  learn(learnt.train(), x, labels());  // its variables record gradients
}

TEST_CASE("a module that changes and is not carried is refused") {
  nn::BatchNorm<float, Cuda<0>> norm(3);
  const Tensor x = randn<float>({4, 3}, gpu<0>, Generator(5));
  std::string text;
  try {
    static_cast<void>(capture<Cuda<0>>([&](const auto& a) { return norm(a).value(); }, x));
  } catch (const CaptureError& e) {
    text = e.what();
  }
  CHECK(text.find("carry(") != std::string::npos);
}

/// A loss of a user's own, whose type is deduced: a sum over expressions of a `log_softmax`.
auto smoothed_loss(const TensorLike auto& logits, const TensorLike auto& labels, float smoothing) {
  const auto logarithms = log_softmax(logits);
  return (1 - smoothing) * nll_loss(logarithms, labels) - smoothing * mean(logarithms);
}

TEST_CASE("a loss made of log_softmax, in a function with auto") {
  const Tensor<float> numbers = randn<float>({3, 4}, Generator(5));
  const Tensor labels = tensor<std::int64_t>({0, 3, 1});
  const Variable here(numbers);
  const Variable there(numbers.to(gpu<0>));
  const Gradients expected = backward(smoothed_loss(here * 2, labels, 0.1f));
  const Gradients found = backward(smoothed_loss(there * 2, labels.to(gpu<0>), 0.1f));
  CHECK(largest_difference(found[there], expected[here]) < 1e-6);
}

// What a gradient knows of an expression goes to the GPU with it: constants at several depths and places.
TEST_CASE("gradients of expressions with constants") {
  const Tensor<float> x = linspace<float>(0.5f, 1.5f, 5);
  const Tensor<float> y = linspace<float>(1.5f, 2.5f, 5);
  const auto check = [&](const auto& expression) {
    const Variable a(x), b(y);
    const Variable c(x.to(gpu<0>)), d(y.to(gpu<0>));
    const Gradients expected = backward(sum(expression(a, b)));
    const Gradients found = backward(sum(expression(c, d)));
    CHECK(largest_difference(found[c], expected[a]) < 1e-5);
    CHECK(largest_difference(found[d], expected[b]) < 1e-5);
  };
  check([](const auto& a, const auto& b) { return 0.9f * a - 0.1f * b; });
  check([](const auto& a, const auto& b) { return (2.f * a + 3.f) * (4.f * b + 5.f); });
  check([](const auto& a, const auto& b) { return where(a < 1.f, 2.f * a, 3.f * b); });
}

}  // namespace
