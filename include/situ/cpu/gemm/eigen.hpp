// SPDX-License-Identifier: Apache-2.0
// Large matrix products by Eigen: `SITU_PRODUCTS_EIGEN`, which the build option SITU_PRODUCTS=EIGEN defines. Threads
// are the library's, each with its own rows.
#pragma once

#include <algorithm>
#include <concepts>
#include <cstdint>

#include <Eigen/Core>

#include <situ/cpu/gemm/blocks.hpp>
#include <situ/threads/openmp.hpp>
#include <situ/threads/thread_pool.hpp>

namespace situ::internal::inline SITU_SETTINGS::cpu::detail {

/// The rows of C that stay together: a multiple of the rows that Eigen's kernels compute at once (up to 48), so that
/// the kernel of a row, and its order of summation, do not depend on the number of threads.
inline constexpr std::int64_t eigen_rows = 192;

/// C = A B; false if an operand has two strides.
template <std::floating_point T>
bool gemm_eigen(std::int64_t m, std::int64_t n, std::int64_t k, MatrixRef<T> a, MatrixRef<T> b, T* c, bool parallel) {
  using Stride = Eigen::OuterStride<>;
  using ByRows = Eigen::Matrix<T, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor>;
  using ByColumns = Eigen::Matrix<T, Eigen::Dynamic, Eigen::Dynamic, Eigen::ColMajor>;
  const bool a_by_rows = lies_by_rows(k, a), b_by_rows = lies_by_rows(n, b);
  if (!(a_by_rows || lies_by_columns(m, a)) || !(b_by_rows || lies_by_columns(k, b))) return false;
  const auto multiply = [&](std::int64_t from, std::int64_t to) {
    const NoThreadsOfEigen ours;
    const std::int64_t first = from * eigen_rows;
    const std::int64_t rows = std::min(m, to * eigen_rows) - first;
    Eigen::Map<ByRows> result(c + first * n, rows, n);
    const auto by = [&](const auto& left) {
      if (b_by_rows) result.noalias() = left * Eigen::Map<const ByRows, 0, Stride>(b.data, k, n, Stride(b.row));
      else result.noalias() = left * Eigen::Map<const ByColumns, 0, Stride>(b.data, k, n, Stride(b.column));
    };
    const T* const data = a.data + first * a.row;
    if (a_by_rows) by(Eigen::Map<const ByRows, 0, Stride>(data, rows, k, Stride(a.row)));
    else by(Eigen::Map<const ByColumns, 0, Stride>(data, rows, k, Stride(a.column)));
  };
  const std::int64_t units = (m + eigen_rows - 1) / eigen_rows;
  if (parallel) parallel_for(0, units, 1, multiply, 1);
  else multiply(0, units);
  return true;
}

}  // namespace situ::internal::inline SITU_SETTINGS::cpu::detail
