// SPDX-License-Identifier: Apache-2.0
// Variables read and written where an index tensor says, and in order: take, gather, scatter, scatter_add, sort, topk.
#pragma once

#include <cstdint>
#include <utility>

#include <situ/autograd/elementwise.hpp>
#include <situ/autograd/pass.hpp>
#include <situ/autograd/variable.hpp>
#include <situ/core/shape.hpp>
#include <situ/expression/operators.hpp>
#include <situ/ops/creation.hpp>
#include <situ/ops/gather.hpp>
#include <situ/ops/select.hpp>
#include <situ/ops/sort.hpp>
#include <situ/ops/structure.hpp>

namespace situ {

template <TensorLike X, class Indices>
  requires internal::IndicesOn<Indices, device_t<X>> && Recorded<X>
[[nodiscard]] Variable<value_type_t<X>, device_t<X>> take(const X& x, const Indices& indices, int axis) {
  using T = value_type_t<X>;
  using D = device_t<X>;
  const Variable<T, D> in = autograd::as_variable(x);
  const Tensor index = eval(indices);
  return autograd::record(take(in.value(), index, axis), autograd::nodes_of(in),
                          [=, edge = in.edge()](autograd::Pass& pass, const Tensor<T, D>& g) {
                            const int a = normalize_axis(axis, edge.shape.rank(), "take");
                            Shape folded{1, edge.shape[a], 1};  // before the axis, the axis, behind it
                            for (int i = 0; i < a; ++i) folded.set(0, folded[0] * edge.shape[i]);
                            for (int i = a + 1; i < edge.shape.rank(); ++i) folded.set(2, folded[2] * edge.shape[i]);
                            const Tensor<T, D> rows = reshape(g, Shape{folded[0], index.size(), folded[2]});
                            const auto positions = reshape(index, Shape{1, index.size(), 1});
                            pass.add(edge, reshape(scatter_add(zeros<T>(folded, D{}), 1, positions, rows), edge.shape));
                          });
}

namespace autograd {

/// The gradient of `gather`: `g` added at the places that `index` names.
template <Element T, Device D, class Index>
[[nodiscard]] Tensor<T, D> gathered_gradient(const Shape& operand, int axis, const Index& index,
                                             const Tensor<T, D>& g) {
  Shape shape = g.shape();  // axes that were broadcast are summed at the end
  shape.set(axis, operand[axis]);
  return sum_to(scatter_add(zeros<T>(shape, D{}), axis, index, g), operand);
}

/// `gather` of a variable, by a tensor of indices.
template <Element T, Device D, class Index>
[[nodiscard]] Variable<T, D> recorded_gather(const Variable<T, D>& in, int axis, const Index& index) {
  return record(gather(in.value(), axis, index), nodes_of(in),
                [=, edge = in.edge()](Pass& pass, const Tensor<T, D>& g) {
                  const int a = normalize_axis(axis, edge.shape.rank(), "gather");
                  pass.add(edge, gathered_gradient(edge.shape, a, index, g));
                });
}

}  // namespace autograd

template <TensorLike X, class Indices>
  requires internal::IndicesOn<Indices, device_t<X>> && Recorded<X>
[[nodiscard]] Variable<value_type_t<X>, device_t<X>> gather(const X& x, int axis, const Indices& indices) {
  return autograd::recorded_gather(autograd::as_variable(x), axis, eval(indices));
}

namespace autograd {

/// The shape that `scatter` writes: that of `x` with the axis as long as the indices'.
[[nodiscard]] inline Shape scattered_shape(const Shape& x, int axis, const Shape& indices) {
  Shape shape = x;
  shape.set(axis, indices[axis]);
  return shape;
}

}  // namespace autograd

/// An element of `source` that another one was written over gets no gradient.
template <TensorLike X, class Indices, class S>
  requires internal::IndicesOn<Indices, device_t<X>> && internal::SourceFor<S, X> && AnyRecorded<X, S>
[[nodiscard]] Variable<value_type_t<X>, device_t<X>> scatter(X&& x, int axis, const Indices& indices, const S& source) {
  using T = value_type_t<X>;
  using D = device_t<X>;
  const Variable<T, D> in = autograd::as_variable(x);
  const Variable<T, D> from = autograd::as_variable(source);
  const Tensor index = eval(indices);
  return autograd::record(
      scatter(in.value(), axis, index, from.value()), autograd::nodes_of(in, from),
      [=, x_edge = in.edge(), edge = from.edge(), shape = in.shape()](autograd::Pass& pass, const Tensor<T, D>& g) {
        if (x_edge) pass.add(x_edge, scatter(g, axis, index, zeros<T>({}, D{})));
        if (!edge) return;
        const int a = normalize_axis(axis, shape.rank(), "scatter");
        const auto places = broadcast_to(index, autograd::scattered_shape(shape, a, index.shape()));
        // each source element leaves its number where it is written; the number that is read back is that of the last
        const Tensor<std::int64_t, D> numbers = reshape(arange<std::int64_t>(places.size(), D{}), places.shape());
        const Tensor<std::int64_t, D> written = scatter(zeros<std::int64_t>(shape, D{}), a, places, numbers);
        const Tensor<T, D> read = gather(g, a, places);
        pass.add(edge, autograd::sum_to(where(gather(written, a, places) == numbers, read, T(0)), edge.shape));
      });
}

template <TensorLike X, class Indices, class S>
  requires internal::IndicesOn<Indices, device_t<X>> && internal::SourceFor<S, X> && NumberElement<value_type_t<X>> &&
           AnyRecorded<X, S>
[[nodiscard]] Variable<value_type_t<X>, device_t<X>> scatter_add(X&& x, int axis, const Indices& indices,
                                                                const S& source) {
  using T = value_type_t<X>;
  using D = device_t<X>;
  const Variable<T, D> in = autograd::as_variable(x);
  const Variable<T, D> from = autograd::as_variable(source);
  const Tensor index = eval(indices);
  return autograd::record(
      scatter_add(in.value(), axis, index, from.value()), autograd::nodes_of(in, from),
      [=, x_edge = in.edge(), edge = from.edge(), shape = in.shape()](autograd::Pass& pass, const Tensor<T, D>& g) {
        if (x_edge) pass.add(x_edge, g);
        if (!edge) return;
        const int a = normalize_axis(axis, shape.rank(), "scatter_add");
        const auto places = broadcast_to(index, autograd::scattered_shape(shape, a, index.shape()));
        pass.add(edge, autograd::sum_to(gather(g, a, places), edge.shape));
      });
}

template <Recorded X>
[[nodiscard]] Variable<value_type_t<X>, device_t<X>> sort(const X& x, int axis = -1, bool descending = false) {
  const auto in = autograd::as_variable(x);
  return autograd::recorded_gather(in, axis, argsort(in.value(), axis, descending));
}

/// Positions have no gradient: they are those in the values.
template <Recorded X>
[[nodiscard]] Tensor<std::int64_t, device_t<X>> argsort(const X& x, int axis = -1, bool descending = false) {
  return argsort(no_grad(x), axis, descending);
}

/// What `topk` of a variable gives.
template <Element T, Device D>
struct VariableTopK {
  Variable<T, D> values;
  Tensor<std::int64_t, D> indices;
};

template <Recorded X>
[[nodiscard]] VariableTopK<value_type_t<X>, device_t<X>> topk(const X& x, std::int64_t k, int axis = -1) {
  const auto in = autograd::as_variable(x);
  const Tensor<std::int64_t, device_t<X>> indices = topk(in.value(), k, axis).indices;
  return {autograd::recorded_gather(in, axis, indices), indices};
}

}  // namespace situ
