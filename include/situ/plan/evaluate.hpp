// SPDX-License-Identifier: Apache-2.0
// The only interpreter of programs: computes the value of an expression from its leaves, and rounds 16-bit floats on
// the way. A machine defines the data type of the computation: SIMD vectors on the CPU (cpu/program_lanes.hpp), one
// element in registers on a GPU (cuda/kernels/program.hpp), and for gradients either of them, with the value of each
// node kept (autograd/sweep.hpp). Everything except the arithmetic happens at compile time.
#pragma once

#include <concepts>
#include <cstddef>
#include <tuple>
#include <utility>

#include <situ/core/config.hpp>
#include <situ/core/dtype.hpp>
#include <situ/core/lane.hpp>
#include <situ/core/pack.hpp>
#include <situ/plan/program.hpp>

namespace situ::internal::program {

/// Replaces a leaf that is never read. Values computed from it are `Unread` as well.
struct Unread {};

/// The kept values of child `At` of a node.
template <std::size_t At, class Child>
struct KeptChild {
  Child child;

  template <class Interpreter, class Machine, class Place>
  [[SITU_INLINE]] constexpr KeptChild(Interpreter, const Machine& machine, const Place& call)
      : child(Interpreter::template child<At>(machine, call)) {}
};
template <std::size_t At, class Child>
[[SITU_INLINE]] constexpr const Child& child(const KeptChild<At, Child>& kept) {
  return kept.child;
}

/// The value of a node and the kept values of its children. Constructed in place, children first: copies of nested
/// structs of SIMD vectors would go through memory.
template <class V, class Indices = std::index_sequence<>, class... Children>
struct Kept {
  V value;
};
template <class V, std::size_t... At, class First, class... Rest>
struct Kept<V, std::index_sequence<0, At...>, First, Rest...> : KeptChild<0, First>, KeptChild<At, Rest>... {
  V value;

  template <class Interpreter, class Machine, class Place>
  [[SITU_INLINE]] constexpr Kept(Interpreter interpreter, const Machine& machine, const Place& call)
      : KeptChild<0, First>(interpreter, machine, call),
        KeptChild<At, Rest>(interpreter, machine, call)...,
        value(Interpreter::of_kept(machine, call, program::child<0>(*this).value, program::child<At>(*this).value...)) {
  }
};

/// A machine that reads nodes as they are in a program. A machine also has
///
///     machine.leaf(node)                                  // the value of a `Leaf`, in its compute type
///     machine.constant(node)                              // that of a `Constant`
///     machine.template rounded<T>(value)                  // narrowed to the 16-bit float `T`, and widened again
///     machine.template call_each<R>(function, values...)  // a user's functor, which takes elements, not lanes
///
/// (If nodes are represented differently, as on GPUs, it has its own functions `function` and `child`.)
struct TreeMachine {
  static constexpr bool keeps = false;  // whether `evaluate` returns `Kept` or just the value

