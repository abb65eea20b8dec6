// SPDX-License-Identifier: Apache-2.0
// Element-wise operations of spread values: of the parts, by the algebra of layouts, without a step of communication.
#pragma once

#include <type_traits>
#include <utility>

#include <situ/distributed/algebra.hpp>
#include <situ/distributed/map_parts.hpp>
#include <situ/expression/concept.hpp>

namespace situ::internal {

/// Calls a functor's node over parts; a class, since nvcc gives lambdas that hold functors of users another linkage.
template <class F>
struct NodeOf {
  const F& function;
  template <class... Part>
  [[nodiscard]] auto operator()(const Part&... part) const {
    return make_map(function, part...);
  }
};

/// Functor `F` over spread values of layouts it may be applied to (`SpreadOperandsOf`), and numbers.
template <class F, class... X>
[[nodiscard]] auto map_elements(const F& function, const X&... x) {
  using Result = elementwise_layout_t<F, X...>;
  return map_parts<Result>(elementwise_shape<Result>(F::name, x...), NodeOf<F>{function}, x...);
}

}  // namespace situ::internal
