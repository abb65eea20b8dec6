// SPDX-License-Identifier: Apache-2.0
// `softmax log_softmax logsumexp` of spread values, along an axis that is not cut; see ops/softmax.hpp.
#pragma once

#include <cstdint>
#include <type_traits>

#include <situ/core/dtype.hpp>
#include <situ/distributed/axes_of.hpp>
#include <situ/distributed/axis.hpp>
#include <situ/distributed/axis_guards.hpp>
#include <situ/distributed/diagnostics.hpp>
#include <situ/distributed/map_parts.hpp>
#include <situ/distributed/spread.hpp>
#include <situ/ops/softmax.hpp>

namespace situ {

/// `exp(x) / sum(exp(x))` along an axis, without overflow.
///
///     Spread p = softmax<1>(logits);                // logits Sharded<0>: Sharded<0>
template <int Axis, internal::SpreadValueAlong<Axis> X>
  requires FloatingElement<internal::spread_element_t<X>>
[[nodiscard]] auto softmax(const X& x) {
  return internal::map_parts<layout_t<X>>(x.shape(), [](const auto& part) { return softmax(part, Axis); }, x);
}
template <int Axis>
never_made softmax(typename the_axis_is_cut<internal::AxesOf<Axis>>::fix_call_all_gather_or_reshard);
template <int Axis>
never_made softmax(a_partial_sum_is_not_a_value::fix_call_all_reduce);

/// The logarithm of `softmax`, also where `softmax` rounds to 0.
template <int Axis, internal::SpreadValueAlong<Axis> X>
  requires FloatingElement<internal::spread_element_t<X>>
[[nodiscard]] auto log_softmax(const X& x) {
  return internal::map_parts<layout_t<X>>(x.shape(), [](const auto& part) { return log_softmax(part, Axis); }, x);
}
template <int Axis>
never_made log_softmax(typename the_axis_is_cut<internal::AxesOf<Axis>>::fix_call_all_gather_or_reshard);
template <int Axis>
never_made log_softmax(a_partial_sum_is_not_a_value::fix_call_all_reduce);

/// `log(sum(exp(x)))` over all axes, one or several, none of them cut: `logsumexp<1>(x)`, `logsumexp<1, keepdims>(x)`.
template <auto... How, SpreadLike X>
  requires internal::AxisArguments<How...> && FloatingElement<internal::spread_element_t<X>> &&
           internal::whole_axes<layout_t<X>, internal::AxesOf<How...>>
[[nodiscard]] auto logsumexp(const X& x) {
  using A = internal::AxesOf<How...>;
  return internal::map_parts<internal::reduced_layout_t<layout_t<X>, A>>(
      A::reduced(x.shape(), "logsumexp"), [](const auto& part) { return logsumexp(part, A::axes(), A::keep); }, x);
}
template <auto... How>
never_made logsumexp(typename the_axis_is_cut<internal::AxesOf<How...>>::fix_call_all_gather_or_reshard);
template <auto... How>
never_made logsumexp(a_partial_sum_is_not_a_value::fix_call_all_reduce);

}  // namespace situ
