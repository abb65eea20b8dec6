// SPDX-License-Identifier: Apache-2.0
// The derivative of an element-wise expression, derived from its type. A program (plan/program.hpp) is evaluated
// forward into a struct that mirrors its tree, one value for each node, and then swept in reverse, from the gradient of
// the result to those of the leaves. All of it happens at compile time except the arithmetic, on lanes: the result is
// one more functor, `Partial`, which existing kernels compute in one pass and a reduction reads. Whatever a derivative
// does not read is neither loaded nor computed nor kept.
#pragma once

#include <bit>
#include <concepts>
#include <cstddef>
#include <cstdint>
#include <tuple>
#include <type_traits>
#include <utility>

#include <situ/core/config.hpp>
#include <situ/core/dtype.hpp>
#include <situ/core/lane.hpp>
#include <situ/core/pack.hpp>
#include <situ/formula/functional/arithmetic.hpp>
#include <situ/formula/functional/derivative.hpp>
#include <situ/plan/evaluate.hpp>
#include <situ/plan/program.hpp>

namespace situ::autograd {

/// A set of leaves of a program, bit `i` for leaf `i`: an expression has at most 64 nodes.
using LeafSet = std::uint64_t;

[[nodiscard]] constexpr LeafSet leaf_bit(int leaf) noexcept { return LeafSet{1} << leaf; }

namespace sweep {

using namespace internal::lane;
using internal::program::Call;
using internal::program::Constant;
using internal::program::Leaf;
using internal::program::Unread;

/// The leaves that the value of a node depends on.
template <class Node>
inline constexpr LeafSet leaves = 0;
template <class T, int At>
inline constexpr LeafSet leaves<Leaf<T, At>> = leaf_bit(At);
template <class F, class R, class... Nodes>
inline constexpr LeafSet leaves<Call<F, R, Nodes...>> = (LeafSet{0} | ... | leaves<Nodes>);

/// Those that it depends on through floating numbers only: a comparison, or a cast to integers, has no gradient.
template <class Node>
inline constexpr LeafSet smooth_leaves = 0;
template <class T, int At>
inline constexpr LeafSet smooth_leaves<Leaf<T, At>> = DifferentiableElement<T> ? leaf_bit(At) : 0;
template <class F, class R, class... Nodes>
inline constexpr LeafSet smooth_leaves<Call<F, R, Nodes...>> =
    DifferentiableElement<R> ? (LeafSet{0} | ... | smooth_leaves<Nodes>) : 0;

/// The element type of one leaf.
template <class Node, int At>
struct LeafElement {
  using type = void;
};
template <class T, int At>
struct LeafElement<Leaf<T, At>, At> {
  using type = T;
};
template <class F, class R, class First, class... Rest, int At>
struct LeafElement<Call<F, R, First, Rest...>, At>
    : std::conditional_t<(leaves<First> & leaf_bit(At)) != 0, LeafElement<First, At>,
                         LeafElement<Call<F, R, Rest...>, At>> {};
template <class Program, int At>
using leaf_element_t = typename LeafElement<Program, At>::type;

/// Whether it contains a user's functor, which takes one element and not lanes.
template <class Node>
inline constexpr bool takes_lanes = true;
template <class F, class R, class... Nodes>
inline constexpr bool takes_lanes<Call<F, R, Nodes...>> =
    requires { typename F::lane_functor; } && (takes_lanes<Nodes> && ...);

/// What the sweep to the leaves `Targets` reads: which leaves, and whether the value of the root.
struct Needs {
  LeafSet leaves = 0;
  bool result = false;

