// SPDX-License-Identifier: Apache-2.0
// Sorting along an axis: sort, argsort, topk. All are stable: equal elements (0 and -0 are equal) keep their order. NaN
// comes last, both ascending and descending.
#pragma once

#include <cstdint>
#include <string>
#include <utility>

#include <situ/core/dtype.hpp>
#include <situ/core/error.hpp>
#include <situ/device/cpu.hpp>
#include <situ/expression/apply.hpp>
#include <situ/expression/evaluate.hpp>
#include <situ/expression/no_grad.hpp>
#include <situ/ops/axes_of.hpp>
#include <situ/ops/diagnostics.hpp>
#include <situ/ops/every_kernel.hpp>
#include <situ/ops/gather.hpp>
#include <situ/ops/structure.hpp>
#include <situ/plan/kernels.hpp>
#include <situ/plan/program.hpp>
#include <situ/tensor/tensor.hpp>

namespace situ {

namespace internal::operation {
/// `sort argsort topk` of what has an order.
struct Ordering {
  static constexpr bool keeps_layout = true;
  template <Element T>
  static constexpr bool accepts = !ComplexElement<T>;
};
}  // namespace internal::operation

/// The positions along an axis that put its elements in order: `gather(x, axis, argsort(x, axis))` is `sort(x, axis)`.
template <TensorLike X>
  requires(!ComplexElement<value_type_t<X>>)
[[nodiscard]] Tensor<std::int64_t, device_t<X>> argsort(const X& x, std::int64_t axis = -1, bool descending = false) {
  using T = value_type_t<X>;
  using D = device_t<X>;
  const Tensor<T, D> tensor = detach(x);
  const int a = internal::normalize_axis(axis, tensor.rank(), "argsort");
  const Layout layout = Layout::row_major(tensor.shape());
  internal::Storage<D> storage = internal::allocate_elements<std::int64_t, D>(tensor.shape());
  if (tensor.size() > 0) {
    const internal::program::Operand from{tensor.element_pointer(), sizeof(T), tensor.layout().strides};
    internal::call_kernel<D, internal::kernels::Argsort, internal::SortsPositions<internal::backend_t<D>, T>>(
        [&](auto backend) {
          argsort<T>(backend, from, a, descending, internal::destination<std::int64_t>(storage, layout));
        },
        internal::writes(storage), internal::reads(tensor));
  }
  return Tensor<std::int64_t, D>(std::move(storage), layout);
}
template <int Axis, internal::OperandAlong<internal::operation::Ordering, Axis> X>
[[nodiscard]] auto argsort(const X& x, bool descending = false) {
  return internal::along<internal::operation::Ordering, Axis>(
      x, [=](const auto& part) { return argsort(part, Axis, descending); });
}
Tensor<float, Cpu> argsort(complex_numbers_have_no_order::fix_call_real_or_abs, int = -1, bool = false);

namespace internal::operation {

template <Device D>
struct Sort {
  int axis;
  bool descending;
  Tensor<std::int64_t, D> positions;  // if recorded: the source of each element of the result

