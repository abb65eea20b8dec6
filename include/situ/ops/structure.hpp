// SPDX-License-Identifier: Apache-2.0
// The same elements in another order: `permute transpose broadcast_to flip diagonal`, views like those of reshape.hpp.
#pragma once

#include <array>
#include <concepts>
#include <cstddef>
#include <cstdint>
#include <initializer_list>
#include <span>
#include <string>
#include <utility>

#include <situ/core/error.hpp>
#include <situ/core/shape.hpp>
#include <situ/expression/apply.hpp>
#include <situ/ops/diagnostics.hpp>
#include <situ/ops/reduce_axes.hpp>
#include <situ/ops/reshape.hpp>
#include <situ/ops/view.hpp>
#include <situ/tensor/layout.hpp>
#include <situ/tensor/tensor.hpp>

namespace situ {

namespace internal {

/// The axes of a tensor in some order.
using AxisOrder = std::array<int, max_rank>;

/// The order `axes` of the axes of a tensor of this shape, as nonnegative numbers.
[[nodiscard]] inline AxisOrder axis_order(const Shape& shape, std::span<const std::int64_t> axes) {
  const int rank = shape.rank();
  if (static_cast<int>(axes.size()) != rank) {
    throw IndexError("permute: " + std::to_string(axes.size()) + (axes.size() == 1 ? " axis" : " axes") +
                     " for shape " + shape.to_string() + " of rank " + std::to_string(rank) + "; name every axis once");
  }
  AxisOrder order{};
  unsigned seen = 0;
  for (int i = 0; i < rank; ++i) {
    const std::int64_t wanted = axes[static_cast<std::size_t>(i)];
    const int axis = normalize_axis(wanted, rank, "permute");
    if ((seen >> axis & 1u) != 0) {
      throw IndexError("permute: axis " + std::to_string(wanted) + " is named twice for shape " + shape.to_string() +
                       "; name every axis once");
    }
    seen |= 1u << axis;
    order[static_cast<std::size_t>(i)] = axis;
  }
  return order;
}

/// In ops/reduce.hpp.
template <TensorLike E>
[[nodiscard]] tensor_of_t<E> sum_to(const E& gradient, const Shape& operand);

namespace operation {

struct Permute : View<Permute> {
  AxisOrder order;

  [[nodiscard]] Layout layout(const Layout& x) const {
    Layout result;
    result.offset = x.offset;
    for (int i = 0; i < x.shape.rank(); ++i) {
      const int axis = order[static_cast<std::size_t>(i)];
      result.set_stride(i, x.stride(axis));
      result.shape.push_back(x.shape[axis]);
    }
    return result;
  }
  template <Element T, Device D>
  [[nodiscard]] Tensor<T, D> gradient(const Tensor<T, D>& g, const Shape& x) const {
    Permute inverse{};
    for (int i = 0; i < x.rank(); ++i) inverse.order[static_cast<std::size_t>(order[static_cast<std::size_t>(i)])] = i;
    return inverse(g);
  }
};

struct Transpose : View<Transpose> {
  int a, b;

  [[nodiscard]] Layout layout(const Layout& x) const {
    Layout result = x;
    result.shape.set(a, x.shape[b]);
    result.shape.set(b, x.shape[a]);
    result.set_stride(a, x.stride(b));
    result.set_stride(b, x.stride(a));
    return result;
  }
  template <Element T, Device D>
  [[nodiscard]] Tensor<T, D> gradient(const Tensor<T, D>& g, const Shape&) const {
    return (*this)(g);
  }
};

struct BroadcastTo : View<BroadcastTo> {
  Shape shape;

  [[nodiscard]] Layout layout(const Layout& x) const { return broadcast_layout(x, shape, "broadcast_to"); }
  template <Element T, Device D>
  [[nodiscard]] Tensor<T, D> gradient(const Tensor<T, D>& g, const Shape& x) const {
    return sum_to(g, x);
  }
};

struct Flip : View<Flip> {
  static constexpr bool keeps_layout = true;
  std::uint32_t axes;  // bit `i` for axis `i`

  [[nodiscard]] Layout layout(const Layout& x) const {
    Layout result = x;
    for (int axis = 0; axis < x.shape.rank(); ++axis) {
      if ((axes >> axis & 1U) != 0) result = flipped(result, axis);
    }
    return result;
  }
  template <Element T, Device D>
  [[nodiscard]] Tensor<T, D> gradient(const Tensor<T, D>& g, const Shape&) const {
    return (*this)(g);
  }
};

struct Diagonal : View<Diagonal> {
  static constexpr bool is_part = true;
  std::int64_t offset;

