// SPDX-License-Identifier: Apache-2.0
// The arguments of a kernel, checked against its parameters: the pointers of a launch, and values.
#pragma once

#include <concepts>
#include <string>
#include <type_traits>
#include <utility>

#include <situ/core/error.hpp>
#include <situ/device/device.hpp>
#include <situ/tensor/device_pointer.hpp>

namespace situ::internal::launch {

template <class A>
inline constexpr bool is_device_pointer = false;
template <class T, class D>
inline constexpr bool is_device_pointer<DevicePointer<T, D>> = true;

/// What is wrong with an argument of a kernel, if anything.
enum class Misfit { none, host_pointer, no_conversion, other_device, other_elements, read_only };

/// A value `A` for parameter `P`.
template <class P, class A, Device D>
struct Argument {
  static constexpr bool is_raw_pointer =
      std::is_pointer_v<std::decay_t<A>> && !std::is_function_v<std::remove_pointer_t<std::decay_t<A>>>;
  static constexpr Misfit misfit = is_raw_pointer                      ? Misfit::host_pointer
                                   : !std::convertible_to<const A&, P> ? Misfit::no_conversion
                                                                       : Misfit::none;
};
/// A pointer of a launch.
template <class P, class T, class E, Device D>
struct Argument<P, DevicePointer<T, E>, D> {
  using Pointee = std::remove_pointer_t<P>;
  static constexpr bool fits =
      std::is_pointer_v<P> &&
      (std::is_void_v<Pointee> || std::same_as<std::remove_cv_t<Pointee>, std::remove_const_t<T>>);
  static constexpr Misfit misfit = !std::same_as<E, D>                               ? Misfit::other_device
                                   : !fits                                           ? Misfit::other_elements
                                   : std::is_const_v<T> && !std::is_const_v<Pointee> ? Misfit::read_only
                                                                                     : Misfit::none;
};

/// Whether one of the arguments `A` has this misfit for its parameter.
template <Misfit Which, class D, class Parameters, class Arguments>
inline constexpr bool any_misfit = false;
template <Misfit Which, class D, class... P, class... A>
  requires(sizeof...(P) == sizeof...(A))
inline constexpr bool any_misfit<Which, D, void(P...), void(A...)> = ((Argument<P, A, D>::misfit == Which) || ...);

/// The argument for a parameter `P` that it fits. Throws `ValueError` for an integer that the parameter cannot hold.
template <class P, class A>
[[nodiscard]] P convert_argument(const A& value, const char* kernel, int position) {
  if constexpr (std::integral<P> && std::integral<A> && !std::same_as<P, bool> && !std::same_as<A, bool>) {
    const P converted = static_cast<P>(value);
    if (static_cast<A>(converted) != value || (converted < P{}) != (value < A{})) {
      throw ValueError("launch_on: argument " + std::to_string(position) + " of kernel " + kernel + ", " +
                       std::to_string(value) + ", does not fit the parameter's " + std::to_string(8 * sizeof(P)) +
                       " bits: give the kernel a parameter of std::int64_t");
    }
  }
  if constexpr (is_device_pointer<A>) return static_cast<typename A::element_type*>(value);  // also for `void*`
  else return static_cast<P>(value);
}

}  // namespace situ::internal::launch
