// SPDX-License-Identifier: Apache-2.0
// In-place arithmetic: `x += e` is `x = x + e` with the shape of `x`, for tensors and slots. One pass; the operand
// broadcasts to the shape of `x`, else `ShapeError`. The guards are as in `arithmetic.hpp`.
//
// For a variable too, and it is recorded: afterwards the variable is a computed one. Only with an operand that records
// gradients, or a scalar: `w -= lr * gradients[w]` is meant as a step, which is `update`.
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

/// A named variable.
template <class X>
concept VariableTarget = TensorHolder<std::remove_reference_t<X>> && std::is_lvalue_reference_v<X>;
/// A valid left-hand side: a named tensor or variable, or a slot.
template <class X>
concept Updatable =
    TensorLike<X> && !std::is_const_v<std::remove_reference_t<X>> &&
    ((TensorType<X> && std::is_lvalue_reference_v<X>) || VariableTarget<X> || requires(X& x) { x.owner(); });
/// Whether `Target` accepts `R`: a variable accepts operands that record gradients, and scalars; a tensor those that do
/// not record.
template <class Target, class R>
concept Takes = TensorLike<Target> && (Recorded<Target> == Recorded<R> || (Recorded<Target> && !TensorLike<R>));
/// A view, a const tensor or an expression.
template <class X>
concept NotUpdatable = TensorLike<X> && !Updatable<X>;

// What the guards take on the right. Which class that is depends on the target alone; clang prints it as "aka". (For
// other targets there is none: clang forms the parameters before it looks at the constraints.)
/// Beside a tensor what records a gradient; beside a variable what records none.
template <class X>
struct OtherRecording {};
template <TensorLike X>
struct OtherRecording<X> {
  using operand =
      typename a_tensor_would_lose_the_gradient<value_type_t<X>, device_t<X>>::fix_make_it_a_Variable_or_call_no_grad;
};
template <Recorded X>
struct OtherRecording<X> {
  using operand =
      typename a_tensor_changes_a_Variable_only_by_update<value_type_t<X>,
                                                          device_t<X>>::fix_call_update_or_write_v_equals_v_plus_x;
};
/// Anything, where the target has no name, or else does not change.
template <class X>
struct NotUpdatableBy {};
template <TensorLike X>
struct NotUpdatableBy<X> {
  using operand = typename assigning_to_a_temporary_view_changes_nothing<value_type_t<X>>::fix_use_dot_at;
};
template <TensorLike X>
struct NotUpdatableBy<X&> {
  using operand = a_const_tensor_or_an_expression_cannot_change::fix_assign_to_a_tensor;
};

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
Tensor<T, D>& operator+=(const placed<T, D>&,
                         typename internal::wrong_operand<internal::functional::Add, T, D>::on_the_right);
template <internal::Updatable X>
std::remove_reference_t<X>& operator+=(X&&, typename internal::OtherRecording<X>::operand);
template <internal::NotUpdatable X>
X& operator+=(X&&, typename internal::NotUpdatableBy<X>::operand);

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
Tensor<T, D>& operator-=(const placed<T, D>&,
                         typename internal::wrong_operand<internal::functional::Subtract, T, D>::on_the_right);
template <internal::Updatable X>
std::remove_reference_t<X>& operator-=(X&&, typename internal::OtherRecording<X>::operand);
template <internal::NotUpdatable X>
X& operator-=(X&&, typename internal::NotUpdatableBy<X>::operand);

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
Tensor<T, D>& operator*=(const placed<T, D>&,
                         typename internal::wrong_operand<internal::functional::Multiply, T, D>::on_the_right);
template <internal::Updatable X>
std::remove_reference_t<X>& operator*=(X&&, typename internal::OtherRecording<X>::operand);
template <internal::NotUpdatable X>
X& operator*=(X&&, typename internal::NotUpdatableBy<X>::operand);

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
Tensor<T, D>& operator/=(const placed<T, D>&,
                         typename internal::wrong_operand<internal::functional::Divide, T, D>::on_the_right);
template <internal::Updatable X>
std::remove_reference_t<X>& operator/=(X&&, typename internal::OtherRecording<X>::operand);
template <internal::NotUpdatable X>
X& operator/=(X&&, typename internal::NotUpdatableBy<X>::operand);

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
Tensor<T, D>& operator%=(const placed<T, D>&,
                         typename internal::wrong_operand<internal::functional::Remainder, T, D>::on_the_right);
template <internal::Updatable X>
std::remove_reference_t<X>& operator%=(X&&, typename internal::OtherRecording<X>::operand);
template <internal::NotUpdatable X>
X& operator%=(X&&, typename internal::NotUpdatableBy<X>::operand);

}  // namespace situ
