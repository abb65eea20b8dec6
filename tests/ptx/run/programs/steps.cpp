// SPDX-License-Identifier: Apache-2.0
// Optimisers over parameters of odd sizes, and gradients that are clipped.
#include <tuple>

#include <situ/autograd.hpp>
#include <situ/optim.hpp>

#include "program.hpp"

namespace {
using namespace ptx_programs;

template <class T>
void steps() {
  Variable<T, Cuda<0>> w(normal<T>({5, 7})), b(zeros<T>({7}, gpu<0>)), s(ones<T>({}, gpu<0>)), e(normal<T>({1025}));
  const Gpu<T> x = normal<T>({33, 5}), y = normal<T>({33, 7});
  const auto train = [&](auto optimizer) {
    for (int i = 0; i < 3; ++i) {
      const Variable loss = mean(square(s * tanh(matmul(x, w) + b) - y)) + T(0.25f) * mean(square(e) - T(2) * abs(e));
      Gradients g = backward(loss);
      optim::clip_by_norm(g, std::tie(w, b, s, e), 1.0);
      optim::clip_by_value(g, std::tie(w, b, s, e), 0.5);
      optimizer.step(std::tie(w, b, s, e), g);
    }
  };
  train(optim::Adam(std::tie(w, b, s, e), {.learning_rate = 1e-2, .weight_decay = 1e-2}));
  train(optim::AdamW(std::tie(w, b, s, e), {.learning_rate = 1e-2, .weight_decay = 1e-2}));
  train(optim::SGD(std::tie(w, b, s, e),
                   {.learning_rate = 1e-2, .momentum = 0.9, .weight_decay = 1e-2, .nesterov = true}));
  train(optim::SGD(std::tie(w, b, s, e), {.learning_rate = 1e-2}));
}
}  // namespace

int main() {
  steps<float>();
  steps<bfloat16>();
  return finish();
}
