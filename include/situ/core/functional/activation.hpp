// SPDX-License-Identifier: Apache-2.0
// Functors of the activation functions. The parameters of `leaky_relu` and `elu` are held as `double` and rounded to
// the type the expression computes in.
#pragma once

#include <situ/core/dtype.hpp>
#include <situ/core/functional/error_function.hpp>
#include <situ/core/lane.hpp>
#include <situ/core/math/activation.hpp>

namespace situ::functional {

struct Sigmoid {
  using lane_functor = void;
  static constexpr const char* name = "sigmoid";
  template <Element T>
  static constexpr bool accepts = FloatingElement<T>;
  template <Element T>
  using result = T;
  template <class V>
  constexpr V operator()(V x) const {
    return math::sigmoid(x);
  }
};

/// max(x, 0); NaN stays NaN, as in PyTorch.
struct Relu {
  using lane_functor = void;
  static constexpr const char* name = "relu";
  template <Element T>
  static constexpr bool accepts = NumberElement<T>;
  template <Element T>
  using result = T;
  template <class V>
  constexpr V operator()(V x) const {
    const V zero(lane_element_t<V>(0));
    return select(x <= zero, zero, x);
  }
};

/// x above 0, slope * x below.
struct LeakyRelu {
  using lane_functor = void;
  static constexpr const char* name = "leaky_relu";
  template <Element T>
  static constexpr bool accepts = FloatingElement<T>;
  template <Element T>
  using result = T;
  double slope = 0.01;
  template <class V>
  constexpr V operator()(V x) const {
    using T = lane_element_t<V>;
    return select(x > V(T(0)), x, x * V(static_cast<T>(slope)));
  }
};

/// x above 0, alpha * (exp(x) - 1) below.
struct Elu {
  using lane_functor = void;
  static constexpr const char* name = "elu";
  template <Element T>
  static constexpr bool accepts = FloatingElement<T>;
  template <Element T>
  using result = T;
  double alpha = 1.0;
  template <class V>
  constexpr V operator()(V x) const {
    return math::elu(x, V(static_cast<lane_element_t<V>>(alpha)));
  }
};

struct Selu {
  using lane_functor = void;
  static constexpr const char* name = "selu";
  template <Element T>
  static constexpr bool accepts = FloatingElement<T>;
  template <Element T>
  using result = T;
  template <class V>
  constexpr V operator()(V x) const {
    return math::selu(x);
  }
};

/// x times the normal distribution's probability up to x (the form with erf).
struct Gelu {
  using lane_functor = void;
  static constexpr const char* name = "gelu";
  template <Element T>
  static constexpr bool accepts = FloatingElement<T>;
  template <Element T>
  using result = T;
  template <class V>
  constexpr V operator()(V x) const {
    return math::gelu(x);
  }
};

/// The approximation of gelu by tanh.
struct GeluTanh {
  using lane_functor = void;
  static constexpr const char* name = "gelu_tanh";
  template <Element T>
  static constexpr bool accepts = FloatingElement<T>;
  template <Element T>
  using result = T;
  template <class V>
  constexpr V operator()(V x) const {
    return math::gelu_tanh(x);
  }
};

/// x * sigmoid(x), also called swish.
struct Silu {
  using lane_functor = void;
  static constexpr const char* name = "silu";
  template <Element T>
  static constexpr bool accepts = FloatingElement<T>;
  template <Element T>
  using result = T;
  template <class V>
  constexpr V operator()(V x) const {
    return math::silu(x);
  }
};

/// log(1 + exp(x)).
struct Softplus {
  using lane_functor = void;
  static constexpr const char* name = "softplus";
  template <Element T>
  static constexpr bool accepts = FloatingElement<T>;
  template <Element T>
  using result = T;
  template <class V>
  constexpr V operator()(V x) const {
    return math::softplus(x);
  }
};

}  // namespace situ::functional
