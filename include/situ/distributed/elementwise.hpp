// SPDX-License-Identifier: Apache-2.0
// Element-wise functions of spread values: those of ops/ and the operators of expression/, applied to the parts, in the
// layout that the algebra determines and without communication. Lazy: the parts of the result are nodes.
#pragma once

#include <cstddef>
#include <tuple>
#include <type_traits>
#include <utility>

#include <situ/distributed/algebra.hpp>
#include <situ/distributed/elementwise_guards.hpp>  // IWYU pragma: export
#include <situ/distributed/map_parts.hpp>
#include <situ/expression/concept.hpp>
#include <situ/expression/operators.hpp>     // IWYU pragma: export
#include <situ/ops/activation.hpp>           // IWYU pragma: export
#include <situ/ops/binary.hpp>               // IWYU pragma: export
#include <situ/ops/composed_activation.hpp>  // IWYU pragma: export
#include <situ/ops/unary.hpp>                // IWYU pragma: export

namespace situ {

namespace internal {

/// Part `At` of an operand as `part_of` returns it. (Its type is not deduced from that function: clang forms the type
/// of a result before it checks the constraints, and would compile the body.)
template <std::size_t At, class X>
struct PartOf {
  using type = const std::remove_cvref_t<X>&;
};
template <std::size_t At, SpreadLike X>
struct PartOf<At, X> {
  using type = const std::tuple_element_t<At, typename std::remove_cvref_t<X>::parts_type>&;
};
template <class F, std::size_t At, class... X>
using part_node_t = lazy_until_eval_t<F, typename PartOf<At, X>::type...>;

template <class F, class Parts, class... X>
struct SpreadNode;
template <class F, std::size_t... At, class... X>
struct SpreadNode<F, std::index_sequence<At...>, X...> {
  using type =
      spread_of_t<elementwise_layout_t<F, X...>, typename SpreadAgreement<X...>::mesh, part_node_t<F, At, X...>...>;
};

/// Calls `make_map` for parts; a class, since in nvcc lambdas that hold functors of users have another linkage.
template <class F>
struct MapOf {
  const F& function;
  template <class... Part>
  [[nodiscard]] auto operator()(const Part&... part) const {
    return make_map(function, part...);
  }
};

template <class F, class... X>
  requires SpreadOperandsOf<F, X...>
struct Elementwise<F, X...> : SpreadNode<F, std::make_index_sequence<SpreadAgreement<X...>::mesh::local>, X...> {
  [[nodiscard]] static auto make(const F& function, const std::remove_cvref_t<X>&... x) {
    using Layout = elementwise_layout_t<F, X...>;
    return map_parts<Layout>(elementwise_shape<Layout>(F::name, x...), MapOf<F>{function}, x...);
  }
};

}  // namespace internal

/// The value itself, like NumPy's unary plus.
template <SpreadLike X>
[[nodiscard]] X operator+(const X& x) {
  return x;
}

}  // namespace situ
