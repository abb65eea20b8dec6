// SPDX-License-Identifier: Apache-2.0
// Singular values and vectors. The solver requires column-major matrices that are not wide. A wide or square row-major
// matrix is its transpose in column-major order, whose factors, swapped, are those of A in row-major order; for a tall
// one the factors are transposed.
#pragma once

#include <cstdint>

#include <situ/cuda/api/backend.hpp>
#include <situ/cuda/linalg/matrix_kernels.hpp>
#include <situ/cuda/linalg/outcome.hpp>
#include <situ/cuda/linalg/solver.hpp>
#include <situ/plan/linalg.hpp>

#if defined(SITU_CUDA)

namespace situ::internal::cuda {

namespace detail {

template <class T>
void decompose(const Backend& backend, const program::Matrices<T>& a, solver::Vectors vectors, T* u, T* s, T* vh,
               std::int32_t* info) {
  const std::int64_t m = a.rows, n = a.columns, count = a.count;
  const ScratchOf<T> lost(backend, count * m * n);
  if (m <= n) {
    copy_by_rows(backend, a, lost.data());
    return solver::singular_values<T>(backend, {n, m, lost.data(), count}, vectors, s, vh, u, info);
  }
  copy_by_columns(backend, a, lost.data());
  const solver::Matrices<T> tall{m, n, lost.data(), count};
  if (vectors == solver::Vectors::none)
    return solver::singular_values<T>(backend, tall, vectors, s, nullptr, nullptr, info);
  const std::int64_t columns = vectors == solver::Vectors::full ? m : n;
  const ScratchOf<T> left(backend, count * m * columns);
  const ScratchOf<T> right(backend, count * n * n);
  solver::singular_values(backend, tall, vectors, s, left.data(), right.data(), info);
  copy_by_rows(backend, by_columns<T>(left.data(), m, columns, m, count, m * columns), u);
  copy_by_rows(backend, by_columns<T>(right.data(), n, n, n, count, n * n), vh);
}

}  // namespace detail

template <LinAlgElement T>
void find_singular_values(const Backend& backend, LinAlgOperation operation, const program::Matrices<T>& a, bool full,
                          T* u, T* s, T* vh) {
  detail::refuse_linear_algebra_in_capture();
  const std::int64_t m = a.rows, n = a.columns, k = m < n ? m : n;
  const detail::ScratchOf<std::int32_t> info(backend, a.count);
  const detail::FindingsOf<T> found(backend, a.count);
  detail::find_not_finite(backend, a, found.data());
  const solver::Vectors vectors = u == nullptr ? solver::Vectors::none
                                  : full       ? solver::Vectors::full
                                               : solver::Vectors::thin;
  detail::decompose(backend, a, vectors, u, s, vh, info.data());
  detail::finish_matrices<T>(
      backend, {operation,
                LinAlgFault::not_converged,
                a.count,
                m,
                n,
                1,
                info.data(),
                found.data(),
                {{s, k}, {u, u == nullptr ? 0 : m * (full ? m : k)}, {vh, u == nullptr ? 0 : n * (full ? n : k)}}});
}

}  // namespace situ::internal::cuda

#endif
