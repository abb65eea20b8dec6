// SPDX-License-Identifier: Apache-2.0
// Splitting, selecting, rotating and repeating tensors: split, narrow, select, roll, tile.
#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <initializer_list>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include <situ/core/error.hpp>
#include <situ/core/scalar.hpp>
#include <situ/core/shape.hpp>
#include <situ/expression/apply.hpp>
#include <situ/expression/evaluate.hpp>
#include <situ/expression/nodes.hpp>
#include <situ/ops/creation.hpp>
#include <situ/ops/reduce.hpp>
#include <situ/ops/structure.hpp>
#include <situ/tensor/tensor.hpp>

namespace situ {

namespace internal::operation {

/// Positions `[begin, end)` of an axis.
struct Slice : View<Slice> {
  static constexpr bool is_part = true;
  int axis;
  std::int64_t begin, end;

  [[nodiscard]] Layout layout(const Layout& x) const { return sliced(x, axis, begin, end); }
};

}  // namespace internal::operation

/// Consecutive parts of an axis, as views: of the given sizes, which must add up to the extent, or `parts` of equal
/// size, at most 2^24, which must divide the extent. Throws `ShapeError` otherwise.
///
///     std::vector parts = split(x, 3);               // three equal parts of axis 0
///     std::vector parts = split(x, {2, 5}, -1);      // the first two columns and the other five
template <TensorLike X>
[[nodiscard]] std::vector<applied_t<X>> split(X&& x, std::span<const std::int64_t> sizes, std::int64_t axis = 0) {
  const applied_t<X> whole = eval(std::forward<X>(x));
  const int a = internal::normalize_axis(axis, whole.rank(), "split");
  const std::int64_t extent = whole.shape()[a];
  std::vector<applied_t<X>> parts;
  parts.reserve(sizes.size());
  std::int64_t begin = 0;
  for (const std::int64_t size : sizes) {
    if (size < 0 || size > extent - begin) {
      throw ShapeError("split: part " + std::to_string(parts.size()) + " of axis " + std::to_string(axis) +
                       " of shape " + whole.shape().to_string() + " is to have " + std::to_string(size) +
                       " positions, but " + std::to_string(extent - begin) + " are left");
    }
    parts.push_back(internal::apply(internal::operation::Slice{{}, a, begin, begin + size}, whole));
    begin += size;
  }
  if (begin != extent) {
    throw ShapeError("split: the sizes add up to " + std::to_string(begin) + ", but axis " + std::to_string(axis) +
                     " of shape " + whole.shape().to_string() + " has " + std::to_string(extent) +
                     " positions; every position must be in one part");
  }
  return parts;
}
/// The same with the sizes in braces.
template <TensorLike X>
[[nodiscard]] std::vector<applied_t<X>> split(X&& x, std::initializer_list<std::int64_t> sizes, std::int64_t axis = 0) {
  return split(std::forward<X>(x), std::span<const std::int64_t>(sizes.begin(), sizes.size()), axis);
}

namespace internal {

/// The advice of an error for parts that cannot be equal: the call with nearly equal sizes, if it is short.
[[nodiscard]] inline std::string sizes_instead(std::int64_t extent, std::int64_t parts, std::int64_t axis) {
  if (parts <= 0) return "; there must be one or more";
  if (parts > 8) return "; give the sizes, in a vector";
  std::string sizes;
  for (std::int64_t i = 0; i < parts; ++i) {
    sizes += (i == 0 ? "" : ", ") + std::to_string(extent / parts + (i < extent % parts ? 1 : 0));
  }
  return "; give the sizes, split(x, {" + sizes + "}" + (axis == 0 ? ")" : ", " + std::to_string(axis) + ")");
}

}  // namespace internal

namespace internal {

/// The extent of each of `parts` equal parts of an axis; throws `ShapeError` if there are none.
[[nodiscard]] inline std::int64_t extent_of_part(const Shape& shape, std::int64_t parts, std::int64_t axis) {
  const std::int64_t extent = shape[normalize_axis(axis, shape.rank(), "split")];
  constexpr std::int64_t most = std::int64_t{1} << 24;  // an axis of extent 0 divides into any number
  if (parts > most) {
    throw ShapeError("split: axis " + std::to_string(axis) + " of shape " + shape.to_string() + " into " +
                     std::to_string(parts) + " parts; at most " + std::to_string(most) +
                     " tensors are made, and narrow(x, axis, start, length) takes one part");
  }
  if (parts <= 0 || extent % parts != 0) {
    throw ShapeError("split: axis " + std::to_string(axis) + " of shape " + shape.to_string() + " has " +
                     std::to_string(extent) + " positions, which do not divide into " + std::to_string(parts) +
                     " equal parts" + sizes_instead(extent, parts, axis));
  }
  return extent / parts;
}

template <class X, std::size_t... I>
[[nodiscard]] std::array<X, sizeof...(I)> equal_parts(std::index_sequence<I...>, const X& x, std::int64_t each,
                                                      int axis) {
  const auto part = [&](std::int64_t i) { return apply(operation::Slice{{}, axis, i * each, (i + 1) * each}, x); };
  return {part(static_cast<std::int64_t>(I))...};
}

}  // namespace internal

/// Into equal parts.
template <TensorLike X>
[[nodiscard]] std::vector<applied_t<X>> split(X&& x, std::int64_t parts, std::int64_t axis = 0) {
  const std::int64_t each = internal::extent_of_part(x.shape(), parts, axis);
  const std::vector<std::int64_t> sizes(static_cast<std::size_t>(parts), each);
  return split(std::forward<X>(x), std::span<const std::int64_t>(sizes), axis);
}
/// The same in an array, whose length is known when the program is compiled: no memory is allocated.
///
///     auto [q, k, v] = split<3>(projected, -1);
template <std::int64_t Parts, TensorLike X>
  requires(Parts >= 1 && Parts <= 64)
[[nodiscard]] std::array<applied_t<X>, static_cast<std::size_t>(Parts)> split(X&& x, std::int64_t axis = 0) {
  const applied_t<X> whole = eval(std::forward<X>(x));
  const std::int64_t each = internal::extent_of_part(whole.shape(), Parts, axis);
  const int a = internal::normalize_axis(axis, whole.shape().rank(), "split");
  return internal::equal_parts(std::make_index_sequence<static_cast<std::size_t>(Parts)>(), whole, each, a);
}

/// `length` positions of an axis from `start` on, a view; the axis may be known only at run time, unlike in
/// `x(all, range(a, b))`. A negative start counts from the end. Throws `IndexError` for positions out of range.
///
///     Tensor window = narrow(x, axis, t, 100);
template <TensorLike X>
[[nodiscard]] applied_t<X> narrow(X&& x, std::int64_t axis, std::int64_t start, std::int64_t length) {
  const Shape shape = x.shape();
  const int a = internal::normalize_axis(axis, shape.rank(), "narrow");
  const std::int64_t begin = start < 0 ? start + shape[a] : start;
  if (begin < 0 || begin > shape[a] || length < 0 || length > shape[a] - begin) {
    throw IndexError("narrow: " + std::to_string(length) + " positions from " + std::to_string(start) +
                     " on are out of range for axis " + std::to_string(axis) + " with extent " +
                     std::to_string(shape[a]) + " of shape " + shape.to_string());
  }
  return internal::apply(internal::operation::Slice{{}, a, begin, begin + length}, std::forward<X>(x));
}

/// One position of an axis, which is removed: a view; see `narrow`.
///
///     Tensor step = select(sequence, time_axis, t);
template <TensorLike X>
[[nodiscard]] applied_t<X> select(X&& x, std::int64_t axis, std::int64_t position) {
  const Shape shape = x.shape();
  const int a = internal::normalize_axis(axis, shape.rank(), "select");
  return squeeze(narrow(std::forward<X>(x), a, internal::checked_position(position, shape[a], a, shape), 1), a);
}

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
