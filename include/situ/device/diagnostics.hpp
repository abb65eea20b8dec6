// SPDX-License-Identifier: Apache-2.0
// The compile errors of the library. A mistake selects an overload whose parameter is one of the classes below; its
// conversion is deleted, and every compiler prints the name of a deleted conversion in the first line of its error. So
// the names are the message. The same overload makes `requires`, `std::is_invocable` and `void_t` answer false.
//
// Rejected: `static_assert` in a catch-all overload (good text, but a hard error inside `requires`) and constraints
// alone (no text, and 40 lines that grow with every operator in scope). See docs/decisions/diagnostics.md.
#pragma once

#include <concepts>
#include <cstdint>
#include <type_traits>
#include <variant>

#include <situ/core/scalar.hpp>

namespace situ {

template <class D>
struct on_device;
template <class T, class D>
struct placed;

/// "tensors live on different devices: fix: call .to<To>()". The right operand is the one to move.
template <class LeftDevice>
struct tensors_live_on_different_devices {
  template <class To>
  struct fix_call_dot_to {
    template <class RightDevice>
      requires(!std::same_as<LeftDevice, RightDevice>)
    fix_call_dot_to(const on_device<RightDevice>&) = delete;
  };
};

/// "element types differ: fix: call cast<To>(...)". Only for operands on one device, so that it never competes with
/// the guard above.
template <class LeftElement, class Device>
struct element_types_differ {
  template <class To>
  struct fix_call_cast {
    template <class RightElement>
      requires(!std::same_as<LeftElement, RightElement>)
    fix_call_cast(const placed<RightElement, Device>&) = delete;
  };
};

/// A number or an element, which may stand beside a tensor.
template <class S>
concept ScalarOperand = std::is_arithmetic_v<S> || Element<S>;

/// "the scalar does not fit the tensor's elements (1.5 beside integers, 1 beside bool): fix: cast one of them".
template <class Element>
struct scalar_does_not_fit_elements {
  struct fix_cast_the_scalar_or_the_tensor {
    template <ScalarOperand Scalar>
      requires(!WeakScalarFor<Scalar, Element>)
    fix_cast_the_scalar_or_the_tensor(Scalar) = delete;
  };
};

/// "the operation is not defined for the elements (`exp` of integers, `+` of bool): fix: cast<...> the operands". The
/// operand that is converted is a tensor beside one of the same element type and device; without a device a scalar on
/// the left of a tensor; without an element type the only operand.
template <class Operation, class... Left>
struct operation_undefined_for_elements;
template <class Operation, class LeftElement, class Device>
struct operation_undefined_for_elements<Operation, LeftElement, Device> {
  struct fix_call_cast {
    template <std::same_as<LeftElement> RightElement>
    fix_call_cast(const placed<RightElement, Device>&) = delete;
    template <ScalarOperand Scalar>
    fix_call_cast(Scalar) = delete;
  };
};
template <class Operation, class RightElement>
struct operation_undefined_for_elements<Operation, RightElement> {
  struct fix_call_cast {
    template <ScalarOperand Scalar>
    fix_call_cast(Scalar) = delete;
  };
};
template <class Operation>
struct operation_undefined_for_elements<Operation> {
  struct fix_call_cast {
    template <class OperandElement, class Device>
      requires(!Operation::template accepts<OperandElement>)
    fix_call_cast(const placed<OperandElement, Device>&) = delete;
  };
};

/// "integers do not divide: fix: call floor_divide, or cast<float>(...) both"; arguments as above.
template <class LeftElement, class... Device>
struct integers_do_not_divide;
template <class LeftElement, class Device>
struct integers_do_not_divide<LeftElement, Device> {
  struct fix_call_floor_divide_or_cast {
    template <std::same_as<LeftElement> RightElement>
    fix_call_floor_divide_or_cast(const placed<RightElement, Device>&) = delete;
    template <ScalarOperand Scalar>
    fix_call_floor_divide_or_cast(Scalar) = delete;
  };
};
template <class RightElement>
struct integers_do_not_divide<RightElement> {
  struct fix_call_floor_divide_or_cast {
    template <ScalarOperand Scalar>
    fix_call_floor_divide_or_cast(Scalar) = delete;
  };
};

/// "the host cannot read memory of the device: fix: call .to<To>()". Also the type of the members that only host
/// tensors have: on a GPU tensor `data` is an object of this class, whose call operator is deleted.
template <class MemoryDevice>
struct the_host_cannot_read_memory_of {
  template <class To>
  struct fix_call_dot_to {
    constexpr fix_call_dot_to() = default;
    template <std::integral Index>
    fix_call_dot_to(Index) = delete;
    fix_call_dot_to(const on_device<MemoryDevice>&) = delete;
    template <class Stream>
      requires requires { typename Stream::traits_type; }
    fix_call_dot_to(Stream&) = delete;
    /// A pointer, so that nvcc says nothing about what is done with the result before it says this.
    const float* operator()() const = delete;
  };
};

/// "assigning to a temporary view changes nothing: fix: use x.at(...)".
template <class Element>
struct assigning_to_a_temporary_view_changes_nothing {
  struct fix_use_dot_at {
    template <class Right>
    fix_use_dot_at(const Right&) = delete;
  };
};

/// "what stands on the left is a const tensor or an expression: fix: assign to a tensor with a name".
struct a_const_tensor_or_an_expression_cannot_change {
  struct fix_assign_to_a_tensor {
    template <class Right>
    fix_assign_to_a_tensor(const Right&) = delete;
  };
};

/// "expressions are of different types: fix: call eval(...)", which gives a tensor of each.
struct expressions_are_of_different_types {
  struct fix_call_eval {};
};

/// "dropout takes a probability: fix: write it before training", `dropout(x, 0.5, training)`.
struct dropout_takes_a_probability {
  struct fix_write_it_before_training {};
};

/// "a scalar is not a tensor: fix: call full(shape, value), or assign to all elements, x.at(all) = value".
struct a_scalar_is_not_a_tensor {
  struct fix_call_full {};
};

/// "clamp takes two limits: fix: call maximum(x, low), or minimum(x, high)".
struct clamp_takes_two_limits {
  struct fix_call_maximum_or_minimum {
    template <class Limit>
    fix_call_maximum_or_minimum(const Limit&) = delete;
  };
};

/// "tensors have no shift operators: fix: multiply by, or floor_divide by, a power of two".
struct tensors_have_no_shift_operators {
  struct fix_multiply_or_floor_divide {
    template <class Places>
    fix_multiply_or_floor_divide(const Places&) = delete;
  };
};

/// "operands in braces have different types: fix: write them without braces, concat(a, b + 1)".
struct operands_in_braces_have_different_types {
  struct fix_write_them_without_braces {
    template <class FirstDevice, class SecondDevice, class... Rest>
    fix_write_them_without_braces(const on_device<FirstDevice>&, const on_device<SecondDevice>&, const Rest&...) = delete;
  };
};

/// "the mask of `where` is not bool: fix: compare (x != 0), or call cast<bool>(x)".
struct the_mask_is_not_bool {
  struct fix_compare_or_call_cast_bool {
    template <class T, class D>
      requires(!std::same_as<T, bool>)
    fix_compare_or_call_cast_bool(const placed<T, D>&) = delete;
  };
};

/// "two scalars beside a mask have no element type: fix: call full({}, value) for one".
struct two_scalars_beside_a_mask {
  struct fix_call_full {
    template <ScalarOperand Scalar>
    fix_call_full(Scalar) = delete;
  };
};

/// "indices are not integers: fix: cast<std::int64_t>(indices)".
template <class Device>
struct indices_are_not_integers {
  struct fix_call_cast {
    template <class Index>
      requires(!IntegerElement<Index>)
    fix_call_cast(const placed<Index, Device>&) = delete;
  };
};

/// "labels are not int64: fix: cast<std::int64_t>(labels)".
template <class Device>
struct labels_are_not_int64 {
  struct fix_call_cast {
    template <class Label>
      requires(!std::same_as<Label, std::int64_t>)
    fix_call_cast(const placed<Label, Device>&) = delete;
  };
};

/// "a tensor is not one element: fix: call .item(), or assign to a part, x.at(0, all)".
struct a_tensor_is_not_one_element {
  struct fix_call_dot_item {
    template <class T, class D>
    fix_call_dot_item(const placed<T, D>&) = delete;
  };
};

/// "a tensor is no condition: fix: call .item()", of one element, of `any(x)`, or of `all(x)`.
struct a_tensor_is_no_condition {
  struct fix_call_dot_item {};
};

/// "a tensor would lose the gradient that a variable or an expression over variables records: fix: make it a Variable, or
/// call no_grad".
template <class Element, class Device>
struct a_tensor_would_lose_the_gradient {
  struct fix_make_it_a_Variable_or_call_no_grad {
    template <std::same_as<Element> RightElement>
    fix_make_it_a_Variable_or_call_no_grad(const placed<RightElement, Device>&) = delete;
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

/// "the functor of `map` has no derivative, and an operand records gradients: fix: give it a member `derivative`, or call
/// no_grad for the operands".
struct the_functor_of_map_has_no_derivative {
  struct fix_add_a_member_derivative {
    template <class Functor>
      requires std::is_class_v<Functor>
    fix_add_a_member_derivative(const Functor&) = delete;
  };
};

/// "copy does not convert elements: fix: call cast<...>(from)".
template <class IntoElement>
struct copy_does_not_convert_elements {
  struct fix_call_cast {
    template <class FromElement, class Device>
      requires(!std::same_as<FromElement, IntoElement>)
    fix_call_cast(const placed<FromElement, Device>&) = delete;
  };
};

/// "pageable memory cannot be copied asynchronously: fix: call .to<Pinned>() first". The GPU reads such memory only by way
/// of pinned memory, for which the host has to wait.
template <class Pageable>
struct pageable_memory_cannot_be_copied_asynchronously {
  template <class Through>
  struct fix_call_dot_to {};
  template <class Instead>
  struct fix_call_to_async {};
};

/// "a Pending tensor is not there yet: fix: call std::move(pending).wait()". The type of the members that only tensors
/// have: `data` of a `Pending` is an object of this class, whose call operator is deleted.
struct a_pending_tensor_is_not_there_yet {
  struct fix_call_std_move_and_wait {
    constexpr fix_call_std_move_and_wait() = default;
    template <class Left>
      requires requires { typename Left::pending_type; }
    fix_call_std_move_and_wait(const Left&) = delete;
    const float* operator()() const = delete;
  };
};

/// "the device is known at run time only: fix: call with_device", whose lambda has it as a type: an `AnyDevice` where a
/// device is wanted.
struct the_device_is_known_at_run_time_only {
  struct fix_call_with_device {
    template <class... D>
    fix_call_with_device(const std::variant<D...>&) = delete;
  };
};

/// "a pointer into a temporary tensor dangles: fix: give the tensor a name first".
struct pointer_into_a_temporary_tensor {
  struct fix_give_the_tensor_a_name {};
};

}  // namespace situ
