// SPDX-License-Identifier: Apache-2.0
// What a product of matrices computes, of operands that lie in any way, and the shape of its result.
#pragma once

#include <algorithm>
#include <concepts>
#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <type_traits>

#include <situ/core/broadcast.hpp>
#include <situ/core/error.hpp>
#include <situ/core/shape.hpp>
#include <situ/expression/apply.hpp>
#include <situ/expression/concept.hpp>
#include <situ/plan/product.hpp>
#include <situ/tensor/layout.hpp>
#include <situ/tensor/tensor.hpp>

namespace situ::internal {

/// Two operands with elements that can be multiplied and added: one device, one element type, no `bool`.
template <class A, class B>
concept Multipliable = TensorLike<A> && TensorLike<B> && agrees<B, value_type_t<A>, device_t<A>> &&
                       (NumberElement<value_type_t<A>> || ComplexElement<value_type_t<A>>);

/// The element type of a matrix product of `T`: `int32` for `int8`, which cannot hold even a single product, otherwise
/// `T`.
template <Element T>
using product_element_t =
    typename std::conditional_t<std::same_as<T, int8_t>, std::type_identity<int32_t>, std::type_identity<T>>::type;
/// The result type of `matmul`.
template <class A, class B>
using product_t = typename Applied<(Recorded<A> || Recorded<B>), product_element_t<value_type_t<A>>, device_t<A>>::type;

/// The last two axes of an operand of `matmul`. A vector is a row on the left and a column on the right.
struct MatrixAxes {
  std::int64_t rows, columns, row_stride, column_stride;
};
[[nodiscard]] inline MatrixAxes matrix_axes(const Layout& layout, bool on_the_left) noexcept {
  const Shape& shape = layout.shape;
  const int last = shape.rank() - 1;
  if (last > 0) return {shape[last - 1], shape[last], layout.stride(last - 1), layout.stride(last)};
  return on_the_left ? MatrixAxes{1, shape[0], 0, layout.stride(0)} : MatrixAxes{shape[0], 1, layout.stride(0), 0};
}

/// The axes before the last two.
[[nodiscard]] inline Shape batch_shape(const Shape& shape) {
  return Shape(std::span<const std::int64_t>(shape.begin(), static_cast<std::size_t>(std::max(shape.rank() - 2, 0))));
}

/// A product of two tensors by the rules of `matmul`, without its destination.
struct ProductPlan {
  program::MatrixProduct product;
  Shape shape;
};
template <Element T, Device D>
[[nodiscard]] ProductPlan plan_product(const Tensor<T, D>& left, const Tensor<T, D>& right, Precision precision) {
  const auto shapes = [&] { return "shapes " + left.shape().to_string() + " and " + right.shape().to_string(); };
  if (left.rank() == 0 || right.rank() == 0) {
    throw ShapeError("matmul: " + shapes() + ": an operand of rank 0 is not a matrix; write a * b for a scalar");
  }
  const MatrixAxes a = matrix_axes(left.layout(), true);
  const MatrixAxes b = matrix_axes(right.layout(), false);
  if (a.columns != b.rows) {
    throw ShapeError("matmul: " + shapes() + " do not fit: the inner extents are " + std::to_string(a.columns) +
                     " and " + std::to_string(b.rows) + "; they must be equal (transpose one operand, or reshape)");
  }
  ProductPlan plan{.product = {.m = a.rows,
                               .n = b.columns,
                               .k = a.columns,
                               .a = left.element_pointer(),
                               .a_row = a.row_stride,
                               .a_column = a.column_stride,
                               .b = right.element_pointer(),
                               .b_row = b.row_stride,
                               .b_column = b.column_stride,
                               .precision = precision},
                   .shape = {}};
  if (left.rank() > 2 || right.rank() > 2) {
    program::MatrixProduct& product = plan.product;
    const Shape left_batch = batch_shape(left.shape());
    const Shape right_batch = batch_shape(right.shape());
    product.batch = broadcast_shapes(left_batch, right_batch, "matmul (the axes before the last two)");
    product.a_batch = broadcast_strides(left_batch, left.layout().strides, product.batch);
    product.b_batch = broadcast_strides(right_batch, right.layout().strides, product.batch);
    plan.shape = product.batch;
  }
  if (left.rank() > 1) plan.shape.push_back(a.rows);
  if (right.rank() > 1) plan.shape.push_back(b.columns);
  return plan;
}

}  // namespace situ::internal
