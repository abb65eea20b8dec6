// SPDX-License-Identifier: Apache-2.0
// Shared by the gradients of eigenvectors and singular vectors: reciprocals of differences of eigenvalues.
#pragma once

#include <limits>

#include <situ/expression/evaluate.hpp>
#include <situ/expression/operators.hpp>
#include <situ/ops/reduce.hpp>
#include <situ/ops/reshape.hpp>
#include <situ/ops/select.hpp>
#include <situ/ops/unary.hpp>
#include <situ/tensor/tensor.hpp>

namespace situ::internal {

/// The uncertainty of the values of a matrix: n epsilon times the largest magnitude.
template <Element T, Device D>
[[nodiscard]] Tensor<T, D> rounding_of_values(const Tensor<T, D>& values) {
  const T epsilons = static_cast<T>(values.extent(-1)) * std::numeric_limits<T>::epsilon();
  return epsilons * max(abs(values), -1, keepdims);
}

/// `1 / (x_j - x_i)` at (i, j); 0 on the diagonal and for equal values, whose vectors no gradient distinguishes.
template <Element T, Device D>
[[nodiscard]] Tensor<T, D> reciprocal_gaps(const Tensor<T, D>& x) {
  const Tensor<T, D> gaps = unsqueeze(x, -2) - unsqueeze(x, -1);
  return where(abs(gaps) > unsqueeze(rounding_of_values(x), -1), T(1) / gaps, T(0));
}

/// `1 / (x_j^2 - x_i^2)` for nonnegative values, likewise.
template <Element T, Device D>
[[nodiscard]] Tensor<T, D> reciprocal_gaps_of_squares(const Tensor<T, D>& x) {
  const Tensor<T, D> gaps = unsqueeze(x, -2) - unsqueeze(x, -1);
  const Tensor<T, D> sums = unsqueeze(x, -2) + unsqueeze(x, -1);
  return where(abs(gaps) > unsqueeze(rounding_of_values(x), -1), T(1) / (gaps * sums), T(0));
}

/// `1 / x`, or 0 where x may be 0 within the uncertainty.
template <Element T, Device D>
[[nodiscard]] Tensor<T, D> reciprocals_of_values(const Tensor<T, D>& x) {
  return where(abs(x) > rounding_of_values(x), T(1) / x, T(0));
}

}  // namespace situ::internal
