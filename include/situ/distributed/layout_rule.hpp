// SPDX-License-Identifier: Apache-2.0
// Layout rules of operations of one operand whose axes are template arguments: `softmax<1>(x)`. The functions are those
// of ops/, which call `along<Operation, Axes...>(x, f)`; here is what that does for spread values: `f` of each part, in
// the layout that the operation's rule computes. A rule says
//
//     named       whether the axes are axes, counted from the front
//     terms       of which terms it makes terms
//     cut(axis)   the new number of the axis that is cut, or `lost` if every device needs all positions of it, or
//                 `a_term` if each device makes a term of the result
//
// An operation along one axis states `keeps_layout`, and of which elements it is `linear` (`ops/scan.hpp`), or that it
// only `moves` them. A reduction needs all positions unless its rule says otherwise (`RuleOf` in reduce.hpp).
#pragma once

#include <concepts>
#include <cstdint>
#include <tuple>
#include <type_traits>
#include <utility>

#include <situ/core/config.hpp>
#include <situ/core/dtype.hpp>
#include <situ/core/shape.hpp>
#include <situ/distributed/algebra.hpp>
#include <situ/distributed/axis.hpp>
#include <situ/distributed/axis_guards.hpp>
#include <situ/distributed/diagnostics.hpp>
#include <situ/distributed/layout.hpp>
#include <situ/distributed/map_parts.hpp>
#include <situ/distributed/spread.hpp>
#include <situ/ops/axes_of.hpp>

namespace situ {

namespace internal {

/// Which terms an operation turns into terms: none, those of sums (it is linear), or all (it only moves elements).
enum class Terms { none, sums, all };

/// What a rule makes of the axis that is cut if the operation needs all positions of it, or if each device makes a term.
inline constexpr int lost = -1, a_term = -2;

/// The result keeps its layout; of its one axis every device needs all positions.
template <Terms Kept, auto... Axis>
struct WholeAxis {
  static constexpr bool named = sizeof...(Axis) == 1 && AxisArguments<Axis...>;
  static constexpr Terms terms = Kept;
  [[nodiscard]] static constexpr int cut(int axis) { return AxesOf<Axis...>::has(axis) ? lost : axis; }
};

/// A reduction over axes of which every device needs all positions.
template <auto... How>
struct WholeAxes : AxesOf<How...> {
  static constexpr bool named = AxisArguments<How...>;
  static constexpr Terms terms = Terms::none;
  [[nodiscard]] static constexpr int cut(int axis) {
    return AxesOf<How...>::has(axis) ? lost : AxesOf<How...>::moved(axis);
  }
};

/// A reduction of which each device makes a term over the axis that is cut; `Op` combines the terms.
template <ReduceOp Op, Terms Kept, auto... How>
struct TermsAlong : WholeAxes<How...> {
  static constexpr ReduceOp op = Op;
  static constexpr Terms terms = Kept;
  [[nodiscard]] static constexpr int cut(int axis) {
    return AxesOf<How...>::has(axis) ? a_term : AxesOf<How...>::moved(axis);
  }
};

/// The layout of the result, or `Refused`.
template <class Rule, class Layout>
struct LayoutBy {
  using type = Layout;
};
template <class Rule, int Axis>
  requires(Rule::cut(Axis) >= 0)
struct LayoutBy<Rule, Sharded<Axis>> {
  using type = Sharded<Rule::cut(Axis)>;
};
template <class Rule, int Axis>
  requires(Rule::cut(Axis) == a_term)
struct LayoutBy<Rule, Sharded<Axis>> {
  using type = Partial<Rule::op>;
};
template <class Rule, int Axis>
  requires(Rule::cut(Axis) == lost)
struct LayoutBy<Rule, Sharded<Axis>> {
  using type = Refused;
};
template <class Rule, ReduceOp Op>
struct LayoutBy<Rule, Partial<Op>> {
  static constexpr bool stays = Rule::terms == Terms::all || (Rule::terms == Terms::sums && Op == ReduceOp::sum);
  using type = std::conditional_t<stays, Partial<Op>, Refused>;
};
template <class Rule, class X>
using layout_by_rule_t = typename LayoutBy<Rule, layout_t<X>>::type;

/// The spread value of these parts, each made of a part of `x`. Its shape is that of the first, in which the axis that is
/// cut has the extent that it has in `x`.
template <class Rule, class X, class... Part>
[[nodiscard]] auto spread_by(const X& x, std::tuple<Part...> parts) {
  using Layout = layout_by_rule_t<Rule, X>;
  Shape shape = std::get<0>(parts).shape();
  if constexpr (is_sharded<Layout>) shape.set(sharded_axis<Layout>, x.shape()[sharded_axis<layout_t<X>>]);
  return make_spread<Layout>(x.mesh(), shape, std::move(parts));
}

/// `f` of each part, in the layout of `Rule`.
template <class Rule, class X, class F>
[[nodiscard]] auto on_parts(const X& x, const F& f) {
  return spread_by<Rule>(x, each_part(x, f));
}

template <class Operation, class T>
struct TermsOf {
  static constexpr Terms value = Terms::none;
};
template <class Operation, class T>
  requires(Operation::template linear<T>)
struct TermsOf<Operation, T> {
  static constexpr Terms value = Terms::sums;
};
template <class Operation, class T>
  requires(Operation::moves)
struct TermsOf<Operation, T> {
  static constexpr Terms value = Terms::all;
};

/// The rule of an operation on elements `T`: it states `keeps_layout`, and whether it is `linear`, or is a reduction.
template <class Operation, class T, auto... How>
struct RuleOf : WholeAxes<How...> {};
template <class Operation, class T, auto... Axis>
  requires(Operation::keeps_layout)
struct RuleOf<Operation, T, Axis...> : WholeAxis<TermsOf<Operation, T>::value, Axis...> {};

/// What an operation makes of a part, if that is a term of the result. By default it is what it makes of a whole.
template <class Operation, class Rule>
struct TermOf {
  template <class F>
  [[nodiscard]] static const F& of(const Shape&, const F& f) {
    return f;
  }
};

template <class Operation, class Layout, class Mesh, class Parts>
struct AppliedToParts;
template <class Operation, class Layout, class Mesh, class... Part>
struct AppliedToParts<Operation, Layout, Mesh, std::tuple<Part...>> {
  using type = spread_of_t<Layout, Mesh, along_t<Operation, Part>...>;
};

template <class Operation, SpreadLike X, auto... How>
  requires(RuleOf<Operation, spread_element_t<X>, How...>::named && Operation::template accepts<spread_element_t<X>> &&
           SpreadLayout<layout_by_rule_t<RuleOf<Operation, spread_element_t<X>, How...>, X>>)
struct OfParts<Operation, X, How...> {
  using Rule = RuleOf<Operation, spread_element_t<X>, How...>;
  template <class Of>  // Operation: for those with a type to name
  using type = typename AppliedToParts<Of, layout_by_rule_t<Rule, X>, spread_mesh_t<X>, typename X::parts_type>::type;

