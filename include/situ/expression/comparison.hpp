// SPDX-License-Identifier: Apache-2.0
// The comparisons of tensors and expressions: lazy nodes of `bool`. The guards are as in `arithmetic.hpp`; those of
// `==` and `!=` stand in `device/placed.hpp`, because C++20 also tries these operators with the operands exchanged.
#pragma once

#include <utility>

#include <situ/device/diagnostics.hpp>
#include <situ/expression/concept.hpp>
#include <situ/formula/functional/compare.hpp>

namespace situ {

template <class L, class R>
  requires OperandsOf<internal::functional::Less, L, R>
[[nodiscard]] lazy_until_eval_t<internal::functional::Less, L, R> operator<(L&& left, R&& right) {
  return internal::make_map(internal::functional::Less{}, std::forward<L>(left), std::forward<R>(right));
}
template <Element T, Device D>
Tensor<bool, D> operator<(const placed<T, D>&,
                          typename tensors_live_on_different_devices<D>::template fix_call_dot_to<D>);
template <Element T, Device D>
Tensor<bool, D> operator<(const placed<T, D>&, typename element_types_differ<T, D>::template fix_call_cast<T>);
template <Element T, Device D>
Tensor<bool, D> operator<(const placed<T, D>&,
                          typename internal::wrong_operand<internal::functional::Less, T, D>::on_the_right);
template <Element T, Device D>
Tensor<bool, D> operator<(typename internal::wrong_operand<internal::functional::Less, T, D>::on_the_left,
                          const placed<T, D>&);

template <class L, class R>
  requires OperandsOf<internal::functional::LessEqual, L, R>
[[nodiscard]] lazy_until_eval_t<internal::functional::LessEqual, L, R> operator<=(L&& left, R&& right) {
  return internal::make_map(internal::functional::LessEqual{}, std::forward<L>(left), std::forward<R>(right));
}
template <Element T, Device D>
Tensor<bool, D> operator<=(const placed<T, D>&,
                           typename tensors_live_on_different_devices<D>::template fix_call_dot_to<D>);
template <Element T, Device D>
Tensor<bool, D> operator<=(const placed<T, D>&, typename element_types_differ<T, D>::template fix_call_cast<T>);
template <Element T, Device D>
Tensor<bool, D> operator<=(const placed<T, D>&,
                           typename internal::wrong_operand<internal::functional::LessEqual, T, D>::on_the_right);
template <Element T, Device D>
Tensor<bool, D> operator<=(typename internal::wrong_operand<internal::functional::LessEqual, T, D>::on_the_left,
                           const placed<T, D>&);

template <class L, class R>
  requires OperandsOf<internal::functional::Greater, L, R>
[[nodiscard]] lazy_until_eval_t<internal::functional::Greater, L, R> operator>(L&& left, R&& right) {
  return internal::make_map(internal::functional::Greater{}, std::forward<L>(left), std::forward<R>(right));
}
template <Element T, Device D>
Tensor<bool, D> operator>(const placed<T, D>&,
                          typename tensors_live_on_different_devices<D>::template fix_call_dot_to<D>);
template <Element T, Device D>
Tensor<bool, D> operator>(const placed<T, D>&, typename element_types_differ<T, D>::template fix_call_cast<T>);
template <Element T, Device D>
Tensor<bool, D> operator>(const placed<T, D>&,
                          typename internal::wrong_operand<internal::functional::Greater, T, D>::on_the_right);
template <Element T, Device D>
Tensor<bool, D> operator>(typename internal::wrong_operand<internal::functional::Greater, T, D>::on_the_left,
                          const placed<T, D>&);

template <class L, class R>
  requires OperandsOf<internal::functional::GreaterEqual, L, R>
[[nodiscard]] lazy_until_eval_t<internal::functional::GreaterEqual, L, R> operator>=(L&& left, R&& right) {
  return internal::make_map(internal::functional::GreaterEqual{}, std::forward<L>(left), std::forward<R>(right));
}
template <Element T, Device D>
Tensor<bool, D> operator>=(const placed<T, D>&,
                           typename tensors_live_on_different_devices<D>::template fix_call_dot_to<D>);
template <Element T, Device D>
Tensor<bool, D> operator>=(const placed<T, D>&, typename element_types_differ<T, D>::template fix_call_cast<T>);
template <Element T, Device D>
Tensor<bool, D> operator>=(const placed<T, D>&,
                           typename internal::wrong_operand<internal::functional::GreaterEqual, T, D>::on_the_right);
template <Element T, Device D>
Tensor<bool, D> operator>=(typename internal::wrong_operand<internal::functional::GreaterEqual, T, D>::on_the_left,
                           const placed<T, D>&);

template <class L, class R>
  requires OperandsOf<internal::functional::Equal, L, R>
[[nodiscard]] lazy_until_eval_t<internal::functional::Equal, L, R> operator==(L&& left, R&& right) {
  return internal::make_map(internal::functional::Equal{}, std::forward<L>(left), std::forward<R>(right));
}

template <class L, class R>
  requires OperandsOf<internal::functional::NotEqual, L, R>
[[nodiscard]] lazy_until_eval_t<internal::functional::NotEqual, L, R> operator!=(L&& left, R&& right) {
  return internal::make_map(internal::functional::NotEqual{}, std::forward<L>(left), std::forward<R>(right));
}

}  // namespace situ
