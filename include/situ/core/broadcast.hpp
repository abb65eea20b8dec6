// SPDX-License-Identifier: Apache-2.0
// Shapes that broadcast to each other, by NumPy's rule, and the strides of what is broadcast.
#pragma once

#include <concepts>
#include <cstddef>
#include <cstdint>
#include <string>

#include <situ/core/error.hpp>
#include <situ/core/shape.hpp>

namespace situ {

namespace internal {

/// Whether `shape` broadcasts to exactly `target`, which has at least as many axes.
[[nodiscard]] constexpr bool stretches_to(const Shape& shape, const Shape& target) noexcept {
  const std::int64_t* wanted = target.end();
  for (const std::int64_t* extent = shape.end(); extent != shape.begin();) {
    --extent;
    if (*extent != *--wanted && *extent != 1) return false;
  }
  return true;
}

/// `situ::broadcast_shapes` for the operands of an operation, which the error names.
[[nodiscard]] inline Shape broadcast_shapes(const Shape& a, const Shape& b, const char* operation) {
  const Shape& longer = a.rank() >= b.rank() ? a : b;
  const Shape& shorter = a.rank() >= b.rank() ? b : a;
  if (stretches_to(shorter, longer)) return longer;
  Shape result = longer;
  for (int i = 1; i <= shorter.rank(); ++i) {
    const std::int64_t x = longer[-i];
    const std::int64_t y = shorter[-i];
    if (x != y && x != 1 && y != 1) {
      throw ShapeError(std::string(operation) + ": shapes " + a.to_string() + " and " + b.to_string() +
                       " do not broadcast: axis " + std::to_string(-i) + " has " + std::to_string(a[-i]) + " and " +
                       std::to_string(b[-i]) + "; make them equal, or one of them 1 (reshape, unsqueeze)");
    }
    result.set(result.rank() - i, x == 1 ? y : x);
  }
  return result.checked();
}

/// Throws `ShapeError` unless a mask has the extents of the first axes of a shape.
inline void require_mask_fits(const Shape& mask, const Shape& shape) {
  bool fits = mask.rank() <= shape.rank();
  for (int axis = 0; fits && axis < mask.rank(); ++axis) fits = shape[axis] == mask[axis];
  if (fits) return;
  throw ShapeError("x(mask): the mask has shape " + mask.to_string() + ", x " + shape.to_string() +
                   "; a mask has the extents of its first axes, or of all");
}
/// Throws `ShapeError` unless a value broadcasts to the shape of `x` in `x.at(mask) = value`.
inline void require_fits_masked_part(const Shape& value, const Shape& x) {
  if (stretches_to(value, x)) return;
  throw ShapeError("x.at(mask): a value of shape " + value.to_string() + " does not broadcast to x, " + x.to_string() +
                   "; values for the true elements alone are written by x = masked_scatter(x, mask, values)");
}

}  // namespace internal

/// The shape that operands of these shapes broadcast to (NumPy's rule: aligned at the last axis, an extent of 1
/// stretches). Throws `ShapeError` that names two shapes and the axis.
///
///     Shape shape = broadcast_shapes(x.shape(), {3, 1});
template <std::same_as<Shape>... More>
[[nodiscard]] Shape broadcast_shapes(const Shape& a, const Shape& b, const More&... more) {
  Shape result = internal::broadcast_shapes(a, b, "broadcast_shapes");
  ((result = internal::broadcast_shapes(result, more, "broadcast_shapes")), ...);
  return result;
}

namespace internal {

/// Strides that read a tensor of `shape` as one of the larger shape `target`: 0 along every stretched axis.
[[nodiscard]] inline Strides broadcast_strides(const Shape& shape, const Strides& strides, const Shape& target) {
  Strides result{};
  const int shift = target.rank() - shape.rank();
  for (int axis = 0; axis < shape.rank(); ++axis) {
    const bool stretched = shape[axis] == 1 && target[axis + shift] != 1;
    result[static_cast<std::size_t>(axis + shift)] = stretched ? 0 : strides[static_cast<std::size_t>(axis)];
  }
  return result;
}

}  // namespace internal

}  // namespace situ
