// SPDX-License-Identifier: Apache-2.0
// The same elements in another shape: `contiguous reshape flatten squeeze unsqueeze`. All of them share storage and
// cost a few nanoseconds, except that `reshape`, `flatten` and `contiguous` copy a view whose strides do not allow
// that. They are values: writing a view does not write its source. An expression as the operand is evaluated first.
#pragma once

#include <concepts>
#include <cstddef>
#include <cstdint>
#include <initializer_list>
#include <span>
#include <string>
#include <utility>

#include <situ/core/error.hpp>
#include <situ/core/shape.hpp>
#include <situ/core/wanted_shape.hpp>
#include <situ/expression/apply.hpp>
#include <situ/expression/evaluate.hpp>
#include <situ/ops/diagnostics.hpp>
#include <situ/ops/reduce_axes.hpp>
#include <situ/ops/view.hpp>
#include <situ/tensor/layout.hpp>
#include <situ/tensor/tensor.hpp>

namespace situ {

namespace internal::operation {

/// Base of operations that return the elements of their operand in its row-major order.
struct KeepsOrder {
  template <Element T, Device D>
  [[nodiscard]] Tensor<T, D> gradient(const Tensor<T, D>& g, const Shape& x) const {
    return reshape(g, x);
  }
};

struct Contiguous : KeepsOrder {
  template <TensorLike X>
  [[nodiscard]] tensor_of_t<X> operator()(X&& x) const {
    tensor_of_t<X> tensor = eval(std::forward<X>(x));
    if (tensor.layout().is_row_major()) return tensor;
    return evaluate(tensor);
  }
};

struct Reshape : KeepsOrder {
  Shape shape;

  template <TensorLike X>
  [[nodiscard]] tensor_of_t<X> operator()(X&& x) const {
    tensor_of_t<X> tensor = eval(std::forward<X>(x));
    Layout layout;
    if (!reshape_layout(tensor.layout(), shape, layout)) {
      tensor = evaluate(tensor);
      layout = Layout::row_major(shape);
    }
    return tensor_of_t<X>(tensor.storage(), layout);
  }
};

struct Squeeze : View<Squeeze>, KeepsOrder {
  std::uint32_t axes;  // bit `i` for axis `i`

  [[nodiscard]] Layout layout(const Layout& x) const {
    Layout result = x;
    for (int axis = x.shape.rank() - 1; axis >= 0; --axis) {
      if ((axes >> axis & 1U) != 0) result = without_axis(result, axis);
    }
    return result;
  }
};

struct Unsqueeze : View<Unsqueeze>, KeepsOrder {
  int axis;

