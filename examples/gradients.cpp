// SPDX-License-Identifier: Apache-2.0
// Gradients: a line fitted by descent, and the pieces that docs/guide/gradients.md quotes.
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <iostream>

#include <situ/autograd.hpp>

using namespace situ;

// [template]
auto loss_of(const TensorLike auto& x, const TensorLike auto& w, const TensorLike auto& b, const TensorLike auto& y) {
  return mse_loss(tanh(matmul(x, w) + b), y);
}
// [template-end]

// [functor]
/// x to the power 3/2, with its derivative.
struct ThreeHalves {
  float operator()(float x) const noexcept { return x * std::sqrt(x); }
  float derivative(float g, float x) const noexcept { return g * 1.5f * std::sqrt(x); }
};
/// a b^2; the derivative by operand number `At`.
struct Weighted {
  float operator()(float a, float b) const noexcept { return a * b * b; }
  template <std::size_t At>
  float derivative(float g, float a, float b) const noexcept {
    return At == 0 ? g * b * b : g * 2 * a * b;
  }
};
// [functor-end]

int main() {
  Generator generator(1);
  const Tensor x = randn<float>({256, 3}, cpu, generator);
  const Tensor y = tanh(matmul(x, tensor({1.f, -2.f, 0.5f})) + 0.25f);

  // [training]
  Variable w(zeros<float>({3}));  // parameters
  Variable b(zeros<float>({}));
  for (int step = 0; step < 200; ++step) {
    Variable loss = loss_of(x, w, b, y);
    Gradients gradients = backward(loss);
    w.update([&](auto& value) { value -= 0.5f * gradients[w]; });
    b.update([&](auto& value) { value -= 0.5f * gradients[b]; });
  }
  // [training-end]
  std::cout << w.value() << '\n' << b.value() << '\n';

  // [loop]
  Variable total(zeros<float>({}));
  for (int batch = 0; batch < 4; ++batch) {
    const auto rows = range(batch * 64, (batch + 1) * 64);
    total += loss_of(x(rows), w, b, y(rows));  // total = total + loss, recorded
  }
  total /= 4;
  float number = total.item();                  // host devices; `total.to(cpu).item()` on all
  print("loss", total);
  // [loop-end]

  // [no_grad]
  Tensor prediction = no_grad(tanh(w * 2 + b));      // an expression over the values, computed once
  Variable error = mean(abs(w - detach(w * w)));      // no gradient through the second operand
  Variable<float> fixed = constant(w);                // for code written for variables, without a tape
  // [no_grad-end]
  // [custom]
  const auto round_through = custom_gradient([](const auto& v) { return round(v); },
                                             [](const auto& g, const auto&, const auto&) { return g; });
  Variable quantized = round_through(w * 8) / 8;      // the gradient goes through `round` as if it were not there
  // [custom-end]
  std::cout << prediction << '\n' << error.value() << '\n' << matmul(x, fixed).records() << '\n';

  const Variable u(tensor({1.f, 4.f})), v(tensor({2.f, 3.f}));
  const Gradients gradients = backward(sum(map(Weighted{}, map(ThreeHalves{}, u), v)));
  std::cout << gradients[u] << '\n' << gradients[v] << '\n';
  return std::abs(w.value()(1) + 2) < 0.1f && number < 0.01f && gradients[u](1) == 27.f ? 0 : 1;
}
