// SPDX-License-Identifier: Apache-2.0
// Conformance: gradients, which a device computes with the kernels it has.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <utility>

#include <situ/autograd.hpp>

#include "support.hpp"

namespace conformance {

// A functor of a user and its derivative: callable in a kernel.
struct Cubed {
  constexpr float operator()(float x) const { return x * x * x; }
  constexpr float derivative(float g, float x) const { return g * 3 * x * x; }
};

/// The gradients of the sum of `f` by each of its operands, on the host.
template <class D, class F, class... X>
auto gradients_of(F f, const X&... operands) {
  const std::array<Variable<float, D>, sizeof...(X)> variables{Variable<float, D>(operands.to(D{}))...};
  const auto y = [&]<std::size_t... At>(std::index_sequence<At...>) {
    return eval(f(variables[At]...));
  }(std::index_sequence_for<X...>{});
  const Gradients gradients = backward(sum(y * cast<float>(arange<std::int32_t>(y.size(), D{}) % 7)));
  std::array<Tensor<float, Cpu>, sizeof...(X)> result;
  for (std::size_t i = 0; i != result.size(); ++i) result[i] = gradients[variables[i]].to(Cpu{});
  return result;
}

/// Checks that a device's gradients are those of the CPU.
template <class D, class F, class... X>
void check_same_gradients(double epsilons, F f, const X&... operands) {
  if constexpr (!std::same_as<typename D::backend, Cpu::backend>) {
    const auto flat = [f](const auto&... x) { return flatten(f(x...)); };
    const auto got = gradients_of<D>(flat, operands...);
    const auto wanted = gradients_of<Cpu>(flat, operands...);
    for (std::size_t i = 0; i != got.size(); ++i) check_elements(got[i], wanted[i], epsilons);
  }
}

TEST_CASE_TEMPLATE_DEFINE("gradients: known values, on the device of the variable", D, gradients) {
  const Variable<float, D> w(tensor({{1.f, 2.f}, {3.f, 4.f}}).to(D{}));
  const Variable<float, D> b(tensor({1.f, -1.f}).to(D{}));
  const Tensor<float, D> x = tensor({{1.f, 0.f}, {2.f, 1.f}}).to(D{});
  const Gradients gradients = backward(sum(matmul(x, w) * 2 + b * b));
  static_assert(std::same_as<std::remove_cvref_t<decltype(gradients[w])>, Tensor<float, D>>);
  CHECK(elements(gradients[w]) == std::vector<float>{6, 6, 2, 2});
  CHECK(elements(gradients[b]) == std::vector<float>{4, -4});
  CHECK(elements(backward(sum(relu(w - 2)))[w]) == std::vector<float>{0, 0, 1, 1});
}

TEST_CASE_TEMPLATE_DEFINE("gradients of expressions", D, gradients_of_expressions) {
  const Tensor<float, Cpu> x = numbers<float>({40, 67}), row = numbers<float>({67}, -1, 1, 2);
  const Tensor<float, Cpu> one = numbers<float>({1}, 1, 2, 3), positive = numbers<float>({40, 67}, 0, 2, 4);
  const auto quotient = [](const auto& a, const auto& b, const auto& c) { return tanh(a * b + c) / (exp(b) + 1); };
  check_same_gradients<D>(64, quotient, x, row, one);
  // Terms of one sign: those that cancel, as in the gradient of silu near -1.28, leave what they round to, and a GPU's
  // multiply-adds round once.
  check_same_gradients<D>(64, [](const auto& a, const auto& b) { return where(a > b, gelu(a), a * silu(b)); }, x, positive);
  check_same_gradients<D>(64, [](const auto& a) { return map(Cubed{}, a) * sqrt(square(a) + 1); }, x);
  // large enough to be computed together where the device can
  const Tensor<float, Cpu> large = numbers<float>({300, 130});
  check_same_gradients<D>(64, [](const auto& a, const auto& b) { return a * sin(b) + b; }, large, large);
}

TEST_CASE_TEMPLATE_DEFINE("gradients of operations", D, gradients_of_operations) {
  const Tensor<float, Cpu> x = numbers<float>({12, 9}), w = numbers<float>({9, 5}, -1, 1, 2);
  const Tensor<float, Cpu> b = numbers<float>({9}, 0.5, 1, 3);
  check_same_gradients<D>(64, [](const auto& u, const auto& v) { return matmul(u, v); }, x, w);
  check_same_gradients<D>(64, [](const auto& u) { return concat(sum(u, 1), max(u, 1), logsumexp(u, 1), var(u, 1)); }, x);
  check_same_gradients<D>(256, [](const auto& u, const auto& v) { return layer_norm(softmax(u) * 9, v, v); }, x, b);
  check_same_gradients<D>(64, [](const auto& u) {
    return cross_entropy(u, arange<std::int64_t>(12, device_t<decltype(u)>{}) % 9) + zeros<float>({3}, device_t<decltype(u)>{});
  }, x);
  check_same_gradients<D>(64, [](const auto& u, const auto& v) {
    const auto labels = reshape(arange<std::int64_t>(12, device_t<decltype(u)>{}) % 9, Shape{3, 4});
    const auto scores = permute(reshape(u, {3, 4, 9}), {0, 2, 1});
    return cross_entropy(scores, labels, v, {.ignore_index = 3, .reduction = Reduction::none, .label_smoothing = 0.25}) +
           nll_loss(scores, labels, v, {.ignore_index = 5});
  }, x, b);
  check_same_gradients<D>(4, [](const auto& u) {
    const auto places = arange<std::int64_t>(20, device_t<decltype(u)>{}) * 7 % 12;
    return concat(take(u, places, 0), flip(u, 0), transpose(u(range(0, 9), all)));
  }, x);
}

}  // namespace conformance
