// SPDX-License-Identifier: Apache-2.0
// Triangles of matrices and matrices with a given diagonal: tril, triu, diag.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <limits>
#include <string>
#include <utility>

#include <situ/core/error.hpp>
#include <situ/expression/apply.hpp>
#include <situ/expression/concept.hpp>
#include <situ/expression/evaluate.hpp>
#include <situ/formula/functional/compare.hpp>
#include <situ/ops/creation.hpp>
#include <situ/ops/select.hpp>
#include <situ/ops/structure.hpp>
#include <situ/tensor/tensor.hpp>

namespace situ {

namespace internal {

/// `x` where `Compare(row + offset, column)`, 0 elsewhere: one pass over an expression of the positions.
template <class Compare, Element Position, class X>
[[nodiscard]] tensor_of_t<X> masked_by_position(const X& x, std::int64_t offset) {
  using T = value_type_t<X>;
  using D = device_t<X>;
  const Shape shape = x.shape();
  const Tensor<Position, D> rows = generated<Position, D>(Shape{shape[-2]}, ArithmeticSequence<Position>{offset, 1});
  const Tensor<Position, D> columns = generated<Position, D>(Shape{shape[-1]}, ArithmeticSequence<Position>{0, 1});
  return evaluate(where(make_map(Compare{}, unsqueeze(rows, 1), columns), x, T{}));
}

namespace operation {

/// The elements where `Compare(row + diagonal, column)`.
template <class Compare>
struct Triangle {
  std::int64_t diagonal;

  template <TensorLike X>
  [[nodiscard]] tensor_of_t<X> operator()(const X& x) const {
    const Shape shape = x.shape();
    if (shape.count() == 0) return eval(x);
    // beyond the corners the offset makes no difference
    const std::int64_t offset = std::clamp(diagonal, -shape[-2], shape[-1]);
    // 32 bits if they hold the positions: twice as many per register
    constexpr std::int64_t most = std::numeric_limits<std::int32_t>::max() / 2;
    if (shape[-2] <= most && shape[-1] <= most) {
      return masked_by_position<Compare, std::int32_t>(x, offset);
    }
    return masked_by_position<Compare, std::int64_t>(x, offset);
  }
  template <Element T, Device D>
  [[nodiscard]] Tensor<T, D> gradient(const Tensor<T, D>& g, const Shape&) const {
    return (*this)(g);
  }
};

struct Diag {
  std::int64_t offset;

  template <TensorLike X>
  [[nodiscard]] tensor_of_t<X> operator()(const X& x) const {
    using D = device_t<X>;
    const tensor_of_t<X> vector = eval(x);
    if (offset == std::numeric_limits<std::int64_t>::min()) {
      throw ShapeError("diag: no matrix has a diagonal " + std::to_string(offset) + " places above its main one");
    }
    const std::int64_t size = sum_of_extents(vector.size(), std::abs(offset), "diag");
    const tensor_of_t<X> result = zeros<value_type_t<X>>({size, size}, D{});
    if (vector.size() == 0) return result;
    Storage<D> storage = result.storage();
    assign(storage, situ::diagonal(result, offset).layout(), vector);
    return result;
  }
  template <Element T, Device D>
  [[nodiscard]] Tensor<T, D> gradient(const Tensor<T, D>& g, const Shape&) const {
    return situ::diagonal(g, offset);
  }
};

}  // namespace operation

}  // namespace internal

/// The lower triangle of every matrix (the last two axes): zeros above the main diagonal, or above the one `diagonal`
/// places over it. Throws `IndexError` for fewer than two axes.
///
///     Tensor causal = tril(ones<bool>({n, n}));
template <TensorLike X>
[[nodiscard]] applied_t<X> tril(const X& x, std::int64_t diagonal = 0) {
  static_cast<void>(internal::normalize_axis(-2, x.shape().rank(), "tril"));
  return internal::apply(internal::operation::Triangle<internal::functional::GreaterEqual>{diagonal}, x);
}

/// The upper triangle: zeros below the diagonal. See `tril`.
template <TensorLike X>
[[nodiscard]] applied_t<X> triu(const X& x, std::int64_t diagonal = 0) {
  static_cast<void>(internal::normalize_axis(-2, x.shape().rank(), "triu"));
  return internal::apply(internal::operation::Triangle<internal::functional::LessEqual>{diagonal}, x);
}

/// The square matrix with the elements of a vector on its main diagonal, or the one `offset` places above it (below if
/// negative), and 0 elsewhere. `diagonal(x)` reads a diagonal. Throws `ShapeError` unless `x` is a vector.
template <TensorLike X>
[[nodiscard]] applied_t<X> diag(const X& x, std::int64_t offset = 0) {
  if (x.shape().rank() != 1) {
    throw ShapeError("diag: shape " + x.shape().to_string() +
                     "; it takes a vector (diagonal(x) reads the diagonal of a matrix)");
  }
  return internal::apply(internal::operation::Diag{offset}, x);
}

}  // namespace situ
