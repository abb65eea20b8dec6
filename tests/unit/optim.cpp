// SPDX-License-Identifier: Apache-2.0
// Optimisers, learning rates and clipping: against PyTorch's, and what they do to memory, modules and checkpoints.
// labels: gradients
#include <doctest/doctest.h>

#include <cmath>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <map>
#include <string>
#include <tuple>
#include <type_traits>
#include <vector>

#include <situ/nn/linear.hpp>
#include <situ/nn/sequential.hpp>
#include <situ/optim.hpp>

#include "../golden/torch/arrays.hpp"

namespace {

using namespace situ;
using std::int64_t;
using Arrays = std::map<std::string, Tensor<double>>;

const Arrays& by_torch() {
  static const Arrays arrays = golden_torch::arrays("optim.txt");
  return arrays;
}
const Tensor<double>& by_torch(const std::string& name) {
  REQUIRE_MESSAGE(by_torch().contains(name), name);
  return by_torch().at(name);
}

template <class A, class B>
void check_close(const A& found, const B& expected, double tolerance = 1e-12) {
  REQUIRE(found.shape() == expected.shape());
  const Tensor<double> a = contiguous(eval(cast<double>(found)));
  const Tensor<double> b = contiguous(eval(cast<double>(expected)));
  for (int64_t i = 0; i < a.size(); ++i) {
    CAPTURE(i);
    CHECK(a.data()[i] == doctest::Approx(b.data()[i]).epsilon(tolerance).scale(1));
  }
}
template <class T>
bool same(const Tensor<T>& a, const Tensor<T>& b) {
  if (!(a.shape() == b.shape())) return false;
  const Tensor<T> x = contiguous(a), y = contiguous(b);
  for (int64_t i = 0; i < x.size(); ++i)
    if (!(x.data()[i] == y.data()[i])) return false;
  return true;
}
template <class T>
Tensor<T> numbers(const Shape& shape, double seed) {
  Tensor<T> x = zeros<T>(shape);
  auto lease = x.write();
  for (int64_t i = 0; i < lease.size(); ++i)
    lease.data()[i] = static_cast<T>(static_cast<compute_t<T>>(std::sin(seed + 0.7 * static_cast<double>(i))));
  return x;
}

/// Gradients of parameters that are just these: of the sum of their products.
template <class T>
Gradients with(const Variable<T>& w, const Tensor<T>& g) {
  return backward(sum(w * g));
}
template <class T>
Gradients with(const Variable<T>& w, const Tensor<T>& g, const Variable<T>& b, const Tensor<T>& h) {
  return backward(sum(w * g) + sum(b * h));
}

/// The steps of a golden case by `optimizer`.
template <class Make>
void check_case(const std::string& name, Make make) {
  CAPTURE(name);
  Variable<double> w(by_torch(name + ".w")), b(by_torch(name + ".b"));
  auto optimizer = make(std::tie(w, b));
  for (int step = 0; step < 5; ++step) {
    CAPTURE(step);
    const std::string at = name + "." + std::to_string(step) + ".";
    const Tensor<double>& g = by_torch(at + "grad.w");
    if (step == 2)
      optimizer.step(std::tie(w, b), with(w, g));
    else
      optimizer.step(std::tie(w, b), with(w, g, b, by_torch(at + "grad.b")));
    check_close(w.value(), by_torch(at + "w"));
    check_close(b.value(), by_torch(at + "b"));
  }
  CHECK(optimizer.step_count() == 5);
  std::size_t states = 0;
  optimizer.for_each_entry([&](const std::string& entry, const auto& state) {
    if (entry == "steps") {
      check_close(state, tensor({5, 4}));
      return;
    }
    ++states;
    const std::size_t dot = entry.rfind('.');
    check_close(state, by_torch(name + ".state." + entry.substr(0, dot) + (entry.substr(dot) == ".0" ? ".w" : ".b")));
  });
  std::size_t expected = 0;
  for (const auto& [key, value] : by_torch()) expected += key.starts_with(name + ".state.") ? 1u : 0u;
  CHECK(states == expected);
}

}  // namespace

