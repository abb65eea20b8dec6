// SPDX-License-Identifier: Apache-2.0
// The type of a module on another device.
#pragma once

#include <array>
#include <concepts>
#include <cstddef>
#include <type_traits>

#include <situ/core/dtype.hpp>
#include <situ/device/device.hpp>
#include <situ/tensor/fwd.hpp>

namespace situ::nn {

namespace detail {

// One pattern after the other; each is its own template, so that a type which matches two is not ambiguous. Patterns
// with constrained parameters are needed beside the general one: a template with constraints does not match `class...`.

template <class X, class To>
struct RebindArguments {
  using type = X;  // not a template of types: a number, a module without a device
};
template <template <class...> class M, class... Args, class To>
struct RebindArguments<M<Args...>, To>;

template <class X, class To>
struct RebindValues : RebindArguments<X, To> {};
template <template <Device, auto...> class M, class D, auto... Values, class To>
  requires Device<D> && (sizeof...(Values) > 0)
struct RebindValues<M<D, Values...>, To> {
  using type = M<To, Values...>;
};

template <class X, class To>
struct RebindElements : RebindValues<X, To> {};
template <template <FloatingElement, Device> class M, class T, class D, class To>
  requires FloatingElement<T> && Device<D>
struct RebindElements<M<T, D>, To> {
  using type = M<T, To>;
};

template <class X, class To>
struct RebindDevice : RebindElements<X, To> {};
template <template <Device> class M, class D, class To>
  requires Device<D>
struct RebindDevice<M<D>, To> {
  using type = M<To>;
};
template <class T, class D, class To>
struct RebindDevice<Tensor<T, D>, To> {
  using type = Tensor<T, To>;
};

template <class X, class To>
struct RebindHook : RebindDevice<X, To> {};
template <class X, class To>
  requires requires { typename X::template on<To>; }
struct RebindHook<X, To> {
  using type = typename X::template on<To>;
};
template <class X, class To>
  requires Device<X>
struct RebindHook<X, To> {
  using type = To;
};
template <class X, std::size_t Size, class To>
struct RebindHook<std::array<X, Size>, To> {
  using type = std::array<typename RebindHook<X, To>::type, Size>;
};

template <template <class...> class M, class... Args, class To>
struct RebindArguments<M<Args...>, To> {
  using type = M<typename RebindHook<Args, To>::type...>;
};

}  // namespace detail

/// A type with device `To` in place of the devices among its template arguments, and recursively among theirs:
/// `Sequential<Linear<float, Cuda<0>>, ReLU>` from `Sequential<Linear<float, Cpu>, ReLU>`. A module with other template
/// parameters than devices, elements and modules (or a device followed by numbers) names the type itself:
///
///     template <int Depth, Device D>
///     struct Tower {
///       template <Device To> using on = Tower<Depth, To>;
template <class X, class To>
using rebind_t =
    typename std::conditional_t<std::is_void_v<To>, std::type_identity<X>, detail::RebindHook<X, To>>::type;

}  // namespace situ::nn
