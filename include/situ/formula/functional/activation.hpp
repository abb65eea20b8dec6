// SPDX-License-Identifier: Apache-2.0
// Functors of the activation functions. The parameters of `leaky_relu` and `elu` are stored as `double` and rounded to
// the compute type of the expression.
#pragma once

#include <situ/core/config.hpp>
#include <situ/core/lane.hpp>
#include <situ/formula/functional/derivative.hpp>
#include <situ/formula/functional/error_function.hpp>
#include <situ/formula/functional/functor.hpp>
#include <situ/formula/math/activation.hpp>

namespace situ::internal::functional {

struct Sigmoid : OfFloating<Sigmoid> {
  static constexpr const char* name = "sigmoid";

  constexpr auto operator()(auto x) const -> decltype(x) { return math::sigmoid(x); }
  static constexpr unsigned derivative_reads = reads::result;
  template <class V>
  [[SITU_INLINE]] constexpr V derivative(V g, V y) const {
    return g * (y * (detail::number<V>(1) - y));
  }
};

/// max(x, 0); NaN stays NaN, as in PyTorch.
struct Relu : OfNumbers<Relu> {
  static constexpr const char* name = "relu";

  template <class V>
  constexpr V operator()(V x) const {
    const V zero(lane_element_t<V>(0));
    return select(x <= zero, zero, x);
  }
  static constexpr unsigned derivative_reads = reads::result;
  template <class V>
  [[SITU_INLINE]] constexpr V derivative(V g, V y) const {
    const V zero(lane_element_t<V>(0));
    return select(y <= zero, zero, g);
  }
};

/// x above 0, slope * x below.
struct LeakyRelu : OfFloating<LeakyRelu> {
  static constexpr const char* name = "leaky_relu";
  double slope = 0.01;
  template <class V>
  constexpr V operator()(V x) const {
    using T = lane_element_t<V>;
    return select(x > V(T(0)), x, x * V(static_cast<T>(slope)));
  }
  static constexpr unsigned derivative_reads = reads::operand<0>;
  template <class V>
  [[SITU_INLINE]] constexpr V derivative(V g, V x) const {
    return select(x > V(lane_element_t<V>(0)), g, g * detail::number<V>(slope));
  }
};

/// x above 0, alpha * (exp(x) - 1) below.
struct Elu : OfFloating<Elu> {
  static constexpr const char* name = "elu";
  double alpha = 1.0;
  template <class V>
  constexpr V operator()(V x) const {
    return math::elu(x, V(static_cast<lane_element_t<V>>(alpha)));
  }
  static constexpr unsigned derivative_reads = reads::operand<0>;
  template <class V>
  [[SITU_INLINE]] constexpr V derivative(V g, V x) const {
    return select(x > V(lane_element_t<V>(0)), g, g * (detail::number<V>(alpha) * math::exp(x)));
  }
};

struct Selu : OfFloating<Selu> {
  static constexpr const char* name = "selu";

  constexpr auto operator()(auto x) const -> decltype(x) { return math::selu(x); }
  static constexpr unsigned derivative_reads = reads::operand<0>;
  template <class V>
  [[SITU_INLINE]] constexpr V derivative(V g, V x) const {
    const V scale = detail::number<V>(1.0507009873554804934193349852946);
    const V scale_alpha = detail::number<V>(1.7580993408473768599402175208123);
    return g * select(x > V(lane_element_t<V>(0)), scale, scale_alpha * math::exp(x));
  }
};

/// x times the normal distribution function at x (the form with erf).
struct Gelu : OfFloating<Gelu> {
  static constexpr const char* name = "gelu";

  constexpr auto operator()(auto x) const -> decltype(x) { return math::gelu(x); }
  static constexpr unsigned derivative_reads = reads::operand<0>;
  template <class V>
  [[SITU_INLINE]] constexpr V derivative(V g, V x) const {
    const V t = detail::within(x, 40);
    const V half = detail::number<V>(0.5);
    const V probability = half + half * math::erf(t * detail::number<V>(0.70710678118654752440));
    const V density = detail::number<V>(0.39894228040143267794) * math::exp(-half * t * t);
    return g * (probability + t * density);
  }
};

/// The approximation of gelu by tanh.
struct GeluTanh : OfFloating<GeluTanh> {
  static constexpr const char* name = "gelu_tanh";

  constexpr auto operator()(auto x) const -> decltype(x) { return math::gelu_tanh(x); }
  static constexpr unsigned derivative_reads = reads::operand<0>;
  template <class V>
  [[SITU_INLINE]] constexpr V derivative(V g, V x) const {
    const V t = detail::within(x, 40);
    const V one = detail::number<V>(1);
    const V slope = detail::number<V>(0.79788456080286535588);  // sqrt(2 / pi)
    const V cubic = detail::number<V>(0.044715) * t * t;
    const V s = math::sigmoid(slope * (t + t) * (one + cubic));  // (1 + tanh(u)) / 2 is sigmoid(2 u)
    const V inner = slope * (detail::number<V>(2) + detail::number<V>(6) * cubic);
    return g * (s + t * (s * (one - s)) * inner);
  }
};

/// x * sigmoid(x), also called swish.
struct Silu : OfFloating<Silu> {
  static constexpr const char* name = "silu";

  constexpr auto operator()(auto x) const -> decltype(x) { return math::silu(x); }
  static constexpr unsigned derivative_reads = reads::operand<0>;
  template <class V>
  [[SITU_INLINE]] constexpr V derivative(V g, V x) const {
    const V t = detail::within(x, 800);
    const V s = math::sigmoid(t);
    return g * (s + t * (s * (detail::number<V>(1) - s)));
  }
};

/// log(1 + exp(x)).
struct Softplus : OfFloating<Softplus> {
  static constexpr const char* name = "softplus";

  constexpr auto operator()(auto x) const -> decltype(x) { return math::softplus(x); }
  static constexpr unsigned derivative_reads = reads::operand<0>;
  template <class V>
  [[SITU_INLINE]] constexpr V derivative(V g, V x) const {
    return g * math::sigmoid(x);
  }
};

}  // namespace situ::internal::functional
