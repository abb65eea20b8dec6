// SPDX-License-Identifier: Apache-2.0
// Operations along rows, each of which a backend finishes while it is in the cache.
#pragma once

#include <cstdint>
#include <utility>

#include <situ/device/device.hpp>
#include <situ/expression/evaluate.hpp>
#include <situ/ops/reshape.hpp>
#include <situ/plan/axes.hpp>
#include <situ/plan/kernels.hpp>
#include <situ/plan/softmax.hpp>
#include <situ/tensor/tensor.hpp>

namespace situ {

namespace internal {

/// Reads a layout as rows along its last axis; false if its strides do not allow that.
[[nodiscard]] inline bool rows_of(const Layout& layout, program::Rows& rows) {
  const int last = layout.shape.rank() - 1;
  const std::int64_t length = layout.shape[last];
  if (length > 1 && layout.stride(last) != 1) return false;
  Shape outer = layout.shape;
  outer.erase(last);
  const program::Axes<1> axes({layout.strides}, outer);
  if (axes.rank() > 1) return false;
  rows = {axes.extent(0), length, axes.extent(0) == 1 ? length : axes.stride(0)};
  return true;
}

/// The value of a tensor or an expression, read as rows; copied if its strides do not allow that.
template <class T, class D>
struct RowOperand {
  Tensor<T, D> tensor;
  program::Rows rows{};

  template <class X>
  explicit RowOperand(const X& operand) : tensor(eval(operand)) {
    if (rows_of(tensor.layout(), rows)) return;
    tensor = contiguous(tensor);
    static_cast<void>(rows_of(tensor.layout(), rows));
  }
};

/// `kernel(backend, rows, in, out)` on the rows of `x`; the result overwrites the value of an expression. `more` are
/// the other tensors that the kernel reads.
template <class Operation, bool HasKernel, class X, class Kernel, class... More>
[[nodiscard]] auto map_rows(const X& x, Kernel kernel, const More&... more) {
  using T = value_type_t<X>;
  using D = device_t<X>;
  const RowOperand<T, D> in(x);
  const Layout layout = Layout::row_major(in.tensor.shape());
  Storage<D> storage = is_map<X> ? in.tensor.storage() : allocate_elements<T, D>(in.tensor.shape());
  call_kernel<D, Operation, HasKernel>(
      [&](auto backend) { kernel(backend, in.rows, in.tensor.element_pointer(), static_cast<T*>(storage.data())); },
      writes<T>(storage), reads(in.tensor), reads(more)...);
  return Tensor<T, D>(std::move(storage), layout);
}

/// Whether row kernels can process `axis` of a nonempty `x`.
template <class X>
[[nodiscard]] bool along_rows(const X& x, int axis) {
  return axis == x.shape().rank() - 1 && x.shape().count() > 0;
}

}  // namespace internal

}  // namespace situ
