// SPDX-License-Identifier: Apache-2.0
// Tensors as batches of matrices: their last two axes, those before them broadcast.
#pragma once

#include <algorithm>
#include <cstdint>
#include <initializer_list>
#include <limits>
#include <optional>
#include <string>
#include <utility>

#include <situ/core/error.hpp>
#include <situ/core/shape.hpp>
#include <situ/expression/concept.hpp>
#include <situ/formula/functional/functor.hpp>
#include <situ/ops/linalg.hpp>
#include <situ/ops/reshape.hpp>
#include <situ/ops/structure.hpp>
#include <situ/ops/view.hpp>
#include <situ/plan/axes.hpp>
#include <situ/plan/linalg.hpp>
#include <situ/tensor/tensor.hpp>

#if defined(SITU_COMPILED)
#include <situ/cpu/linalg/compiled.hpp>
#endif

namespace situ::internal {

/// Base of operations that take `float` and `double`.
template <class Operation>
struct OfMatrices : functional::OfAny<Operation> {
  template <Element T>
  static constexpr bool accepts = LinAlgElement<T>;
};

/// Operands of linear algebra: one, and two that agree.
template <class A>
concept LinAlgTensor = TensorLike<A> && LinAlgElement<value_type_t<A>>;
template <class A, class B>
concept LinAlgTensors = LinAlgTensor<A> && TensorLike<B> && agrees<B, value_type_t<A>, device_t<A>>;

/// Throws the `ShapeError` of an operand that is no matrix, or (`square`) none with as many rows as columns.
inline void check_matrices(const Shape& shape, const char* name, bool square = false) {
  if (shape.rank() < 2) {
    throw ShapeError(std::string(name) + ": shape " + shape.to_string() +
                     " has no last two axes; it takes matrices of rank 2, "
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

/// The matrices of a tensor, each of the batch broadcast to `batch`; copied only where that has no single stride.
template <Element T, Device D>
struct MatricesOperand {
  Tensor<T, D> tensor;
  program::Matrices<T> matrices;

  explicit MatricesOperand(const Tensor<T, D>& x) : MatricesOperand(x, batch_shape(x.shape())) {}
  MatricesOperand(Tensor<T, D> x, const Shape& batch) : tensor(std::move(x)) {
    const Strides strides = broadcast_strides(batch_shape(tensor.shape()), tensor.layout().strides, batch);
    const program::Axes<1> axes({strides}, batch);
    if (axes.rank() > 1) {
      tensor = contiguous(broadcast_to(tensor, shape_of_batch(batch, {tensor.extent(-2), tensor.extent(-1)})));
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

/// `f(a, b)` for matrices `b`, or for a vector: one right-hand side for each matrix of `a`.
template <class A, class B, class F>
[[nodiscard]] applied_t<A, B> with_columns(const A& a, const B& b, const F& f) {
  if (b.shape().rank() != 1) return f(a, b);
  return squeeze(f(a, unsqueeze(b, -1)), -1);
}

/// What counts as 0 in a matrix of this shape, as a part of its largest value: epsilon times the larger extent unless
/// given.
template <LinAlgElement T>
[[nodiscard]] double relative_tolerance(const Shape& shape, std::optional<double> given, const char* name) {
  if (!given) {
    return static_cast<double>(std::max(shape[-1], shape[-2])) * static_cast<double>(std::numeric_limits<T>::epsilon());
  }
  if (!(*given >= 0))
    throw ValueError(std::string(name) + " is " + std::to_string(*given) + "; it must not be negative");
  return *given;
}

/// Columns of matrices, or (`axis` -2) rows, from `begin` to before `end`: a view.
template <Element T, Device D>
[[nodiscard]] Tensor<T, D> part_of_matrices(const Tensor<T, D>& x, int axis, std::int64_t begin, std::int64_t end) {
  return Tensor<T, D>(x.storage(), sliced(x.layout(), x.rank() + axis, begin, end));
}

/// Throws the `ShapeError` of right-hand sides whose rows are not those of the matrices, which are `square` or of any
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

/// The batch that matrices and right-hand sides have together.
template <Element T, Device D>
[[nodiscard]] Shape batch_of_both(const Tensor<T, D>& a, const Tensor<T, D>& b, const char* name) {
  const Shape left = batch_shape(a.shape());
  const Shape right = batch_shape(b.shape());
  if (left == right) return left;
  return broadcast_shapes(left, right, (std::string(name) + " (the axes before the last two)").c_str());
}

/// The X that `kernel(backend, a, b, x)` writes for all of the batch, as many rows as `a` has columns. `Operation` is
/// what the error of `call_kernel` names.
template <class Operation, bool HasKernel, Element T, Device D, class Kernel>
[[nodiscard]] Tensor<T, D> solutions(const Tensor<T, D>& a, const Tensor<T, D>& b, const char* name,
                                     const Kernel& kernel) {
  if (a.rank() == 2 && b.rank() > 2) {  // the right-hand sides beside each other, so that the matrix is factored once
    const Tensor<T, D> sides = contiguous(transpose(b, 0, -2));
    Shape shape = sides.shape();
    const Shape beside{shape[0], batch_shape(b.shape()).count() * b.extent(-1)};
    const Tensor<T, D> as_matrix(sides.storage(), {beside, row_major_strides(beside), sides.layout().offset});
    const Tensor<T, D> x = solutions<Operation, HasKernel>(a, as_matrix, name, kernel);
    shape.set(0, a.extent(-1));
    return transpose(Tensor<T, D>(x.storage(), Layout::row_major(shape)), 0, -2);
  }
  const Shape batch = batch_of_both(a, b, name);
  const Shape shape = shape_of_batch(batch, {a.extent(-1), b.extent(-1)}).checked();
  Storage<D> storage = allocate_elements<T, D>(shape);
  if (shape.count() > 0) {
    const MatricesOperand<T, D> left(a, batch);
    const MatricesOperand<T, D> right(b, batch);
    call_kernel<D, Operation, HasKernel>(
        [&](auto backend) { kernel(backend, left.matrices, right.matrices, static_cast<T*>(storage.data())); },
        writes(storage), reads(left.tensor), reads(right.tensor));
  }
  return Tensor<T, D>(std::move(storage), Layout::row_major(shape));
}

/// A tensor among the results of an operation: itself, or a variable that records nothing.
template <class Result, Element T, Device D>
[[nodiscard]] Result as_constant(Tensor<T, D> tensor) {
  if constexpr (TensorType<Result>) return tensor;
  else return Result(std::move(tensor), {});
}

}  // namespace situ::internal
