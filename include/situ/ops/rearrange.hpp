// SPDX-License-Identifier: Apache-2.0
// Rotating and repeating tensors: roll, tile; and, from split.hpp, split, narrow, select.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <initializer_list>
#include <span>
#include <string>
#include <utility>

#include <situ/core/error.hpp>
#include <situ/core/scalar.hpp>
#include <situ/core/shape.hpp>
#include <situ/expression/apply.hpp>
#include <situ/expression/evaluate.hpp>
#include <situ/expression/nodes.hpp>
#include <situ/ops/axes_of.hpp>
#include <situ/ops/creation.hpp>
#include <situ/ops/reduce.hpp>
#include <situ/ops/split.hpp>  // IWYU pragma: export
#include <situ/ops/structure.hpp>
#include <situ/tensor/tensor.hpp>

namespace situ {

namespace internal::operation {

struct Roll {
  std::int64_t shift;
  int axis;

  template <TensorLike X>
  [[nodiscard]] tensor_of_t<X> operator()(X&& x) const {
    const tensor_of_t<X> tensor = eval(std::forward<X>(x));
    const std::int64_t extent = tensor.shape()[axis];
    if (extent == 0 || shift % extent == 0) return tensor;
    std::int64_t first = shift % extent;  // the new position of position 0
    if (first < 0) first += extent;
    const Layout layout = Layout::row_major(tensor.shape());
    auto storage = allocate_elements<value_type_t<X>, device_t<X>>(layout.shape);
    const auto move = [&](std::int64_t begin, std::int64_t end, std::int64_t to) {
      assign(storage, sliced(layout, axis, to, to + end - begin),
             tensor_of_t<X>(tensor.storage(), sliced(tensor.layout(), axis, begin, end)));
    };
    move(0, extent - first, first);
    move(extent - first, extent, 0);
    return tensor_of_t<X>(std::move(storage), layout);
  }

  template <Element T, Device D>
  [[nodiscard]] Tensor<T, D> gradient(const Tensor<T, D>& g, const Shape& x) const {
    if (x[axis] == 0) return g;
    return Roll{-(shift % x[axis]), axis}(g);
  }
};

}  // namespace internal::operation

/// Moves every element `shift` places along an axis; those that leave it enter at the other end. Without an axis, along
/// all elements in row-major order.
///
///     roll(tensor({1, 2, 3}), 1, 0)   // 3 1 2
template <TensorLike X>
[[nodiscard]] applied_t<X> roll(X&& x, std::int64_t shift, std::int64_t axis) {
  const int a = internal::normalize_axis(axis, x.shape().rank(), "roll");
  return internal::apply(internal::operation::Roll{shift, a}, std::forward<X>(x));
}
/// Along several axes: by `shifts[i]` along axis `axes[i]`; an axis that is named twice is moved twice. Throws
/// `ShapeError` for lists of different length.
///
///     roll(image, {1, -1}, {0, 1})    // one row down, one column to the left
template <TensorLike X>
[[nodiscard]] applied_t<X> roll(X&& x, std::span<const std::int64_t> shifts, std::span<const std::int64_t> axes) {
  if (shifts.size() != axes.size()) {
    throw ShapeError("roll: " + std::to_string(shifts.size()) + " shifts along " + std::to_string(axes.size()) +
                     " axes; name a shift for each axis");
  }
  for (const std::int64_t axis : axes) static_cast<void>(internal::normalize_axis(axis, x.shape().rank(), "roll"));
  if (axes.empty()) return applied_t<X>(std::forward<X>(x));
  applied_t<X> result = roll(std::forward<X>(x), shifts[0], axes[0]);
  for (std::size_t i = 1; i < axes.size(); ++i) result = roll(std::move(result), shifts[i], axes[i]);
  return result;
}
template <TensorLike X>
[[nodiscard]] applied_t<X> roll(X&& x, std::initializer_list<std::int64_t> shifts,
                                std::initializer_list<std::int64_t> axes) {
  return roll(std::forward<X>(x), std::span<const std::int64_t>(shifts.begin(), shifts.size()),
              std::span<const std::int64_t>(axes.begin(), axes.size()));
}
template <int Axis, internal::OperandAlong<internal::operation::MovesAlong, Axis> X>
[[nodiscard]] auto roll(const X& x, std::int64_t shift) {
  return internal::along<internal::operation::MovesAlong, Axis>(
      x, [shift](const auto& part) { return roll(part, shift, Axis); });
}
/// Along all elements.
template <TensorLike X>
[[nodiscard]] applied_t<X> roll(X&& x, std::int64_t shift) {
  const Shape shape = x.shape();
  return reshape(roll(flatten(std::forward<X>(x)), shift, 0), shape);
}

namespace internal::operation {

struct Tile {
  Shape shape;  // of the result

