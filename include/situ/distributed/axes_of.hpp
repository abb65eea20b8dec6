// SPDX-License-Identifier: Apache-2.0
// Axes as template arguments, and the layout that results from a reduction over them.
#pragma once

#include <array>
#include <concepts>
#include <cstddef>
#include <cstdint>
#include <span>
#include <type_traits>

#include <situ/core/config.hpp>
#include <situ/core/shape.hpp>
#include <situ/distributed/layout.hpp>
#include <situ/ops/reduce_axes.hpp>

namespace situ::internal {

template <auto Argument>
inline constexpr bool is_keep_dims = std::same_as<std::remove_cv_t<decltype(Argument)>, KeepDims>;
template <auto Argument>
[[nodiscard]] consteval bool is_axis_argument() {
  if constexpr (is_keep_dims<Argument>) return true;
  else if constexpr (std::integral<decltype(Argument)> && !std::same_as<decltype(Argument), bool>)
    return Argument >= 0 && Argument < max_rank;
  else return false;
}
template <auto Argument>
[[nodiscard]] consteval bool is_negative_axis() {
  if constexpr (std::integral<decltype(Argument)> && !std::same_as<decltype(Argument), bool>) return Argument < 0;
  else return false;
}
/// Axes, counted from the front, and optionally `keepdims`.
template <auto... How>
concept AxisArguments = (is_axis_argument<How>() && ...);

/// Axes and optionally `keepdims`; no axes means all of them.
template <auto... How>
struct AxesOf {
  template <auto Argument>
  [[nodiscard]] static consteval std::uint32_t bit() {
    if constexpr (is_keep_dims<Argument> || !is_axis_argument<Argument>()) return 0;
    else return std::uint32_t{1} << Argument;
  }
  template <auto Argument>
  [[nodiscard]] static consteval bool keeps() {
    if constexpr (is_keep_dims<Argument>) return Argument == KeepDims::yes;
    else return false;
  }

  static constexpr std::uint32_t named = (std::uint32_t{0} | ... | bit<How>());
  static constexpr KeepDims keep = (false || ... || keeps<How>()) ? KeepDims::yes : KeepDims::no;

  [[nodiscard]] static constexpr bool has(int axis) noexcept {
    return AxisArguments<How...> && (named == 0 || (named >> axis & 1U) != 0);
  }
  /// The number after the reduction of an axis that is not reduced.
  [[nodiscard]] static constexpr int moved(int axis) noexcept {
    int position = 0;
    for (int i = 0; i < axis; ++i) position += keep == KeepDims::yes || !has(i) ? 1 : 0;
    return position;
  }
  /// The same, as an argument of the reductions of tensors.
  [[nodiscard]] static ReduceAxes axes() {
    if (named == 0) return ReduceAxes();
    std::array<std::int64_t, max_rank> list{};
    std::size_t count = 0;
    for (int i = 0; i < max_rank; ++i) {
      if (has(i)) list[count++] = i;
    }
    return ReduceAxes(std::span<const std::int64_t>(list.data(), count));
  }
  /// The shape of a reduction of `shape`. Throws `IndexError` for an axis that does not exist.
  [[nodiscard]] static Shape reduced(const Shape& shape, const char* operation) {
    return reduced_shape(shape, axes().of(shape, operation), keep);
  }
};

/// Whether each device has all positions of the axes `A`: of all axes for a `Replicated` or a `Local`, of all but one
/// for a `Sharded`.
template <class L, class A>
inline constexpr bool whole_axes = std::same_as<L, Replicated> || std::same_as<L, Local>;
template <int Axis, class A>
inline constexpr bool whole_axes<Sharded<Axis>, A> = !A::has(Axis);

/// The layout of a reduction over `A` of a value that is not a `Partial`. Over the axis that is cut each device has a
/// term, and `Op` combines the terms.
template <class L, class A, ReduceOp Op = ReduceOp::sum>
struct ReducedLayout {
  using type = L;
};
template <int Axis, class A, ReduceOp Op>
struct ReducedLayout<Sharded<Axis>, A, Op> {
  using type = std::conditional_t<A::has(Axis), Partial<Op>, Sharded<A::has(Axis) ? 0 : A::moved(Axis)>>;
};
template <class L, class A, ReduceOp Op = ReduceOp::sum>
using reduced_layout_t = typename ReducedLayout<L, A, Op>::type;

}  // namespace situ::internal
