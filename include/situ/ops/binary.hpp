// SPDX-License-Identifier: Apache-2.0
// Element-wise functions of two operands, which broadcast; one of them may be a scalar. The guards beside them reject
// operands of different devices or element types, as for the operators.
#pragma once

#include <utility>

#include <situ/core/functional/arithmetic.hpp>
#include <situ/core/functional/exponential.hpp>
#include <situ/core/functional/trigonometric.hpp>
#include <situ/device/diagnostics.hpp>
#include <situ/expression/concept.hpp>

namespace situ {

/// `a` to the power `b`, with the special cases of C. Integers: exact with overflow wrapping; a negative exponent gives 0 unless the base is 1 or -1.
template <class A, class B>
  requires OperandsOf<functional::Pow, A, B>
[[nodiscard]] map_t<functional::Pow, A, B> pow(A&& a, B&& b) {
  return detail::make_map(functional::Pow{}, std::forward<A>(a), std::forward<B>(b));
}
template <class D>
on_device<D> pow(const on_device<D>&, typename tensors_live_on_different_devices<D>::template fix_call_dot_to<D>);
template <class T, class D>
placed<T, D> pow(const placed<T, D>&, typename element_types_differ<T, D>::template fix_call_cast<T>);

/// The angle of the point (x, y) = (b, a), in [-pi, pi].
template <class A, class B>
  requires OperandsOf<functional::Atan2, A, B>
[[nodiscard]] map_t<functional::Atan2, A, B> atan2(A&& a, B&& b) {
  return detail::make_map(functional::Atan2{}, std::forward<A>(a), std::forward<B>(b));
}
template <class D>
on_device<D> atan2(const on_device<D>&, typename tensors_live_on_different_devices<D>::template fix_call_dot_to<D>);
template <class T, class D>
placed<T, D> atan2(const placed<T, D>&, typename element_types_differ<T, D>::template fix_call_cast<T>);

/// The smaller operand; NaN if either is NaN, as NumPy.
template <class A, class B>
  requires OperandsOf<functional::Minimum, A, B>
[[nodiscard]] map_t<functional::Minimum, A, B> minimum(A&& a, B&& b) {
  return detail::make_map(functional::Minimum{}, std::forward<A>(a), std::forward<B>(b));
}
template <class D>
on_device<D> minimum(const on_device<D>&, typename tensors_live_on_different_devices<D>::template fix_call_dot_to<D>);
template <class T, class D>
placed<T, D> minimum(const placed<T, D>&, typename element_types_differ<T, D>::template fix_call_cast<T>);

/// The larger operand; NaN if either is NaN, as NumPy.
template <class A, class B>
  requires OperandsOf<functional::Maximum, A, B>
[[nodiscard]] map_t<functional::Maximum, A, B> maximum(A&& a, B&& b) {
  return detail::make_map(functional::Maximum{}, std::forward<A>(a), std::forward<B>(b));
}
template <class D>
on_device<D> maximum(const on_device<D>&, typename tensors_live_on_different_devices<D>::template fix_call_dot_to<D>);
template <class T, class D>
placed<T, D> maximum(const placed<T, D>&, typename element_types_differ<T, D>::template fix_call_cast<T>);

/// `sqrt(a^2 + b^2)` without overflow.
template <class A, class B>
  requires OperandsOf<functional::Hypot, A, B>
[[nodiscard]] map_t<functional::Hypot, A, B> hypot(A&& a, B&& b) {
  return detail::make_map(functional::Hypot{}, std::forward<A>(a), std::forward<B>(b));
}
template <class D>
on_device<D> hypot(const on_device<D>&, typename tensors_live_on_different_devices<D>::template fix_call_dot_to<D>);
template <class T, class D>
placed<T, D> hypot(const placed<T, D>&, typename element_types_differ<T, D>::template fix_call_cast<T>);

/// The remainder of `a / b` with the sign of `a`, exact.
template <class A, class B>
  requires OperandsOf<functional::Fmod, A, B>
[[nodiscard]] map_t<functional::Fmod, A, B> fmod(A&& a, B&& b) {
  return detail::make_map(functional::Fmod{}, std::forward<A>(a), std::forward<B>(b));
}
template <class D>
on_device<D> fmod(const on_device<D>&, typename tensors_live_on_different_devices<D>::template fix_call_dot_to<D>);
template <class T, class D>
placed<T, D> fmod(const placed<T, D>&, typename element_types_differ<T, D>::template fix_call_cast<T>);

/// The quotient rounded down. Integer division by zero gives 0.
template <class A, class B>
  requires OperandsOf<functional::FloorDivide, A, B>
[[nodiscard]] map_t<functional::FloorDivide, A, B> floor_divide(A&& a, B&& b) {
  return detail::make_map(functional::FloorDivide{}, std::forward<A>(a), std::forward<B>(b));
}
template <class D>
on_device<D> floor_divide(const on_device<D>&, typename tensors_live_on_different_devices<D>::template fix_call_dot_to<D>);
template <class T, class D>
placed<T, D> floor_divide(const placed<T, D>&, typename element_types_differ<T, D>::template fix_call_cast<T>);

/// The remainder with the sign of the divisor: what `%` computes.
template <class A, class B>
  requires OperandsOf<functional::Remainder, A, B>
[[nodiscard]] map_t<functional::Remainder, A, B> remainder(A&& a, B&& b) {
  return detail::make_map(functional::Remainder{}, std::forward<A>(a), std::forward<B>(b));
}
template <class D>
on_device<D> remainder(const on_device<D>&, typename tensors_live_on_different_devices<D>::template fix_call_dot_to<D>);
template <class T, class D>
placed<T, D> remainder(const placed<T, D>&, typename element_types_differ<T, D>::template fix_call_cast<T>);

}  // namespace situ
