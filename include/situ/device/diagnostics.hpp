// SPDX-License-Identifier: Apache-2.0
// The compile errors of the library. A mistake selects an overload whose parameter is one of the classes below; its
// conversion is deleted, and every compiler prints the name of a deleted conversion in the first line of its error. So
// the names are the message. The same overload makes `requires`, `std::is_invocable` and `void_t` answer false.
//
// Rejected: `static_assert` in a catch-all overload (good text, but a hard error inside `requires`) and constraints
// alone (no text, and 40 lines that grow with every operator in scope). See docs/decisions/diagnostics.md.
#pragma once

#include <concepts>
#include <type_traits>

#include <situ/device/placed.hpp>

namespace situ {

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

/// "a floating scalar does not fit integer elements: fix: call cast<float>(tensor) or write an integer".
template <class TensorElement>
struct floating_scalar_with_integer_tensor {
  struct fix_write_an_integer_or_cast_the_tensor {
    template <std::floating_point Scalar>
    fix_write_an_integer_or_cast_the_tensor(Scalar) = delete;
  };
};

/// "integers have no operator /: fix: floor_divide, or cast to a floating type".
template <class TensorElement>
struct integers_do_not_divide {
  struct fix_call_floor_divide_or_cast {
    template <class Right>
    fix_call_floor_divide_or_cast(const Right&) = delete;
  };
};

/// "the host cannot read device memory: fix: call .to<To>()". Also the type of the members that only host tensors
/// have: on a GPU tensor `data` is an object of this class, whose call operator is deleted.
template <class MemoryDevice>
struct the_host_cannot_read_memory_of {
  template <class To>
  struct fix_call_dot_to {
    constexpr fix_call_dot_to() = default;
    template <std::integral Index>
    fix_call_dot_to(Index) = delete;
    template <class Stream>
      requires(!std::integral<Stream> && !std::same_as<Stream, fix_call_dot_to>)
    fix_call_dot_to(Stream&) = delete;
    void operator()() const = delete;
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

/// "a pointer into a temporary tensor dangles: fix: give the tensor a name first".
struct pointer_into_a_temporary_tensor {
  struct fix_give_the_tensor_a_name {};
};

}  // namespace situ
