// SPDX-License-Identifier: Apache-2.0
// The logical and bitwise operators of tensors and expressions, shifts too: lazy nodes. `&&` and `||` compute both
// operands, as every element-wise operation. The guards are as in `arithmetic.hpp`.
#pragma once

#include <utility>

#include <situ/device/diagnostics.hpp>
#include <situ/expression/concept.hpp>
#include <situ/expression/diagnostics.hpp>
#include <situ/formula/functional/integers.hpp>
#include <situ/formula/functional/logical.hpp>

namespace situ {

template <class L, class R>
  requires OperandsOf<internal::functional::BitAnd, L, R>
[[nodiscard]] lazy_until_eval_t<internal::functional::BitAnd, L, R> operator&(L&& left, R&& right) {
  return internal::make_map(internal::functional::BitAnd{}, std::forward<L>(left), std::forward<R>(right));
}
template <Element T, Device D>
Tensor<T, D> operator&(const placed<T, D>&, typename tensors_live_on_different_devices<D>::template fix_call_dot_to<D>);
template <Element T, Device D>
Tensor<T, D> operator&(const placed<T, D>&, typename element_types_differ<T, D>::template fix_call_cast<T>);
template <Element T, Device D>
Tensor<T, D> operator&(const placed<T, D>&,
                       typename internal::wrong_operand<internal::functional::BitAnd, T, D>::on_the_right);
template <Element T, Device D>
Tensor<T, D> operator&(typename internal::wrong_operand<internal::functional::BitAnd, T, D>::on_the_left,
                       const placed<T, D>&);

template <class L, class R>
  requires OperandsOf<internal::functional::BitOr, L, R>
[[nodiscard]] lazy_until_eval_t<internal::functional::BitOr, L, R> operator|(L&& left, R&& right) {
  return internal::make_map(internal::functional::BitOr{}, std::forward<L>(left), std::forward<R>(right));
}
template <Element T, Device D>
Tensor<T, D> operator|(const placed<T, D>&, typename tensors_live_on_different_devices<D>::template fix_call_dot_to<D>);
template <Element T, Device D>
Tensor<T, D> operator|(const placed<T, D>&, typename element_types_differ<T, D>::template fix_call_cast<T>);
template <Element T, Device D>
Tensor<T, D> operator|(const placed<T, D>&,
                       typename internal::wrong_operand<internal::functional::BitOr, T, D>::on_the_right);
template <Element T, Device D>
Tensor<T, D> operator|(typename internal::wrong_operand<internal::functional::BitOr, T, D>::on_the_left,
                       const placed<T, D>&);

template <class L, class R>
  requires OperandsOf<internal::functional::BitXor, L, R>
[[nodiscard]] lazy_until_eval_t<internal::functional::BitXor, L, R> operator^(L&& left, R&& right) {
  return internal::make_map(internal::functional::BitXor{}, std::forward<L>(left), std::forward<R>(right));
}
template <Element T, Device D>
Tensor<T, D> operator^(const placed<T, D>&, typename tensors_live_on_different_devices<D>::template fix_call_dot_to<D>);
template <Element T, Device D>
Tensor<T, D> operator^(const placed<T, D>&, typename element_types_differ<T, D>::template fix_call_cast<T>);
template <Element T, Device D>
Tensor<T, D> operator^(const placed<T, D>&,
                       typename internal::wrong_operand<internal::functional::BitXor, T, D>::on_the_right);
template <Element T, Device D>
Tensor<T, D> operator^(typename internal::wrong_operand<internal::functional::BitXor, T, D>::on_the_left,
                       const placed<T, D>&);

template <class L, class R>
  requires OperandsOf<internal::functional::LogicalAnd, L, R>
[[nodiscard]] lazy_until_eval_t<internal::functional::LogicalAnd, L, R> operator&&(L&& left, R&& right) {
  return internal::make_map(internal::functional::LogicalAnd{}, std::forward<L>(left), std::forward<R>(right));
}
template <Element T, Device D>
Tensor<T, D> operator&&(const placed<T, D>&,
                        typename tensors_live_on_different_devices<D>::template fix_call_dot_to<D>);
template <Element T, Device D>
Tensor<T, D> operator&&(const placed<T, D>&, typename element_types_differ<T, D>::template fix_call_cast<T>);
template <Element T, Device D>
Tensor<T, D> operator&&(const placed<T, D>&,
                        typename internal::wrong_operand<internal::functional::LogicalAnd, T, D>::on_the_right);
template <Element T, Device D>
Tensor<T, D> operator&&(typename internal::wrong_operand<internal::functional::LogicalAnd, T, D>::on_the_left,
                        const placed<T, D>&);

template <class L, class R>
  requires OperandsOf<internal::functional::LogicalOr, L, R>
[[nodiscard]] lazy_until_eval_t<internal::functional::LogicalOr, L, R> operator||(L&& left, R&& right) {
  return internal::make_map(internal::functional::LogicalOr{}, std::forward<L>(left), std::forward<R>(right));
}
template <Element T, Device D>
Tensor<T, D> operator||(const placed<T, D>&,
                        typename tensors_live_on_different_devices<D>::template fix_call_dot_to<D>);
template <Element T, Device D>
Tensor<T, D> operator||(const placed<T, D>&, typename element_types_differ<T, D>::template fix_call_cast<T>);
template <Element T, Device D>
Tensor<T, D> operator||(const placed<T, D>&,
                        typename internal::wrong_operand<internal::functional::LogicalOr, T, D>::on_the_right);
template <Element T, Device D>
Tensor<T, D> operator||(typename internal::wrong_operand<internal::functional::LogicalOr, T, D>::on_the_left,
                        const placed<T, D>&);

template <class X>
  requires OperandsOf<internal::functional::LogicalNot, X>
[[nodiscard]] lazy_until_eval_t<internal::functional::LogicalNot, X> operator!(X&& x) {
  return internal::make_map(internal::functional::LogicalNot{}, std::forward<X>(x));
}
Tensor<bool, Cpu> operator!(operation_undefined_for_elements<internal::functional::LogicalNot>::fix_call_cast);

template <class X>
  requires OperandsOf<internal::functional::BitNot, X>
[[nodiscard]] lazy_until_eval_t<internal::functional::BitNot, X> operator~(X&& x) {
  return internal::make_map(internal::functional::BitNot{}, std::forward<X>(x));
}
Tensor<bool, Cpu> operator~(operation_undefined_for_elements<internal::functional::BitNot>::fix_call_cast);

// On the left of a shift may stand a stream, which the guards for scalars do not take.
template <class L, class R>
  requires OperandsOf<internal::functional::LeftShift, L, R>
[[nodiscard]] lazy_until_eval_t<internal::functional::LeftShift, L, R> operator<<(L&& left, R&& right) {
  return internal::make_map(internal::functional::LeftShift{}, std::forward<L>(left), std::forward<R>(right));
}
template <Element T, Device D>
Tensor<T, D> operator<<(const placed<T, D>&,
                        typename tensors_live_on_different_devices<D>::template fix_call_dot_to<D>);
template <Element T, Device D>
Tensor<T, D> operator<<(const placed<T, D>&, typename element_types_differ<T, D>::template fix_call_cast<T>);
template <Element T, Device D>
Tensor<T, D> operator<<(const placed<T, D>&,
                        typename internal::wrong_operand<internal::functional::LeftShift, T, D>::on_the_right);
template <Element T, Device D>
Tensor<T, D> operator<<(typename internal::wrong_operand<internal::functional::LeftShift, T, D>::on_the_left,
                        const placed<T, D>&);

template <class L, class R>
  requires OperandsOf<internal::functional::RightShift, L, R>
[[nodiscard]] lazy_until_eval_t<internal::functional::RightShift, L, R> operator>>(L&& left, R&& right) {
  return internal::make_map(internal::functional::RightShift{}, std::forward<L>(left), std::forward<R>(right));
}
template <Element T, Device D>
Tensor<T, D> operator>>(const placed<T, D>&,
                        typename tensors_live_on_different_devices<D>::template fix_call_dot_to<D>);
template <Element T, Device D>
Tensor<T, D> operator>>(const placed<T, D>&, typename element_types_differ<T, D>::template fix_call_cast<T>);
template <Element T, Device D>
Tensor<T, D> operator>>(const placed<T, D>&,
                        typename internal::wrong_operand<internal::functional::RightShift, T, D>::on_the_right);
template <Element T, Device D>
Tensor<T, D> operator>>(typename internal::wrong_operand<internal::functional::RightShift, T, D>::on_the_left,
                        const placed<T, D>&);

}  // namespace situ