TEST_CASE("optimisers step as PyTorch's do") {
  using optim::Adam;
  using optim::AdamW;
  using optim::SGD;
  check_case("sgd", [](auto p) { return SGD(p, {.learning_rate = 0.1}); });
  check_case("sgd_decay", [](auto p) { return SGD(p, {.learning_rate = 0.1, .weight_decay = 0.3}); });
  check_case("sgd_momentum", [](auto p) { return SGD(p, {.learning_rate = 0.1, .momentum = 0.9}); });
  check_case("sgd_dampening", [](auto p) {
    return SGD(p, {.learning_rate = 0.1, .momentum = 0.8, .dampening = 0.4, .weight_decay = 0.2});
  });
  check_case("sgd_nesterov", [](auto p) {
    return SGD(p, {.learning_rate = 0.1, .momentum = 0.7, .weight_decay = 0.1, .nesterov = true});
  });
  check_case("adam", [](auto p) { return Adam(p, {.learning_rate = 0.05}); });
  check_case("adam_options", [](auto p) {
    return Adam(p, {.learning_rate = 0.02, .beta1 = 0.6, .beta2 = 0.8, .epsilon = 0.1, .weight_decay = 0.3});
  });
  check_case("adamw", [](auto p) { return AdamW(p, {.learning_rate = 0.05}); });
  check_case("adamw_options", [](auto p) {
    return AdamW(p, {.learning_rate = 0.02, .beta1 = 0.5, .beta2 = 0.9, .epsilon = 1e-3, .weight_decay = 0.4});
  });
}

TEST_CASE_TEMPLATE("other element types: the state is at least float", T, float, float16, bfloat16) {
  // 3 * 8192 and some: several threads, and a tail
  const int64_t n = 3 * 8192 + 13;
  const Tensor<T> start = numbers<T>({n}, 1), g = numbers<T>({n}, 2);
  Variable<T> w(start);
  optim::AdamW optimizer(w, {.learning_rate = 0.1, .weight_decay = 0.5});
  static_assert(std::is_same_v<typename decltype(optimizer)::state_type, Tensor<float>>);
  Tensor<double> p = cast<double>(start), m = zeros<double>({n}), v = zeros<double>({n});
  const Tensor<double> wide = cast<double>(g);
  const double rounding = std::is_same_v<T, float> ? 1e-5 : std::is_same_v<T, float16> ? 2e-3 : 1e-2;
  for (int step = 1; step <= 2; ++step) {
    optimizer.step(w, with(w, g));
    m = m * 0.9 + wide * 0.1;
    v = v * 0.999 + square(wide) * 0.001;
    p = p * (1 - 0.1 * 0.5) - m * (0.1 / (1 - std::pow(0.9, step))) / (sqrt(v / (1 - std::pow(0.999, step))) + 1e-8);
    const Tensor<double> off = max(abs(cast<double>(w.value()) - p));
    CHECK(off.item() < rounding);
    optimizer.for_each_entry([&](const std::string& name, const auto& state) {
      if (name != "exp_avg_sq") return;
      const Tensor<double> state_off = max(abs(cast<double>(state) - v));
      CHECK(state_off.item() < 1e-8);
    });
  }
}

TEST_CASE("a step writes in place when nothing else holds the value, and else leaves the others theirs") {
  Variable<float> w(numbers<float>({40, 30}, 3));
  const Tensor<float> g = numbers<float>({40, 30}, 4);
  optim::Adam optimizer(w, {.learning_rate = 0.1});
  optimizer.step(w, with(w, g));  // what was given away at the start is shared no more
  const float* const place = w.value().data();
  {
    const Gradients gradients = with(w, g);
    const auto before = memory_stats<Cpu>();
    optimizer.step(w, gradients);
    CHECK(w.value().data() == place);
    CHECK(memory_stats<Cpu>().detaching_copies == before.detaching_copies);
    CHECK(memory_stats<Cpu>().in_use == before.in_use);
  }
  const Tensor<float> kept = w.value();
  const Tensor<float> copy = kept.copy_to<Cpu>();
  const auto before = memory_stats<Cpu>().detaching_copies;
  optim::Adam other = optimizer;
  Variable<float> v = w;
  optimizer.step(w, with(w, g));
  CHECK(same(kept, copy));
  CHECK(same(v.value(), copy));
  CHECK(!same(w.value(), copy));
  CHECK(memory_stats<Cpu>().detaching_copies == before + 1);  // of the steps that `other` counts as well
  // The copy of the optimiser had the state of before, and steps to the same place.
  other.step(v, with(v, g));
  CHECK(same(v.value(), w.value()));
}

