// SPDX-License-Identifier: Apache-2.0
// Lowers an expression to what a backend sees: a `program` without tensors, and the operands it reads.
#pragma once

#include <array>
#include <cstddef>
#include <type_traits>
#include <utility>

#include <situ/expression/nodes.hpp>
#include <situ/memory/storage.hpp>
#include <situ/plan/program.hpp>

namespace situ::internal {

template <int First, Element T, Device D>
[[nodiscard]] program::Leaf<T, First> lower(const Tensor<T, D>&) noexcept {
  return {};
}
template <int First, TensorHolder X>
[[nodiscard]] program::Leaf<typename X::value_type, First> lower(const X&) noexcept {
  return {};
}
template <int First, Element T>
[[nodiscard]] program::Constant<T> lower(const Scalar<T>& scalar) noexcept {
  return {scalar.value};
}
template <int First, Element T, Device D>
[[nodiscard]] program::Constant<T> lower(const Fill<T, D>& fill) noexcept {
  return {static_cast<compute_t<T>>(fill.value())};
}
template <int First, class F, class... Args>
[[nodiscard]] auto lower(const LazyUntilEval<F, Args...>& map) noexcept;

/// The leaves that stand before argument `I`.
template <std::size_t At, class... Args>
inline constexpr int leaves_before = [] {
  constexpr std::array<int, sizeof...(Args)> counts{leaf_count<Args>...};
  int sum = 0;
  for (std::size_t i = 0; i != At; ++i) sum += counts[i];
  return sum;
}();

template <int First, class F, class... Args, std::size_t... At>
[[nodiscard]] auto lower_call(const LazyUntilEval<F, Args...>& map, std::index_sequence<At...>) noexcept {
  using Call = program::Call<F, typename LazyUntilEval<F, Args...>::value_type,
                             decltype(lower<First + leaves_before<At, Args...>>(get<At>(map.args())))...>;
  return Call{map.function(), make_pack(lower<First + leaves_before<At, Args...>>(get<At>(map.args()))...)};
}
template <int First, class F, class... Args>
[[nodiscard]] auto lower(const LazyUntilEval<F, Args...>& map) noexcept {
  return lower_call<First>(map, std::index_sequence_for<Args...>{});
}

/// Calls `f(tensor)` for every leaf, from left to right.
template <Element T, Device D, class F>
void for_each_leaf(const Tensor<T, D>& tensor, F&& f) {
  f(tensor);
}
template <TensorHolder X, class F>
void for_each_leaf(const X& holder, F&& f) {
  f(holder.value());
}
template <Element T, class F>
void for_each_leaf(const Scalar<T>&, F&&) {}
template <Element T, Device D, class F>
void for_each_leaf(const Fill<T, D>&, F&&) {}
template <class Function, class... Args, class F>
void for_each_leaf(const LazyUntilEval<Function, Args...>& map, F&& f) {
  [&]<std::size_t... At>(std::index_sequence<At...>) {
    (for_each_leaf(get<At>(map.args()), f), ...);
  }(std::index_sequence_for<Args...>{});
}

/// The operands of an expression, read as tensors of `shape`, for the pass that computes it now: it is counted, see
/// `MemoryStats::evaluations`. At least one entry, so that it has an address.
template <class E>
[[nodiscard]] std::array<program::Operand, (leaf_count<E> > 0 ? leaf_count<E> : 1)> operands_of(const E& expression,
                                                                                               const Shape& shape) {
  static_assert(!records<E>, "no gradient can be recorded here: include <situ/autograd.hpp>, or call no_grad(x)");
  if constexpr (is_map<E>) memory::note_evaluation<device_t<E>>();
  std::array<program::Operand, (leaf_count<E> > 0 ? leaf_count<E> : 1)> operands;
  std::size_t next = 0;
  for_each_leaf(expression, [&]<class T, class D>(const Tensor<T, D>& leaf) {
    program::Operand& operand = operands[next++];
    operand.data = leaf.element_pointer();
    operand.element_size = sizeof(T);
    operand.strides = leaf.shape() == shape ? leaf.layout().strides
                                            : broadcast_strides(leaf.shape(), leaf.layout().strides, shape);
  });
  return operands;
}

/// Whether a user's functor in the expression may throw: then nothing is written in place.
template <class Node>
inline constexpr bool may_throw = false;
template <class F, class... Args>
inline constexpr bool may_throw<LazyUntilEval<F, Args...>> =
    (may_throw<Args> || ...) ||
    (!requires { typename F::lane_functor; } &&
     !std::is_nothrow_invocable_v<const F&, compute_t<typename Args::value_type>...>);

}  // namespace situ::internal
