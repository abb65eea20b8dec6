// SPDX-License-Identifier: Apache-2.0
// Determinants, by LU with partial pivoting.
#pragma once

#include <cmath>
#include <cstdint>
#include <limits>

#include <situ/cpu/linalg/matrices.hpp>
#include <situ/cpu/linalg/provider.hpp>
#include <situ/cpu/linalg/side_by_side.hpp>
#include <situ/cpu/linalg/solve.hpp>
#include <situ/device/cpu.hpp>
#include <situ/plan/linalg.hpp>

namespace situ::internal::inline SITU_SETTINGS::cpu {

namespace detail {

/// `f(lu, singular, i)` for the factors of every matrix; `singular` if a pivot is 0.
template <class Lu, class T, class F>
void for_each_lu(LinAlgOperation operation, const program::Matrices<T>& a, const F& f) {
  for_each_matrix(
      operation, a, a.rows * a.rows * (a.rows / 3 + 1), [&] { return Lu(a.rows); },
      [&](Lu& lu, std::int64_t i) -> MatrixOutcome {
        lu.factor(a, i);
        f(lu, outcome_of(lu, a.rows).failed, i);
        return {};
      });
}

}  // namespace detail

/// One determinant per matrix.
template <class T, class Lu = detail::Provided<detail::TransposedLu<T>, lapack::TransposedLu<T>>>
void find_determinants(Backend, const program::Matrices<T>& a, T* out) {
  if (a.rows <= detail::most_rows_side_by_side) return detail::determinants_side_by_side(a, out);
  detail::for_each_lu<Lu>(LinAlgOperation::det, a, [&](const Lu& lu, bool singular, std::int64_t i) {
    out[i] = singular ? T(0) : lu.determinant();  // with infinite pivots, the product with 0 would be NaN
  });
}

/// Signs, and logarithms of magnitudes.
template <class T, class Lu = detail::Provided<detail::TransposedLu<T>, lapack::TransposedLu<T>>>
void find_log_determinants(Backend, const program::Matrices<T>& a, T* sign, T* logarithm) {
  detail::for_each_lu<Lu>(LinAlgOperation::slogdet, a, [&](const Lu& lu, bool singular, std::int64_t i) {
    if (singular) {
      sign[i] = T(0);
      logarithm[i] = -std::numeric_limits<T>::infinity();
      return;
    }
    T product = lu.sign();
    double sum = 0;
    for (std::int64_t k = 0; k < a.rows; ++k) {
      const T pivot = lu.pivot(k);
      product *= std::isnan(pivot) ? pivot : std::copysign(T(1), pivot);
      sum += static_cast<double>(std::log(std::abs(pivot)));
    }
    sign[i] = product;
    logarithm[i] = static_cast<T>(sum);
  });
}

}  // namespace situ::internal::inline SITU_SETTINGS::cpu
