// SPDX-License-Identifier: Apache-2.0
// Lowers an expression to what a backend needs: a `program` without tensors, and the operands it reads.
#pragma once

#include <array>
#include <cstddef>
#include <new>
#include <type_traits>
#include <utility>

#include <situ/core/broadcast.hpp>
#include <situ/expression/nodes.hpp>
#include <situ/memory/storage.hpp>
#include <situ/plan/program.hpp>

namespace situ::internal {

/// The lowered form of a node, with its leaves numbered from `First` on.
template <int First, class Node>
struct Lowered;
template <int First, Element T, Device D>
struct Lowered<First, Tensor<T, D>> {
  using type = program::Leaf<T, First>;
  [[nodiscard]] static type of(const Tensor<T, D>&) noexcept { return {}; }
};
template <int First, TensorHolder X>
struct Lowered<First, X> {
  using type = program::Leaf<typename X::value_type, First>;
  [[nodiscard]] static type of(const X&) noexcept { return {}; }
};
template <int First, Element T>
struct Lowered<First, Scalar<T>> {
  using type = program::Constant<T>;
  [[nodiscard]] static type of(const Scalar<T>& scalar) noexcept { return {scalar.value}; }
};
template <int First, Element T, Device D>
struct Lowered<First, Fill<T, D>> {
  using type = program::Constant<T>;
  [[nodiscard]] static type of(const Fill<T, D>& fill) noexcept { return {static_cast<compute_t<T>>(fill.value())}; }
};

/// The number of leaves before argument `At`.
template <std::size_t At, class... Args>
inline constexpr int leaves_before = [] {
  constexpr std::array<int, sizeof...(Args)> counts{leaf_count<Args>...};
  int sum = 0;
  for (std::size_t i = 0; i != At; ++i) sum += counts[i];
  return sum;
}();

template <int First, class Node, class Indices>
struct LoweredCall;
template <int First, class F, class... Args, std::size_t... At>
struct LoweredCall<First, LazyUntilEval<F, Args...>, std::index_sequence<At...>> {
  template <std::size_t Nth, class Arg>
  using Child = Lowered<First + leaves_before<Nth, Args...>, Arg>;
  using type = program::Call<F, typename LazyUntilEval<F, Args...>::value_type, typename Child<At, Args>::type...>;
  [[nodiscard]] static type of(const LazyUntilEval<F, Args...>& map) noexcept {
    // (With braces instead of `make_pack`, nvcc takes four times as long for every two levels of an expression.)
    return {map.function(), make_pack(Child<At, Args>::of(get<At>(map.args()))...)};
  }
};
template <int First, class F, class... Args>
struct Lowered<First, LazyUntilEval<F, Args...>>
    : LoweredCall<First, LazyUntilEval<F, Args...>, std::index_sequence_for<Args...>> {};

/// The program of an expression.
template <class E>
using program_t = typename Lowered<0, E>::type;
template <class E>
[[nodiscard]] program_t<E> lower(const E& expression) noexcept {
  return Lowered<0, E>::of(expression);
}

/// The types of the leaves of an expression from left to right, tensors and variables, after those in `Before`.
template <class Before, class Node>
struct AppendLeaves {
  using type = Before;
};
template <class... Before, class Node>
  requires(leaf_count<Node> == 1 && !is_map<Node>)
struct AppendLeaves<program::TypeList<Before...>, Node> {
  using type = program::TypeList<Before..., Node>;
};
template <class Before, class F, class First, class... Rest>
struct AppendLeaves<Before, LazyUntilEval<F, First, Rest...>>
    : AppendLeaves<typename AppendLeaves<Before, First>::type, LazyUntilEval<F, Rest...>> {};
template <class E>
using leaves_t = typename AppendLeaves<program::TypeList<>, E>::type;

/// Writes the addresses of leaves, from left to right.
template <Element T>
void note_leaves(const Scalar<T>&, const void**&) noexcept {}
template <Element T, Device D>
void note_leaves(const Fill<T, D>&, const void**&) noexcept {}
template <class Leaf>
  requires(leaf_count<Leaf> == 1 && !is_map<Leaf>)
void note_leaves(const Leaf& leaf, const void**& next) noexcept {
  *next++ = &leaf;
}
template <class F, class... Args>
void note_leaves(const LazyUntilEval<F, Args...>& map, const void**& next) noexcept;
template <std::size_t... At, class... Args>
void note_leaves(const PackBase<std::index_sequence<At...>, Args...>& args, const void**& next) noexcept {
  (note_leaves(get<At>(args), next), ...);
}
template <class F, class... Args>
void note_leaves(const LazyUntilEval<F, Args...>& map, const void**& next) noexcept {
  note_leaves(map.args(), next);
}

/// The tensor of a leaf.
template <Element T, Device D>
[[nodiscard]] const Tensor<T, D>& tensor_of_leaf(const Tensor<T, D>& tensor) noexcept {
  return tensor;
}
template <TensorHolder X>
[[nodiscard]] const auto& tensor_of_leaf(const X& holder) noexcept {
  return holder.value();
}

/// A tensor read as one of `shape`.
template <Element T, Device D>
void set_operand(program::Operand& operand, const Tensor<T, D>& leaf, const Shape& shape) {
  const Layout& layout = leaf.layout();
  // Constructed in place: a copy of strides that were just stored waits for them.
  ::new (static_cast<void*>(&operand))
      program::Operand{leaf.element_pointer(), sizeof(T), broadcast_strides(layout.shape, layout.strides, shape)};
}

/// Whether a tensor has the arrangement of `layout`; then `data` is its first element.
template <Element T, Device D>
[[nodiscard]] bool lies_as(const Tensor<T, D>& leaf, const Layout& layout, const void*& data) {
  const T* const elements = leaf.storage_elements();  // (first: it checks what layout() checks, and more)
  const Layout& own = leaf.layout();
  data = elements + own.offset;
  return own.lies_as(layout);
}

/// The leaves of an expression that outlives this, in their order: a type that depends only on their types, so that
/// expressions with the same leaves share code.
template <class List>
struct Leaves;
template <class... Leaf>
struct Leaves<program::TypeList<Leaf...>> {
  const void* leaves[sizeof...(Leaf)];

