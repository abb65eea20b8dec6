// SPDX-License-Identifier: Apache-2.0
// Padding: with one value, or with the tensor's own elements.
#pragma once

#include <algorithm>
#include <concepts>
#include <cstddef>
#include <cstdint>
#include <initializer_list>
#include <span>
#include <string>
#include <utility>

#include <situ/core/error.hpp>
#include <situ/core/scalar.hpp>
#include <situ/core/shape.hpp>
#include <situ/device/diagnostics.hpp>
#include <situ/expression/apply.hpp>
#include <situ/expression/evaluate.hpp>
#include <situ/expression/nodes.hpp>
#include <situ/ops/diagnostics.hpp>
#include <situ/ops/join.hpp>
#include <situ/ops/rearrange.hpp>
#include <situ/ops/structure.hpp>
#include <situ/tensor/tensor.hpp>

namespace situ {

/// How many positions `pad` adds before and after an axis.
struct PadWidth {
  std::int64_t before = 0;
  std::int64_t after = 0;
};

/// How `pad` fills the padding from the tensor's own elements, as numpy.pad.
enum class PadMode {
  reflect,    // mirrored, without the edge
  symmetric,  // mirrored, with the edge
  edge,       // the edge repeated; PyTorch's replicate
  wrap,       // continued from the other side; PyTorch's circular
};

namespace internal {

/// Throws `ShapeError` unless there is a nonnegative width for every axis.
inline void require_widths(const Shape& shape, std::span<const PadWidth> widths) {
  if (static_cast<int>(widths.size()) != shape.rank()) {
    throw ShapeError("pad: " + std::to_string(widths.size()) + " widths for shape " + shape.to_string() + " of rank " +
                     std::to_string(shape.rank()) + "; give {before, after} for every axis");
  }
  for (std::size_t axis = 0; axis < widths.size(); ++axis) {
    const PadWidth& width = widths[axis];
    if (width.before >= 0 && width.after >= 0) continue;
    throw ShapeError("pad: width {" + std::to_string(width.before) + ", " + std::to_string(width.after) + "} of axis " +
                     std::to_string(axis) + " is negative; x(range(...)) removes positions");
  }
}

/// Throws `ShapeError` if an axis has fewer positions than padding in this mode reads.
inline void require_enough_to_read(const Shape& shape, std::span<const PadWidth> widths, PadMode mode) {
  for (int axis = 0; axis < shape.rank(); ++axis) {
    const PadWidth& width = widths[static_cast<std::size_t>(axis)];
    const std::int64_t wider = std::max(width.before, width.after);
    const std::int64_t most = shape[axis] - (mode == PadMode::reflect ? 1 : 0);
    if (wider == 0 || (shape[axis] > 0 && (mode == PadMode::edge || wider <= most))) continue;
    throw ShapeError("pad: a width of " + std::to_string(wider) + " for axis " + std::to_string(axis) + " of shape " +
                     shape.to_string() + " is more than this mode can read; use a value, or PadMode::edge");
  }
}

/// A tensor or variable padded along one axis with its own elements.
template <class X>
[[nodiscard]] X framed(const X& x, int axis, const PadWidth& width, PadMode mode) {
  const std::int64_t extent = x.shape()[axis];
  const auto part = [&](std::int64_t begin, std::int64_t end) -> X {
    return apply(operation::Slice{{}, axis, begin, end}, x);
  };
  const auto edge = [&](std::int64_t position, std::int64_t count) -> X {
    Shape shape = x.shape();
    shape.set(axis, count);
    return broadcast_to(part(position, position + 1), shape.checked());
  };
  switch (mode) {
    case PadMode::reflect:
      return concat({flip(part(1, 1 + width.before), axis), x, flip(part(extent - 1 - width.after, extent - 1), axis)},
                    axis);
    case PadMode::symmetric:
      return concat({flip(part(0, width.before), axis), x, flip(part(extent - width.after, extent), axis)}, axis);
    case PadMode::edge:
      return concat({edge(0, width.before), x, edge(extent - 1, width.after)}, axis);
    case PadMode::wrap:
      break;
  }
  return concat({part(extent - width.before, extent), x, part(0, width.after)}, axis);
}

}  // namespace internal

namespace internal::operation {

template <Element T>
struct Pad {
  Shape shape;   // of the result
  Shape before;  // the operand's position in it
  T value;

  template <TensorLike X>
  [[nodiscard]] tensor_of_t<X> operator()(const X& x) const {
    using D = device_t<X>;
    const Shape inner = x.shape();
    const Layout layout = Layout::row_major(shape);
    Storage<D> storage = allocate_elements<T, D>(shape);
    // Each axis gets its two strips, which cover the positions of `x` along the axes before it and all along those
    // after it.
    Layout part = layout;
    const auto fill = [&](const Layout& strip) { assign(storage, strip, Fill<T, D>(strip.shape, value)); };
    for (int axis = 0; axis < inner.rank(); ++axis) {
      const std::int64_t end = before[axis] + inner[axis];
      fill(sliced(part, axis, 0, before[axis]));
      fill(sliced(part, axis, end, shape[axis]));
      part = sliced(part, axis, before[axis], end);
    }
    assign(storage, part, readable(x));
    return Tensor<T, D>(std::move(storage), layout);
  }

