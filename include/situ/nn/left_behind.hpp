// SPDX-License-Identifier: Apache-2.0
// Whether all modules in a module follow it to another device, and which is the first that does not.
#pragma once

#include <array>
#include <concepts>
#include <cstddef>
#include <optional>
#include <tuple>
#include <type_traits>
#include <utility>
#include <vector>

#include <situ/device/device.hpp>
#include <situ/nn/members.hpp>
#include <situ/nn/rebind.hpp>

namespace situ::nn {

/// "the type of this module does not name its device: fix: make it a template, `template <Device D> struct Net`; or, if
/// the device is not among its arguments, name the type on another device by a member template `on`". See `rebind_t`.
template <class M>
struct the_type_of_this_module_does_not_name_its_device {
  struct fix_make_it_template_Device_D_or_add_a_member_on {};
};

namespace detail {

/// The first module in an `X`, itself included, whose members would have another type after moving to device `To`; void
/// if there is none.
template <class X, class To>
struct LeftBehind {
  using type = void;
};
template <class To, class... X>
struct FirstLeftBehind {
  using type = void;
};
template <class To, class X, class... Rest>
struct FirstLeftBehind<To, X, Rest...> {
  using first = typename LeftBehind<X, To>::type;
  using type =
      typename std::conditional_t<std::is_void_v<first>, FirstLeftBehind<To, Rest...>, std::type_identity<first>>::type;
};

template <class To, class Here, class There>
inline constexpr bool members_follow = false;
template <class To, class... Here, class... There>
  requires(sizeof...(Here) == sizeof...(There))
inline constexpr bool members_follow<To, MemberList<Here...>, MemberList<There...>> =
    (std::same_as<rebind_t<typename Here::type, To>, typename There::type> && ...);

template <class To, class Members>
struct LeftBehindAmong;
template <class To, class... M>
struct LeftBehindAmong<To, MemberList<M...>> : FirstLeftBehind<To, typename M::type...> {};

template <class X, Device To>  // a guard also asks with types that are not devices
  requires NamesMembers<X>
struct LeftBehind<X, To>
    : std::conditional_t<members_follow<To, decltype(X::members()), decltype(rebind_t<X, To>::members())>,
                         LeftBehindAmong<To, decltype(X::members())>, std::type_identity<X>> {};
template <class... Layers, class To>
struct LeftBehind<std::tuple<Layers...>, To> : FirstLeftBehind<To, Layers...> {};
template <class X, Device To>
  requires(NumbersLayers<X> && !NamesMembers<X>)
struct LeftBehind<X, To> : LeftBehind<std::remove_cvref_t<decltype(std::declval<X&>().layers())>, To> {};
template <class X, class To>
struct LeftBehind<std::optional<X>, To> : LeftBehind<X, To> {};
template <class X, class A, class To>
struct LeftBehind<std::vector<X, A>, To> : LeftBehind<X, To> {};
template <class X, std::size_t Size, class To>
struct LeftBehind<std::array<X, Size>, To> : LeftBehind<X, To> {};

template <class M, class To>
inline constexpr bool follows = std::is_void_v<typename LeftBehind<M, To>::type>;
template <class M, class To>
using device_fix = typename the_type_of_this_module_does_not_name_its_device<
    typename LeftBehind<M, To>::type>::fix_make_it_template_Device_D_or_add_a_member_on;

}  // namespace detail

}  // namespace situ::nn