  template <class Node>
  [[SITU_INLINE]] static constexpr const auto& function(const Node& call) {
    return call.function;
  }
  template <std::size_t At, class Node>
  [[SITU_INLINE]] static constexpr const auto& child(const Node& call) {
    return get<At>(call.nodes);
  }
};

namespace detail {

template <class T>
inline constexpr bool is_half = OneOf<T, float16, bfloat16> || StorageElement<T>;
template <class Node>
inline constexpr bool is_call = false;
template <class F, class R, class... Nodes>
inline constexpr bool is_call<Call<F, R, Nodes...>> = true;

}  // namespace detail

/// The value of `Node` as read by a parent with elements of type `R`: rounded to the storage type if the parent changes
/// the element type or tests the value, so that it sees the same value as after a store and a load.
template <class Node, class R, class Machine, class V>
[[SITU_INLINE]] constexpr auto as_read(const Machine& machine, V value) {
  using T = typename Node::value_type;
  if constexpr (detail::is_half<T> && detail::is_call<Node> && !OneOf<V, Unread> && !std::same_as<T, R>)
    return machine.template rounded<T>(value);
  else return value;
}

namespace detail {

template <class Machine, class V>
[[SITU_INLINE]] constexpr auto kept(V value) {
  if constexpr (Machine::keeps) return Kept<V>{value};
  else return value;
}

template <class Node>
struct Interpreter;
template <class T, int Index>
struct Interpreter<Leaf<T, Index>> {
  template <class Machine, class Place>
  [[SITU_INLINE]] static constexpr auto value(const Machine& machine, const Place& leaf) {
    return kept<Machine>(machine.leaf(leaf));
  }
};
template <class T>
struct Interpreter<Constant<T>> {
  template <class Machine, class Place>
  [[SITU_INLINE]] static constexpr auto value(const Machine& machine, const Place& constant) {
    return kept<Machine>(machine.constant(constant));
  }
};
template <class F, class R, class... Nodes>
struct Interpreter<Call<F, R, Nodes...>> {
  template <class Machine, class Place>
  [[SITU_INLINE]] static constexpr auto value(const Machine& machine, const Place& call) {
    return value(machine, call, std::index_sequence_for<Nodes...>{});
  }

  template <std::size_t At, class Machine, class Place>
  [[SITU_INLINE]] static constexpr auto child(const Machine& machine, const Place& call) {
    return Interpreter<typename std::tuple_element<At, std::tuple<Nodes...>>::type>::value(
        machine, machine.template child<At>(call));
  }
  template <class Machine, class Place, class... V>
  [[SITU_INLINE]] static constexpr auto of_kept(const Machine& machine, const Place& call, const V&... values) {
    return of_operands(machine, call, as_read<Nodes, R>(machine, values)...);
  }

 private:
  template <class Machine, class Place, std::size_t... At>
  [[SITU_INLINE]] static constexpr auto value(const Machine& machine, const Place& call, std::index_sequence<At...>) {
    if constexpr (Machine::keeps) {
      using V = decltype(of_kept(machine, call, child<At>(machine, call).value...));
      return Kept<V, std::index_sequence<At...>, decltype(child<At>(machine, call))...>(Interpreter{}, machine, call);
    } else {
      return of_operands(machine, call, as_read<Nodes, R>(machine, child<At>(machine, call))...);
    }
  }
  template <class Machine, class Place, class First, class... Rest>
  [[SITU_INLINE]] static constexpr auto of_operands(const Machine& machine, const Place& call, First first,
                                                    Rest... rest) {
    constexpr bool changes_type = (!std::same_as<typename Nodes::value_type, R> && ...);
    if constexpr (OneOf<Unread, First, Rest...>) return Unread{};
    else if constexpr (!requires { typename F::lane_functor; })
      return machine.template call_each<R>(machine.function(call), first, rest...);
    else if constexpr (is_half<R> && changes_type)
      return machine.template rounded<R>(of_lanes(machine.function(call), first, rest...));
    else return of_lanes(machine.function(call), first, rest...);
  }
  /// Conditions side by side are masks of different types, each as wide as the elements compared; all are converted to
  /// the type of the first before a functor is called.
  template <class First, class... Rest>
  [[SITU_INLINE]] static constexpr auto of_lanes(const F& function, First first, Rest... rest) {
    if constexpr (std::same_as<First, mask_t<First>> && (std::same_as<Rest, mask_t<Rest>> && ...))
      return function(first, First(rest)...);
    else return function(first, rest...);
  }
};

}  // namespace detail

/// The value of a node, of type `Node`, on a machine; `place` is the node, or the machine's reference to it.
template <class Node, class Machine, class Place>
[[SITU_INLINE]] constexpr auto evaluate(const Machine& machine, const Place& place) {
  return detail::Interpreter<Node>::value(machine, place);
}

}  // namespace situ::internal::program
