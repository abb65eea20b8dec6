// SPDX-License-Identifier: Apache-2.0
// A = L L^T, in the memory of the result: read column-major, this is R^T R of the upper triangle, so nothing is
// transposed.
#pragma once

#include <cstdint>

#include <situ/cuda/api/backend.hpp>
#include <situ/cuda/linalg/matrix_kernels.hpp>
#include <situ/cuda/linalg/outcome.hpp>
#include <situ/cuda/linalg/solver.hpp>
#include <situ/plan/linalg.hpp>

#if defined(SITU_CUDA)

namespace situ::internal::cuda {

template <LinAlgElement T>
void factor_cholesky(const Backend& backend, const program::Matrices<T>& a, bool checked, T* l) {
  detail::refuse_linear_algebra_in_capture();
  const std::int64_t n = a.rows;
  const detail::ScratchOf<std::int32_t> info(backend, a.count);
  const detail::FindingsOf<T> found(backend, a.count);
  if (checked) detail::check_symmetry(backend, a, found.data());
  detail::copy_by_rows(backend, a, l);
  solver::cholesky(backend, solver::Matrices<T>{n, n, l, a.count}, info.data());
  detail::copy_triangle(backend, {a.count, n, n, l, n, 1, n * n}, Triangle::lower, false, l);
  detail::finish_matrices<T>(backend, {LinAlgOperation::cholesky,
                                       LinAlgFault::not_positive_definite,
                                       a.count,
                                       n,
                                       n,
                                       1,
                                       info.data(),
                                       found.data(),
                                       {{l, n * n}}});
}

}  // namespace situ::internal::cuda

#endif
