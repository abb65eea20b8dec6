// SPDX-License-Identifier: Apache-2.0
// The graph of variables: what is recorded and what is not, what lives how long, and what `backward` says and throws.
#include <doctest/doctest.h>

#include <concepts>
#include <cstdint>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

#include <situ/autograd.hpp>
#include <situ/device/host_memory.hpp>

#include "gradient_check.hpp"

namespace {

using namespace situ;
using gradient_check::elements;
using gradient_check::numbers;

TEST_CASE("an expression is computed once, in one pass, and recorded when it becomes a variable") {
  const Variable w(tensor({1., 2.}));
  const auto expression = w * w + 1;
  static_assert(Recorded<decltype(expression)>);
  static_assert(!Evaluable<decltype(expression)>);
  const auto before = memory_stats<Cpu>().allocations;
  const Variable y = expression;
  CHECK(memory_stats<Cpu>().allocations == before + 1);
  CHECK(elements(y.value()) == std::vector<double>{2, 5});
  CHECK(elements(backward(sum(y))[w]) == std::vector<double>{2, 4});
}

TEST_CASE("sum and mean of an expression do not store it") {
  const Variable w(numbers({1000}));
  const auto before = memory_stats<Cpu>().allocations;
  const Variable y = sum(exp(w) * 2);
  CHECK(memory_stats<Cpu>().allocations == before + 1);
  CHECK(y.size() == 1);
}

TEST_CASE("backward keeps nothing: the same twice, and a graph may have several losses") {
  const Variable w(tensor({1., 2., 3.}));
  const Variable h = exp(w);
  const Variable first = sum(h * h), second = sum(h);
  const std::vector<double> once = elements(backward(first)[w]);
  CHECK(elements(backward(first)[w]) == once);
  CHECK(elements(backward(second)[w]) == elements(h.value()));
  CHECK(elements(backward(first + second)[w])[1] == doctest::Approx(once[1] + h.value()(1)));
}

TEST_CASE("gradients of a variable in several places add up") {
  const Variable w(tensor({2., 3.}));
  const Variable a = w * 2, b = w * w;
  const Variable c = a * b + a;  // 2 w^3 + 2 w
  CHECK(elements(backward(sum(c + w))[w]) == std::vector<double>{6 * 4 + 3, 6 * 9 + 3});
}

TEST_CASE("a copy is the same variable; another of the same value is not") {
  const Variable w(tensor({2., 3.}));
  const Variable same = w;
  const Variable other(w.value());
  const Gradients gradients = backward(sum(w * same * other));
  CHECK(gradients.size() == 2);
  CHECK(elements(gradients[same]) == std::vector<double>{8, 18});
  CHECK(elements(gradients[other]) == std::vector<double>{4, 9});
}

TEST_CASE("no_grad, detach and constant") {
  const Variable w(tensor({2., 3.}));
  static_assert(std::is_same_v<decltype(no_grad(w)), Tensor<double>>);
  static_assert(Evaluable<decltype(no_grad(w * 2))>);
  static_assert(std::is_same_v<decltype(detach(w * 2)), Tensor<double>>);
  const Tensor t = no_grad(w * 2 + 1);
  CHECK(elements(t) == std::vector<double>{5, 7});
  CHECK(elements(backward(sum(w * detach(w)))[w]) == std::vector<double>{2, 3});
  const Variable<double> frozen = constant(w);
  CHECK(!frozen.records());
  CHECK(!Variable(frozen * 2 + matmul(frozen, frozen)).records());
  CHECK(backward(sum(frozen * w)).size() == 1);
}

TEST_CASE("what records nothing keeps nothing") {
  const Variable<double> frozen = constant(numbers({1000}));
  const auto before = memory_stats<Cpu>().in_use;
  const Variable<double> y = sum(exp(frozen) * frozen);
  const Variable<double> z = exp(frozen);
  CHECK(memory_stats<Cpu>().in_use - before < 2 * 8192 + 512);  // y and z themselves
}

TEST_CASE("only what a derivative reads is kept") {
  const Variable w(ones<double>({1 << 16}));
  const auto before = memory_stats<Cpu>().in_use;
  {
    Variable<double> y = w + 1;
    for (int i = 0; i < 8; ++i) y = y + w * 2.0;  // every intermediate value is freed at once
    CHECK(memory_stats<Cpu>().in_use - before < (3 << 19));
    Variable<double> z = w;
    for (int i = 0; i < 8; ++i) z = sin(z);  // every one is kept
    CHECK(memory_stats<Cpu>().in_use - before > (8 << 19));
  }
  CHECK(memory_stats<Cpu>().in_use == before);
}

TEST_CASE("the graph goes with the last variable that came out of it") {
  const Variable w(ones<double>({1 << 16}));
  const auto before = memory_stats<Cpu>().in_use;
  Variable<double> y = sum(exp(sin(Variable(cos(w)))));
  CHECK(memory_stats<Cpu>().in_use > before);
  y = constant(zeros<double>({}));
  CHECK(memory_stats<Cpu>().in_use - before < 1024);
}

TEST_CASE("an update makes another parameter and leaves the recorded value alone") {
  Variable w(tensor({2., 3.}));
  const Variable old = w;
  const Variable loss = sum(w * w);
  const Gradients gradients = backward(loss);
  const Tensor<double> step = gradients[w];
  w.update([&](Tensor<double>& value) { value -= 0.5 * step; });
  CHECK(elements(w.value()) == std::vector<double>{0, 0});
  CHECK(elements(old.value()) == std::vector<double>{2, 3});
  CHECK(!gradients.contains(w));
  CHECK(gradients.contains(old));
  CHECK(elements(backward(loss)[old]) == std::vector<double>{4, 6});
  CHECK(elements(backward(sum(w * 3))[w]) == std::vector<double>{3, 3});
}

template <class X>
auto twice(const X& x) {
  return eval(tanh(x) * 2);
}

TEST_CASE("a variable in a loop: += and the like are recorded, item reads the number") {
  const Variable w(tensor({1., 2., 3.}));
  Variable total(zeros<double>({}));
  for (int i = 0; i < 2; ++i) {
    Variable loss = sum(w * w);
    loss /= 2;
    total += loss;
    total -= sum(w);
  }
  total *= total;
  total %= 1000;
  CHECK(total.item() == 4);  // (2 (7 - 6))^2
  CHECK(elements(backward(total)[w]) == std::vector<double>{0, 8, 16});
  const Variable before = total;
  CHECK_THROWS_WITH_AS(total += w, doctest::Contains("add in place: the operand broadcasts shape () to"), ShapeError);
  CHECK(total.edge().node == before.edge().node);
  CHECK_THROWS_AS(static_cast<void>(w.item()), ShapeError);
  CHECK(to_string(total) == to_string(total.value()));
  const Variable one = w.element(2);
  CHECK((one.rank() == 0 && one.item() == 3 && elements(backward(one.element())[w])[2] == 1));
  CHECK_THROWS_AS(static_cast<void>(w.element(0, 0)), IndexError);
}

TEST_CASE("eval gives a variable of what records, so that one function serves tensors and variables") {
  Variable w(tensor({1., 2.}));
  static_assert(std::same_as<decltype(eval(w)), Variable<double>> &&
                std::same_as<decltype(eval(std::as_const(w))), Variable<double>> &&
                std::same_as<decltype(eval(std::move(w))), Variable<double>>);
  static_assert(std::same_as<decltype(twice(w * 2)), Variable<double>> &&
                std::same_as<decltype(twice(w)), Variable<double>> &&
                std::same_as<decltype(twice(w.value() * 2)), Tensor<double>>);
  CHECK(eval(w).edge().node == w.edge().node);
  CHECK(elements(twice(w).value()) == elements(twice(w.value())));
}

TEST_CASE("an update writes in place when nothing else holds the value") {
  Variable w(ones<double>({1 << 12}));
  w.update([](Tensor<double>& value) { value += 1; });
  const double* at = w.value().data();
  w.update([](Tensor<double>& value) { value -= 0.5 * value; });
  CHECK(w.value().data() == at);
  CHECK(w.value()(7) == 1);
}

TEST_CASE("gradients may be changed, and outlive the graph") {
  Gradients gradients;
  Variable w(tensor({2., 3.}));
  {
    const Variable loss = sum(w * w);
    gradients = backward(loss);
  }
  gradients[w] *= 0.25;
  CHECK(elements(gradients[w]) == std::vector<double>{1, 1.5});
}

TEST_CASE("errors say what is wrong") {
  const Variable w(tensor({2., 3.})), unused(tensor({1.}));
  CHECK_THROWS_WITH_AS(static_cast<void>(backward(w * 2)), doctest::Contains("(2,); it must have one element"),
                       ShapeError);
  CHECK_THROWS_WITH_AS(static_cast<void>(backward(w * 2, ones<double>({3}))), doctest::Contains("must be equal"),
                       ShapeError);
  CHECK_THROWS_WITH_AS(static_cast<void>(backward(sum(constant(w)))), doctest::Contains("is a constant"), ValueError);
  const Variable h = w * 2;
  const Gradients gradients = backward(sum(h));
  CHECK_THROWS_WITH_AS(static_cast<void>(gradients[h]), doctest::Contains("only parameters"), ValueError);
  CHECK_THROWS_WITH_AS(static_cast<void>(gradients[unused]), doctest::Contains("does not depend on it"), ValueError);
  CHECK_THROWS_WITH_AS(static_cast<void>(gradients[constant(w)]), doctest::Contains("it is a constant"), ValueError);
}

TEST_CASE("a loss of one element has any rank, and may be an expression or a parameter") {
  const Variable w(tensor({{3.}}));
  CHECK(backward(w * w)[w](0, 0) == 6);
  CHECK(backward(w)[w](0, 0) == 1);
}

TEST_CASE("a chain of a million operations is walked and freed without a deep stack") {
  Variable<double> w(tensor({1.}));
  Variable<double> y = w;
  // Under ASan fewer, for time: its frames are larger, and as many of them are too deep as well.
  const int count = internal::memory::under_address_sanitizer ? 200000 : 1000000;
  for (int i = 0; i < count; ++i) y = y + w;
  CHECK(y.value()(0) == count + 1);
  CHECK(backward(y)[w](0) == count + 1);
}

TEST_CASE("wide and deep: every node of a ladder has two ways") {
  Variable<double> w(tensor({1.}));
  Variable<double> a = w, b = w;
  for (int i = 0; i < 50; ++i) {  // 2^50 paths, 100 nodes
    const Variable<double> next = a + b;
    b = a - b * 0.5;
    a = next;
  }
  double da = 1, db = 1;
  for (int i = 0; i < 50; ++i) db = std::exchange(da, da + db) - 0.5 * db;
  CHECK(backward(a)[w](0) == doctest::Approx(da).epsilon(1e-12));
}

TEST_CASE("one training step after another lowers a loss") {
  const Tensor<double> x = numbers({64, 3}), target = matmul(x, tensor({1., -2., 0.5})) + 0.25;
  Variable<double> w(zeros<double>({3})), b(zeros<double>({}));
  for (int step = 0; step < 300; ++step) {
    const Variable<double> loss = mse_loss(matmul(x, w) + b, target);
    const Gradients gradients = backward(loss);
    w.update([&, g = gradients[w]](Tensor<double>& value) { value -= 0.5 * g; });
    b.update([&, g = gradients[b]](Tensor<double>& value) { value -= 0.5 * g; });
  }
  CHECK(w.value()(1) == doctest::Approx(-2).epsilon(1e-6));
  CHECK(b.value().item() == doctest::Approx(0.25).epsilon(1e-6));
}

}  // namespace

TEST_CASE("an element of an expression over variables is a variable") {
  Variable w(tensor({1.f, 2.f}));
  static_assert(VariableType<decltype((w * 2)(0))>);
  static_assert(VariableType<decltype((std::declval<Variable<float, Cuda<0>>>() * 2)(0))>);
  Variable loss = sum(w);
  loss += (w * 2)(0);
  loss += w(1);
  const Tensor g = backward(loss)[w];
  CHECK(g(0) == 3);
  CHECK(g(1) == 2);
  CHECK((loss / 3).item() == 7.f / 3);
}
