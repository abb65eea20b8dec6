// SPDX-License-Identifier: Apache-2.0
// Variables put together: concat, stack. Tensors and expressions may stand among them.
#pragma once

#include <cstddef>
#include <cstdint>
#include <initializer_list>
#include <span>
#include <utility>
#include <vector>

#include <situ/autograd/elementwise.hpp>
#include <situ/autograd/pass.hpp>
#include <situ/autograd/structure.hpp>
#include <situ/autograd/variable.hpp>
#include <situ/core/shape.hpp>
#include <situ/ops/join.hpp>
#include <situ/ops/structure.hpp>

namespace situ {

namespace autograd {

template <bool Stack, Element T, Device D>
[[nodiscard]] Variable<T, D> join(std::span<const Variable<T, D>> variables, std::int64_t axis) {
  std::vector<Tensor<T, D>> values;
  std::vector<NodePointer> nodes;
  std::vector<Edge<T, D>> edges;
  for (const Variable<T, D>& variable : variables) {
    values.push_back(variable.value());
    nodes.push_back(variable.node());
    edges.push_back(variable.edge());
  }
  Tensor<T, D> value;
  if constexpr (Stack) value = stack(values, axis);
  else value = concat(values, axis);
  const int a = normalize_axis(axis, value.rank(), "join");
  return record(std::move(value), std::move(nodes), [a, edges = std::move(edges)](Pass& pass, const Tensor<T, D>& g) {
    std::int64_t begin = 0;
    for (const Edge<T, D>& edge : edges) {
      const std::int64_t end = begin + (Stack ? 1 : edge.shape[a]);
      Layout part = situ::internal::sliced(g.layout(), a, begin, end);
      if constexpr (Stack) part = situ::internal::without_axis(part, a);
      pass.add(edge, Tensor<T, D>(g.storage(), part));
      begin = end;
    }
  });
}

/// The operands as variables, and the axis behind them.
template <bool Stack, class First, class... Rest>
[[nodiscard]] variable_of_t<First> join_operands(const First& first, const Rest&... rest) {
  std::int64_t axis = 0;
  std::vector<variable_of_t<First>> variables{as_variable(first)};
  const auto note = [&]<class X>(const X& x) {
    if constexpr (TensorLike<X>) variables.push_back(as_variable(x));
    else axis = static_cast<std::int64_t>(x);
  };
  (note(rest), ...);
  return join<Stack>(std::span<const variable_of_t<First>>(variables), axis);
}

/// A vector, array or span of variables.
template <class R>
concept VariableRange = requires(const R& range) {
  std::span(range);
  requires VariableType<typename decltype(std::span(range))::value_type>;
};

}  // namespace autograd

template <class First, class... Rest>
  requires internal::Joinable<First, Rest...> && AnyRecorded<First, Rest...>
[[nodiscard]] autograd::variable_of_t<First> concat(const First& first, const Rest&... rest) {
  return autograd::join_operands<false>(first, rest...);
}
template <autograd::VariableRange R>
[[nodiscard]] auto concat(const R& variables, std::int64_t axis = 0) {
  const std::span list(variables);
  using Item = typename decltype(list)::value_type;
  return autograd::join<false>(std::span<const Item>(list), axis);
}
template <FloatingElement T, Device D>
[[nodiscard]] Variable<T, D> concat(std::initializer_list<Variable<T, D>> variables, std::int64_t axis = 0) {
  return autograd::join<false>(std::span<const Variable<T, D>>(variables.begin(), variables.size()), axis);
}

template <class First, class... Rest>
  requires internal::Joinable<First, Rest...> && AnyRecorded<First, Rest...>
[[nodiscard]] autograd::variable_of_t<First> stack(const First& first, const Rest&... rest) {
  return autograd::join_operands<true>(first, rest...);
}
template <autograd::VariableRange R>
[[nodiscard]] auto stack(const R& variables, std::int64_t axis = 0) {
  const std::span list(variables);
  using Item = typename decltype(list)::value_type;
  return autograd::join<true>(std::span<const Item>(list), axis);
}
template <FloatingElement T, Device D>
[[nodiscard]] Variable<T, D> stack(std::initializer_list<Variable<T, D>> variables, std::int64_t axis = 0) {
  return autograd::join<true>(std::span<const Variable<T, D>>(variables.begin(), variables.size()), axis);
}

}  // namespace situ
