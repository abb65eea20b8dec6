// SPDX-License-Identifier: Apache-2.0
// Element-wise operations of spread values that choose, limit, convert, or call a user's functor: `where clamp cast map
// isclose`; see ops/select.hpp and ops/closeness.hpp for the operations.
#pragma once

#include <concepts>
#include <type_traits>
#include <utility>

#include <situ/distributed/algebra.hpp>
#include <situ/distributed/diagnostics.hpp>
#include <situ/distributed/elementwise.hpp>
#include <situ/distributed/guards.hpp>
#include <situ/distributed/map_parts.hpp>
#include <situ/distributed/spread.hpp>
#include <situ/formula/functional/compare.hpp>
#include <situ/formula/functional/select.hpp>
#include <situ/ops/closeness.hpp>
#include <situ/ops/select.hpp>

namespace situ {

namespace internal {

// Calls of the functions of tensors for parts; classes, like MapOf.
struct WhereOf {
  template <class M, class A, class B>
  [[nodiscard]] auto operator()(const M& mask, const A& a, const B& b) const {
    return situ::where(mask, a, b);
  }
};
template <class To>
struct CastOf {
  template <class X>
  [[nodiscard]] auto operator()(const X& x) const {
    return situ::cast<To>(x);
  }
};
template <class F>
struct UserMapOf {
  const F& function;
  template <class... X>
  [[nodiscard]] auto operator()(const X&... x) const {
    return situ::map(function, x...);
  }
};
struct IsCloseOf {
  Tolerance tolerance;
  template <class A, class B>
  [[nodiscard]] auto operator()(const A& a, const B& b) const {
    return situ::isclose(a, b, tolerance);
  }
};

/// A mask of `bool` on the devices of `a` and `b`, in layouts that agree.
template <class M, class A, class B>
concept SpreadChoice =
    SpreadOperandsOf<functional::Where, A, B> && SpreadLike<M> && std::same_as<spread_element_t<M>, bool> &&
    std::same_as<spread_mesh_t<M>, typename SpreadAgreement<A, B>::mesh> &&
    SpreadLayout<elementwise_layout_t<functional::Where, M, A, B>>;

/// Whether a value may be converted to elements `To`. The sum of rounded terms is not the rounded sum, so a `Partial`
/// is converted only to a wider float, which represents all its values.
template <class Layout, class From, class To>
concept CastsIn = !is_partial<Layout> || (std::same_as<Layout, Partial<>> && FloatingElement<From> &&
                                          FloatingElement<To> && (sizeof(To) > sizeof(From)));

/// Values over one mesh in layouts that agree, of any elements.
template <class... X>
concept SpreadTogether =
    (SpreadLike<X> && ...) && (std::same_as<spread_mesh_t<X>, typename SpreadAgreement<X...>::mesh> && ...) &&
    SpreadLayout<elementwise_layout_t<functional::Where, X...>>;

/// The operands of a functor over single elements.
template <class F, class... X>
concept CallableByElements = SpreadTogether<X...> && std::invocable<const F&, compute_t<spread_element_t<X>>...>;

template <class A, class B>
concept SpreadComparable = SpreadOperandsOf<functional::IsClose, A, B>;

namespace operation {
struct Choice {  // named for the guards of `where` and `isclose`
  template <Element T>
  static constexpr bool accepts = true;
};
}  // namespace operation
/// Why a mask, or a choice with it, does not fit the next choice. A sum has a guard of its own; a number is accepted.
template <SpreadLike Left, SpreadLike Right>
struct Mismatch<operation::Choice, Left, Right> {
  using T = spread_element_t<Right>;
  using type =
      typename decltype(reason_of<functional::Where,
                                  std::conditional_t<std::same_as<spread_element_t<Left>, bool>,
                                                     spread_over<T, layout_t<Left>, spread_mesh_t<Left>>, Left>,
                                  Right>())::type;
};
template <SpreadLike Left, SpreadLike Right>
  requires is_partial<layout_t<Right>> ||
           (SpreadTogether<Left, Right> && (std::same_as<spread_element_t<Left>, bool> ||
                                            std::same_as<spread_element_t<Left>, spread_element_t<Right>>))
struct Mismatch<operation::Choice, Left, Right> {};
template <SpreadLike Left, ScalarOperand Right>
struct Mismatch<operation::Choice, Left, Right> {};

}  // namespace internal

template <class M, class A, class B>
  requires internal::SpreadChoice<M, A, B>
[[nodiscard]] auto where(const M& mask, const A& a, const B& b) {
  using Result = internal::elementwise_layout_t<internal::functional::Where, M, A, B>;
  return internal::map_parts<Result>(internal::elementwise_shape<Result>("where", mask, a, b), internal::WhereOf{},
                                     mask, a, b);
}
template <class A, class B>
never_made where(a_partial_sum_is_not_a_value::fix_call_all_reduce, const A&, const B&);
template <class L, class Mesh, class B>
  requires(!internal::is_partial<L>)
never_made where(const spread_over<bool, L, Mesh>&,
                 typename the_operands_do_not_fit<internal::operation::Choice, spread_over<bool, L, Mesh>>::see_Reason,
                 const B&);
template <class L, class T, class A, class Mesh>
  requires SpreadLayout<
      internal::elementwise_layout_t<internal::functional::Where, spread_over<bool, L, Mesh>, spread_over<T, A, Mesh>>>
never_made where(
    const spread_over<bool, L, Mesh>&, const spread_over<T, A, Mesh>&,
    typename the_operands_do_not_fit<internal::operation::Choice,
                                     spread_over<T, typename internal::JointLayout<L, A>::type, Mesh>>::see_Reason);
template <SpreadLike M, class B>
  requires(!internal::is_partial<layout_t<M>>)
never_made where(const M&, a_partial_sum_is_not_a_value::fix_call_all_reduce, const B&);
template <SpreadLike M, class A>
  requires(!internal::is_partial<layout_t<M>>)
never_made where(const M&, const A&, a_partial_sum_is_not_a_value::fix_call_all_reduce);

template <class Low, class High>
never_made clamp(a_partial_sum_is_not_a_value::fix_call_all_reduce, const Low&, const High&);

/// The elements converted; of a `Partial` to a wider float only.
template <Element To, SpreadLike X>
  requires internal::CastsIn<layout_t<X>, internal::spread_element_t<X>, To>
[[nodiscard]] auto cast(const X& x) {
  return internal::map_parts<layout_t<X>>(x.shape(), internal::CastOf<To>{}, x);
}
template <Element To>
never_made cast(a_partial_sum_is_not_a_value::fix_call_all_reduce);

/// A user's functor applied to every element; see `map` of tensors.
template <class F, class... X>
  requires(sizeof...(X) > 0) && internal::CallableByElements<F, X...>
[[nodiscard]] auto map(const F& f, const X&... x) {
  using Result = internal::elementwise_layout_t<internal::functional::Where, X...>;
  return internal::map_parts<Result>(internal::elementwise_shape<Result>("map", x...), internal::UserMapOf<F>{f}, x...);
}
template <class F, class... Rest>
never_made map(const F&, a_partial_sum_is_not_a_value::fix_call_all_reduce, const Rest&...);
template <class F, SpreadLike X>
  requires(!internal::is_partial<layout_t<X>>)
never_made map(const F&, const X&, a_partial_sum_is_not_a_value::fix_call_all_reduce);

template <class A, class B>
  requires internal::SpreadComparable<A, B>
[[nodiscard]] auto isclose(const A& a, const B& b, Tolerance tolerance = {}) {
  using Result = internal::elementwise_layout_t<internal::functional::IsClose, A, B>;
  return internal::map_parts<Result>(internal::elementwise_shape<Result>("isclose", a, b),
                                     internal::IsCloseOf{tolerance}, a, b);
}
template <class B>
never_made isclose(a_partial_sum_is_not_a_value::fix_call_all_reduce, const B&, Tolerance = {});
template <class T, class L, class Mesh>
  requires(!internal::is_partial<L>)
never_made isclose(const spread_over<T, L, Mesh>&,
                   typename the_operands_do_not_fit<internal::operation::Choice, spread_over<T, L, Mesh>>::see_Reason,
                   Tolerance = {});
template <SpreadLike A>
  requires(!internal::is_partial<layout_t<A>>)
never_made isclose(const A&, a_partial_sum_is_not_a_value::fix_call_all_reduce, Tolerance = {});

}  // namespace situ
