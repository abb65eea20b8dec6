// SPDX-License-Identifier: Apache-2.0
// The arithmetic operators of tensors and expressions: lazy nodes. The guards beside each, never defined, are selected by
// the mistakes of `device/diagnostics.hpp`: another device, another element type, a scalar that does not fit, elements
// without the operation. The text repeats on purpose: a macro would put its own lines into every error.
#pragma once

#include <utility>

#include <situ/core/functional/arithmetic.hpp>
#include <situ/device/diagnostics.hpp>
#include <situ/expression/concept.hpp>

namespace situ {

template <class L, class R>
  requires OperandsOf<functional::Add, L, R>
[[nodiscard]] lazy_until_eval_t<functional::Add, L, R> operator+(L&& left, R&& right) {
  return detail::make_map(functional::Add{}, std::forward<L>(left), std::forward<R>(right));
}
template <Element T, Device D>
Tensor<T, D> operator+(const placed<T, D>&, typename tensors_live_on_different_devices<D>::template fix_call_dot_to<D>);
template <Element T, Device D>
Tensor<T, D> operator+(const placed<T, D>&, typename element_types_differ<T, D>::template fix_call_cast<T>);
template <Element T, Device D>
  requires(functional::Add::accepts<T>)
Tensor<T, D> operator+(const placed<T, D>&,
                       typename scalar_does_not_fit_elements<T>::fix_cast_the_scalar_or_the_tensor);
template <Element T, Device D>
  requires(functional::Add::accepts<T>)
Tensor<T, D> operator+(typename scalar_does_not_fit_elements<T>::fix_cast_the_scalar_or_the_tensor,
                       const placed<T, D>&);
template <Element T, Device D>
  requires(!functional::Add::accepts<T>)
Tensor<T, D> operator+(const placed<T, D>&,
                       typename operation_undefined_for_elements<functional::Add, T, D>::fix_call_cast);
template <Element T, Device D>
  requires(!functional::Add::accepts<T>)
Tensor<T, D> operator+(typename operation_undefined_for_elements<functional::Add, T>::fix_call_cast,
                       const placed<T, D>&);

template <class L, class R>
  requires OperandsOf<functional::Subtract, L, R>
[[nodiscard]] lazy_until_eval_t<functional::Subtract, L, R> operator-(L&& left, R&& right) {
  return detail::make_map(functional::Subtract{}, std::forward<L>(left), std::forward<R>(right));
}
template <Element T, Device D>
Tensor<T, D> operator-(const placed<T, D>&, typename tensors_live_on_different_devices<D>::template fix_call_dot_to<D>);
template <Element T, Device D>
Tensor<T, D> operator-(const placed<T, D>&, typename element_types_differ<T, D>::template fix_call_cast<T>);
template <Element T, Device D>
  requires(functional::Subtract::accepts<T>)
Tensor<T, D> operator-(const placed<T, D>&,
                       typename scalar_does_not_fit_elements<T>::fix_cast_the_scalar_or_the_tensor);
template <Element T, Device D>
  requires(functional::Subtract::accepts<T>)
Tensor<T, D> operator-(typename scalar_does_not_fit_elements<T>::fix_cast_the_scalar_or_the_tensor,
                       const placed<T, D>&);
template <Element T, Device D>
  requires(!functional::Subtract::accepts<T>)
Tensor<T, D> operator-(const placed<T, D>&,
                       typename operation_undefined_for_elements<functional::Subtract, T, D>::fix_call_cast);
template <Element T, Device D>
  requires(!functional::Subtract::accepts<T>)
Tensor<T, D> operator-(typename operation_undefined_for_elements<functional::Subtract, T>::fix_call_cast,
                       const placed<T, D>&);

template <class L, class R>
  requires OperandsOf<functional::Multiply, L, R>
[[nodiscard]] lazy_until_eval_t<functional::Multiply, L, R> operator*(L&& left, R&& right) {
  return detail::make_map(functional::Multiply{}, std::forward<L>(left), std::forward<R>(right));
}
template <Element T, Device D>
Tensor<T, D> operator*(const placed<T, D>&, typename tensors_live_on_different_devices<D>::template fix_call_dot_to<D>);
template <Element T, Device D>
Tensor<T, D> operator*(const placed<T, D>&, typename element_types_differ<T, D>::template fix_call_cast<T>);
template <Element T, Device D>
  requires(functional::Multiply::accepts<T>)
Tensor<T, D> operator*(const placed<T, D>&,
                       typename scalar_does_not_fit_elements<T>::fix_cast_the_scalar_or_the_tensor);
template <Element T, Device D>
  requires(functional::Multiply::accepts<T>)
Tensor<T, D> operator*(typename scalar_does_not_fit_elements<T>::fix_cast_the_scalar_or_the_tensor,
                       const placed<T, D>&);
template <Element T, Device D>
  requires(!functional::Multiply::accepts<T>)
Tensor<T, D> operator*(const placed<T, D>&,
                       typename operation_undefined_for_elements<functional::Multiply, T, D>::fix_call_cast);
template <Element T, Device D>
  requires(!functional::Multiply::accepts<T>)
Tensor<T, D> operator*(typename operation_undefined_for_elements<functional::Multiply, T>::fix_call_cast,
                       const placed<T, D>&);

template <class L, class R>
  requires OperandsOf<functional::Divide, L, R>
[[nodiscard]] lazy_until_eval_t<functional::Divide, L, R> operator/(L&& left, R&& right) {
  return detail::make_map(functional::Divide{}, std::forward<L>(left), std::forward<R>(right));
}
template <Element T, Device D>
Tensor<T, D> operator/(const placed<T, D>&, typename tensors_live_on_different_devices<D>::template fix_call_dot_to<D>);
template <Element T, Device D>
Tensor<T, D> operator/(const placed<T, D>&, typename element_types_differ<T, D>::template fix_call_cast<T>);
template <Element T, Device D>
  requires(functional::Divide::accepts<T>)
Tensor<T, D> operator/(const placed<T, D>&,
                       typename scalar_does_not_fit_elements<T>::fix_cast_the_scalar_or_the_tensor);
template <Element T, Device D>
  requires(functional::Divide::accepts<T>)
Tensor<T, D> operator/(typename scalar_does_not_fit_elements<T>::fix_cast_the_scalar_or_the_tensor,
                       const placed<T, D>&);
template <Element T, Device D>
  requires(!functional::Divide::accepts<T> && !IntegerElement<T>)
Tensor<T, D> operator/(const placed<T, D>&,
                       typename operation_undefined_for_elements<functional::Divide, T, D>::fix_call_cast);
template <Element T, Device D>
  requires(!functional::Divide::accepts<T> && !IntegerElement<T>)
Tensor<T, D> operator/(typename operation_undefined_for_elements<functional::Divide, T>::fix_call_cast,
                       const placed<T, D>&);
template <IntegerElement T, Device D>
Tensor<T, D> operator/(const placed<T, D>&, typename integers_do_not_divide<T, D>::fix_call_floor_divide_or_cast);
template <IntegerElement T, Device D>
Tensor<T, D> operator/(typename integers_do_not_divide<T>::fix_call_floor_divide_or_cast, const placed<T, D>&);

template <class L, class R>
  requires OperandsOf<functional::Remainder, L, R>
[[nodiscard]] lazy_until_eval_t<functional::Remainder, L, R> operator%(L&& left, R&& right) {
  return detail::make_map(functional::Remainder{}, std::forward<L>(left), std::forward<R>(right));
}
template <Element T, Device D>
Tensor<T, D> operator%(const placed<T, D>&, typename tensors_live_on_different_devices<D>::template fix_call_dot_to<D>);
template <Element T, Device D>
Tensor<T, D> operator%(const placed<T, D>&, typename element_types_differ<T, D>::template fix_call_cast<T>);
template <Element T, Device D>
  requires(functional::Remainder::accepts<T>)
Tensor<T, D> operator%(const placed<T, D>&,
                       typename scalar_does_not_fit_elements<T>::fix_cast_the_scalar_or_the_tensor);
template <Element T, Device D>
  requires(functional::Remainder::accepts<T>)
Tensor<T, D> operator%(typename scalar_does_not_fit_elements<T>::fix_cast_the_scalar_or_the_tensor,
                       const placed<T, D>&);
template <Element T, Device D>
  requires(!functional::Remainder::accepts<T>)
Tensor<T, D> operator%(const placed<T, D>&,
                       typename operation_undefined_for_elements<functional::Remainder, T, D>::fix_call_cast);
template <Element T, Device D>
  requires(!functional::Remainder::accepts<T>)
Tensor<T, D> operator%(typename operation_undefined_for_elements<functional::Remainder, T>::fix_call_cast,
                       const placed<T, D>&);

template <class X>
  requires OperandsOf<functional::Negate, X>
[[nodiscard]] lazy_until_eval_t<functional::Negate, X> operator-(X&& x) {
  return detail::make_map(functional::Negate{}, std::forward<X>(x));
}
Tensor<float, Cpu> operator-(operation_undefined_for_elements<functional::Negate>::fix_call_cast);

/// A tensor itself, as NumPy's unary plus.
template <class X>
  requires TensorLike<X>
[[nodiscard]] auto operator+(X&& x) {
  return detail::stored(std::forward<X>(x));
}

}  // namespace situ
