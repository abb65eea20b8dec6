// SPDX-License-Identifier: Apache-2.0
// The activation functions of spread values; see ops/activation.hpp for what each computes, and unary.hpp for the
// layouts.
#pragma once

#include <situ/distributed/diagnostics.hpp>
#include <situ/distributed/map_elements.hpp>
#include <situ/formula/functional/activation.hpp>
#include <situ/ops/activation.hpp>  // the guards of elements

namespace situ {

template <internal::SpreadOperandOf<internal::functional::Sigmoid> X>
[[nodiscard]] auto sigmoid(const X& x) {
  return internal::map_elements(internal::functional::Sigmoid{}, x);
}
never_made sigmoid(a_partial_sum_is_not_a_value::fix_call_all_reduce);

template <internal::SpreadOperandOf<internal::functional::Relu> X>
[[nodiscard]] auto relu(const X& x) {
  return internal::map_elements(internal::functional::Relu{}, x);
}
never_made relu(a_partial_sum_is_not_a_value::fix_call_all_reduce);

template <internal::SpreadOperandOf<internal::functional::Selu> X>
[[nodiscard]] auto selu(const X& x) {
  return internal::map_elements(internal::functional::Selu{}, x);
}
never_made selu(a_partial_sum_is_not_a_value::fix_call_all_reduce);

template <internal::SpreadOperandOf<internal::functional::Gelu> X>
[[nodiscard]] auto gelu(const X& x) {
  return internal::map_elements(internal::functional::Gelu{}, x);
}
never_made gelu(a_partial_sum_is_not_a_value::fix_call_all_reduce);

template <internal::SpreadOperandOf<internal::functional::GeluTanh> X>
[[nodiscard]] auto gelu_tanh(const X& x) {
  return internal::map_elements(internal::functional::GeluTanh{}, x);
}
never_made gelu_tanh(a_partial_sum_is_not_a_value::fix_call_all_reduce);

template <internal::SpreadOperandOf<internal::functional::Silu> X>
[[nodiscard]] auto silu(const X& x) {
  return internal::map_elements(internal::functional::Silu{}, x);
}
never_made silu(a_partial_sum_is_not_a_value::fix_call_all_reduce);

template <internal::SpreadOperandOf<internal::functional::Softplus> X>
[[nodiscard]] auto softplus(const X& x) {
  return internal::map_elements(internal::functional::Softplus{}, x);
}
never_made softplus(a_partial_sum_is_not_a_value::fix_call_all_reduce);

template <internal::SpreadOperandOf<internal::functional::LeakyRelu> X>
[[nodiscard]] auto leaky_relu(const X& x, double slope = 0.01) {
  return internal::map_elements(internal::functional::LeakyRelu{{}, slope}, x);
}
never_made leaky_relu(a_partial_sum_is_not_a_value::fix_call_all_reduce, double = 0);

template <internal::SpreadOperandOf<internal::functional::Elu> X>
[[nodiscard]] auto elu(const X& x, double alpha = 1.0) {
  return internal::map_elements(internal::functional::Elu{{}, alpha}, x);
}
never_made elu(a_partial_sum_is_not_a_value::fix_call_all_reduce, double = 0);

}  // namespace situ
