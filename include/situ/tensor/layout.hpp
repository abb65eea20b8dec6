// SPDX-License-Identifier: Apache-2.0
// Layout: shape, strides and offset of the elements of a tensor, and the views that only change these: permute,
// broadcast, reshape.
#pragma once

#include <cstdint>
#include <string>

#include <situ/core/broadcast.hpp>
#include <situ/core/error.hpp>
#include <situ/core/shape.hpp>

namespace situ {

/// Element `(i, j, ...)` is at `offset + i * strides[0] + j * strides[1] + ...`, counted in elements.
struct Layout {
  Shape shape;
  std::int64_t offset = 0;
  Strides strides;  // only of existing axes: a copy may skip the others

  Layout() noexcept : strides{} {}
  Layout(const Shape& extents, const Strides& steps, std::int64_t first = 0) noexcept : offset(first), strides{} {
    shape = extents;  // whole, as the strides: gcc would warn about a copy of only a few axes
    internal::copy_axes(steps, shape.rank(), strides);
  }
  Layout(const Layout& other) noexcept : shape(other.shape), offset(other.offset) {
    internal::copy_axes(other.strides, shape.rank(), strides);
  }
  Layout& operator=(const Layout&) noexcept = default;

  /// Row-major and without gaps, from offset 0.
  [[nodiscard]] static Layout row_major(const Shape& extents) { return Layout(extents); }

  /// Whether the elements are in row-major order without gaps.
  [[nodiscard]] bool is_row_major() const noexcept { return situ::internal::is_row_major(shape, strides); }

  /// Whether two elements share an address: true after a broadcast, which must not be written.
  [[nodiscard]] bool overlaps_itself() const noexcept {
    for (int axis = 0; axis < shape.rank(); ++axis) {
      if (shape[axis] > 1 && stride(axis) == 0) return true;
    }
    return false;
  }

  /// How many elements apart neighbors along the axis are.
  [[nodiscard]] std::int64_t stride(int axis) const noexcept { return strides[static_cast<std::size_t>(axis)]; }
  void set_stride(int axis, std::int64_t step) noexcept { strides[static_cast<std::size_t>(axis)] = step; }

  /// Whether the elements are arranged as those of the other layout, apart from the offset.
  [[nodiscard]] bool lies_as(const Layout& other) const noexcept {
    if (shape.rank() != other.shape.rank()) return false;
    const std::int64_t* others = other.shape.begin();
    const std::int64_t* step = strides.data();
    const std::int64_t* others_step = other.strides.data();
    for (const std::int64_t extent : shape) {
      if (extent != *others++) return false;
      if (*step++ != *others_step++ && extent != 1) return false;
    }
    return true;
  }

  /// Whether both read the same elements in the same order.
  friend bool operator==(const Layout& a, const Layout& b) noexcept { return a.offset == b.offset && a.lies_as(b); }

 private:
  /// Constructed in place: copying strides that were just stored would wait for them.
  explicit Layout(const Shape& extents) noexcept : shape(extents) { internal::set_row_major(strides, extents); }
};

namespace internal {

/// The layout read as the larger `shape`, with stride 0 along stretched axes. Throws `ShapeError` if it does not
/// broadcast to exactly that shape.
[[nodiscard]] inline Layout broadcast_layout(const Layout& layout, const Shape& shape, const char* operation) {
  if (layout.shape == shape) return layout;
  const bool fits =
      layout.shape.rank() <= shape.rank() && internal::broadcast_shapes(layout.shape, shape, operation) == shape;
  if (!fits) {
    throw ShapeError(std::string(operation) + ": shape " + layout.shape.to_string() + " does not broadcast to " +
                     shape.to_string() + "; extents must be equal, or 1 in the smaller shape");
  }
  return {shape, broadcast_strides(layout.shape, layout.strides, shape), layout.offset};
}

/// Tries to read the layout as `shape` (same number of elements) without moving an element; false if that needs a copy.
/// The rule is NumPy's: every group of old axes that a group of new ones replaces must itself have a single stride.
[[nodiscard]] inline bool reshape_layout(const Layout& from, const Shape& shape, Layout& result) {
  if (shape.count() == 0 || from.is_row_major()) {
    result = {shape, row_major_strides(shape), from.offset};
    return true;
  }
  Shape old_shape;
  Strides old_strides{};
  for (int axis = 0; axis < from.shape.rank(); ++axis) {
    if (from.shape[axis] == 1) continue;
    old_strides[static_cast<std::size_t>(old_shape.rank())] = from.stride(axis);
    old_shape.push_back(from.shape[axis]);
  }
  // Unsigned: memory of another library may have any strides, and the one after the last axis is not used.
  const auto extent = [](const Shape& of, int axis) { return static_cast<std::uint64_t>(of[axis]); };
  result = {shape, {}, from.offset};
  int old_begin = 0;
  int new_begin = 0;
  while (old_begin < old_shape.rank() && new_begin < shape.rank()) {
    int old_end = old_begin + 1;
    int new_end = new_begin + 1;
    while (old_shape.count(old_begin, old_end) != shape.count(new_begin, new_end)) {
      if (shape.count(new_begin, new_end) < old_shape.count(old_begin, old_end)) ++new_end;
      else ++old_end;
    }
    for (int axis = old_begin; axis + 1 < old_end; ++axis) {
      const auto i = static_cast<std::size_t>(axis);
      const std::uint64_t evenly = static_cast<std::uint64_t>(old_strides[i + 1]) * extent(old_shape, axis + 1);
      if (static_cast<std::uint64_t>(old_strides[i]) != evenly) return false;
    }
    auto step = static_cast<std::uint64_t>(old_strides[static_cast<std::size_t>(old_end - 1)]);
    for (int axis = new_end - 1; axis >= new_begin; --axis) {
      result.set_stride(axis, static_cast<std::int64_t>(step));
      step *= extent(shape, axis);
    }
    old_begin = old_end;
    new_begin = new_end;
  }
  for (int axis = new_begin; axis < shape.rank(); ++axis) result.set_stride(axis, 1);  // the others have extent 1
  return true;
}

}  // namespace internal

}  // namespace situ
