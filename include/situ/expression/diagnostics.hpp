// SPDX-License-Identifier: Apache-2.0
// The compile errors of operators. See device/diagnostics.hpp for how they work.
#pragma once

#include <concepts>

#include <situ/core/dtype.hpp>
#include <situ/core/scalar.hpp>
#include <situ/device/diagnostics.hpp>

namespace situ {

/// "integers do not divide: fix: call floor_divide, or cast<float>(...) both"; arguments as of
/// `operation_undefined_for_elements`.
template <class LeftElement, class... Device>
struct integers_do_not_divide;
template <class LeftElement, class Device>
struct integers_do_not_divide<LeftElement, Device> {
  struct fix_call_floor_divide_or_cast {
    template <std::same_as<LeftElement> RightElement>
    fix_call_floor_divide_or_cast(const placed<RightElement, Device>&) = delete;
    template <internal::ScalarOperand Scalar>
    fix_call_floor_divide_or_cast(Scalar) = delete;
  };
};
template <class RightElement>
struct integers_do_not_divide<RightElement> {
  struct fix_call_floor_divide_or_cast {
    template <internal::ScalarOperand Scalar>
    fix_call_floor_divide_or_cast(Scalar) = delete;
  };
};

/// "complex numbers have no order: fix: call abs(z), or real(z)", to compare or sort these.
struct complex_numbers_have_no_order {
  struct fix_call_real_or_abs {
    template <ComplexElement T, class Device>
    fix_call_real_or_abs(const placed<T, Device>&) = delete;

    /// For a number on the left of `<` and its like.
    struct beside_a_number {
      template <internal::ScalarOperand Scalar>
      beside_a_number(Scalar) = delete;
    };
    /// For the right operand.
    struct of_both {
      template <ComplexElement T, class Device>
      of_both(const placed<T, Device>&) = delete;
      template <internal::ScalarOperand Scalar>
      of_both(Scalar) = delete;
    };
  };
};

namespace internal {
namespace functional {
struct Clamp;
struct Divide;
struct Greater;
struct GreaterEqual;
struct Less;
struct LessEqual;
struct Maximum;
struct Minimum;
}  // namespace functional
template <>
inline constexpr bool is_order<functional::Clamp> = true;
template <>
inline constexpr bool is_order<functional::Greater> = true;
template <>
inline constexpr bool is_order<functional::GreaterEqual> = true;
template <>
inline constexpr bool is_order<functional::Less> = true;
template <>
inline constexpr bool is_order<functional::LessEqual> = true;
template <>
inline constexpr bool is_order<functional::Maximum> = true;
template <>
inline constexpr bool is_order<functional::Minimum> = true;
template <class Operation, ComplexElement T, class D>
  requires is_order<Operation>
struct wrong_operand<Operation, T, D> {
  using on_the_left = complex_numbers_have_no_order::fix_call_real_or_abs::beside_a_number;
  using on_the_right = complex_numbers_have_no_order::fix_call_real_or_abs::of_both;
};
template <IntegerElement T, class D>
struct wrong_operand<functional::Divide, T, D> {
  using on_the_left = typename integers_do_not_divide<T>::fix_call_floor_divide_or_cast;
  using on_the_right = typename integers_do_not_divide<T, D>::fix_call_floor_divide_or_cast;
};
}  // namespace internal

/// "what stands on the left is a const tensor or an expression: fix: assign to a tensor with a name".
struct a_const_tensor_or_an_expression_cannot_change {
  struct fix_assign_to_a_tensor {
    template <class Right>
    fix_assign_to_a_tensor(const Right&) = delete;
  };
};

/// "a tensor changes a variable only by `update`: fix: call update (a step of training), or write v = v + x (another
/// variable, computed from this one)". `w -= lr * gradients[w]` would make a computed variable of the parameter.
template <class Element, class Device>
struct a_tensor_changes_a_Variable_only_by_update {
  struct fix_call_update_or_write_v_equals_v_plus_x {
    template <std::same_as<Element> RightElement>
    fix_call_update_or_write_v_equals_v_plus_x(const placed<RightElement, Device>&) = delete;
  };
};

/// "expressions are of different types: fix: call eval(...)", which gives a tensor of each.
struct expressions_are_of_different_types {
  struct fix_call_eval {};
};

}  // namespace situ
