// SPDX-License-Identifier: Apache-2.0
// The arithmetic operators of tensors and expressions: lazy nodes. The guards beside each, never defined, are selected
// by the mistakes of `device/diagnostics.hpp`: another device, another element type, a scalar that does not fit,
// elements without the operation. The text repeats on purpose: a macro would put its own lines into every error.
#pragma once

#include <utility>

#include <situ/device/diagnostics.hpp>
#include <situ/expression/concept.hpp>
#include <situ/expression/diagnostics.hpp>
#include <situ/formula/functional/arithmetic.hpp>

namespace situ {

template <class L, class R>
  requires OperandsOf<internal::functional::Add, L, R>
[[nodiscard]] lazy_until_eval_t<internal::functional::Add, L, R> operator+(L&& left, R&& right) {
  return internal::make_map(internal::functional::Add{}, std::forward<L>(left), std::forward<R>(right));
}
template <Element T, Device D>
Tensor<T, D> operator+(const placed<T, D>&, typename tensors_live_on_different_devices<D>::template fix_call_dot_to<D>);
template <Element T, Device D>
Tensor<T, D> operator+(const placed<T, D>&, typename element_types_differ<T, D>::template fix_call_cast<T>);
template <Element T, Device D>
Tensor<T, D> operator+(const placed<T, D>&,
                       typename internal::wrong_operand<internal::functional::Add, T, D>::on_the_right);
template <Element T, Device D>
Tensor<T, D> operator+(typename internal::wrong_operand<internal::functional::Add, T, D>::on_the_left,
                       const placed<T, D>&);

template <class L, class R>
  requires OperandsOf<internal::functional::Subtract, L, R>
[[nodiscard]] lazy_until_eval_t<internal::functional::Subtract, L, R> operator-(L&& left, R&& right) {
  return internal::make_map(internal::functional::Subtract{}, std::forward<L>(left), std::forward<R>(right));
}
template <Element T, Device D>
Tensor<T, D> operator-(const placed<T, D>&, typename tensors_live_on_different_devices<D>::template fix_call_dot_to<D>);
template <Element T, Device D>
Tensor<T, D> operator-(const placed<T, D>&, typename element_types_differ<T, D>::template fix_call_cast<T>);
template <Element T, Device D>
Tensor<T, D> operator-(const placed<T, D>&,
                       typename internal::wrong_operand<internal::functional::Subtract, T, D>::on_the_right);
template <Element T, Device D>
Tensor<T, D> operator-(typename internal::wrong_operand<internal::functional::Subtract, T, D>::on_the_left,
                       const placed<T, D>&);

template <class L, class R>
  requires OperandsOf<internal::functional::Multiply, L, R>
[[nodiscard]] lazy_until_eval_t<internal::functional::Multiply, L, R> operator*(L&& left, R&& right) {
  return internal::make_map(internal::functional::Multiply{}, std::forward<L>(left), std::forward<R>(right));
}
template <Element T, Device D>
Tensor<T, D> operator*(const placed<T, D>&, typename tensors_live_on_different_devices<D>::template fix_call_dot_to<D>);
template <Element T, Device D>
Tensor<T, D> operator*(const placed<T, D>&, typename element_types_differ<T, D>::template fix_call_cast<T>);
template <Element T, Device D>
Tensor<T, D> operator*(const placed<T, D>&,
                       typename internal::wrong_operand<internal::functional::Multiply, T, D>::on_the_right);
template <Element T, Device D>
Tensor<T, D> operator*(typename internal::wrong_operand<internal::functional::Multiply, T, D>::on_the_left,
                       const placed<T, D>&);

template <class L, class R>
  requires OperandsOf<internal::functional::Divide, L, R>
[[nodiscard]] lazy_until_eval_t<internal::functional::Divide, L, R> operator/(L&& left, R&& right) {
  return internal::make_map(internal::functional::Divide{}, std::forward<L>(left), std::forward<R>(right));
}
template <Element T, Device D>
Tensor<T, D> operator/(const placed<T, D>&, typename tensors_live_on_different_devices<D>::template fix_call_dot_to<D>);
template <Element T, Device D>
Tensor<T, D> operator/(const placed<T, D>&, typename element_types_differ<T, D>::template fix_call_cast<T>);
template <Element T, Device D>
Tensor<T, D> operator/(const placed<T, D>&,
                       typename internal::wrong_operand<internal::functional::Divide, T, D>::on_the_right);
template <Element T, Device D>
Tensor<T, D> operator/(typename internal::wrong_operand<internal::functional::Divide, T, D>::on_the_left,
                       const placed<T, D>&);

template <class L, class R>
  requires OperandsOf<internal::functional::Remainder, L, R>
[[nodiscard]] lazy_until_eval_t<internal::functional::Remainder, L, R> operator%(L&& left, R&& right) {
  return internal::make_map(internal::functional::Remainder{}, std::forward<L>(left), std::forward<R>(right));
}
template <Element T, Device D>
Tensor<T, D> operator%(const placed<T, D>&, typename tensors_live_on_different_devices<D>::template fix_call_dot_to<D>);
template <Element T, Device D>
Tensor<T, D> operator%(const placed<T, D>&, typename element_types_differ<T, D>::template fix_call_cast<T>);
template <Element T, Device D>
Tensor<T, D> operator%(const placed<T, D>&,
                       typename internal::wrong_operand<internal::functional::Remainder, T, D>::on_the_right);
template <Element T, Device D>
Tensor<T, D> operator%(typename internal::wrong_operand<internal::functional::Remainder, T, D>::on_the_left,
                       const placed<T, D>&);

template <class X>
  requires OperandsOf<internal::functional::Negate, X>
[[nodiscard]] lazy_until_eval_t<internal::functional::Negate, X> operator-(X&& x) {
  return internal::make_map(internal::functional::Negate{}, std::forward<X>(x));
}
Tensor<float, Cpu> operator-(operation_undefined_for_elements<internal::functional::Negate>::fix_call_cast);

/// A tensor itself, as NumPy's unary plus.
template <class X>
  requires TensorLike<X>
[[nodiscard]] auto operator+(X&& x) {
  return internal::stored(std::forward<X>(x));
}

}  // namespace situ
