// SPDX-License-Identifier: Apache-2.0
// Products of few rows with the transpose of a row-major matrix, such as a layer's weight of shape (out, in): inner
// products of rows, which read that matrix once, in its order, and pack nothing.
#pragma once

#include <algorithm>
#include <array>
#include <concepts>
#include <cstddef>
#include <cstdint>
#include <utility>

#include <situ/core/config.hpp>
#include <situ/core/dtype.hpp>
#include <situ/cpu/gemm/blocks.hpp>
#include <situ/cpu/gemm/gemv.hpp>
#include <situ/cpu/gemm/tile.hpp>
#include <situ/cpu/lanes/native.hpp>
#include <situ/cpu/lanes/native_convert.hpp>
#include <situ/cpu/scratch.hpp>
#include <situ/cpu/shuffle.hpp>
#include <situ/threads/thread_pool.hpp>

namespace situ::internal::inline SITU_SETTINGS::cpu::detail {

/// The rows of A and the columns of B whose inner products are computed at once, a register each: with AVX-512 24 of
/// 32 registers, with AVX2 12 of 16.
struct DotsTile {
  static constexpr int rows = instruction_set == InstructionSet::baseline ? 2 : 3;
  static constexpr int columns = instruction_set == InstructionSet::avx512 ? 8 : 4;
};

/// The sum of the groups of 16 bytes of a register.
template <class R>
[[SITU_INLINE]] inline auto sum_of_groups(R x) {
  constexpr int half = native::width_v<R> / 2;
  if constexpr (sizeof(R) == 16) return x;
  else return sum_of_groups(native::slice<0, half>(x) + native::slice<half, half>(x));
}

/// The registers of alternating units of `Unit` elements of `a` and `b`, in each 16 bytes the lower halves (0) or the
/// upper ones (1).
template <int Unit, int Upper, class R>
[[SITU_INLINE]] inline R interleaved(R a, R b) {
  constexpr int width = native::width_v<R>, group = width * 16 / static_cast<int>(sizeof(R));
  return [&]<int... At>(std::integer_sequence<int, At...>) SITU_INLINE_LAMBDA {
    return shuffle<(At / group * group + Upper * group / 2 + At % group / (2 * Unit) * Unit + At % Unit +
                    At / Unit % 2 * width)...>(a, b);
  }(std::make_integer_sequence<int, width>{});
}

/// The sums of the elements of as many registers as 16 bytes have elements, in one of 16 bytes. Each sum is computed in
/// the same order.
template <class R, std::size_t Count>
[[SITU_INLINE]] inline auto sums_of(const R (&x)[Count]) {
  if constexpr (sizeof(native::element_t<R>) == 4) {
    const R first = interleaved<1, 0>(x[0], x[1]) + interleaved<1, 1>(x[0], x[1]);
    const R second = interleaved<1, 0>(x[2], x[3]) + interleaved<1, 1>(x[2], x[3]);
    return sum_of_groups(interleaved<2, 0>(first, second) + interleaved<2, 1>(first, second));
  } else {
    return sum_of_groups(interleaved<1, 0>(x[0], x[1]) + interleaved<1, 1>(x[0], x[1]));
  }
}

/// Zeros and then ones: a register from `rest` on has ones in its last `rest` elements.
template <class T>
struct LastOnes {
  alignas(64) static constexpr std::array<bits_t<T>, std::size_t{2 * GemmTile::width<T>}> bits = [] {
    std::array<bits_t<T>, std::size_t{2 * GemmTile::width<T>}> all{};
    for (std::size_t i = all.size() / 2; i < all.size(); ++i) all[i] = static_cast<bits_t<T>>(~bits_t<T>{});
    return all;
  }();
};

/// The inner products of `Rows` rows of A with `Columns` columns of B, each contiguous and at least a register long.
/// Each is one chain of multiply-adds a register wide, which is then summed: its bits do not depend on the tile.
template <class T, int Rows, int Columns, std::size_t... RowAt, std::size_t... ColumnAt, std::size_t... SumAt>
[[SITU_INLINE]] inline void dots_tile(std::index_sequence<RowAt...>, std::index_sequence<ColumnAt...>,
                                      std::index_sequence<SumAt...>, std::int64_t k, const T* a, std::int64_t a_row,
                                      const T* b, std::int64_t b_column, T* to) {
  using Vector = native::gemm_vector_t<T>;
  using Bits = native::bits_vector_t<Vector>;
  constexpr std::int64_t width = GemmTile::width<T>;
  Vector sum[sizeof...(SumAt)] = {((void)SumAt, Vector{})...};
  const auto step = [&](std::int64_t p, const auto& keep) SITU_INLINE_LAMBDA {
    Vector of_a[sizeof...(RowAt)];
    (__builtin_memcpy(&of_a[RowAt], a + static_cast<std::int64_t>(RowAt) * a_row + p, sizeof(Vector)), ...);
    ((of_a[RowAt] = keep(of_a[RowAt])), ...);
    (native::keep_in_register(of_a[RowAt]), ...);
    const auto multiply = [&]<std::size_t At>(std::integral_constant<std::size_t, At>) SITU_INLINE_LAMBDA {
      Vector of_b;
      __builtin_memcpy(&of_b, b + static_cast<std::int64_t>(At) * b_column + p, sizeof(Vector));
      of_b = keep(of_b);
      native::keep_in_register(of_b);
      ((sum[At * Rows + RowAt] = native::mul_add(of_a[RowAt], of_b, sum[At * Rows + RowAt])), ...);
    };
    (multiply(std::integral_constant<std::size_t, ColumnAt>{}), ...);
  };
  const std::int64_t rest = k % width;
  std::int64_t p = 0;
  for (; p + width <= k; p += width) step(p, [](Vector x) SITU_INLINE_LAMBDA { return x; });
  if (rest > 0) {  // the last register again, without what has been added
    Bits mask;
    __builtin_memcpy(&mask, LastOnes<T>::bits.data() + rest, sizeof(Bits));
    step(k - width, [&](Vector x) SITU_INLINE_LAMBDA { return native::cast<Vector>(native::cast<Bits>(x) & mask); });
  }
  // Sums of `together` columns at a time; of a single column, all the same. (Indices are constants: GCC would store all
  // sums to index them.)
  constexpr std::size_t together = 16 / sizeof(T), groups = (Columns + together - 1) / together;
  const auto put = [&]<std::size_t At, std::size_t... Of>(std::integral_constant<std::size_t, At>,
                                                          std::index_sequence<Of...>) SITU_INLINE_LAMBDA {
    constexpr std::size_t row = At / groups, first = At % groups * together;
    const Vector some[together] = {sum[std::min(first + Of, std::size_t{Columns - 1}) * Rows + row]...};
    const auto total = sums_of(some);
    __builtin_memcpy(to + row * Columns + first, &total, std::min(together, Columns - first) * sizeof(T));
  };
  [&]<std::size_t... At>(std::index_sequence<At...>) SITU_INLINE_LAMBDA {
    (put(std::integral_constant<std::size_t, At>{}, std::make_index_sequence<together>{}), ...);
  }(std::make_index_sequence<Rows * groups>{});
}

template <class T, int Rows, int Columns>
[[gnu::noinline]] void dots_tile(std::int64_t k, const T* a, std::int64_t a_row, const T* b, std::int64_t b_column,
                                 T* to) {
  dots_tile<T, Rows, Columns>(std::make_index_sequence<std::size_t{Rows}>{},
                              std::make_index_sequence<std::size_t{Columns}>{},
                              std::make_index_sequence<std::size_t{Rows * Columns}>{}, k, a, a_row, b, b_column, to);
}

/// A tile of C, its sums over k cut as in `dot_blocks`.
template <class T, int Rows, int Columns>
void dots_blocks(std::int64_t k, const T* a, std::int64_t a_row, const T* b, std::int64_t b_column, T* c,
                 std::int64_t c_stride) {
  constexpr std::int64_t most = column_block_steps * GemmTile::width<T>;
  T part[std::size_t{Rows * Columns}];
  if (k <= most + GemmTile::width<T>) {
    dots_tile<T, Rows, Columns>(k, a, a_row, b, b_column, part);
    for (int i = 0; i < Rows; ++i) std::copy_n(part + i * Columns, Columns, c + i * c_stride);
    return;
  }
  block_total_t<T> total[std::size_t{Rows * Columns}] = {};
  for (std::int64_t p = 0; p < k;) {
    // The last block is at least a register long.
    const std::int64_t steps = k - p <= most + GemmTile::width<T> ? k - p : most;
    dots_tile<T, Rows, Columns>(steps, a + p, a_row, b + p, b_column, part);
    for (int at = 0; at < Rows * Columns; ++at) total[at] += static_cast<block_total_t<T>>(part[at]);
    p += steps;
  }
  for (int i = 0; i < Rows; ++i) {
    for (int j = 0; j < Columns; ++j) c[i * c_stride + j] = static_cast<T>(total[i * Columns + j]);
  }
}

/// All rows of C for `Columns` columns, in tiles of nearly the same number of rows.
template <class T, int Columns>
void dots_rows(std::int64_t m, std::int64_t k, const T* a, std::int64_t a_row, const T* b, std::int64_t b_column, T* c,
               std::int64_t c_stride) {
  const std::int64_t tiles = (m + DotsTile::rows - 1) / DotsTile::rows;
  for (std::int64_t tile = 0; tile < tiles; ++tile) {
    const std::int64_t first = m * tile / tiles, rows = m * (tile + 1) / tiles - first;
    const T* const from = a + first * a_row;
    T* const to = c + first * c_stride;
    if constexpr (DotsTile::rows > 2) {
      if (rows == 3) dots_blocks<T, 3, Columns>(k, from, a_row, b, b_column, to, c_stride);
    }
    if (rows == 2) dots_blocks<T, 2, Columns>(k, from, a_row, b, b_column, to, c_stride);
    if (rows == 1) dots_blocks<T, 1, Columns>(k, from, a_row, b, b_column, to, c_stride);
  }
}

/// Whether `gemm_dots` is faster than packing B. Adding up the elements of a register for each element of C takes as
/// long as about 5 multiply-adds of registers, and packing B as long as 16 rows: with more rows packing is faster unless
/// sums are long. From 64 rows on A no longer fits the first-level cache.
template <class T>
[[nodiscard]] bool is_dots(std::int64_t m, std::int64_t k, const MatrixRef<T>& b) noexcept {
  if constexpr (std::floating_point<T>) {
    return b.row == 1 && m <= 64 && 20 * m <= k * static_cast<std::int64_t>(sizeof(T)) && k >= 2 * GemmTile::width<T>;
  } else {
    return false;
  }
}

struct RowsOfDots;

/// C = A B, columns of B contiguous. Columns of C are divided among the threads; with `parallel` false, uses only this
/// one.
template <std::floating_point T>
void gemm_dots(std::int64_t m, std::int64_t n, std::int64_t k, MatrixRef<T> a, const MatrixRef<T>& b, T* c,
               bool parallel) {
  if (a.column != 1) {
    T* const rows = scratch<RowsOfDots, T>(m * k);
    pack_panel(m, k, a, rows, k);
    a = {rows, k, 1};
  }
  constexpr std::int64_t wide = DotsTile::columns;
  const std::int64_t groups = std::max<std::int64_t>(1, n / wide);
  const auto columns = [&](std::int64_t first) {
    dots_rows<T, wide>(m, k, a.data, a.row, b.data + first * b.column, b.column, c + first, n);
  };
  const auto multiply = [&](std::int64_t from, std::int64_t to) {
    if (n < wide) {
      for (std::int64_t j = 0; j < n; ++j) {
        dots_rows<T, 1>(m, k, a.data, a.row, b.data + j * b.column, b.column, c + j, n);
      }
      return;
    }
    for (std::int64_t group = from; group < to; ++group) columns(group * wide);
    // The last group also takes the rest: a tile that overlaps its neighbor, and stores the same values.
    if (to == groups && n % wide != 0) columns(n - wide);
  };
  const std::int64_t grain = std::max<std::int64_t>(1, 32 * 64 * 64 / (m * wide * k));
  if (parallel) parallel_for(0, groups, grain, multiply, 1);
  else multiply(0, groups);
}

}  // namespace situ::internal::inline SITU_SETTINGS::cpu::detail
