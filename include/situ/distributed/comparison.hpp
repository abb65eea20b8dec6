// SPDX-License-Identifier: Apache-2.0
// The comparisons of spread values: lazy, of `bool`. A `Partial` has none. The guards are as in arithmetic.hpp; those
// of `==` and `!=` stand in `spread_over`, because C++20 also tries these operators with the operands exchanged.
#pragma once

#include <situ/distributed/diagnostics.hpp>
#include <situ/distributed/guards.hpp>
#include <situ/distributed/map_elements.hpp>
#include <situ/formula/functional/compare.hpp>

namespace situ {

template <class L, class R>
  requires internal::SpreadOperandsOf<internal::functional::Less, L, R>
[[nodiscard]] auto operator<(const L& left, const R& right) {
  return internal::map_elements(internal::functional::Less{}, left, right);
}
template <class T, class L, class M>
never_made operator<(const spread_over<T, L, M>&,
                     typename the_operands_do_not_fit<internal::functional::Less, spread_over<T, L, M>>::see_Reason);
template <class T, class L, class M>
never_made operator<(
    typename the_left_operand_does_not_fit<internal::functional::Less, spread_over<T, L, M>>::see_Reason,
    const spread_over<T, L, M>&);

template <class L, class R>
  requires internal::SpreadOperandsOf<internal::functional::LessEqual, L, R>
[[nodiscard]] auto operator<=(const L& left, const R& right) {
  return internal::map_elements(internal::functional::LessEqual{}, left, right);
}
template <class T, class L, class M>
never_made operator<=(
    const spread_over<T, L, M>&,
    typename the_operands_do_not_fit<internal::functional::LessEqual, spread_over<T, L, M>>::see_Reason);
template <class T, class L, class M>
never_made operator<=(
    typename the_left_operand_does_not_fit<internal::functional::LessEqual, spread_over<T, L, M>>::see_Reason,
    const spread_over<T, L, M>&);

template <class L, class R>
  requires internal::SpreadOperandsOf<internal::functional::Greater, L, R>
[[nodiscard]] auto operator>(const L& left, const R& right) {
  return internal::map_elements(internal::functional::Greater{}, left, right);
}
template <class T, class L, class M>
never_made operator>(const spread_over<T, L, M>&,
                     typename the_operands_do_not_fit<internal::functional::Greater, spread_over<T, L, M>>::see_Reason);
template <class T, class L, class M>
never_made operator>(
    typename the_left_operand_does_not_fit<internal::functional::Greater, spread_over<T, L, M>>::see_Reason,
    const spread_over<T, L, M>&);

template <class L, class R>
  requires internal::SpreadOperandsOf<internal::functional::GreaterEqual, L, R>
[[nodiscard]] auto operator>=(const L& left, const R& right) {
  return internal::map_elements(internal::functional::GreaterEqual{}, left, right);
}
template <class T, class L, class M>
never_made operator>=(
    const spread_over<T, L, M>&,
    typename the_operands_do_not_fit<internal::functional::GreaterEqual, spread_over<T, L, M>>::see_Reason);
template <class T, class L, class M>
never_made operator>=(
    typename the_left_operand_does_not_fit<internal::functional::GreaterEqual, spread_over<T, L, M>>::see_Reason,
    const spread_over<T, L, M>&);

template <class L, class R>
  requires internal::SpreadOperandsOf<internal::functional::Equal, L, R>
[[nodiscard]] auto operator==(const L& left, const R& right) {
  return internal::map_elements(internal::functional::Equal{}, left, right);
}

template <class L, class R>
  requires internal::SpreadOperandsOf<internal::functional::NotEqual, L, R>
[[nodiscard]] auto operator!=(const L& left, const R& right) {
  return internal::map_elements(internal::functional::NotEqual{}, left, right);
}

}  // namespace situ
