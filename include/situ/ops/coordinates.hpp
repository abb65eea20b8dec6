// SPDX-License-Identifier: Apache-2.0
// Reading and writing at coordinates, one list of positions for each of the first axes: `x(rows, columns)`,
// `gather_nd`, `index_put`. The lists become positions along those axes merged into one, which `take` and `scatter`
// use.
#pragma once

#include <array>
#include <concepts>
#include <cstddef>
#include <cstdint>
#include <initializer_list>
#include <limits>
#include <span>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

#include <situ/core/broadcast.hpp>
#include <situ/core/dtype.hpp>
#include <situ/core/error.hpp>
#include <situ/core/shape.hpp>
#include <situ/device/device.hpp>
#include <situ/device/diagnostics.hpp>
#include <situ/expression/apply.hpp>
#include <situ/expression/evaluate.hpp>
#include <situ/expression/operators.hpp>
#include <situ/ops/creation.hpp>
#include <situ/ops/every_kernel.hpp>
#include <situ/ops/gather.hpp>
#include <situ/ops/join.hpp>
#include <situ/ops/rearrange.hpp>
#include <situ/ops/reshape.hpp>
#include <situ/ops/scattered.hpp>
#include <situ/ops/select.hpp>
#include <situ/ops/structure.hpp>
#include <situ/plan/indices.hpp>
#include <situ/plan/kernels.hpp>
#include <situ/plan/program.hpp>
#include <situ/tensor/tensor.hpp>

