// SPDX-License-Identifier: Apache-2.0
// The activation functions of neural networks: element-wise, lazy, for floating elements (others do not compile). The
// result has the operand's shape and element type.
#pragma once

#include <utility>

#include <situ/device/diagnostics.hpp>
#include <situ/expression/concept.hpp>
#include <situ/formula/functional/activation.hpp>

namespace situ {

/// `1 / (1 + exp(-x))`.
template <class X>
  requires OperandsOf<internal::functional::Sigmoid, X>
[[nodiscard]] lazy_until_eval_t<internal::functional::Sigmoid, X> sigmoid(X&& x) {
  return internal::make_map(internal::functional::Sigmoid{}, std::forward<X>(x));
}
Tensor<float, Cpu> sigmoid(operation_undefined_for_elements<internal::functional::Sigmoid>::fix_call_cast);

/// `max(x, 0)`; NaN stays NaN.
template <class X>
  requires OperandsOf<internal::functional::Relu, X>
[[nodiscard]] lazy_until_eval_t<internal::functional::Relu, X> relu(X&& x) {
  return internal::make_map(internal::functional::Relu{}, std::forward<X>(x));
}
Tensor<float, Cpu> relu(operation_undefined_for_elements<internal::functional::Relu>::fix_call_cast);

/// `scale * (x if x > 0 else alpha * (exp(x) - 1))`, scale 1.0507..., alpha 1.6732... (Klambauer et al. 2017).
template <class X>
  requires OperandsOf<internal::functional::Selu, X>
[[nodiscard]] lazy_until_eval_t<internal::functional::Selu, X> selu(X&& x) {
  return internal::make_map(internal::functional::Selu{}, std::forward<X>(x));
}
Tensor<float, Cpu> selu(operation_undefined_for_elements<internal::functional::Selu>::fix_call_cast);

/// `x / 2 * (1 + erf(x / sqrt(2)))` (Hendrycks and Gimpel 2016).
template <class X>
  requires OperandsOf<internal::functional::Gelu, X>
[[nodiscard]] lazy_until_eval_t<internal::functional::Gelu, X> gelu(X&& x) {
  return internal::make_map(internal::functional::Gelu{}, std::forward<X>(x));
}
Tensor<float, Cpu> gelu(operation_undefined_for_elements<internal::functional::Gelu>::fix_call_cast);

/// `x / 2 * (1 + tanh(sqrt(2 / pi) * (x + 0.044715 x^3)))`, the usual approximation of `gelu`.
template <class X>
  requires OperandsOf<internal::functional::GeluTanh, X>
[[nodiscard]] lazy_until_eval_t<internal::functional::GeluTanh, X> gelu_tanh(X&& x) {
  return internal::make_map(internal::functional::GeluTanh{}, std::forward<X>(x));
}
Tensor<float, Cpu> gelu_tanh(operation_undefined_for_elements<internal::functional::GeluTanh>::fix_call_cast);

/// `x * sigmoid(x)`.
template <class X>
  requires OperandsOf<internal::functional::Silu, X>
[[nodiscard]] lazy_until_eval_t<internal::functional::Silu, X> silu(X&& x) {
  return internal::make_map(internal::functional::Silu{}, std::forward<X>(x));
}
Tensor<float, Cpu> silu(operation_undefined_for_elements<internal::functional::Silu>::fix_call_cast);

/// `log(1 + exp(x))`, without overflow.
template <class X>
  requires OperandsOf<internal::functional::Softplus, X>
[[nodiscard]] lazy_until_eval_t<internal::functional::Softplus, X> softplus(X&& x) {
  return internal::make_map(internal::functional::Softplus{}, std::forward<X>(x));
}
Tensor<float, Cpu> softplus(operation_undefined_for_elements<internal::functional::Softplus>::fix_call_cast);

/// `x if x > 0 else slope * x`.
template <class X>
  requires OperandsOf<internal::functional::LeakyRelu, X>
[[nodiscard]] lazy_until_eval_t<internal::functional::LeakyRelu, X> leaky_relu(X&& x, double slope = 0.01) {
  return internal::make_map(internal::functional::LeakyRelu{{}, slope}, std::forward<X>(x));
}
Tensor<float, Cpu> leaky_relu(operation_undefined_for_elements<internal::functional::LeakyRelu>::fix_call_cast,
                              double = 0);

/// `x if x > 0 else alpha * (exp(x) - 1)` (Clevert et al. 2015).
template <class X>
  requires OperandsOf<internal::functional::Elu, X>
[[nodiscard]] lazy_until_eval_t<internal::functional::Elu, X> elu(X&& x, double alpha = 1.0) {
  return internal::make_map(internal::functional::Elu{{}, alpha}, std::forward<X>(x));
}
Tensor<float, Cpu> elu(operation_undefined_for_elements<internal::functional::Elu>::fix_call_cast, double = 0);

}  // namespace situ
