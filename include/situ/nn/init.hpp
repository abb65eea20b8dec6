// SPDX-License-Identifier: Apache-2.0
// Initial values of parameters: the distributions of torch.nn.init. They are drawn on the host, so that a parameter has
// the same bits on every device.
#pragma once

#include <cmath>
#include <cstdint>
#include <string>

#include <situ/core/dtype.hpp>
#include <situ/core/error.hpp>
#include <situ/core/shape.hpp>
#include <situ/device/cpu.hpp>
#include <situ/device/device.hpp>
#include <situ/expression/operators.hpp>
#include <situ/ops/creation.hpp>
#include <situ/ops/random.hpp>
#include <situ/tensor/tensor.hpp>
#include <situ/tensor/transfer.hpp>

namespace situ::nn {

/// The source of random initial values: a `Generator`, or else the generator of the process (see `set_seed`). Do not
/// store it.
class RandomSource {
 public:
  RandomSource() = default;
  RandomSource(Generator& generator) noexcept : generator_(&generator) {}
  RandomSource(Generator&& generator) noexcept : generator_(&generator) {}

  /// `draw(generator)` or `draw()`.
  template <class Draw>
  [[nodiscard]] auto operator()(Draw draw) const {
    return generator_ != nullptr ? draw(*generator_) : draw();
  }

 private:
  Generator* generator_ = nullptr;
};

/// While it exists, layers that its thread makes draw and write no random weights: their values are unspecified until
/// they are loaded, and large ones take no memory before. Scopes nest.
///
///     Net net = [] { const nn::NoInitialValues scope; return Net(); }();
///     load("net.safetensors", net);
class [[nodiscard]] NoInitialValues {
 public:
  NoInitialValues() noexcept { ++scopes_; }
  NoInitialValues(const NoInitialValues&) = delete;
  NoInitialValues& operator=(const NoInitialValues&) = delete;
  ~NoInitialValues() { --scopes_; }

  /// Whether this thread is in such a scope.
  [[nodiscard]] static bool active() noexcept { return scopes_ > 0; }

 private:
  static inline constinit thread_local int scopes_ = 0;
};

namespace detail {

template <FloatingElement T, Device D>
[[nodiscard]] Tensor<T, D> uniform(const Shape& shape, double bound, RandomSource source) {
  if (NoInitialValues::active()) return empty<T>(shape, D{});
  const Tensor<T, Cpu> unit = source([&](auto&... generator) { return rand<T>(shape, generator...); });
  return Tensor<T, Cpu>(unit * (2 * bound) - bound).template to<D>();
}
template <FloatingElement T, Device D>
[[nodiscard]] Tensor<T, D> normal(const Shape& shape, double deviation, RandomSource source) {
  if (NoInitialValues::active()) return empty<T>(shape, D{});
  const Tensor<T, Cpu> unit = source([&](auto&... generator) { return randn<T>(shape, generator...); });
  if (deviation == 1) return unit.template to<D>();
  return Tensor<T, Cpu>(unit * deviation).template to<D>();
}

/// PyTorch's fan-in and fan-out of a weight (out, in, positions...): how many inputs contribute to one output element,
/// and how many output elements one input contributes to.
struct Fans {
  double in, out;
};
[[nodiscard]] inline Fans fans_of(const Shape& weight) {
  if (weight.rank() < 2) {
    throw ShapeError("nn: a weight of shape " + weight.to_string() +
                     " has no fan-in and fan-out; it must have the axes (out, in) at least");
  }
  double positions = 1;
  for (int axis = 2; axis < weight.rank(); ++axis) positions *= static_cast<double>(weight[axis]);
  return {static_cast<double>(weight[1]) * positions, static_cast<double>(weight[0]) * positions};
}

/// The bound 1 / sqrt(fan_in) with which layers are initialized: kaiming_uniform with a = sqrt(5).
[[nodiscard]] inline double layer_bound(double fan_in) { return fan_in > 0 ? 1 / std::sqrt(fan_in) : 0; }

}  // namespace detail

/// Uniform on [-b, b) with b = gain sqrt(3 / fan_in); `shape` is that of a weight (out, in, ...), of rank 2 or more
/// (else `ShapeError`). The gain is sqrt(2) for ReLU (He et al. 2015) and sqrt(2 / (1 + a^2)) for a leaky ReLU of slope
/// a.
///
///     net.hidden.weight = Variable(nn::kaiming_uniform<float>({256, 784}, gpu<0>, generator));
template <FloatingElement T, Device D = Cpu>
[[nodiscard]] Tensor<T, D> kaiming_uniform(const Shape& shape, D = {}, RandomSource source = {}) {
  const double bound = std::sqrt(2.0) * std::sqrt(3 / detail::fans_of(shape).in);
  return detail::uniform<T, D>(shape, bound, source);
}
template <FloatingElement T>
[[nodiscard]] Tensor<T, Cpu> kaiming_uniform(const Shape& shape, RandomSource source) {
  return kaiming_uniform<T>(shape, Cpu{}, source);
}
/// Normal with standard deviation sqrt(2 / fan_in).
template <FloatingElement T, Device D = Cpu>
[[nodiscard]] Tensor<T, D> kaiming_normal(const Shape& shape, D = {}, RandomSource source = {}) {
  const double deviation = std::sqrt(2 / detail::fans_of(shape).in);
  return detail::normal<T, D>(shape, deviation, source);
}
template <FloatingElement T>
[[nodiscard]] Tensor<T, Cpu> kaiming_normal(const Shape& shape, RandomSource source) {
  return kaiming_normal<T>(shape, Cpu{}, source);
}
/// Uniform on [-b, b) with b = sqrt(6 / (fan_in + fan_out)) (Glorot and Bengio 2010): for tanh and sigmoid.
template <FloatingElement T, Device D = Cpu>
[[nodiscard]] Tensor<T, D> xavier_uniform(const Shape& shape, D = {}, RandomSource source = {}) {
  const detail::Fans fans = detail::fans_of(shape);
  return detail::uniform<T, D>(shape, std::sqrt(6 / (fans.in + fans.out)), source);
}
template <FloatingElement T>
[[nodiscard]] Tensor<T, Cpu> xavier_uniform(const Shape& shape, RandomSource source) {
  return xavier_uniform<T>(shape, Cpu{}, source);
}
/// Normal with standard deviation sqrt(2 / (fan_in + fan_out)).
template <FloatingElement T, Device D = Cpu>
[[nodiscard]] Tensor<T, D> xavier_normal(const Shape& shape, D = {}, RandomSource source = {}) {
  const detail::Fans fans = detail::fans_of(shape);
  return detail::normal<T, D>(shape, std::sqrt(2 / (fans.in + fans.out)), source);
}
template <FloatingElement T>
[[nodiscard]] Tensor<T, Cpu> xavier_normal(const Shape& shape, RandomSource source) {
  return xavier_normal<T>(shape, Cpu{}, source);
}

}  // namespace situ::nn
