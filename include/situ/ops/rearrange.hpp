// SPDX-License-Identifier: Apache-2.0
// Tensors taken apart, rotated, repeated and framed: split, roll, tile, pad.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <initializer_list>
#include <limits>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include <situ/core/error.hpp>
#include <situ/core/scalar.hpp>
#include <situ/core/shape.hpp>
#include <situ/expression/evaluate.hpp>
#include <situ/expression/nodes.hpp>
#include <situ/ops/structure.hpp>
#include <situ/tensor/tensor.hpp>

namespace situ {

/// Consecutive parts of an axis, as views: of the given sizes, which must add up to the extent, or `parts` of equal
/// size, into which the extent must divide. Throws `ShapeError` otherwise.
///
///     std::vector parts = split(x, 3);               // three equal parts of axis 0
///     std::vector parts = split(x, {2, 5}, -1);      // the first two columns and the other five
template <TensorLike X>
[[nodiscard]] std::vector<internal::tensor_of_t<X>> split(X&& x, std::span<const std::int64_t> sizes, int axis = 0) {
  const internal::tensor_of_t<X> tensor = eval(std::forward<X>(x));
  const int a = normalize_axis(axis, tensor.rank(), "split");
  const std::int64_t extent = tensor.shape()[a];
  std::vector<internal::tensor_of_t<X>> parts;
  parts.reserve(sizes.size());
  std::int64_t begin = 0;
  for (const std::int64_t size : sizes) {
    if (size < 0 || size > extent - begin) {
      throw ShapeError("split: part " + std::to_string(parts.size()) + " of axis " + std::to_string(axis) +
                       " of shape " + tensor.shape().to_string() + " is to have " + std::to_string(size) +
                       " positions, but " + std::to_string(extent - begin) + " are left");
    }
    parts.emplace_back(tensor.storage(), internal::sliced(tensor.layout(), a, begin, begin + size));
    begin += size;
  }
  if (begin != extent) {
    throw ShapeError("split: the sizes add up to " + std::to_string(begin) + ", but axis " + std::to_string(axis) +
                     " of shape " + tensor.shape().to_string() + " has " + std::to_string(extent) +
                     " positions; every position must be in one part");
  }
  return parts;
}
template <TensorLike X>
[[nodiscard]] std::vector<internal::tensor_of_t<X>> split(X&& x, std::initializer_list<std::int64_t> sizes,
                                                          int axis = 0) {
  return split(std::forward<X>(x), std::span<const std::int64_t>(sizes.begin(), sizes.size()), axis);
}
template <TensorLike X>
[[nodiscard]] std::vector<internal::tensor_of_t<X>> split(X&& x, std::int64_t parts, int axis = 0) {
  internal::tensor_of_t<X> tensor = eval(std::forward<X>(x));
  const std::int64_t extent = tensor.shape()[normalize_axis(axis, tensor.rank(), "split")];
  if (parts <= 0 || extent % parts != 0) {
    throw ShapeError("split: axis " + std::to_string(axis) + " of shape " + tensor.shape().to_string() + " has " +
                     std::to_string(extent) + " positions, which do not divide into " + std::to_string(parts) +
                     " equal parts; give the sizes, split(x, {2, 3})");
  }
  const std::vector<std::int64_t> sizes(static_cast<std::size_t>(parts), extent / parts);
  return split(std::move(tensor), std::span<const std::int64_t>(sizes), axis);
}

/// Every element moved `shift` places along an axis, those that leave it coming in at the other end; without an axis,
/// along all elements in row-major order.
///
///     roll(tensor({1, 2, 3}), 1, 0)   // 3 1 2
template <TensorLike X>
[[nodiscard]] internal::tensor_of_t<X> roll(X&& x, std::int64_t shift, int axis) {
  const internal::tensor_of_t<X> tensor = eval(std::forward<X>(x));
  const int a = normalize_axis(axis, tensor.rank(), "roll");
  const std::int64_t extent = tensor.shape()[a];
  if (extent == 0 || shift % extent == 0) return tensor;
  const std::int64_t first = (shift % extent + extent) % extent;  // where position 0 goes
  using T = value_type_t<X>;
  const Layout layout = Layout::row_major(tensor.shape());
  auto storage = internal::allocate_elements<T, device_t<X>>(layout.shape);
  const auto move = [&](std::int64_t begin, std::int64_t end, std::int64_t to) {
    internal::run(internal::tensor_of_t<X>(tensor.storage(), internal::sliced(tensor.layout(), a, begin, end)),
                storage, internal::sliced(layout, a, to, to + end - begin));
  };
  move(0, extent - first, first);
  move(extent - first, extent, 0);
  return internal::tensor_of_t<X>(std::move(storage), layout);
}
template <TensorLike X>
[[nodiscard]] internal::tensor_of_t<X> roll(X&& x, std::int64_t shift) {
  const Shape shape = x.shape();
  return reshape(roll(flatten(std::forward<X>(x)), shift, 0), shape);
}

/// The tensor repeated `repeats[i]` times along axis `i`, counted from the last axis; the shorter of shape and repeats
/// is continued to the left with ones, as NumPy. Throws `ValueError` for a negative number.
///
///     tile(tensor({1, 2}), {2, 2})   // 1 2 1 2 | 1 2 1 2
template <TensorLike X>
[[nodiscard]] internal::tensor_of_t<X> tile(X&& x, std::span<const std::int64_t> repeats) {
  using T = value_type_t<X>;
  internal::tensor_of_t<X> tensor = eval(std::forward<X>(x));
  while (tensor.rank() < static_cast<int>(repeats.size())) tensor = unsqueeze(std::move(tensor), 0);
  const int rank = tensor.rank();
  const int skipped = rank - static_cast<int>(repeats.size());
  Shape shape = tensor.shape();
  for (int axis = skipped; axis < rank; ++axis) {
    const std::int64_t repeat = repeats[static_cast<std::size_t>(axis - skipped)];
    if (repeat < 0) {
      throw ValueError("tile: " + std::to_string(repeat) + " repeats of axis " + std::to_string(axis) +
                       "; the number must be 0 or more");
    }
    if (repeat > 0 && shape[axis] > std::numeric_limits<std::int64_t>::max() / repeat) {
      throw ShapeError("tile: " + std::to_string(repeat) + " repeats of " + std::to_string(shape[axis]) +
                       " positions do not fit in 64 bits");
    }
    shape.set(axis, shape[axis] * repeat);
  }
  const Layout layout = Layout::row_major(shape.checked());
  auto storage = internal::allocate_elements<T, device_t<X>>(shape);
  if (shape.count() == 0) return internal::tensor_of_t<X>(std::move(storage), layout);
  // The part written so far starts as one copy in the corner and doubles along one axis after the other.
  Layout part{tensor.shape(), layout.strides, 0};
  internal::run(tensor, storage, part);
  for (int axis = rank - 1; axis >= 0; --axis) {
    while (part.shape[axis] < shape[axis]) {
      const std::int64_t done = part.shape[axis];
      const std::int64_t more = std::min(done, shape[axis] - done);
      const internal::tensor_of_t<X> source(storage, internal::sliced(part, axis, 0, more));
      part.shape.set(axis, done + more);
      internal::run(source, storage, internal::sliced(part, axis, done, done + more));
    }
  }
  return internal::tensor_of_t<X>(std::move(storage), layout);
}
template <TensorLike X>
[[nodiscard]] internal::tensor_of_t<X> tile(X&& x, std::initializer_list<std::int64_t> repeats) {
  return tile(std::forward<X>(x), std::span<const std::int64_t>(repeats.begin(), repeats.size()));
}

/// How many positions `pad` puts before and behind an axis.
struct PadWidth {
  std::int64_t before = 0;
  std::int64_t after = 0;
};

/// The tensor with a frame of `value` around it, 0 unless given: one `PadWidth` for each axis. Throws `ShapeError` for
/// another number of them or a negative width.
///
///     Tensor image = pad(x, {{0, 0}, {1, 1}, {1, 1}});   // (c, h, w) -> (c, h + 2, w + 2)
template <TensorLike X, class S>
  requires WeakScalarFor<S, value_type_t<X>>
[[nodiscard]] internal::tensor_of_t<X> pad(const X& x, std::span<const PadWidth> widths, S value) {
  using T = value_type_t<X>;
  using D = device_t<X>;
  const Shape inner = x.shape();
  if (static_cast<int>(widths.size()) != inner.rank()) {
    throw ShapeError("pad: " + std::to_string(widths.size()) + " widths for shape " + inner.to_string() + " of rank " +
                     std::to_string(inner.rank()) + "; give {before, after} for every axis");
  }
  const T element = element_from_scalar<T>(value, "pad");
  Shape shape = inner;
  for (int axis = 0; axis < inner.rank(); ++axis) {
    const PadWidth& width = widths[static_cast<std::size_t>(axis)];
    if (width.before < 0 || width.after < 0) {
      throw ShapeError("pad: width {" + std::to_string(width.before) + ", " + std::to_string(width.after) +
                       "} of axis " + std::to_string(axis) + " is negative; x(range(...)) takes positions away");
    }
    shape.set(axis, width.before + inner[axis] + width.after);
  }
  const Layout layout = Layout::row_major(shape.checked());
  Storage<D> storage = internal::allocate_elements<T, D>(shape);
  // Each axis gets its two strips, over the positions of `x` along the axes before it and all of those behind it.
  Layout part = layout;
  const auto fill = [&](const Layout& strip) {
    internal::run(internal::Fill<T, D>(strip.shape, element), storage, strip);
  };
  for (int axis = 0; axis < inner.rank(); ++axis) {
    const PadWidth& width = widths[static_cast<std::size_t>(axis)];
    const std::int64_t end = width.before + inner[axis];
    fill(internal::sliced(part, axis, 0, width.before));
    fill(internal::sliced(part, axis, end, end + width.after));
    part = internal::sliced(part, axis, width.before, end);
  }
  internal::run(internal::readable(x), storage, part);
  return Tensor<T, D>(std::move(storage), layout);
}
template <TensorLike X>
[[nodiscard]] internal::tensor_of_t<X> pad(const X& x, std::span<const PadWidth> widths) {
  return pad(x, widths, value_type_t<X>{});
}
template <TensorLike X, class S>
  requires WeakScalarFor<S, value_type_t<X>>
[[nodiscard]] internal::tensor_of_t<X> pad(const X& x, std::initializer_list<PadWidth> widths, S value) {
  return pad(x, std::span<const PadWidth>(widths.begin(), widths.size()), value);
}
template <TensorLike X>
[[nodiscard]] internal::tensor_of_t<X> pad(const X& x, std::initializer_list<PadWidth> widths) {
  return pad(x, std::span<const PadWidth>(widths.begin(), widths.size()), value_type_t<X>{});
}

}  // namespace situ
