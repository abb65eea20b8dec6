// SPDX-License-Identifier: Apache-2.0
// The matrices passed to cuSOLVER and cuBLAS, and the parts into which a batch is split. Their routines fail beyond
// undocumented limits that users found: https://github.com/mujocolab/mjlab/pull/732 (eigenvalues of 40,000 matrices),
// https://github.com/cupy/cupy/issues/7261 (2^31 elements), https://github.com/pytorch/pytorch/pull/192612 (65,536
// matrices), https://github.com/pytorch/pytorch/issues/97211 (524,281 right-hand sides). The emulation uses the same
// parts, and fails where the libraries do.
#pragma once

#include <algorithm>
#include <cstdint>
#include <limits>

namespace situ::internal::cuda::solver {

/// `count` column-major matrices without gaps, their first elements `batch` elements apart.
template <class T>
struct Matrices {
  std::int64_t rows = 0;
  std::int64_t columns = 0;
  T* data = nullptr;
  std::int64_t count = 1;
  std::int64_t batch = rows * columns;

  [[nodiscard]] Matrices part(std::int64_t first, std::int64_t of_them) const {
    return {rows, columns, data + first * batch, of_them, batch};
  }
};

/// C := C op(A)^-1 for `count` triangular matrices A of `order` and C of `rows` x `order`. For row-major C this is
/// op(A)^-T C, so our right-hand sides never need a transposed copy.
template <class T>
struct Division {
  std::int64_t rows = 0;
  std::int64_t order = 0;
  const T* triangle = nullptr;
  std::int64_t triangle_ld = 0;
  std::int64_t triangle_batch = 0;  // 0 repeats one
  bool upper = false;               // of A as stored
  bool transposed = false;
  bool unit = false;
  T* c = nullptr;
  std::int64_t c_batch = 0;
  std::int64_t count = 1;
  std::int64_t c_ld = rows;
};

/// The most matrices of one call.
inline constexpr std::int64_t most_matrices = 16384;
/// The most right-hand sides of each matrix in one call.
inline constexpr std::int64_t most_right_sides = std::int64_t{1} << 18;

/// The most matrices in one call such that the total size, `each` for every matrix in the routine's units, stays below
/// 2^31.
[[nodiscard]] constexpr std::int64_t most_matrices_of(std::int64_t each) noexcept {
  constexpr std::int64_t most = (std::int64_t{1} << 31) - 1;
  return std::clamp(most / std::max(each, std::int64_t{1}), std::int64_t{1}, most_matrices);
}

/// Calls `f(first, count)` for parts of at most `most` that cover `count`, in order; `most` is an `int`.
template <class F>
void for_parts(std::int64_t count, std::int64_t most, const F& f) {
  for (std::int64_t first = 0; first < count; first += most) f(first, static_cast<int>(std::min(most, count - first)));
}

/// Whether matrices are small and numerous enough for the batched routines; otherwise there is one call for each.
[[nodiscard]] constexpr bool in_batches(std::int64_t order, std::int64_t count) { return count > 1 && order <= 256; }
/// The same for `lu`, whose pivots are then 32-bit integers instead of 64-bit ones.
template <class T>
[[nodiscard]] constexpr bool has_short_pivots(const Matrices<T>& a) {
  return a.rows == a.columns && in_batches(a.rows, a.count);
}
/// The same for `divide`, whose batched routine counts in 32 bits.
template <class T>
[[nodiscard]] constexpr bool in_batches(const Division<T>& x) {
  constexpr std::int64_t most = std::numeric_limits<std::int32_t>::max();
  return in_batches(x.order, x.count) && x.c_ld <= most && x.triangle_ld <= most;
}
/// The same for `singular_values`: by Jacobi's method, whose routine has this size limit.
template <class T>
[[nodiscard]] constexpr bool by_jacobi(const Matrices<T>& a) {
  return a.count > 1 && a.rows <= 32;
}
/// The most matrices in one call of the batched eigenvalue routine, which fails from 2^31 bytes on; 1 if it must not be
/// called.
template <class T>
[[nodiscard]] constexpr std::int64_t most_for_eigen(const Matrices<T>& a) {
  return a.count > 1 ? most_matrices_of(a.rows * a.rows * static_cast<std::int64_t>(sizeof(T))) : 1;
}

/// Calls `f(part)` for the parts of a division by the batched routine.
template <class T, class F>
void for_parts(const Division<T>& x, const F& f) {
  for_parts(x.count, most_matrices, [&](std::int64_t first, std::int64_t count) {
    for_parts(x.rows, most_right_sides, [&](std::int64_t first_row, std::int64_t rows) {
      Division<T> part = x;
      part.triangle += first * x.triangle_batch;
      part.c += first * x.c_batch + first_row;
      part.count = count;
      part.rows = rows;
      f(part);
    });
  });
}

}  // namespace situ::internal::cuda::solver