  /// Calls `f(leaf)` for each leaf, a tensor or a variable.
  template <class F>
  void for_each(F&& f) const {
    const void* const* next = leaves;
    (f(*static_cast<const Leaf*>(*next++)), ...);
  }
  void set_operands(program::Operand* operands, const Shape& shape) const {
    const void* const* next = leaves;
    (set_operand(*operands++, tensor_of_leaf(*static_cast<const Leaf*>(*next++)), shape), ...);
  }
  /// Whether each has the arrangement of `layout`; then `data` are their first elements.
  [[nodiscard]] bool lie_as(const Layout& layout, const void** data) const {
    const void* const* next = leaves;
    return (lies_as(tensor_of_leaf(*static_cast<const Leaf*>(*next++)), layout, *data++) && ...);
  }
  template <std::size_t At, class Nth>
  [[nodiscard]] const Nth& leaf() const noexcept {
    return *static_cast<const Nth*>(leaves[At]);
  }
};
template <>
struct Leaves<program::TypeList<>> {
  const void** leaves = nullptr;

  template <class F>
  void for_each(F&&) const noexcept {}
  void set_operands(program::Operand*, const Shape&) const noexcept {}
};
template <class E>
[[nodiscard]] Leaves<leaves_t<E>> leaves_of(const E& expression) noexcept {
  Leaves<leaves_t<E>> all;
  const void** next = all.leaves;
  note_leaves(expression, next);
  return all;
}

/// The operands of an expression, read as tensors of `shape`, for the pass that computes it now; the pass is counted,
/// see `MemoryStats::evaluations`. At least one entry, so that it has an address.
template <class E>
[[nodiscard]] std::array<program::Operand, (leaf_count<E> > 0 ? leaf_count<E> : 1)> operands_of(const E& expression,
                                                                                                const Shape& shape) {
  if constexpr (is_map<E>) memory::note_evaluation<device_t<E>>();
  std::array<program::Operand, (leaf_count<E> > 0 ? leaf_count<E> : 1)> operands;
  leaves_of(expression).set_operands(operands.data(), shape);
  return operands;
}

/// Whether the expression has a functor that is not the library's: it may do anything to any tensor.
template <class Node>
inline constexpr bool calls_back = false;
template <class F, class... Args>
inline constexpr bool calls_back<LazyUntilEval<F, Args...>> =
    (calls_back<Args> || ...) || !requires { typename F::lane_functor; };

/// Whether a user's functor in the expression may throw: then nothing is written in place.
template <class Node>
inline constexpr bool may_throw = false;
template <class F, class... Args>
inline constexpr bool may_throw<LazyUntilEval<F, Args...>> = [] {
  if constexpr ((may_throw<Args> || ...)) return true;
  else if constexpr (requires { typename F::lane_functor; }) return false;
  else return !std::is_nothrow_invocable_v<const F&, compute_t<typename Args::value_type>...>;
}();

}  // namespace situ::internal
