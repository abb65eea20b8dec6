// SPDX-License-Identifier: Apache-2.0
// The axes of spread values: `permute transpose unsqueeze squeeze flip roll repeat broadcast_to reshape flatten
// contiguous`; see ops/structure.hpp and ops/reshape.hpp. They move nothing: the axis that is cut may change its
// number, but nothing of it is taken, merged or reversed. Parts that are terms stay terms.
#pragma once

#include <array>
#include <concepts>
#include <cstddef>
#include <cstdint>
#include <string>
#include <type_traits>

#include <situ/core/error.hpp>
#include <situ/core/shape.hpp>
#include <situ/distributed/axis_guards.hpp>
#include <situ/distributed/diagnostics.hpp>
#include <situ/distributed/layout.hpp>
#include <situ/distributed/layout_rule.hpp>
#include <situ/distributed/map_parts.hpp>
#include <situ/distributed/place.hpp>
#include <situ/distributed/spread.hpp>
#include <situ/ops/axes.hpp>
#include <situ/ops/axes_of.hpp>
#include <situ/ops/rearrange.hpp>
#include <situ/ops/reshape.hpp>
#include <situ/ops/structure.hpp>
#include <situ/tensor/layout.hpp>

namespace situ {

namespace internal {

/// Whether `Axes` are all axes of some rank, each once.
template <int... Axes>
[[nodiscard]] consteval bool is_axis_order() {
  std::uint32_t seen = 0;
  for (const int axis : std::array<int, sizeof...(Axes)>{Axes...}) {
    if (axis < 0 || axis >= static_cast<int>(sizeof...(Axes))) return false;
    seen |= std::uint32_t{1} << axis;
  }
  return seen == (std::uint32_t{1} << sizeof...(Axes)) - 1;
}
template <int... Axes>
concept AxisOrderArguments = sizeof...(Axes) > 0 && sizeof...(Axes) <= max_rank&& is_axis_order<Axes...>();

/// The position of axis `axis` in this order.
template <int... Axes>
[[nodiscard]] constexpr int position_in_order(int axis) {
  int position = 0;
  for (const int from : std::array<int, sizeof...(Axes)>{Axes...}) {
    if (from == axis) break;
    ++position;
  }
  return position;
}

/// Layout `L`, where axis `Axis`, if it is the one that is cut, becomes axis `To`.
template <class L, int To>
struct CutAlong {
  using type = L;
};
template <int Axis, int To>
struct CutAlong<Sharded<Axis>, To> {
  using type = Sharded<To>;
};
template <class L, int To>
using cut_along_t = typename CutAlong<L, To>::type;

/// The axis that another one becomes when `a` and `b` are exchanged.
[[nodiscard]] constexpr int exchanged(int axis, int a, int b) { return axis == a ? b : axis == b ? a : axis; }

template <auto... Axes>
struct MovedAxes {
  static constexpr bool named = AxisArguments<Axes...>;
  static constexpr Terms terms = Terms::all;
};
template <class T, int... Axes>
struct RuleOf<operation::Permute, T, Axes...> : MovedAxes<> {
  static constexpr bool named = AxisOrderArguments<Axes...>;
  [[nodiscard]] static constexpr int cut(int axis) { return position_in_order<Axes...>(axis); }
};
template <class T, int A, int B>
struct RuleOf<operation::Transpose, T, A, B> : MovedAxes<A, B> {
  [[nodiscard]] static constexpr int cut(int axis) { return exchanged(axis, A, B); }
};
template <class T, int Axis>
struct RuleOf<operation::Unsqueeze, T, Axis> : MovedAxes<Axis> {
  [[nodiscard]] static constexpr int cut(int axis) { return axis >= Axis ? axis + 1 : axis; }
};
template <class T, int Axis>
struct RuleOf<operation::Squeeze, T, Axis> : MovedAxes<Axis> {
  [[nodiscard]] static constexpr int cut(int axis) { return axis == Axis ? lost : axis > Axis ? axis - 1 : axis; }
};

}  // namespace internal

/// The last two axes exchanged. Their numbers depend on the rank: a cut value must be a matrix, else `ShapeError`.
template <SpreadLike X>
  requires(internal::sharded_axis<layout_t<X>> < 2)
[[nodiscard]] auto transpose(const X& x) {
  using L = layout_t<X>;
  const int rank = x.rank();
  if (internal::is_sharded<L> && rank != 2) {
    throw ShapeError("transpose: shape " + x.shape().to_string() + " in layout " + internal::LayoutFacts<L>::name() +
                     ": name the axes, transpose<" + std::to_string(rank - 2) + ", " + std::to_string(rank - 1) +
                     ">(x), since they decide the layout");
  }
  Shape shape = x.shape();
  const int last = internal::normalize_axis(-1, rank, "transpose");
  const int other = internal::normalize_axis(-2, rank, "transpose");
  shape.set(last, x.shape()[other]);
  shape.set(other, x.shape()[last]);
  return internal::map_parts<internal::cut_along_t<L, internal::exchanged(internal::sharded_axis<L>, 0, 1)>>(
      shape, [](const auto& part) { return transpose(part); }, x);
}

// The guards.
template <int... Axis>
never_made squeeze(typename internal::WrongAxis<Axis...>::type, internal::Anything = {});
template <int... Axis>
never_made flip(typename internal::WrongAxis<Axis...>::type, internal::Anything = {});
template <int... Axis>
never_made roll(typename internal::WrongAxis<Axis...>::type, internal::Anything, internal::Anything = {});
template <int... Axis>
never_made repeat(typename internal::WrongAxis<Axis...>::type, internal::Anything, internal::Anything = {});

/// The value read as the larger `shape`. A cut value keeps its rank, and the extent of the axis that is cut, else
/// `ShapeError`.
template <SpreadLike X>
[[nodiscard]] auto broadcast_to(const X& x, const Shape& shape) {
  using L = layout_t<X>;
  if constexpr (internal::is_sharded<L>) {
    constexpr int axis = internal::sharded_axis<L>;
    if (shape.rank() != x.rank() || shape[axis] != x.shape()[axis]) {
      throw ShapeError("broadcast_to: shape " + x.shape().to_string() + " is " + internal::LayoutFacts<L>::name() +
                       ", but " + shape.to_string() + " has another rank or extent there; unsqueeze<k>(x) first, or " +
                       "all_gather it");
    }
  }
  return internal::map_numbered_parts<L>(
      shape,
      [&](std::size_t number, const auto& part) {
        return broadcast_to(part, internal::part_shape<L>(shape, number, x.mesh().size()));
      },
      x);
}

/// The same elements in row-major order on each device.
template <SpreadLike X>
[[nodiscard]] auto contiguous(const X& x) {
  return internal::map_parts<layout_t<X>>(x.shape(), [](const auto& part) { return contiguous(part); }, x);
}

}  // namespace situ