  template <TensorLike X>
  [[nodiscard]] tensor_of_t<X> operator()(X&& x) const {
    tensor_of_t<X> tensor = eval(std::forward<X>(x));
    while (tensor.rank() < shape.rank()) tensor = unsqueeze(std::move(tensor), 0);
    const Layout layout = Layout::row_major(shape);
    auto storage = allocate_elements<value_type_t<X>, device_t<X>>(shape);
    if (shape.count() == 0) return tensor_of_t<X>(std::move(storage), layout);
    // The part written so far starts as one copy in the corner and doubles along one axis after the other.
    Layout part{tensor.shape(), layout.strides, 0};
    assign(storage, part, tensor);
    for (int axis = shape.rank() - 1; axis >= 0; --axis) {
      while (part.shape[axis] < shape[axis]) {
        const std::int64_t done = part.shape[axis];
        const std::int64_t more = std::min(done, shape[axis] - done);
        const tensor_of_t<X> source(storage, sliced(part, axis, 0, more));
        part.shape.set(axis, done + more);
        assign(storage, sliced(part, axis, done, done + more), source);
      }
    }
    return tensor_of_t<X>(std::move(storage), layout);
  }

  /// The sums over the copies.
  template <Element T, Device D>
  [[nodiscard]] Tensor<T, D> gradient(Tensor<T, D> g, const Shape& x) const {
    const int added = g.rank() - x.rank();
    if (g.size() == 0) return zeros<T>(x, D{});
    for (int axis = 0; axis < g.rank(); ++axis) {
      const std::int64_t extent = axis < added ? 1 : x[axis - added];
      const std::int64_t repeats = g.shape()[axis] / extent;
      if (repeats == 1) continue;
      Shape next = g.shape();
      next.set(axis, extent);
      // before the axis, its copies, one of them, after it
      const Shape folded{next.count(0, axis), repeats, extent, next.count(axis + 1, next.rank())};
      g = reshape(sum(reshape(g, folded), 1), next);
    }
    return reshape(g, x);
  }
};

}  // namespace internal::operation

/// The tensor repeated `repeats[i]` times along axis `i`, counted from the last axis; the shorter of shape and repeats
/// is extended on the left with ones, as in NumPy. Throws `ValueError` for a negative number.
///
///     tile(tensor({1, 2}), {2, 2})   // 1 2 1 2 | 1 2 1 2
template <TensorLike X>
[[nodiscard]] applied_t<X> tile(X&& x, std::span<const std::int64_t> repeats) {
  Shape shape = x.shape();
  while (shape.rank() < static_cast<int>(repeats.size())) shape.insert(0, 1);
  const int rank = shape.rank();
  const int skipped = rank - static_cast<int>(repeats.size());
  for (int axis = skipped; axis < rank; ++axis) {
    const std::int64_t repeat = repeats[static_cast<std::size_t>(axis - skipped)];
    if (repeat < 0) {
      throw ValueError("tile: " + std::to_string(repeat) + " repeats of axis " + std::to_string(axis) +
                       "; the number must be 0 or more");
    }
    shape.set(axis, internal::product_of_extents(shape[axis], repeat, "tile"));
  }
  return internal::apply(internal::operation::Tile{shape.checked()}, std::forward<X>(x));
}
/// The same with the repeats in braces.
template <TensorLike X>
[[nodiscard]] applied_t<X> tile(X&& x, std::initializer_list<std::int64_t> repeats) {
  return tile(std::forward<X>(x), std::span<const std::int64_t>(repeats.begin(), repeats.size()));
}

}  // namespace situ
