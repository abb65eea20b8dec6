// SPDX-License-Identifier: Apache-2.0
// Tensors as batches of matrices: the last two axes are the matrix, those before them broadcast.
#pragma once

#include <algorithm>
#include <cstdint>
#include <initializer_list>
#include <limits>
#include <optional>
#include <string>
#include <utility>

#include <situ/core/broadcast.hpp>
#include <situ/core/error.hpp>
#include <situ/core/shape.hpp>
#include <situ/expression/apply.hpp>
#include <situ/expression/concept.hpp>
#include <situ/expression/evaluate.hpp>
#include <situ/formula/functional/functor.hpp>
#include <situ/ops/linalg.hpp>
#include <situ/ops/reshape.hpp>
#include <situ/ops/structure.hpp>
#include <situ/ops/view.hpp>
#include <situ/plan/axes.hpp>
#include <situ/plan/linalg.hpp>
#include <situ/tensor/layout.hpp>
#include <situ/tensor/tensor.hpp>

namespace situ::internal {

/// Base of operations for `float` and `double`.
template <class Operation>
struct OfMatrices : functional::OfAny<Operation> {
  template <Element T>
  static constexpr bool accepts = LinAlgElement<T>;
};

/// Operands of linear algebra: one, or two of the same device and type.
template <class A>
concept LinAlgTensor = TensorLike<A> && LinAlgElement<value_type_t<A>>;
template <class A, class B>
concept LinAlgTensors = LinAlgTensor<A> && TensorLike<B> && agrees<B, value_type_t<A>, device_t<A>>;

/// Throws `ShapeError` unless the operand is a matrix, square if `square` is set.
inline void check_matrices(const Shape& shape, const char* name, bool square = false) {
  if (shape.rank() < 2) {
    throw ShapeError(std::string(name) + ": shape " + shape.to_string() +
                     " has fewer than two axes; it takes matrices of rank 2, "
                     "or batches of them");
  }
  if (square && shape[-1] != shape[-2]) {
    throw ShapeError(std::string(name) + ": the matrices of shape " + shape.to_string() + " are not square");
  }
}

/// The shape of a batch of matrices or vectors.
[[nodiscard]] inline Shape shape_of_batch(Shape batch, std::initializer_list<std::int64_t> extents) {
  for (const std::int64_t extent : extents) batch.push_back(extent);
  return batch;
}

/// The matrices of a tensor, broadcast to `batch`; copied only if the result has no single stride.
template <Element T, Device D>
struct MatricesOperand {
  Tensor<T, D> tensor;
  program::Matrices<T> matrices;

