// SPDX-License-Identifier: Apache-2.0
// What the gradients of eigenvectors and of singular vectors share: reciprocals of the distances of eigenvalues.
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

/// What the values of a matrix are not known to: n epsilon times the largest magnitude.
template <Element T, Device D>
[[nodiscard]] Tensor<T, D> rounding_of_values(const Tensor<T, D>& values) {
  const T epsilons = static_cast<T>(values.extent(-1)) * std::numeric_limits<T>::epsilon();
  return epsilons * max(abs(values), -1, keepdims);
}

/// `1 / (x_j - x_i)` at (i, j); 0 on the diagonal and for equal values, of which no gradient tells one vector from
/// another.
template <Element T, Device D>
[[nodiscard]] Tensor<T, D> reciprocal_gaps(const Tensor<T, D>& x) {
  const Tensor<T, D> gaps = unsqueeze(x, -2) - unsqueeze(x, -1);
  return where(abs(gaps) > unsqueeze(rounding_of_values(x), -1), T(1) / gaps, T(0));
}

/// `1 / (x_j^2 - x_i^2)` for values that are not negative, likewise.
template <Element T, Device D>
[[nodiscard]] Tensor<T, D> reciprocal_gaps_of_squares(const Tensor<T, D>& x) {
  const Tensor<T, D> gaps = unsqueeze(x, -2) - unsqueeze(x, -1);
  const Tensor<T, D> sums = unsqueeze(x, -2) + unsqueeze(x, -1);
  return where(abs(gaps) > unsqueeze(rounding_of_values(x), -1), T(1) / (gaps * sums), T(0));
}

/// `1 / x`, 0 for what is not known to differ from 0.
template <Element T, Device D>
[[nodiscard]] Tensor<T, D> reciprocals_of_values(const Tensor<T, D>& x) {
  return where(abs(x) > rounding_of_values(x), T(1) / x, T(0));
}

}  // namespace situ::internal
