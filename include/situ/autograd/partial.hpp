// SPDX-License-Identifier: Apache-2.0
// `Partial`: the gradient of one leaf of an expression, as a functor that kernels compute.
#pragma once

#include <concepts>
#include <cstddef>
#include <type_traits>

#include <situ/autograd/sweep.hpp>
#include <situ/core/config.hpp>
#include <situ/core/dtype.hpp>
#include <situ/core/lane.hpp>

namespace situ::autograd {

/// Marks whether a functor takes lanes.
template <bool Lanes>
struct TakesLanes {};
template <>
struct TakesLanes<true> {
  using lane_functor = void;
};

/// The gradient of leaf `Target` of `Program`, called with the gradient of the result; then the result itself, if the
/// derivative reads it and it was kept (`Result`); then the leaves that it reads, in order.
template <class Program, int Target, bool Result>
struct Partial : TakesLanes<sweep::takes_lanes<Program>> {
  static constexpr const char* name = "gradient";
  using program_type = Program;
  static constexpr sweep::Needs needs = sweep::needs<leaf_bit(Target), Result, Program>;
  using Leaf = sweep::leaf_element_t<Program, Target>;
  template <Element T>
  static constexpr bool accepts = true;
  template <Element T>
  using result = Leaf;

  Program program;

  template <class G, class... V>
  [[SITU_INLINE]] constexpr auto operator()(G g, V... given) const {
    if constexpr (!sweep::takes_lanes<Program> && (ComplexElement<G> || ... || ComplexElement<V>)) {
      return (*this)(sweep::lane_of(g), sweep::lane_of(given)...);  // elements: it is called like a user's functor
    } else if constexpr (needs.result) {
      return with_result(g, given...);
    } else {
      return sweep_to_leaf(g, sweep::Unread{}, given...);
    }
  }

 private:
  template <class G, class Y, class... V>
  [[SITU_INLINE]] constexpr auto with_result(G g, Y y, V... leaves) const {
    return sweep_to_leaf(g, y, leaves...);
  }
  template <class G, class Y, class... V>
  [[SITU_INLINE]] constexpr auto sweep_to_leaf(G g, Y y, V... leaves) const {
    using Out = internal::rebind_lane_t<G, compute_t<Leaf>>;
    sweep::LeafGradient<Target, Out> out{Out(compute_t<Leaf>(0))};
    sweep::gradients<leaf_bit(Target)>(program, sweep::Inputs<needs.leaves, V...>{{{{leaves}...}}}, y, g, out);
    if constexpr (sweep::takes_lanes<Program>) return out.value;
    else return static_cast<Leaf>(out.value);
  }
};

}  // namespace situ::autograd
