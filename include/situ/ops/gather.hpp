// SPDX-License-Identifier: Apache-2.0
// Reading and writing at the positions in an index tensor: take, gather, scatter, scatter_add. Indices are integers of
// any type; negative ones count from the end, and one out of range throws `IndexError`.
#pragma once

#include <concepts>
#include <cstddef>
#include <cstdint>
#include <string>
#include <utility>

#include <situ/core/broadcast.hpp>
#include <situ/core/dtype.hpp>
#include <situ/core/error.hpp>
#include <situ/core/scalar.hpp>
#include <situ/core/shape.hpp>
#include <situ/device/diagnostics.hpp>
#include <situ/expression/apply.hpp>
#include <situ/expression/concept.hpp>
#include <situ/expression/evaluate.hpp>
#include <situ/expression/operators.hpp>
#include <situ/formula/scatter.hpp>
#include <situ/ops/as_elements.hpp>
#include <situ/ops/creation.hpp>
#include <situ/ops/diagnostics.hpp>
#include <situ/ops/every_kernel.hpp>
#include <situ/ops/reduce.hpp>
#include <situ/ops/scattered.hpp>
#include <situ/ops/select.hpp>
#include <situ/ops/structure.hpp>
#include <situ/plan/indices.hpp>
#include <situ/plan/kernels.hpp>
#include <situ/plan/program.hpp>
#include <situ/tensor/tensor.hpp>

namespace situ {

namespace internal {

/// A valid index tensor for operands on `D`.
template <class Indices, class D>
concept IndicesOn = TensorLike<Indices> && IntegerElement<value_type_t<Indices>> && std::same_as<device_t<Indices>, D>;

/// Elements that can be added several to one place.
template <class T>
concept ScatterAdded = NumberElement<T> || ComplexElement<T>;

/// What `scatter` can write into `X`.
template <class S, class X>
concept SourceFor = TensorLike<S> && agrees<S, value_type_t<X>, device_t<X>>;
/// One number as the source, for all indices.
template <class S, class X>
concept NumberFor = WeakScalarFor<S, value_type_t<X>>;
template <TensorLike X, NumberFor<X> S>
[[nodiscard]] Tensor<value_type_t<X>, device_t<X>> number_like(S number, const char* operation) {
  using T = value_type_t<X>;
  return full<T>({}, element_from_scalar<T>(number, operation), device_t<X>{});
}

/// The gradient of `gather`: `g` added at the positions in `index`.
template <Element T, Device D, class Index>
[[nodiscard]] Tensor<T, D> gathered_gradient(const Tensor<T, D>& g, const Shape& x, int axis, const Index& index) {
  using C = compute_t<T>;   // so that 16-bit floats are rounded once
  Shape shape = g.shape();  // axes that were broadcast are summed at the end
  shape.set(axis, x[axis]);
  return as_elements<T>(sum_to(scatter_add(zeros<C>(shape, D{}), axis, index, as_elements<C>(g)), x));
}

namespace operation {

/// `Index`: a tensor of integers. `called`: the name of the operation in errors.
template <class Index>
struct Take {
  Index index;
  int axis;
  IndexedOperation called = IndexedOperation::take;

  template <TensorLike X>
  [[nodiscard]] tensor_of_t<X> operator()(const X& x) const {
    using T = value_type_t<X>;
    using D = device_t<X>;
    Tensor<T, D> tensor = eval(x);
    Shape shape;
    const Shape folded = around_axis(tensor.shape());
    for (int i = 0; i < axis; ++i) shape.push_back(tensor.shape()[i]);
    for (const std::int64_t extent : index.shape()) shape.push_back(extent);
    for (int i = axis + 1; i < tensor.rank(); ++i) shape.push_back(tensor.shape()[i]);
    Storage<D> storage = allocate_elements<T, D>(shape.checked());
    const Layout layout = Layout::row_major(shape);
    if (index.size() > 0) {  // indices are checked even where they select nothing (but in no line, if there is none)
      Layout from;
      if (!reshape_layout(tensor.layout(), folded, from)) {
        tensor = evaluate(tensor);
        from = Layout::row_major(folded);
      }
      call_kernel<D, kernels::Take, TakesAlong<backend_t<D>, T, value_type_t<Index>>>(
          [&](auto backend) {
            take<T>(backend, operand(tensor, from.strides), folded, index.element_pointer(), index.size(), called, axis,
                    storage.data());
          },
          writes(storage), internal::reads(tensor), internal::reads(index));
    }
    return Tensor<T, D>(std::move(storage), layout);
  }

