// SPDX-License-Identifier: Apache-2.0
// The transpose of a matrix of 1, 2, 4 or 8-byte elements, block by block in registers. Strided copies and the packing
// of matrix products use it; it uses one thread and normal stores.
#pragma once

#include <algorithm>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <utility>

#include <situ/core/config.hpp>
#include <situ/cpu/lanes/native.hpp>
#include <situ/cpu/shuffle.hpp>

namespace situ::internal::inline SITU_SETTINGS::cpu {

namespace native {

/// Rows (and columns) of the square block of elements of `Bytes` that is transposed in registers: all the lanes of a
/// register for wide elements. 1 and 2-byte ones use 16-byte registers: a block of wider ones would not fit in 16 or 32
/// registers. There is none for 16 bytes, since each element is a register and nothing is gained.
template <int Bytes>
inline constexpr int transpose_width = Bytes == 16 ? 0 : (Bytes >= 4 ? vector_bytes : 16) / Bytes;

/// Swaps the off-diagonal blocks of `Step` lanes in the 2x2 blocks formed by two rows.
template <int Step, class R, int... L>
[[SITU_INLINE]] inline void exchange(std::integer_sequence<int, L...>, R& a, R& b) {
  constexpr int n = static_cast<int>(sizeof...(L));
  const R low = shuffle<((L & Step) != 0 ? n + L - Step : L)...>(a, b);
  b = shuffle<((L & Step) != 0 ? n + L : L + Step)...>(a, b);
  a = low;
}

/// One stage of the transpose of `2 * sizeof...(At)` registers: pairs of rows that are `Step` apart.
template <int Step, class R, int... At>
[[SITU_INLINE]] inline void transpose_stage(std::integer_sequence<int, At...>, R* rows) {
  (exchange<Step>(std::make_integer_sequence<int, width_v<R>>{}, rows[At / Step * 2 * Step + At % Step],
                  rows[At / Step * 2 * Step + At % Step + Step]),
   ...);
}

template <int Step, class R>
[[SITU_INLINE]] inline void transpose_stages(R* rows) {
  if constexpr (Step < width_v<R>) {
    transpose_stage<Step>(std::make_integer_sequence<int, width_v<R> / 2>{}, rows);
    transpose_stages<2 * Step>(rows);
  }
}

/// `to[c][r] = from[r][c]` for one block of `transpose_width` rows and columns; row strides in elements.
template <class T, int... At>
[[SITU_INLINE]] inline void transpose_block(std::integer_sequence<int, At...>, const T* from, std::int64_t from_stride,
                                            T* to, std::int64_t to_stride) {
  using Register = vector_t<T, static_cast<int>(sizeof...(At) * sizeof(T))>;
  Register rows[sizeof...(At)];
  (__builtin_memcpy(&rows[At], from + At * from_stride, sizeof(Register)), ...);
  transpose_stages<1>(rows);
  (__builtin_memcpy(to + At * to_stride, &rows[At], sizeof(Register)), ...);
}

}  // namespace native

/// `transpose_plane` of whole blocks.
template <class T>
[[SITU_INLINE]] inline void transpose_blocks(const T* from, std::int64_t from_stride, T* to, std::int64_t to_stride,
                                             std::int64_t rows, std::int64_t columns) {
  constexpr int width = native::transpose_width<sizeof(T)>;
  for (std::int64_t c = 0; c < columns; c += width) {
    for (std::int64_t r = 0; r < rows; r += width) {
      native::transpose_block(std::make_integer_sequence<int, width>{}, from + r * from_stride + c, from_stride,
                              to + c * to_stride + r, to_stride);
    }
  }
}

/// `to[c * to_stride + r] = from[r * from_stride + c]` for `rows` x `columns` elements of `from`. Strides in elements.
/// The matrices do not overlap.
template <class T>
void transpose_plane(const T* from, std::int64_t from_stride, T* to, std::int64_t to_stride, std::int64_t rows,
                     std::int64_t columns) {
  constexpr int width = native::transpose_width<sizeof(T)>;
  std::int64_t whole_rows = 0;
  std::int64_t whole_columns = 0;
  if constexpr (width != 0) {
    whole_rows = rows - rows % width;
    whole_columns = columns - columns % width;
    transpose_blocks(from, from_stride, to, to_stride, whole_rows, whole_columns);
  }
  for (std::int64_t r = 0; r < rows; ++r) {
    for (std::int64_t c = r < whole_rows ? whole_columns : 0; c < columns; ++c) {
      to[c * to_stride + r] = from[r * from_stride + c];
    }
  }
}

/// `to[c * Rows + r] = from[r * from_stride + c]` for elements of 4 or 8 bytes, for as many columns as form whole
/// blocks; returns their number. If `Rows` is not a multiple of a block's, the last block overlaps the one before.
template <int Rows, class T>
std::int64_t transpose_strip(const T* from, std::int64_t from_stride, T* to, std::int64_t columns) {
  constexpr int lanes = vector_bytes / static_cast<int>(sizeof(T));
  constexpr int width = static_cast<int>(std::bit_floor(static_cast<unsigned>(std::min(Rows, lanes))));
  const std::int64_t whole = columns - columns % width;
  for (std::int64_t c = 0; c < whole; c += width) {
    for (int r = 0; r < Rows; r += width) {
      const int row = std::min(r, Rows - width);
      native::transpose_block(std::make_integer_sequence<int, width>{}, from + row * from_stride + c, from_stride,
                              to + c * Rows + row, Rows);
    }
  }
  return whole;
}

}  // namespace situ::internal::inline SITU_SETTINGS::cpu
