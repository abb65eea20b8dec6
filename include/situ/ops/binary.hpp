// SPDX-License-Identifier: Apache-2.0
// Element-wise functions of two operands, which broadcast; one of them may be a scalar. The guards beside them reject
// operands of different devices or element types, as for the operators.
#pragma once

#include <utility>

#include <situ/device/diagnostics.hpp>
#include <situ/expression/concept.hpp>
#include <situ/formula/functional/arithmetic.hpp>
#include <situ/formula/functional/exponential.hpp>
#include <situ/formula/functional/extrema.hpp>
#include <situ/formula/functional/integers.hpp>
#include <situ/formula/functional/trigonometric.hpp>

namespace situ {

/// `a` to the power `b`, with the special cases of C. Floats: exponents of -1, 1/2, 1, 2 and 3 are computed as what they
/// are, which is fast where all neighbors have the same. Integers: exact with overflow wrapping; a negative exponent gives
/// 0 unless the base is 1 or -1.
template <class A, class B>
  requires OperandsOf<internal::functional::Pow, A, B>
[[nodiscard]] lazy_until_eval_t<internal::functional::Pow, A, B> pow(A&& a, B&& b) {
  return internal::make_map(internal::functional::Pow{}, std::forward<A>(a), std::forward<B>(b));
}
template <Element T, Device D>
Tensor<T, D> pow(const placed<T, D>&, typename tensors_live_on_different_devices<D>::template fix_call_dot_to<D>);
template <Element T, Device D>
Tensor<T, D> pow(const placed<T, D>&, typename element_types_differ<T, D>::template fix_call_cast<T>);
template <Element T, Device D>
Tensor<T, D> pow(const placed<T, D>&, typename internal::wrong_operand<internal::functional::Pow, T, D>::on_the_right);
template <Element T, Device D>
Tensor<T, D> pow(typename internal::wrong_operand<internal::functional::Pow, T, D>::on_the_left, const placed<T, D>&);

/// The angle of the point (x, y) = (b, a), in [-pi, pi].
template <class A, class B>
  requires OperandsOf<internal::functional::Atan2, A, B>
[[nodiscard]] lazy_until_eval_t<internal::functional::Atan2, A, B> atan2(A&& a, B&& b) {
  return internal::make_map(internal::functional::Atan2{}, std::forward<A>(a), std::forward<B>(b));
}
template <Element T, Device D>
Tensor<T, D> atan2(const placed<T, D>&, typename tensors_live_on_different_devices<D>::template fix_call_dot_to<D>);
template <Element T, Device D>
Tensor<T, D> atan2(const placed<T, D>&, typename element_types_differ<T, D>::template fix_call_cast<T>);
template <Element T, Device D>
Tensor<T, D> atan2(const placed<T, D>&,
                   typename internal::wrong_operand<internal::functional::Atan2, T, D>::on_the_right);
template <Element T, Device D>
Tensor<T, D> atan2(typename internal::wrong_operand<internal::functional::Atan2, T, D>::on_the_left,
                   const placed<T, D>&);

/// The smaller operand; NaN if either is NaN, as NumPy.
template <class A, class B>
  requires OperandsOf<internal::functional::Minimum, A, B>
[[nodiscard]] lazy_until_eval_t<internal::functional::Minimum, A, B> minimum(A&& a, B&& b) {
  return internal::make_map(internal::functional::Minimum{}, std::forward<A>(a), std::forward<B>(b));
}
template <Element T, Device D>
Tensor<T, D> minimum(const placed<T, D>&, typename tensors_live_on_different_devices<D>::template fix_call_dot_to<D>);
template <Element T, Device D>
Tensor<T, D> minimum(const placed<T, D>&, typename element_types_differ<T, D>::template fix_call_cast<T>);
template <Element T, Device D>
Tensor<T, D> minimum(const placed<T, D>&,
                     typename internal::wrong_operand<internal::functional::Minimum, T, D>::on_the_right);
template <Element T, Device D>
Tensor<T, D> minimum(typename internal::wrong_operand<internal::functional::Minimum, T, D>::on_the_left,
                     const placed<T, D>&);

/// The larger operand; NaN if either is NaN, as NumPy.
template <class A, class B>
  requires OperandsOf<internal::functional::Maximum, A, B>
[[nodiscard]] lazy_until_eval_t<internal::functional::Maximum, A, B> maximum(A&& a, B&& b) {
  return internal::make_map(internal::functional::Maximum{}, std::forward<A>(a), std::forward<B>(b));
}
template <Element T, Device D>
Tensor<T, D> maximum(const placed<T, D>&, typename tensors_live_on_different_devices<D>::template fix_call_dot_to<D>);
template <Element T, Device D>
Tensor<T, D> maximum(const placed<T, D>&, typename element_types_differ<T, D>::template fix_call_cast<T>);
template <Element T, Device D>
Tensor<T, D> maximum(const placed<T, D>&,
                     typename internal::wrong_operand<internal::functional::Maximum, T, D>::on_the_right);
template <Element T, Device D>
Tensor<T, D> maximum(typename internal::wrong_operand<internal::functional::Maximum, T, D>::on_the_left,
                     const placed<T, D>&);

/// `sqrt(a^2 + b^2)` without overflow.
template <class A, class B>
  requires OperandsOf<internal::functional::Hypot, A, B>
[[nodiscard]] lazy_until_eval_t<internal::functional::Hypot, A, B> hypot(A&& a, B&& b) {
  return internal::make_map(internal::functional::Hypot{}, std::forward<A>(a), std::forward<B>(b));
}
template <Element T, Device D>
Tensor<T, D> hypot(const placed<T, D>&, typename tensors_live_on_different_devices<D>::template fix_call_dot_to<D>);
template <Element T, Device D>
Tensor<T, D> hypot(const placed<T, D>&, typename element_types_differ<T, D>::template fix_call_cast<T>);
template <Element T, Device D>
Tensor<T, D> hypot(const placed<T, D>&,
                   typename internal::wrong_operand<internal::functional::Hypot, T, D>::on_the_right);
template <Element T, Device D>
Tensor<T, D> hypot(typename internal::wrong_operand<internal::functional::Hypot, T, D>::on_the_left,
                   const placed<T, D>&);

/// The remainder of `a / b` with the sign of `a`, exact; of integers and 0 it is 0.
template <class A, class B>
  requires OperandsOf<internal::functional::Fmod, A, B>
[[nodiscard]] lazy_until_eval_t<internal::functional::Fmod, A, B> fmod(A&& a, B&& b) {
  return internal::make_map(internal::functional::Fmod{}, std::forward<A>(a), std::forward<B>(b));
}
template <Element T, Device D>
Tensor<T, D> fmod(const placed<T, D>&, typename tensors_live_on_different_devices<D>::template fix_call_dot_to<D>);
template <Element T, Device D>
Tensor<T, D> fmod(const placed<T, D>&, typename element_types_differ<T, D>::template fix_call_cast<T>);
template <Element T, Device D>
Tensor<T, D> fmod(const placed<T, D>&,
                  typename internal::wrong_operand<internal::functional::Fmod, T, D>::on_the_right);
template <Element T, Device D>
Tensor<T, D> fmod(typename internal::wrong_operand<internal::functional::Fmod, T, D>::on_the_left, const placed<T, D>&);

/// The quotient rounded down. Integer division by zero gives 0.
template <class A, class B>
  requires OperandsOf<internal::functional::FloorDivide, A, B>
[[nodiscard]] lazy_until_eval_t<internal::functional::FloorDivide, A, B> floor_divide(A&& a, B&& b) {
  return internal::make_map(internal::functional::FloorDivide{}, std::forward<A>(a), std::forward<B>(b));
}
template <Element T, Device D>
Tensor<T, D> floor_divide(const placed<T, D>&,
                          typename tensors_live_on_different_devices<D>::template fix_call_dot_to<D>);
template <Element T, Device D>
Tensor<T, D> floor_divide(const placed<T, D>&, typename element_types_differ<T, D>::template fix_call_cast<T>);
template <Element T, Device D>
Tensor<T, D> floor_divide(const placed<T, D>&,
                          typename internal::wrong_operand<internal::functional::FloorDivide, T, D>::on_the_right);
template <Element T, Device D>
Tensor<T, D> floor_divide(typename internal::wrong_operand<internal::functional::FloorDivide, T, D>::on_the_left,
                          const placed<T, D>&);

/// The quotient of integers rounded towards zero, as `/` of C++; 0 for a division by zero. (Of floats it is
/// `trunc(a / b)`.)
template <class A, class B>
  requires OperandsOf<internal::functional::TruncDivide, A, B>
[[nodiscard]] lazy_until_eval_t<internal::functional::TruncDivide, A, B> trunc_divide(A&& a, B&& b) {
  return internal::make_map(internal::functional::TruncDivide{}, std::forward<A>(a), std::forward<B>(b));
}
template <Element T, Device D>
Tensor<T, D> trunc_divide(const placed<T, D>&,
                          typename tensors_live_on_different_devices<D>::template fix_call_dot_to<D>);
template <Element T, Device D>
Tensor<T, D> trunc_divide(const placed<T, D>&, typename element_types_differ<T, D>::template fix_call_cast<T>);
template <Element T, Device D>
Tensor<T, D> trunc_divide(const placed<T, D>&,
                          typename internal::wrong_operand<internal::functional::TruncDivide, T, D>::on_the_right);
template <Element T, Device D>
Tensor<T, D> trunc_divide(typename internal::wrong_operand<internal::functional::TruncDivide, T, D>::on_the_left,
                          const placed<T, D>&);

/// The remainder with the sign of the divisor: what `%` computes.
template <class A, class B>
  requires OperandsOf<internal::functional::Remainder, A, B>
[[nodiscard]] lazy_until_eval_t<internal::functional::Remainder, A, B> remainder(A&& a, B&& b) {
  return internal::make_map(internal::functional::Remainder{}, std::forward<A>(a), std::forward<B>(b));
}
template <Element T, Device D>
Tensor<T, D> remainder(const placed<T, D>&, typename tensors_live_on_different_devices<D>::template fix_call_dot_to<D>);
template <Element T, Device D>
Tensor<T, D> remainder(const placed<T, D>&, typename element_types_differ<T, D>::template fix_call_cast<T>);
template <Element T, Device D>
Tensor<T, D> remainder(const placed<T, D>&,
                       typename internal::wrong_operand<internal::functional::Remainder, T, D>::on_the_right);
template <Element T, Device D>
Tensor<T, D> remainder(typename internal::wrong_operand<internal::functional::Remainder, T, D>::on_the_left,
                       const placed<T, D>&);

}  // namespace situ
