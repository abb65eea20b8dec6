// SPDX-License-Identifier: Apache-2.0
// Element-wise expressions of variables: computed in one pass, like those of tensors, and recorded as one operation.
#pragma once

#include <array>
#include <bit>
#include <concepts>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <tuple>
#include <type_traits>
#include <utility>

#include <situ/autograd/partial.hpp>
#include <situ/autograd/pass.hpp>
#include <situ/autograd/sweep.hpp>
#include <situ/autograd/variable.hpp>
#include <situ/core/shape.hpp>
#include <situ/expression/evaluate.hpp>
#include <situ/expression/evaluate_each.hpp>
#include <situ/expression/lower.hpp>
#include <situ/expression/nodes.hpp>
#include <situ/ops/reduce.hpp>
#include <situ/tensor/tensor.hpp>

namespace situ {

namespace autograd {

/// Placeholder for a value that is not kept.
struct NotKept {};

/// The members of a set of leaves, as indices.
template <LeafSet Set, std::size_t... At>
struct MembersOf : MembersOf<(Set & (Set - 1)), At..., std::size_t(std::countr_zero(Set))> {};
template <std::size_t... At>
struct MembersOf<0, At...> {
  using type = std::index_sequence<At...>;
};
template <LeafSet Set>
using members_of_t = typename MembersOf<Set>::type;

/// The inputs of the gradients of expression `E`. `KeepsResult`: its value exists, so a derivative that reads the value
/// (of `exp`, `tanh`, ...) need not compute it again. Otherwise a reduction read it, and it was never stored.
template <class E, bool KeepsResult, class Leaves = internal::leaves_t<E>,
          class Indices = std::make_index_sequence<std::size_t(internal::leaf_count<E>)>>
class ExpressionGradients;
template <class E, bool KeepsResult, class... Leaf, std::size_t... Index>
class ExpressionGradients<E, KeepsResult, internal::program::TypeList<Leaf...>, std::index_sequence<Index...>> {
  using T = value_type_t<E>;
  using D = device_t<E>;
  using Program = internal::program_t<E>;

  [[nodiscard]] static constexpr LeafSet bit(std::size_t leaf) { return leaf_bit(static_cast<int>(leaf)); }
  [[nodiscard]] static constexpr bool contains(LeafSet set, std::size_t leaf) { return (set & bit(leaf)) != 0; }
  /// How many members of a set precede a leaf.
  [[nodiscard]] static constexpr std::size_t before(LeafSet set, std::size_t leaf) {
    return static_cast<std::size_t>(std::popcount(set & (bit(leaf) - 1)));
  }

  static constexpr LeafSet variables = (LeafSet{0} | ... | (VariableType<Leaf> ? leaf_bit(int(Index)) : 0));
  static constexpr LeafSet targets = sweep::smooth_leaves<Program> & variables;
  static constexpr sweep::Needs needs = sweep::needs<targets, KeepsResult, Program>;
  /// The targets whose gradients need a computation of their own.
  static constexpr LeafSet computed =
      (LeafSet{0} | ... | (sweep::is_identity<(targets & leaf_bit(int(Index))), Program> ? 0 : leaf_bit(int(Index))));

 public:
  using Nodes = std::array<NodePointer, std::size_t(std::popcount(targets))>;

  ExpressionGradients(const E& expression, const Tensor<T, D>& result)
      : program_(internal::lower(expression)), shape_(expression.shape()) {
    const auto leaves = internal::leaves_of(expression);
    (note<Index>(leaves.template leaf<Index, Leaf>()), ...);
    if constexpr (needs.result) result_ = result;
  }

  /// Adds to the gradients of the variables, given that of the expression, which has its shape: gradients of full shape
  /// are computed together, each of the others by a reduction.
  void operator()(Pass& pass, const Tensor<T, D>& gradient) const {
    const auto values = evaluated(gradient, members_of_t<computed>{});
    (add<Index>(pass, gradient, values), ...);
  }

  /// The nodes of the variables that get a gradient.
  [[nodiscard]] static Nodes nodes_of(const E& expression) {
    Nodes nodes;
    const auto leaves = internal::leaves_of(expression);
    (note_node<Index>(leaves.template leaf<Index, Leaf>(), nodes), ...);
    return nodes;
  }

