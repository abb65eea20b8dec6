// SPDX-License-Identifier: Apache-2.0
// The micro-kernel of a matrix product, its innermost loop: a few rows by a few registers of C, kept in registers over
// the whole sum.
#pragma once

#include <algorithm>
#include <concepts>
#include <cstddef>
#include <cstdint>
#include <utility>

#include <situ/core/config.hpp>
#include <situ/cpu/lanes/native.hpp>

namespace situ::internal::inline SITU_SETTINGS::cpu {

/// The size of the tile, chosen by the number of registers: 24 of 32 accumulate with AVX-512, 12 of 16 with AVX2 (8 of
/// 16 without fma, which needs one more for each product).
struct GemmTile {
  static constexpr int rows = instruction_set == InstructionSet::avx512 ? 8
                              : instruction_set == InstructionSet::avx2 ? 6
                                                                        : 4;
  static constexpr int vectors = instruction_set == InstructionSet::avx512 ? 3 : 2;
  /// Elements of T in a register, and in a row of the tile.
  template <class T>
  static constexpr int width = vector_bytes / static_cast<int>(sizeof(T));
  template <class T>
  static constexpr int columns = vectors * width<T>;
};

/// A matrix in memory: element (i, j) is `data[i * row + j * column]`. Strides in elements, of any sign, or 0.
template <class T>
struct MatrixRef {
  const T* data;
  std::int64_t row;
  std::int64_t column;

  [[nodiscard]] MatrixRef at(std::int64_t i, std::int64_t j) const {
    return {data + i * row + j * column, row, column};
  }
  [[nodiscard]] MatrixRef below(std::int64_t rows) const { return at(rows, 0); }
};

/// Rows of A packed for the tile: `GemmTile::rows` of them, column by column, then those below. A tile reads them from
/// one stream instead of one per row. Smaller tiles read the rest of the last one.
template <class T>
struct TilesOfRows {
  const T* data;
  std::int64_t depth;  // columns

