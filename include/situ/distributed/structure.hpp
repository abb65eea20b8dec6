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
#include <situ/distributed/axes_of.hpp>
#include <situ/distributed/axis.hpp>
#include <situ/distributed/axis_guards.hpp>
#include <situ/distributed/diagnostics.hpp>
#include <situ/distributed/layout.hpp>
#include <situ/distributed/map_parts.hpp>
#include <situ/distributed/place.hpp>
#include <situ/distributed/spread.hpp>
#include <situ/ops/axes.hpp>
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
[[nodiscard]] consteval int position_in_order(int axis) {
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

/// The shape of a view of a value of `shape`.
template <class View>
[[nodiscard]] Shape shape_of_view(const View& view, const Shape& shape) {
  return view.layout(Layout::row_major(shape)).shape;
}

/// The axis that another one becomes when `a` and `b` are exchanged.
[[nodiscard]] consteval int exchanged(int axis, int a, int b) { return axis == a ? b : axis == b ? a : axis; }

}  // namespace internal

/// The axes in another order: axis `i` of the result is axis `Axes[i]` of `x`. Throws `IndexError` for another rank.
///
///     Spread y = permute<1, 0>(x);                  // x Sharded<0>: Sharded<1>
template <int... Axes, SpreadLike X>
  requires internal::AxisOrderArguments<Axes...>
[[nodiscard]] auto permute(const X& x) {
  constexpr std::array<std::int64_t, sizeof...(Axes)> order{Axes...};
  using L = layout_t<X>;
  using Result = internal::cut_along_t<L, internal::position_in_order<Axes...>(internal::sharded_axis<L>)>;
  const internal::operation::Permute view{{}, internal::axis_order(x.shape(), order)};
  return internal::map_parts<Result>(
      internal::shape_of_view(view, x.shape()), [](const auto& part) { return permute(part, {std::int64_t{Axes}...}); },
      x);
}

/// Two axes exchanged. Throws `IndexError` for an axis that does not exist.
///
///     Spread y = transpose<1, 2>(x);
template <int A, int B, SpreadLike X>
  requires(internal::is_axis_number(A) && internal::is_axis_number(B))
[[nodiscard]] auto transpose(const X& x) {
  using L = layout_t<X>;
  Shape shape = x.shape();
  const int a = internal::normalize_axis(A, shape.rank(), "transpose");
  const int b = internal::normalize_axis(B, shape.rank(), "transpose");
  shape.set(a, x.shape()[b]);
  shape.set(b, x.shape()[a]);
  return internal::map_parts<internal::cut_along_t<L, internal::exchanged(internal::sharded_axis<L>, A, B)>>(
      shape, [](const auto& part) { return transpose(part, A, B); }, x);
}
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

/// A new axis of extent 1 inserted before axis `Axis`. Throws `IndexError` beyond the new rank.
template <int Axis, SpreadLike X>
  requires(internal::is_axis_number(Axis))
[[nodiscard]] auto unsqueeze(const X& x) {
  constexpr int cut = internal::sharded_axis<layout_t<X>>;
  Shape shape = x.shape();
  shape.insert(internal::normalize_axis(Axis, shape.rank() + 1, "unsqueeze"), 1);
  return internal::map_parts<internal::cut_along_t<layout_t<X>, cut >= Axis ? cut + 1 : cut>>(
      shape, [](const auto& part) { return unsqueeze(part, Axis); }, x);
}

/// Without axis `Axis`, which must have extent 1 (else `ShapeError`) and must not be the one that is cut.
template <int Axis, internal::SpreadAlong<Axis> X>
[[nodiscard]] auto squeeze(const X& x) {
  constexpr int cut = internal::sharded_axis<layout_t<X>>;
  static_cast<void>(internal::normalize_axis(Axis, x.rank(), "squeeze"));
  if (x.shape()[Axis] != 1) {
    throw ShapeError("squeeze: axis " + std::to_string(Axis) + " of shape " + x.shape().to_string() + " has extent " +
                     std::to_string(x.shape()[Axis]) + "; only an axis of extent 1 can be left out");
  }
  Shape shape = x.shape();
  shape.erase(Axis);
  return internal::map_parts<internal::cut_along_t<layout_t<X>, (cut > Axis ? cut - 1 : cut)>>(
      shape, [](const auto& part) { return squeeze(part, Axis); }, x);
}
template <int Axis>
never_made squeeze(typename the_axis_is_cut<internal::AxesOf<Axis>>::fix_call_all_gather_or_reshard);

/// One axis reversed, which must not be the one that is cut.
template <int Axis, internal::SpreadAlong<Axis> X>
[[nodiscard]] auto flip(const X& x) {
  return internal::map_parts<layout_t<X>>(x.shape(), [](const auto& part) { return flip(part, Axis); }, x);
}
template <int Axis>
never_made flip(typename the_axis_is_cut<internal::AxesOf<Axis>>::fix_call_all_gather_or_reshard);

/// Every element moved `shift` positions along an axis; elements that leave at one end enter at the other.
template <int Axis, internal::SpreadAlong<Axis> X>
[[nodiscard]] auto roll(const X& x, std::int64_t shift) {
  return internal::map_parts<layout_t<X>>(x.shape(), [shift](const auto& part) { return roll(part, shift, Axis); }, x);
}
template <int Axis>
never_made roll(typename the_axis_is_cut<internal::AxesOf<Axis>>::fix_call_all_gather_or_reshard, std::int64_t);

/// Every position of an axis repeated `count` times, the copies side by side.
template <int Axis, internal::SpreadAlong<Axis> X>
[[nodiscard]] auto repeat(const X& x, std::int64_t count) {
  Shape shape = x.shape();
  if (Axis < shape.rank() && count >= 0) {  // else the parts throw
    shape.set(Axis, internal::product_of_extents(shape[Axis], count, "repeat"));
  }
  return internal::map_parts<layout_t<X>>(shape, [count](const auto& part) { return repeat(part, count, Axis); }, x);
}
template <int Axis>
never_made repeat(typename the_axis_is_cut<internal::AxesOf<Axis>>::fix_call_all_gather_or_reshard, std::int64_t);

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
