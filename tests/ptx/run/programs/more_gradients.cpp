// SPDX-License-Identifier: Apache-2.0
// More gradients of expressions with constants, as gradients.cpp has a few.
#include <situ/autograd.hpp>

#include "program.hpp"

namespace {
using namespace ptx_programs;

void gradients_of(const auto& f) {
  const Variable<float, Cuda<0>> a(linspace<float>(0.5f, 1.5f, 5, gpu<0>)), b(linspace<float>(1.5f, 2.5f, 5, gpu<0>));
  const Gradients g = backward(sum(f(a, b)));
  Gpu<float> by_a = g[a], by_b = g[b];
}
}  // namespace

int main() {
  gradients_of([](const auto& a, const auto& b) { return a * 0.9f + b * 0.1f; });
  gradients_of([](const auto& a, const auto& b) { return 2.f * a * b + 3.f * b; });
  gradients_of([](const auto& a, const auto& b) { return (a + 1.f) * (b + 2.f); });
  gradients_of([](const auto& a, const auto& b) { return (1.f - a) / (2.f + b); });
  gradients_of([](const auto& a, const auto& b) { return pow(a, 2.f) + pow(b, 3.f); });
  gradients_of([](const auto& a, const auto& b) { return 0.5f * square(a - b) + 0.25f * square(a + b); });
  return finish();
}