  [[nodiscard]] Layout layout(const Layout& x) const {
    const int row = x.shape.rank() - 2;
    const std::int64_t rows = x.shape[row];
    const std::int64_t columns = x.shape[row + 1];
    Layout result = without_axis(x, row + 1);
    // unsigned: in an empty tensor the strides may be as long as extents
    const auto down = static_cast<std::uint64_t>(x.stride(row)), right = static_cast<std::uint64_t>(x.stride(row + 1));
    result.set_stride(row, static_cast<std::int64_t>(down + right));
    if (offset >= columns || offset <= -rows) {
      result.shape.set(row, 0);
    } else if (offset >= 0) {
      result.shape.set(row, rows < columns - offset ? rows : columns - offset);
      result.offset += offset * x.stride(row + 1);
    } else {
      result.shape.set(row, rows + offset < columns ? rows + offset : columns);
      result.offset -= offset * x.stride(row);
    }
    return result;
  }
};

}  // namespace operation

}  // namespace internal

/// The axes in another order: axis `i` of the result is axis `axes[i]` of `x`. Throws `IndexError` unless every axis is
/// named once.
///
///     Tensor channels_first = permute(image, {2, 0, 1});
template <TensorLike X>
[[nodiscard]] applied_t<X> permute(X&& x, std::span<const std::int64_t> axes) {
  const internal::AxisOrder order = internal::axis_order(x.shape(), axes);
  return internal::apply(internal::operation::Permute{{}, order}, std::forward<X>(x));
}
/// The same with the axes in braces.
template <TensorLike X>
[[nodiscard]] applied_t<X> permute(X&& x, std::initializer_list<std::int64_t> axes) {
  return permute(std::forward<X>(x), std::span<const std::int64_t>(axes.begin(), axes.size()));
}
template <int... Axes, class X>
  requires(sizeof...(Axes) > 0) && internal::OperandAlong<X, internal::operation::Permute, Axes...>
[[nodiscard]] auto permute(const X& x) {
  return internal::along<internal::operation::Permute, Axes...>(
      x, [](const auto& part) { return permute(part, {std::int64_t{Axes}...}); });
}
template <std::integral... Axis>
  requires(sizeof...(Axis) > 0)
Tensor<float, Cpu> permute(several_numbers_are_one_argument::fix_write_them_in_braces, Axis...);

/// Exchanges two axes: by default the last two, which transposes a matrix or every matrix of a batch. Throws
/// `IndexError` for axes out of range.
template <TensorLike X>
[[nodiscard]] applied_t<X> transpose(X&& x, std::int64_t axis, std::int64_t other) {
  const int a = internal::normalize_axis(axis, x.shape().rank(), "transpose");
  const int b = internal::normalize_axis(other, x.shape().rank(), "transpose");
  return internal::apply(internal::operation::Transpose{{}, a, b}, std::forward<X>(x));
}
/// Exchanges the last two.
template <TensorLike X>
[[nodiscard]] applied_t<X> transpose(X&& x) {
  return transpose(std::forward<X>(x), -2, -1);
}
template <int A, int B, class X>
  requires internal::OperandAlong<X, internal::operation::Transpose, A, B>
[[nodiscard]] auto transpose(const X& x) {
  return internal::along<internal::operation::Transpose, A, B>(x,
                                                               [](const auto& part) { return transpose(part, A, B); });
}
Tensor<float, Cpu> transpose(transpose_exchanges_two_axes::fix_call_permute, std::initializer_list<std::int64_t>);

/// The tensor read as the larger `shape`, its extents of 1 stretched without a copy. Throws `ShapeError` if it does not
/// broadcast to exactly that shape.
template <TensorLike X>
[[nodiscard]] applied_t<X> broadcast_to(X&& x, const Shape& shape) {
  return internal::apply(internal::operation::BroadcastTo{{}, shape.checked()}, std::forward<X>(x));
}

/// Reverses one axis, several, or all. Throws `IndexError` for an axis out of range, or one that is named twice.
///
///     Tensor turned = flip(image, {-1, -2});     // by 180 degrees
template <TensorLike X>
[[nodiscard]] applied_t<X> flip(X&& x, const ReduceAxes& axes = {}) {
  const std::uint32_t reversed = axes.of(x.shape(), "flip");
  return internal::apply(internal::operation::Flip{{}, reversed}, std::forward<X>(x));
}
template <int Axis, internal::OperandAlong<internal::operation::Flip, Axis> X>
[[nodiscard]] auto flip(const X& x) {
  return internal::along<internal::operation::Flip, Axis>(x, [](const auto& part) { return flip(part, Axis); });
}

/// The diagonals of the last two axes, as a last axis: the main one or the one `offset` places above it (below if
/// negative), empty if there is none. Throws `IndexError` for fewer than two axes.
template <TensorLike X>
[[nodiscard]] applied_t<X> diagonal(X&& x, std::int64_t offset = 0) {
  static_cast<void>(internal::normalize_axis(-2, x.shape().rank(), "diagonal"));
  return internal::apply(internal::operation::Diagonal{{}, offset}, std::forward<X>(x));
}

}  // namespace situ