TEST_CASE("parameters and gradients of any layout") {
  const Tensor<float> x = numbers<float>({5, 7}, 5);
  Variable<float> plain(contiguous(transpose(x)));
  Variable<float> turned(transpose(numbers<float>({5, 7}, 5)));  // nothing else holds its storage
  Variable<float> wide(broadcast_to(x(0, all), {3, 7}));
  optim::SGD a(plain, {.learning_rate = 0.5, .momentum = 0.5}), b(turned, {.learning_rate = 0.5, .momentum = 0.5});
  optim::SGD c(wide, {.learning_rate = 0.5});
  const Tensor<float> g = transpose(numbers<float>({5, 7}, 6));
  for (int step = 0; step < 2; ++step) {
    a.step(plain, backward(plain, contiguous(g)));
    b.step(turned, backward(turned, g));
  }
  CHECK(same(plain.value(), turned.value()));
  c.step(wide, backward(wide, broadcast_to(tensor({1.f}), {3, 7})));
  check_close(wide.value(), eval(broadcast_to(x(0, all), {3, 7}) - 0.5f), 1e-6);
  check_close(x, numbers<float>({5, 7}, 5), 1e-7);
  Variable<float> none(zeros<float>({0, 3}));
  optim::Adam(none).step(none, backward(none, zeros<float>({0, 3})));
  CHECK(none.shape() == Shape{0, 3});
}

TEST_CASE("a module's parameters, by name; the state goes to another optimiser, which goes on to the bit") {
  Generator generator(3);
  nn::Sequential net{nn::Linear(4, 6, generator), nn::ReLU(),
                     nn::Linear(6, 2, nn::LinearOptions{.bias = false}, generator)};
  const Tensor<float> x = numbers<float>({8, 4}, 7), y = numbers<float>({8, 2}, 8);
  const auto train = [&](auto& module, auto& optimizer, int steps) {
    for (int step = 0; step < steps; ++step) {
      Variable loss = mse_loss(module(x), y);
      Gradients gradients = backward(loss);
      optimizer.step(module, gradients);
    }
    return mse_loss(module(x), y).value().item();
  };
  optim::AdamW optimizer(net, {.learning_rate = 0.05});
  const float at_first = mse_loss(net(x), y).value().item();
  const float later = train(net, optimizer, 20);
  CHECK(later < 0.7f * at_first);

  std::vector<std::string> names;
  nn::for_each_entry(optimizer, [&](const std::string& name, auto&) { names.push_back(name); });
  CHECK(names == std::vector<std::string>{"steps", "exp_avg.0.weight", "exp_avg.0.bias", "exp_avg.2.weight",
                                          "exp_avg_sq.0.weight", "exp_avg_sq.0.bias", "exp_avg_sq.2.weight"});
  auto again = net;
  optim::AdamW loaded(again, {.learning_rate = 0.05});
  nn::for_each_entry(loaded, [&](const std::string& name, auto& into) {
    nn::for_each_entry(optimizer, [&](const std::string& from_name, const auto& from) {
      if constexpr (std::is_same_v<std::remove_cvref_t<decltype(into)>, std::remove_cvref_t<decltype(from)>>) {
        if (name == from_name) into = from.template copy_to<Cpu>();
      }
    });
  });
  CHECK(loaded.step_count() == 20);
  auto moved = optimizer.to<Pinned>();
  static_assert(std::is_same_v<decltype(moved), optim::AdamW<float, Pinned>>);
  CHECK(moved.step_count() == 20);
  CHECK(moved.options().learning_rate == 0.05);
  CHECK(optimizer.to<Cpu>().step_count() == 20);  // where it is already
  const float on = train(net, optimizer, 5);
  CHECK(train(again, loaded, 5) == on);
  CHECK(on != later);

  nn::Sequential other{nn::Linear(4, 6), nn::ReLU(), nn::Linear(6, 3, nn::LinearOptions{.bias = false})};
  const Gradients gradients = backward(mse_loss(other(x), numbers<float>({8, 3}, 8)));
  const Tensor<float> before = other.layer<0>().weight.value().copy_to<Cpu>();
  CHECK_THROWS_WITH_AS(
      optimizer.step(other, gradients),
      "step: parameter 2 is '2.weight' of shape (3, 6), but the optimizer was made for '2.weight' of shape "
      "(2, 6); give it the module that it was made for",
      ShapeError);
  CHECK(same(other.layer<0>().weight.value(), before));
  CHECK_THROWS_WITH_AS(optimizer.step(other.layer<0>(), gradients), doctest::Contains("is 'weight' of shape (6, 4)"),
                       ShapeError);
  CHECK_THROWS_AS(optimizer.step(net, gradients), ValueError);
  CHECK(optimizer.step_count() == 25);
  CHECK(train(net, optimizer, 1) == train(again, loaded, 1));

  nn::for_each_entry(loaded, [](const std::string& name, auto& entry) {
    if constexpr (std::is_same_v<std::remove_cvref_t<decltype(entry)>, Tensor<float>>)
      if (name == "exp_avg.2.weight") entry = zeros<float>({2, 5});
  });
  CHECK_THROWS_WITH_AS(train(again, loaded, 1), doctest::Contains("the state of '2.weight' has shape (2, 5)"),
                       ShapeError);
}

