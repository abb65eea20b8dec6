// SPDX-License-Identifier: Apache-2.0
// Sorting and scans along an axis that is not cut: `sort argsort topk cumsum cumprod` of spread values; see
// ops/sort.hpp and ops/scan.hpp.
#pragma once

#include <cstddef>
#include <cstdint>
#include <tuple>
#include <type_traits>
#include <utility>

#include <situ/core/dtype.hpp>
#include <situ/distributed/axes_of.hpp>
#include <situ/distributed/axis.hpp>
#include <situ/distributed/axis_guards.hpp>
#include <situ/distributed/diagnostics.hpp>
#include <situ/distributed/map_parts.hpp>
#include <situ/distributed/spread.hpp>
#include <situ/ops/scan.hpp>
#include <situ/ops/sort.hpp>

namespace situ {

/// The elements sorted along an axis.
///
///     Spread y = sort<1>(x);                        // x Sharded<0>: every row separately
template <int Axis, internal::SpreadValueAlong<Axis> X>
[[nodiscard]] auto sort(const X& x, bool descending = false) {
  return internal::map_parts<layout_t<X>>(
      x.shape(), [descending](const auto& part) { return sort(part, Axis, descending); }, x);
}
template <int Axis>
never_made sort(typename the_axis_is_cut<internal::AxesOf<Axis>>::fix_call_all_gather_or_reshard, bool = false);
template <int Axis>
never_made sort(a_partial_sum_is_not_a_value::fix_call_all_reduce, bool = false);

/// The positions along an axis that sort its elements.
template <int Axis, internal::SpreadValueAlong<Axis> X>
[[nodiscard]] auto argsort(const X& x, bool descending = false) {
  return internal::map_parts<layout_t<X>>(
      x.shape(), [descending](const auto& part) { return argsort(part, Axis, descending); }, x);
}
template <int Axis>
never_made argsort(typename the_axis_is_cut<internal::AxesOf<Axis>>::fix_call_all_gather_or_reshard, bool = false);
template <int Axis>
never_made argsort(a_partial_sum_is_not_a_value::fix_call_all_reduce, bool = false);

/// The result of `topk` of a spread value: values in descending order (ascending for the smallest), and their positions
/// along the axis.
template <SpreadLike Values, SpreadLike Indices>
struct SpreadTopK {
  Values values;
  Indices indices;
};

namespace internal {

/// Values and indices of the parts, combined into spread values.
template <class Layout, class Mesh, class... Part>
[[nodiscard]] auto join_topk(const Mesh& mesh, const Shape& shape, const std::tuple<Part...>& parts) {
  return std::apply(
      [&](const auto&... part) {
        using Values = spread_of_t<Layout, Mesh, decltype(part.values)...>;
        using Indices = spread_of_t<Layout, Mesh, decltype(part.indices)...>;
        return SpreadTopK<Values, Indices>{Values(mesh, shape, {part.values...}),
                                           Indices(mesh, shape, {part.indices...})};
      },
      parts);
}

}  // namespace internal

/// The `k` largest elements along an axis.
///
///     auto [values, indices] = topk<1>(scores, 5);
template <int Axis, internal::SpreadValueAlong<Axis> X>
[[nodiscard]] auto topk(const X& x, std::int64_t k, bool largest = true) {
  const auto parts =
      std::apply([&](const auto&... part) { return std::tuple(topk(part, k, Axis, largest)...); }, x.parts());
  Shape shape = x.shape();
  shape.set(Axis, k);
  return internal::join_topk<layout_t<X>>(x.mesh(), shape, parts);
}
template <int Axis>
never_made topk(typename the_axis_is_cut<internal::AxesOf<Axis>>::fix_call_all_gather_or_reshard, std::int64_t,
                bool = true);
template <int Axis>
never_made topk(a_partial_sum_is_not_a_value::fix_call_all_reduce, std::int64_t, bool = true);

namespace internal {

/// Prefix sums are linear: those of a `Partial<sum>` are one, unless they widen elements that have already wrapped
/// around.
template <class X>
concept SpreadPrefixSummable =
    !is_partial<layout_t<X>> ||
    (std::same_as<layout_t<X>, Partial<>> &&
     (FloatingElement<spread_element_t<X>> || std::same_as<spread_element_t<X>, std::int64_t>));

}  // namespace internal

/// The sums of all elements up to each one along an axis.
template <int Axis, internal::SpreadAlong<Axis> X>
  requires internal::SpreadPrefixSummable<X>
[[nodiscard]] auto cumsum(const X& x) {
  return internal::map_parts<layout_t<X>>(x.shape(), [](const auto& part) { return cumsum(part, Axis); }, x);
}
template <int Axis>
never_made cumsum(typename the_axis_is_cut<internal::AxesOf<Axis>>::fix_call_all_gather_or_reshard);
template <int Axis>
never_made cumsum(a_partial_sum_is_not_a_value::fix_call_all_reduce);

/// The products of all elements up to each one along an axis.
template <int Axis, internal::SpreadValueAlong<Axis> X>
[[nodiscard]] auto cumprod(const X& x) {
  return internal::map_parts<layout_t<X>>(x.shape(), [](const auto& part) { return cumprod(part, Axis); }, x);
}
template <int Axis>
never_made cumprod(typename the_axis_is_cut<internal::AxesOf<Axis>>::fix_call_all_gather_or_reshard);
template <int Axis>
never_made cumprod(a_partial_sum_is_not_a_value::fix_call_all_reduce);

}  // namespace situ
