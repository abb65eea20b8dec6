// SPDX-License-Identifier: Apache-2.0
// Element-wise expressions over variables: they are computed in one pass, as those over tensors, and recorded as one
// operation.
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
#include <situ/expression/no_grad.hpp>
#include <situ/expression/nodes.hpp>
#include <situ/ops/reduce.hpp>
#include <situ/tensor/tensor.hpp>

namespace situ {

namespace autograd {

/// The leaves of an expression in their order, as a tuple of tensors and variables.
template <class Leaf>
[[nodiscard]] auto leaves_of(const Leaf& leaf) {
  if constexpr (situ::internal::leaf_count<Leaf> == 1) return std::tuple<Leaf>(leaf);
  else return std::tuple<>();
}
template <class F, class... Args>
[[nodiscard]] auto leaves_of(const LazyUntilEval<F, Args...>& map) {
  return [&]<std::size_t... At>(std::index_sequence<At...>) {
    return std::tuple_cat(leaves_of(get<At>(map.args()))...);
  }(std::index_sequence_for<Args...>{});
}

/// In the place of what is not kept.
struct NotKept {};

template <class Leaf>
struct EdgeOf {
  using type = NotKept;
};
template <FloatingElement T, Device D>
struct EdgeOf<Variable<T, D>> {
  using type = Edge<T, D>;
};

template <class Leaves>
inline constexpr LeafSet variables_among = 0;
template <class... Leaf>
inline constexpr LeafSet variables_among<std::tuple<Leaf...>> = [] {
  constexpr std::array<bool, sizeof...(Leaf)> is_variable{VariableType<Leaf>...};
  LeafSet set = 0;
  for (std::size_t i = 0; i != sizeof...(Leaf); ++i) {
    if (is_variable[i]) set |= leaf_bit(static_cast<int>(i));
  }
  return set;
}();

/// What the gradients of expression `E` are computed from. `KeepsResult`: its value exists, so that a derivative that
/// reads the value (of `exp`, `tanh`, ...) need not compute it again. Otherwise it was read by a reduction and never
/// stored.
template <class E, bool KeepsResult>
class ExpressionGradients {
  using Plain = typename internal::WithoutVariables<E>::type;
  using T = value_type_t<E>;
  using D = device_t<E>;
  using Program = decltype(internal::lower<0>(std::declval<const Plain&>()));
  using Leaves = decltype(leaves_of(std::declval<const E&>()));
  static constexpr std::size_t leaf_count = std::tuple_size_v<Leaves>;
  using Indices = std::make_index_sequence<leaf_count>;
  static constexpr LeafSet targets = sweep::smooth_leaves<Program> & variables_among<Leaves>;
  static constexpr sweep::Needs needs = sweep::needs<targets, KeepsResult, Program>;

  template <std::size_t At>
  using Leaf = std::tuple_element_t<At, Leaves>;
  template <std::size_t At>
  static constexpr bool is_kept = (needs.leaves & leaf_bit(static_cast<int>(At))) != 0;

  template <class Indices>
  struct Types;
  template <std::size_t... At>
  struct Types<std::index_sequence<At...>> {
    using Kept =
        std::tuple<std::conditional_t<is_kept<At>, typename internal::WithoutVariables<Leaf<At>>::type, NotKept>...>;
    using Edges = std::tuple<typename EdgeOf<Leaf<At>>::type...>;
  };

 public:
  using Nodes = std::array<NodePointer, std::size_t(std::popcount(targets))>;

  ExpressionGradients(const E& expression, const Tensor<T, D>& result)
      : program_(internal::lower<0>(no_grad(expression))), shape_(expression.shape()) {
    Leaves leaves = leaves_of(expression);
    [&]<std::size_t... At>(std::index_sequence<At...>) { (note<At>(std::get<At>(leaves)), ...); }(Indices{});
    if constexpr (needs.result) result_ = result;
  }

  /// Adds to the gradients of the variables, from that of the expression, which has its shape: those of full shape are
  /// computed together, each of the others by a reduction.
  void operator()(Pass& pass, const Tensor<T, D>& gradient) const {
    [&]<std::size_t... At>(std::index_sequence<At...>) {
      const auto whole = std::tuple_cat(whole_of<At>(gradient)...);
      const auto values = std::apply([](const auto&... each) { return evaluated(each...); }, whole);
      add<0, At...>(pass, gradient, values);
    }(Indices{});
  }

  /// The nodes of the variables that get a gradient.
  [[nodiscard]] static Nodes nodes_of(const E& expression) {
    Nodes nodes;
    std::size_t next = 0;
    Leaves leaves = leaves_of(expression);
    [&]<std::size_t... At>(std::index_sequence<At...>) {
      (collect<At>(std::get<At>(leaves), nodes, next), ...);
    }(Indices{});
    return nodes;
  }