  template <class F>
  [[nodiscard]] static auto make(const X& x, const F& f) {
    if constexpr (is_sharded<layout_t<X>> && is_partial<layout_by_rule_t<Rule, X>>) {
      return on_parts<Rule>(x, TermOf<Operation, Rule>::of(x.shape(), f));
    } else {
      return on_parts<Rule>(x, f);
    }
  }
};

/// The guard of axes of which every device needs all positions: `type` says that one counts from the end, or that they
/// are the one that is cut.
template <auto... How>
struct WrongAxes {
  using type = typename the_axis_is_cut<AxesOf<How...>>::fix_call_all_gather_or_reshard;
};
template <auto... How>
  requires(is_negative_axis<How>() || ...)
struct WrongAxes<How...> {
  using type = typename axes_of_a_spread_value_count_from_the_front<How...>::fix_write_0_for_the_first;
};
/// The guard of reductions that devices finish from terms: one counts from the end, or the value is a `Partial`.
template <auto... How>
struct WrongTerms {
  using type = a_partial_sum_is_not_a_value::fix_call_all_reduce;
};
template <auto... How>
  requires(is_negative_axis<How>() || ...)
struct WrongTerms<How...> {
  using type = typename axes_of_a_spread_value_count_from_the_front<How...>::fix_write_0_for_the_first_axis;
};
/// The guard of functions that need one axis: the same, or that it is in parentheses, so that there is none here.
template <int... Axis>
struct WrongAxis : WrongAxes<Axis...> {};
template <>
struct WrongAxis<> {
  using type = axes_of_a_spread_value_are_template_arguments::fix_write_them_in_angle_brackets;
};

}  // namespace internal

}  // namespace situ