  [[nodiscard]] Layout layout(const Layout& x) const {
    Layout result{x.shape, {}, x.offset};
    result.shape.insert(axis, 1);
    for (int i = 0, from = 0; i < result.shape.rank(); ++i) {
      result.set_stride(i, i == axis ? 0 : x.stride(from++));
    }
    return result;
  }
};

}  // namespace internal::operation

/// The tensor itself if its elements are in row-major order without gaps, otherwise a copy that is.
template <TensorLike X>
[[nodiscard]] applied_t<X> contiguous(X&& x) {
  return internal::apply(internal::operation::Contiguous{}, std::forward<X>(x));
}

/// The elements in row-major order in another shape; -1 stands for one extent to be inferred. Copies only if the
/// strides of a view do not allow the new shape. Throws `ShapeError` if the counts differ.
///
///     Tensor rows = reshape(x, {3, -1});
///     Tensor again = reshape(x, extents);      // a vector, array or span of integers
template <TensorLike X>
[[nodiscard]] applied_t<X> reshape(X&& x, const internal::WantedShape& wanted) {
  const Shape& from = x.shape();
  const Shape shape = wanted.of(from.count(), "reshape", [&] {
    return "shape " + from.to_string() + " has " + std::to_string(from.count()) + " elements";
  });
  return internal::apply(internal::operation::Reshape{{}, shape}, std::forward<X>(x));
}
template <std::integral... Extent>
  requires(sizeof...(Extent) > 1)
Tensor<float, Cpu> reshape(several_numbers_are_one_argument::fix_write_them_in_braces, Extent...);

/// Merges the axes `first` to `last` into one, by default all; a tensor of rank 0 gets one axis. Throws `IndexError`
/// for axes out of range or in the wrong order.
///
///     Tensor features = flatten(images, 1);   // (n, c, h, w) -> (n, c * h * w)
template <TensorLike X>
[[nodiscard]] applied_t<X> flatten(X&& x, std::int64_t first = 0, std::int64_t last = -1) {
  Shape shape = x.shape();
  if (shape.rank() == 0 && first == 0 && last == -1) return reshape(std::forward<X>(x), Shape{1});
  const int begin = internal::normalize_axis(first, shape.rank(), "flatten");
  const int end = internal::normalize_axis(last, shape.rank(), "flatten");
  if (begin > end) {
    throw IndexError("flatten: axes " + std::to_string(first) + " to " + std::to_string(last) + " of shape " +
                     shape.to_string() + " are in the wrong order; the first must not come after the last");
  }
  shape.set(begin, shape.count(begin, end + 1));
  for (int axis = end; axis > begin; --axis) shape.erase(axis);
  return reshape(std::forward<X>(x), shape);
}

/// Without its axes of extent 1, or without those named. Throws `ShapeError` if one of these has another extent.
///
///     Tensor v = squeeze(x, {0, -1});            // (1, n, 1) -> (n)
template <TensorLike X>
[[nodiscard]] applied_t<X> squeeze(X&& x) {
  const Shape& shape = x.shape();
  std::uint32_t axes = 0;
  for (int axis = 0; axis < shape.rank(); ++axis) {
    if (shape[axis] == 1) axes |= std::uint32_t{1} << axis;
  }
  return internal::apply(internal::operation::Squeeze{{}, {}, axes}, std::forward<X>(x));
}
/// Without these axes, one or several in braces.
template <TensorLike X>
[[nodiscard]] applied_t<X> squeeze(X&& x, const ReduceAxes& axes) {
  const Shape& shape = x.shape();
  const std::uint32_t set = axes.of(shape, "squeeze");
  for (int axis = 0; axis < shape.rank(); ++axis) {
    if ((set >> axis & 1U) == 0 || shape[axis] == 1) continue;
    throw ShapeError("squeeze: axis " + std::to_string(axis) + " of shape " + shape.to_string() + " has extent " +
                     std::to_string(shape[axis]) + "; only an axis of extent 1 can be left out");
  }
  return internal::apply(internal::operation::Squeeze{{}, {}, set}, std::forward<X>(x));
}
template <int Axis, internal::OperandAlong<internal::operation::Squeeze, Axis> X>
[[nodiscard]] auto squeeze(const X& x) {
  return internal::along<internal::operation::Squeeze, Axis>(x, [](const auto& part) { return squeeze(part, Axis); });
}

/// With a new axis of extent 1 before `axis`; -1 appends one. Several in braces are axes of the result, as in
/// numpy.expand_dims. Throws `IndexError` beyond the new rank, `ShapeError` for a result of more than `max_rank` axes.
///
///     Tensor row = unsqueeze(v, {0, -1});        // (n) -> (1, n, 1)
template <TensorLike X>
[[nodiscard]] applied_t<X> unsqueeze(X&& x, std::int64_t axis) {
  const int a = internal::normalize_axis(axis, x.shape().rank() + 1, "unsqueeze");
  return internal::apply(internal::operation::Unsqueeze{{}, {}, a}, std::forward<X>(x));
}
template <int Axis, internal::OperandAlong<internal::operation::Unsqueeze, Axis> X>
[[nodiscard]] auto unsqueeze(const X& x) {
  return internal::along<internal::operation::Unsqueeze, Axis>(x,
                                                               [](const auto& part) { return unsqueeze(part, Axis); });
}
/// With several new axes, in braces or in a list made at run time.
template <TensorLike X>
[[nodiscard]] applied_t<X> unsqueeze(X&& x, std::span<const std::int64_t> axes) {
  Shape shape = x.shape();
  for (std::size_t i = 0; i < axes.size(); ++i) shape.push_back(1);  // so that the axes count in the result
  const std::uint32_t set = ReduceAxes(axes).of(shape, "unsqueeze");
  Shape result;
  for (int axis = 0, from = 0; axis < shape.rank(); ++axis) {
    result.push_back((set >> axis & 1U) != 0 ? 1 : x.shape()[from++]);
  }
  return reshape(std::forward<X>(x), result);
}
template <TensorLike X>
[[nodiscard]] applied_t<X> unsqueeze(X&& x, std::initializer_list<std::int64_t> axes) {
  return unsqueeze(std::forward<X>(x), std::span<const std::int64_t>(axes.begin(), axes.size()));
}

}  // namespace situ
