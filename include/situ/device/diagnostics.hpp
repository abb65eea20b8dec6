// SPDX-License-Identifier: Apache-2.0
// The compile errors of the library. A mistake selects an overload whose parameter is one of the classes below; the
// conversion to it is deleted, and every compiler prints the name of a deleted conversion in the first line of its
// error. So the names are the message. The same overload makes `requires`, `std::is_invocable` and `void_t` answer
// false.
//
// Rejected: `static_assert` in a catch-all overload (good text, but a hard error inside `requires`) and constraints
// alone (no text, and 40 lines, more with every operator in scope). See docs/decisions/diagnostics.md.
#pragma once

#include <concepts>
#include <type_traits>
#include <variant>

#include <situ/core/scalar.hpp>
#include <situ/device/foreign.hpp>

namespace situ {

template <class D>
struct on_device;
template <class T, class D>
struct placed;
/// Base of values with elements of type `T` over several devices: `Spread`, see distributed/spread.hpp.
template <class T>
struct spread_elements {};
/// ... and of every such value, also of one that is a sum.
struct spread_value {};

/// `Tensor x = spread;`, `spread.to(cpu)`, `.item()`, `.data()`: "fix: call gather(x, cpu)".
struct a_spread_value_is_on_no_one_device {
  struct fix_call_gather {
    fix_call_gather(const spread_value&) = delete;
    const float* operator()(...) const = delete;
  };
};

/// A module called with a spread value: "this network is on one device: fix: call replicas(net, devices...)".
struct this_network_is_on_one_device {
  struct fix_call_replicas {
    fix_call_replicas(const spread_value&) = delete;
  };
};

/// "tensors live on different devices: fix: call .to<To>()". The right operand is the one to move.
template <class LeftDevice>
struct tensors_live_on_different_devices {
  template <class To>
  struct fix_call_dot_to {
    template <class RightDevice>
      requires(!std::same_as<LeftDevice, RightDevice>)
    fix_call_dot_to(const on_device<RightDevice>&) = delete;
    /// For another library's expression, whose own `Fix` makes it a tensor first.
    template <class Foreign, class RightDevice = internal::foreign_device_t<Foreign>,
              class Fix = internal::foreign_fix_t<Foreign>>
      requires(!std::same_as<LeftDevice, RightDevice>)
    fix_call_dot_to(const Foreign&) = delete;
  };
};

/// "element types differ: fix: call cast<To>(...)". Only for operands on the same device, so that it never competes
/// with the guard above.
template <class LeftElement, class Device>
struct element_types_differ {
  template <class To>
  struct fix_call_cast {
    template <class RightElement>
      requires(!std::same_as<LeftElement, RightElement>)
    fix_call_cast(const placed<RightElement, Device>&) = delete;
    template <class Foreign, class RightElement = internal::foreign_element_t<Foreign>>
      requires(std::same_as<internal::foreign_device_t<Foreign>, Device> && !std::same_as<LeftElement, RightElement>)
    fix_call_cast(const Foreign&) = delete;
  };
};

namespace internal {

/// An argument that a guard ignores, also in braces. A conversion, so that every other overload is a better match.
struct Anything {
  template <class... T>
  Anything(const T&...);
};

/// A number or an element, which can be combined with a tensor.
template <class S>
concept ScalarOperand = std::is_arithmetic_v<S> || Element<S>;

/// Whether the operation compares: then complex operands have a guard of their own (expression/diagnostics.hpp).
template <class Operation>
inline constexpr bool is_order = false;

}  // namespace internal

/// "the scalar does not fit the tensor's elements (1.5 beside integers, 1 beside bool): fix: cast one of them".
template <class Element>
struct scalar_does_not_fit_elements {
  struct fix_cast_the_scalar_or_the_tensor {
    template <internal::ScalarOperand Scalar>
      requires(!internal::WeakScalarFor<Scalar, Element>)
    fix_cast_the_scalar_or_the_tensor(Scalar) = delete;
  };
};

/// "the operation is not defined for the elements (`exp` of integers, `+` of bool): fix: cast<...> the operands". The
/// operand that is converted is: a tensor beside one of the same element type and device; if `Left` has no device, a
/// scalar on the left of a tensor; if it has no element type either, the only operand.
template <class Operation, class... Left>
struct operation_undefined_for_elements;
template <class Operation, class LeftElement, class Device>
struct operation_undefined_for_elements<Operation, LeftElement, Device> {
  struct fix_call_cast {
    template <std::same_as<LeftElement> RightElement>
    fix_call_cast(const placed<RightElement, Device>&) = delete;
    template <internal::ScalarOperand Scalar>
    fix_call_cast(Scalar) = delete;
  };
};
template <class Operation, class RightElement>
struct operation_undefined_for_elements<Operation, RightElement> {
  struct fix_call_cast {
    template <internal::ScalarOperand Scalar>
    fix_call_cast(Scalar) = delete;
  };
};
template <class Operation>
struct operation_undefined_for_elements<Operation> {
  struct fix_call_cast {
    template <class OperandElement, class Device>
      requires(!Operation::template accepts<OperandElement> &&
               !(ComplexElement<OperandElement> && internal::is_order<Operation>))
    fix_call_cast(const placed<OperandElement, Device>&) = delete;
    template <class OperandElement>
      requires(!Operation::template accepts<OperandElement>)
    fix_call_cast(const spread_elements<OperandElement>&) = delete;
  };
};

namespace internal {

/// The guard of what stands beside a tensor of elements `T` on `D` in binary operation `Operation`: a scalar that does
/// not fit, or, where the operation has no such elements, whatever it is. (One class for both, so that an operation has
/// one guard on either side; clang prints the name of what is chosen as well, "aka".)
template <class Operation, class T, class D>
struct wrong_operand {
  using on_the_left = typename scalar_does_not_fit_elements<T>::fix_cast_the_scalar_or_the_tensor;
  using on_the_right = on_the_left;
};
template <class Operation, class T, class D>
  requires(!Operation::template accepts<T> && !(ComplexElement<T> && is_order<Operation>))
struct wrong_operand<Operation, T, D> {
  using on_the_left = typename operation_undefined_for_elements<Operation, T>::fix_call_cast;
  using on_the_right = typename operation_undefined_for_elements<Operation, T, D>::fix_call_cast;
};

}  // namespace internal

/// "the host cannot read memory of the device: fix: call .to<To>()". Also the type of the members that only host
/// tensors have: on a GPU tensor `span` is an object of this class, whose call operator is deleted.
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
    /// Returns a pointer, so that nvcc reports this error before any about the use of the result.
    const float* operator()() const = delete;

    /// For `data`, whose pointer a kernel may want: "... or device_data() for a kernel".
    struct or_device_data_for_a_kernel {
      const float* operator()() const = delete;
    };

    /// For `w(0)` and `w.at(0)`: only a position converts, so that masks and lists have their own guards.
    struct or_element {
      template <std::integral Index>
        requires(!std::same_as<Index, bool>)
      or_element(Index) = delete;
    };
  };
};

/// "a tensor is no condition: fix: call .item()", on a tensor of one element, `any(x)` or `all(x)`.
struct a_tensor_is_no_condition {
  struct fix_call_dot_item {};
};

/// "the device is known at run time only: fix: call with_device", whose lambda gets it as a type. For an `AnyDevice`
/// where a device is expected.
struct the_device_is_known_at_run_time_only {
  struct fix_call_with_device {
    template <class... D>
    fix_call_with_device(const std::variant<D...>&) = delete;
    fix_call_with_device(const char*) = delete;  // "cuda:0", which parse_device reads
  };
};

}  // namespace situ
