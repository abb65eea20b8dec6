// SPDX-License-Identifier: Apache-2.0
// Determinants from L U. A singular matrix has one too, so nothing fails.
#pragma once

#include <cstdint>

#include <situ/cuda/api/backend.hpp>
#include <situ/cuda/linalg/factors.hpp>
#include <situ/cuda/linalg/matrix_kernels.hpp>
#include <situ/plan/linalg.hpp>

#if defined(SITU_CUDA)

namespace situ::internal::cuda {

namespace detail {

template <class T>
void find_determinants_by_lu(const Backend& backend, const program::Matrices<T>& a, T* out, T* logarithm) {
  const LuFactors<T> lu(backend, a);
  lu.with_pivots([&](const auto* pivots) {
    determinants_of_factors(backend, lu.factors.data(), pivots, lu.step, a.rows, a.count, out, logarithm);
  });
}

}  // namespace detail

template <LinAlgElement T>
void find_determinants(const Backend& backend, const program::Matrices<T>& a, T* out) {
  detail::find_determinants_by_lu<T>(backend, a, out, nullptr);
}

template <LinAlgElement T>
void find_log_determinants(const Backend& backend, const program::Matrices<T>& a, T* sign, T* logarithm) {
  detail::find_determinants_by_lu<T>(backend, a, sign, logarithm);
}

}  // namespace situ::internal::cuda

#endif
