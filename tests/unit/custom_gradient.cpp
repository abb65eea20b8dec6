// SPDX-License-Identifier: Apache-2.0
// labels: autograd
// Functions of whole tensors with a gradient of one's own.
#include <doctest/doctest.h>

#include <tuple>

#include <situ/autograd.hpp>
#include <situ/situ.hpp>

namespace {

using namespace situ;

TEST_CASE("a gradient of one's own, of one operand") {
  const auto through =
      custom_gradient([](const auto& x) { return round(x); }, [](const auto& g, const auto&, const auto&) { return g; });
  const Variable w{tensor({0.2f, 0.7f, -1.6f})};
  const Variable y = through(w * 2);
  static_assert(std::same_as<decltype(y), const Variable<float, Cpu>>);
  CHECK(array_equal(y.value(), tensor({0.f, 1.f, -3.f})).item());
  CHECK(array_equal(backward(sum(y * 3))[w], full<float>({3}, 6.f)).item());
  const Tensor<float> plain = through(tensor({1.4f}) + 0.2f);
  CHECK(plain(0) == 2.f);
}

TEST_CASE("it reads the result and the operand") {
  const auto own_exp = custom_gradient([](const auto& x) { return exp(x); },
                                       [](const auto& g, const auto& y, const auto& x) { return g * y + 0 * x; });
  const Variable v{tensor({0.5, -1.0})};
  const Gradients found = backward(sum(square(own_exp(v))));
  const Gradients wanted = backward(sum(square(exp(v))));
  CHECK(allclose(found[v], wanted[v]).item());
}

TEST_CASE("of several operands") {
  const auto product = custom_gradient([](const auto& a, const auto& b) { return matmul(a, b); },
                                       [](const auto& g, const auto&, const auto& a, const auto& b) {
                                         return std::tuple(matmul(g, transpose(b)), matmul(transpose(a), g));
                                       });
  const Variable a{tensor({{1.f, 2.f}, {3.f, 4.f}, {5.f, 6.f}})};
  const Variable b{tensor({{1.f, -1.f, 2.f}, {0.f, 3.f, 1.f}})};
  const Gradients found = backward(sum(square(product(a, b))));
  const Gradients wanted = backward(sum(square(matmul(a, b))));
  CHECK(array_equal(found[a], wanted[a]).item());
  CHECK(array_equal(found[b], wanted[b]).item());
  const Variable only = product(a, b.value());  // a tensor beside a variable
  const Gradients of_one = backward(sum(only));
  CHECK(of_one.size() == 1);
  CHECK(array_equal(of_one[a], backward(sum(matmul(a, b.value())))[a]).item());
}

TEST_CASE("a gradient of another shape is an error") {
  const auto wrong = custom_gradient([](const auto& x) { return x * 2; },
                                     [](const auto& g, const auto&, const auto&) { return sum(g); });
  const Variable v{tensor({1.f, 2.f})};
  const Variable y = sum(wrong(v));
  CHECK_THROWS_WITH_AS(static_cast<void>(backward(y)),
                       "custom_gradient: the gradient of operand 0 has shape (), but the operand has (2,); they must be "
                       "equal",
                       ShapeError);
}

}  // namespace
