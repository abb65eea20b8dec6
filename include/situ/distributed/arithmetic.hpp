// SPDX-License-Identifier: Apache-2.0
// The arithmetic operators of spread values: lazy, by the algebra of layouts (algebra.hpp). Of a `Partial<sum>` there
// are those that are linear. The guards beside each are chosen by what does not fit, see guards.hpp.
#pragma once

#include <situ/distributed/diagnostics.hpp>
#include <situ/distributed/guards.hpp>
#include <situ/distributed/map_elements.hpp>
#include <situ/formula/functional/arithmetic.hpp>

namespace situ {

template <class L, class R>
  requires internal::SpreadOperandsOf<internal::functional::Add, L, R>
[[nodiscard]] auto operator+(const L& left, const R& right) {
  return internal::map_elements(internal::functional::Add{}, left, right);
}
template <class T, class L, class M>
never_made operator+(const spread_over<T, L, M>&,
                     typename the_operands_do_not_fit<internal::functional::Add, spread_over<T, L, M>>::see_Reason);
template <class T, class L, class M>
never_made operator+(
    typename the_left_operand_does_not_fit<internal::functional::Add, spread_over<T, L, M>>::see_Reason,
    const spread_over<T, L, M>&);

template <class L, class R>
  requires internal::SpreadOperandsOf<internal::functional::Subtract, L, R>
[[nodiscard]] auto operator-(const L& left, const R& right) {
  return internal::map_elements(internal::functional::Subtract{}, left, right);
}
template <class T, class L, class M>
never_made operator-(
    const spread_over<T, L, M>&,
    typename the_operands_do_not_fit<internal::functional::Subtract, spread_over<T, L, M>>::see_Reason);
template <class T, class L, class M>
never_made operator-(
    typename the_left_operand_does_not_fit<internal::functional::Subtract, spread_over<T, L, M>>::see_Reason,
    const spread_over<T, L, M>&);

template <class L, class R>
  requires internal::SpreadOperandsOf<internal::functional::Multiply, L, R>
[[nodiscard]] auto operator*(const L& left, const R& right) {
  return internal::map_elements(internal::functional::Multiply{}, left, right);
}
template <class T, class L, class M>
never_made operator*(
    const spread_over<T, L, M>&,
    typename the_operands_do_not_fit<internal::functional::Multiply, spread_over<T, L, M>>::see_Reason);
template <class T, class L, class M>
never_made operator*(
    typename the_left_operand_does_not_fit<internal::functional::Multiply, spread_over<T, L, M>>::see_Reason,
    const spread_over<T, L, M>&);

template <class L, class R>
  requires internal::SpreadOperandsOf<internal::functional::Divide, L, R>
[[nodiscard]] auto operator/(const L& left, const R& right) {
  return internal::map_elements(internal::functional::Divide{}, left, right);
}
template <class T, class L, class M>
never_made operator/(const spread_over<T, L, M>&,
                     typename the_operands_do_not_fit<internal::functional::Divide, spread_over<T, L, M>>::see_Reason);
template <class T, class L, class M>
never_made operator/(
    typename the_left_operand_does_not_fit<internal::functional::Divide, spread_over<T, L, M>>::see_Reason,
    const spread_over<T, L, M>&);

template <class L, class R>
  requires internal::SpreadOperandsOf<internal::functional::Remainder, L, R>
[[nodiscard]] auto operator%(const L& left, const R& right) {
  return internal::map_elements(internal::functional::Remainder{}, left, right);
}
template <class T, class L, class M>
never_made operator%(
    const spread_over<T, L, M>&,
    typename the_operands_do_not_fit<internal::functional::Remainder, spread_over<T, L, M>>::see_Reason);
template <class T, class L, class M>
never_made operator%(
    typename the_left_operand_does_not_fit<internal::functional::Remainder, spread_over<T, L, M>>::see_Reason,
    const spread_over<T, L, M>&);

template <internal::SpreadOperandOf<internal::functional::Negate> X>
[[nodiscard]] auto operator-(const X& x) {
  return internal::map_elements(internal::functional::Negate{}, x);
}
never_made operator-(a_partial_sum_is_not_a_value::fix_call_all_reduce);

/// The value itself, as NumPy's unary plus.
template <SpreadLike X>
[[nodiscard]] X operator+(const X& x) {
  return x;
}

}  // namespace situ