  static constexpr std::int64_t row = 1;
  static constexpr std::int64_t column = GemmTile::rows;
  [[nodiscard]] TilesOfRows below(std::int64_t rows) const {
    return {data + (rows == GemmTile::rows ? rows * depth : rows), depth};
  }
};

namespace native {

template <class T>
using gemm_vector_t = vector_t<T, vector_bytes>;

/// GCC would reload a row of B for each row of A, as a memory operand: half the speed if the row crosses cache lines.
template <class Vector>
[[SITU_INLINE]] inline void keep_in_register([[maybe_unused]] Vector& x) {
#if defined(__x86_64__) && !defined(__clang__)
#if defined(__AVX512F__)
  asm("" : "+v"(x));
#else
  asm("" : "+x"(x));
#endif
#endif
}

/// C = A B, or C += A B, for `Rows` x `Vectors` vectors of `Width` elements of C. Rows of B and C are contiguous
/// (`b_stride` and `c_stride` elements apart); A is a `MatrixRef` with any strides, so that its transpose needs no
/// copy.
///
/// Each element is one chain of multiply-adds in the order of k, at any position in a tile: the result does not depend
/// on how the matrix is divided. Plain vector types rather than `Lanes`: the indices of the accumulators must be
/// constants for the compiler to keep 24 of them in registers, and the counts here assume one register per lane.
template <class T, int Width, int Rows, int Vectors, std::size_t... At, std::size_t... J, std::size_t... IJ>
[[SITU_INLINE]] inline void gemm_tile(std::index_sequence<At...>, std::index_sequence<J...>, std::index_sequence<IJ...>,
                                      std::int64_t k, MatrixRef<T> a, const T* b, std::int64_t b_stride, T* c,
                                      std::int64_t c_stride, bool accumulate) {
  using Vector = vector_t<T, Width* static_cast<int>(sizeof(T))>;
  constexpr std::int64_t width = Width;
  Vector sum[std::size_t{Rows * Vectors}] = {((void)IJ, Vector{})...};
  // C is needed only at the end, and is far away then: the loop takes longer than fetching it.
  if (accumulate) {
    (__builtin_prefetch(
         c + static_cast<std::int64_t>(IJ / Vectors) * c_stride + static_cast<std::int64_t>(IJ % Vectors) * width, 1),
     ...);
  }
  for (std::int64_t p = 0; p < k; ++p) {
    Vector row_of_b[std::size_t{Vectors}];
    (__builtin_memcpy(&row_of_b[J], b + static_cast<std::int64_t>(J) * width, sizeof(Vector)), ...);
    (keep_in_register(row_of_b[J]), ...);
    ((sum[IJ] = mul_add(broadcast<Vector>(a.data[static_cast<std::int64_t>(IJ / Vectors) * a.row]),
                        row_of_b[IJ % Vectors], sum[IJ])),
     ...);
    a.data += a.column;
    b += b_stride;
  }
  const auto put = [&](std::int64_t offset, Vector value) SITU_INLINE_LAMBDA {
    if (accumulate) {
      Vector old;
      __builtin_memcpy(&old, c + offset, sizeof(Vector));
      value += old;
    }
    __builtin_memcpy(c + offset, &value, sizeof(Vector));
  };
  (put(static_cast<std::int64_t>(IJ / Vectors) * c_stride + static_cast<std::int64_t>(IJ % Vectors) * width, sum[IJ]),
   ...);
}

/// The members of `A` are separate parameters, to be in registers.
template <class T, int Width, int Rows, int Vectors>
[[gnu::noinline]] void gemm_tile(std::int64_t k, const T* a, std::int64_t a_row, std::int64_t a_column, const T* b,
                                 std::int64_t b_stride, T* c, std::int64_t c_stride, bool accumulate) {
  gemm_tile<T, Width, Rows, Vectors>(std::make_index_sequence<std::size_t{Rows}>{},
                                     std::make_index_sequence<std::size_t{Vectors}>{},
                                     std::make_index_sequence<std::size_t{Rows * Vectors}>{}, k, {a, a_row, a_column},
                                     b, b_stride, c, c_stride, accumulate);
}

/// All the rows of C for `Vectors` vectors of columns: whole tiles, then tiles of 4, 2 and 1 rows. A is `TilesOfRows`
/// or a `MatrixRef`, which is read by at least 8 rows a tile of one register: with fewer sums, each product would wait
/// for the previous one.
template <class T, int Vectors, int Width = GemmTile::width<T>, class A>
void gemm_rows(std::int64_t m, std::int64_t k, A a, const T* b, std::int64_t b_stride, T* c, std::int64_t c_stride,
               bool accumulate) {
  const auto rows = [&]<int Rows>(std::integral_constant<int, Rows>) {
    while (m >= Rows) {
      gemm_tile<T, Width, Rows, Vectors>(k, a.data, a.row, a.column, b, b_stride, c, c_stride, accumulate);
      m -= Rows;
      a = a.below(Rows);
      c += Rows * c_stride;
    }
  };
  constexpr bool in_tiles = std::same_as<A, TilesOfRows<T>>;
  constexpr int most = Vectors == 1 && !in_tiles ? std::max(GemmTile::rows, 8) : GemmTile::rows;
  rows(std::integral_constant<int, most>{});
  if constexpr (most > 4) rows(std::integral_constant<int, 4>{});
  rows(std::integral_constant<int, 2>{});
  rows(std::integral_constant<int, 1>{});
}

}  // namespace native

/// C = A B (or C += A B) for `vectors` whole registers of columns, 1 to `GemmTile::vectors`, and any number of rows.
template <class T, class A>
void gemm_panel(int vectors, std::int64_t m, std::int64_t k, A a, const T* b, std::int64_t b_stride, T* c,
                std::int64_t c_stride, bool accumulate) {
  if constexpr (GemmTile::vectors > 2) {
    if (vectors == 3) return native::gemm_rows<T, 3>(m, k, a, b, b_stride, c, c_stride, accumulate);
  }
  if (vectors == 2) return native::gemm_rows<T, 2>(m, k, a, b, b_stride, c, c_stride, accumulate);
  native::gemm_rows<T, 1>(m, k, a, b, b_stride, c, c_stride, accumulate);
}

}  // namespace situ::internal::inline SITU_SETTINGS::cpu
