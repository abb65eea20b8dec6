// SPDX-License-Identifier: Apache-2.0
// Losses of classes and of numbers, with their gradients.
#include <situ/autograd.hpp>
#include <situ/nn.hpp>

#include "program.hpp"

int main() {
  using namespace ptx_programs;
  using V = Variable<float, Cuda<0>>;
  const V z(normal<float>({9, 11, 3})), p(uniform<float>({9, 33})), g(normal<float>({33})), h(normal<float>({33}));
  const Gpu<std::int64_t> labels = randint<std::int64_t>(0, 11, {9, 3}, gpu<0>);
  const Gpu<float> weight = uniform<float>({11}), y = uniform<float>({9, 33});
  const auto a =
      backward(cross_entropy(z, labels, {.ignore_index = 3, .label_smoothing = 0.1}) +
               cross_entropy(z, labels, weight, {.label_smoothing = 0.2}) + nll_loss(log_softmax(z, 1), labels));
  Gpu<float> by_z = a[z];
  const auto b = backward(bce_loss(p, y) + bce_with_logits_loss(p, y) + huber_loss(p, y, 0.3) + mse_loss(p, y) +
                          sum(layer_norm(p, g, h, 1e-5)) + mean(logsumexp(p, 1)));
  Gpu<float> by_p = b[p], by_g = b[g];
  return finish();
}
