// SPDX-License-Identifier: Apache-2.0
// Reductions of spread values that each device can finish on its own, or leave as terms: `sum mean min max any all`.
// The axis decides the layout, so it is a template argument, counted from the front, and so is `keepdims`: `sum<1>(x)`,
// `sum<0, 1>(x)`, `sum<1, keepdims>(x)`; `sum(x)` is over all axes.
//
//     Sharded<k>, over k      a term on each device: Partial<sum>, <min>, <max>, which all_reduce combines
//     Sharded<k>, else        Sharded, with k lowered by 1 for each axis removed before it
//     Replicated, Local       as they are
//     Partial<sum>            its sum is a Partial<sum>; it has no other reduction
#pragma once

#include <concepts>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <type_traits>

#include <situ/core/shape.hpp>
#include <situ/distributed/axes_of.hpp>
#include <situ/distributed/axis_guards.hpp>
#include <situ/distributed/diagnostics.hpp>
#include <situ/distributed/map_parts.hpp>
#include <situ/distributed/spread.hpp>
#include <situ/expression/apply.hpp>
#include <situ/ops/creation.hpp>
#include <situ/ops/reduce.hpp>

namespace situ {

namespace internal {

template <class X, class R>
concept SpreadReducibleBy = SpreadLike<X> && R::template accepts<spread_element_t<X>>;
/// ... and that is not a `Partial`.
template <class X, class R>
concept SpreadValueReducibleBy = SpreadReducibleBy<X, R> && !is_partial<layout_t<X>>;

/// The mean of a part, as a term of the mean of the whole: weighted by its share of the positions. (Not its sum divided
/// by the count of the whole: in 16-bit floats a sum overflows where the mean does not.)
template <class A>
struct MeanTerm {
  Shape whole;
  template <class X>
  [[nodiscard]] applied_t<X> operator()(const X& part) const {
    const ReduceAxes axes = A::axes();
    if (part.shape() == whole) return situ::mean(part, axes, A::keep);
    const auto count = [&](const Shape& shape) {
      return static_cast<double>(reduced_count(shape, axes.of(shape, "mean")));
    };
    if (count(part.shape()) == 0 && count(whole) > 0) return situ::sum(part, axes, A::keep);
    return situ::mean(part, axes, A::keep) * (count(part.shape()) / count(whole));
  }
};

/// The smallest or largest element of a part; if the part is empty and others are not, a value that no element is worse
/// than.
template <class A, bool Largest>
struct ExtremeTerm {
  Shape whole;
  template <class X>
  [[nodiscard]] applied_t<X> operator()(const X& part) const {
    using T = value_type_t<X>;
    const ReduceAxes axes = A::axes();
    if (part.shape().count() == 0 && whole.count() > 0) {
      using Limits = std::numeric_limits<T>;
      constexpr bool infinite = FloatingElement<T>;
      const T low = infinite ? static_cast<T>(-Limits::infinity()) : Limits::lowest();
      const T high = infinite ? Limits::infinity() : Limits::max();
      return applied_t<X>(full<T>(A::reduced(part.shape(), "max"), Largest ? low : high, device_t<X>{}));
    }
    if constexpr (Largest) return situ::max(part, axes, A::keep);
    else return situ::min(part, axes, A::keep);
  }
};

}  // namespace internal

/// The sum; see `sum` of tensors.
///
///     Spread rows = sum<1>(x);                      // x Sharded<0>: Sharded<0>
///     Spread columns = all_reduce(sum<0>(x));       // x Sharded<0>: Partial<>, then Replicated
template <auto... How, internal::SpreadReducibleBy<internal::reduction::Sum> X>
  requires internal::AxisArguments<How...> &&
           (!internal::is_partial<layout_t<X>> || std::same_as<layout_t<X>, Partial<>>)
[[nodiscard]] auto sum(const X& x) {
  using A = internal::AxesOf<How...>;
  return internal::map_parts<internal::reduced_layout_t<layout_t<X>, A>>(
      A::reduced(x.shape(), "sum"), [](const auto& part) { return situ::sum(part, A::axes(), A::keep); }, x);
}

/// The mean, for floating-point elements. Over the axis that is cut, a `Partial<sum>` of the shares.
template <auto... How, internal::SpreadValueReducibleBy<internal::reduction::Mean> X>
  requires internal::AxisArguments<How...>
[[nodiscard]] auto mean(const X& x) {
  using A = internal::AxesOf<How...>;
  const Shape shape = A::reduced(x.shape(), "mean");
  if constexpr (internal::whole_axes<layout_t<X>, A>) {
    return internal::map_parts<internal::reduced_layout_t<layout_t<X>, A>>(
        shape, [](const auto& part) { return situ::mean(part, A::axes(), A::keep); }, x);
  } else {
    return internal::map_parts<Partial<>>(shape, internal::MeanTerm<A>{x.shape()}, x);
  }
}

/// The smallest element. Over the axis that is cut, a `Partial<min>`. Throws `ValueError` if there are no elements.
template <auto... How, internal::SpreadValueReducibleBy<internal::reduction::Min> X>
  requires internal::AxisArguments<How...>
[[nodiscard]] auto min(const X& x) {
  using A = internal::AxesOf<How...>;
  const Shape shape = A::reduced(x.shape(), "min");
  if constexpr (internal::whole_axes<layout_t<X>, A>) {
    return internal::map_parts<internal::reduced_layout_t<layout_t<X>, A>>(
        shape, [](const auto& part) { return situ::min(part, A::axes(), A::keep); }, x);
  } else {
    return internal::map_parts<Partial<ReduceOp::min>>(shape, internal::ExtremeTerm<A, false>{x.shape()}, x);
  }
}

/// The largest element. Over the axis that is cut, a `Partial<max>`. Throws `ValueError` if there are no elements.
template <auto... How, internal::SpreadValueReducibleBy<internal::reduction::Max> X>
  requires internal::AxisArguments<How...>
[[nodiscard]] auto max(const X& x) {
  using A = internal::AxesOf<How...>;
  const Shape shape = A::reduced(x.shape(), "max");
  if constexpr (internal::whole_axes<layout_t<X>, A>) {
    return internal::map_parts<internal::reduced_layout_t<layout_t<X>, A>>(
        shape, [](const auto& part) { return situ::max(part, A::axes(), A::keep); }, x);
  } else {
    return internal::map_parts<Partial<ReduceOp::max>>(shape, internal::ExtremeTerm<A, true>{x.shape()}, x);
  }
}

/// Whether any element is true, or a number that is not 0. Over the axis that is cut, a `Partial<max>`.
template <auto... How, SpreadLike X>
  requires internal::AxisArguments<How...> && (!internal::is_partial<layout_t<X>>)
[[nodiscard]] auto any(const X& x) {
  using A = internal::AxesOf<How...>;
  return internal::map_parts<internal::reduced_layout_t<layout_t<X>, A, ReduceOp::max>>(
      A::reduced(x.shape(), "any"), [](const auto& part) { return situ::any(part, A::axes(), A::keep); }, x);
}

/// Whether all elements are true, or numbers that are not 0. Over the axis that is cut, a `Partial<min>`.
template <auto... How, SpreadLike X>
  requires internal::AxisArguments<How...> && (!internal::is_partial<layout_t<X>>)
[[nodiscard]] auto all(const X& x) {
  using A = internal::AxesOf<How...>;
  return internal::map_parts<internal::reduced_layout_t<layout_t<X>, A, ReduceOp::min>>(
      A::reduced(x.shape(), "all"), [](const auto& part) { return situ::all(part, A::axes(), A::keep); }, x);
}

// The guards, never defined: for a `Partial`, whose only reduction is the sum (a pending maximum has none at all).
template <auto... How>
never_made sum(a_partial_sum_is_not_a_value::fix_call_all_reduce);
template <auto... How>
never_made mean(a_partial_sum_is_not_a_value::fix_call_all_reduce);
template <auto... How>
never_made min(a_partial_sum_is_not_a_value::fix_call_all_reduce);
template <auto... How>
never_made max(a_partial_sum_is_not_a_value::fix_call_all_reduce);
template <auto... How>
never_made any(a_partial_sum_is_not_a_value::fix_call_all_reduce);
template <auto... How>
never_made all(a_partial_sum_is_not_a_value::fix_call_all_reduce);

}  // namespace situ
