// SPDX-License-Identifier: Apache-2.0
// The empty bases by which tensors and expressions carry their device and element type into overload resolution.
#pragma once

#include <concepts>
#include <type_traits>

#include <situ/core/dtype.hpp>
#include <situ/device/device.hpp>
#include <situ/device/diagnostics.hpp>

namespace situ {

template <Element T, Device D>
class Tensor;

/// The left operand in a guard of `==` and `!=`, which C++20 also tries with the operands swapped. Both operands then
/// need a user-defined conversion in either order, so that the call is not ambiguous and the order as written is
/// preferred.
template <class Placement>
struct left_operand {
  left_operand(const Placement&) {}
};

/// Base of everything on device `D`. The guards in `diagnostics.hpp` deduce the device from it, so that a message names
/// the device and not a user's alias of the whole type.
template <class D>
struct on_device {
  using device_type = D;

  /// The device, as a value: `x.device() == gpu<0>`, `ones<float>({2, 3}, x.device())`.
  [[nodiscard]] static constexpr D device() noexcept { return {}; }

  // The guards of `==` and `!=`. Those of the other operators are templates elsewhere, which need no left_operand.
  friend Tensor<bool, D> operator==(left_operand<on_device>,
                                    typename tensors_live_on_different_devices<D>::template fix_call_dot_to<D>) {
    return {};
  }
  friend Tensor<bool, D> operator!=(left_operand<on_device>,
                                    typename tensors_live_on_different_devices<D>::template fix_call_dot_to<D>) {
    return {};
  }
};

/// Base of everything that has elements of type `T` on device `D`: tensors, expressions, slots.
template <class T, class D>
struct placed : on_device<D> {
  using value_type = T;

  /// A guard: `if (sum(x) > 3)`.
  template <class Fix = a_tensor_is_no_condition::fix_call_dot_item>
  explicit operator bool() const = delete;

  friend Tensor<bool, D> operator==(left_operand<placed>,
                                    typename element_types_differ<T, D>::template fix_call_cast<T>) {
    return {};
  }
  friend Tensor<bool, D> operator!=(left_operand<placed>,
                                    typename element_types_differ<T, D>::template fix_call_cast<T>) {
    return {};
  }
  friend Tensor<bool, D> operator==(left_operand<placed>,
                                    typename scalar_does_not_fit_elements<T>::fix_cast_the_scalar_or_the_tensor) {
    return {};
  }
  friend Tensor<bool, D> operator!=(left_operand<placed>,
                                    typename scalar_does_not_fit_elements<T>::fix_cast_the_scalar_or_the_tensor) {
    return {};
  }
  friend Tensor<bool, D> operator==(typename scalar_does_not_fit_elements<T>::fix_cast_the_scalar_or_the_tensor,
                                    left_operand<placed>) {
    return {};
  }
  friend Tensor<bool, D> operator!=(typename scalar_does_not_fit_elements<T>::fix_cast_the_scalar_or_the_tensor,
                                    left_operand<placed>) {
    return {};
  }
};

namespace internal {
template <class T, class D>
placed<T, D> placement_of(const placed<T, D>&);
}  // namespace internal

/// A tensor, an expression over tensors, or a part of a tensor.
template <class X>
concept TensorLike = requires(const std::remove_cvref_t<X>& x) { internal::placement_of(x); };

/// The element type of a `TensorLike`.
template <TensorLike X>
using value_type_t = typename std::remove_cvref_t<X>::value_type;

/// The device of a `TensorLike`.
template <TensorLike X>
using device_t = typename std::remove_cvref_t<X>::device_type;

}  // namespace situ
