// SPDX-License-Identifier: Apache-2.0
// The operators of tensors and expressions. Each makes a lazy node; a guard beside it, never defined, is selected by the
// mistakes of `device/diagnostics.hpp`. The text repeats on purpose: a guard must stand beside the operator it guards,
// and a macro would put its own lines into every error.
#pragma once

#include <utility>

#include <situ/core/functional/arithmetic.hpp>
#include <situ/core/functional/compare.hpp>
#include <situ/core/functional/logical.hpp>
#include <situ/device/diagnostics.hpp>
#include <situ/expression/concept.hpp>

namespace situ {

template <class L, class R>
  requires OperandsOf<functional::Add, L, R>
[[nodiscard]] map_t<functional::Add, L, R> operator+(L&& left, R&& right) {
  return detail::make_map(functional::Add{}, std::forward<L>(left), std::forward<R>(right));
}
template <class D>
on_device<D> operator+(const on_device<D>&, typename tensors_live_on_different_devices<D>::template fix_call_dot_to<D>);
template <class T, class D>
placed<T, D> operator+(const placed<T, D>&, typename element_types_differ<T, D>::template fix_call_cast<T>);

template <class L, class R>
  requires OperandsOf<functional::Subtract, L, R>
[[nodiscard]] map_t<functional::Subtract, L, R> operator-(L&& left, R&& right) {
  return detail::make_map(functional::Subtract{}, std::forward<L>(left), std::forward<R>(right));
}
template <class D>
on_device<D> operator-(const on_device<D>&, typename tensors_live_on_different_devices<D>::template fix_call_dot_to<D>);
template <class T, class D>
placed<T, D> operator-(const placed<T, D>&, typename element_types_differ<T, D>::template fix_call_cast<T>);

template <class L, class R>
  requires OperandsOf<functional::Multiply, L, R>
[[nodiscard]] map_t<functional::Multiply, L, R> operator*(L&& left, R&& right) {
  return detail::make_map(functional::Multiply{}, std::forward<L>(left), std::forward<R>(right));
}
template <class D>
on_device<D> operator*(const on_device<D>&, typename tensors_live_on_different_devices<D>::template fix_call_dot_to<D>);
template <class T, class D>
placed<T, D> operator*(const placed<T, D>&, typename element_types_differ<T, D>::template fix_call_cast<T>);

template <class L, class R>
  requires OperandsOf<functional::Divide, L, R>
[[nodiscard]] map_t<functional::Divide, L, R> operator/(L&& left, R&& right) {
  return detail::make_map(functional::Divide{}, std::forward<L>(left), std::forward<R>(right));
}
template <class D>
on_device<D> operator/(const on_device<D>&, typename tensors_live_on_different_devices<D>::template fix_call_dot_to<D>);
template <class T, class D>
placed<T, D> operator/(const placed<T, D>&, typename element_types_differ<T, D>::template fix_call_cast<T>);

template <class L, class R>
  requires OperandsOf<functional::Remainder, L, R>
[[nodiscard]] map_t<functional::Remainder, L, R> operator%(L&& left, R&& right) {
  return detail::make_map(functional::Remainder{}, std::forward<L>(left), std::forward<R>(right));
}
template <class D>
on_device<D> operator%(const on_device<D>&, typename tensors_live_on_different_devices<D>::template fix_call_dot_to<D>);
template <class T, class D>
placed<T, D> operator%(const placed<T, D>&, typename element_types_differ<T, D>::template fix_call_cast<T>);

template <class L, class R>
  requires OperandsOf<functional::Less, L, R>
[[nodiscard]] map_t<functional::Less, L, R> operator<(L&& left, R&& right) {
  return detail::make_map(functional::Less{}, std::forward<L>(left), std::forward<R>(right));
}
template <class D>
on_device<D> operator<(const on_device<D>&, typename tensors_live_on_different_devices<D>::template fix_call_dot_to<D>);
template <class T, class D>
placed<T, D> operator<(const placed<T, D>&, typename element_types_differ<T, D>::template fix_call_cast<T>);

template <class L, class R>
  requires OperandsOf<functional::LessEqual, L, R>
[[nodiscard]] map_t<functional::LessEqual, L, R> operator<=(L&& left, R&& right) {
  return detail::make_map(functional::LessEqual{}, std::forward<L>(left), std::forward<R>(right));
}
template <class D>
on_device<D> operator<=(const on_device<D>&, typename tensors_live_on_different_devices<D>::template fix_call_dot_to<D>);
template <class T, class D>
placed<T, D> operator<=(const placed<T, D>&, typename element_types_differ<T, D>::template fix_call_cast<T>);

template <class L, class R>
  requires OperandsOf<functional::Greater, L, R>
[[nodiscard]] map_t<functional::Greater, L, R> operator>(L&& left, R&& right) {
  return detail::make_map(functional::Greater{}, std::forward<L>(left), std::forward<R>(right));
}
template <class D>
on_device<D> operator>(const on_device<D>&, typename tensors_live_on_different_devices<D>::template fix_call_dot_to<D>);
template <class T, class D>
placed<T, D> operator>(const placed<T, D>&, typename element_types_differ<T, D>::template fix_call_cast<T>);

template <class L, class R>
  requires OperandsOf<functional::GreaterEqual, L, R>
[[nodiscard]] map_t<functional::GreaterEqual, L, R> operator>=(L&& left, R&& right) {
  return detail::make_map(functional::GreaterEqual{}, std::forward<L>(left), std::forward<R>(right));
}
template <class D>
on_device<D> operator>=(const on_device<D>&, typename tensors_live_on_different_devices<D>::template fix_call_dot_to<D>);
template <class T, class D>
placed<T, D> operator>=(const placed<T, D>&, typename element_types_differ<T, D>::template fix_call_cast<T>);

template <class L, class R>
  requires OperandsOf<functional::Equal, L, R>
[[nodiscard]] map_t<functional::Equal, L, R> operator==(L&& left, R&& right) {
  return detail::make_map(functional::Equal{}, std::forward<L>(left), std::forward<R>(right));
}

template <class L, class R>
  requires OperandsOf<functional::NotEqual, L, R>
[[nodiscard]] map_t<functional::NotEqual, L, R> operator!=(L&& left, R&& right) {
  return detail::make_map(functional::NotEqual{}, std::forward<L>(left), std::forward<R>(right));
}

template <class L, class R>
  requires OperandsOf<functional::BitAnd, L, R>
[[nodiscard]] map_t<functional::BitAnd, L, R> operator&(L&& left, R&& right) {
  return detail::make_map(functional::BitAnd{}, std::forward<L>(left), std::forward<R>(right));
}
template <class D>
on_device<D> operator&(const on_device<D>&, typename tensors_live_on_different_devices<D>::template fix_call_dot_to<D>);
template <class T, class D>
placed<T, D> operator&(const placed<T, D>&, typename element_types_differ<T, D>::template fix_call_cast<T>);

template <class L, class R>
  requires OperandsOf<functional::BitOr, L, R>
[[nodiscard]] map_t<functional::BitOr, L, R> operator|(L&& left, R&& right) {
  return detail::make_map(functional::BitOr{}, std::forward<L>(left), std::forward<R>(right));
}
template <class D>
on_device<D> operator|(const on_device<D>&, typename tensors_live_on_different_devices<D>::template fix_call_dot_to<D>);
template <class T, class D>
placed<T, D> operator|(const placed<T, D>&, typename element_types_differ<T, D>::template fix_call_cast<T>);

template <class L, class R>
  requires OperandsOf<functional::BitXor, L, R>
[[nodiscard]] map_t<functional::BitXor, L, R> operator^(L&& left, R&& right) {
  return detail::make_map(functional::BitXor{}, std::forward<L>(left), std::forward<R>(right));
}
template <class D>
on_device<D> operator^(const on_device<D>&, typename tensors_live_on_different_devices<D>::template fix_call_dot_to<D>);
template <class T, class D>
placed<T, D> operator^(const placed<T, D>&, typename element_types_differ<T, D>::template fix_call_cast<T>);

template <class L, class R>
  requires OperandsOf<functional::LogicalAnd, L, R>
[[nodiscard]] map_t<functional::LogicalAnd, L, R> operator&&(L&& left, R&& right) {
  return detail::make_map(functional::LogicalAnd{}, std::forward<L>(left), std::forward<R>(right));
}
template <class D>
on_device<D> operator&&(const on_device<D>&, typename tensors_live_on_different_devices<D>::template fix_call_dot_to<D>);
template <class T, class D>
placed<T, D> operator&&(const placed<T, D>&, typename element_types_differ<T, D>::template fix_call_cast<T>);

template <class L, class R>
  requires OperandsOf<functional::LogicalOr, L, R>
[[nodiscard]] map_t<functional::LogicalOr, L, R> operator||(L&& left, R&& right) {
  return detail::make_map(functional::LogicalOr{}, std::forward<L>(left), std::forward<R>(right));
}
template <class D>
on_device<D> operator||(const on_device<D>&, typename tensors_live_on_different_devices<D>::template fix_call_dot_to<D>);
template <class T, class D>
placed<T, D> operator||(const placed<T, D>&, typename element_types_differ<T, D>::template fix_call_cast<T>);

template <class X>
  requires OperandsOf<functional::Negate, X>
[[nodiscard]] map_t<functional::Negate, X> operator-(X&& x) {
  return detail::make_map(functional::Negate{}, std::forward<X>(x));
}

template <class X>
  requires OperandsOf<functional::LogicalNot, X>
[[nodiscard]] map_t<functional::LogicalNot, X> operator!(X&& x) {
  return detail::make_map(functional::LogicalNot{}, std::forward<X>(x));
}

template <class X>
  requires OperandsOf<functional::BitNot, X>
[[nodiscard]] map_t<functional::BitNot, X> operator~(X&& x) {
  return detail::make_map(functional::BitNot{}, std::forward<X>(x));
}

/// A tensor itself, as NumPy's unary plus.
template <class X>
  requires TensorLike<X>
[[nodiscard]] auto operator+(X&& x) {
  return detail::stored(std::forward<X>(x));
}

}  // namespace situ
