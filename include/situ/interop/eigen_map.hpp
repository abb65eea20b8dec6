// SPDX-License-Identifier: Apache-2.0
// The types of Eigen maps over host tensors and leases, and the layouts that each can describe; `eigen.hpp` has the
// calls.
#pragma once

#include <cstddef>
#include <cstdint>
#include <iterator>
#include <string>
#include <type_traits>

#include <Eigen/Core>

#include <situ/core/error.hpp>
#include <situ/core/shape.hpp>
#include <situ/device/device.hpp>
#include <situ/tensor/layout.hpp>
#include <situ/tensor/lease.hpp>
#include <situ/tensor/tensor.hpp>

namespace situ {

/// The element types that Eigen computes with.
template <class T>
concept EigenElement = Element<T> && std::is_arithmetic_v<T>;

namespace internal {

// (Eigen has no row-major column vectors.)
template <template <class, int, int, int, int, int> class Plain, class T, int Rows, int Columns>
using EigenPlain = Plain<std::remove_const_t<T>, Rows, Columns,
                         Columns == 1 && Rows != 1 ? Eigen::ColMajor : Eigen::RowMajor, Rows, Columns>;
template <class T, class Plain, class Stride>
using EigenMapOf = Eigen::Map<std::conditional_t<std::is_const_v<T>, const Plain, Plain>, Eigen::Unaligned, Stride>;

}  // namespace internal

/// The result of `eigen` (`const float` for a tensor, `float` for a lease): Eigen treats it like its own matrix,
/// row-major and without gaps. A loop over it is a single vectorized one; it is an operand of a product without a copy,
/// and binds to an `Eigen::Ref` of a row-major matrix.
template <class T, int Rows = Eigen::Dynamic, int Columns = Eigen::Dynamic>
using EigenMap = internal::EigenMapOf<T, internal::EigenPlain<Eigen::Matrix, T, Rows, Columns>, Eigen::Stride<0, 0>>;
/// The result of `eigen_vector`: one column.
template <class T>
using EigenVectorMap = EigenMap<T, Eigen::Dynamic, 1>;
/// The result of `eigen_array`: as that of `eigen`, with element-wise operators.
template <class T>
using EigenArrayMap =
    internal::EigenMapOf<T, internal::EigenPlain<Eigen::Array, T, Eigen::Dynamic, Eigen::Dynamic>, Eigen::Stride<0, 0>>;
/// The result of `eigen_rows`: rows of adjacent elements, any distance apart. As `EigenMap`, but with one loop for each
/// row, which makes a sum half as fast.
template <class T>
using EigenRowsMap = internal::EigenMapOf<T, internal::EigenPlain<Eigen::Matrix, T, Eigen::Dynamic, Eigen::Dynamic>,
                                          Eigen::OuterStride<>>;
/// The result of `eigen_strided`: rows and columns with any strides.
template <class T>
using EigenStridedMap = internal::EigenMapOf<T, internal::EigenPlain<Eigen::Matrix, T, Eigen::Dynamic, Eigen::Dynamic>,
                                             Eigen::Stride<Eigen::Dynamic, Eigen::Dynamic>>;

namespace internal {

/// Arguments that have a map: a named host tensor, for reading, and a named lease, for writing.
template <class X>
struct EigenMapped;
template <EigenElement T, HostDevice D>
struct EigenMapped<Tensor<T, D>&> {
  using element = const T;
};
template <EigenElement T, HostDevice D>
struct EigenMapped<const Tensor<T, D>&> {
  using element = const T;
};
template <EigenElement T, HostDevice D>
struct EigenMapped<Lease<T, D>&> {
  using element = T;
};
template <EigenElement T, HostDevice D>
struct EigenMapped<const Lease<T, D>&> {
  using element = T;
};

template <Element T, Device D>
[[nodiscard]] const Layout& eigen_layout(const Tensor<T, D>& x) {
  return x.layout();
}
template <Element T, Device D>
[[nodiscard]] Layout eigen_layout(const Lease<T, D>& lease) {
  return Layout::row_major(lease.shape());
}

/// The element type of the map of an `X`.
template <class X>
using eigen_element_t = typename EigenMapped<X>::element;

/// The last two axes, or the only one, as the rows and columns of a matrix.
struct EigenAxes {
  std::int64_t rows;
  std::int64_t columns;
  std::int64_t row_stride;
  std::int64_t column_stride;

  /// A vector is one column, or one row on request.
  explicit EigenAxes(const Layout& layout, bool vector_is_row = false) {
    const bool is_matrix = layout.shape.rank() > 1;
    const int last = is_matrix ? layout.shape.rank() - 1 : 0;
    const std::int64_t extent = layout.shape[last];
    const std::int64_t stride = layout.stride(last);
    rows = is_matrix ? layout.shape[last - 1] : vector_is_row ? 1 : extent;
    columns = is_matrix || vector_is_row ? extent : 1;
    row_stride = is_matrix ? layout.stride(last - 1) : stride;
    column_stride = stride;
  }

