// SPDX-License-Identifier: Apache-2.0
// Operands that an element-wise operation accepts, and the node it makes of them.
#pragma once

#include <concepts>
#include <type_traits>
#include <utility>

#include <situ/core/scalar.hpp>
#include <situ/device/foreign.hpp>
#include <situ/expression/nodes.hpp>

namespace situ {

namespace internal {

template <class... X>
struct Agreement;  // finds the first TensorLike
template <class X, class... Rest>
struct Agreement<X, Rest...> : Agreement<Rest...> {};
template <class X, class... Rest>
  requires TensorLike<X>
struct Agreement<X, Rest...> {
  using element = value_type_t<X>;
  using device = device_t<X>;
};
template <>
struct Agreement<> {
  using element = void;
  using device = void;
};

template <class X, class T, class D>
concept ForeignOf = ForeignOperand<X> && std::same_as<foreign_element_t<X>, T> && std::same_as<foreign_device_t<X>, D>;

template <class X, class T, class D>
inline constexpr bool agrees = WeakScalarFor<X, T> || ForeignOf<X, T, D>;
template <class X, class T, class D>
  requires TensorLike<X>
inline constexpr bool agrees<X, T, D> = std::same_as<value_type_t<X>, T> && std::same_as<device_t<X>, D>;

template <class... X>
using common_element_t = typename Agreement<X...>::element;
template <class... X>
using common_device_t = typename Agreement<X...>::device;

}  // namespace internal

/// Operands that agree: all tensors and expressions have the same device and element type, and scalars beside them fit
/// by type (`WeakScalarFor`), as do expressions of other libraries (`Foreign`). At least one is a tensor or an
/// expression.
template <class... X>
concept Operands =
    (TensorLike<X> || ...) &&
    (internal::agrees<std::remove_cvref_t<X>, internal::common_element_t<X...>, internal::common_device_t<X...>> &&
     ...);

namespace internal {

/// What functor `F` makes of operands that are no tensors: `type`, and `make(function, operands...)`. Empty here;
/// distributed/elementwise.hpp specializes it for spread values, so that each function is written once.
template <class F, class... X>
struct Elementwise {};

/// The class of what `F` makes of its operands. (A class for each answer, not `std::conditional_t`, which would name
/// both.)
template <bool OfTensors>
struct NodeOf {
  template <class F, class... X>
  using type = LazyUntilEval<F, stored_operand_t<common_element_t<X...>, X>...>;
};
template <>
struct NodeOf<false> {
  template <class F, class... X>
  using type = typename Elementwise<F, X...>::type;
};

}  // namespace internal

/// Operands that functor `F` applies to: `Operands` with elements that it computes with, or spread values of such.
template <class F, class... X>
concept OperandsOf = (Operands<X...> && F::template accepts<internal::common_element_t<X...>>) ||
                     requires { typename internal::Elementwise<F, X...>::type; };

/// The node of functor `F` over operands: `lazy_until_eval_t<internal::functional::Add, L, R>`.
template <class F, class... X>
using lazy_until_eval_t = typename internal::NodeOf<(TensorLike<X> || ...)>::template type<F, X...>;

namespace internal {

template <class F, class... X>
[[nodiscard]] lazy_until_eval_t<F, X...> make_map(F function, X&&... operands) {
  if constexpr ((TensorLike<X> || ...)) {
    return lazy_until_eval_t<F, X...>(std::move(function), std::in_place, std::forward<X>(operands)...);
  } else {
    return Elementwise<F, X...>::make(function, operands...);
  }
}

}  // namespace internal

/// A tensor or expression with a fraction in its elements.
template <class X>
concept FloatingTensor = TensorLike<X> && FloatingElement<value_type_t<X>>;

}  // namespace situ