  template <Device D>
  [[nodiscard]] Tensor<T, D> gradient(const Tensor<T, D>& g, const Shape& x) const {
    Layout inner = g.layout();
    for (int axis = 0; axis < x.rank(); ++axis) inner = sliced(inner, axis, before[axis], before[axis] + x[axis]);
    return Tensor<T, D>(g.storage(), inner);
  }
};

}  // namespace internal::operation

/// The tensor with padding of `value` around it, by default 0: one `PadWidth` for each axis. Throws `ShapeError` for
/// another number of them, a negative width, and more positions than 64 bits count.
///
///     Tensor image = pad(x, {{0, 0}, {1, 1}, {1, 1}});   // (c, h, w) -> (c, h + 2, w + 2)
template <TensorLike X, class S>
  requires internal::WeakScalarFor<S, value_type_t<X>>
[[nodiscard]] applied_t<X> pad(const X& x, std::span<const PadWidth> widths, S value) {
  using T = value_type_t<X>;
  const Shape inner = x.shape();
  internal::require_widths(inner, widths);
  const T element = internal::element_from_scalar<T>(value, "pad");
  Shape shape = inner, before = inner;
  for (int axis = 0; axis < inner.rank(); ++axis) {
    const PadWidth& width = widths[static_cast<std::size_t>(axis)];
    shape.set(axis,
              internal::sum_of_extents(internal::sum_of_extents(width.before, inner[axis], "pad"), width.after, "pad"));
    before.set(axis, width.before);
  }
  return internal::apply(internal::operation::Pad<T>{shape.checked(), before, element}, x);
}
/// Pads with zeros.
template <TensorLike X>
[[nodiscard]] applied_t<X> pad(const X& x, std::span<const PadWidth> widths) {
  return pad(x, widths, value_type_t<X>{});
}
/// Pads with the tensor's own elements, one axis after the other. Throws `ShapeError` if the padding is wider than the
/// positions that it reads: extent - 1 for `reflect`, the extent for `symmetric` and `wrap`.
///
///     Tensor y = pad(tensor({1, 2, 3}), {{2, 1}}, PadMode::reflect);     // 3 2 1 2 3 2
template <TensorLike X, std::same_as<PadMode> Mode>  // a template, so that `{}` is not the first mode
[[nodiscard]] applied_t<X> pad(const X& x, std::span<const PadWidth> widths, Mode mode) {
  internal::require_widths(x.shape(), widths);
  internal::require_enough_to_read(x.shape(), widths, mode);
  applied_t<X> result = eval(x);
  for (int axis = 0; axis < result.shape().rank(); ++axis) {
    const PadWidth& width = widths[static_cast<std::size_t>(axis)];
    if (width.before != 0 || width.after != 0) result = internal::framed(result, axis, width, mode);
  }
  return result;
}
/// The same with the widths in braces.
template <TensorLike X, std::same_as<PadMode> Mode>
[[nodiscard]] applied_t<X> pad(const X& x, std::initializer_list<PadWidth> widths, Mode mode) {
  return pad(x, std::span<const PadWidth>(widths.begin(), widths.size()), mode);
}
/// The same with the widths in braces.
template <TensorLike X, class S>
  requires internal::WeakScalarFor<S, value_type_t<X>>
[[nodiscard]] applied_t<X> pad(const X& x, std::initializer_list<PadWidth> widths, S value) {
  return pad(x, std::span<const PadWidth>(widths.begin(), widths.size()), value);
}
/// Widths in braces, zeros.
template <TensorLike X>
[[nodiscard]] applied_t<X> pad(const X& x, std::initializer_list<PadWidth> widths) {
  return pad(x, std::span<const PadWidth>(widths.begin(), widths.size()), value_type_t<X>{});
}
template <class D>
on_device<D> pad(const on_device<D>&, std::span<const PadWidth>,
                 the_third_argument_of_pad_could_be_a_value_or_a_mode::fix_leave_it_out_or_write_which);
template <class D>
on_device<D> pad(const on_device<D>&, std::initializer_list<PadWidth>,
                 the_third_argument_of_pad_could_be_a_value_or_a_mode::fix_leave_it_out_or_write_which);
template <class T, class D>
placed<T, D> pad(const placed<T, D>&, std::span<const PadWidth>,
                 typename scalar_does_not_fit_elements<T>::fix_cast_the_scalar_or_the_tensor);
template <class T, class D>
placed<T, D> pad(const placed<T, D>&, std::initializer_list<PadWidth>,
                 typename scalar_does_not_fit_elements<T>::fix_cast_the_scalar_or_the_tensor);
template <class D>
on_device<D> pad(const on_device<D>&, std::span<const PadWidth>,
                 the_mode_of_pad_is_a_PadMode::fix_write_PadMode_reflect_edge_symmetric_or_wrap);
template <class D>
on_device<D> pad(const on_device<D>&, std::initializer_list<PadWidth>,
                 the_mode_of_pad_is_a_PadMode::fix_write_PadMode_reflect_edge_symmetric_or_wrap);

}  // namespace situ
