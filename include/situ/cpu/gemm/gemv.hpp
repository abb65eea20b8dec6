// SPDX-License-Identifier: Apache-2.0
// Products of a matrix and a vector: one pass over the matrix at memory speed.
#pragma once

#include <algorithm>
#include <concepts>
#include <cstddef>
#include <cstdint>
#include <type_traits>
#include <utility>

#include <situ/core/config.hpp>
#include <situ/core/lane.hpp>
#include <situ/cpu/gemm/blocks.hpp>
#include <situ/cpu/gemm/tile.hpp>
#include <situ/cpu/lanes/native.hpp>
#include <situ/cpu/scratch.hpp>
#include <situ/threads/thread_pool.hpp>

namespace situ::internal::inline SITU_SETTINGS::cpu::detail {

/// `a * b + c`; floats as `native::mul_add`. Integers wrap: 16-bit numbers would be multiplied as `int`, which
/// overflows.
template <class T>
[[SITU_INLINE]] constexpr T multiply_add(T a, T b, T c) {
  if constexpr (std::integral<T> && sizeof(T) == 2) {
    const auto product = static_cast<std::uint32_t>(a) * static_cast<std::uint32_t>(b);
    return static_cast<T>(product + static_cast<std::uint32_t>(c));
  } else if constexpr (std::floating_point<T>) {
    return lane::mul_add(a, b, c);
  } else {
    return static_cast<T>(a * b + c);
  }
}

/// `Rows` inner products of contiguous rows with `x`, four registers of partial sums each. The order of the sum depends
/// only on `k`.
template <class T, int Rows, std::size_t... At>
void dot_rows(std::index_sequence<At...>, std::int64_t k, const T* a, std::int64_t a_row, const T* x, T* y) {
  using Vector = native::gemm_vector_t<T>;
  constexpr std::int64_t width = GemmTile::width<T>;
  constexpr int chains = static_cast<int>(sizeof...(At)) / Rows;
  Vector sum[sizeof...(At)] = {((void)At, Vector{})...};
  std::int64_t p = 0;
  const auto step = [&]<std::size_t J>(std::integral_constant<std::size_t, J>) SITU_INLINE_LAMBDA {
    const std::int64_t at = p + static_cast<std::int64_t>(J % chains) * width;
    Vector of_a;
    Vector of_x;
    __builtin_memcpy(&of_a, a + static_cast<std::int64_t>(J / chains) * a_row + at, sizeof(Vector));
    __builtin_memcpy(&of_x, x + at, sizeof(Vector));
    sum[J] = native::mul_add(of_a, of_x, sum[J]);
  };
  for (; p + chains * width <= k; p += chains * width) (step(std::integral_constant<std::size_t, At>{}), ...);
  for (int row = 0; row < Rows; ++row) {
    Vector total = sum[row * chains];
    for (int chain = 1; chain < chains; ++chain) total += sum[row * chains + chain];
    T result = 0;
    if (p > 0) {
      for (int i = 0; i < width; ++i) result = static_cast<T>(result + total[i]);
    }
    for (std::int64_t i = p; i < k; ++i) result = multiply_add(a[row * a_row + i], x[i], result);
    y[row] = result;
  }
}

/// y += the sum of `Columns` columns, each times an element of `x`. Columns are contiguous, `a_column` apart.
template <class T, std::size_t... J>
void add_columns(std::index_sequence<J...>, std::int64_t m, const T* a, std::int64_t a_column, const T* x, T* y) {
  using Vector = native::gemm_vector_t<T>;
  constexpr std::int64_t width = GemmTile::width<T>;
  std::int64_t i = 0;
  for (; i + width <= m; i += width) {
    Vector sum;
    __builtin_memcpy(&sum, y + i, sizeof(Vector));
    const auto add = [&](T factor, const T* column) SITU_INLINE_LAMBDA {
      Vector values;
      __builtin_memcpy(&values, column, sizeof(Vector));
      sum = native::mul_add(native::broadcast<Vector>(factor), values, sum);
    };
    (add(x[J], a + static_cast<std::int64_t>(J) * a_column + i), ...);
    __builtin_memcpy(y + i, &sum, sizeof(Vector));
  }
  for (; i < m; ++i) {
    T sum = y[i];
    ((sum = multiply_add(x[J], a[static_cast<std::int64_t>(J) * a_column + i], sum)), ...);
    y[i] = sum;
  }
}

// Long sums of floats are computed in blocks, as in the reductions: a block in the element type, and the sum of the
// blocks in `double`. In one chain, from some thousands of steps on, the sum is so much larger than its terms that most
// of their digits are lost.

/// The type that sums of blocks accumulate in.
template <class T>
using block_total_t = std::conditional_t<std::same_as<T, float>, double, T>;
/// The steps of a block with a few registers of partial sums, and of one with a single register.
inline constexpr std::int64_t row_block_steps = 4096, column_block_steps = 256;

/// `Rows` inner products, one block of steps after the other.
template <class T, int Rows>
void dot_blocks(std::int64_t k, const T* a, std::int64_t a_row, const T* x, T* y) {
  constexpr std::make_index_sequence<std::size_t{Rows} * 4> sums{};
  if constexpr (std::floating_point<T>) {
    if (k > row_block_steps) {
      block_total_t<T> total[std::size_t{Rows}] = {};
      for (std::int64_t p = 0; p < k; p += row_block_steps) {
        T part[std::size_t{Rows}];
        dot_rows<T, Rows>(sums, std::min(row_block_steps, k - p), a + p, a_row, x + p, part);
        for (int row = 0; row < Rows; ++row) total[row] += static_cast<block_total_t<T>>(part[row]);
      }
      for (int row = 0; row < Rows; ++row) y[row] = static_cast<T>(total[row]);
      return;
    }
  }
  dot_rows<T, Rows>(sums, k, a, a_row, x, y);
}

template <class T>
void gemv_rows(std::int64_t m, std::int64_t k, const T* a, std::int64_t a_row, const T* x, T* y) {
  std::int64_t i = 0;
  for (; i + 4 <= m; i += 4) dot_blocks<T, 4>(k, a + i * a_row, a_row, x, y + i);
  for (; i < m; ++i) dot_blocks<T, 1>(k, a + i * a_row, a_row, x, y + i);
}

/// y = the sum of `k` columns, each times an element of `x`.
template <class T>
void sum_columns(std::int64_t m, std::int64_t k, const T* a, std::int64_t a_column, const T* x, T* y) {
  std::fill_n(y, m, T(0));
  std::int64_t p = 0;
  for (; p + 8 <= k; p += 8) add_columns(std::make_index_sequence<8>{}, m, a + p * a_column, a_column, x + p, y);
  for (; p < k; ++p) add_columns(std::make_index_sequence<1>{}, m, a + p * a_column, a_column, x + p, y);
}

template <class T>
void gemv_columns(std::int64_t m, std::int64_t k, const T* a, std::int64_t a_column, const T* x, T* y) {
  constexpr std::int64_t block =
      8192 / static_cast<std::int64_t>(sizeof(T));  // elements of y, which stay in the first-level cache
  for (std::int64_t first = 0; first < m; first += block) {
    const std::int64_t rows = std::min(block, m - first);
    T* const to = y + first;
    if (!std::floating_point<T> || k <= column_block_steps) {
      sum_columns(rows, k, a + first, a_column, x, to);
    } else if constexpr (std::floating_point<T>) {
      block_total_t<T> total[static_cast<std::size_t>(block)];
      std::fill_n(total, rows, block_total_t<T>(0));
      for (std::int64_t p = 0; p < k; p += column_block_steps) {
        sum_columns(rows, std::min(column_block_steps, k - p), a + p * a_column + first, a_column, x + p, to);
        for (std::int64_t i = 0; i < rows; ++i) total[i] += static_cast<block_total_t<T>>(to[i]);
      }
      for (std::int64_t i = 0; i < rows; ++i) to[i] = static_cast<T>(total[i]);
    }
  }
}

struct GatheredVector;
struct PartialDots;

/// A long inner product, in pieces of a fixed length so that the result does not depend on the threads.
template <class T>
T dot_long(std::int64_t k, const T* a, const T* x, std::int64_t grain) {
  constexpr std::int64_t piece = 16384;
  const std::int64_t pieces = (k + piece - 1) / piece;
  T* partial = scratch<PartialDots, T>(pieces);
  parallel_for(
      0, pieces, std::max<std::int64_t>(1, grain / piece),
      [&](std::int64_t from, std::int64_t to) {
        for (std::int64_t i = from; i < to; ++i) {
          dot_blocks<T, 1>(std::min(piece, k - i * piece), a + i * piece, 0, x + i * piece, partial + i);
        }
      },
      1);
  for (std::int64_t step = 1; step < pieces; step *= 2) {
    for (std::int64_t i = 0; i + step < pieces; i += 2 * step) {
      partial[i] = static_cast<T>(partial[i] + partial[i + step]);
    }
  }
  return partial[0];
}

/// y = A x. `y` is contiguous. Rows are divided among the threads; with `parallel` false, uses only this one.
template <class T>
void gemv(std::int64_t m, std::int64_t k, MatrixRef<T> a, const T* x, std::int64_t x_stride, T* y, bool parallel) {
  if (x_stride != 1) {
    T* gathered = scratch<GatheredVector, T>(k);
    for (std::int64_t p = 0; p < k; ++p) gathered[p] = x[p * x_stride];
    x = gathered;
  }
  constexpr std::int64_t grain = 131072 / static_cast<std::int64_t>(sizeof(T));  // elements of A that justify a thread
  if (m == 1 && a.column == 1 && k >= 32768) {
    y[0] = dot_long(k, a.data, x, parallel ? grain : k);
    return;
  }
  const auto rows = [&](std::int64_t from, std::int64_t to) {
    const T* first = a.data + from * a.row;
    if (a.column == 1) return gemv_rows(to - from, k, first, a.row, x, y + from);
    if (a.row == 1) return gemv_columns(to - from, k, first, a.column, x, y + from);
    for (std::int64_t i = from; i < to; ++i) {
      block_total_t<T> total = 0;
      for (std::int64_t first_step = 0; first_step < k; first_step += column_block_steps) {
        T sum = 0;
        for (std::int64_t p = first_step; p < std::min(k, first_step + column_block_steps); ++p) {
          sum = multiply_add(a.data[i * a.row + p * a.column], x[p], sum);
        }
        total = static_cast<block_total_t<T>>(total + static_cast<block_total_t<T>>(sum));
      }
      y[i] = static_cast<T>(total);
    }
  };
  const std::int64_t rows_a_thread = parallel ? std::max<std::int64_t>(1, grain / k) : m;
  // Columns are best read in long runs; rows can be split anywhere.
  parallel_for(0, m, a.row == 1 ? std::max<std::int64_t>(rows_a_thread, 64) : rows_a_thread, rows, 4);
}

}  // namespace situ::internal::inline SITU_SETTINGS::cpu::detail