  template <Element T, Device D>
  [[nodiscard]] Tensor<T, D> gradient(const Tensor<T, D>& g, const Shape& x) const {
    const Shape folded = around_axis(x);
    const Tensor<T, D> rows = reshape(g, Shape{folded[0], index.size(), folded[2]});
    const auto positions = reshape(index, Shape{1, index.size(), 1});
    return reshape(scatter_add(zeros<T>(folded, D{}), 1, positions, rows), x);
  }

 private:
  /// The number of elements before the axis, along it and after it.
  [[nodiscard]] Shape around_axis(const Shape& x) const {
    return {x.count(0, axis), x[axis], x.count(axis + 1, x.rank())};
  }
};

template <class Index>
struct Gather {
  Index index;
  int axis;

  template <TensorLike X>
  [[nodiscard]] tensor_of_t<X> operator()(const X& x) const {
    using T = value_type_t<X>;
    using D = device_t<X>;
    const Tensor<T, D> tensor = eval(x);
    Layout from = tensor.layout();
    from.shape.set(axis, 1);
    const Shape shape = broadcast_shapes(from.shape, index.shape(), "gather");
    Storage<D> storage = allocate_elements<T, D>(shape);
    const Layout layout = Layout::row_major(shape);
    if (shape.count() > 0) {
      from.strides = broadcast_strides(from.shape, from.strides, shape);
      from.set_stride(axis, tensor.layout().stride(axis));
      const Strides at = broadcast_strides(index.shape(), index.layout().strides, shape);
      call_kernel<D, kernels::Gather, Gathers<backend_t<D>, T, value_type_t<Index>>>(
          [&](auto backend) {
            gather_along<T, value_type_t<Index>>(backend, operand(tensor, from.strides), tensor.shape()[axis],
                                                 operand(index, at), axis, destination<T>(storage, layout));
          },
          writes(storage), internal::reads(tensor), internal::reads(index));
    }
    return Tensor<T, D>(std::move(storage), layout);
  }
  template <Element T, Device D>
  [[nodiscard]] Tensor<T, D> gradient(const Tensor<T, D>& g, const Shape& x) const {
    return gathered_gradient(g, x, axis, index);
  }
};

template <class Index>
struct Scatter : Scattered<Index, scattering::Replace> {
  /// An element of the source that another one has overwritten gets no gradient.
  template <std::size_t At, Element T, Device D>
  [[nodiscard]] Tensor<T, D> gradient(const Tensor<T, D>& g, const Shape& x, const Shape& source) const {
    if constexpr (At == 0) {
      return scatter(g, this->axis, this->index, zeros<T>({}, D{}));
    } else {
      const auto places = broadcast_to(this->index, this->written(x));
      // each source element writes its number to its place; the number read back is that of the last one
      const Tensor<std::int64_t, D> numbers = reshape(arange<std::int64_t>(places.size(), D{}), places.shape());
      const Tensor<std::int64_t, D> written = scatter(zeros<std::int64_t>(x, D{}), this->axis, places, numbers);
      const Tensor<T, D> read = gather(g, this->axis, places);
      return sum_to(where(gather(written, this->axis, places) == numbers, read, T(0)), source);
    }
  }
};

/// Names the operation in errors.
struct AddAtIndices {
  template <Element T>
  static constexpr bool accepts = ScatterAdded<T>;
};

template <class Index>
struct ScatterAdd : Scattered<Index, scattering::Sum> {
  template <class X, class S>
  [[nodiscard]] tensor_of_t<X> operator()(X&& x, const S& source) const {
    if constexpr (ComplexElement<value_type_t<X>>) {
      const auto from = eval(source);                                                 // before x moves: it may be x
      return scatter_complex(*this, tensor_of_t<X>(eval(std::forward<X>(x))), from);  // in situ/complex.hpp
    } else {
      return Scattered<Index, scattering::Sum>::operator()(std::forward<X>(x), source);
    }
  }