namespace situ {

namespace internal {
struct Coordinates;
void is_included(const Coordinates*);  // see in_indexing.hpp
}  // namespace internal

/// Whether `index_put` adds, or replaces.
enum class Accumulate : bool { no, yes };

namespace internal {

template <Device D>
using PositionLists = std::span<const Tensor<std::int64_t, D>>;

template <class Indices>
[[nodiscard]] Tensor<std::int64_t, device_t<Indices>> as_positions(const Indices& indices) {
  using Index = value_type_t<Indices>;
  if constexpr (std::same_as<Index, std::int64_t>) return eval(indices);
  else if constexpr (std::same_as<Index, std::uint64_t>)  // a number beyond 63 bits must not become negative
    return cast<std::int64_t>(minimum(indices, static_cast<Index>(std::numeric_limits<std::int64_t>::max())));
  else return cast<std::int64_t>(indices);
}

/// True for each valid position of an axis; otherwise throws `IndexError`, at once or with the next transfer to the
/// host. `take` checks, reading from an axis of stride 0, so that the error is the one that it throws.
template <Device D>
[[nodiscard]] Tensor<bool, D> checked_positions(const Tensor<std::int64_t, D>& list, const Shape& shape, int axis,
                                                IndexedOperation called) {
  Shape one;
  for (int i = 0; i <= axis; ++i) one.push_back(1);
  Shape along = one;
  along.set(axis, shape[axis]);
  const operation::Take<Tensor<std::int64_t, D>> look{contiguous(reshape(list, Shape{list.size()})), axis, called};
  return reshape(look(broadcast_to(ones<bool>(one, D{}), along)), list.shape());
}

/// `positions_together` by one kernel.
template <Device D>
[[nodiscard]] Tensor<std::int64_t, D> merged_positions(PositionLists<D> lists, const Shape& shape,
                                                       IndexedOperation called) {
  Shape result;
  for (const auto& list : lists) result = broadcast_shapes(result, list.shape(), operation_name(called));
  std::array<program::Operand, std::size_t{max_rank}> operands;
  for (std::size_t i = 0; i < lists.size(); ++i)
    operands[i] = operand(lists[i], broadcast_strides(lists[i].shape(), lists[i].layout().strides, result));
  Storage<D> storage = allocate_elements<std::int64_t, D>(result);
  if (result.count() > 0) {
    call_kernel<D, kernels::Take, true>(
        [&](auto backend) {
          merge_positions(backend, std::span<const program::Operand>(operands.data(), lists.size()), shape, called,
                          result, static_cast<std::int64_t*>(storage.data()));
        },
        writes<std::int64_t>(storage));
  }
  return Tensor<std::int64_t, D>(std::move(storage), Layout::row_major(result));
}

/// The lists, broadcast to one shape, as positions along the first axes merged. A position out of range maps beyond
/// all.
template <Device D>
[[nodiscard]] Tensor<std::int64_t, D> positions_together(PositionLists<D> lists, const Shape& shape,
                                                         IndexedOperation called) {
  const auto count = static_cast<int>(lists.size());
  if (count == 0 || count > shape.rank()) {
    throw ShapeError(std::string(operation_name(called)) + ": " + std::to_string(count) +
                     " lists of positions for shape " + shape.to_string() +
                     "; there must be one for each axis, or for each of the first ones");
  }
  if (count == 1) return contiguous(lists[0]);
  if constexpr (HostDevice<D> && MergesPositions<backend_t<D>>) return merged_positions<D>(lists, shape, called);
  const std::int64_t all = shape.count(0, count);
  Tensor<std::int64_t, D> together = zeros<std::int64_t>({}, D{});
  std::int64_t step = all;
  for (int axis = 0; axis < count; ++axis) {
    const std::int64_t extent = shape[axis];
    step = extent == 0 ? 0 : step / extent;
    const Tensor<std::int64_t, D>& list = lists[static_cast<std::size_t>(axis)];
    static_cast<void>(broadcast_shapes(together.shape(), list.shape(), operation_name(called)));
    const auto position = where(list < 0, list + extent, list) * step;
    together = together + where(checked_positions(list, shape, axis, called), position, all);
  }
  return together;
}

/// The shape with its first axes merged into one.
[[nodiscard]] inline Shape with_first_axes_together(const Shape& shape, std::size_t count) {
  const int first = static_cast<int>(count);
  Shape result{shape.count(0, first)};
  for (int axis = first; axis < shape.rank(); ++axis) result.push_back(shape[axis]);
  return result;
}

template <TensorLike X>
[[nodiscard]] applied_t<X> taken_at(const X& x, PositionLists<device_t<X>> lists, IndexedOperation called) {
  const Shape shape = x.shape();
  const operation::Take<Tensor<std::int64_t, device_t<X>>> taken{positions_together<device_t<X>>(lists, shape, called),
                                                                 0, called};
  return apply(taken, reshape(x, with_first_axes_together(shape, lists.size())));
}

/// A list of positions as an argument in braces, of any integer type.
template <Device D>
struct PositionList {
  Tensor<std::int64_t, D> positions;
  template <IndicesOn<D> Indices>
  PositionList(const Indices& indices) : positions(as_positions(indices)) {}
};

template <TensorLike X, class S>
[[nodiscard]] applied_t<X, S> put_at(X&& x, PositionLists<device_t<X>> lists, const S& values, Accumulate accumulate) {
  using Positions = Tensor<std::int64_t, device_t<X>>;
  constexpr IndexedOperation called = IndexedOperation::index_put;
  const Shape shape = x.shape();
  const Positions together = positions_together<device_t<X>>(lists, shape, called);
  const Shape rows = with_first_axes_together(shape, lists.size());
  Shape wide = together.shape(), source{together.size()}, column{together.size()};
  for (int axis = 1; axis < rows.rank(); ++axis) {
    wide.push_back(rows[axis]);
    source.push_back(rows[axis]);
    column.push_back(1);
  }
  const Positions index = reshape(together, column);
  const auto put = [&](const auto& operation) -> applied_t<X, S> {
    const auto from = reshape(broadcast_to(values, wide), source);  // before x moves: it may be x
    return reshape(apply(operation, reshape(std::forward<X>(x), rows), from), shape);
  };
  if constexpr (ScatterAdded<value_type_t<X>>) {
    if (accumulate == Accumulate::yes) return put(operation::ScatterAdd<Positions>{{index, 0, called}});
  } else if (accumulate == Accumulate::yes) {
    throw ValueError("index_put: truth values cannot be added; cast<...> them to numbers, or leave Accumulate out");
  }
  return put(operation::Scatter<Positions>{{index, 0, called}});
}

}  // namespace internal

/// The value of `x(rows, columns)`: the elements at these positions, one list for each axis, broadcast to one shape,
/// which is that of the result; with fewer lists than axes, the parts at these positions (NumPy's integer array
/// indexing, for the first axes). Throws `IndexError` for an index out of range, `ShapeError` for lists that do not
/// broadcast.
///
///     Tensor chosen = scores(arange(n), labels);         // scores(i, labels(i)) for every i
template <TensorLike X, class First, class... More>
  requires internal::IndicesOn<First, device_t<X>> && (internal::IndicesOn<More, device_t<X>> && ...)
[[nodiscard]] applied_t<X> integer_index(const X& x, const First& first, const More&... more) {
  const std::array lists{internal::as_positions(first), internal::as_positions(more)...};
  return internal::taken_at(x, internal::PositionLists<device_t<X>>(lists), internal::IndexedOperation::integer_index);
}

/// The elements, or parts, at the coordinates along the last axis of `indices`: (..., k) for the first k axes of `x`,
/// as ONNX's GatherND; with the result of `nonzero` it reads all that is not 0. Throws like `x(rows, columns)`.
///
///     Tensor values = gather_nd(x, nonzero(x));
template <TensorLike X, class Indices>
  requires internal::IndicesOn<Indices, device_t<X>>
[[nodiscard]] applied_t<X> gather_nd(const X& x, const Indices& indices) {
  const auto positions = internal::as_positions(indices);
  if (positions.rank() == 0) throw ShapeError("gather_nd: indices of rank 0 have no axis of coordinates");
  if (positions.extent(-1) > x.shape().rank()) {
    throw ShapeError("gather_nd: indices of shape " + positions.shape().to_string() + " have " +
                     std::to_string(positions.extent(-1)) + " coordinates along their last axis, and x has shape " +
                     x.shape().to_string() + "; at most one for each axis");
  }
  std::vector<Tensor<std::int64_t, device_t<X>>> lists;
  for (std::int64_t i = 0; i < positions.extent(-1); ++i) lists.push_back(select(positions, -1, i));
  return internal::taken_at(x, internal::PositionLists<device_t<X>>(lists), internal::IndexedOperation::gather_nd);
}
template <class D>
on_device<D> gather_nd(const on_device<D>&, typename tensors_live_on_different_devices<D>::template fix_call_dot_to<D>);
template <class D>
on_device<D> gather_nd(const on_device<D>&, typename indices_are_not_integers<D>::fix_call_cast);

/// A copy of `x` with `values` written, or added, at positions given by one list for each of the first axes. `values`
/// broadcast to the shape of `x(rows, columns)`. Of several values for one place the last one wins, or all are added,
/// in row-major order of the lists, on every device. Throws like `x(rows, columns)`.
///
///     Tensor y = index_put(x, {rows, columns}, values);
///     Tensor counts = index_put(zeros<int>({3, 3}), {truth, guess}, tensor(1), Accumulate::yes);
template <TensorLike X, class S>
  requires internal::SourceFor<S, X>
[[nodiscard]] applied_t<X, S> index_put(X&& x, std::initializer_list<internal::PositionList<device_t<X>>> lists,
                                        const S& values, Accumulate accumulate = Accumulate::no) {
  std::vector<Tensor<std::int64_t, device_t<X>>> positions;
  for (const auto& list : lists) positions.push_back(list.positions);
  return internal::put_at(std::forward<X>(x), internal::PositionLists<device_t<X>>(positions), values, accumulate);
}
/// With the lists in a vector, array or span.
template <TensorLike X, internal::TensorRange Lists, class S>
  requires internal::IndicesOn<internal::item_t<Lists>, device_t<X>> && internal::SourceFor<S, X>
[[nodiscard]] applied_t<X, S> index_put(X&& x, const Lists& lists, const S& values,
                                        Accumulate accumulate = Accumulate::no) {
  std::vector<Tensor<std::int64_t, device_t<X>>> positions;
  for (const auto& list : lists) positions.push_back(internal::as_positions(list));
  return internal::put_at(std::forward<X>(x), internal::PositionLists<device_t<X>>(positions), values, accumulate);
}
template <class D>
on_device<D> index_put(const on_device<D>&, std::initializer_list<internal::PositionList<std::type_identity_t<D>>>,
                       typename tensors_live_on_different_devices<D>::template fix_call_dot_to<D>,
                       Accumulate = Accumulate::no);
template <class D, class S>
on_device<D> index_put(
    const on_device<D>&,
    std::initializer_list<
        typename tensors_live_on_different_devices<std::type_identity_t<D>>::template fix_call_dot_to<D>>,
    const S&, Accumulate = Accumulate::no);
template <class D, class S>
on_device<D> index_put(const on_device<D>&,
                       std::initializer_list<typename indices_are_not_integers<std::type_identity_t<D>>::fix_call_cast>,
                       const S&, Accumulate = Accumulate::no);
template <class T, class D>
placed<T, D> index_put(const placed<T, D>&, std::initializer_list<internal::PositionList<std::type_identity_t<D>>>,
                       typename element_types_differ<T, D>::template fix_call_cast<T>, Accumulate = Accumulate::no);

}  // namespace situ
