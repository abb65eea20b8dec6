// SPDX-License-Identifier: Apache-2.0
// Views: the same elements under another shape. All of them share storage and cost a few nanoseconds, except `reshape`,
// `flatten` and `contiguous` of a view whose elements do not lie as needed, which copy. They are values: writing a view
// does not write what it was taken from. An expression given as the operand is evaluated first.
#pragma once

#include <cstdint>
#include <initializer_list>
#include <span>
#include <string>
#include <utility>

#include <situ/core/error.hpp>
#include <situ/core/shape.hpp>
#include <situ/expression/evaluate.hpp>
#include <situ/tensor/layout.hpp>
#include <situ/tensor/tensor.hpp>

namespace situ {

namespace internal {

/// The tensor that evaluating `X` gives.
template <TensorLike X>
using tensor_of_t = Tensor<value_type_t<X>, device_t<X>>;

/// The layout with its axes in the order `axes`.
[[nodiscard]] inline Layout permuted(const Layout& layout, std::span<const std::int64_t> axes) {
  const int rank = layout.shape.rank();
  if (static_cast<int>(axes.size()) != rank) {
    throw IndexError("permute: " + std::to_string(axes.size()) + (axes.size() == 1 ? " axis" : " axes") +
                     " for shape " + layout.shape.to_string() + " of rank " + std::to_string(rank) +
                     "; name every axis once");
  }
  Layout result;
  result.offset = layout.offset;
  unsigned seen = 0;
  for (const std::int64_t wanted : axes) {
    const int axis = normalize_axis(wanted, rank, "permute");
    if ((seen >> axis & 1u) != 0) {
      throw IndexError("permute: axis " + std::to_string(wanted) + " stands twice for shape " +
                       layout.shape.to_string() + "; name every axis once");
    }
    seen |= 1u << axis;
    result.set_stride(result.shape.rank(), layout.stride(axis));
    result.shape.push_back(layout.shape[axis]);
  }
  return result;
}

/// The part of the layout with positions `[begin, end)` along one axis.
[[nodiscard]] inline Layout sliced(const Layout& layout, int axis, std::int64_t begin, std::int64_t end) {
  Layout result = layout;
  result.shape.set(axis, end - begin);
  if (end > begin) result.offset += begin * layout.stride(axis);
  return result;
}

[[nodiscard]] inline Layout flipped(Layout layout, int axis) {
  if (layout.shape[axis] > 1) {
    layout.offset += (layout.shape[axis] - 1) * layout.stride(axis);
    layout.set_stride(axis, -layout.stride(axis));
  }
  return layout;
}

/// The layout without one axis of it, at position 0 of that axis.
[[nodiscard]] inline Layout without_axis(const Layout& layout, int axis) {
  Layout result;
  result.offset = layout.offset;
  for (int i = 0; i < layout.shape.rank(); ++i) {
    if (i == axis) continue;
    result.set_stride(result.shape.rank(), layout.stride(i));
    result.shape.push_back(layout.shape[i]);
  }
  return result;
}

}  // namespace internal

/// The tensor itself when its elements lie in row-major order without gaps, else a copy that does.
template <TensorLike X>
[[nodiscard]] internal::tensor_of_t<X> contiguous(X&& x) {
  internal::tensor_of_t<X> tensor = eval(std::forward<X>(x));
  if (tensor.layout().is_row_major()) return tensor;
  return internal::evaluated(tensor);
}

/// The elements in row-major order under another shape; -1 stands for one extent to be inferred. Copies only when the
/// elements of a view do not lie as the new shape needs. Throws `ShapeError` when the counts differ.
///
///     Tensor rows = reshape(x, {3, -1});
///     Tensor again = reshape(x, extents);      // a vector, array or span of integers
template <TensorLike X>
[[nodiscard]] internal::tensor_of_t<X> reshape(X&& x, const WantedShape& wanted) {
  internal::tensor_of_t<X> tensor = eval(std::forward<X>(x));
  const Shape shape = wanted.of(tensor.size(), "reshape", [&] {
    return "shape " + tensor.shape().to_string() + " has " + std::to_string(tensor.size()) + " elements";
  });
  Layout layout;
  if (!reshape_layout(tensor.layout(), shape, layout)) {
    tensor = internal::evaluated(tensor);
    layout = Layout::row_major(shape);
  }
  return internal::tensor_of_t<X>(tensor.storage(), layout);
}

/// The axes `first` to `last` merged into one, all of them unless given; a tensor of rank 0 gets one axis. Throws
/// `IndexError` for axes out of range or in the wrong order.
///
///     Tensor features = flatten(images, 1);   // (n, c, h, w) -> (n, c * h * w)
template <TensorLike X>
[[nodiscard]] internal::tensor_of_t<X> flatten(X&& x, int first = 0, int last = -1) {
  internal::tensor_of_t<X> tensor = eval(std::forward<X>(x));
  if (tensor.rank() == 0 && first == 0 && last == -1) return reshape(std::move(tensor), Shape{1});
  const int begin = normalize_axis(first, tensor.rank(), "flatten");
  const int end = normalize_axis(last, tensor.rank(), "flatten");
  if (begin > end) {
    throw IndexError("flatten: axes " + std::to_string(first) + " to " + std::to_string(last) + " of shape " +
                     tensor.shape().to_string() + " are in the wrong order; the first must not come after the last");
  }
  Shape shape = tensor.shape();
  for (int axis = end; axis > begin; --axis) {
    shape.set(begin, shape[begin] * shape[axis]);
    shape.erase(axis);
  }
  return reshape(std::move(tensor), shape);
}

/// The axes in another order: axis `i` of the result is axis `axes[i]` of `x`. Throws `IndexError` unless every axis
/// stands once.
///
///     Tensor channels_first = permute(image, {2, 0, 1});
template <TensorLike X>
[[nodiscard]] internal::tensor_of_t<X> permute(X&& x, std::span<const std::int64_t> axes) {
  const internal::tensor_of_t<X> tensor = eval(std::forward<X>(x));
  return internal::tensor_of_t<X>(tensor.storage(), internal::permuted(tensor.layout(), axes));
}
template <TensorLike X>
[[nodiscard]] internal::tensor_of_t<X> permute(X&& x, std::initializer_list<std::int64_t> axes) {
  return permute(std::forward<X>(x), std::span<const std::int64_t>(axes.begin(), axes.size()));
}

/// Two axes exchanged: the last two, which transposes a matrix or every matrix of a batch, or those given. Throws
/// `IndexError` when there are no such axes.
template <TensorLike X>
[[nodiscard]] internal::tensor_of_t<X> transpose(X&& x, int axis, int other) {
  const internal::tensor_of_t<X> tensor = eval(std::forward<X>(x));
  const int a = normalize_axis(axis, tensor.rank(), "transpose");
  const int b = normalize_axis(other, tensor.rank(), "transpose");
  Layout layout = tensor.layout();
  layout.shape.set(a, tensor.shape()[b]);
  layout.shape.set(b, tensor.shape()[a]);
  layout.set_stride(a, tensor.layout().stride(b));
  layout.set_stride(b, tensor.layout().stride(a));
  return internal::tensor_of_t<X>(tensor.storage(), layout);
}
template <TensorLike X>
[[nodiscard]] internal::tensor_of_t<X> transpose(X&& x) {
  return transpose(std::forward<X>(x), -2, -1);
}

/// Without its axes of extent 1, or without the one given. Throws `ShapeError` when that axis has another extent.
template <TensorLike X>
[[nodiscard]] internal::tensor_of_t<X> squeeze(X&& x) {
  const internal::tensor_of_t<X> tensor = eval(std::forward<X>(x));
  Layout layout = tensor.layout();
  for (int axis = tensor.rank() - 1; axis >= 0; --axis) {
    if (layout.shape[axis] == 1) layout = internal::without_axis(layout, axis);
  }
  return internal::tensor_of_t<X>(tensor.storage(), layout);
}
template <TensorLike X>
[[nodiscard]] internal::tensor_of_t<X> squeeze(X&& x, int axis) {
  const internal::tensor_of_t<X> tensor = eval(std::forward<X>(x));
  const int a = normalize_axis(axis, tensor.rank(), "squeeze");
  if (tensor.shape()[a] != 1) {
    throw ShapeError("squeeze: axis " + std::to_string(axis) + " of shape " + tensor.shape().to_string() +
                     " has extent " + std::to_string(tensor.shape()[a]) + "; only an axis of extent 1 can be left out");
  }
  return internal::tensor_of_t<X>(tensor.storage(), internal::without_axis(tensor.layout(), a));
}

/// With a new axis of extent 1 before `axis`; -1 appends one. Throws `IndexError` beyond the new rank, `ShapeError`
/// when there are `max_rank` axes already.
template <TensorLike X>
[[nodiscard]] internal::tensor_of_t<X> unsqueeze(X&& x, int axis) {
  const internal::tensor_of_t<X> tensor = eval(std::forward<X>(x));
  const int a = normalize_axis(axis, tensor.rank() + 1, "unsqueeze");
  Layout layout{tensor.shape(), {}, tensor.layout().offset};
  layout.shape.insert(a, 1);
  for (int i = 0, from = 0; i < layout.shape.rank(); ++i)
    layout.set_stride(i, i == a ? 0 : tensor.layout().stride(from++));
  return internal::tensor_of_t<X>(tensor.storage(), layout);
}

/// The tensor read as the larger `shape`, its extents of 1 stretched without a copy. Throws `ShapeError` when it does
/// not broadcast to exactly that shape.
template <TensorLike X>
[[nodiscard]] internal::tensor_of_t<X> broadcast_to(X&& x, const Shape& shape) {
  const internal::tensor_of_t<X> tensor = eval(std::forward<X>(x));
  return internal::tensor_of_t<X>(tensor.storage(), broadcast_layout(tensor.layout(), shape, "broadcast_to"));
}

/// With the order of one axis reversed, or of all.
template <TensorLike X>
[[nodiscard]] internal::tensor_of_t<X> flip(X&& x, int axis) {
  const internal::tensor_of_t<X> tensor = eval(std::forward<X>(x));
  return internal::tensor_of_t<X>(tensor.storage(),
                                internal::flipped(tensor.layout(), normalize_axis(axis, tensor.rank(), "flip")));
}
template <TensorLike X>
[[nodiscard]] internal::tensor_of_t<X> flip(X&& x) {
  const internal::tensor_of_t<X> tensor = eval(std::forward<X>(x));
  Layout layout = tensor.layout();
  for (int axis = 0; axis < tensor.rank(); ++axis) layout = internal::flipped(layout, axis);
  return internal::tensor_of_t<X>(tensor.storage(), layout);
}

/// The diagonals of the last two axes, as a last axis: the main one or the one `offset` places above it (below when
/// negative), empty where there is none. Throws `IndexError` for less than two axes.
template <TensorLike X>
[[nodiscard]] internal::tensor_of_t<X> diagonal(X&& x, std::int64_t offset = 0) {
  const internal::tensor_of_t<X> tensor = eval(std::forward<X>(x));
  const int row = normalize_axis(-2, tensor.rank(), "diagonal");
  const std::int64_t rows = tensor.shape()[row];
  const std::int64_t columns = tensor.shape()[row + 1];
  const Layout& from = tensor.layout();
  Layout layout = internal::without_axis(from, row + 1);
  layout.set_stride(row, from.stride(row) + from.stride(row + 1));
  if (offset >= columns || offset <= -rows) {
    layout.shape.set(row, 0);
  } else if (offset >= 0) {
    layout.shape.set(row, rows < columns - offset ? rows : columns - offset);
    layout.offset += offset * from.stride(row + 1);
  } else {
    layout.shape.set(row, rows + offset < columns ? rows + offset : columns);
    layout.offset -= offset * from.stride(row);
  }
  return internal::tensor_of_t<X>(tensor.storage(), layout);
}

}  // namespace situ
