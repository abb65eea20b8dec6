// SPDX-License-Identifier: Apache-2.0
// The guards of sorting and scans of spread values, `sort argsort topk cumsum cumprod`, and the result of `topk`; see
// ops/sort.hpp and ops/scan.hpp.
#pragma once

#include <cstdint>
#include <tuple>

#include <situ/distributed/diagnostics.hpp>
#include <situ/distributed/layout_rule.hpp>  // IWYU pragma: export
#include <situ/distributed/spread.hpp>
#include <situ/ops/scan.hpp>  // IWYU pragma: export
#include <situ/ops/sort.hpp>  // IWYU pragma: export

namespace situ {

/// The result of `topk<1>(x, k)` of a spread value: values in descending order (ascending for the smallest), and their
/// positions along the axis.
template <SpreadLike Values, SpreadLike Indices>
struct SpreadTopK {
  Values values;
  Indices indices;
};
template <SpreadLike Values, SpreadLike Indices>
SpreadTopK(Values, Indices) -> SpreadTopK<Values, Indices>;

namespace internal {

template <class Rule, class X, class... Values>
[[nodiscard]] auto spread_by(const X& x, const std::tuple<TopK<Values>...>& parts) {
  return std::apply(
      [&x](const auto&... part) {
        return SpreadTopK{spread_by<Rule>(x, std::tuple(part.values...)),
                          spread_by<Rule>(x, std::tuple(part.indices...))};
      },
      parts);
}

}  // namespace internal

template <int... Axis>
never_made sort(typename internal::WrongAxis<Axis...>::type, internal::Anything = {}, internal::Anything = {});
template <int Axis>
never_made sort(a_partial_sum_is_not_a_value::fix_call_all_reduce, bool = false);

template <int... Axis>
never_made argsort(typename internal::WrongAxis<Axis...>::type, internal::Anything = {}, internal::Anything = {});
template <int Axis>
never_made argsort(a_partial_sum_is_not_a_value::fix_call_all_reduce, bool = false);

template <int... Axis>
never_made topk(typename internal::WrongAxis<Axis...>::type, internal::Anything, internal::Anything = {},
                internal::Anything = {});
template <int Axis>
never_made topk(a_partial_sum_is_not_a_value::fix_call_all_reduce, std::int64_t, bool = false);

template <int... Axis>
never_made cumsum(typename internal::WrongAxis<Axis...>::type, internal::Anything = {});
template <int Axis>
never_made cumsum(a_partial_sum_is_not_a_value::fix_call_all_reduce);

template <int... Axis>
never_made cumprod(typename internal::WrongAxis<Axis...>::type, internal::Anything = {});
template <int Axis>
never_made cumprod(a_partial_sum_is_not_a_value::fix_call_all_reduce);

}  // namespace situ
