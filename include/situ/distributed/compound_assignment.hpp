// SPDX-License-Identifier: Apache-2.0
// In-place arithmetic of spread values: `x += y` is `x = x + y` with the shape and the layout of `x`, part by part, in
// one pass if nothing else holds a part's storage. The guards are as in elementwise_guards.hpp; an operand that would
// change the layout of `x` (a sharded one beside a replicated `x`) does not compile. If memory runs out midway, some
// parts are changed and others are not; `x = x + y` changes all or none.
#pragma once

#include <concepts>
#include <cstddef>
#include <string>
#include <tuple>
#include <type_traits>
#include <utility>

#include <situ/core/error.hpp>
#include <situ/distributed/diagnostics.hpp>
#include <situ/distributed/elementwise.hpp>
#include <situ/distributed/guards.hpp>
#include <situ/distributed/place.hpp>
#include <situ/distributed/spread.hpp>
#include <situ/expression/evaluate.hpp>
#include <situ/formula/functional/arithmetic.hpp>

namespace situ {

namespace internal {

/// `Target` is a `Spread`, whose parts are tensors, and `F` with `R` does not change its layout.
template <class F, class Target, class R>
concept UpdatesInPlace =
    SpreadOperandsOf<F, Target, R> && std::same_as<Target, spread_like_t<layout_t<Target>, Target>> &&
    (!SpreadLike<R> || SpreadTensor<R>) && std::same_as<elementwise_layout_t<F, Target, R>, layout_t<Target>>;

template <class F, std::size_t... At, class Target, class R>
void update_parts(std::index_sequence<At...>, Target& target, const R& right) {
  (assign(std::get<At>(target.parts_to_change()),
          make_map(F{}, std::get<At>(std::as_const(target).parts()), part_of<At>(right))),
   ...);
}

template <class F, class Target, class R>
Target& update_spread(Target& target, const R& right) {
  const Shape shape = elementwise_shape<layout_t<Target>>(F::name, target, right);
  if (!std::same_as<layout_t<Target>, Local> && !(shape == target.shape())) {
    throw ShapeError(std::string(F::name) + " in place: the operand broadcasts shape " + target.shape().to_string() +
                     " to " + shape.to_string() + ", but a spread value keeps its shape; write x = x + y");
  }
  static_cast<void>(common_mesh(target, right));
  update_parts<F>(std::make_index_sequence<spread_mesh_t<Target>::local>{}, target, right);
  return target;
}

}  // namespace internal

template <class Target, class R>
  requires internal::UpdatesInPlace<internal::functional::Add, Target, R>
Target& operator+=(Target& target, const R& right) {
  return internal::update_spread<internal::functional::Add>(target, right);
}
template <class T, class L, class M>
never_made operator+=(
    const spread_over<T, L, M>&,
    typename the_operand_cannot_be_taken_in_place<internal::functional::Add, spread_over<T, L, M>>::see_Reason);

template <class Target, class R>
  requires internal::UpdatesInPlace<internal::functional::Subtract, Target, R>
Target& operator-=(Target& target, const R& right) {
  return internal::update_spread<internal::functional::Subtract>(target, right);
}
template <class T, class L, class M>
never_made operator-=(
    const spread_over<T, L, M>&,
    typename the_operand_cannot_be_taken_in_place<internal::functional::Subtract, spread_over<T, L, M>>::see_Reason);

template <class Target, class R>
  requires internal::UpdatesInPlace<internal::functional::Multiply, Target, R>
Target& operator*=(Target& target, const R& right) {
  return internal::update_spread<internal::functional::Multiply>(target, right);
}
template <class T, class L, class M>
never_made operator*=(
    const spread_over<T, L, M>&,
    typename the_operand_cannot_be_taken_in_place<internal::functional::Multiply, spread_over<T, L, M>>::see_Reason);

template <class Target, class R>
  requires internal::UpdatesInPlace<internal::functional::Divide, Target, R>
Target& operator/=(Target& target, const R& right) {
  return internal::update_spread<internal::functional::Divide>(target, right);
}
template <class T, class L, class M>
never_made operator/=(
    const spread_over<T, L, M>&,
    typename the_operand_cannot_be_taken_in_place<internal::functional::Divide, spread_over<T, L, M>>::see_Reason);

// A tensor on the left, as in `w.update([&](auto& part) { part -= rate * g[w]; })`.
template <class T, class D>
never_made operator+=(const placed<T, D>&, a_tensor_takes_no_spread_value::fix_make_a_new_spread_value);
template <class T, class D>
never_made operator-=(const placed<T, D>&, a_tensor_takes_no_spread_value::fix_make_a_new_spread_value);
template <class T, class D>
never_made operator*=(const placed<T, D>&, a_tensor_takes_no_spread_value::fix_make_a_new_spread_value);
template <class T, class D>
never_made operator/=(const placed<T, D>&, a_tensor_takes_no_spread_value::fix_make_a_new_spread_value);

}  // namespace situ
