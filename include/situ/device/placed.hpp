// SPDX-License-Identifier: Apache-2.0
// The empty bases by which tensors and expressions carry their device and element type into overload resolution.
#pragma once

#include <concepts>
#include <type_traits>

namespace situ {

/// Base of everything that lives on device `D`. The guards in `diagnostics.hpp` deduce the device from it, so that a
/// message names the device and not a user's alias of the whole type.
template <class D>
struct on_device {
  using device = D;
};

/// Base of everything that has elements of type `T` on device `D`: tensors, expressions, slots.
template <class T, class D>
struct placed : on_device<D> {
  using value_type = T;
};

namespace detail {
template <class T, class D>
placed<T, D> placement_of(const placed<T, D>&);
}  // namespace detail

/// A tensor, an expression over tensors, or a part of a tensor.
template <class X>
concept TensorLike = requires(const std::remove_cvref_t<X>& x) { detail::placement_of(x); };

/// The element type of a `TensorLike`.
template <TensorLike X>
using value_type_t = typename std::remove_cvref_t<X>::value_type;

/// The device of a `TensorLike`.
template <TensorLike X>
using device_t = typename std::remove_cvref_t<X>::device;

}  // namespace situ
