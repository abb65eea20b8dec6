// SPDX-License-Identifier: Apache-2.0
// A X = B for a triangle of A, which is read in place, row-major or column-major; B is copied into X.
#pragma once

#include <cstdint>
#include <optional>

#include <situ/cuda/api/backend.hpp>
#include <situ/cuda/kernels/matmul.hpp>
#include <situ/cuda/linalg/matrix_kernels.hpp>
#include <situ/cuda/linalg/outcome.hpp>
#include <situ/cuda/linalg/solver.hpp>
#include <situ/plan/linalg.hpp>

#if defined(SITU_CUDA)

namespace situ::internal::cuda {

template <LinAlgElement T>
void solve_triangles(const Backend& backend, LinAlgOperation operation, const program::Matrices<T>& a,
                     Triangle triangle, bool unit, const program::Matrices<T>& b, T* x) {
  detail::refuse_linear_algebra_in_capture();
  const std::int64_t n = a.rows;
  program::Matrices<T> distinct = a;
  if (a.batch == 0) distinct.count = 1;
  const std::int64_t step = a.batch == 0 ? 0 : 1;

  const detail::FindingsOf<T> found(backend, distinct.count);
  if (!unit) detail::find_zero_pivots(backend, distinct, found.data());

  // In column-major order A is A^T, and C A^-T is X in row-major order. A named object: nvcc loses the type of a braced
  // argument.
  const detail::MatrixStrides triangles{a.data, n, n, a.row, a.column, Strides()};
  std::optional<GemmOperand> lies = detail::as_it_lies(triangles);
  std::optional<detail::ScratchOf<T>> copy;
  if (!lies || a.batch < 0) {
    copy.emplace(backend, distinct.count * n * n);
    detail::copy_by_rows(backend, distinct, copy->data());
    lies = GemmOperand{copy->data(), false, n, 0};
    distinct.batch = n * n;
  }
  detail::copy_by_rows(backend, b, x);
  solver::divide<T>(backend, {.rows = b.columns,
                              .order = n,
                              .triangle = static_cast<const T*>(lies->data),
                              .triangle_ld = lies->ld,
                              .triangle_batch = step * distinct.batch,
                              .upper = (triangle == Triangle::upper) == lies->transposed,
                              .transposed = lies->transposed,
                              .unit = unit,
                              .c = x,
                              .c_batch = n * b.columns,
                              .count = b.count});
  if (unit) return;
  detail::finish_matrices<T>(
      backend, {operation, LinAlgFault::singular, b.count, n, n, step, nullptr, found.data(), {{x, n * b.columns}}});
}

}  // namespace situ::internal::cuda

#endif
