// SPDX-License-Identifier: Apache-2.0
// Gradients of expressions with constants below two operators: kernels hold the trees of these as the host's compiler
// lays them out.
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
  gradients_of([](const auto& a, const auto& b) { return 0.9f * a - 0.1f * b; });
  gradients_of([](const auto& a, const auto& b) { return 0.9f * exp(a) - 0.1f * exp(b); });
  gradients_of([](const auto& a, const auto& b) { return (2.f * a + 3.f) * (4.f * b + 5.f); });
  gradients_of([](const auto& a, const auto& b) { return where(a < 1.f, 2.f * a, 3.f * b); });
  return finish();
}
