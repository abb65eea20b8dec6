// SPDX-License-Identifier: Apache-2.0
// In-place arithmetic: `x += e` is `x = x + e` with the shape of `x`, for tensors and slots. One pass; the operand
// broadcasts to the shape of `x`, else `ShapeError`. The guards are as in `arithmetic.hpp`.
//
// For a variable too, and it is recorded: afterwards the variable is what was computed. Only beside what records
// gradients or a scalar: `w -= lr * gradients[w]` is meant to be a step, which is `update`.
//
//     p -= lr * g;
//     x.at(0, all) *= 2;
//     total += loss;
#pragma once

#include <string>
#include <type_traits>
#include <utility>

#include <situ/core/error.hpp>
#include <situ/device/diagnostics.hpp>
#include <situ/expression/concept.hpp>
#include <situ/expression/diagnostics.hpp>
#include <situ/expression/evaluate.hpp>
#include <situ/formula/functional/arithmetic.hpp>
#include <situ/tensor/diagnostics.hpp>

namespace situ {

namespace internal {

/// A variable with a name.
template <class X>
concept VariableTarget = TensorHolder<std::remove_reference_t<X>> && std::is_lvalue_reference_v<X>;
/// What can stand on the left: a tensor or a variable with a name, or a slot.
template <class X>
concept Updatable = TensorLike<X> && !std::is_const_v<std::remove_reference_t<X>> &&
                    ((TensorType<X> && std::is_lvalue_reference_v<X>) || VariableTarget<X> ||
                     requires(X& x) { x.owner(); });
/// Whether `Target` takes `R`: a variable what records gradients or a scalar, a tensor what records none.
template <class Target, class R>
concept Takes = (Recorded<Target> == Recorded<R>) || (Recorded<Target> && !TensorLike<R>);
/// A view or an expression that ends with the statement.
template <class X>
concept TemporaryTarget = TensorLike<X> && !Updatable<X> && !std::is_lvalue_reference_v<X>;
/// A const tensor or an expression with a name.
template <class X>
concept FixedTarget = TensorLike<X> && !Updatable<X> && std::is_lvalue_reference_v<X>;

template <class F, class Target, class R>
Target& update(Target& target, R&& right) {
  auto expression = make_map(F{}, target, std::forward<R>(right));
  if (!(expression.shape() == target.shape())) {
    throw ShapeError(std::string(F::name) + " in place: the operand broadcasts shape " + target.shape().to_string() +
                     " to " + expression.shape().to_string() + ", but a tensor keeps its shape; write x = x + y");
  }
  assign(target, std::move(expression));
  return target;
}

}  // namespace internal

template <internal::Updatable Target, class R>
  requires OperandsOf<internal::functional::Add, Target, R> && internal::Takes<Target, R>
std::remove_reference_t<Target>& operator+=(Target&& target, R&& right) {
  return internal::update<internal::functional::Add>(target, std::forward<R>(right));
}
template <Element T, Device D>
Tensor<T, D>& operator+=(const placed<T, D>&,
                         typename tensors_live_on_different_devices<D>::template fix_call_dot_to<D>);
template <Element T, Device D>
Tensor<T, D>& operator+=(const placed<T, D>&, typename element_types_differ<T, D>::template fix_call_cast<T>);
template <Element T, Device D>
  requires(internal::functional::Add::accepts<T>)
Tensor<T, D>& operator+=(const placed<T, D>&,
                         typename scalar_does_not_fit_elements<T>::fix_cast_the_scalar_or_the_tensor);
template <Element T, Device D>
  requires(!internal::functional::Add::accepts<T>)
Tensor<T, D>& operator+=(const placed<T, D>&,
                         typename operation_undefined_for_elements<internal::functional::Add, T, D>::fix_call_cast);
template <internal::Updatable X>
  requires Recorded<X>
std::remove_reference_t<X>& operator+=(
    X&&, typename a_tensor_changes_a_Variable_only_by_update<
             value_type_t<X>, device_t<X>>::fix_call_update_or_write_v_equals_v_plus_x);
template <internal::Updatable X>
  requires(!Recorded<X>)
std::remove_reference_t<X>& operator+=(
    X&&,
    typename a_tensor_would_lose_the_gradient<value_type_t<X>, device_t<X>>::fix_make_it_a_Variable_or_call_no_grad);
template <internal::TemporaryTarget X>
X& operator+=(X&&, typename assigning_to_a_temporary_view_changes_nothing<value_type_t<X>>::fix_use_dot_at);
template <internal::FixedTarget X>
X& operator+=(X&&, a_const_tensor_or_an_expression_cannot_change::fix_assign_to_a_tensor);

template <internal::Updatable Target, class R>
  requires OperandsOf<internal::functional::Subtract, Target, R> && internal::Takes<Target, R>
std::remove_reference_t<Target>& operator-=(Target&& target, R&& right) {
  return internal::update<internal::functional::Subtract>(target, std::forward<R>(right));
}
template <Element T, Device D>
Tensor<T, D>& operator-=(const placed<T, D>&,
                         typename tensors_live_on_different_devices<D>::template fix_call_dot_to<D>);
template <Element T, Device D>
Tensor<T, D>& operator-=(const placed<T, D>&, typename element_types_differ<T, D>::template fix_call_cast<T>);
template <Element T, Device D>
  requires(internal::functional::Subtract::accepts<T>)
Tensor<T, D>& operator-=(const placed<T, D>&,
                         typename scalar_does_not_fit_elements<T>::fix_cast_the_scalar_or_the_tensor);
template <Element T, Device D>
  requires(!internal::functional::Subtract::accepts<T>)
Tensor<T, D>& operator-=(
    const placed<T, D>&,
    typename operation_undefined_for_elements<internal::functional::Subtract, T, D>::fix_call_cast);
template <internal::Updatable X>
  requires Recorded<X>
std::remove_reference_t<X>& operator-=(
    X&&, typename a_tensor_changes_a_Variable_only_by_update<
             value_type_t<X>, device_t<X>>::fix_call_update_or_write_v_equals_v_plus_x);
template <internal::Updatable X>
  requires(!Recorded<X>)
std::remove_reference_t<X>& operator-=(
    X&&,
    typename a_tensor_would_lose_the_gradient<value_type_t<X>, device_t<X>>::fix_make_it_a_Variable_or_call_no_grad);
template <internal::TemporaryTarget X>
X& operator-=(X&&, typename assigning_to_a_temporary_view_changes_nothing<value_type_t<X>>::fix_use_dot_at);
template <internal::FixedTarget X>
X& operator-=(X&&, a_const_tensor_or_an_expression_cannot_change::fix_assign_to_a_tensor);

template <internal::Updatable Target, class R>
  requires OperandsOf<internal::functional::Multiply, Target, R> && internal::Takes<Target, R>
std::remove_reference_t<Target>& operator*=(Target&& target, R&& right) {
  return internal::update<internal::functional::Multiply>(target, std::forward<R>(right));
}
template <Element T, Device D>
Tensor<T, D>& operator*=(const placed<T, D>&,
                         typename tensors_live_on_different_devices<D>::template fix_call_dot_to<D>);
template <Element T, Device D>
Tensor<T, D>& operator*=(const placed<T, D>&, typename element_types_differ<T, D>::template fix_call_cast<T>);
template <Element T, Device D>
  requires(internal::functional::Multiply::accepts<T>)
Tensor<T, D>& operator*=(const placed<T, D>&,
                         typename scalar_does_not_fit_elements<T>::fix_cast_the_scalar_or_the_tensor);
template <Element T, Device D>
  requires(!internal::functional::Multiply::accepts<T>)
Tensor<T, D>& operator*=(
    const placed<T, D>&,
    typename operation_undefined_for_elements<internal::functional::Multiply, T, D>::fix_call_cast);
template <internal::Updatable X>
  requires Recorded<X>
std::remove_reference_t<X>& operator*=(
    X&&, typename a_tensor_changes_a_Variable_only_by_update<
             value_type_t<X>, device_t<X>>::fix_call_update_or_write_v_equals_v_plus_x);
template <internal::Updatable X>
  requires(!Recorded<X>)
std::remove_reference_t<X>& operator*=(
    X&&,
    typename a_tensor_would_lose_the_gradient<value_type_t<X>, device_t<X>>::fix_make_it_a_Variable_or_call_no_grad);
template <internal::TemporaryTarget X>
X& operator*=(X&&, typename assigning_to_a_temporary_view_changes_nothing<value_type_t<X>>::fix_use_dot_at);
template <internal::FixedTarget X>
X& operator*=(X&&, a_const_tensor_or_an_expression_cannot_change::fix_assign_to_a_tensor);

template <internal::Updatable Target, class R>
  requires OperandsOf<internal::functional::Divide, Target, R> && internal::Takes<Target, R>
std::remove_reference_t<Target>& operator/=(Target&& target, R&& right) {
  return internal::update<internal::functional::Divide>(target, std::forward<R>(right));
}
template <Element T, Device D>
Tensor<T, D>& operator/=(const placed<T, D>&,
                         typename tensors_live_on_different_devices<D>::template fix_call_dot_to<D>);
template <Element T, Device D>
Tensor<T, D>& operator/=(const placed<T, D>&, typename element_types_differ<T, D>::template fix_call_cast<T>);
template <Element T, Device D>
  requires(internal::functional::Divide::accepts<T>)
Tensor<T, D>& operator/=(const placed<T, D>&,
                         typename scalar_does_not_fit_elements<T>::fix_cast_the_scalar_or_the_tensor);
template <Element T, Device D>
  requires(!internal::functional::Divide::accepts<T> && !IntegerElement<T>)
Tensor<T, D>& operator/=(const placed<T, D>&,
                         typename operation_undefined_for_elements<internal::functional::Divide, T, D>::fix_call_cast);
template <IntegerElement T, Device D>
Tensor<T, D>& operator/=(const placed<T, D>&, typename integers_do_not_divide<T, D>::fix_call_floor_divide_or_cast);
template <internal::Updatable X>
  requires Recorded<X>
std::remove_reference_t<X>& operator/=(
    X&&, typename a_tensor_changes_a_Variable_only_by_update<
             value_type_t<X>, device_t<X>>::fix_call_update_or_write_v_equals_v_plus_x);
template <internal::Updatable X>
  requires(!Recorded<X>)
std::remove_reference_t<X>& operator/=(
    X&&,
    typename a_tensor_would_lose_the_gradient<value_type_t<X>, device_t<X>>::fix_make_it_a_Variable_or_call_no_grad);
template <internal::TemporaryTarget X>
X& operator/=(X&&, typename assigning_to_a_temporary_view_changes_nothing<value_type_t<X>>::fix_use_dot_at);
template <internal::FixedTarget X>
X& operator/=(X&&, a_const_tensor_or_an_expression_cannot_change::fix_assign_to_a_tensor);

template <internal::Updatable Target, class R>
  requires OperandsOf<internal::functional::Remainder, Target, R> && internal::Takes<Target, R>
std::remove_reference_t<Target>& operator%=(Target&& target, R&& right) {
  return internal::update<internal::functional::Remainder>(target, std::forward<R>(right));
}
template <Element T, Device D>
Tensor<T, D>& operator%=(const placed<T, D>&,
                         typename tensors_live_on_different_devices<D>::template fix_call_dot_to<D>);
template <Element T, Device D>
Tensor<T, D>& operator%=(const placed<T, D>&, typename element_types_differ<T, D>::template fix_call_cast<T>);
template <Element T, Device D>
  requires(internal::functional::Remainder::accepts<T>)
Tensor<T, D>& operator%=(const placed<T, D>&,
                         typename scalar_does_not_fit_elements<T>::fix_cast_the_scalar_or_the_tensor);
template <Element T, Device D>
  requires(!internal::functional::Remainder::accepts<T>)
Tensor<T, D>& operator%=(
    const placed<T, D>&,
    typename operation_undefined_for_elements<internal::functional::Remainder, T, D>::fix_call_cast);
template <internal::Updatable X>
  requires Recorded<X>
std::remove_reference_t<X>& operator%=(
    X&&, typename a_tensor_changes_a_Variable_only_by_update<
             value_type_t<X>, device_t<X>>::fix_call_update_or_write_v_equals_v_plus_x);
template <internal::Updatable X>
  requires(!Recorded<X>)
std::remove_reference_t<X>& operator%=(
    X&&,
    typename a_tensor_would_lose_the_gradient<value_type_t<X>, device_t<X>>::fix_make_it_a_Variable_or_call_no_grad);
template <internal::TemporaryTarget X>
X& operator%=(X&&, typename assigning_to_a_temporary_view_changes_nothing<value_type_t<X>>::fix_use_dot_at);
template <internal::FixedTarget X>
X& operator%=(X&&, a_const_tensor_or_an_expression_cannot_change::fix_assign_to_a_tensor);

}  // namespace situ
