// SPDX-License-Identifier: Apache-2.0
// `reshape flatten` of spread values, if every device keeps the elements that it has.
#pragma once

#include <concepts>
#include <cstddef>
#include <cstdint>
#include <string>

#include <situ/core/error.hpp>
#include <situ/core/shape.hpp>
#include <situ/core/wanted_shape.hpp>
#include <situ/distributed/layout.hpp>
#include <situ/distributed/map_parts.hpp>
#include <situ/distributed/spread.hpp>
#include <situ/distributed/structure.hpp>
#include <situ/ops/reshape.hpp>

namespace situ {

namespace internal {

/// Whether the pieces of a value of shape `from`, cut along `axis`, are those of shape `to` cut along `new_axis`.
[[nodiscard]] inline bool same_pieces(const Shape& from, int axis, const Shape& to, int new_axis, std::size_t parts) {
  if (new_axis >= to.rank() || from.count(0, axis) != to.count(0, new_axis)) return false;
  const std::int64_t behind = from.count(axis + 1, from.rank());
  const std::int64_t new_behind = to.count(new_axis + 1, to.rank());
  const EvenSplit pieces(from[axis], parts);
  const EvenSplit new_pieces(to[new_axis], parts);
  for (std::size_t i = 0; i <= parts; ++i) {
    if (pieces.begin(i) * behind != new_pieces.begin(i) * new_behind) return false;
  }
  return true;
}

}  // namespace internal

/// The elements in row-major order in another shape; -1 is one extent to be inferred. A cut value stays cut, along the
/// axis of the same number or axis `To`: throws `ShapeError` if a device would need elements of another.
///
///     Spread rows = reshape(images, {n, -1});        // Sharded<0>, as before
///     Spread heads = reshape(x, {n, 8, -1});         // x (n, 64), Sharded<1>: some of the heads on each device
///     Spread again = reshape<0>(y, {n, -1});         // y of shape (1, n, 8, 8), Sharded<1>: Sharded<0>
template <int To = -1, SpreadLike X>
  requires(To == -1 || (internal::is_axis_number(To) && internal::is_sharded<layout_t<X>>))
[[nodiscard]] auto reshape(const X& x, const internal::WantedShape& wanted) {
  using L = layout_t<X>;
  if constexpr (std::same_as<L, Local>) {
    return internal::map_parts<L>({}, [&](const auto& part) { return reshape(part, wanted); }, x);
  } else {
    constexpr int axis = internal::sharded_axis<L>;
    constexpr int to = To == -1 ? axis : To;
    const Shape& from = x.shape();
    const Shape shape = wanted.of(from.count(), "reshape", [&] {
      return "shape " + from.to_string() + " has " + std::to_string(from.count()) + " elements";
    });
    if constexpr (axis >= 0) {
      if (!internal::same_pieces(from, axis, shape, to, x.mesh().size())) {
        throw ShapeError("reshape: shape " + from.to_string() + " in layout " + internal::LayoutFacts<L>::name() +
                         " to " + shape.to_string() + " in layout Sharded<" + std::to_string(to) + "> over " +
                         std::to_string(x.mesh().size()) +
                         " devices: a device would need elements of others; name another axis, " +
                         "reshape<k>(x, shape), or reshard or all_gather first");
      }
    }
    using Result = internal::cut_along_t<L, to>;
    return internal::map_numbered_parts<Result>(
        shape,
        [&](std::size_t number, const auto& part) {
          return reshape(part, internal::part_shape<Result>(shape, number, x.mesh().size()));
        },
        x);
  }
}

/// The axes `first` to `last` merged into one. The axis that is cut must not be among them, except as the first one if
/// the pieces divide evenly, else `ShapeError`.
///
///     Spread features = flatten(images, 1);          // (n, c, h, w) -> (n, c * h * w), Sharded<0>
template <SpreadLike X>
[[nodiscard]] auto flatten(const X& x, std::int64_t first = 0, std::int64_t last = -1) {
  Shape shape = x.shape();
  if (shape.rank() == 0) return reshape(x, Shape{1});
  const int begin = internal::normalize_axis(first, shape.rank(), "flatten");
  const int end = internal::normalize_axis(last, shape.rank(), "flatten");
  if (begin > end) {
    throw IndexError("flatten: axes " + std::to_string(first) + " to " + std::to_string(last) + " of shape " +
                     shape.to_string() + " are in the wrong order; the first must not come after the last");
  }
  shape.set(begin, shape.count(begin, end + 1));
  for (int axis = end; axis > begin; --axis) shape.erase(axis);
  return reshape(x, shape);
}

}  // namespace situ
