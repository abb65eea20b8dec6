// SPDX-License-Identifier: Apache-2.0
// Large matrix products by the BLAS that the program links, through Eigen. Used when `EIGEN_USE_BLAS` is defined
// (option SITU_BLAS of the build); threads are then the BLAS's own.
#pragma once

#include <concepts>
#include <cstdint>
#include <string_view>

#include <Eigen/Core>

#include <situ/cpu/gemm/blocks.hpp>

/// OpenBLAS's name of the kernels it chose; absent in another BLAS.
extern "C" [[gnu::weak]] char* openblas_get_corename();

namespace situ::internal::cpu::detail {

/// Debian's OpenBLAS 0.3.21 does not know recent processors and takes kernels of 2004 for them, five times slower than
/// ours. (`OPENBLAS_CORETYPE=SkylakeX` or `Haswell` in the environment makes it take others.)
inline bool has_useful_blas() {
  static const bool useful = [] {
    if (&openblas_get_corename == nullptr) return true;
    const std::string_view core = openblas_get_corename();
    return core != "Prescott" && core != "Core2" && core != "Nehalem" && core != "generic";
  }();
  return useful;
}

/// C = A B; false if the BLAS is of no use for it: no operand may have two strides, and the sum must be worth a call.
template <std::floating_point T>
bool gemm_blas(std::int64_t m, std::int64_t n, std::int64_t k, MatrixRef<T> a, MatrixRef<T> b, T* c) {
  using Stride = Eigen::OuterStride<>;
  using RowMajor = Eigen::Matrix<T, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor>;
  using ColumnMajor = Eigen::Matrix<T, Eigen::Dynamic, Eigen::Dynamic, Eigen::ColMajor>;
  const auto is_row_major = [](MatrixRef<T> x, std::int64_t columns) { return x.column == 1 && x.row >= columns; };
  const auto is_column_major = [](MatrixRef<T> x, std::int64_t rows) { return x.row == 1 && x.column >= rows; };
  if (!has_useful_blas()) return false;
  Eigen::Map<RowMajor> result(c, m, n);
  const auto with_a = [&](const auto& left) {
    if (is_row_major(b, n)) {
      result.noalias() = left * Eigen::Map<const RowMajor, 0, Stride>(b.data, k, n, Stride(b.row));
    } else {
      result.noalias() = left * Eigen::Map<const ColumnMajor, 0, Stride>(b.data, k, n, Stride(b.column));
    }
  };
  if (!is_row_major(b, n) && !is_column_major(b, k)) return false;
  if (is_row_major(a, k)) with_a(Eigen::Map<const RowMajor, 0, Stride>(a.data, m, k, Stride(a.row)));
  else if (is_column_major(a, m)) with_a(Eigen::Map<const ColumnMajor, 0, Stride>(a.data, m, k, Stride(a.column)));
  else return false;
  return true;
}

}  // namespace situ::internal::cpu::detail
