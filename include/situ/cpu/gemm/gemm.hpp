// SPDX-License-Identifier: Apache-2.0
// Matrix products for every number type, single or batched: selects the kernels and divides the work.
#pragma once

#include <algorithm>
#include <concepts>
#include <cstdint>
#include <type_traits>

#include <situ/core/config.hpp>
#include <situ/core/dtype.hpp>
#include <situ/core/shape.hpp>
#include <situ/cpu/gemm/blocks.hpp>
#include <situ/cpu/gemm/dots.hpp>
#include <situ/cpu/gemm/gemv.hpp>
#include <situ/cpu/gemm/small.hpp>
#include <situ/cpu/lanes/lanes.hpp>
#include <situ/cpu/scratch.hpp>
#include <situ/device/cpu.hpp>
#include <situ/plan/axes.hpp>
#include <situ/plan/product.hpp>
#include <situ/threads/thread_pool.hpp>

#if defined(SITU_PRODUCTS_BLAS)
#include <situ/cpu/gemm/blas.hpp>
#elif defined(SITU_PRODUCTS_EIGEN)
#include <situ/cpu/gemm/eigen.hpp>
#endif

namespace situ::internal::inline SITU_SETTINGS::cpu {

namespace detail {

/// Multiply-adds that justify a thread, half of 64 x 64 x 64: 1 to 3 us with AVX2 or AVX-512.
inline constexpr std::int64_t gemm_grain = 32 * 64 * 64;

/// Whether the operands are read in place. Larger ones gain from packing: their rows are on too many pages.
template <class T>
bool is_direct(std::int64_t m, std::int64_t n, std::int64_t k, MatrixRef<T> b) {
  if (b.column != 1 || n < GemmTile::width<T>) return false;
  constexpr std::int64_t cached = GemmBlock::cached / static_cast<std::int64_t>(sizeof(T));
  return m <= 2 * GemmTile::rows || (k <= GemmBlock::depth && n * k <= cached && m * k <= cached);
}

/// Whether packing would take longer than it saves: for few rows of C, if those of B are less than a page apart.
template <class T>
bool has_few_rows(std::int64_t m, const MatrixRef<T>& a, const MatrixRef<T>& b) {
  constexpr std::int64_t page = 4096 / static_cast<std::int64_t>(sizeof(T));
  return m <= 128 && a.column == 1 && b.column == 1 && b.row < page;
}

/// A small product with fewer columns than a register. With at least half of one it uses half registers, the second of
/// which may overlap the first (it stores the same values); with fewer, it packs only B.
template <class T>
void gemm_narrow(std::int64_t m, std::int64_t n, std::int64_t k, const MatrixRef<T>& a, const MatrixRef<T>& b, T* c) {
  constexpr int half = GemmTile::width<T> / 2;
  if constexpr (half > 1 && vector_bytes >= 32) {
    if (n >= half) {
      native::gemm_rows<T, 1, half>(m, k, a, b.data, b.row, c, n, false);
      if (n > half) native::gemm_rows<T, 1, half>(m, k, a, b.data + n - half, b.row, c + n - half, n, false);
      return;
    }
  }
  T* const panel = scratch<PackedB, T>(k * GemmTile::width<T>);
  pack_panel(k, n, b, panel, GemmTile::width<T>);
  gemm_edge(n, m, k, a, panel, GemmTile::width<T>, c, n, false);
}

/// `gemm_direct`, with rows or columns of C divided among the threads.
template <class T>
void gemm_direct_parallel(std::int64_t m, std::int64_t n, std::int64_t k, std::int64_t depth, const MatrixRef<T>& a,
                          const MatrixRef<T>& b, T* c) {
  const std::int64_t threads = num_threads();
  const std::int64_t tiles = (m + GemmTile::rows - 1) / GemmTile::rows, panels = n / GemmTile::columns<T>;
  const bool by_rows = panels < threads || !columns_are_fairer(tiles, panels, threads);
  const std::int64_t units = by_rows ? tiles : panels;
  // Parts differ by at most one unit. (The last group of columns also takes the rest, which is less than a panel.)
  std::int64_t parts = std::clamp<std::int64_t>(m * n * k / gemm_grain, 1, std::min(units, 4 * threads));
  if (parts > threads) parts -= parts % threads;
  const auto multiply = [&](std::int64_t from, std::int64_t to) {
    const auto end = [&](std::int64_t part) {
      if (by_rows) return std::min(units * part / parts * GemmTile::rows, m);
      return part == parts ? n : units * part / parts * GemmTile::columns<T>;
    };
    const std::int64_t first = end(from), count = end(to) - first;
    if (by_rows) gemm_direct(count, n, k, depth, a.at(first, 0), b, c + first * n, n);
    else gemm_direct(m, count, k, depth, a, b.at(0, first), c + first, n);
  };
  parallel_for(0, parts, 1, multiply, 1);
}

/// `gemm_blocked` on all threads. If each gets enough columns to justify packing A (which the others pack too), a
/// thread has its own columns and packs what it needs: it waits for no other thread before the end, and finds B in its
/// own cache. Otherwise all pack B together, and then compute blocks of C.
template <class T>
void gemm_blocked_parallel(std::int64_t m, std::int64_t n, std::int64_t k, const MatrixRef<T>& a, const MatrixRef<T>& b,
                           T* c) {
  const std::int64_t threads = num_threads();
  if (n < 512 * (threads - 1)) return gemm_blocked<T>(m, n, k, a, b, c, n, threads);
  const std::int64_t registers = n / GemmTile::width<T>;
  const auto multiply = [&](std::int64_t from, std::int64_t to) {
    const auto end = [&](std::int64_t part) {
      return part == threads ? n : registers * part / threads * GemmTile::width<T>;
    };
    const std::int64_t first = end(from);
    gemm_blocked<T>(m, end(to) - first, k, a, b.at(0, first), c + first, n, 1);
  };
  parallel_for(0, threads, 1, multiply, 1);
}

/// One product of a type that the kernels have vectors for.
template <class T>
void gemm_one(std::int64_t m, std::int64_t n, std::int64_t k, const MatrixRef<T>& a, const MatrixRef<T>& b, T* c,
              bool parallel) {
  if (m == 0 || n == 0) return;
  if constexpr (std::floating_point<T>) {
    if (m > 1 && n > 1 && is_dots(m, k, b)) return gemm_dots(m, n, k, a, b, c, parallel);
  }
  if (k == 0) {
    std::fill_n(c, m * n, T(0));
  } else if (is_tiny(m, n, k, b)) {
    gemm_elements(m, n, k, a, b, c);
  } else if (n == 1) {
    gemv(m, k, a, b.data, b.row, c, parallel);
  } else if (m == 1) {
    gemv(n, k, MatrixRef<T>{b.data, b.column, b.row}, a.data, a.column, c, parallel);
  } else if (is_small(m, n, k, b)) {
    with_copy_of(n, k, b, [&](const MatrixRef<T>& copy) { gemm_one(m, n, k, a, copy, c, parallel); });
  } else if (n < GemmTile::width<T> && k <= GemmBlock::depth && has_few_rows(m, a, b)) {
    gemm_narrow(m, n, k, a, b, c);
  } else if (is_direct(m, n, k, b) || (n >= GemmTile::width<T> && has_few_rows(m, a, b))) {
    if (parallel && m * n * k >= 2 * gemm_grain) gemm_direct_parallel(m, n, k, GemmBlock::depth, a, b, c);
    else gemm_direct(m, n, k, GemmBlock::depth, a, b, c, n);
  } else {
#if defined(SITU_PRODUCTS_BLAS)
    if constexpr (std::floating_point<T>) {
      if (parallel && gemm_blas(m, n, k, a, b, c)) return;
    }
#elif defined(SITU_PRODUCTS_EIGEN)
    if constexpr (std::floating_point<T>) {
      if (gemm_eigen(m, n, k, a, b, c, parallel)) return;
    }
#endif
    if (parallel && m * n * k >= 2 * gemm_grain) gemm_blocked_parallel(m, n, k, a, b, c);
    else gemm_blocked<T>(m, n, k, a, b, c, n, 1);
  }
}

struct WidenedA;
struct WidenedB;
struct WidenedC;

/// A copy of a matrix of 16-bit floats as `float`, in the order of its memory.
template <class Purpose, class T>
MatrixRef<float> widen(std::int64_t rows, std::int64_t columns, MatrixRef<T> from) {
  float* to = scratch<Purpose, float>(rows * columns);
  const bool by_columns = from.column != 1 && from.row == 1;
  if (by_columns) std::swap(from.row, from.column), std::swap(rows, columns);
  for (std::int64_t i = 0; i < rows; ++i) {
    std::int64_t j = 0;
    if (from.column == 1) {
      for (; j + 16 <= columns; j += 16) {
        store(to + i * columns + j, load<T, 16>(from.data + i * from.row + j));
      }
    }
    for (; j < columns; ++j) to[i * columns + j] = static_cast<float>(from.data[i * from.row + j * from.column]);
  }
  return by_columns ? MatrixRef<float>{to, 1, columns} : MatrixRef<float>{to, columns, 1};
}

/// 16-bit floats: multiplied as `float`, some rows of C at a time, and rounded once at the end.
template <class T>
  requires OneOf<T, float16, bfloat16>
void gemm_one(std::int64_t m, std::int64_t n, std::int64_t k, const MatrixRef<T>& a, const MatrixRef<T>& b, T* c,
              bool parallel) {
  if (m == 0 || n == 0) return;
  const MatrixRef<float> wide_b = widen<WidenedB>(k, n, b);
  constexpr std::int64_t most_rows = 1024;
  for (std::int64_t first = 0; first < m; first += most_rows) {
    const std::int64_t rows = std::min(m - first, most_rows);
    float* wide_c = scratch<WidenedC, float>(rows * n);
    gemm_one(rows, n, k, widen<WidenedA>(rows, k, a.at(first, 0)), wide_b, wide_c, parallel);
    T* to = c + first * n;
    std::int64_t i = 0;
    for (; i + 16 <= rows * n; i += 16) store(to + i, load<float, 16>(wide_c + i));
    for (; i < rows * n; ++i) to[i] = static_cast<T>(wide_c[i]);
  }
}

/// Products of integers wrap, which only unsigned arithmetic defines; the bits are the same.
template <class T>
using gemm_element_t =
    typename std::conditional_t<std::integral<T>, std::make_unsigned<T>, std::type_identity<T>>::type;

template <class U, class T>
[[nodiscard]] MatrixRef<U> of_elements(const MatrixRef<T>& x) noexcept {
  return {reinterpret_cast<const U*>(x.data), x.row, x.column};
}

/// `batch`: the axes of the batch, in `a` and in `b`.
template <class T>
void gemm_batch(std::int64_t m, std::int64_t n, std::int64_t k, const MatrixRef<T>& a, const MatrixRef<T>& b, T* c,
                const program::Axes<2>& batch) {
  const std::int64_t count = batch.count();
  if (count == 0) return;
  if (count == 1) return gemm_one(m, n, k, a, b, c, true);
  if (batch.rank() == 1 && batch.stride(0, 1) == 0 && batch.stride(0, 0) == m * a.row) {
    return gemm_one(count * m, n, k, a, b, c, true);  // matrices that share B and are contiguous are one
  }
  const auto products = [&](std::int64_t from, std::int64_t to, bool parallel) {
    for (std::int64_t index = from; index < to; ++index) {
      const auto offsets = batch.offsets(index);
      gemm_one(m, n, k, {a.data + offsets[0], a.row, a.column}, {b.data + offsets[1], b.row, b.column},
               c + index * m * n, parallel);
    }
  };
  // Each small product is computed by one thread: no thread waits for another before the end. All share large ones.
  const std::int64_t work = std::max<std::int64_t>(1, m * n * k);
  if (work >= 256 * 256 * 256 || count < num_threads()) return products(0, count, true);
  parallel_for(
      0, count, std::max<std::int64_t>(1, gemm_grain / work),
      [&](std::int64_t from, std::int64_t to) { products(from, to, false); }, 1);
}

}  // namespace detail

/// C = A B for each of a batch of matrices: `a` is m x k, `b` k x n with any strides, `c` m x n, the products one after
/// another in row-major order without gaps. Nothing overlaps `c`. A sum over k = 0 is 0; integers wrap; 16-bit floats
/// accumulate in `float`. The order of the sum over k depends on m, n, k and the strides, never on the threads.
///
///     gemm<float>(m, n, k, {a, k, 1}, {b, n, 1}, c);                   // row-major
///     gemm<float>(m, n, k, {a, 1, m}, {b, n, 1}, c);                   // A is the transpose of a k x m array
///     gemm<float>(m, n, k, {a, k, 1}, {b, n, 1}, c, {{Strides{m * k}, Strides{0}}, Shape{16}});  // 16 of them, one B
///
/// Throws `OutOfMemory` if there is no working memory.
template <NumberElement T>
void gemm(std::int64_t m, std::int64_t n, std::int64_t k, MatrixRef<T> a, MatrixRef<T> b, T* c) {
  using U = detail::gemm_element_t<T>;
  detail::gemm_one<U>(m, n, k, detail::of_elements<U>(a), detail::of_elements<U>(b), reinterpret_cast<U*>(c), true);
}
template <NumberElement T>
void gemm(std::int64_t m, std::int64_t n, std::int64_t k, MatrixRef<T> a, MatrixRef<T> b, T* c,
          const program::Axes<2>& batch) {
  using U = detail::gemm_element_t<T>;
  detail::gemm_batch<U>(m, n, k, detail::of_elements<U>(a), detail::of_elements<U>(b), reinterpret_cast<U*>(c), batch);
}

/// Computes `product` for elements of type `T`; see `gemm`. (Not named `matmul`: an explicit `T` would be tried as the
/// device of the guards of that name.)
template <NumberElement T>
void matrix_product(Backend, const program::MatrixProduct& product) {
  const MatrixRef<T> a{static_cast<const T*>(product.a), product.a_row, product.a_column};
  const MatrixRef<T> b{static_cast<const T*>(product.b), product.b_row, product.b_column};
  T* const c = static_cast<T*>(product.c);
  if (product.batch.rank() == 0) return gemm<T>(product.m, product.n, product.k, a, b, c);
  gemm<T>(product.m, product.n, product.k, a, b, c, {{product.a_batch, product.b_batch}, product.batch});
}

}  // namespace situ::internal::inline SITU_SETTINGS::cpu