 private:
  template <std::size_t At>
  static constexpr bool is_target = (targets & leaf_bit(static_cast<int>(At))) != 0;

  template <std::size_t At>
  void note(const Leaf<At>& leaf) {
    if constexpr (is_kept<At>) std::get<At>(kept_) = internal::WithoutVariables<Leaf<At>>::of(leaf);
    if constexpr (is_target<At>) std::get<At>(edges_) = leaf.edge();
  }
  template <std::size_t At>
  static void collect(const Leaf<At>& leaf, Nodes& nodes, std::size_t& next) {
    if constexpr (is_target<At>) nodes[next++] = leaf.node();
  }

  /// Whether the gradient of a leaf takes a computation of its own.
  template <std::size_t At>
  static constexpr bool is_computed =
      is_target<At> && !sweep::is_identity<is_target<At> ? leaf_bit(static_cast<int>(At)) : 0, Program>;

  /// The gradient of a leaf that has the full shape, to be computed together with others.
  template <std::size_t At>
  [[nodiscard]] auto whole_of(const Tensor<T, D>& gradient) const {
    if constexpr (is_computed<At>) {
      using Expression = decltype(partial<static_cast<int>(At)>(gradient, Indices{}));
      const auto& edge = std::get<At>(edges_);
      if (!edge || !(edge.shape == shape_)) return std::tuple<std::optional<Expression>>();
      return std::tuple<std::optional<Expression>>(partial<static_cast<int>(At)>(gradient, Indices{}));
    } else {
      return std::tuple<>();
    }
  }
  template <class... Expression>
  [[nodiscard]] static auto evaluated(const std::optional<Expression>&... expressions) {
    if constexpr (sizeof...(Expression) == 0) return std::tuple<>();
    else return situ::internal::evaluated_each(expressions...);
  }

  /// Adds leaf after leaf; entry `Next` of `values` is that of the next one that is computed.
  template <std::size_t Next, std::size_t At, std::size_t... Rest, class Values>
  void add(Pass& pass, const Tensor<T, D>& gradient, const Values& values) const {
    if constexpr (is_target<At>) {
      const auto& edge = std::get<At>(edges_);
      if constexpr (!is_computed<At>) {
        if (edge) pass.add(edge, internal::sum_to(gradient, edge.shape));
      } else if (edge) {
        if (leaf_count == 1 || edge.shape == shape_) pass.add(edge, std::get<Next>(values));
        // (a leaf alone has the shape of the expression: that its gradient is reduced is not compiled)
        else if constexpr (leaf_count > 1)
          pass.add(edge, internal::sum_to(partial<static_cast<int>(At)>(gradient, Indices{}), edge.shape));
      }
    }
    if constexpr (sizeof...(Rest) > 0) add<Next + (is_computed<At> ? 1 : 0), Rest...>(pass, gradient, values);
  }

  /// The gradient of one leaf, before it is summed over the axes that it was broadcast along: an expression.
  template <int Target, std::size_t... At>
  [[nodiscard]] auto partial(const Tensor<T, D>& gradient, std::index_sequence<At...>) const {
    using F = Partial<Program, Target, KeepsResult>;
    const auto operands = std::tuple_cat(std::tuple<const Tensor<T, D>&>(gradient), result_read<F>(), read<F, At>()...);
    return std::apply(
        [&]<class... Operand>(const Operand&... operand) {
          return LazyUntilEval<F, Operand...>(F{{}, program_}, std::in_place,
                                              [&]() -> const Operand& { return operand; }...);
        },
        operands);
  }
  template <class F>
  [[nodiscard]] auto result_read() const {
    if constexpr (F::needs.result) return std::tie(result_);
    else return std::tuple<>();
  }
  template <class F, std::size_t At>
  [[nodiscard]] auto read() const {
    if constexpr ((F::needs.leaves & leaf_bit(static_cast<int>(At))) != 0) return std::tie(std::get<At>(kept_));
    else return std::tuple<>();
  }

  Program program_;
  Shape shape_;
  typename Types<Indices>::Kept kept_;
  typename Types<Indices>::Edges edges_;
  [[no_unique_address]] std::conditional_t<needs.result, Tensor<T, D>, NotKept> result_;
};

template <Recorded E>
Variable<value_type_t<E>, device_t<E>> recorded(const E& expression) {
  if constexpr (VariableType<E>) {
    return expression;
  } else {
    using Pull = ExpressionGradients<E, true>;
    auto value = evaluate(no_grad(expression));
    auto nodes = Pull::nodes_of(expression);
    for (const NodePointer& node : nodes) {
      if (node) return record(value, std::move(nodes), Pull(expression, value));
    }
    return {std::move(value), NodePointer()};
  }
}

}  // namespace autograd

/// Computes an expression over variables now, as a variable: to share a value that several expressions read.
template <Recorded E>
[[nodiscard]] auto eval(E&& expression) {
  return autograd::recorded(expression);
}

}  // namespace situ
