// SPDX-License-Identifier: Apache-2.0
// L U with partial pivoting of matrices of any shape.
#pragma once

#include <cstdint>

#include <situ/cuda/api/backend.hpp>
#include <situ/cuda/linalg/factors.hpp>
#include <situ/cuda/linalg/matrix_kernels.hpp>
#include <situ/plan/linalg.hpp>

#if defined(SITU_CUDA)

namespace situ::internal::cuda {

template <LinAlgElement T>
void factor_lu(const Backend& backend, const program::Matrices<T>& a, std::int64_t* permutation, T* l, T* u) {
  const detail::LuFactors<T> lu(backend, a);
  lu.find_permutations(backend, a.count, permutation);
  program::Matrices<T> factors =
      detail::by_columns<T>(lu.factors.data(), a.rows, lu.steps, a.rows, a.count, lu.step * a.rows * a.columns);
  detail::copy_triangle(backend, factors, Triangle::lower, true, l);
  factors.rows = lu.steps;
  factors.columns = a.columns;
  detail::copy_triangle(backend, factors, Triangle::upper, false, u);
}

}  // namespace situ::internal::cuda

#endif
