// SPDX-License-Identifier: Apache-2.0
// The compile errors of operators. See device/diagnostics.hpp for how they work.
#pragma once

#include <concepts>

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

namespace internal {
namespace functional {
struct Divide;
}
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
