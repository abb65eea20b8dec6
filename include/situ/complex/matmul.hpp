// SPDX-License-Identifier: Apache-2.0
// Products of complex matrices, computed as products of real ones on every device: the parts of a row of A side by
// side, times a matrix that contains each row of B twice, unchanged and times i.
//
//     (a + i b) (c + i d) = [a b] [ c  d]     which is as many multiplications as a product of complex numbers has, and
//                                 [-d  c]     gives the parts side by side
#pragma once

#include <situ/complex/parts.hpp>
#include <situ/core/shape.hpp>
#include <situ/expression/evaluate.hpp>
#include <situ/expression/operators.hpp>
#include <situ/ops/creation.hpp>
#include <situ/ops/join.hpp>
#include <situ/ops/linalg.hpp>
#include <situ/ops/reshape.hpp>
#include <situ/tensor/tensor.hpp>

namespace situ::internal::operation {

/// A B by the rules of `matmul`. (Found by the namespace of the operation.)
template <ComplexElement T, Device D>
[[nodiscard]] Tensor<T, D> multiply_complex(const Matmul& operation, const Tensor<T, D>& a, const Tensor<T, D>& b) {
  const ProductPlan plan = plan_product(a, b, operation.precision);  // throws shape errors first
  if (plan.shape.count() == 0 || plan.product.k == 0) return zeros<T>(plan.shape, D{});
  require_axis_for_parts(plan.shape, "matmul");
  require_axis_for_parts(b.rank() == 1 ? Shape{b.size(), 1} : b.shape(), "matmul");
  Shape left = a.shape();
  const std::int64_t parts_of_inner = product_of_extents(2, plan.product.k, "matmul");
  left.set(left.rank() - 1, parts_of_inner);
  const Tensor<T, D> rows = b.rank() == 1 ? unsqueeze(b, 1) : b;
  Shape right = rows.shape();
  right.set(right.rank() - 2, parts_of_inner);
  const Tensor<T, D> turned = make_complex(-imag(rows), real(rows));  // multiplying by i would turn infinities into NaN
  const Tensor<T, D> twice = reshape(concat(unsqueeze(rows, -2), unsqueeze(turned, -2), -2), right);
  right.set(right.rank() - 1, product_of_extents(2, right[-1], "matmul"));
  Shape parts = plan.shape;
  parts.push_back(2);
  return view_as_complex(reshape(
      operation.of_numbers(reshape(parts_of(a, "matmul"), left), reshape(parts_of(twice, "matmul"), right)), parts));
}

}  // namespace situ::internal::operation
