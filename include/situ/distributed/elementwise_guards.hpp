// SPDX-License-Identifier: Apache-2.0
// Compile errors for spread operands that an element-wise function does not accept, with a guard for each mistake (see
// diagnostics.hpp). The functions themselves are in ops/ and expression/, and take spread values through
// elementwise.hpp. The guards of `==` and `!=` are in `spread_over`.
#pragma once

#include <situ/distributed/diagnostics.hpp>
#include <situ/distributed/guards.hpp>
#include <situ/formula/functional/arithmetic.hpp>
#include <situ/formula/functional/compare.hpp>
#include <situ/formula/functional/exponential.hpp>
#include <situ/formula/functional/extrema.hpp>
#include <situ/formula/functional/integers.hpp>
#include <situ/formula/functional/logical.hpp>
#include <situ/formula/functional/trigonometric.hpp>

namespace situ {

// One operand: a `Partial`. Of these functions only negation is linear, for a sum.
never_made abs(a_partial_sum_is_not_a_value::fix_call_all_reduce);
never_made sign(a_partial_sum_is_not_a_value::fix_call_all_reduce);
never_made square(a_partial_sum_is_not_a_value::fix_call_all_reduce);
never_made sqrt(a_partial_sum_is_not_a_value::fix_call_all_reduce);
never_made rsqrt(a_partial_sum_is_not_a_value::fix_call_all_reduce);
never_made exp(a_partial_sum_is_not_a_value::fix_call_all_reduce);
never_made expm1(a_partial_sum_is_not_a_value::fix_call_all_reduce);
never_made exp2(a_partial_sum_is_not_a_value::fix_call_all_reduce);
never_made log(a_partial_sum_is_not_a_value::fix_call_all_reduce);
never_made log1p(a_partial_sum_is_not_a_value::fix_call_all_reduce);
never_made log2(a_partial_sum_is_not_a_value::fix_call_all_reduce);
never_made log10(a_partial_sum_is_not_a_value::fix_call_all_reduce);
never_made sin(a_partial_sum_is_not_a_value::fix_call_all_reduce);
never_made cos(a_partial_sum_is_not_a_value::fix_call_all_reduce);
never_made tan(a_partial_sum_is_not_a_value::fix_call_all_reduce);
never_made asin(a_partial_sum_is_not_a_value::fix_call_all_reduce);
never_made acos(a_partial_sum_is_not_a_value::fix_call_all_reduce);
never_made atan(a_partial_sum_is_not_a_value::fix_call_all_reduce);
never_made sinh(a_partial_sum_is_not_a_value::fix_call_all_reduce);
never_made cosh(a_partial_sum_is_not_a_value::fix_call_all_reduce);
never_made tanh(a_partial_sum_is_not_a_value::fix_call_all_reduce);
never_made asinh(a_partial_sum_is_not_a_value::fix_call_all_reduce);
never_made acosh(a_partial_sum_is_not_a_value::fix_call_all_reduce);
never_made atanh(a_partial_sum_is_not_a_value::fix_call_all_reduce);
never_made erf(a_partial_sum_is_not_a_value::fix_call_all_reduce);
never_made floor(a_partial_sum_is_not_a_value::fix_call_all_reduce);
never_made ceil(a_partial_sum_is_not_a_value::fix_call_all_reduce);
never_made round(a_partial_sum_is_not_a_value::fix_call_all_reduce);
never_made trunc(a_partial_sum_is_not_a_value::fix_call_all_reduce);
never_made isnan(a_partial_sum_is_not_a_value::fix_call_all_reduce);
never_made isinf(a_partial_sum_is_not_a_value::fix_call_all_reduce);
never_made isfinite(a_partial_sum_is_not_a_value::fix_call_all_reduce);
never_made sigmoid(a_partial_sum_is_not_a_value::fix_call_all_reduce);
never_made relu(a_partial_sum_is_not_a_value::fix_call_all_reduce);
never_made selu(a_partial_sum_is_not_a_value::fix_call_all_reduce);
never_made gelu(a_partial_sum_is_not_a_value::fix_call_all_reduce);
never_made gelu_tanh(a_partial_sum_is_not_a_value::fix_call_all_reduce);
never_made silu(a_partial_sum_is_not_a_value::fix_call_all_reduce);
never_made softplus(a_partial_sum_is_not_a_value::fix_call_all_reduce);
never_made leaky_relu(a_partial_sum_is_not_a_value::fix_call_all_reduce, double = 0);
never_made elu(a_partial_sum_is_not_a_value::fix_call_all_reduce, double = 0);
never_made celu(a_partial_sum_is_not_a_value::fix_call_all_reduce, double = 0);
never_made hardsigmoid(a_partial_sum_is_not_a_value::fix_call_all_reduce);
never_made hardswish(a_partial_sum_is_not_a_value::fix_call_all_reduce);
never_made hardtanh(a_partial_sum_is_not_a_value::fix_call_all_reduce, double = 0, double = 0);
never_made mish(a_partial_sum_is_not_a_value::fix_call_all_reduce);
never_made softsign(a_partial_sum_is_not_a_value::fix_call_all_reduce);
never_made operator-(a_partial_sum_is_not_a_value::fix_call_all_reduce);
never_made operator!(a_partial_sum_is_not_a_value::fix_call_all_reduce);
never_made operator~(a_partial_sum_is_not_a_value::fix_call_all_reduce);

// Two operands; the reasons are in guards.hpp.
template <class T, class L, class M>
never_made operator+(const spread_over<T, L, M>&,
                     typename the_operands_do_not_fit<internal::functional::Add, spread_over<T, L, M>>::see_Reason);
template <class T, class L, class M>
never_made operator+(
    typename the_left_operand_does_not_fit<internal::functional::Add, spread_over<T, L, M>>::see_Reason,
    const spread_over<T, L, M>&);

template <class T, class L, class M>
never_made operator-(
    const spread_over<T, L, M>&,
    typename the_operands_do_not_fit<internal::functional::Subtract, spread_over<T, L, M>>::see_Reason);
template <class T, class L, class M>
never_made operator-(
    typename the_left_operand_does_not_fit<internal::functional::Subtract, spread_over<T, L, M>>::see_Reason,
    const spread_over<T, L, M>&);

template <class T, class L, class M>
never_made operator*(
    const spread_over<T, L, M>&,
    typename the_operands_do_not_fit<internal::functional::Multiply, spread_over<T, L, M>>::see_Reason);
template <class T, class L, class M>
never_made operator*(
    typename the_left_operand_does_not_fit<internal::functional::Multiply, spread_over<T, L, M>>::see_Reason,
    const spread_over<T, L, M>&);

template <class T, class L, class M>
never_made operator/(const spread_over<T, L, M>&,
                     typename the_operands_do_not_fit<internal::functional::Divide, spread_over<T, L, M>>::see_Reason);
template <class T, class L, class M>
never_made operator/(
    typename the_left_operand_does_not_fit<internal::functional::Divide, spread_over<T, L, M>>::see_Reason,
    const spread_over<T, L, M>&);

template <class T, class L, class M>
never_made operator%(
    const spread_over<T, L, M>&,
    typename the_operands_do_not_fit<internal::functional::Remainder, spread_over<T, L, M>>::see_Reason);
template <class T, class L, class M>
never_made operator%(
    typename the_left_operand_does_not_fit<internal::functional::Remainder, spread_over<T, L, M>>::see_Reason,
    const spread_over<T, L, M>&);

template <class T, class L, class M>
never_made operator<(const spread_over<T, L, M>&,
                     typename the_operands_do_not_fit<internal::functional::Less, spread_over<T, L, M>>::see_Reason);
template <class T, class L, class M>
never_made operator<(
    typename the_left_operand_does_not_fit<internal::functional::Less, spread_over<T, L, M>>::see_Reason,
    const spread_over<T, L, M>&);

template <class T, class L, class M>
never_made operator<=(
    const spread_over<T, L, M>&,
    typename the_operands_do_not_fit<internal::functional::LessEqual, spread_over<T, L, M>>::see_Reason);
template <class T, class L, class M>
never_made operator<=(
    typename the_left_operand_does_not_fit<internal::functional::LessEqual, spread_over<T, L, M>>::see_Reason,
    const spread_over<T, L, M>&);

template <class T, class L, class M>
never_made operator>(const spread_over<T, L, M>&,
                     typename the_operands_do_not_fit<internal::functional::Greater, spread_over<T, L, M>>::see_Reason);
template <class T, class L, class M>
never_made operator>(
    typename the_left_operand_does_not_fit<internal::functional::Greater, spread_over<T, L, M>>::see_Reason,
    const spread_over<T, L, M>&);

template <class T, class L, class M>
never_made operator>=(
    const spread_over<T, L, M>&,
    typename the_operands_do_not_fit<internal::functional::GreaterEqual, spread_over<T, L, M>>::see_Reason);
template <class T, class L, class M>
never_made operator>=(
    typename the_left_operand_does_not_fit<internal::functional::GreaterEqual, spread_over<T, L, M>>::see_Reason,
    const spread_over<T, L, M>&);

template <class T, class L, class M>
never_made operator&(const spread_over<T, L, M>&,
                     typename the_operands_do_not_fit<internal::functional::BitAnd, spread_over<T, L, M>>::see_Reason);
template <class T, class L, class M>
never_made operator&(
    typename the_left_operand_does_not_fit<internal::functional::BitAnd, spread_over<T, L, M>>::see_Reason,
    const spread_over<T, L, M>&);

template <class T, class L, class M>
never_made operator|(const spread_over<T, L, M>&,
                     typename the_operands_do_not_fit<internal::functional::BitOr, spread_over<T, L, M>>::see_Reason);
template <class T, class L, class M>
never_made operator|(
    typename the_left_operand_does_not_fit<internal::functional::BitOr, spread_over<T, L, M>>::see_Reason,
    const spread_over<T, L, M>&);

template <class T, class L, class M>
never_made operator^(const spread_over<T, L, M>&,
                     typename the_operands_do_not_fit<internal::functional::BitXor, spread_over<T, L, M>>::see_Reason);
template <class T, class L, class M>
never_made operator^(
    typename the_left_operand_does_not_fit<internal::functional::BitXor, spread_over<T, L, M>>::see_Reason,
    const spread_over<T, L, M>&);

template <class T, class L, class M>
never_made operator<<(
    const spread_over<T, L, M>&,
    typename the_operands_do_not_fit<internal::functional::LeftShift, spread_over<T, L, M>>::see_Reason);

template <class T, class L, class M>
never_made operator>>(
    const spread_over<T, L, M>&,
    typename the_operands_do_not_fit<internal::functional::RightShift, spread_over<T, L, M>>::see_Reason);

template <class T, class L, class M>
never_made operator&&(
    const spread_over<T, L, M>&,
    typename the_operands_do_not_fit<internal::functional::LogicalAnd, spread_over<T, L, M>>::see_Reason);
template <class T, class L, class M>
never_made operator&&(
    typename the_left_operand_does_not_fit<internal::functional::LogicalAnd, spread_over<T, L, M>>::see_Reason,
    const spread_over<T, L, M>&);

template <class T, class L, class M>
never_made operator||(
    const spread_over<T, L, M>&,
    typename the_operands_do_not_fit<internal::functional::LogicalOr, spread_over<T, L, M>>::see_Reason);
template <class T, class L, class M>
never_made operator||(
    typename the_left_operand_does_not_fit<internal::functional::LogicalOr, spread_over<T, L, M>>::see_Reason,
    const spread_over<T, L, M>&);

template <class T, class L, class M>
never_made pow(const spread_over<T, L, M>&,
               typename the_operands_do_not_fit<internal::functional::Pow, spread_over<T, L, M>>::see_Reason);
template <class T, class L, class M>
never_made pow(typename the_left_operand_does_not_fit<internal::functional::Pow, spread_over<T, L, M>>::see_Reason,
               const spread_over<T, L, M>&);

template <class T, class L, class M>
never_made atan2(const spread_over<T, L, M>&,
                 typename the_operands_do_not_fit<internal::functional::Atan2, spread_over<T, L, M>>::see_Reason);
template <class T, class L, class M>
never_made atan2(typename the_left_operand_does_not_fit<internal::functional::Atan2, spread_over<T, L, M>>::see_Reason,
                 const spread_over<T, L, M>&);

template <class T, class L, class M>
never_made minimum(const spread_over<T, L, M>&,
                   typename the_operands_do_not_fit<internal::functional::Minimum, spread_over<T, L, M>>::see_Reason);
template <class T, class L, class M>
never_made minimum(
    typename the_left_operand_does_not_fit<internal::functional::Minimum, spread_over<T, L, M>>::see_Reason,
    const spread_over<T, L, M>&);

template <class T, class L, class M>
never_made maximum(const spread_over<T, L, M>&,
                   typename the_operands_do_not_fit<internal::functional::Maximum, spread_over<T, L, M>>::see_Reason);
template <class T, class L, class M>
never_made maximum(
    typename the_left_operand_does_not_fit<internal::functional::Maximum, spread_over<T, L, M>>::see_Reason,
    const spread_over<T, L, M>&);

template <class T, class L, class M>
never_made hypot(const spread_over<T, L, M>&,
                 typename the_operands_do_not_fit<internal::functional::Hypot, spread_over<T, L, M>>::see_Reason);
template <class T, class L, class M>
never_made hypot(typename the_left_operand_does_not_fit<internal::functional::Hypot, spread_over<T, L, M>>::see_Reason,
                 const spread_over<T, L, M>&);

template <class T, class L, class M>
never_made fmod(const spread_over<T, L, M>&,
                typename the_operands_do_not_fit<internal::functional::Fmod, spread_over<T, L, M>>::see_Reason);
template <class T, class L, class M>
never_made fmod(typename the_left_operand_does_not_fit<internal::functional::Fmod, spread_over<T, L, M>>::see_Reason,
                const spread_over<T, L, M>&);

template <class T, class L, class M>
never_made floor_divide(
    const spread_over<T, L, M>&,
    typename the_operands_do_not_fit<internal::functional::FloorDivide, spread_over<T, L, M>>::see_Reason);
template <class T, class L, class M>
never_made floor_divide(
    typename the_left_operand_does_not_fit<internal::functional::FloorDivide, spread_over<T, L, M>>::see_Reason,
    const spread_over<T, L, M>&);

template <class T, class L, class M>
never_made trunc_divide(
    const spread_over<T, L, M>&,
    typename the_operands_do_not_fit<internal::functional::TruncDivide, spread_over<T, L, M>>::see_Reason);
template <class T, class L, class M>
never_made trunc_divide(
    typename the_left_operand_does_not_fit<internal::functional::TruncDivide, spread_over<T, L, M>>::see_Reason,
    const spread_over<T, L, M>&);

template <class T, class L, class M>
never_made remainder(
    const spread_over<T, L, M>&,
    typename the_operands_do_not_fit<internal::functional::Remainder, spread_over<T, L, M>>::see_Reason);
template <class T, class L, class M>
never_made remainder(
    typename the_left_operand_does_not_fit<internal::functional::Remainder, spread_over<T, L, M>>::see_Reason,
    const spread_over<T, L, M>&);

}  // namespace situ
