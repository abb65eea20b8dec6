// SPDX-License-Identifier: Apache-2.0
// Products so small that choosing blocks, packing and the memory for it take longer than the arithmetic.
#pragma once

#include <cstddef>
#include <cstdint>

#include <situ/core/config.hpp>
#include <situ/cpu/gemm/blocks.hpp>
#include <situ/cpu/gemm/gemv.hpp>
#include <situ/cpu/gemm/tile.hpp>

namespace situ::internal::inline SITU_SETTINGS::cpu::detail {

/// Whether a few vectors compute C from B in place: its rows are contiguous and at least half a register wide.
template <class T>
[[nodiscard]] bool has_wide_rows(std::int64_t n, const MatrixRef<T>& b) noexcept {
  constexpr std::int64_t least = vector_bytes >= 32 ? GemmTile::width<T> / 2 : GemmTile::width<T>;
  return b.column == 1 && n >= least;
}

/// Whether `gemm_elements` is the fastest way: matrices of 4 x 4, or those with a vector of up to 8 x 8.
template <class T>
[[nodiscard]] bool is_tiny(std::int64_t m, std::int64_t n, std::int64_t k, const MatrixRef<T>& b) noexcept {
  return m <= 64 && n <= 64 && k <= 64 && m * n * k <= 96 && !has_wide_rows(n, b);
}

/// The column of C that a column of B gives, one element after the other, each the same chain of multiply-adds as in a
/// tile. `Depth` elements of B stay in registers; 0 stands for any number.
template <int Depth, class T>
void gemm_column(std::int64_t m, std::int64_t k, const MatrixRef<T>& a, const T* b, std::int64_t b_row, T* c,
                 std::int64_t c_row) {
  T kept[std::size_t{Depth > 0 ? Depth : 1}];
  for (int p = 0; p < Depth; ++p) kept[p] = b[p * b_row];
  const T* row = a.data;
  for (std::int64_t i = 0; i < m; ++i, row += a.row) {
    T sum = 0;
    if constexpr (Depth > 0) {
      for (int p = 0; p < Depth; ++p) sum = multiply_add(row[p * a.column], kept[p], sum);
    } else {
      for (std::int64_t p = 0; p < k; ++p) sum = multiply_add(row[p * a.column], b[p * b_row], sum);
    }
    c[i * c_row] = sum;
  }
}

/// C = A B, column by column.
template <class T>
void gemm_elements(std::int64_t m, std::int64_t n, std::int64_t k, const MatrixRef<T>& a, const MatrixRef<T>& b, T* c) {
  for (std::int64_t j = 0; j < n; ++j) {
    const T* const column = b.data + j * b.column;
    if (k == 4) gemm_column<4>(m, k, a, column, b.row, c + j, n);
    else if (k == 3) gemm_column<3>(m, k, a, column, b.row, c + j, n);
    else if (k == 2) gemm_column<2>(m, k, a, column, b.row, c + j, n);
    else gemm_column<0>(m, k, a, column, b.row, c + j, n);
  }
}

/// Elements of a B that is copied to the stack.
inline constexpr std::int64_t most_elements_on_the_stack = 256;

/// Whether B is small, and read in place if its rows were contiguous.
template <class T>
[[nodiscard]] bool is_small(std::int64_t m, std::int64_t n, std::int64_t k, const MatrixRef<T>& b) noexcept {
  return b.column != 1 && m <= 64 && n <= 64 && k <= 64 && n * k <= most_elements_on_the_stack;
}

/// Calls `f` with a copy of B whose rows are contiguous.
template <class T, class F>
void with_copy_of(std::int64_t n, std::int64_t k, const MatrixRef<T>& b, const F& f) {
  T copy[std::size_t{most_elements_on_the_stack}];
  for (std::int64_t j = 0; j < n; ++j) {
    for (std::int64_t p = 0; p < k; ++p) copy[p * n + j] = b.data[p * b.row + j * b.column];
  }
  f(MatrixRef<T>{copy, n, 1});
}

}  // namespace situ::internal::inline SITU_SETTINGS::cpu::detail
