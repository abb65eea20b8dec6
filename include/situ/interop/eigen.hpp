// SPDX-License-Identifier: Apache-2.0
// Eigen with tensors: host tensors and leases as Eigen maps, without a copy, and Eigen expressions as operands beside
// tensors on the CPU (`eigen_operand.hpp`). Not in `situ.hpp`, because it includes Eigen.
//
//     eigen(x)          a matrix; a vector is one column
//     eigen<3, 3>(x)    the same with sizes that the compiler knows; eigen<3, 1>(x) is a vector
//     eigen_vector(x)   a vector, as Eigen::VectorXf
//     eigen_array(x)    eigen(x) with element-wise operators
//     eigen_batch(x)    one eigen(x) for each matrix of a stack
//     eigen_rows(x)     a matrix with gaps between its rows: x(all, range(0, 3))
//     eigen_strided(x)  a matrix in any layout: transposed, reversed, broadcast; Eigen reads it one element at a time
//     from_eigen(e)     the tensor of an Eigen expression
#pragma once

#include <Eigen/Core>

#include <situ/core/error.hpp>
#include <situ/interop/eigen_guards.hpp>
#include <situ/interop/eigen_map.hpp>
#include <situ/interop/eigen_operand.hpp>
#include <situ/tensor/lease.hpp>
#include <situ/tensor/tensor.hpp>

namespace situ {

/// The elements of a host tensor of rank 2, or of rank 1 as one column, as an Eigen matrix; for a lease, a writable
/// one. Valid as long as `data()`: until the tensor is next written or destroyed, or the lease ends. Does not compile
/// for a temporary tensor or one on a GPU. Throws `ShapeError` for another rank, and for a view whose elements are not
/// adjacent in row-major order; the text names the right call: `eigen_rows`, `eigen_strided`, `contiguous`.
///
///     Eigen::VectorXf norms = eigen(x).rowwise().norm();
///     { auto w = x.write(); eigen(w).row(0).setZero(); }
template <class X>
[[nodiscard]] EigenMap<internal::eigen_element_t<X>> eigen(X&& x) {
  return internal::eigen_map<EigenMap<internal::eigen_element_t<X>>>(x.data(), internal::eigen_layout(x), "eigen");
}

/// `eigen` with sizes known at compile time, one of which may be `Eigen::Dynamic`. With one row or one column it is a
/// vector, and the tensor may be of rank 1. Also throws `ShapeError` for another shape.
///
///     Eigen::Matrix3f inverse = eigen<3, 3>(rotation).inverse();
template <int Rows, int Columns, class X>
[[nodiscard]] EigenMap<internal::eigen_element_t<X>, Rows, Columns> eigen(X&& x) {
  using Map = EigenMap<internal::eigen_element_t<X>, Rows, Columns>;
  return internal::eigen_map<Map>(x.data(), internal::eigen_layout(x), "eigen<rows, columns>");
}

/// `eigen` of a vector, or of a matrix of one column, as `Eigen::VectorXf`.
template <class X>
[[nodiscard]] EigenVectorMap<internal::eigen_element_t<X>> eigen_vector(X&& x) {
  using Map = EigenVectorMap<internal::eigen_element_t<X>>;
  return internal::eigen_map<Map>(x.data(), internal::eigen_layout(x), "eigen_vector");
}

/// `eigen` as an `Eigen::Array`, whose operators are element-wise.
template <class X>
[[nodiscard]] EigenArrayMap<internal::eigen_element_t<X>> eigen_array(X&& x) {
  using Map = EigenArrayMap<internal::eigen_element_t<X>>;
  return internal::eigen_map<Map>(x.data(), internal::eigen_layout(x), "eigen_array");
}

/// `eigen` for a view with gaps between its rows, such as some of the columns of a matrix. Throws `ShapeError` if the
/// elements of a row are not adjacent, or rows overlap.
template <class X>
[[nodiscard]] EigenRowsMap<internal::eigen_element_t<X>> eigen_rows(X&& x) {
  const Layout& layout = internal::eigen_layout(x);
  internal::require_matrix(layout, "eigen_rows");
  const internal::EigenAxes axes(layout);
  if (!axes.are_rows()) {
    internal::fail_eigen_layout(layout, "eigen_rows",
                                "and this map is of rows of adjacent elements; call eigen_strided(x), "
                                "a map of any layout, or contiguous(x) before");
  }
  return {x.data(), axes.rows, axes.columns, Eigen::OuterStride<>(axes.rows > 1 ? axes.row_stride : axes.columns)};
}

/// `eigen` for any layout: transposed, reversed, broadcast, every second column. Eigen does not vectorize operations on
/// it.
template <class X>
[[nodiscard]] EigenStridedMap<internal::eigen_element_t<X>> eigen_strided(X&& x) {
  const Layout& layout = internal::eigen_layout(x);
  internal::require_matrix(layout, "eigen_strided");
  const internal::EigenAxes axes(layout);
  return {x.data(), axes.rows, axes.columns,
          Eigen::Stride<Eigen::Dynamic, Eigen::Dynamic>(axes.row_stride, axes.column_stride)};
}

/// The matrices along the last two axes of a tensor or a lease, one `eigen` for each: a range, with `size()` and `[i]`.
/// Throws `ShapeError` for a rank below 2, and if the elements of a matrix are not adjacent in row-major order.
///
///     for (auto matrix : eigen_batch(x)) traces.push_back(matrix.trace());
template <class X>
[[nodiscard]] EigenBatch<internal::eigen_element_t<X>> eigen_batch(X&& x) {
  const Layout& layout = internal::eigen_layout(x);
  if (layout.shape.rank() < 2) {
    throw ShapeError("eigen_batch: the tensor has shape " + layout.shape.to_string() +
                     "; the last two axes are those of the matrices; call eigen(x) for a vector");
  }
  if (!internal::EigenAxes(layout).are_without_gaps()) {
    internal::fail_eigen_layout(layout, "eigen_batch",
                                "and the elements of its matrices are not adjacent in row-major "
                                "order; call contiguous(x) before");
  }
  return {x.data(), layout};
}

}  // namespace situ
