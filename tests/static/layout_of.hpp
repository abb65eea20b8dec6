// SPDX-License-Identifier: Apache-2.0
// What the tests of the algebra of layouts ask: the layout of what a call gives, and whether it is refused.
#pragma once

#include <concepts>
#include <type_traits>

#include <situ/distributed.hpp>

/// The layout of what `call` gives for these operands; `void` where it is refused.
template <class Call, class... X>
struct LayoutOf {
  using type = void;
};
template <class Call, class... X>
  requires std::invocable<const Call&, const X&...>
struct LayoutOf<Call, X...> {
  using type = situ::layout_t<std::invoke_result_t<const Call&, const X&...>>;
};
template <class Expected, class Call, class... X>
inline constexpr bool gives = std::same_as<typename LayoutOf<Call, X...>::type, Expected>;
template <class Call, class... X>
inline constexpr bool refused = gives<void, Call, X...>;

template <class T, class L>
using Over = situ::Spread<T, L, situ::Cuda<0>, situ::Cuda<1>>;
