// SPDX-License-Identifier: Apache-2.0
// Gradients that are added up over several losses, and tensors that are assigned to parameters.
#include <doctest/doctest.h>

#include <cstddef>
#include <type_traits>
#include <utility>
#include <vector>

#include <situ/autograd.hpp>
#include <situ/device/host_memory.hpp>
#include <situ/nn.hpp>
#include <situ/optim.hpp>

#include "gradient_check.hpp"

namespace {

using namespace situ;
using gradient_check::elements;

TEST_CASE("gradients of several losses are added up") {
  const Variable w(tensor({1., 2.})), v(tensor({3.}));
  const Variable u(tensor({5.f}));
  Gradients total;
  total += backward(sum(w * w));
  CHECK(elements(total[w]) == std::vector<double>{2, 4});
  total += backward(sum(3 * w) + sum(v * v));
  total += backward(sum(u * 2));
  CHECK(total.size() == 3);
  CHECK(elements(total[w]) == std::vector<double>{5, 7});
  CHECK(elements(total[v]) == std::vector<double>{6});
  CHECK(total[u].item() == 2.f);
  total += total;
  CHECK(elements(total[w]) == std::vector<double>{10, 14});
  CHECK(elements(total[v]) == std::vector<double>{12});
  total += Gradients();
  CHECK(total.size() == 3);
}

TEST_CASE("the gradients that are added keep their values") {
  const Variable w(tensor({1., 2.}));
  const Gradients one = backward(sum(w * w));
  Gradients total;
  total += one;
  total += one;
  CHECK(elements(one[w]) == std::vector<double>{2, 4});
  CHECK(elements(total[w]) == std::vector<double>{4, 8});
  const Tensor<double> kept = total[w];
  total += one;
  CHECK(elements(kept) == std::vector<double>{4, 8});
  CHECK(elements(total[w]) == std::vector<double>{6, 12});
}

TEST_CASE("adding takes no memory where both have a gradient") {
  const Variable w(zeros<double>({1000}));
  Gradients total = backward(sum(w * w));
  const Gradients other = backward(sum(3 * w));
  const auto before = memory_stats<Cpu>().allocations;
  total += other;
  CHECK(memory_stats<Cpu>().allocations == before);
  CHECK(total[w](999) == 3);
}

TEST_CASE("if one sum cannot be made, none is") {
  const Variable w(tensor({1., 2.})), v(tensor({3.})), u(tensor({4.}));
  for (const bool first : {true, false}) {  // whichever the map visits first
    Gradients total = backward(sum(w * w) + sum(v * v));
    Gradients other = backward(sum(w * w) + sum(v * v) + sum(u));
    if (first) other[w] = ones<double>({3});
    else other[v] = ones<double>({1, 1});
    CHECK_THROWS_WITH_AS(total += other, doctest::Contains("a gradient has the shape of its parameter"), ShapeError);
    CHECK(elements(total[w]) == std::vector<double>{2, 4});
    CHECK(elements(total[v]) == std::vector<double>{6});
    CHECK(!total.contains(u));
  }
}

TEST_CASE("a step with gradients of parts is the step with those of the whole") {
  Generator generator(1);
  const Tensor x = randn<double>({12, 3}, generator), y = randn<double>({12, 1}, generator);
  nn::Sequential whole{nn::Linear<double>(3, 1, generator)};
  auto net = whole;
  optim::SGD at_once(whole, {.learning_rate = 0.1}), optimizer(net, {.learning_rate = 0.1});
  for (int step = 0; step < 3; ++step) {
    at_once.step(whole, backward(mse_loss(whole(x), y)));
    // [accumulation]
    Gradients total;
    for (int part = 0; part < 3; ++part) {
      const auto rows = range(part * 4, part * 4 + 4);
      total += backward(mse_loss(net(x(rows)), y(rows)) / 3);
    }
    optimizer.step(net, total);
    // [accumulation-end]
  }
  CHECK(allclose(layer<0>(whole).weight.value(), layer<0>(net).weight.value(), {.relative = 1e-12}).item());
}

TEST_CASE("a tensor that is assigned to a variable makes it a new parameter") {
  Variable w(tensor({1., 2.}));
  const Variable before = w;
  const Variable loss = sum(w * w);
  const Tensor value = tensor({3., 4., 5.});
  w = value;
  CHECK(elements(w.value()) == std::vector<double>{3, 4, 5});
  CHECK(elements(backward(sum(w * w))[w]) == std::vector<double>{6, 8, 10});
  const Gradients gradients = backward(loss);
  CHECK(elements(gradients[before]) == std::vector<double>{2, 4});
  CHECK(!gradients.contains(w));
  w = value * 2;  // an expression
  CHECK(elements(w.value()) == std::vector<double>{6, 8, 10});
  w = value;
  w.update([](auto& v) { v += 1; });
  CHECK(elements(value) == std::vector<double>{3, 4, 5});  // the tensor is a value of its own
}

TEST_CASE("a constant that a tensor is assigned to stays one, and an empty variable becomes a parameter") {
  nn::Linear<double> layer(2, 1, {.bias = false});
  layer.weight = constant(layer.weight);
  layer.weight = tensor({{1., 2.}});
  CHECK(!layer.weight.records());
  CHECK(elements(layer.weight.value()) == std::vector<double>{1, 2});
  layer.bias = ones<double>({1});
  CHECK(layer.bias.records());
  CHECK(layer.has_bias());
}

TEST_CASE("only a tensor of the same elements and device is assigned to a variable") {
  static_assert(std::is_assignable_v<Variable<float>&, Tensor<float>>);
  static_assert(!std::is_assignable_v<Variable<float>&, Tensor<double>>);
  static_assert(!std::is_assignable_v<Variable<float>&, Tensor<float, Pinned>>);
  static_assert(!std::is_assignable_v<Variable<float>&, float>);
  static_assert(!std::is_convertible_v<Tensor<float>, Variable<float>>);
  Variable<float> v(tensor({1.f}));
  v = {};
  CHECK(v.size() == 0);
}

}  // namespace