  explicit MatricesOperand(const Tensor<T, D>& x) : MatricesOperand(x, batch_shape(x.shape())) {}
  MatricesOperand(Tensor<T, D> x, const Shape& batch) : tensor(std::move(x)) {
    const Strides strides = broadcast_strides(batch_shape(tensor.shape()), tensor.layout().strides, batch);
    const program::Axes<1> axes({strides}, batch);
    if (axes.rank() > 1) {
      Layout layout{shape_of_batch(batch, {tensor.extent(-2), tensor.extent(-1)}), strides, tensor.layout().offset};
      layout.set_stride(batch.rank(), tensor.stride(-2));
      layout.set_stride(batch.rank() + 1, tensor.stride(-1));
      tensor = evaluate(Tensor<T, D>(tensor.storage(), layout));
    }
    matrices.count = batch.count();
    matrices.rows = tensor.extent(-2);
    matrices.columns = tensor.extent(-1);
    matrices.data = tensor.element_pointer();
    matrices.row = tensor.stride(-2);
    matrices.column = tensor.stride(-1);
    matrices.batch = axes.rank() > 1 ? matrices.rows * matrices.columns : matrices.count == 1 ? 0 : axes.stride(0);
  }
};

/// Calls `f(a, b)` for matrices `b`, or for a vector as one right-hand side for each matrix of `a`.
template <class A, class B, class F>
[[nodiscard]] applied_t<A, B> with_columns(const A& a, const B& b, const F& f) {
  if (b.shape().rank() != 1) return f(a, b);
  const auto x = f(a, apply(operation::Unsqueeze{{}, {}, 1}, b));
  return apply(operation::Squeeze{{}, {}, std::uint32_t{1} << (x.shape().rank() - 1)}, x);
}

/// What counts as 0 in a matrix of this shape, relative to its largest value: by default epsilon times the larger
/// extent.
template <LinAlgElement T>
[[nodiscard]] double relative_tolerance(const Shape& shape, std::optional<double> given, const char* name) {
  if (!given) {
    return static_cast<double>(std::max(shape[-1], shape[-2])) * static_cast<double>(std::numeric_limits<T>::epsilon());
  }
  if (!(*given >= 0))
    throw ValueError(std::string(name) + " is " + std::to_string(*given) + "; it must not be negative");
  return *given;
}

/// Columns `begin` to before `end` of matrices, or with `axis` -2 rows: a view.
template <Element T, Device D>
[[nodiscard]] Tensor<T, D> part_of_matrices(const Tensor<T, D>& x, int axis, std::int64_t begin, std::int64_t end) {
  return Tensor<T, D>(x.storage(), sliced(x.layout(), x.rank() + axis, begin, end));
}

/// Throws `ShapeError` unless the right-hand sides have as many rows as the matrices, which are `square` or of any
/// shape.
inline void check_right_hand_side(const Shape& a, const Shape& b, const char* name, bool square = true) {
  check_matrices(a, name, square);
  check_matrices(b, name);
  if (a[-2] != b[-2]) {
    throw ShapeError(std::string(name) + ": shapes " + a.to_string() + " and " + b.to_string() +
                     " do not fit: the matrices have " + std::to_string(a[-2]) + " rows, the right-hand sides " +
                     std::to_string(b[-2]) +
                     "; a vector is one only if its rank is 1 (unsqueeze(b, -1) makes matrices of a batch of vectors)");
  }
}

/// The common batch of matrices and right-hand sides.
template <Element T, Device D>
[[nodiscard]] Shape batch_of_both(const Tensor<T, D>& a, const Tensor<T, D>& b, const char* name) {
  const Shape left = batch_shape(a.shape());
  const Shape right = batch_shape(b.shape());
  if (left == right) return left;
  return broadcast_shapes(left, right, (std::string(name) + " (the axes before the last two)").c_str());
}

/// The X that `kernel(backend, a, b, x)` writes for the whole batch, with as many rows as `a` has columns. The error of
/// `call_kernel` names `Operation`.
template <class Operation, bool HasKernel, Element T, Device D, class Kernel>
[[nodiscard]] Tensor<T, D> solutions(const Tensor<T, D>& a, Tensor<T, D> b, const char* name, const Kernel& kernel) {
  Shape batch;
  Layout result;
  if (a.rank() == 2 && b.rank() > 2) {  // puts the right-hand sides side by side, so that the matrix is factored once
    const operation::Transpose rows_first{{}, 0, b.rank() - 2};
    const Shape beside{b.extent(-2), product_of_extents(batch_shape(b.shape()).count(), b.extent(-1), name)};
    b = operation::Contiguous{}(rows_first(b));
    Shape shape = b.shape();
    shape.set(0, a.extent(-1));
    result = rows_first.layout(Layout::row_major(shape));
    b = Tensor<T, D>(b.storage(), {beside, row_major_strides(beside), b.layout().offset});
  } else {
    batch = batch_of_both(a, b, name);
    result = Layout::row_major(shape_of_batch(batch, {a.extent(-1), b.extent(-1)}));
  }
  Storage<D> storage = allocate_elements<T, D>(result.shape.checked());
  if (result.shape.count() > 0) {
    const MatricesOperand<T, D> left(a, batch);
    const MatricesOperand<T, D> right(std::move(b), batch);
    call_kernel<D, Operation, HasKernel>(
        [&](auto backend) { kernel(backend, left.matrices, right.matrices, static_cast<T*>(storage.data())); },
        writes<T>(storage), reads(left.tensor), reads(right.tensor));
  }
  return Tensor<T, D>(std::move(storage), result);
}

/// A tensor among the results of an operation: itself, or a variable that records nothing.
template <class Result, Element T, Device D>
[[nodiscard]] Result as_constant(Tensor<T, D> tensor) {
  if constexpr (TensorType<Result>) return tensor;
  else return Result(std::move(tensor), {});
}

}  // namespace situ::internal
