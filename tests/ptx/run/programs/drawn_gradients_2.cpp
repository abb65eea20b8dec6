// SPDX-License-Identifier: Apache-2.0
// Gradients of expressions drawn at random, with constants and functors of a state at all depths: four others.
#include "drawn_gradients.hpp"

using namespace ptx_programs;

int main() {
  gradients_of([](const auto& a, const auto& b, const auto&) {
    return where(((1.724f + a) + (2.452f + a)) < 1.189f, exp(0.3f * ((1.106f * b) / 2.232f)), 0.240f * a);
  });
  gradients_of([](const auto& a, const auto& b, const auto&) {
    return (((where(a < 1.430f, b, 2.458f * a)) - (b * b)) * 1.144f) +
           (((sin(0.3f * a)) * 1.994f) - (2.116f - (2.068f - b)));
  });
  gradients_of([](const auto& a, const auto& b, const auto&) {
    return where((leaky_relu(2.133f - b, 2.218f)) < 0.419f,
                 (where(b < 1.884f, b - 1.794f, 1.759f * b)) - ((leaky_relu(a, 2.136f)) * (a - b)), 0.413f * a);
  });
  gradients_of([](const auto& a, const auto& b, const auto& c) {
    return (1.115f - (1.178f * (c - b))) + ((2.690f * (a / 1.980f)) + (leaky_relu(2.500f - a, 2.771f)));
  });
  return finish();
}
