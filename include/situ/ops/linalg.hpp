// SPDX-License-Identifier: Apache-2.0
// Products of matrices and vectors: matmul, dot, outer. Operands may have any strides: a transposed one is not copied.
#pragma once

#include <concepts>
#include <cstddef>
#include <utility>

#include <situ/core/error.hpp>
#include <situ/core/shape.hpp>
#include <situ/device/diagnostics.hpp>
#include <situ/expression/apply.hpp>
#include <situ/expression/concept.hpp>
#include <situ/expression/evaluate.hpp>
#include <situ/formula/functional/arithmetic.hpp>
#include <situ/formula/functional/functor.hpp>
#include <situ/formula/functional/select.hpp>
#include <situ/ops/product_plan.hpp>
#include <situ/ops/reduce.hpp>
#include <situ/ops/structure.hpp>
#include <situ/plan/kernels.hpp>
#include <situ/plan/product.hpp>
#include <situ/tensor/tensor.hpp>

namespace situ {

namespace internal {

/// Whether matrices are column-major, like a transposed view.
template <Element T, Device D>
[[nodiscard]] bool lies_transposed(const Tensor<T, D>& matrices) {
  return matrices.rank() > 1 && matrices.stride(-2) == 1 && matrices.stride(-1) != 1;
}

/// `matmul(a, b)`, column-major if asked: the gradient of a transposed operand, which is transposed back.
template <Element T, Device D>
[[nodiscard]] Tensor<T, D> product(const Tensor<T, D>& a, const Tensor<T, D>& b, bool transposed, Precision precision) {
  return transposed ? transpose(matmul(transpose(b), transpose(a), precision)) : matmul(a, b, precision);
}

/// The rows of all matrices of a batch as one matrix.
template <Element T, Device D>
[[nodiscard]] Tensor<T, D> rows_of_batch(const Tensor<T, D>& matrices) {
  return reshape(matrices, {matrices.size() / matrices.extent(-1), matrices.extent(-1)});
}

namespace operation {

template <class Operation>
struct Product : functional::OfNumbersAndComplex<Operation> {
  template <std::size_t At>
  static constexpr unsigned gradient_reads = At == 0 ? reads::operand<1> : reads::operand<0>;
};

struct Matmul : Product<Matmul> {
  Precision precision;
  bool a_lies_transposed = false;  // when recorded
  bool b_lies_transposed = false;

  template <TensorLike A, TensorLike B>
  [[nodiscard]] Tensor<product_element_t<value_type_t<A>>, device_t<A>> operator()(const A& a, const B& b) const {
    using T = value_type_t<A>;
    using D = device_t<A>;
    if constexpr (!std::same_as<T, product_element_t<T>>) {
      // Widened first: so no device needs a kernel of its own, and an operand is read for many products.
      using Widen = functional::Cast<product_element_t<T>>;
      return (*this)(evaluate(make_map(Widen{}, a)), evaluate(make_map(Widen{}, b)));
    } else if constexpr (ComplexElement<T>) {
      return multiply_complex(*this, eval(a), eval(b));  // in situ/complex.hpp
    } else {
      return of_numbers<T, D>(operand_value(a), operand_value(b));
    }
  }
  template <Element T, Device D>
  [[nodiscard]] Tensor<T, D> of_numbers(const Tensor<T, D>& left, const Tensor<T, D>& right) const {
    ProductPlan plan = plan_product(left, right, precision);
    Storage<D> storage = allocate_elements<T, D>(plan.shape.checked());
    plan.product.c = storage.data();
    if (plan.shape.count() > 0) {
      call_kernel<D, kernels::Matmul, Multiplies<backend_t<D>, T>>(
          [&](auto backend) { matrix_product<T>(backend, plan.product); }, writes<T>(storage), internal::reads(left),
          internal::reads(right));
    }
    return Tensor<T, D>(std::move(storage), Layout::row_major(plan.shape));
  }
  template <Element T, Device D>
  [[nodiscard]] Tensor<T, D> recorded(const Tensor<T, D>& a, const Tensor<T, D>& b) {
    a_lies_transposed = lies_transposed(a);
    b_lies_transposed = lies_transposed(b);
    return (*this)(a, b);
  }

  template <std::size_t At, Element T, Device D, class A, class B>
  [[nodiscard]] Tensor<T, D> gradient(Tensor<T, D> g, const A& a, const B& b) const {
    if constexpr (ComplexElement<T>) {  // conj(conj(g) b^T) = g conj(b)^T: conjugates no operand separately
      return conjugated(gradient_of<At>(conjugated(g), a, b));
    } else {
      return gradient_of<At>(std::move(g), a, b);
    }
  }
  template <std::size_t At, Element T, Device D, class A, class B>
  [[nodiscard]] Tensor<T, D> gradient_of(Tensor<T, D> g, const A& a, const B& b) const {
    if (b.rank() == 1) g = unsqueeze(g, -1);
    if (a.rank() == 1) g = unsqueeze(g, -2);
    if constexpr (At == 0) {
      const Tensor<T, D> other = b.rank() == 1 ? unsqueeze(b, 1) : b;
      return reshape(sum_to(product(g, transpose(other), a_lies_transposed, precision), matrix_shape(a, 0)), a);
    } else {
      const Tensor<T, D> other = a.rank() == 1 ? unsqueeze(a, 0) : a;
      const Shape shape = matrix_shape(b, 1);
      if (shape.rank() == 2 && other.rank() > 2 && other.rank() == g.rank() && g.size() > 0 && other.size() > 0) {
        // one matrix for a batch: one product over all rows, not the sum of one product for each
        return reshape(product(transpose(rows_of_batch(other)), rows_of_batch(g), b_lies_transposed, precision), b);
      }
      return reshape(sum_to(product(transpose(other), g, b_lies_transposed, precision), shape), b);
    }
  }

