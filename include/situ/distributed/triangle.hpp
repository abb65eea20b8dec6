// SPDX-License-Identifier: Apache-2.0
// `tril triu diagonal` of spread values; see ops/triangle.hpp. A part of a matrix knows its offset in the whole, so its
// triangle is that of the whole.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>

#include <situ/core/shape.hpp>
#include <situ/distributed/layout.hpp>
#include <situ/distributed/map_parts.hpp>
#include <situ/distributed/rearrange.hpp>
#include <situ/distributed/spread.hpp>
#include <situ/ops/structure.hpp>
#include <situ/ops/triangle.hpp>

namespace situ {

namespace internal {

/// `triangle(part, diagonal)` of every part, with the diagonal of the whole in the part's coordinates.
template <class F, class X>
[[nodiscard]] auto map_triangles(const X& x, std::int64_t diagonal, const char* operation, F&& triangle) {
  constexpr int cut = sharded_axis<layout_t<X>>;
  const int rows = normalize_axis(-2, x.rank(), operation);
  const std::size_t parts = x.mesh().size();
  return map_numbered_parts<layout_t<X>>(
      x.shape(),
      [&](std::size_t number, const auto& part) {
        if constexpr (cut >= 0) {
          if (cut >= rows) {
            // beyond the corners the diagonal makes no difference
            const std::int64_t own = std::clamp(diagonal, -x.shape()[rows], x.shape()[rows + 1]);
            const std::int64_t begin = EvenSplit(x.shape()[cut], parts).begin(number);
            return triangle(part, cut == rows ? own + begin : own - begin);
          }
        }
        return triangle(part, diagonal);
      },
      x);
}

}  // namespace internal

/// The lower triangle of every matrix (the last two axes), also if one of the axes is cut; see `tril` of tensors.
template <SpreadLike X>
[[nodiscard]] auto tril(const X& x, std::int64_t diagonal = 0) {
  return internal::map_triangles(x, diagonal, "tril", [](const auto& part, std::int64_t k) { return tril(part, k); });
}
/// The upper triangle.
template <SpreadLike X>
[[nodiscard]] auto triu(const X& x, std::int64_t diagonal = 0) {
  return internal::map_triangles(x, diagonal, "triu", [](const auto& part, std::int64_t k) { return triu(part, k); });
}

/// The diagonals of the last two axes, as a last axis. Neither of the two may be the one that is cut, else
/// `ShapeError`.
template <SpreadLike X>
[[nodiscard]] auto diagonal(const X& x, std::int64_t offset = 0) {
  const int rows = internal::normalize_axis(-2, x.rank(), "diagonal");
  internal::require_cut_untouched(internal::sharded_axis<layout_t<X>> < rows, "diagonal", x,
                                  "an axis of the matrices is cut");
  return internal::map_beside_the_cut(x, [offset](const auto& part) { return diagonal(part, offset); });
}

}  // namespace situ