TEST_CASE("what has no gradient stays: constants, and parameters that the loss does not depend on") {
  Variable<float> w(tensor({1.f, 2.f})), unused(tensor({3.f}));
  Variable<float> fixed = constant(tensor({4.f, 5.f}));
  optim::SGD optimizer(std::tie(w, unused, fixed), {.learning_rate = 1, .momentum = 0.9, .weight_decay = 0.1});
  const Gradients gradients = backward(sum(w * fixed));
  optimizer.step(std::tie(w, unused, fixed), gradients);
  check_close(w.value(), tensor({1.f - 4.1f, 2.f - 5.2f}), 1e-6);
  CHECK(unused.value().item() == 3.f);
  CHECK(same(fixed.value(), tensor({4.f, 5.f})));
  CHECK(!fixed.records());
  CHECK(w.records());
  // They are gradients of what w was.
  CHECK_THROWS_WITH_AS(optimizer.step(std::tie(w, unused, fixed), gradients),
                       doctest::Contains("there is no gradient of any parameter"), ValueError);
}

TEST_CASE("settings that are none") {
  Variable<float> w(tensor({1.f}));
  CHECK_THROWS_AS(optim::SGD(w, {.learning_rate = -1}), ValueError);
  CHECK_THROWS_AS(optim::SGD(w, {.momentum = -0.1}), ValueError);
  CHECK_THROWS_AS(optim::SGD(w, {.weight_decay = -0.1}), ValueError);
  CHECK_THROWS_WITH_AS(optim::SGD(w, {.nesterov = true}), "SGD: nesterov needs a momentum, and no dampening",
                       ValueError);
  CHECK_THROWS_AS(optim::SGD(w, {.momentum = 0.9, .dampening = 0.1, .nesterov = true}), ValueError);
  CHECK_THROWS_AS(optim::Adam(w, {.learning_rate = std::numeric_limits<double>::quiet_NaN()}), ValueError);
  CHECK_THROWS_AS(optim::Adam(w, {.beta1 = 1}), ValueError);
  CHECK_THROWS_AS(optim::AdamW(w, {.beta2 = -0.5}), ValueError);
  CHECK_THROWS_AS(optim::AdamW(w, {.epsilon = -1e-8}), ValueError);
}

