// SPDX-License-Identifier: Apache-2.0
// The element-wise functions of two operands, of which one may be a number; see ops/binary.hpp for what each computes.
// The guards are as in arithmetic.hpp.
#pragma once

#include <situ/distributed/diagnostics.hpp>
#include <situ/distributed/guards.hpp>
#include <situ/distributed/map_elements.hpp>
#include <situ/formula/functional/arithmetic.hpp>
#include <situ/formula/functional/exponential.hpp>
#include <situ/formula/functional/integers.hpp>
#include <situ/formula/functional/trigonometric.hpp>

namespace situ {

template <class A, class B>
  requires internal::SpreadOperandsOf<internal::functional::Pow, A, B>
[[nodiscard]] auto pow(const A& a, const B& b) {
  return internal::map_elements(internal::functional::Pow{}, a, b);
}
template <class T, class L, class M>
never_made pow(const spread_over<T, L, M>&,
               typename the_operands_do_not_fit<internal::functional::Pow, spread_over<T, L, M>>::see_Reason);
template <class T, class L, class M>
never_made pow(typename the_left_operand_does_not_fit<internal::functional::Pow, spread_over<T, L, M>>::see_Reason,
               const spread_over<T, L, M>&);

template <class A, class B>
  requires internal::SpreadOperandsOf<internal::functional::Atan2, A, B>
[[nodiscard]] auto atan2(const A& a, const B& b) {
  return internal::map_elements(internal::functional::Atan2{}, a, b);
}
template <class T, class L, class M>
never_made atan2(const spread_over<T, L, M>&,
                 typename the_operands_do_not_fit<internal::functional::Atan2, spread_over<T, L, M>>::see_Reason);
template <class T, class L, class M>
never_made atan2(typename the_left_operand_does_not_fit<internal::functional::Atan2, spread_over<T, L, M>>::see_Reason,
                 const spread_over<T, L, M>&);

template <class A, class B>
  requires internal::SpreadOperandsOf<internal::functional::Minimum, A, B>
[[nodiscard]] auto minimum(const A& a, const B& b) {
  return internal::map_elements(internal::functional::Minimum{}, a, b);
}
template <class T, class L, class M>
never_made minimum(const spread_over<T, L, M>&,
                   typename the_operands_do_not_fit<internal::functional::Minimum, spread_over<T, L, M>>::see_Reason);
template <class T, class L, class M>
never_made minimum(
    typename the_left_operand_does_not_fit<internal::functional::Minimum, spread_over<T, L, M>>::see_Reason,
    const spread_over<T, L, M>&);

template <class A, class B>
  requires internal::SpreadOperandsOf<internal::functional::Maximum, A, B>
[[nodiscard]] auto maximum(const A& a, const B& b) {
  return internal::map_elements(internal::functional::Maximum{}, a, b);
}
template <class T, class L, class M>
never_made maximum(const spread_over<T, L, M>&,
                   typename the_operands_do_not_fit<internal::functional::Maximum, spread_over<T, L, M>>::see_Reason);
template <class T, class L, class M>
never_made maximum(
    typename the_left_operand_does_not_fit<internal::functional::Maximum, spread_over<T, L, M>>::see_Reason,
    const spread_over<T, L, M>&);

template <class A, class B>
  requires internal::SpreadOperandsOf<internal::functional::Hypot, A, B>
[[nodiscard]] auto hypot(const A& a, const B& b) {
  return internal::map_elements(internal::functional::Hypot{}, a, b);
}
template <class T, class L, class M>
never_made hypot(const spread_over<T, L, M>&,
                 typename the_operands_do_not_fit<internal::functional::Hypot, spread_over<T, L, M>>::see_Reason);
template <class T, class L, class M>
never_made hypot(typename the_left_operand_does_not_fit<internal::functional::Hypot, spread_over<T, L, M>>::see_Reason,
                 const spread_over<T, L, M>&);

template <class A, class B>
  requires internal::SpreadOperandsOf<internal::functional::Fmod, A, B>
[[nodiscard]] auto fmod(const A& a, const B& b) {
  return internal::map_elements(internal::functional::Fmod{}, a, b);
}
template <class T, class L, class M>
never_made fmod(const spread_over<T, L, M>&,
                typename the_operands_do_not_fit<internal::functional::Fmod, spread_over<T, L, M>>::see_Reason);
template <class T, class L, class M>
never_made fmod(typename the_left_operand_does_not_fit<internal::functional::Fmod, spread_over<T, L, M>>::see_Reason,
                const spread_over<T, L, M>&);

template <class A, class B>
  requires internal::SpreadOperandsOf<internal::functional::FloorDivide, A, B>
[[nodiscard]] auto floor_divide(const A& a, const B& b) {
  return internal::map_elements(internal::functional::FloorDivide{}, a, b);
}
template <class T, class L, class M>
never_made floor_divide(
    const spread_over<T, L, M>&,
    typename the_operands_do_not_fit<internal::functional::FloorDivide, spread_over<T, L, M>>::see_Reason);
template <class T, class L, class M>
never_made floor_divide(
    typename the_left_operand_does_not_fit<internal::functional::FloorDivide, spread_over<T, L, M>>::see_Reason,
    const spread_over<T, L, M>&);

template <class A, class B>
  requires internal::SpreadOperandsOf<internal::functional::TruncDivide, A, B>
[[nodiscard]] auto trunc_divide(const A& a, const B& b) {
  return internal::map_elements(internal::functional::TruncDivide{}, a, b);
}
template <class T, class L, class M>
never_made trunc_divide(
    const spread_over<T, L, M>&,
    typename the_operands_do_not_fit<internal::functional::TruncDivide, spread_over<T, L, M>>::see_Reason);
template <class T, class L, class M>
never_made trunc_divide(
    typename the_left_operand_does_not_fit<internal::functional::TruncDivide, spread_over<T, L, M>>::see_Reason,
    const spread_over<T, L, M>&);

template <class A, class B>
  requires internal::SpreadOperandsOf<internal::functional::Remainder, A, B>
[[nodiscard]] auto remainder(const A& a, const B& b) {
  return internal::map_elements(internal::functional::Remainder{}, a, b);
}
template <class T, class L, class M>
never_made remainder(
    const spread_over<T, L, M>&,
    typename the_operands_do_not_fit<internal::functional::Remainder, spread_over<T, L, M>>::see_Reason);
template <class T, class L, class M>
never_made remainder(
    typename the_left_operand_does_not_fit<internal::functional::Remainder, spread_over<T, L, M>>::see_Reason,
    const spread_over<T, L, M>&);

}  // namespace situ
