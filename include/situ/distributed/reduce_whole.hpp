// SPDX-License-Identifier: Apache-2.0
// Reductions of spread values that need all positions of an axis on one device: `prod var stddev argmin argmax norm`.
// Over the axis that is cut they do not compile: call `all_gather(x)` first, or `reshard<k>(x)` along another axis.
// Axes are template arguments as in reduce.hpp. `argmin` and `argmax` take one axis or none. Options are `Given...`,
// which braces cannot match: in `var(x, {1})` they are an axis.
#pragma once

#include <concepts>

#include <situ/distributed/axes_of.hpp>
#include <situ/distributed/axis_guards.hpp>
#include <situ/distributed/diagnostics.hpp>
#include <situ/distributed/map_parts.hpp>
#include <situ/distributed/reduce.hpp>
#include <situ/distributed/spread.hpp>
#include <situ/ops/norm.hpp>
#include <situ/ops/prod.hpp>
#include <situ/ops/reduce.hpp>
#include <situ/ops/variance.hpp>

namespace situ {

namespace internal {

/// Operands of reduction `R` over axes that are whole on each device.
template <class X, class R, auto... How>
concept SpreadWholeReducible =
    AxisArguments<How...> && SpreadValueReducibleBy<X, R> && whole_axes<layout_t<X>, AxesOf<How...>>;

/// Whether there is one axis or none, for `argmax`.
template <auto... How>
inline constexpr bool one_axis_or_none = ((is_keep_dims<How> ? 0 : 1) + ... + 0) <= 1;

}  // namespace internal

/// The product.
template <auto... How, class X>
  requires internal::SpreadWholeReducible<X, internal::reduction::Prod, How...>
[[nodiscard]] auto prod(const X& x) {
  using A = internal::AxesOf<How...>;
  return internal::map_parts<internal::reduced_layout_t<layout_t<X>, A>>(
      A::reduced(x.shape(), "prod"), [](const auto& part) { return situ::prod(part, A::axes(), A::keep); }, x);
}
template <auto... How>
never_made prod(a_partial_sum_is_not_a_value::fix_call_all_reduce);
template <auto... How>
never_made prod(typename the_axis_is_cut<internal::AxesOf<How...>>::fix_call_all_gather_or_reshard);

/// The variance; see `var` of tensors.
template <auto... How, class X, std::same_as<Ddof>... Given>
  requires internal::SpreadWholeReducible<X, internal::reduction::Variance, How...> && (sizeof...(Given) <= 1)
[[nodiscard]] auto var(const X& x, Given... ddof) {
  using A = internal::AxesOf<How...>;
  return internal::map_parts<internal::reduced_layout_t<layout_t<X>, A>>(
      A::reduced(x.shape(), "var"), [=](const auto& part) { return situ::var(part, A::axes(), A::keep, ddof...); }, x);
}
template <auto... How, std::same_as<Ddof>... Given>
never_made var(a_partial_sum_is_not_a_value::fix_call_all_reduce, Given...);
template <auto... How, std::same_as<Ddof>... Given>
never_made var(typename the_axis_is_cut<internal::AxesOf<How...>>::fix_call_all_gather_or_reshard, Given...);

/// The square root of `var`.
template <auto... How, class X, std::same_as<Ddof>... Given>
  requires internal::SpreadWholeReducible<X, internal::reduction::StandardDeviation, How...> && (sizeof...(Given) <= 1)
[[nodiscard]] auto stddev(const X& x, Given... ddof) {
  using A = internal::AxesOf<How...>;
  return internal::map_parts<internal::reduced_layout_t<layout_t<X>, A>>(
      A::reduced(x.shape(), "stddev"),
      [=](const auto& part) { return situ::stddev(part, A::axes(), A::keep, ddof...); }, x);
}
template <auto... How, std::same_as<Ddof>... Given>
never_made stddev(a_partial_sum_is_not_a_value::fix_call_all_reduce, Given...);
template <auto... How, std::same_as<Ddof>... Given>
never_made stddev(typename the_axis_is_cut<internal::AxesOf<How...>>::fix_call_all_gather_or_reshard, Given...);

/// The Euclidean norm; `norm<1>(x, NormOrder{1})` for another, see `norm` of tensors.
template <auto... How, class X, std::same_as<NormOrder>... Given>
  requires internal::SpreadWholeReducible<X, internal::reduction::Norm2, How...> && (sizeof...(Given) <= 1)
[[nodiscard]] auto norm(const X& x, Given... order) {
  using A = internal::AxesOf<How...>;
  return internal::map_parts<internal::reduced_layout_t<layout_t<X>, A>>(
      A::reduced(x.shape(), "norm"), [=](const auto& part) { return situ::norm(part, A::axes(), A::keep, order...); },
      x);
}
template <auto... How, std::same_as<NormOrder>... Given>
never_made norm(a_partial_sum_is_not_a_value::fix_call_all_reduce, Given...);
template <auto... How, std::same_as<NormOrder>... Given>
never_made norm(typename the_axis_is_cut<internal::AxesOf<How...>>::fix_call_all_gather_or_reshard, Given...);

/// The position of the smallest element along one axis, or of all elements; see `argmin` of tensors.
template <auto... How, class X>
  requires internal::SpreadWholeReducible<X, internal::reduction::ArgMin, How...> && internal::one_axis_or_none<How...>
[[nodiscard]] auto argmin(const X& x) {
  using A = internal::AxesOf<How...>;
  return internal::map_parts<internal::reduced_layout_t<layout_t<X>, A>>(
      A::reduced(x.shape(), "argmin"),
      [](const auto& part) { return internal::reduced(internal::reduction::ArgMin{}, part, A::axes(), A::keep); }, x);
}
template <auto... How>
never_made argmin(a_partial_sum_is_not_a_value::fix_call_all_reduce);
template <auto... How>
never_made argmin(typename the_axis_is_cut<internal::AxesOf<How...>>::fix_call_all_gather_or_reshard);

/// The position of the largest element along one axis, or of all elements; see `argmax` of tensors.
template <auto... How, class X>
  requires internal::SpreadWholeReducible<X, internal::reduction::ArgMax, How...> && internal::one_axis_or_none<How...>
[[nodiscard]] auto argmax(const X& x) {
  using A = internal::AxesOf<How...>;
  return internal::map_parts<internal::reduced_layout_t<layout_t<X>, A>>(
      A::reduced(x.shape(), "argmax"),
      [](const auto& part) { return internal::reduced(internal::reduction::ArgMax{}, part, A::axes(), A::keep); }, x);
}
template <auto... How>
never_made argmax(a_partial_sum_is_not_a_value::fix_call_all_reduce);
template <auto... How>
never_made argmax(typename the_axis_is_cut<internal::AxesOf<How...>>::fix_call_all_gather_or_reshard);

}  // namespace situ
