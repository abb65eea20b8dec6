// SPDX-License-Identifier: Apache-2.0
// A tensor of the host as an Eigen map, without a copy. Not in `situ.hpp`, because it includes Eigen.
#pragma once

#include <string>
#include <type_traits>

#include <Eigen/Core>

#include <situ/core/error.hpp>
#include <situ/device/cpu.hpp>
#include <situ/device/device.hpp>
#include <situ/tensor/lease.hpp>
#include <situ/tensor/tensor.hpp>

namespace situ {

/// What `eigen` gives: rows and columns with any strides, over elements `T` (`const float` or `float`).
template <class T>
using EigenMap = Eigen::Map<
    std::conditional_t<std::is_const_v<T>,
                       const Eigen::Matrix<std::remove_const_t<T>, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor>,
                       Eigen::Matrix<T, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor>>,
    Eigen::Unaligned, Eigen::Stride<Eigen::Dynamic, Eigen::Dynamic>>;

/// The element types that Eigen computes with.
template <class T>
concept EigenElement = Element<T> && std::is_arithmetic_v<T>;

namespace internal {

[[nodiscard]] inline ShapeError no_eigen_map(const Shape& shape) {
  return ShapeError("eigen: the tensor has shape " + shape.to_string() +
                    "; a matrix has rank 2 and a vector rank 1; reshape it first");
}

}  // namespace internal

/// The elements of a host tensor of rank 2, or of rank 1 as one column, with its strides; views are mapped too. Valid
/// as long as `data()`: until the tensor is next written or destroyed. Deleted on temporaries. Throws `ShapeError` for
/// another rank.
///
///     Eigen::VectorXf norms = eigen(x).rowwise().norm();
///
/// Of a GPU tensor it does not compile; the guard is in `tensor/host_access.hpp`.
template <EigenElement T, HostDevice D>
[[nodiscard]] EigenMap<const T> eigen(const Tensor<T, D>& x) {
  using Stride = Eigen::Stride<Eigen::Dynamic, Eigen::Dynamic>;
  if (x.rank() == 1) return {x.data(), x.extent(0), 1, Stride(x.stride(0), 1)};
  if (x.rank() == 2) return {x.data(), x.extent(0), x.extent(1), Stride(x.stride(0), x.stride(1))};
  throw internal::no_eigen_map(x.shape());
}
template <EigenElement T, HostDevice D>
EigenMap<const T> eigen(const Tensor<T, D>&& x) = delete;

/// The elements of a lease, to be written by Eigen; valid until the lease dies. Throws `ShapeError` for a rank other
/// than 1 and 2.
///
///     { auto w = x.write(); eigen(w).row(0).setZero(); }
template <EigenElement T, HostDevice D>
[[nodiscard]] EigenMap<T> eigen(const Lease<T, D>& lease) {
  using Stride = Eigen::Stride<Eigen::Dynamic, Eigen::Dynamic>;
  const Shape& shape = lease.shape();
  if (shape.rank() == 1) return {lease.data(), shape[0], 1, Stride(1, 1)};
  if (shape.rank() == 2) return {lease.data(), shape[0], shape[1], Stride(shape[1], 1)};
  throw internal::no_eigen_map(shape);
}

}  // namespace situ
