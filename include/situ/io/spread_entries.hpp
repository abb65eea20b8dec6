// SPDX-License-Identifier: Apache-2.0
// Whether the contents of a checkpoint include values over several devices. Does not include the headers of these
// types.
#pragma once

#include <array>
#include <concepts>
#include <cstddef>
#include <optional>
#include <tuple>
#include <type_traits>
#include <utility>
#include <vector>

#include <situ/nn/members.hpp>

namespace situ::internal::io {

/// A `Spread` or a `SpreadVariable`, an object that lists such entries, or a module, list or tuple that contains one.
template <class X>
struct IsSpread {
  static constexpr bool value = requires {
    typename X::layout_type;
    typename X::mesh_type;
  } || requires { typename X::lists_parameter_parts; } || requires { typename X::lists_spread_state; };
};
template <class... X>
struct IsSpread<std::tuple<X...>> : std::bool_constant<(IsSpread<X>::value || ...)> {};
template <class X>
struct IsSpread<std::optional<X>> : IsSpread<X> {};
template <class X, class A>
struct IsSpread<std::vector<X, A>> : IsSpread<X> {};
template <class X, std::size_t Size>
struct IsSpread<std::array<X, Size>> : IsSpread<X> {};
template <class... M>
struct IsSpread<nn::MemberList<M...>> : std::bool_constant<(IsSpread<typename M::type>::value || ...)> {};
template <class X>
  requires nn::detail::NamesMembers<X>
struct IsSpread<X> : IsSpread<decltype(X::members())> {};
template <class X>
  requires(nn::detail::NumbersLayers<X> && !nn::detail::NamesMembers<X>)
struct IsSpread<X> : IsSpread<std::remove_cvref_t<decltype(std::declval<X&>().layers())>> {};

template <class X>
concept HoldsSpread = IsSpread<std::remove_cvref_t<X>>::value;

}  // namespace situ::internal::io
