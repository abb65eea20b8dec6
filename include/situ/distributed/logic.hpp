// SPDX-License-Identifier: Apache-2.0
// The logical and bitwise operators of spread values: lazy. The guards are as in arithmetic.hpp.
#pragma once

#include <situ/distributed/diagnostics.hpp>
#include <situ/distributed/guards.hpp>
#include <situ/distributed/map_elements.hpp>
#include <situ/formula/functional/integers.hpp>
#include <situ/formula/functional/logical.hpp>

namespace situ {

template <class L, class R>
  requires internal::SpreadOperandsOf<internal::functional::BitAnd, L, R>
[[nodiscard]] auto operator&(const L& left, const R& right) {
  return internal::map_elements(internal::functional::BitAnd{}, left, right);
}
template <class T, class L, class M>
never_made operator&(const spread_over<T, L, M>&,
                     typename the_operands_do_not_fit<internal::functional::BitAnd, spread_over<T, L, M>>::see_Reason);
template <class T, class L, class M>
never_made operator&(
    typename the_left_operand_does_not_fit<internal::functional::BitAnd, spread_over<T, L, M>>::see_Reason,
    const spread_over<T, L, M>&);

template <class L, class R>
  requires internal::SpreadOperandsOf<internal::functional::BitOr, L, R>
[[nodiscard]] auto operator|(const L& left, const R& right) {
  return internal::map_elements(internal::functional::BitOr{}, left, right);
}
template <class T, class L, class M>
never_made operator|(const spread_over<T, L, M>&,
                     typename the_operands_do_not_fit<internal::functional::BitOr, spread_over<T, L, M>>::see_Reason);
template <class T, class L, class M>
never_made operator|(
    typename the_left_operand_does_not_fit<internal::functional::BitOr, spread_over<T, L, M>>::see_Reason,
    const spread_over<T, L, M>&);

template <class L, class R>
  requires internal::SpreadOperandsOf<internal::functional::BitXor, L, R>
[[nodiscard]] auto operator^(const L& left, const R& right) {
  return internal::map_elements(internal::functional::BitXor{}, left, right);
}
template <class T, class L, class M>
never_made operator^(const spread_over<T, L, M>&,
                     typename the_operands_do_not_fit<internal::functional::BitXor, spread_over<T, L, M>>::see_Reason);
template <class T, class L, class M>
never_made operator^(
    typename the_left_operand_does_not_fit<internal::functional::BitXor, spread_over<T, L, M>>::see_Reason,
    const spread_over<T, L, M>&);

template <class L, class R>
  requires internal::SpreadOperandsOf<internal::functional::LeftShift, L, R>
[[nodiscard]] auto operator<<(const L& left, const R& right) {
  return internal::map_elements(internal::functional::LeftShift{}, left, right);
}
template <class T, class L, class M>
never_made operator<<(
    const spread_over<T, L, M>&,
    typename the_operands_do_not_fit<internal::functional::LeftShift, spread_over<T, L, M>>::see_Reason);

template <class L, class R>
  requires internal::SpreadOperandsOf<internal::functional::RightShift, L, R>
[[nodiscard]] auto operator>>(const L& left, const R& right) {
  return internal::map_elements(internal::functional::RightShift{}, left, right);
}
template <class T, class L, class M>
never_made operator>>(
    const spread_over<T, L, M>&,
    typename the_operands_do_not_fit<internal::functional::RightShift, spread_over<T, L, M>>::see_Reason);

template <class L, class R>
  requires internal::SpreadOperandsOf<internal::functional::LogicalAnd, L, R>
[[nodiscard]] auto operator&&(const L& left, const R& right) {
  return internal::map_elements(internal::functional::LogicalAnd{}, left, right);
}
template <class T, class L, class M>
never_made operator&&(
    const spread_over<T, L, M>&,
    typename the_operands_do_not_fit<internal::functional::LogicalAnd, spread_over<T, L, M>>::see_Reason);
template <class T, class L, class M>
never_made operator&&(
    typename the_left_operand_does_not_fit<internal::functional::LogicalAnd, spread_over<T, L, M>>::see_Reason,
    const spread_over<T, L, M>&);

template <class L, class R>
  requires internal::SpreadOperandsOf<internal::functional::LogicalOr, L, R>
[[nodiscard]] auto operator||(const L& left, const R& right) {
  return internal::map_elements(internal::functional::LogicalOr{}, left, right);
}
template <class T, class L, class M>
never_made operator||(
    const spread_over<T, L, M>&,
    typename the_operands_do_not_fit<internal::functional::LogicalOr, spread_over<T, L, M>>::see_Reason);
template <class T, class L, class M>
never_made operator||(
    typename the_left_operand_does_not_fit<internal::functional::LogicalOr, spread_over<T, L, M>>::see_Reason,
    const spread_over<T, L, M>&);

template <internal::SpreadOperandOf<internal::functional::LogicalNot> X>
[[nodiscard]] auto operator!(const X& x) {
  return internal::map_elements(internal::functional::LogicalNot{}, x);
}
never_made operator!(a_partial_sum_is_not_a_value::fix_call_all_reduce);

template <internal::SpreadOperandOf<internal::functional::BitNot> X>
[[nodiscard]] auto operator~(const X& x) {
  return internal::map_elements(internal::functional::BitNot{}, x);
}
never_made operator~(a_partial_sum_is_not_a_value::fix_call_all_reduce);

}  // namespace situ
