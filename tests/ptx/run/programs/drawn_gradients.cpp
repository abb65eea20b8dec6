// SPDX-License-Identifier: Apache-2.0
// Gradients of expressions drawn at random, with constants and functors of a state at all depths.
#include "drawn_gradients.hpp"

using namespace ptx_programs;

int main() {
  gradients_of([](const auto& a, const auto& b, const auto& c) {
    return (where((exp(0.3f * a)) < 2.974f, (leaky_relu(c, 2.234f)) - (1.185f - b), 0.917f * a)) + 0.302f;
  });
  gradients_of([](const auto& a, const auto& b, const auto& c) {
    return (0.696f + ((b / 2.825f) + 2.419f)) +
           ((sigmoid(0.3f * (elu(a, 2.533f)))) - (where(a < 1.584f, 1.691f - c, 0.435f * a)));
  });
  gradients_of([](const auto& a, const auto& b, const auto& c) {
    return (((c - c) * (square(0.3f * a))) + ((elu(b, 2.437f)) - 2.945f)) * 0.226f;
  });
  gradients_of([](const auto& a, const auto& b, const auto&) {
    return leaky_relu(where((0.566f + b) < 1.956f, where(b < 1.687f, 1.580f + a, 1.095f * a), 0.282f * a), 2.601f);
  });
  return finish();
}
