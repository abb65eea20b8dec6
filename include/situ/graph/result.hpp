// SPDX-License-Identifier: Apache-2.0
// Arguments and results of functions that are captured for a graph (situ/graph.hpp): one tensor or many.
#pragma once

#include <array>
#include <concepts>
#include <cstddef>
#include <tuple>
#include <type_traits>
#include <utility>
#include <vector>

#include <situ/expression/evaluate.hpp>
#include <situ/tensor/tensor.hpp>

namespace situ::internal {

/// A valid input of a captured function: a tensor, a part of one or an expression on `D`.
template <class X, class D>
concept GraphOperand = TensorLike<X> && !Recorded<X> && std::same_as<device_t<X>, D>;
/// A valid result: the same; pairs, tuples, arrays and vectors of them.
template <class X, class D>
inline constexpr bool is_graph_result = false;
template <class X, class D>
  requires GraphOperand<X, D>
inline constexpr bool is_graph_result<X, D> = true;
template <class X, class D>
inline constexpr bool is_graph_result<std::vector<X>, D> = is_graph_result<X, D>;
template <class X, std::size_t Count, class D>
inline constexpr bool is_graph_result<std::array<X, Count>, D> = is_graph_result<X, D>;
template <class A, class B, class D>
inline constexpr bool is_graph_result<std::pair<A, B>, D> = is_graph_result<A, D> && is_graph_result<B, D>;
template <class... X, class D>
inline constexpr bool is_graph_result<std::tuple<X...>, D> = (is_graph_result<X, D> && ...);

/// The tensors of a result, each computed.
template <TensorLike X>
[[nodiscard]] auto graph_result(const X& value) {
  return eval(value);
}
template <class X>
[[nodiscard]] auto graph_result(const std::vector<X>& values);
template <class X, std::size_t Count>
[[nodiscard]] auto graph_result(const std::array<X, Count>& values);
template <class A, class B>
[[nodiscard]] auto graph_result(const std::pair<A, B>& values);
template <class... X>
[[nodiscard]] auto graph_result(const std::tuple<X...>& values);

template <class X>
auto graph_result(const std::vector<X>& values) {
  std::vector<decltype(graph_result(values.front()))> results;
  for (const X& value : values) results.push_back(graph_result(value));
  return results;
}
template <class X, std::size_t Count>
auto graph_result(const std::array<X, Count>& values) {
  return std::apply([](const auto&... value) { return std::array{graph_result(value)...}; }, values);
}
template <class A, class B>
auto graph_result(const std::pair<A, B>& values) {
  return std::pair{graph_result(values.first), graph_result(values.second)};
}
template <class... X>
auto graph_result(const std::tuple<X...>& values) {
  return std::apply([](const auto&... value) { return std::tuple{graph_result(value)...}; }, values);
}

/// `f(tensor, tensors at the same position of more...)` for each tensor of a result.
template <class F, class R, class... More>
void for_each_tensor(F&& f, R& result, More&... more) {
  if constexpr (TensorType<R>) {
    f(result, more...);
  } else if constexpr (requires { std::tuple_size<std::remove_const_t<R>>::value; }) {
    [&]<std::size_t... Part>(std::index_sequence<Part...>) {
      [[maybe_unused]] const auto part = [&]<std::size_t At>(std::integral_constant<std::size_t, At>) {
        for_each_tensor(f, std::get<At>(result), std::get<At>(more)...);
      };
      (part(std::integral_constant<std::size_t, Part>()), ...);
    }(std::make_index_sequence<std::tuple_size_v<std::remove_const_t<R>>>());
  } else {
    for (std::size_t i = 0; i < result.size(); ++i) for_each_tensor(f, result[i], more[i]...);
  }
}

}  // namespace situ::internal
