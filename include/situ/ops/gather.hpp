// SPDX-License-Identifier: Apache-2.0
// Reading and writing where an index tensor says: take, gather, scatter, scatter_add, one_hot. Indices are integers of
// any type; negative ones count from the end, and one out of range throws `IndexError`.
#pragma once

#include <concepts>
#include <cstdint>
#include <string>
#include <utility>

#include <situ/core/dtype.hpp>
#include <situ/core/error.hpp>
#include <situ/core/shape.hpp>
#include <situ/cpu/elementwise.hpp>
#include <situ/cpu/gather.hpp>
#include <situ/cuda/kernels/elementwise.hpp>
#include <situ/cuda/kernels/gather.hpp>
#include <situ/device/diagnostics.hpp>
#include <situ/expression/concept.hpp>
#include <situ/expression/evaluate.hpp>
#include <situ/ops/diagnostics.hpp>
#include <situ/ops/structure.hpp>
#include <situ/plan/program.hpp>
#include <situ/tensor/tensor.hpp>

namespace situ {

namespace internal {

/// An index for operands on `D`.
template <class Indices, class D>
concept IndicesOn = TensorLike<Indices> && IntegerElement<value_type_t<Indices>> && std::same_as<device_t<Indices>, D>;

/// What `scatter` writes into `X`.
template <class S, class X>
concept SourceFor = TensorLike<S> && agrees<S, value_type_t<X>, device_t<X>>;

template <Element T, Device D>
[[nodiscard]] program::Operand operand(const Tensor<T, D>& tensor, const Strides& strides) {
  return {tensor.element_pointer(), sizeof(T), strides};
}

/// What `gather` and `scatter` need to agree: one rank, and extents that broadcast but for those of the axis.
inline void check_ranks(const Shape& x, const Shape& indices, const char* operation) {
  if (x.rank() != indices.rank()) {
    throw ShapeError(std::string(operation) + ": shape " + x.to_string() + " needs indices of the same rank, not " +
                     indices.to_string() + "; reshape the indices, or use take for one list of positions");
  }
}

template <bool Add, class X, class Indices, class S>
[[nodiscard]] tensor_of_t<X> scattered(X&& x, int axis, const Indices& indices_like, const S& source_like,
                                       const char* operation) {
  using T = value_type_t<X>;
  using D = device_t<X>;
  const Tensor indices = eval(indices_like);
  const Tensor source = eval(source_like);
  Tensor<T, D> result = eval(std::forward<X>(x));  // after them: they may be the same tensor, which this may move
  check_ranks(result.shape(), indices.shape(), operation);
  const int a = normalize_axis(axis, result.rank(), operation);
  Shape shape = result.shape();  // what is written
  shape.set(a, indices.shape()[a]);
  const Layout from = broadcast_layout(source.layout(), shape.checked(), operation);
  const Layout at = broadcast_layout(indices.layout(), shape, operation);
  if (shape.count() == 0) return result;
  if (!result.storage().unique() || !result.storage().idle() || !result.layout().is_row_major())
    result = evaluated(result);
  Storage<D> storage = result.storage();
  on_backend<D>(
      [&](auto backend) {
        scatter_along<Add, T, value_type_t<Indices>>(backend, operand(source, from.strides),
                                                     operand(indices, at.strides), shape[a], a,
                                                     destination<T>(storage, result.layout()));
      },
      writes(storage), reads(source), reads(indices));
  return result;
}

}  // namespace internal

/// The positions `indices` of one axis: the axis is replaced by the axes of `indices`, so that `take(table, ids, 0)`
/// gives the row of every id. Throws `IndexError` for an index out of range.
///
///     Tensor vectors = take(embedding, tokens, 0);   // (words, width), (batch, length) -> (batch, length, width)
template <TensorLike X, class Indices>
  requires internal::IndicesOn<Indices, device_t<X>>
[[nodiscard]] internal::tensor_of_t<X> take(const X& x, const Indices& indices, int axis) {
  using T = value_type_t<X>;
  using D = device_t<X>;
  Tensor<T, D> tensor = eval(x);
  const auto index = contiguous(indices);
  const int a = normalize_axis(axis, tensor.rank(), "take");
  Shape shape;
  Shape folded{1, tensor.shape()[a], 1};  // outer, axis, inner
  for (int i = 0; i < a; ++i) {
    shape.push_back(tensor.shape()[i]);
    folded.set(0, folded[0] * tensor.shape()[i]);
  }
  for (const std::int64_t extent : index.shape()) shape.push_back(extent);
  for (int i = a + 1; i < tensor.rank(); ++i) {
    shape.push_back(tensor.shape()[i]);
    folded.set(2, folded[2] * tensor.shape()[i]);
  }
  Storage<D> storage = internal::allocate_elements<T, D>(shape.checked());
  const Layout layout = Layout::row_major(shape);
  if (index.size() > 0) {  // indices are checked even where they select nothing
    Layout from;
    if (!reshape_layout(tensor.layout(), folded, from)) {
      tensor = internal::evaluated(tensor);
      from = Layout::row_major(folded);
    }
    on_backend<D>(
        [&](auto backend) {
          take(backend, internal::operand(tensor, from.strides), folded, index.element_pointer(), index.size(), a,
               storage.data());
        },
        internal::writes(storage), internal::reads(tensor), internal::reads(index));
  }
  return Tensor<T, D>(std::move(storage), layout);
}
template <class D, class Indices>
on_device<D> take(const on_device<D>&, typename tensors_live_on_different_devices<D>::template fix_call_dot_to<D>,
                  Indices);
template <class D>
on_device<D> take(const on_device<D>&, typename indices_are_not_integers<D>::fix_call_cast, int);

/// For every place of `indices`, the element of `x` at that place with its position along `axis` replaced by the index
/// (NumPy's `take_along_axis`). All but that axis broadcast. Throws `IndexError` for an index out of range,
/// `ShapeError` for shapes that do not fit.
///
///     Tensor sorted = gather(x, -1, argsort(x, -1));
template <TensorLike X, class Indices>
  requires internal::IndicesOn<Indices, device_t<X>>
[[nodiscard]] internal::tensor_of_t<X> gather(const X& x, int axis, const Indices& indices) {
  using T = value_type_t<X>;
  using D = device_t<X>;
  const Tensor<T, D> tensor = eval(x);
  const Tensor index = eval(indices);
  internal::check_ranks(tensor.shape(), index.shape(), "gather");
  const int a = normalize_axis(axis, tensor.rank(), "gather");
  Layout from = tensor.layout();
  from.shape.set(a, 1);
  const Shape shape = broadcast_shapes(from.shape, index.shape(), "gather");
  Storage<D> storage = internal::allocate_elements<T, D>(shape);
  const Layout layout = Layout::row_major(shape);
  if (shape.count() > 0) {
    from.strides = broadcast_strides(from.shape, from.strides, shape);
    from.set_stride(a, tensor.layout().stride(a));
    const Strides at = broadcast_strides(index.shape(), index.layout().strides, shape);
    on_backend<D>(
        [&](auto backend) {
          gather_along<value_type_t<Indices>>(backend, internal::operand(tensor, from.strides), tensor.shape()[a],
                                              internal::operand(index, at), a,
                                              internal::destination<T>(storage, layout));
        },
        internal::writes(storage), internal::reads(tensor), internal::reads(index));
  }
  return Tensor<T, D>(std::move(storage), layout);
}
template <class D>
on_device<D> gather(const on_device<D>&, int,
                    typename tensors_live_on_different_devices<D>::template fix_call_dot_to<D>);
template <class D>
on_device<D> gather(const on_device<D>&, int, typename indices_are_not_integers<D>::fix_call_cast);

/// A copy of `x` in which the elements of `source` replace those that `indices` name along `axis`: the counterpart of
/// `gather`. `source` and `indices` broadcast to the shape of `x` with the axis as long as that of `indices`. Of
/// several writes to one place the last in the order of `indices` wins. `x` is not changed; `x = scatter(std::move(x),
/// ...)` writes in place when nothing shares the storage.
///
///     Tensor y = scatter(x, 1, tensor({{0}, {2}}), tensor({{9.f}, {9.f}}));   // y(0, 0) and y(1, 2) are 9
template <TensorLike X, class Indices, class S>
  requires internal::IndicesOn<Indices, device_t<X>> && internal::SourceFor<S, X>
[[nodiscard]] internal::tensor_of_t<X> scatter(X&& x, int axis, const Indices& indices, const S& source) {
  return internal::scattered<false>(std::forward<X>(x), axis, indices, source, "scatter");
}
template <class D, class S>
on_device<D> scatter(const on_device<D>&, int,
                     typename tensors_live_on_different_devices<D>::template fix_call_dot_to<D>, const S&);
template <class D>
on_device<D> scatter(const on_device<D>&, int, const on_device<D>&,
                     typename tensors_live_on_different_devices<D>::template fix_call_dot_to<D>);
template <class T, class D>
placed<T, D> scatter(const placed<T, D>&, int, const on_device<D>&,
                     typename element_types_differ<T, D>::template fix_call_cast<T>);

/// As `scatter`, but the elements of `source` are added to what stands there, several to one place in the order of
/// `indices`: a histogram, or the gradient of `gather`. 16-bit floats round after each addition.
template <TensorLike X, class Indices, class S>
  requires internal::IndicesOn<Indices, device_t<X>> && internal::SourceFor<S, X> && NumberElement<value_type_t<X>>
[[nodiscard]] internal::tensor_of_t<X> scatter_add(X&& x, int axis, const Indices& indices, const S& source) {
  return internal::scattered<true>(std::forward<X>(x), axis, indices, source, "scatter_add");
}
template <class D, class S>
on_device<D> scatter_add(const on_device<D>&, int,
                         typename tensors_live_on_different_devices<D>::template fix_call_dot_to<D>, const S&);
template <class D>
on_device<D> scatter_add(const on_device<D>&, int, const on_device<D>&,
                         typename tensors_live_on_different_devices<D>::template fix_call_dot_to<D>);
template <class T, class D>
placed<T, D> scatter_add(const placed<T, D>&, int, const on_device<D>&,
                         typename element_types_differ<T, D>::template fix_call_cast<T>);

/// A last axis of `classes` positions, 1 at the label and 0 elsewhere, as `float` unless said otherwise. Throws
/// `IndexError` for a label that is no class; here negative ones do not count from the end.
///
///     one_hot(tensor({2, 0}), 3)           // 0 0 1 | 1 0 0
template <Element T = float, TensorLike X>
  requires IntegerElement<value_type_t<X>>
[[nodiscard]] Tensor<T, device_t<X>> one_hot(const X& labels, std::int64_t classes) {
  using D = device_t<X>;
  const auto index = contiguous(labels);
  Shape shape = index.shape();
  shape.push_back(classes);
  Storage<D> storage = internal::allocate_elements<T, D>(shape.checked());
  if (index.size() > 0) {
    on_backend<D>(
        [&](auto backend) {
          one_hot(backend, index.element_pointer(), index.size(), classes, static_cast<T*>(storage.data()));
        },
        internal::writes(storage), internal::reads(index));
  }
  return Tensor<T, D>(std::move(storage), Layout::row_major(shape));
}

}  // namespace situ
