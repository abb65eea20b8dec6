// SPDX-License-Identifier: Apache-2.0
// Gradients through functors with a state of their own, whose tail padding or emptiness a compiler may use for what
// follows them.
#include <situ/autograd.hpp>

#include "program.hpp"

namespace {
using namespace ptx_programs;

template <class Tag>
struct Scaled {
  double scale;
  explicit Scaled(double s) : scale(s) {}
};
/// 12 bytes of 16.
struct Padded : Scaled<int> {
  float shift;
  Padded(double s, float t) : Scaled<int>(s), shift(t) {}
  constexpr float operator()(float x) const noexcept { return static_cast<float>(scale) * x * x + shift; }
  constexpr float derivative(float g, float x) const noexcept { return g * 2 * static_cast<float>(scale) * x; }
};
/// 5 bytes of 8.
struct Small {
  float s;
  bool twice;
  constexpr float operator()(float x) const noexcept { return (twice ? 2 * s : s) * x * x; }
  constexpr float derivative(float g, float x) const noexcept { return g * 2 * (twice ? 2 * s : s) * x; }
};
/// 9 bytes of 16, and no aggregate.
class Hidden : Scaled<char> {
 public:
  Hidden(double s, char m) : Scaled<char>(s), more_(m) {}
  constexpr float operator()(float x, float y) const noexcept {
    return static_cast<float>(scale) * x * y + static_cast<float>(more_) * y;
  }
  template <int At>
  constexpr float derivative(float g, float x, float y) const noexcept {
    return At == 0 ? g * static_cast<float>(scale) * y
                   : g * (static_cast<float>(scale) * x + static_cast<float>(more_));
  }

 private:
  char more_;
};

void gradients_of(const auto& f) {
  const Variable<float, Cuda<0>> a(linspace<float>(0.5f, 1.5f, 5, gpu<0>)), b(linspace<float>(1.5f, 2.5f, 5, gpu<0>));
  const Gradients g = backward(sum(f(a, b)));
  Gpu<float> by_a = g[a], by_b = g[b];
}
}  // namespace

int main() {
  const Padded p(2.5, 1.5f);
  const Small s{3, true};
  const Hidden h(0.25, 7);
  gradients_of([=](const auto& a, const auto& b) { return map(p, a * b); });
  gradients_of([=](const auto& a, const auto& b) { return map(p, 2.f * a) - map(p, 3.f * b); });
  gradients_of([=](const auto& a, const auto& b) { return map(p, map(s, a)) * map(s, map(p, b)); });
  gradients_of([=](const auto& a, const auto& b) { return map(h, 0.9f * a, 0.1f * b); });
  gradients_of([=](const auto& a, const auto& b) { return map(h, map(p, 0.5f * a), map(s, b + 2.f)) * 3.f; });
  gradients_of(
      [=](const auto& a, const auto& b) { return leaky_relu(0.9f * a - 2.f, 0.3f) * leaky_relu(0.7f - b, 0.2f); });
  gradients_of(
      [=](const auto& a, const auto& b) { return where(map(s, a) < 6.f, map(p, 2.f * a), map(h, a, 3.f * b)); });
  gradients_of([=](const auto& a, const auto& b) { return clamp(2.f * a, 1.2f, 2.8f) * clamp(b, 1.7f, 2.2f); });
  return finish();
}
