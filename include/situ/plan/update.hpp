// SPDX-License-Identifier: Apache-2.0
// The step of an optimizer as a backend sees it: a list of parameters, each with the memory that one functor reads and
// writes, and the numbers that the functor is made of.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <type_traits>
#include <utility>

#include <situ/core/call_count.hpp>
#include <situ/plan/program.hpp>

namespace situ::internal::program {

/// One set of contiguous tensors of `count` elements, at least 1: a parameter, its states and its gradient. A result
/// may be in the place of an operand.
template <std::size_t Operands, std::size_t Results>
struct Update {
  std::int64_t count;
  std::array<const void*, Operands> from;
  std::array<void*, Results> to;
  std::int64_t made;   // the number of this step, from 1,
  AddedByCalls added;  // to which this is added
};

/// A learning rate: a number, or one in the memory of the device, which is read when the step runs.
struct Rate {
  double value = 0;
  const double* in_memory = nullptr;
};

/// The functor that `Settings` makes of a rate and the number of a step.
template <class Settings>
using step_t = std::remove_cvref_t<std::invoke_result_t<const Settings&, double, std::int64_t>>;

/// The program of a functor on contiguous elements: those of the results `T`, which it replaces, and of operands `X`.
template <class F, class Targets, class Read>
struct UpdateProgram;
template <class F, class... T, class... X>
struct UpdateProgram<F, TypeList<T...>, TypeList<X...>> {
  template <class Indices>
  struct With;
  template <std::size_t... At>
  struct With<std::index_sequence<At...>> {
    using type = Call<F, Several<T...>, Leaf<X, static_cast<int>(At)>...>;
  };
  using type = typename With<std::index_sequence_for<X...>>::type;
};
/// The same for a functor of the results and of one operand `U`.
template <class F, class U, class... T>
using update_program_t = typename UpdateProgram<F, TypeList<T...>, TypeList<T..., U>>::type;

}  // namespace situ::internal::program