  /// Rows of adjacent elements, one after the other. (`Eigen::Ref` would read a distance of 0 as "without gaps".)
  [[nodiscard]] bool are_rows() const noexcept {
    if (rows == 0 || columns == 0) return true;
    return (columns == 1 || column_stride == 1) && (rows == 1 || row_stride >= columns);
  }
  [[nodiscard]] bool are_without_gaps() const noexcept {
    return are_rows() && (rows <= 1 || columns == 0 || row_stride == columns);
  }
};

/// Throws `ShapeError` unless the tensor is a matrix or a vector.
inline void require_matrix(const Layout& layout, const char* operation) {
  const int rank = layout.shape.rank();
  if (rank == 1 || rank == 2) return;
  throw ShapeError(std::string(operation) + ": the tensor has shape " + layout.shape.to_string() +
                   "; a matrix has rank 2 and a vector rank 1; reshape it first" +
                   (rank > 2 ? ", or call eigen_batch(x), a map for each matrix" : ""));
}

[[noreturn]] inline void fail_eigen_layout(const Layout& layout, const char* operation, const char* reason) {
  std::string strides;
  for (int axis = 0; axis < layout.shape.rank(); ++axis) {
    strides += (axis == 0 ? "" : ", ") + std::to_string(layout.stride(axis));
  }
  throw ShapeError(std::string(operation) + ": the tensor of shape " + layout.shape.to_string() + " has strides (" +
                   strides + (layout.shape.rank() == 1 ? ",), " : "), ") + reason);
}
/// Throws `ShapeError` unless the elements of a matrix or vector are adjacent in row-major order.
inline void require_no_gaps(const Layout& layout, const EigenAxes& axes, const char* operation) {
  if (axes.are_without_gaps()) return;
  fail_eigen_layout(layout, operation,
                    axes.are_rows()
                        ? "gaps between rows; call eigen_rows(x), or contiguous(x) before"
                        : "and its elements are not adjacent; call eigen_strided(x), a map of any layout, or "
                          "contiguous(x) before");
}

/// A `Map` without strides over the matrix or vector of that layout.
template <class Map, class T>
[[nodiscard]] Map eigen_map(T* data, const Layout& layout, const char* operation) {
  require_matrix(layout, operation);
  constexpr int rows = Map::RowsAtCompileTime;
  constexpr int columns = Map::ColsAtCompileTime;
  const EigenAxes axes(layout, rows == 1);
  if ((rows != Eigen::Dynamic && rows != axes.rows) || (columns != Eigen::Dynamic && columns != axes.columns)) {
    const auto text = [](int extent) { return extent == Eigen::Dynamic ? std::string("any") : std::to_string(extent); };
    throw ShapeError(std::string(operation) + ": the tensor has shape " + layout.shape.to_string() + ", the map " +
                     text(rows) + " x " + text(columns) + "; reshape it first, or call eigen(x), a map of any size");
  }
  require_no_gaps(layout, axes, operation);
  return Map(data, axes.rows, axes.columns);
}

}  // namespace internal

/// The matrices of a tensor or lease of rank 2 or more as a range of maps, the result of `eigen_batch`.
template <class T>
class EigenBatch {
 public:
  EigenBatch(T* data, const Layout& layout)
      : data_(data), layout_(layout), axes_(layout), size_(layout.shape.count(0, layout.shape.rank() - 2)) {}

  [[nodiscard]] std::int64_t size() const noexcept { return size_; }

  /// The map of matrix `index`, in row-major order of the leading axes.
  [[nodiscard]] EigenMap<T> operator[](std::int64_t index) const {
    T* data = data_;
    for (int axis = layout_.shape.rank() - 3; axis >= 0; --axis) {
      data += index % layout_.shape[axis] * layout_.stride(axis);
      index /= layout_.shape[axis];
    }
    return EigenMap<T>(data, axes_.rows, axes_.columns);
  }

  class Iterator {
   public:
    using value_type = EigenMap<T>;
    using difference_type = std::ptrdiff_t;
    using reference = EigenMap<T>;
    using pointer = void;
    using iterator_category = std::input_iterator_tag;  // C++17's others must return references
    using iterator_concept = std::forward_iterator_tag;

    Iterator() = default;
    Iterator(const EigenBatch* batch, std::int64_t index) noexcept : batch_(batch), index_(index) {}

    [[nodiscard]] EigenMap<T> operator*() const { return (*batch_)[index_]; }
    Iterator& operator++() noexcept {
      ++index_;
      return *this;
    }
    Iterator operator++(int) noexcept {
      Iterator before = *this;
      ++index_;
      return before;
    }
    friend bool operator==(const Iterator& a, const Iterator& b) noexcept { return a.index_ == b.index_; }

   private:
    const EigenBatch* batch_ = nullptr;
    std::int64_t index_ = 0;
  };

  [[nodiscard]] Iterator begin() const noexcept { return {this, 0}; }
  [[nodiscard]] Iterator end() const noexcept { return {this, size_}; }

 private:
  T* data_;
  Layout layout_;
  internal::EigenAxes axes_;
  std::int64_t size_ = 1;
};

}  // namespace situ
