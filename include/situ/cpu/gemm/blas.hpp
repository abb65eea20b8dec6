// SPDX-License-Identifier: Apache-2.0
// Large matrix products by the BLAS that the program links: `SITU_PRODUCTS_BLAS`, which the build option
// SITU_PRODUCTS=BLAS defines. The BLAS then uses its own threads.
#pragma once

#include <algorithm>
#include <concepts>
#include <cstdint>
#include <limits>
#include <string_view>

#include <situ/cpu/gemm/blocks.hpp>

/// OpenBLAS's name of the kernels it selected; absent in another BLAS.
extern "C" [[gnu::weak]] char* openblas_get_corename();

namespace situ::internal::inline SITU_SETTINGS::cpu::detail {

// The BLAS's functions by names of our own: headers of other libraries, Eigen's among them, declare them with their own
// types. (Rejected: EIGEN_USE_BLAS, which would change what Eigen computes in a user's own files.)
void blas_gemm(const char* transpose_a, const char* transpose_b, const int* m, const int* n, const int* k,
               const float* alpha, const float* a, const int* a_stride, const float* b, const int* b_stride,
               const float* beta, float* c, const int* c_stride) __asm__("sgemm_");
void blas_gemm(const char* transpose_a, const char* transpose_b, const int* m, const int* n, const int* k,
               const double* alpha, const double* a, const int* a_stride, const double* b, const int* b_stride,
               const double* beta, double* c, const int* c_stride) __asm__("dgemm_");

/// Debian's OpenBLAS 0.3.21 does not recognize recent processors and selects kernels of 2004, five times slower than
/// ours. (`OPENBLAS_CORETYPE=SkylakeX` or `Haswell` in the environment selects others.)
inline bool has_useful_blas() {
  static const bool useful = [] {
    if (&openblas_get_corename == nullptr) return true;
    const std::string_view core = openblas_get_corename();
    return core != "Prescott" && core != "Core2" && core != "Nehalem" && core != "generic";
  }();
  return useful;
}

/// C = A B; false if the BLAS cannot compute it: no operand may have two strides, and extents are 32 bits.
template <std::floating_point T>
bool gemm_blas(std::int64_t m, std::int64_t n, std::int64_t k, MatrixRef<T> a, MatrixRef<T> b, T* c) {
  const bool a_by_rows = lies_by_rows(k, a), b_by_rows = lies_by_rows(n, b);
  if (!has_useful_blas() || !(a_by_rows || lies_by_columns(m, a)) || !(b_by_rows || lies_by_columns(k, b)))
    return false;
  const std::int64_t a_step = a_by_rows ? a.row : a.column, b_step = b_by_rows ? b.row : b.column;
  if (std::max({m, n, k, a_step, b_step}) > std::numeric_limits<int>::max()) return false;
  // The BLAS's matrices are column-major: a row-major matrix is the transpose of one. C' = B' A'.
  const int rows = static_cast<int>(n), columns = static_cast<int>(m), depth = static_cast<int>(k);
  const int a_stride = static_cast<int>(a_step), b_stride = static_cast<int>(b_step);
  const T one = 1, zero = 0;
  blas_gemm(b_by_rows ? "N" : "T", a_by_rows ? "N" : "T", &rows, &columns, &depth, &one, b.data, &b_stride, a.data,
            &a_stride, &zero, c, &rows);
  return true;
}

}  // namespace situ::internal::inline SITU_SETTINGS::cpu::detail