  template <std::size_t At, Element T, Device D>
  [[nodiscard]] Tensor<T, D> gradient(const Tensor<T, D>& g, const Shape& x, const Shape& source) const {
    if constexpr (At == 0) return g;
    else return sum_to(gather(g, this->axis, broadcast_to(this->index, this->written(x))), source);
  }
};

}  // namespace operation

}  // namespace internal

/// The positions `indices` of one axis: the axes of `indices` replace the axis, so `take(table, ids, 0)` returns the
/// row of every id. Throws `IndexError` for an index out of range.
///
///     Tensor vectors = take(embedding, tokens, 0);   // (words, width), (batch, length) -> (batch, length, width)
template <TensorLike X, class Indices>
  requires internal::IndicesOn<Indices, device_t<X>>
[[nodiscard]] applied_t<X> take(const X& x, const Indices& indices, std::int64_t axis) {
  const int a = internal::normalize_axis(axis, x.shape().rank(), "take");
  return internal::apply(internal::operation::Take<internal::tensor_of_t<Indices>>{contiguous(indices), a}, x);
}
template <class D, class Indices>
on_device<D> take(const on_device<D>&, typename tensors_live_on_different_devices<D>::template fix_call_dot_to<D>,
                  Indices);
template <class D>
on_device<D> take(const on_device<D>&, typename indices_are_not_integers<D>::fix_call_cast, std::int64_t);

/// For every place of `indices`, the element of `x` at that place with its position along `axis` replaced by the index
/// (NumPy's `take_along_axis`). All other axes broadcast. Throws `IndexError` for an index out of range, `ShapeError`
/// for shapes that do not fit.
///
///     Tensor sorted = gather(x, -1, argsort(x, -1));
template <TensorLike X, class Indices>
  requires internal::IndicesOn<Indices, device_t<X>>
[[nodiscard]] applied_t<X> gather(const X& x, std::int64_t axis, const Indices& indices) {
  internal::check_ranks(x.shape(), indices.shape(), "gather");
  const int a = internal::normalize_axis(axis, x.shape().rank(), "gather");
  return internal::apply(internal::operation::Gather<internal::tensor_of_t<Indices>>{eval(indices), a}, x);
}
template <class D>
on_device<D> gather(const on_device<D>&, std::int64_t,
                    typename tensors_live_on_different_devices<D>::template fix_call_dot_to<D>);
template <class D>
on_device<D> gather(const on_device<D>&, std::int64_t, typename indices_are_not_integers<D>::fix_call_cast);

/// A copy of `x` in which the elements of `source` replace those at `indices` along `axis`: the counterpart of
/// `gather`. `source` and `indices` broadcast to the shape of `x` with the axis as long as that of `indices`. Of
/// several writes to one place the last in the order of `indices` wins. `x` is not changed; `x = scatter(std::move(x),
/// ...)` writes in place if nothing shares the storage.
///
///     Tensor y = scatter(x, 1, tensor({{0}, {2}}), tensor({{9.f}, {9.f}}));   // y(0, 0) and y(1, 2) are 9
template <TensorLike X, class Indices, class S>
  requires internal::IndicesOn<Indices, device_t<X>> && internal::SourceFor<S, X>
[[nodiscard]] applied_t<X, S> scatter(X&& x, std::int64_t axis, const Indices& indices, const S& source) {
  internal::check_ranks(x.shape(), indices.shape(), "scatter");
  const int a = internal::normalize_axis(axis, x.shape().rank(), "scatter");
  const internal::operation::Scatter<internal::tensor_of_t<Indices>> operation{
      {eval(indices), a, internal::IndexedOperation::scatter}};
  return internal::apply(operation, std::forward<X>(x), source);
}
/// A number, for all indices: `scatter(x, 1, indices, 0.f)`. Throws `ValueError` if the element type cannot hold it.
template <TensorLike X, class Indices, internal::NumberFor<X> S>
  requires internal::IndicesOn<Indices, device_t<X>>
[[nodiscard]] applied_t<X> scatter(X&& x, std::int64_t axis, const Indices& indices, S source) {
  const auto number = internal::number_like<X>(source, "scatter");
  return scatter(std::forward<X>(x), axis, indices, number);
}
template <class D, class S>
on_device<D> scatter(const on_device<D>&, std::int64_t,
                     typename tensors_live_on_different_devices<D>::template fix_call_dot_to<D>, const S&);
template <class D>
on_device<D> scatter(const on_device<D>&, std::int64_t, const on_device<D>&,
                     typename tensors_live_on_different_devices<D>::template fix_call_dot_to<D>);
template <class T, class D>
placed<T, D> scatter(const placed<T, D>&, std::int64_t, const on_device<D>&,
                     typename element_types_differ<T, D>::template fix_call_cast<T>);

/// As `scatter`, but adds the elements of `source` to the existing ones, several to one place in the order of
/// `indices`: a histogram, or the gradient of `gather`. 16-bit floats are added up in `float`, floats in `double` if
/// more than 256 go to one place, and rounded once.
template <TensorLike X, class Indices, class S>
  requires internal::IndicesOn<Indices, device_t<X>> && internal::SourceFor<S, X> &&
           internal::ScatterAdded<value_type_t<X>>
[[nodiscard]] applied_t<X, S> scatter_add(X&& x, std::int64_t axis, const Indices& indices, const S& source) {
  internal::check_ranks(x.shape(), indices.shape(), "scatter_add");
  const int a = internal::normalize_axis(axis, x.shape().rank(), "scatter_add");
  const internal::operation::ScatterAdd<internal::tensor_of_t<Indices>> operation{
      {eval(indices), a, internal::IndexedOperation::scatter_add}};
  return internal::apply(operation, std::forward<X>(x), source);
}
template <TensorLike X, class Indices, internal::NumberFor<X> S>
  requires internal::IndicesOn<Indices, device_t<X>> && internal::ScatterAdded<value_type_t<X>>
[[nodiscard]] applied_t<X> scatter_add(X&& x, std::int64_t axis, const Indices& indices, S source) {
  const auto number = internal::number_like<X>(source, "scatter_add");
  return scatter_add(std::forward<X>(x), axis, indices, number);
}
template <class D, class S>
on_device<D> scatter_add(const on_device<D>&, std::int64_t,
                         typename tensors_live_on_different_devices<D>::template fix_call_dot_to<D>, const S&);
template <class D>
on_device<D> scatter_add(const on_device<D>&, std::int64_t, const on_device<D>&,
                         typename tensors_live_on_different_devices<D>::template fix_call_dot_to<D>);
template <class T, class D>
placed<T, D> scatter_add(const placed<T, D>&, std::int64_t, const on_device<D>&,
                         typename element_types_differ<T, D>::template fix_call_cast<T>);
template <class Indices, class S>
Tensor<float, Cpu> scatter_add(operation_undefined_for_elements<internal::operation::AddAtIndices>::fix_call_cast,
                               std::int64_t, const Indices&, const S&);

}  // namespace situ
