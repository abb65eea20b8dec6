// SPDX-License-Identifier: Apache-2.0
// Eigen expressions as tensors, and as operands beside tensors on the CPU: `x + m.transpose()`, `x.at(all, 0) = v`.
#pragma once

#include <cstdint>
#include <type_traits>
#include <utility>

#include <Eigen/Core>

#include <situ/core/dtype.hpp>
#include <situ/core/shape.hpp>
#include <situ/device/cpu.hpp>
#include <situ/device/foreign.hpp>
#include <situ/expression/evaluate.hpp>
#include <situ/interop/eigen_map.hpp>
#include <situ/tensor/layout.hpp>
#include <situ/tensor/slot.hpp>
#include <situ/tensor/tensor.hpp>

namespace situ {

namespace internal {

template <class E>
const E& eigen_expression_of(const Eigen::EigenBase<E>&);
template <class X>
using eigen_expression_t = std::remove_cvref_t<decltype(eigen_expression_of(std::declval<const X&>()))>;

}  // namespace internal

/// A matrix, vector, array, map, or expression of Eigen.
template <class X>
concept EigenExpression = requires { typename internal::eigen_expression_t<X>::Scalar; };

/// "in Eigen a matrix has no device: fix: call from_eigen", which returns a tensor.
struct an_Eigen_expression_is_no_tensor {
  struct fix_call_from_eigen {};
};

/// The value of an Eigen expression as a tensor on the CPU, computed directly into its memory: of rank 1 for a vector
/// (one row or one column, known at compile time), else of rank 2. Also accepts other objects that can be assigned to
/// an Eigen matrix: triangular views, permutations, sparse matrices. Throws `OutOfMemory`.
///
///     Tensor y = from_eigen(a.transpose() * b);          // Eigen::MatrixXf a, b; Tensor<float, Cpu> y
///     Tensor z = from_eigen(m).to<Cuda<0>>() + x;        // beside a tensor on a GPU
template <EigenExpression E>
  requires EigenElement<typename internal::eigen_expression_t<E>::Scalar>
[[nodiscard]] Tensor<typename internal::eigen_expression_t<E>::Scalar, Cpu> from_eigen(const E& expression) {
  using Expression = internal::eigen_expression_t<E>;
  using T = typename Expression::Scalar;
  constexpr int rows = Expression::RowsAtCompileTime;
  constexpr int columns = Expression::ColsAtCompileTime;
  const std::int64_t row_count = expression.rows();
  const std::int64_t column_count = expression.cols();
  const Shape shape = rows == 1 || columns == 1
                          ? Shape{internal::product_of_extents(row_count, column_count, "from_eigen")}
                          : Shape{row_count, column_count};
  internal::Storage<Cpu> storage = internal::allocate_elements<T, Cpu>(shape);
  if (shape.count() != 0) {
    Eigen::Map<internal::EigenPlain<Eigen::Matrix, T, rows, columns>> result(static_cast<T*>(storage.data()), row_count,
                                                                             column_count);
    const Expression& value = expression;
    if constexpr (std::is_base_of_v<Eigen::ArrayBase<Expression>, Expression>) result.array() = value;
    else if constexpr (std::is_base_of_v<Eigen::MatrixBase<Expression>, Expression>) result.noalias() = value;
    else result = value;
  }
  return Tensor<T, Cpu>(std::move(storage), Layout::row_major(shape));
}

namespace internal {

template <EigenExpression X>
struct Foreign<X> {
  using value_type = typename eigen_expression_t<X>::Scalar;
  using device_type = Cpu;
  using fix = an_Eigen_expression_is_no_tensor::fix_call_from_eigen;

  [[nodiscard]] static auto tensor(const X& expression) { return from_eigen(expression); }
};

}  // namespace internal

/// Makes `Tensor x = m;` fail in the constructor, whose error names `from_eigen`, and not in deduction.
template <EigenExpression E>
Tensor(const E&) -> Tensor<internal::foreign_element_t<E>, Cpu>;

/// `x.at(all, 0) = v`: writes the value of an Eigen expression into a part of a tensor. Found by `Slot`.
template <EigenExpression E>
void assign(Slot<internal::foreign_element_t<E>, Cpu>& slot, const E& expression) {
  assign(slot, from_eigen(expression));
}

}  // namespace situ
