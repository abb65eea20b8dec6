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

/// The matrices of a tensor, broadcast to `batch`; copied only if the result has no single stride. Refers to the
/// tensor.
template <Element T, Device D>
class MatricesOperand {
  std::optional<Tensor<T, D>> copy_;

 public:
  const Tensor<T, D>& tensor;  // whose elements these are
  program::Matrices<T> matrices;

  explicit MatricesOperand(const Tensor<T, D>& x) : MatricesOperand(x, batch_shape(x.shape())) {}
  MatricesOperand(const Tensor<T, D>& x, const Shape& batch)
      : copy_(batch.rank() > 1 ? copied(x, batch) : std::nullopt), tensor(copy_ ? *copy_ : x) {
    matrices.count = batch.count();
    const Layout& layout = tensor.layout();
    const int last = layout.shape.rank() - 1;
    matrices.rows = layout.shape[last - 1];
    matrices.columns = layout.shape[last];
    matrices.data = tensor.element_pointer();
    matrices.row = layout.stride(last - 1);
    matrices.column = layout.stride(last);
    if (copy_) matrices.batch = matrices.rows * matrices.columns;
    else matrices.batch = matrices.count == 1 ? 0 : axes_of(x, batch).stride(0);
  }
  // It would refer to a temporary.
  explicit MatricesOperand(Tensor<T, D>&&) = delete;
  MatricesOperand(Tensor<T, D>&&, const Shape&) = delete;
  MatricesOperand(const MatricesOperand&) = delete;
  MatricesOperand& operator=(const MatricesOperand&) = delete;

 private:
  [[nodiscard]] static program::Axes<1> axes_of(const Tensor<T, D>& x, const Shape& batch) {
    return {{broadcast_strides(batch_shape(x.shape()), x.layout().strides, batch)}, batch};
  }
  [[nodiscard]] static std::optional<Tensor<T, D>> copied(const Tensor<T, D>& x, const Shape& batch) {
    if (axes_of(x, batch).rank() < 2) return std::nullopt;
    Layout layout{shape_of_batch(batch, {x.extent(-2), x.extent(-1)}),
                  broadcast_strides(batch_shape(x.shape()), x.layout().strides, batch), x.layout().offset};
    layout.set_stride(batch.rank(), x.stride(-2));
    layout.set_stride(batch.rank() + 1, x.stride(-1));
    return evaluate(Tensor<T, D>(x.storage(), layout));
  }
};

/// Calls `f(a, b)` for matrices `b`, or for a vector as one right-hand side for each matrix of `a`.
template <class A, class B, class F>
[[nodiscard]] applied_t<A, B> with_columns(const A& a, const B& b, const F& f) {
  if (b.shape().rank() != 1) return f(a, b);
  if constexpr (!Recorded<A> && !Recorded<B>) {
    using Vector = tensor_of_t<B>;
    const Vector& vector = operand_value(b);
    const Vector x = f(a, Vector(vector.storage(),
                                 {Shape{vector.extent(0), 1}, Strides{vector.stride(0), 0}, vector.layout().offset}));
    return Vector(x.storage(), without_axis(x.layout(), x.rank() - 1));
  }
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

/// The X of `layout` that `kernel(backend, a, b, x)` writes for a batch of matrices. The error of `call_kernel` names
/// `Operation`.
template <class Operation, bool HasKernel, Element T, Device D, class Kernel>
[[nodiscard]] Tensor<T, D> solutions_of_batch(const Tensor<T, D>& a, const Tensor<T, D>& b, const Shape& batch,
                                              const Layout& layout, const Kernel& kernel) {
  Storage<D> storage = allocate_elements<T, D>(layout.shape.checked());
  if (layout.shape.count() > 0) {
    const MatricesOperand<T, D> left(a, batch);
    const MatricesOperand<T, D> right(b, batch);
    call_kernel<D, Operation, HasKernel>(
        [&](auto backend) { kernel(backend, left.matrices, right.matrices, static_cast<T*>(storage.data())); },
        writes<T>(storage), reads(left.tensor), reads(right.tensor));
  }
  return Tensor<T, D>(std::move(storage), layout);
}

/// The X that `kernel(backend, a, b, x)` writes for the whole batch, with as many rows as `a` has columns.
template <class Operation, bool HasKernel, Element T, Device D, class Kernel>
[[nodiscard]] Tensor<T, D> solutions(const Tensor<T, D>& a, const Tensor<T, D>& b, const char* name,
                                     const Kernel& kernel) {
  if (a.rank() == 2 && b.rank() > 2) {  // puts the right-hand sides side by side, so that the matrix is factored once
    const operation::Transpose rows_first{{}, 0, b.rank() - 2};
    const Shape beside{b.extent(-2), product_of_extents(batch_shape(b.shape()).count(), b.extent(-1), name)};
    const Tensor<T, D> moved = operation::Contiguous{}(rows_first(b));
    Shape shape = moved.shape();
    shape.set(0, a.extent(-1));
    return solutions_of_batch<Operation, HasKernel>(
        a, Tensor<T, D>(moved.storage(), {beside, row_major_strides(beside), moved.layout().offset}), {},
        rows_first.layout(Layout::row_major(shape)), kernel);
  }
  const Shape batch = batch_of_both(a, b, name);
  return solutions_of_batch<Operation, HasKernel>(
      a, b, batch, Layout::row_major(shape_of_batch(batch, {a.shape()[-1], b.shape()[-1]})), kernel);
}

/// A tensor among the results of an operation: itself, or a variable that records nothing.
template <class Result, Element T, Device D>
[[nodiscard]] Result as_constant(Tensor<T, D> tensor) {
  if constexpr (TensorType<Result>) return tensor;
  else return Result(std::move(tensor), {});
}

}  // namespace situ::internal
