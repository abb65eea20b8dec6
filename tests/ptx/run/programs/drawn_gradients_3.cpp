// SPDX-License-Identifier: Apache-2.0
// Gradients of expressions drawn at random, with constants and functors of a state at all depths: four others.
#include "drawn_gradients.hpp"

using namespace ptx_programs;

int main() {
  gradients_of([](const auto& a, const auto& b, const auto& c) {
    return 1.534f - (where((where(a < 2.929f, c, 2.145f * a)) < 2.605f, (b * b) - (b * b), 1.896f * b));
  });
  gradients_of([](const auto& a, const auto& b, const auto& c) {
    return tanh(0.3f * (where((1.978f - a) < 1.876f, where(b < 0.259f, c + b, 1.163f * b), 1.208f * b)));
  });
  gradients_of([](const auto& a, const auto& b, const auto& c) {
    return (0.428f - (2.489f + (where(c < 1.163f, a, 2.357f * b)))) *
           ((leaky_relu(elu(b, 2.797f), 1.472f)) * (0.980f - (1.043f - c)));
  });
  gradients_of([](const auto& a, const auto& b, const auto& c) {
    return (((b - b) * (elu(c, 2.547f))) + ((elu(b, 2.902f)) - (a + a))) + (2.370f + (0.989f - (c * a)));
  });
  return finish();
}