TEST_CASE("learning rates change as PyTorch's do") {
  const auto check = [](const char* name, auto schedule) {
    CAPTURE(name);
    const Tensor<double>& rates = by_torch(name);
    for (int64_t step = 0; step < rates.size(); ++step) {
      CAPTURE(step);
      CHECK(schedule(step) == doctest::Approx(rates(step)).epsilon(1e-12));
    }
  };
  check("rate.step", optim::StepRate{.from = 0.2, .every = 6, .factor = 0.3});
  check("rate.exponential", optim::ExponentialRate{.from = 0.2, .factor = 0.9});
  check("rate.cosine", optim::CosineRate{.from = 0.2, .steps = 24, .to = 0.01});
  check("rate.warm_up", optim::WarmUp(10, [](int64_t) { return 0.2; }, 0.25));
  const optim::CosineRate cosine{.from = 1, .steps = 4};
  CHECK(cosine(4) == 0);
  CHECK(cosine(1000) == 0);
  const optim::WarmUp both(2, cosine, 0.5);
  CHECK(both(0) == 0.5);
  CHECK(both(1) == 0.75);
  CHECK(both(2) == 1);
  CHECK(both(4) == doctest::Approx(0.5));

  Variable<float> w(tensor({1.f}));
  optim::SGD optimizer(w, {.learning_rate = 0.5});
  optimizer.learning_rate = both(optimizer.step_count());
  optimizer.step(w, with(w, tensor({1.f})));
  optimizer.learning_rate = both(optimizer.step_count());
  optimizer.step(w, with(w, tensor({1.f})));
  CHECK(w.value().item() == 1 - 0.5f - 0.75f);
}

TEST_CASE("gradients are clipped as PyTorch clips them") {
  for (const std::string most : {"0.5", "100.0"}) {
    CAPTURE(most);
    const std::string at = "clip." + most + ".";
    Variable<double> w(zeros<double>({4, 5})), b(zeros<double>({3}));
    Gradients gradients = with(w, by_torch(at + "w"), b, by_torch(at + "b"));
    check_close(optim::norm(gradients, std::tie(w, b)), by_torch(at + "norm"));
    check_close(optim::clip_by_norm(gradients, std::tie(w, b), std::stod(most)), by_torch(at + "norm"));
    check_close(gradients[w], by_torch(at + "after.w"));
    check_close(gradients[b], by_torch(at + "after.b"));
    // Of those of one parameter alone.
    optim::clip_by_value(gradients, w, 0.05);
    check_close(gradients[w], eval(clamp(by_torch(at + "after.w"), -0.05, 0.05)));
    check_close(gradients[b], by_torch(at + "after.b"));
  }
  Variable<bfloat16> h(zeros<bfloat16>({300}));
  Gradients gradients = with(h, full<bfloat16>({300}, 3.140625f));  // whose square has more bits than bfloat16
  const Tensor<float> norm = optim::clip_by_norm(gradients, h, 2);
  CHECK(norm.item() == doctest::Approx(3.140625 * std::sqrt(300.0)).epsilon(1e-6));
  CHECK(static_cast<float>(gradients[h](7)) == doctest::Approx(2 / std::sqrt(300.0)).epsilon(0.01));

  Variable<float> w(zeros<float>({2})), v(zeros<float>({2}));
  const float infinity = std::numeric_limits<float>::infinity();
  Gradients bad = with(w, tensor({1.f, infinity}));
  CHECK(optim::clip_by_norm(bad, w, 1).item() == infinity);
  CHECK(std::isnan(bad[w](1)));
  CHECK(optim::clip_by_norm(bad, v, 1).item() == 0.f);  // there is none of v
  CHECK_THROWS_AS(optim::clip_by_norm(bad, w, -1), ValueError);
  CHECK_THROWS_AS(optim::clip_by_value(bad, w, std::numeric_limits<double>::quiet_NaN()), ValueError);
}

