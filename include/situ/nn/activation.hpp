// SPDX-License-Identifier: Apache-2.0
// Activation functions as layers. They have no parameters and no device, and take inputs on any device.
#pragma once

#include <cstdint>

#include <situ/autograd/apply.hpp>
#include <situ/autograd/elementwise.hpp>
#include <situ/autograd/variable.hpp>
#include <situ/ops/activation.hpp>
#include <situ/ops/softmax.hpp>
#include <situ/ops/unary.hpp>

namespace situ::nn {

namespace detail {
/// The result of a layer without parameters.
template <class X>
using output_t = Variable<value_type_t<X>, device_t<X>>;
}  // namespace detail

/// Returns its input.
struct Identity {
  template <FloatingTensor X>
  [[nodiscard]] detail::output_t<X> operator()(const X& x) const {
    return autograd::as_variable(x);
  }
};

/// `situ::relu` as a layer. After a `Linear` in a `Sequential`, the two are computed together.
struct ReLU {
  template <FloatingTensor X>
  [[nodiscard]] detail::output_t<X> operator()(const X& x) const {
    return autograd::as_variable(relu(x));
  }
};
/// `situ::leaky_relu` as a layer.
struct LeakyReLU {
  double slope = 0.01;

  // Constructors, since clang++ before 16 does not initialize aggregates in parentheses: LeakyReLU(0.2).
  constexpr LeakyReLU() = default;
  constexpr explicit LeakyReLU(double negative_slope) noexcept : slope(negative_slope) {}

  template <FloatingTensor X>
  [[nodiscard]] detail::output_t<X> operator()(const X& x) const {
    return autograd::as_variable(leaky_relu(x, slope));
  }
};
/// `situ::elu` as a layer.
struct ELU {
  double alpha = 1;

  constexpr ELU() = default;
  constexpr explicit ELU(double scale) noexcept : alpha(scale) {}

  template <FloatingTensor X>
  [[nodiscard]] detail::output_t<X> operator()(const X& x) const {
    return autograd::as_variable(elu(x, alpha));
  }
};
/// `situ::selu` as a layer.
struct SELU {
  template <FloatingTensor X>
  [[nodiscard]] detail::output_t<X> operator()(const X& x) const {
    return autograd::as_variable(selu(x));
  }
};
/// `situ::gelu` as a layer, the exact form, which is also PyTorch's default.
struct GELU {
  template <FloatingTensor X>
  [[nodiscard]] detail::output_t<X> operator()(const X& x) const {
    return autograd::as_variable(gelu(x));
  }
};
/// `situ::gelu_tanh` as a layer: PyTorch's `GELU(approximate="tanh")`.
struct GELUTanh {
  template <FloatingTensor X>
  [[nodiscard]] detail::output_t<X> operator()(const X& x) const {
    return autograd::as_variable(gelu_tanh(x));
  }
};
/// `situ::silu` as a layer.
struct SiLU {
  template <FloatingTensor X>
  [[nodiscard]] detail::output_t<X> operator()(const X& x) const {
    return autograd::as_variable(silu(x));
  }
};
/// `situ::softplus` as a layer.
struct Softplus {
  template <FloatingTensor X>
  [[nodiscard]] detail::output_t<X> operator()(const X& x) const {
    return autograd::as_variable(softplus(x));
  }
};
/// `situ::sigmoid` as a layer.
struct Sigmoid {
  template <FloatingTensor X>
  [[nodiscard]] detail::output_t<X> operator()(const X& x) const {
    return autograd::as_variable(sigmoid(x));
  }
};
/// `situ::tanh` as a layer.
struct Tanh {
  template <FloatingTensor X>
  [[nodiscard]] detail::output_t<X> operator()(const X& x) const {
    return autograd::as_variable(tanh(x));
  }
};
/// `situ::softmax` as a layer.
struct Softmax {
  std::int64_t axis = -1;

  constexpr Softmax() = default;
  constexpr explicit Softmax(std::int64_t along) noexcept : axis(along) {}

  template <FloatingTensor X>
  [[nodiscard]] detail::output_t<X> operator()(const X& x) const {
    return autograd::as_variable(softmax(x, axis));
  }
};
/// `situ::log_softmax` as a layer.
struct LogSoftmax {
  std::int64_t axis = -1;

  constexpr LogSoftmax() = default;
  constexpr explicit LogSoftmax(std::int64_t along) noexcept : axis(along) {}

  template <FloatingTensor X>
  [[nodiscard]] detail::output_t<X> operator()(const X& x) const {
    return autograd::as_variable(log_softmax(x, axis));
  }
};

}  // namespace situ::nn
