// SPDX-License-Identifier: Apache-2.0
// Forward declarations of the classes of this folder, and concepts that distinguish tensors from expressions.
#pragma once

#include <concepts>
#include <type_traits>

#include <situ/core/dtype.hpp>
#include <situ/device/cpu.hpp>
#include <situ/device/device.hpp>
#include <situ/device/pinned.hpp>
#include <situ/device/placed.hpp>
#include <situ/tensor/diagnostics.hpp>

namespace situ {

template <Element T, Device D = Cpu>
class Tensor;
template <Element T, Device D>
class Lease;
template <Element T, Device D>
class Slot;
template <Element T, Device D>
class ElementSlot;
template <class X>
class Pending;

namespace internal {
template <class X>
inline constexpr bool is_tensor = false;
template <class T, class D>
inline constexpr bool is_tensor<Tensor<T, D>> = true;
}  // namespace internal

/// A `Tensor` itself.
template <class X>
concept TensorType = internal::is_tensor<std::remove_cvref_t<X>>;

namespace internal {
template <class X>
inline constexpr bool is_slot = false;
template <class T, class D>
inline constexpr bool is_slot<Slot<T, D>> = true;
}  // namespace internal

namespace internal {
/// Whether evaluating `X` records a tape for gradients: true for a `Variable` (autograd/), and for expressions that
/// depend on one.
template <class X>
inline constexpr bool records = false;
}  // namespace internal

/// A `Variable`, or an expression that depends on one through floating elements: its value is a `Variable` again.
template <class X>
concept Recorded = TensorLike<X> && internal::records<std::remove_cvref_t<X>>;

namespace internal {
/// Whether a device's memory can be one end of an asynchronous copy: that of GPUs, and pinned memory.
template <class D>
inline constexpr bool asynchronous = requires { typename D::copy_in_flight; };

/// The error if one end cannot.
template <class From, class To>
using asynchronous_copy_fix = std::conditional_t<
    asynchronous<From>,
    typename pageable_memory_cannot_be_copied_asynchronously<To>::template fix_call_to_async<Pinned>,
    typename pageable_memory_cannot_be_copied_asynchronously<From>::template fix_call_dot_to<Pinned>>;
}  // namespace internal

/// A lazy expression: it is computed when it becomes a tensor.
template <class X>
concept Evaluable = TensorLike<X> && !TensorType<X> && !internal::is_slot<std::remove_cvref_t<X>> && !Recorded<X>;

/// `Evaluable` with exactly this element type and device.
template <class X, class T, class D>
concept EvaluableTo = Evaluable<X> && std::same_as<value_type_t<X>, T> && std::same_as<device_t<X>, D>;

}  // namespace situ