  template <TensorLike X>
  [[nodiscard]] tensor_of_t<X> operator()(const X& x) const {
    using T = value_type_t<X>;
    const Tensor<T, D> tensor = eval(x);
    const Layout layout = Layout::row_major(tensor.shape());
    Storage<D> storage = allocate_elements<T, D>(tensor.shape());
    if (tensor.size() > 0) {
      const program::Operand from{tensor.element_pointer(), sizeof(T), tensor.layout().strides};
      call_kernel<D, kernels::Sort, Sorts<backend_t<D>, T>>(
          [&](auto backend) { sort<T>(backend, from, axis, descending, destination<T>(storage, layout)); },
          writes(storage), internal::reads(tensor));
    }
    return Tensor<T, D>(std::move(storage), layout);
  }
  template <Element T>
  [[nodiscard]] Tensor<T, D> recorded(const Tensor<T, D>& x) {
    positions = argsort(x, axis, descending);
    return gather(x, axis, positions);
  }
  template <Element T>
  [[nodiscard]] Tensor<T, D> gradient(const Tensor<T, D>& g, const Shape& x) const {
    return gathered_gradient(g, x, axis, positions);
  }
};

}  // namespace internal::operation

/// The elements in order along an axis, by default the last.
///
///     Tensor y = sort(x);
///     Tensor z = sort(x, 0, true);   // every column, descending
template <TensorLike X>
  requires(!ComplexElement<value_type_t<X>>)
[[nodiscard]] applied_t<X> sort(const X& x, std::int64_t axis = -1, bool descending = false) {
  const int a = internal::normalize_axis(axis, x.shape().rank(), "sort");
  return internal::apply(internal::operation::Sort<device_t<X>>{a, descending, {}}, x);
}
template <int Axis, internal::OperandAlong<internal::operation::Ordering, Axis> X>
[[nodiscard]] auto sort(const X& x, bool descending = false) {
  return internal::along<internal::operation::Ordering, Axis>(
      x, [=](const auto& part) { return sort(part, Axis, descending); });
}
Tensor<float, Cpu> sort(complex_numbers_have_no_order::fix_call_real_or_abs, int = -1, bool = false);

/// The result of `topk`: values in descending order (ascending for the smallest), and their positions along the axis.
template <TensorLike Values>
struct TopK {
  Values values;
  Tensor<std::int64_t, device_t<Values>> indices;
};

/// The `k` largest elements along an axis, by default the last, or the smallest unless `largest`. NaN is selected only
/// if there are fewer than `k` numbers. Throws `ValueError` unless there are `k` elements.
///
///     auto [values, indices] = topk(scores, 5);
///     Tensor nearest = topk(distances, 5, 1, false).indices;
template <TensorLike X>
  requires(!ComplexElement<value_type_t<X>>)
[[nodiscard]] TopK<applied_t<X>> topk(const X& x, std::int64_t k, std::int64_t axis = -1, bool largest = true) {
  using T = value_type_t<X>;
  using D = device_t<X>;
  if constexpr (Recorded<X>) {  // the values' gradient is that of gathering them at their positions
    const applied_t<X> in = eval(x);
    const Tensor<std::int64_t, D> indices = topk(no_grad(in), k, axis, largest).indices;
    return {gather(in, axis, indices), indices};
  } else {
    const Tensor<T, D> tensor = eval(x);
    const int a = internal::normalize_axis(axis, tensor.rank(), "topk");
    const std::int64_t count = tensor.shape()[a];
    if (k < 0 || k > count) {
      throw ValueError("topk: k is " + std::to_string(k) + ", but axis " + std::to_string(axis) + " of shape " +
                       tensor.shape().to_string() + " has " + std::to_string(count) + " positions; k must be 0 to " +
                       std::to_string(count));
    }
    Shape shape = tensor.shape();
    shape.set(a, k);
    const Layout layout = Layout::row_major(shape);
    internal::Storage<D> values = internal::allocate_elements<T, D>(shape);
    internal::Storage<D> indices = internal::allocate_elements<std::int64_t, D>(shape);
    if (shape.count() > 0) {
      const internal::program::Operand from{tensor.element_pointer(), sizeof(T), tensor.layout().strides};
      internal::call_kernel<D, internal::kernels::TopK, internal::SortsFirst<internal::backend_t<D>, T>>(
          [&](auto backend) {
            topk<T>(backend, from, count, a, largest, internal::destination<T>(values, layout),
                    internal::destination<std::int64_t>(indices, layout));
          },
          internal::writes(values), internal::writes(indices), internal::reads(tensor));
    }
    return {Tensor<T, D>(std::move(values), layout), Tensor<std::int64_t, D>(std::move(indices), layout)};
  }
}
template <int Axis, internal::OperandAlong<internal::operation::Ordering, Axis> X>
[[nodiscard]] auto topk(const X& x, std::int64_t k, bool largest = true) {
  return internal::along<internal::operation::Ordering, Axis>(
      x, [=](const auto& part) { return topk(part, k, Axis, largest); });
}
Tensor<float, Cpu> topk(complex_numbers_have_no_order::fix_call_real_or_abs, std::int64_t, int = -1, bool = true);

}  // namespace situ
