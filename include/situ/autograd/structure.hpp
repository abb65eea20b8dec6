// SPDX-License-Identifier: Apache-2.0
// The elements of variables under other shapes and in other orders: views, parts, rolls, tiles, frames, triangles.
#pragma once

#include <cstddef>
#include <cstdint>
#include <initializer_list>
#include <span>
#include <utility>
#include <vector>

#include <situ/autograd/elementwise.hpp>
#include <situ/autograd/pass.hpp>
#include <situ/autograd/variable.hpp>
#include <situ/core/shape.hpp>
#include <situ/ops/axes.hpp>
#include <situ/ops/rearrange.hpp>
#include <situ/ops/reduce.hpp>
#include <situ/ops/structure.hpp>
#include <situ/ops/triangle.hpp>
#include <situ/tensor/index.hpp>
#include <situ/tensor/layout.hpp>
#include <situ/tensor/transfer.hpp>

namespace situ {

namespace autograd {

template <class X>
using variable_of_t = Variable<value_type_t<X>, device_t<X>>;

/// `value`, which has the elements of `in` in the same row-major order.
template <Element T, Device D>
[[nodiscard]] Variable<T, D> reshaped(const Variable<T, D>& in, Tensor<T, D> value) {
  return record(std::move(value), nodes_of(in), [edge = in.edge()](Pass& pass, const Tensor<T, D>& g) {
    pass.add(edge, reshape(g, edge.shape));
  });
}

/// `value`, a part of `in` in which no element lies twice; `part(layout)` gives it for a layout of the shape of `in`.
template <Element T, Device D, class Part>
[[nodiscard]] Variable<T, D> taken_apart(const Variable<T, D>& in, Part part) {
  Tensor<T, D> value(in.value().storage(), part(in.value().layout()));
  return record(std::move(value), nodes_of(in), [edge = in.edge(), part](Pass& pass, const Tensor<T, D>& g) {
    pass.add_part(edge, part(Layout::row_major(edge.shape)), g);
  });
}

/// `value`, whose gradient becomes that of `in` by `back(g)`.
template <Element T, Device D, class Back>
[[nodiscard]] Variable<T, D> rearranged(const Variable<T, D>& in, Tensor<T, D> value, Back back) {
  return record(std::move(value), nodes_of(in), [edge = in.edge(), back](Pass& pass, const Tensor<T, D>& g) {
    pass.add(edge, Tensor<T, D>(back(g)));
  });
}

}  // namespace autograd

template <FloatingElement T, Device D>
Variable<T, D> Variable<T, D>::part(const IndexItems& items) const {
  return autograd::taken_apart(*this,
                               [index = StoredIndex(items)](const Layout& layout) { return index.layout_in(layout); });
}

template <FloatingElement T, Device D>
template <Device To>
Variable<T, To> Variable<T, D>::to(To target) const {
  return autograd::record(value_.to(target), autograd::nodes_of(*this),
                          [edge = edge()](autograd::Pass& pass, const Tensor<T, To>& g) { pass.add(edge, g.to(D{})); });
}

template <Recorded X>
[[nodiscard]] autograd::variable_of_t<X> contiguous(X&& x) {
  const auto in = autograd::as_variable(x);
  return autograd::reshaped(in, contiguous(in.value()));
}

template <Recorded X>
[[nodiscard]] autograd::variable_of_t<X> reshape(X&& x, const WantedShape& shape) {
  const auto in = autograd::as_variable(x);
  return autograd::reshaped(in, reshape(in.value(), shape));
}

template <Recorded X>
[[nodiscard]] autograd::variable_of_t<X> flatten(X&& x, int first = 0, int last = -1) {
  const auto in = autograd::as_variable(x);
  return autograd::reshaped(in, flatten(in.value(), first, last));
}

template <Recorded X>
[[nodiscard]] autograd::variable_of_t<X> permute(X&& x, std::span<const std::int64_t> axes) {
  const auto in = autograd::as_variable(x);
  auto value = permute(in.value(), axes);
  std::vector<std::int64_t> inverse(axes.size());
  for (std::size_t i = 0; i != axes.size(); ++i) {
    inverse[static_cast<std::size_t>(normalize_axis(axes[i], in.rank(), "permute"))] = static_cast<std::int64_t>(i);
  }
  return autograd::rearranged(in, std::move(value), [inverse = std::move(inverse)](const auto& g) {
    return permute(g, std::span<const std::int64_t>(inverse));
  });
}
template <Recorded X>
[[nodiscard]] autograd::variable_of_t<X> permute(X&& x, std::initializer_list<std::int64_t> axes) {
  return permute(x, std::span<const std::int64_t>(axes.begin(), axes.size()));
}

template <Recorded X>
[[nodiscard]] autograd::variable_of_t<X> transpose(X&& x, int axis, int other) {
  const auto in = autograd::as_variable(x);
  return autograd::rearranged(in, transpose(in.value(), axis, other),
                              [axis, other](const auto& g) { return transpose(g, axis, other); });
}
template <Recorded X>
[[nodiscard]] autograd::variable_of_t<X> transpose(X&& x) {
  return transpose(x, -2, -1);
}

template <Recorded X>
[[nodiscard]] autograd::variable_of_t<X> squeeze(X&& x) {
  const auto in = autograd::as_variable(x);
  return autograd::reshaped(in, squeeze(in.value()));
}
template <Recorded X>
[[nodiscard]] autograd::variable_of_t<X> squeeze(X&& x, int axis) {
  const auto in = autograd::as_variable(x);
  return autograd::reshaped(in, squeeze(in.value(), axis));
}

template <Recorded X>
[[nodiscard]] autograd::variable_of_t<X> unsqueeze(X&& x, int axis) {
  const auto in = autograd::as_variable(x);
  return autograd::reshaped(in, unsqueeze(in.value(), axis));
}

template <Recorded X>
[[nodiscard]] autograd::variable_of_t<X> broadcast_to(X&& x, const Shape& shape) {
  const auto in = autograd::as_variable(x);
  return autograd::rearranged(in, broadcast_to(in.value(), shape),
                              [operand = in.shape()](const auto& g) { return autograd::sum_to(g, operand); });
}

template <Recorded X>
[[nodiscard]] autograd::variable_of_t<X> flip(X&& x, int axis) {
  const auto in = autograd::as_variable(x);
  return autograd::rearranged(in, flip(in.value(), axis), [axis](const auto& g) { return flip(g, axis); });
}
template <Recorded X>
[[nodiscard]] autograd::variable_of_t<X> flip(X&& x) {
  const auto in = autograd::as_variable(x);
  return autograd::rearranged(in, flip(in.value()), [](const auto& g) { return flip(g); });
}

template <Recorded X>
[[nodiscard]] autograd::variable_of_t<X> diagonal(X&& x, std::int64_t offset = 0) {
  using D = device_t<X>;
  using T = value_type_t<X>;
  return autograd::taken_apart(autograd::as_variable(x), [offset](const Layout& layout) {
    return diagonal(Tensor<T, D>(Storage<D>(), layout), offset).layout();
  });
}

template <Recorded X>
[[nodiscard]] std::vector<autograd::variable_of_t<X>> split(X&& x, std::span<const std::int64_t> sizes, int axis = 0) {
  const auto in = autograd::as_variable(x);
  const auto parts = split(in.value(), sizes, axis);  // for its checks
  const int a = normalize_axis(axis, in.rank(), "split");
  std::vector<autograd::variable_of_t<X>> result;
  result.reserve(parts.size());
  std::int64_t begin = 0;
  for (const std::int64_t size : sizes) {
    result.push_back(autograd::taken_apart(in, [a, begin, size](const Layout& layout) {
      return internal::sliced(layout, a, begin, begin + size);
    }));
    begin += size;
  }
  return result;
}
template <Recorded X>
[[nodiscard]] std::vector<autograd::variable_of_t<X>> split(X&& x, std::initializer_list<std::int64_t> sizes,
                                                            int axis = 0) {
  return split(x, std::span<const std::int64_t>(sizes.begin(), sizes.size()), axis);
}
template <Recorded X>
[[nodiscard]] std::vector<autograd::variable_of_t<X>> split(X&& x, std::int64_t parts, int axis = 0) {
  const auto in = autograd::as_variable(x);
  std::vector<std::int64_t> sizes;
  for (const auto& part : split(in.value(), parts, axis)) sizes.push_back(part.extent(axis));
  return split(in, std::span<const std::int64_t>(sizes), axis);
}

template <TensorLike X>
  requires NumberElement<value_type_t<X>> && Recorded<X>
[[nodiscard]] autograd::variable_of_t<X> diff(const X& x, std::int64_t axis = -1) {
  return internal::differences(autograd::as_variable(x), axis);
}

template <Recorded X>
[[nodiscard]] autograd::variable_of_t<X> roll(X&& x, std::int64_t shift, int axis) {
  const auto in = autograd::as_variable(x);
  return autograd::rearranged(in, roll(in.value(), shift, axis),
                              [shift, axis](const auto& g) { return roll(g, -shift, axis); });
}
template <Recorded X>
[[nodiscard]] autograd::variable_of_t<X> roll(X&& x, std::int64_t shift) {
  const auto in = autograd::as_variable(x);
  return autograd::rearranged(in, roll(in.value(), shift), [shift](const auto& g) { return roll(g, -shift); });
}

namespace autograd {

/// The sums over the copies that `tile` made of a tensor of this shape.
template <Element T, Device D>
[[nodiscard]] Tensor<T, D> sum_of_tiles(Tensor<T, D> g, const Shape& shape) {
  const int added = g.rank() - shape.rank();
  if (g.size() == 0) return zeros<T>(shape, D{});
  for (int axis = 0; axis < g.rank(); ++axis) {
    const std::int64_t extent = axis < added ? 1 : shape[axis - added];
    const std::int64_t repeats = g.shape()[axis] / extent;
    if (repeats == 1) continue;
    Shape folded{1, repeats, extent, 1};  // before the axis, its copies, one of them, behind it
    Shape next = g.shape();
    next.set(axis, extent);
    for (int i = 0; i < axis; ++i) folded.set(0, folded[0] * next[i]);
    for (int i = axis + 1; i < g.rank(); ++i) folded.set(3, folded[3] * next[i]);
    g = reshape(sum(reshape(g, folded), 1), next);
  }
  return reshape(g, shape);
}

}  // namespace autograd

template <Recorded X>
[[nodiscard]] autograd::variable_of_t<X> tile(X&& x, std::span<const std::int64_t> repeats) {
  const auto in = autograd::as_variable(x);
  return autograd::rearranged(in, tile(in.value(), repeats),
                              [shape = in.shape()](const auto& g) { return autograd::sum_of_tiles(g, shape); });
}
template <Recorded X>
[[nodiscard]] autograd::variable_of_t<X> tile(X&& x, std::initializer_list<std::int64_t> repeats) {
  return tile(x, std::span<const std::int64_t>(repeats.begin(), repeats.size()));
}

template <Recorded X, class S>
  requires WeakScalarFor<S, value_type_t<X>>
[[nodiscard]] autograd::variable_of_t<X> pad(const X& x, std::span<const PadWidth> widths, S value) {
  const auto in = autograd::as_variable(x);
  auto padded = pad(in.value(), widths, value);
  return autograd::rearranged(
      in, std::move(padded),
      [shape = in.shape(), widths = std::vector<PadWidth>(widths.begin(), widths.end())]<class T, class D>(
          const Tensor<T, D>& g) {
        Layout inner = g.layout();
        for (int axis = 0; axis < shape.rank(); ++axis) {
          const std::int64_t before = widths[static_cast<std::size_t>(axis)].before;
          inner = internal::sliced(inner, axis, before, before + shape[axis]);
        }
        return Tensor<T, D>(g.storage(), inner);
      });
}
template <Recorded X>
[[nodiscard]] autograd::variable_of_t<X> pad(const X& x, std::span<const PadWidth> widths) {
  return pad(x, widths, value_type_t<X>{});
}
template <Recorded X, class S>
  requires WeakScalarFor<S, value_type_t<X>>
[[nodiscard]] autograd::variable_of_t<X> pad(const X& x, std::initializer_list<PadWidth> widths, S value) {
  return pad(x, std::span<const PadWidth>(widths.begin(), widths.size()), value);
}
template <Recorded X>
[[nodiscard]] autograd::variable_of_t<X> pad(const X& x, std::initializer_list<PadWidth> widths) {
  return pad(x, std::span<const PadWidth>(widths.begin(), widths.size()), value_type_t<X>{});
}

template <Recorded X>
[[nodiscard]] autograd::variable_of_t<X> tril(const X& x, std::int64_t diagonal = 0) {
  const auto in = autograd::as_variable(x);
  return autograd::rearranged(in, tril(in.value(), diagonal), [diagonal](const auto& g) { return tril(g, diagonal); });
}
template <Recorded X>
[[nodiscard]] autograd::variable_of_t<X> triu(const X& x, std::int64_t diagonal = 0) {
  const auto in = autograd::as_variable(x);
  return autograd::rearranged(in, triu(in.value(), diagonal), [diagonal](const auto& g) { return triu(g, diagonal); });
}
template <Recorded X>
[[nodiscard]] autograd::variable_of_t<X> diag(const X& x, std::int64_t offset = 0) {
  const auto in = autograd::as_variable(x);
  return autograd::rearranged(in, diag(in.value(), offset), [offset](const auto& g) { return diagonal(g, offset); });
}

}  // namespace situ
