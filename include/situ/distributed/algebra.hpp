// SPDX-License-Identifier: Apache-2.0
// The algebra of layouts: the layout that an element-wise operation returns for operands in given layouts, or that it
// is refused. Known at compile time, except for rules that depend on the rank.
//
//     R, R -> R      S<k>, S<k> -> S<k>      R, S<k> -> S<k>      Local, Local -> Local      Local, R -> Local
//     a number counts as an R in all of these
//     P<sum>: P + P, P - P, -P, P * R, R * P, P / R, P * number, number * P, P / number, cast to
//     a wider float -> P<sum>
//     everything else is refused
#pragma once

#include <concepts>
#include <cstdint>
#include <initializer_list>
#include <string>
#include <type_traits>

#include <situ/core/broadcast.hpp>
#include <situ/core/error.hpp>
#include <situ/core/scalar.hpp>
#include <situ/core/shape.hpp>
#include <situ/distributed/layout.hpp>
#include <situ/distributed/spread.hpp>
#include <situ/formula/functional/arithmetic.hpp>
#include <situ/formula/functional/select.hpp>

namespace situ {

namespace internal {

/// In place of a layout: for a number, and for a combination without a result.
struct NoLayout {};
struct Refused {};

/// The layout of two operands, neither of them a `Partial`, under any function.
template <class A, class B>
struct JointLayout {
  using type = Refused;
};
template <class A>
  requires(!SpreadLayout<A> || !is_partial<A>)
struct JointLayout<A, A> {
  using type = A;
};
template <SpreadLayout A>
  requires(!is_partial<A>)
struct JointLayout<A, NoLayout> {
  using type = A;
};
template <SpreadLayout B>
  requires(!is_partial<B>)
struct JointLayout<NoLayout, B> {
  using type = B;
};
template <SpreadLayout A>
  requires(!is_partial<A> && !std::same_as<A, Replicated>)
struct JointLayout<A, Replicated> {
  using type = A;
};
template <SpreadLayout B>
  requires(!is_partial<B> && !std::same_as<B, Replicated>)
struct JointLayout<Replicated, B> {
  using type = B;
};

/// The layout of `F` over operands of these layouts.
template <class F, class First, class... Rest>
struct ElementwiseLayout {
  using type = Refused;
};
template <class F, SpreadLayout Only>
  requires(!is_partial<Only>)
struct ElementwiseLayout<F, Only> {
  using type = Only;
};
template <class F, class A, class B>
struct ElementwiseLayout<F, A, B> : JointLayout<A, B> {};
template <class F, class A, class B, class C>
struct ElementwiseLayout<F, A, B, C> : JointLayout<typename JointLayout<A, B>::type, C> {};
template <class F, class A, class B, class C, class D, class... Rest>
struct ElementwiseLayout<F, A, B, C, D, Rest...>
    : ElementwiseLayout<F, typename JointLayout<A, B>::type, C, D, Rest...> {};

// Functions that are linear in a sum.
template <>
struct ElementwiseLayout<functional::Add, Partial<>, Partial<>> {
  using type = Partial<>;
};
template <>
struct ElementwiseLayout<functional::Subtract, Partial<>, Partial<>> {
  using type = Partial<>;
};
template <>
struct ElementwiseLayout<functional::Negate, Partial<>> {
  using type = Partial<>;
};
template <class To>
struct ElementwiseLayout<functional::Cast<To>, Partial<>> {
  using type = Partial<>;
};
template <class Factor>
concept SameForAllParts = std::same_as<Factor, Replicated> || std::same_as<Factor, NoLayout>;
template <SameForAllParts Factor>
struct ElementwiseLayout<functional::Multiply, Partial<>, Factor> {
  using type = Partial<>;
};
template <SameForAllParts Factor>
struct ElementwiseLayout<functional::Multiply, Factor, Partial<>> {
  using type = Partial<>;
};
template <SameForAllParts Divisor>
struct ElementwiseLayout<functional::Divide, Partial<>, Divisor> {
  using type = Partial<>;
};

/// The layout of an operand: that of a spread value, `NoLayout` for a number. A tensor on one device does not combine
/// with spread values.
template <class X>
struct OperandLayout {
  using type = Refused;
};
template <ScalarOperand X>
struct OperandLayout<X> {
  using type = NoLayout;
};
template <SpreadLike X>
struct OperandLayout<X> {
  using type = layout_t<X>;
};
template <class F, class... X>
using elementwise_layout_t =
    typename ElementwiseLayout<F, typename OperandLayout<std::remove_cvref_t<X>>::type...>::type;

/// Element type and mesh of the first spread operand.
template <class... X>
struct SpreadAgreement {
  using element = void;
  using mesh = void;
};
template <class X, class... Rest>
struct SpreadAgreement<X, Rest...> : SpreadAgreement<Rest...> {};
template <SpreadLike X, class... Rest>
struct SpreadAgreement<X, Rest...> {
  using element = spread_element_t<X>;
  using mesh = spread_mesh_t<X>;
};
template <class X, class T, class Mesh>
inline constexpr bool agrees_with_spread = WeakScalarFor<std::remove_cvref_t<X>, T>;
template <SpreadLike X, class T, class Mesh>
inline constexpr bool agrees_with_spread<X, T, Mesh> =
    std::same_as<spread_element_t<X>, T> && std::same_as<spread_mesh_t<X>, Mesh>;

/// Operands over one mesh and of one element type, at least one of them spread, and numbers that fit that type.
template <class... X>
concept SpreadOperands =
    (SpreadLike<X> || ...) &&
    (agrees_with_spread<X, typename SpreadAgreement<X...>::element, typename SpreadAgreement<X...>::mesh> && ...);
/// ... of an element type that functor `F` accepts, in layouts that `F` can be applied to.
template <class F, class... X>
concept SpreadOperandsOf = SpreadOperands<X...> && F::template accepts<typename SpreadAgreement<X...>::element> &&
                           SpreadLayout<elementwise_layout_t<F, X...>>;

template <class X, class F>
concept SpreadOperandOf = SpreadOperandsOf<F, X>;

/// The shape of an operand and whether it is cut; null for a number.
struct OperandShape {
  const Shape* shape;
  bool sharded;
};
template <class X>
[[nodiscard]] OperandShape operand_shape(const X& x) noexcept {
  if constexpr (SpreadLike<X>) return {&x.shape(), is_sharded<layout_t<X>>};
  else return {nullptr, false};
}

/// The shape of the result of operands that broadcast, where the sharded ones are cut along `axis` (-1: none is).
/// Throws `ShapeError` if broadcasting would move or stretch that axis, or if a replicated operand has more than one
/// position along it.
[[nodiscard]] inline Shape broadcast_spread(std::initializer_list<OperandShape> operands, int axis,
                                            const char* operation) {
  Shape result;
  for (const OperandShape& operand : operands) {
    if (operand.shape != nullptr) result = broadcast_shapes(result, *operand.shape, operation);
  }
  if (axis < 0) return result;
  for (const OperandShape& operand : operands) {
    if (operand.shape == nullptr) continue;
    const Shape& shape = *operand.shape;
    const int own = axis - (result.rank() - shape.rank());  // the operand's axis that is aligned with it
    const std::string text = std::string(operation) + ": an operand of shape " + shape.to_string();
    const std::string layout = "Sharded<" + std::to_string(axis) + ">";
    if (operand.sharded && (own != axis || shape[own] != result[axis])) {
      throw ShapeError(text + " is " + layout + ", and broadcasting it to " + result.to_string() +
                       (own != axis ? " would renumber" : " would stretch") +
                       " that axis; reshape it to the rank of the result, or all_gather it");
    }
    if (!operand.sharded && own >= 0 && shape[own] != 1) {
      throw ShapeError(text + " is Replicated beside one that is " + layout + ", and has " +
                       std::to_string(shape[own]) + " positions along that axis; call shard<" + std::to_string(axis) +
                       ">(r) first, which moves nothing");
    }
  }
  return result;
}

/// The shape of the result of an element-wise operation. Unused for a `Local`, whose parts have their own shapes.
template <class Layout, class... X>
[[nodiscard]] Shape elementwise_shape(const char* operation, const X&... x) {
  if constexpr (std::same_as<Layout, Local>) return {};
  else return broadcast_spread({operand_shape(x)...}, sharded_axis<Layout>, operation);
}

}  // namespace internal

}  // namespace situ