 private:
  /// The shape of an operand, a vector with an axis of extent 1 at `axis`.
  [[nodiscard]] static Shape matrix_shape(Shape shape, int axis) {
    if (shape.rank() == 1) shape.insert(axis, 1);
    return shape;
  }
};

struct Dot : Product<Dot> {
  template <TensorLike A, TensorLike B>
  [[nodiscard]] Tensor<product_element_t<value_type_t<A>>, device_t<A>> operator()(const A& a, const B& b) const {
    return matmul(a, b);
  }
  template <std::size_t At, Element T, Device D, class A, class B>
  [[nodiscard]] Tensor<T, D> gradient(const Tensor<T, D>& g, const A& a, const B& b) const {
    if constexpr (At == 0) return make_map(functional::Multiply{}, g, conjugated(b));
    else return make_map(functional::Multiply{}, g, conjugated(a));
  }
};

struct Outer : Product<Outer> {
  template <TensorLike A, TensorLike B>
  [[nodiscard]] tensor_of_t<A> operator()(const A& a, const B& b) const {
    return evaluate(make_map(functional::Multiply{}, unsqueeze(a, 1), eval(b)));
  }
  template <std::size_t At, Element T, Device D, class A, class B>
  [[nodiscard]] Tensor<T, D> gradient(const Tensor<T, D>& g, const A& a, const B& b) const {
    if constexpr (At == 0) return matmul(g, conjugated(b));
    else return matmul(transpose(g), conjugated(a));
  }
};

}  // namespace operation

}  // namespace internal

/// The matrix product, by NumPy's rules: over the last two axes, those before them broadcast; a vector on the left is a
/// row, on the right a column, and its axis is dropped from the result; two vectors give their inner product. Sums of
/// 16-bit floats are accumulated in `float`, integers wrap; `int8` gives `int32`. Throws `ShapeError` if the inner
/// extents differ, the batches do not broadcast, or an operand has rank 0. `Precision::tf32` lets a GPU round operands
/// of `float` to 11 significant bits.
///
///     Tensor y = matmul(x, transpose(weight));         // (batch, in), (out, in) -> (batch, out)
///     Tensor z = matmul(a, b, Precision::tf32);
template <class A, class B>
  requires internal::Multipliable<A, B>
[[nodiscard]] internal::product_t<A, B> matmul(const A& a, const B& b, Precision precision = Precision::full) {
  return internal::apply_to<internal::product_t<A, B>>(internal::operation::Matmul{{}, precision}, a, b);
}
template <class D>
on_device<D> matmul(const on_device<D>&, typename tensors_live_on_different_devices<D>::template fix_call_dot_to<D>,
                    Precision = Precision::full);
template <class T, class D>
placed<T, D> matmul(const placed<T, D>&, typename element_types_differ<T, D>::template fix_call_cast<T>,
                    Precision = Precision::full);
template <Element T, Device D>
  requires(!NumberElement<T> && !ComplexElement<T>)
Tensor<T, D> matmul(const placed<T, D>&,
                    typename operation_undefined_for_elements<internal::operation::Matmul, T, D>::fix_call_cast,
                    Precision = Precision::full);

/// The inner product of two vectors, of rank 0. Throws `ShapeError` for other ranks or different lengths.
///
///     float s = dot(x, y).item();
template <class A, class B>
  requires internal::Multipliable<A, B>
[[nodiscard]] internal::product_t<A, B> dot(const A& a, const B& b) {
  const Shape left = a.shape();
  const Shape right = b.shape();
  if (left.rank() != 1 || right.rank() != 1 || left[0] != right[0]) {
    throw ShapeError("dot: shapes " + left.to_string() + " and " + right.to_string() +
                     "; it takes two vectors of one length, matmul takes matrices");
  }
  return internal::apply_to<internal::product_t<A, B>>(internal::operation::Dot{}, a, b);
}
template <class D>
on_device<D> dot(const on_device<D>&, typename tensors_live_on_different_devices<D>::template fix_call_dot_to<D>);
template <class T, class D>
placed<T, D> dot(const placed<T, D>&, typename element_types_differ<T, D>::template fix_call_cast<T>);
template <Element T, Device D>
  requires(!NumberElement<T> && !ComplexElement<T>)
Tensor<T, D> dot(const placed<T, D>&,
                 typename operation_undefined_for_elements<internal::operation::Dot, T, D>::fix_call_cast);

/// The products of every element of one vector and every element of another: (m,) and (n,) -> (m, n). Throws
/// `ShapeError` for other ranks.
template <class A, class B>
  requires internal::Multipliable<A, B>
[[nodiscard]] applied_t<A, B> outer(const A& a, const B& b) {
  const Shape left = a.shape();
  const Shape right = b.shape();
  if (left.rank() != 1 || right.rank() != 1) {
    throw ShapeError("outer: shapes " + left.to_string() + " and " + right.to_string() +
                     "; it takes two vectors (flatten them first)");
  }
  return internal::apply(internal::operation::Outer{}, a, b);
}
template <class D>
on_device<D> outer(const on_device<D>&, typename tensors_live_on_different_devices<D>::template fix_call_dot_to<D>);
template <class T, class D>
placed<T, D> outer(const placed<T, D>&, typename element_types_differ<T, D>::template fix_call_cast<T>);
template <Element T, Device D>
  requires(!NumberElement<T> && !ComplexElement<T>)
Tensor<T, D> outer(const placed<T, D>&,
                   typename operation_undefined_for_elements<internal::operation::Outer, T, D>::fix_call_cast);

}  // namespace situ
