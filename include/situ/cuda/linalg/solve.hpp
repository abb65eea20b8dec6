// SPDX-License-Identifier: Apache-2.0
// A X = B and the inverse: P A = L U, then X^T := (P B)^T L^-T U^-T, which for row-major matrices is X := U^-1 L^-1 P
// B. B is copied once, into the result, while its rows are permuted.
#pragma once

#include <cstdint>

#include <situ/cuda/api/backend.hpp>
#include <situ/cuda/linalg/factors.hpp>
#include <situ/cuda/linalg/matrix_kernels.hpp>
#include <situ/cuda/linalg/outcome.hpp>
#include <situ/cuda/linalg/solver.hpp>
#include <situ/plan/linalg.hpp>

#if defined(SITU_CUDA)

namespace situ::internal::cuda {

namespace detail {

/// `b` without data is the identity.
template <class T>
void solve_by_lu(const Backend& backend, LinAlgOperation operation, const program::Matrices<T>& a,
                 const program::Matrices<T>& b, T* x) {
  const LuFactors<T> lu(backend, a);
  const std::int64_t n = a.rows;
  const ScratchOf<std::int64_t> permutation(backend, lu.count * n);
  lu.find_permutations(backend, lu.count, permutation.data());
  permute_rows(backend, permutation.data(), lu.step * n, b, x);
  solver::Division<T> division{.rows = b.columns,
                               .order = n,
                               .triangle = lu.factors.data(),
                               .triangle_ld = n,
                               .triangle_batch = lu.step * n * n,
                               .upper = false,
                               .transposed = true,
                               .unit = true,
                               .c = x,
                               .c_batch = n * b.columns,
                               .count = b.count};
  solver::divide(backend, division);
  division.upper = true;
  division.unit = false;
  solver::divide(backend, division);
  finish_matrices<T>(
      backend,
      {operation, LinAlgFault::singular, b.count, n, n, lu.step, lu.info.data(), nullptr, {{x, n * b.columns}}});
}

}  // namespace detail

template <LinAlgElement T>
void solve_matrices(const Backend& backend, LinAlgOperation operation, const program::Matrices<T>& a,
                    const program::Matrices<T>& b, T* x) {
  detail::solve_by_lu(backend, operation, a, b, x);
}

template <LinAlgElement T>
void invert_matrices(const Backend& backend, LinAlgOperation operation, const program::Matrices<T>& a, T* out) {
  detail::solve_by_lu(backend, operation, a, program::Matrices<T>{a.count, a.rows, a.columns}, out);
}

}  // namespace situ::internal::cuda

#endif