  friend constexpr Needs operator|(Needs a, Needs b) { return {a.leaves | b.leaves, a.result || b.result}; }
};

template <LeafSet Targets, bool Root, class Node>
inline constexpr Needs needs{};
template <LeafSet Targets, bool Root, class F, class R, class... Nodes, std::size_t... At>
constexpr Needs needs_of(std::type_identity<Call<F, R, Nodes...>>, std::index_sequence<At...>) {
  using Node = Call<F, R, Nodes...>;
  Needs all;
  constexpr LeafSet operands[] = {leaves<Nodes>...};
  const auto visit = [&](LeafSet smooth, unsigned reads, Needs below) {
    if ((smooth & Targets) == 0) return;
    all = all | below;
    if ((reads & internal::functional::reads::result) != 0) {
      if (Root) all.result = true;
      else all.leaves |= leaves<Node>;
    }
    for (std::size_t operand = 0; operand != sizeof...(Nodes); ++operand) {
      if ((reads >> (operand + 1) & 1U) != 0) all.leaves |= operands[operand];
    }
  };
  (visit(smooth_leaves<Nodes>, internal::functional::derivative_reads_v<F, At, sizeof...(Nodes)>,
         needs<Targets, false, Nodes>),
   ...);
  return all;
}
template <LeafSet Targets, bool Root, class F, class R, class... Nodes>
inline constexpr Needs needs<Targets, Root, Call<F, R, Nodes...>> =
    needs_of<Targets, Root>(std::type_identity<Call<F, R, Nodes...>>{}, std::index_sequence_for<Nodes...>{});

/// Whether the gradient of a leaf equals that of the result: the leaf was only added.
template <class F, std::size_t At>
inline constexpr bool passes_on = false;
template <std::size_t At>
inline constexpr bool passes_on<internal::functional::Add, At> = true;
template <>
inline constexpr bool passes_on<internal::functional::Subtract, 0> = true;

template <LeafSet Target, class Node>
inline constexpr bool is_identity = true;
template <LeafSet Target, class F, class R, class... Nodes, std::size_t... At>
constexpr bool is_identity_of(std::type_identity<Call<F, R, Nodes...>>, std::index_sequence<At...>) {
  return (((leaves<Nodes> & Target) == 0 || (passes_on<F, At> && is_identity<Target, Nodes>)) && ...);
}
template <LeafSet Target, class F, class R, class... Nodes>
inline constexpr bool is_identity<Target, Call<F, R, Nodes...>> =
    is_identity_of<Target>(std::type_identity<Call<F, R, Nodes...>>{}, std::index_sequence_for<Nodes...>{});

// --- values ---------------------------------------------------------------------------------------------------------

/// The lanes of the leaves in `Given`, in their order.
template <LeafSet Given, class... V>
struct Inputs {
  internal::Pack<V...> lanes;

  template <int At>
  [[SITU_INLINE]] constexpr auto leaf() const {
    if constexpr ((Given & leaf_bit(At)) == 0) return Unread{};
    else return get<static_cast<std::size_t>(std::popcount(Given & (leaf_bit(At) - 1)))>(lanes);
  }
};

/// Calls the derivative of a functor; a user's functor with elements.
template <std::size_t At, class F, class... V>
[[SITU_INLINE]] constexpr auto call_derivative(const F& function, V... values) {
  if constexpr (requires { typename F::lane_functor; }) {
    if constexpr (requires { function.template derivative<At>(values...); }) {
      return function.template derivative<At>(values...);
    } else {
      static_assert(
          requires { function.derivative(values...); },
          "a functor of this expression has no derivative: see formula/functional/derivative.hpp");
      return function.derivative(values...);
    }
  } else if constexpr (requires { function.template derivative<At>(element_of(values)...); }) {
    return lane_of(function.template derivative<At>(element_of(values)...));
  } else {
    static_assert(
        requires { function.derivative(element_of(values)...); },
        "a functor of this expression has no derivative: see formula/functional/derivative.hpp");
    return lane_of(function.derivative(element_of(values)...));
  }
}

/// Rounds lanes of any kind, and calls a user's functor with the element type that it takes.
struct LaneRounding {
  template <class T, class V>
  [[SITU_INLINE]] static constexpr auto rounded(V value) {
    return round_to<T>(value);
  }
  template <class R, class F, class... V>
  [[SITU_INLINE]] static constexpr auto call_each(const F& function, V... values) {
    return lane_of(static_cast<compute_t<R>>(function(element_of(values)...)));
  }
};

/// The forward sweep: keeps the value of every node. `G` is the lane type of the gradient: it determines how many
/// elements are computed at a time.
template <class G, class In>
struct ForwardMachine : internal::program::TreeMachine, LaneRounding {
  static constexpr bool keeps = true;
  const In& inputs;