TEST_CASE("a step of all parameters together gives the bits of a step of each, with any number of threads") {
  const std::vector<std::int64_t> sizes{1, 70000, 3, 0, 64, 65, 20000, 1};
  const int threads = situ::num_threads();
  for (const int count : {1, 3}) {
    CAPTURE(count);
    situ::set_num_threads(count);
    std::vector<Variable<float>> together, alone;
    std::vector<Tensor<float>> gradients;
    situ::Generator generator(5);
    for (const std::int64_t size : sizes) {
      together.emplace_back(situ::randn<float>({size}, generator));
      alone.emplace_back(together.back().value());
      gradients.push_back(situ::randn<float>({size}, generator));
    }
    optim::AdamW optimizer(together, {.learning_rate = 0.1, .weight_decay = 0.1});
    std::vector<optim::AdamW<float, Cpu>> own;
    for (const Variable<float>& each : alone) own.emplace_back(each, optimizer.options());
    for (std::size_t step = 0; step != 3; ++step) {
      const std::size_t without = step == 1 ? 2 : 0;  // these make a step less
      auto whole = sum(together[without] * gradients[without]);
      for (std::size_t i = without + 1; i != sizes.size(); ++i) whole = whole + sum(together[i] * gradients[i]);
      optimizer.step(together, backward(whole));
      for (std::size_t i = without; i != sizes.size(); ++i)
        own[i].step(alone[i], backward(sum(alone[i] * gradients[i])));
    }
    for (std::size_t i = 0; i != sizes.size(); ++i) {
      CAPTURE(i);
      CHECK(situ::all(together[i].value() == alone[i].value()).item());
    }
  }
  situ::set_num_threads(threads);
}

TEST_CASE("bias corrections are those of the powers, at any step") {
  for (const double beta : {0.0, 0.5, 0.9, 0.999, 0.999999}) {
    for (const std::int64_t made : {1, 2, 3, 10, 1000, 123457, 100000000}) {
      const double expected = -std::expm1(static_cast<double>(made) * std::log(beta));
      CHECK(optim::detail::one_minus_power(beta, made) == doctest::Approx(expected).epsilon(1e-13 / (1 - beta)));
    }
  }
}

TEST_CASE("the rate of a step as a tensor") {
  Variable<float> w(situ::tensor({1.f, 2.f})), v(w.value());
  optim::SGD by_number(w, {.learning_rate = 0.3}), by_tensor(v, {.learning_rate = 7});
  const Tensor<float> g = situ::tensor({0.7f, -0.3f});
  by_number.step(w, backward(w, g));
  by_tensor.step(v, backward(v, g), situ::full<double>({}, 0.3));
  CHECK(situ::all(w.value() == v.value()).item());
  CHECK_THROWS_WITH_AS(by_tensor.step(v, backward(v, g), situ::ones<float>({3})),
                       "step: the learning rate has shape (3,); it must be one number", situ::ShapeError);
  CHECK(by_tensor.step_count() == 1);
}

TEST_CASE("a variable that is listed twice makes one step, and two that share a value one each") {
  Variable<float> w(situ::tensor({1.f, 2.f})), v(w.value());
  const Tensor<float> g = situ::tensor({0.5f, -0.25f});
  {  // in place, where the second entry would change what the first has written
    Variable<float> own(situ::tensor({1.f, 2.f}));
    optim::SGD optimizer(std::tie(own, own), {.learning_rate = 1});
    optimizer.step(std::tie(own, own), backward(own, g));
    CHECK(situ::all(own.value() == situ::tensor({0.5f, 2.25f})).item());
  }
  optim::SGD twice(std::tie(w, w), {.learning_rate = 1});
  twice.step(std::tie(w, w), backward(w, g));
  CHECK(situ::all(w.value() == situ::tensor({0.5f, 2.25f})).item());
  CHECK(situ::all(v.value() == situ::tensor({1.f, 2.f})).item());
  Variable<float> tied = v;
  optim::SGD both(std::tie(v, tied), {.learning_rate = 1});
  both.step(std::tie(v, tied), backward(v, g));
  CHECK(situ::all(v.value() == w.value()).item());
  CHECK(situ::all(tied.value() == w.value()).item());
}
