// SPDX-License-Identifier: Apache-2.0
// Matrix products whose rows and steps are given by tables: those of convolutions, where they are windows and elements
// of the kernel, and where those in the padding are skipped.
#pragma once

#include <cstddef>
#include <cstdint>
#include <utility>

#include <situ/core/config.hpp>
#include <situ/cpu/gemm/tile.hpp>
#include <situ/cpu/lanes/native.hpp>

namespace situ::internal::inline SITU_SETTINGS::cpu {

/// A source and a destination: of a row in A and in C, or of a step of the sum in A and in B.
struct OffsetPair {
  std::int64_t from, to;
};

/// The steps of a sum: `length` steps from each of the places, which advance A and B by their strides. They are taken
/// in order, so that skipping a step that would add 0 changes no bit (if everything is finite).
struct ProductSteps {
  const OffsetPair* first;
  std::int64_t count, length, a_stride, b_stride;
};

namespace native {

/// `c[rows[i].to] = old + A B` for `Rows` rows of `Vectors` registers. The element of A in row i and a step is
/// `a[rows[i].from + step.from]`; `old` is `begin`, the same for all rows, or C if that is null.
template <class T, int Rows, int Vectors, std::size_t... At, std::size_t... J, std::size_t... IJ>
[[SITU_INLINE]] inline void scattered_tile(std::index_sequence<At...>, std::index_sequence<J...>,
                                           std::index_sequence<IJ...>, const OffsetPair* rows,
                                           const ProductSteps& steps, const T* a, const T* b, const T* begin, T* c) {
  using Vector = gemm_vector_t<T>;
  constexpr std::int64_t width = GemmTile::width<T>;
  const std::int64_t from[] = {rows[At].from...};
  const std::int64_t length = steps.length, a_stride = steps.a_stride, b_stride = steps.b_stride;
  Vector sum[std::size_t{Rows * Vectors}] = {((void)IJ, Vector{})...};
  for (const OffsetPair *run = steps.first, *end = run + steps.count; run != end; ++run) {
    const T* column = a + run->from;
    const T* row = b + run->to;
    for (std::int64_t step = 0; step < length; ++step, column += a_stride, row += b_stride) {
      Vector row_of_b[std::size_t{Vectors}];
      (__builtin_memcpy(&row_of_b[J], row + static_cast<std::int64_t>(J) * width, sizeof(Vector)), ...);
      (keep_in_register(row_of_b[J]), ...);
      ((sum[IJ] = mul_add(broadcast<Vector>(column[from[IJ / Vectors]]), row_of_b[IJ % Vectors], sum[IJ])), ...);
    }
  }
  const auto put = [&](std::int64_t to, std::int64_t at, Vector value) SITU_INLINE_LAMBDA {
    Vector old;
    __builtin_memcpy(&old, (begin != nullptr ? begin : c + to) + at, sizeof(Vector));
    value += old;
    __builtin_memcpy(c + to + at, &value, sizeof(Vector));
  };
  (put(rows[IJ / Vectors].to, static_cast<std::int64_t>(IJ % Vectors) * width, sum[IJ]), ...);
}

template <class T, int Rows, int Vectors>
[[gnu::noinline]] void scattered_tile(const OffsetPair* rows, const ProductSteps& steps, const T* a, const T* b,
                                      const T* begin, T* c) {
  scattered_tile<T, Rows, Vectors>(
      std::make_index_sequence<std::size_t{Rows}>{}, std::make_index_sequence<std::size_t{Vectors}>{},
      std::make_index_sequence<std::size_t{Rows * Vectors}>{}, rows, steps, a, b, begin, c);
}

/// All rows: whole tiles, then tiles of 4, 2 and 1. Two of 4 rather than one of 6 and one of 2, whose sums would wait
/// for each other.
template <class T, int Vectors>
void scattered_rows(std::int64_t count, const OffsetPair* rows, const ProductSteps& steps, const T* a, const T* b,
                    const T* begin, T* c) {
  const auto tiles = [&]<int Rows>(std::integral_constant<int, Rows>) {
    for (; count >= Rows && (Rows != 6 || count != 8); count -= Rows, rows += Rows)
      scattered_tile<T, Rows, Vectors>(rows, steps, a, b, begin, c);
  };
  tiles(std::integral_constant<int, GemmTile::rows>{});
  if constexpr (GemmTile::rows > 4) tiles(std::integral_constant<int, 4>{});
  tiles(std::integral_constant<int, 2>{});
  tiles(std::integral_constant<int, 1>{});
}

}  // namespace native

/// `count` rows of `vectors` registers, 1 to `GemmTile::vectors`; see `scattered_tile`.
template <class T>
void scattered_product(int vectors, std::int64_t count, const OffsetPair* rows, const ProductSteps& steps, const T* a,
                       const T* b, const T* begin, T* c) {
  if constexpr (GemmTile::vectors > 2) {
    if (vectors == 3) return native::scattered_rows<T, 3>(count, rows, steps, a, b, begin, c);
  }
  if (vectors == 2) return native::scattered_rows<T, 2>(count, rows, steps, a, b, begin, c);
  native::scattered_rows<T, 1>(count, rows, steps, a, b, begin, c);
}

}  // namespace situ::internal::inline SITU_SETTINGS::cpu
