// SPDX-License-Identifier: Apache-2.0
// The activation functions of neural networks: element-wise, lazy, for floating elements (others do not compile). The
// result has the operand's shape and element type.
#pragma once

#include <utility>

#include <situ/core/functional/activation.hpp>
#include <situ/device/diagnostics.hpp>
#include <situ/expression/concept.hpp>

namespace situ {

/// `1 / (1 + exp(-x))`.
template <class X>
  requires OperandsOf<functional::Sigmoid, X>
[[nodiscard]] lazy_until_eval_t<functional::Sigmoid, X> sigmoid(X&& x) {
  return detail::make_map(functional::Sigmoid{}, std::forward<X>(x));
}
Tensor<float, Cpu> sigmoid(operation_undefined_for_elements<functional::Sigmoid>::fix_call_cast);

/// `max(x, 0)`; NaN stays NaN.
template <class X>
  requires OperandsOf<functional::Relu, X>
[[nodiscard]] lazy_until_eval_t<functional::Relu, X> relu(X&& x) {
  return detail::make_map(functional::Relu{}, std::forward<X>(x));
}
Tensor<float, Cpu> relu(operation_undefined_for_elements<functional::Relu>::fix_call_cast);

/// `scale * (x if x > 0 else alpha * (exp(x) - 1))`, scale 1.0507..., alpha 1.6732... (Klambauer et al. 2017).
template <class X>
  requires OperandsOf<functional::Selu, X>
[[nodiscard]] lazy_until_eval_t<functional::Selu, X> selu(X&& x) {
  return detail::make_map(functional::Selu{}, std::forward<X>(x));
}
Tensor<float, Cpu> selu(operation_undefined_for_elements<functional::Selu>::fix_call_cast);

/// `x / 2 * (1 + erf(x / sqrt(2)))` (Hendrycks and Gimpel 2016).
template <class X>
  requires OperandsOf<functional::Gelu, X>
[[nodiscard]] lazy_until_eval_t<functional::Gelu, X> gelu(X&& x) {
  return detail::make_map(functional::Gelu{}, std::forward<X>(x));
}
Tensor<float, Cpu> gelu(operation_undefined_for_elements<functional::Gelu>::fix_call_cast);

/// `x / 2 * (1 + tanh(sqrt(2 / pi) * (x + 0.044715 x^3)))`, the usual approximation of `gelu`.
template <class X>
  requires OperandsOf<functional::GeluTanh, X>
[[nodiscard]] lazy_until_eval_t<functional::GeluTanh, X> gelu_tanh(X&& x) {
  return detail::make_map(functional::GeluTanh{}, std::forward<X>(x));
}
Tensor<float, Cpu> gelu_tanh(operation_undefined_for_elements<functional::GeluTanh>::fix_call_cast);

/// `x * sigmoid(x)`.
template <class X>
  requires OperandsOf<functional::Silu, X>
[[nodiscard]] lazy_until_eval_t<functional::Silu, X> silu(X&& x) {
  return detail::make_map(functional::Silu{}, std::forward<X>(x));
}
Tensor<float, Cpu> silu(operation_undefined_for_elements<functional::Silu>::fix_call_cast);

/// `log(1 + exp(x))`, without overflow.
template <class X>
  requires OperandsOf<functional::Softplus, X>
[[nodiscard]] lazy_until_eval_t<functional::Softplus, X> softplus(X&& x) {
  return detail::make_map(functional::Softplus{}, std::forward<X>(x));
}
Tensor<float, Cpu> softplus(operation_undefined_for_elements<functional::Softplus>::fix_call_cast);

/// `x if x > 0 else slope * x`.
template <class X>
  requires OperandsOf<functional::LeakyRelu, X>
[[nodiscard]] lazy_until_eval_t<functional::LeakyRelu, X> leaky_relu(X&& x, double slope = 0.01) {
  return detail::make_map(functional::LeakyRelu{slope}, std::forward<X>(x));
}
Tensor<float, Cpu> leaky_relu(operation_undefined_for_elements<functional::LeakyRelu>::fix_call_cast, double = 0);

/// `x if x > 0 else alpha * (exp(x) - 1)` (Clevert et al. 2015).
template <class X>
  requires OperandsOf<functional::Elu, X>
[[nodiscard]] lazy_until_eval_t<functional::Elu, X> elu(X&& x, double alpha = 1.0) {
  return detail::make_map(functional::Elu{alpha}, std::forward<X>(x));
}
Tensor<float, Cpu> elu(operation_undefined_for_elements<functional::Elu>::fix_call_cast, double = 0);

}  // namespace situ