  template <class T, int At>
  [[SITU_INLINE]] constexpr auto leaf(const Leaf<T, At>&) const {
    return inputs.template leaf<At>();
  }
  template <class T>
  [[SITU_INLINE]] static constexpr auto constant(const Constant<T>& constant) {
    return internal::rebind_lane_t<G, compute_t<T>>(constant.value);
  }
};

// --- gradients ------------------------------------------------------------------------------------------------------

/// Calls the derivative by operand `At` with what it reads: bit 0 of the remaining `Reads` is entry `Next` of the
/// result, `y`, and the operands.
template <std::size_t At, unsigned Reads, std::size_t Next, class F, class R, class... Nodes, class Y, class Values,
          class G, class... Read>
[[SITU_INLINE]] constexpr auto derivative(const Call<F, R, Nodes...>& node, const Y& y, const Values& values, G g,
                                          Read... read) {
  if constexpr (Next > sizeof...(Nodes)) {
    return call_derivative<At>(node.function, g, read...);
  } else if constexpr ((Reads >> Next & 1U) == 0) {
    return derivative<At, Reads, Next + 1>(node, y, values, g, read...);
  } else if constexpr (Next == 0) {
    return derivative<At, Reads, Next + 1>(node, y, values, g, y);
  } else {
    using Child = typename std::tuple_element<Next - 1, std::tuple<Nodes...>>::type;
    const auto operand =
        internal::program::as_read<Child, R>(LaneRounding{}, internal::program::child<Next - 1>(values).value);
    return derivative<At, Reads, Next + 1>(node, y, values, g, read..., operand);
  }
}

/// The gradient of one leaf.
template <int Index, class V>
struct LeafGradient {
  V value;
};

template <LeafSet Targets, class T, int Index, class Y, class Values, class G, class Out>
[[SITU_INLINE]] constexpr void reverse(const Leaf<T, Index>&, const Y&, const Values&, G g, Out& out) {
  static_cast<LeafGradient<Index, G>&>(out).value = g;
}
template <LeafSet Targets, class F, class R, class... Nodes, class Y, class Values, class G, class Out>
[[SITU_INLINE]] constexpr void reverse(const Call<F, R, Nodes...>& node, const Y& y, const Values& values, G g,
                                       Out& out);

template <LeafSet Targets, std::size_t At, class F, class R, class... Nodes, class Y, class Values, class G, class Out>
[[SITU_INLINE]] constexpr void reverse_child(const Call<F, R, Nodes...>& node, const Y& y, const Values& values, G g,
                                             Out& out) {
  using Child = typename std::tuple_element<At, std::tuple<Nodes...>>::type;
  if constexpr ((smooth_leaves<Child> & Targets) != 0) {
    const auto& child = internal::program::child<At>(values);
    constexpr unsigned reads = internal::functional::derivative_reads_v<F, At, sizeof...(Nodes)>;
    const auto gradient = derivative<At, reads, 0>(node, y, values, g);
    using T = compute_t<typename Child::value_type>;  // a cast, and functors whose operands have several types
    if constexpr (std::same_as<internal::lane_element_t<std::remove_const_t<decltype(gradient)>>, T>) {
      reverse<Targets>(get<At>(node.nodes), child.value, child, gradient, out);
    } else {
      reverse<Targets>(get<At>(node.nodes), child.value, child, convert<T>(gradient), out);
    }
  }
}
template <LeafSet Targets, class F, class R, class... Nodes, class Y, class Values, class G, class Out,
          std::size_t... At>
[[SITU_INLINE]] constexpr void reverse_children(const Call<F, R, Nodes...>& node, const Y& y, const Values& values, G g,
                                                Out& out, std::index_sequence<At...>) {
  (reverse_child<Targets, At>(node, y, values, g, out), ...);
}
template <LeafSet Targets, class F, class R, class... Nodes, class Y, class Values, class G, class Out>
[[SITU_INLINE]] constexpr void reverse(const Call<F, R, Nodes...>& node, const Y& y, const Values& values, G g,
                                       Out& out) {
  reverse_children<Targets>(node, y, values, g, out, std::index_sequence_for<Nodes...>{});
}

/// Both sweeps; `result` is the value of the root if it is known (otherwise `Unread`, and it is computed).
template <LeafSet Targets, class Program, class In, class Y, class G, class Out>
[[SITU_INLINE]] constexpr void gradients(const Program& program, const In& inputs, Y result, G g, Out& out) {
  const auto evaluated = internal::program::evaluate<Program>(ForwardMachine<G, In>{{}, {}, inputs}, program);
  if constexpr (std::same_as<Y, Unread>) {
    reverse<Targets>(program, evaluated.value, evaluated, g, out);
  } else {
    reverse<Targets>(program, result, evaluated, g, out);
  }
}

}  // namespace sweep

}  // namespace situ::autograd