 private:
  template <std::size_t At, class Nth>
  void note(const Nth& leaf) {
    if constexpr (contains(needs.leaves, At)) get<At>(kept_) = internal::tensor_of_leaf(leaf);
    if constexpr (contains(targets, At)) edges_[before(targets, At)] = leaf.edge();
  }
  template <std::size_t At, class Nth>
  static void note_node(const Nth& leaf, Nodes& nodes) {
    if constexpr (contains(targets, At)) nodes[before(targets, At)] = leaf.node();
  }

  /// The values of gradients that are computed together, if there are several.
  template <std::size_t... At>
  [[nodiscard]] auto evaluated(const Tensor<T, D>& gradient, std::index_sequence<At...>) const {
    if constexpr (sizeof...(At) < 2) return NotKept{};
    else return internal::evaluated_each(whole_of<At>(gradient)...);
  }
  /// The gradient of a leaf that has the full shape.
  template <std::size_t At>
  [[nodiscard]] auto whole_of(const Tensor<T, D>& gradient) const {
    const Edge& edge = edges_[before(targets, At)];
    std::optional<decltype(partial<At>(gradient))> whole;
    if (edge && edge.shape == shape_) whole.emplace(partial<At>(gradient));
    return whole;
  }

  template <std::size_t At, class Values>
  void add(Pass& pass, const Tensor<T, D>& gradient, const Values& values) const {
    if constexpr (contains(targets, At)) {
      const Edge& edge = edges_[before(targets, At)];
      if (!edge) return;
      if constexpr (!contains(computed, At)) {
        pass.add(edge, internal::sum_to(gradient, edge.shape));
      } else if constexpr (sizeof...(Leaf) == 1) {  // it has the expression's shape: no reduction
        pass.add(edge, evaluate(partial<At>(gradient)));
      } else {
        if constexpr (std::same_as<Values, NotKept>) {
          pass.add(edge, internal::sum_to(partial<At>(gradient), edge.shape));
        } else if (edge.shape == shape_) {
          pass.add(edge, std::get<before(computed, At)>(values));
        } else {
          pass.add(edge, internal::sum_of_broadcast(partial<At>(gradient), edge.shape));
        }
      }
    }
  }

  /// The gradient of one leaf, before it is summed over the axes that it was broadcast along: an expression.
  template <std::size_t At>
  [[nodiscard]] auto partial(const Tensor<T, D>& gradient) const {
    using F = Partial<Program, static_cast<int>(At), KeepsResult>;
    return partial_of<F>(gradient, members_of_t<F::needs.leaves>{});
  }
  template <class F, std::size_t... Read>
  [[nodiscard]] auto partial_of(const Tensor<T, D>& gradient, std::index_sequence<Read...>) const {
    if constexpr (F::needs.result) {
      return LazyUntilEval<F, Tensor<T, D>, Tensor<T, D>, std::remove_cvref_t<decltype(get<Read>(kept_))>...>(
          F{{}, program_}, std::in_place, gradient, result_, get<Read>(kept_)...);
    } else {
      return LazyUntilEval<F, Tensor<T, D>, std::remove_cvref_t<decltype(get<Read>(kept_))>...>(
          F{{}, program_}, std::in_place, gradient, get<Read>(kept_)...);
    }
  }

  Program program_;
  Shape shape_;
  internal::Pack<std::conditional_t<contains(needs.leaves, Index), Tensor<typename Leaf::value_type, D>, NotKept>...>
      kept_;
  std::array<Edge, std::size_t(std::popcount(targets))> edges_;
  [[no_unique_address]] std::conditional_t<needs.result, Tensor<T, D>, NotKept> result_;
};

template <Recorded E>
Variable<value_type_t<E>, device_t<E>> recorded(const E& expression, internal::EvaluationSite site) {
  [[maybe_unused]] const internal::numbers::Statement statement(site);
  if constexpr (VariableType<E>) {
    return expression;
  } else {
    using Pull = ExpressionGradients<E, true>;
    auto value = internal::value_of(expression);
    auto nodes = Pull::nodes_of(expression);
    for (const NodePointer& node : nodes) {
      if (node) return record(value, std::move(nodes), Pull(expression, value));
    }
    return {std::move(value), NodePointer()};
  }
}

}  // namespace autograd

/// Computes an expression of variables now, as a variable: to share a value that several expressions read.
template <Recorded E>
[[nodiscard]] auto eval(E&& expression, internal::EvaluationSite site = internal::EvaluationSite::here()) {
  return autograd::recorded(expression, site);
}

}  // namespace situ
