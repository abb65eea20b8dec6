// SPDX-License-Identifier: Apache-2.0
// A = Q R by Householder reflections, on a column-major copy of A.
#pragma once

#include <algorithm>
#include <cstdint>
#include <optional>

#include <situ/cuda/api/backend.hpp>
#include <situ/cuda/linalg/matrix_kernels.hpp>
#include <situ/cuda/linalg/outcome.hpp>
#include <situ/cuda/linalg/solver.hpp>
#include <situ/plan/linalg.hpp>

#if defined(SITU_CUDA)

namespace situ::internal::cuda {

namespace detail {

/// R and the reflectors of Q, column-major.
template <class T>
struct QrFactors {
  std::int64_t rows, columns, steps;  // steps: the smaller of the two
  std::int64_t count;
  ScratchOf<T> factors;
  ScratchOf<T> tau;

  QrFactors(const Backend& backend, const program::Matrices<T>& a)
      : rows(a.rows),
        columns(a.columns),
        steps(std::min(rows, columns)),
        count(a.count),
        factors(backend, count * rows * columns),
        tau(backend, count * steps) {
    refuse_linear_algebra_in_capture();
    copy_by_columns(backend, a, factors.data());
    solver::qr(backend, in_place(), tau.data());
  }

  [[nodiscard]] solver::Matrices<T> in_place() const { return {rows, columns, factors.data(), count}; }
  /// The first of its rows and columns.
  [[nodiscard]] program::Matrices<T> part(std::int64_t part_rows, std::int64_t part_columns) const {
    return by_columns<T>(factors.data(), part_rows, part_columns, rows, count, rows * columns);
  }
};

}  // namespace detail

template <LinAlgElement T>
void factor_qr(const Backend& backend, const program::Matrices<T>& a, bool complete, T* q, T* r) {
  const detail::QrFactors<T> qr(backend, a);
  const std::int64_t m = a.rows, k = complete ? m : qr.steps;
  detail::copy_triangle(backend, qr.part(k, a.columns), Triangle::upper, false, r);

  solver::Matrices<T> made = qr.in_place();
  made.columns = k;
  std::optional<detail::ScratchOf<T>> wider;
  if (k > a.columns) {  // then only its first columns are reflectors
    wider.emplace(backend, a.count * m * k);
    detail::copy_matrices(backend, qr.part(m, a.columns), 1, m, wider->data(), m * k);
    made = {m, k, wider->data(), a.count};
  }
  solver::form_q<T>(backend, made, qr.steps, qr.tau.data());
  detail::copy_by_rows(backend, detail::by_columns<T>(made.data, m, k, m, a.count, made.batch), q);
}

}  // namespace situ::internal::cuda

#endif
