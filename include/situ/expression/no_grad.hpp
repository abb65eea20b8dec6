// SPDX-License-Identifier: Apache-2.0
// Reading values that record gradients, without recording: `no_grad`, `detach`.
#pragma once

#include <cstddef>
#include <utility>

#include <situ/expression/evaluate.hpp>
#include <situ/expression/nodes.hpp>
#include <situ/tensor/tensor.hpp>

namespace situ {

namespace internal {

/// An expression with each variable replaced by a tensor.
template <class Node>
struct WithoutVariables {
  using type = Node;
  [[nodiscard]] static const Node& of(const Node& node) { return node; }
};
template <TensorHolder X>
struct WithoutVariables<X> {
  using type = Tensor<value_type_t<X>, device_t<X>>;
  [[nodiscard]] static const type& of(const X& variable) { return variable.value(); }
};
template <class F, class... Args>
struct WithoutVariables<LazyUntilEval<F, Args...>> {
  using type = LazyUntilEval<F, typename WithoutVariables<Args>::type...>;
  [[nodiscard]] static type of(const LazyUntilEval<F, Args...>& map) {
    return of(map, std::index_sequence_for<Args...>{});
  }

 private:
  template <std::size_t... At>
  [[nodiscard]] static type of(const LazyUntilEval<F, Args...>& map, std::index_sequence<At...>) {
    return type(map.function(), std::in_place, WithoutVariables<Args>::of(get<At>(map.args()))...);
  }
};

}  // namespace internal

/// The same tensor or expression, recording nothing: a variable's value, and an expression with each variable replaced
/// by its value, computed when it becomes a tensor.
///
///     Tensor prediction = no_grad(tanh(x * w + b));
template <TensorLike X>
[[nodiscard]] auto no_grad(const X& x) {
  if constexpr (internal::is_slot<X>) return x.tensor();
  else return typename internal::WithoutVariables<X>::type(internal::WithoutVariables<X>::of(x));
}

/// The value as a tensor, through which no gradient flows: a target computed from the parameters.
///
///     Variable loss = mse_loss(prediction, detach(reward + 0.9f * estimate));
template <TensorLike X>
[[nodiscard]] auto detach(const X& x) {
  return eval(no_grad(x));
}

}  // namespace situ
