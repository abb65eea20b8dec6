// SPDX-License-Identifier: Apache-2.0
// Eigenvalues and eigenvectors of symmetric matrices. The row-major lower triangle is the column-major upper one; only
// the eigenvectors are transposed, when they are copied out.
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
void find_eigen_of_symmetric(const Backend& backend, LinAlgOperation operation, const program::Matrices<T>& a, T* w,
                             T* v) {
  detail::refuse_linear_algebra_in_capture();
  const std::int64_t n = a.rows;
  const detail::FindingsOf<T> found(backend, a.count);
  detail::check_symmetry(backend, a, found.data());
  detail::find_not_finite(backend, a, found.data());
  const detail::ScratchOf<std::int32_t> info(backend, a.count);
  const detail::ScratchOf<T> vectors(backend, a.count * n * n);
  detail::copy_by_rows(backend, a, vectors.data());
  solver::eigen<T>(backend, {n, n, vectors.data(), a.count}, v != nullptr, w, info.data());
  if (v != nullptr) {
    detail::copy_by_rows(backend, detail::by_columns<T>(vectors.data(), n, n, n, a.count, n * n), v);
  }
  detail::finish_matrices<T>(backend, {operation,
                                       LinAlgFault::not_converged,
                                       a.count,
                                       n,
                                       n,
                                       1,
                                       info.data(),
                                       found.data(),
                                       {{w, n}, {v, v == nullptr ? 0 : n * n}}});
}

}  // namespace situ::internal::cuda

#endif
