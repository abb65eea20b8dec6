// SPDX-License-Identifier: Apache-2.0
// Reductions of spread values, over all axes or those named: `sum`. The axis decides the layout, so it is a template
// argument, counted from the front, and so is `keepdims`: `sum<1>(x)`, `sum<0, 1>(x)`, `sum<1, keepdims>(x)`.
//
//     Sharded<k>, k among the axes     a term on each device: Partial<sum>
//     Sharded<k>, k not among them     Sharded, one less for every axis before k that goes
//     Replicated, Partial<sum>, Local  as they are
#pragma once

#include <array>
#include <concepts>
#include <cstddef>
#include <cstdint>
#include <span>
#include <type_traits>

#include <situ/distributed/diagnostics.hpp>
#include <situ/distributed/map_parts.hpp>
#include <situ/distributed/spread.hpp>
#include <situ/ops/reduce.hpp>
#include <situ/ops/reduce_axes.hpp>

namespace situ {

namespace internal {

/// Axes and perhaps `keepdims`, as template arguments.
template <auto... How>
struct AxesOf {
  template <auto Argument>
  static constexpr bool is_keep = std::same_as<std::remove_cv_t<decltype(Argument)>, KeepDims>;
  template <auto Argument>
  static constexpr std::uint32_t bit = [] {
    if constexpr (is_keep<Argument>) return 0U;
    else return 1U << Argument;
  }();
  template <auto Argument>
  static constexpr bool keeps = [] {
    if constexpr (is_keep<Argument>) return Argument == KeepDims::yes;
    else return false;
  }();
  template <auto Argument>
  static constexpr bool valid = [] {
    if constexpr (is_keep<Argument>) return true;
    else return std::integral<decltype(Argument)> && Argument >= 0 && Argument < max_rank;
  }();

  static constexpr std::uint32_t named = (0U | ... | bit<How>);
  static constexpr bool all = named == 0;
  static constexpr KeepDims keep = (false || ... || keeps<How>) ? KeepDims::yes : KeepDims::no;
  [[nodiscard]] static constexpr bool has(int axis) { return all || (named >> axis & 1U) != 0; }
  /// How many of the axes before `axis` go.
  [[nodiscard]] static constexpr int gone_before(int axis) {
    int count = 0;
    for (int i = 0; i < axis; ++i) count += keep == KeepDims::no && has(i) ? 1 : 0;
    return count;
  }
  /// For the reductions of tensors.
  [[nodiscard]] static Axes axes() {
    std::array<std::int64_t, max_rank> list{};
    std::size_t count = 0;
    for (int i = 0; i < max_rank; ++i) {
      if (!all && has(i)) list[count++] = i;
    }
    return Axes(std::span<const std::int64_t>(list.data(), count));
  }
};
template <auto... How>
concept AxisArguments = (AxesOf<>::valid<How> && ...);

/// The layout of a reduction over `A` of what is in layout `L`; over an axis that is cut the terms are put together by `Op`.
template <class L, ReduceOp Op, class A>
struct ReducedLayout {
  using type = L;
};
template <int Axis, ReduceOp Op, class A>
struct ReducedLayout<Sharded<Axis>, Op, A> {
  using type = std::conditional_t<A::has(Axis), Partial<Op>, Sharded<A::has(Axis) ? 0 : Axis - A::gone_before(Axis)>>;
};

/// The shape of the result: of the whole, since an axis that is cut goes or stays with its extent.
template <class A>
[[nodiscard]] Shape shape_reduced_by(const Shape& shape, const char* operation) {
  return reduced_shape(shape, A::axes().of(shape, operation), A::keep);
}

template <class X, class R>
concept SpreadReducibleBy = SpreadLike<X> && R::template accepts<spread_element_t<X>>;

}  // namespace internal

/// The sum; see `sum` of tensors. Over the axis that is cut each device adds its own positions: a `Partial`, which
/// `all_reduce` puts together.
///
///     Spread rows = sum<1>(x);                      // x Sharded<0>: Sharded<0>
///     Spread columns = all_reduce(sum<0>(x));       // x Sharded<0>: Partial<>, then Replicated
template <auto... How, internal::SpreadReducibleBy<internal::reduction::Sum> X>
  requires internal::AxisArguments<How...> &&
           (!internal::is_partial<layout_t<X>> || std::same_as<layout_t<X>, Partial<>>)
[[nodiscard]] auto sum(const X& x) {
  using A = internal::AxesOf<How...>;
  using Result = typename internal::ReducedLayout<layout_t<X>, ReduceOp::sum, A>::type;
  return internal::map_parts<Result>(internal::shape_reduced_by<A>(x.shape(), "sum"),
                                     [](const auto& part) { return situ::sum(part, A::axes(), A::keep); }, x);
}

}  // namespace situ
