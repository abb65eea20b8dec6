// SPDX-License-Identifier: Apache-2.0
// Products of two matrices of `float` or `double`: small ones directly from the operands, large ones in blocks that are
// copied ("packed") so that the innermost loop reads from the nearest caches, after Goto and van de Geijn, "Anatomy of
// high-performance matrix multiplication", ACM TOMS 34 (2008).
//
// Eigen's product was to be used for large sizes. It is not, because with AVX-512 it measured 1.3 to 2.2 times slower
// than this file at every size from 16 to 2048 (one thread, float), and each translation unit that instantiates it
// compiles 1.2 s longer. With the build option SITU_PRODUCTS gemm.hpp can still use Eigen, or a BLAS, for large
// products (docs/decisions/products.md).
#pragma once

#include <algorithm>
#include <cstdint>

#include <situ/cpu/gemm/tile.hpp>
#include <situ/cpu/scratch.hpp>
#include <situ/cpu/transpose.hpp>
#include <situ/plan/unit.hpp>
#include <situ/threads/thread_pool.hpp>

namespace situ::internal::inline SITU_SETTINGS::cpu {

namespace detail {

/// The layout of elements as other libraries require it: contiguous rows or columns, which do not overlap.
template <class T>
[[nodiscard]] bool lies_by_rows(std::int64_t columns, MatrixRef<T> x) noexcept {
  return x.column == 1 && x.row >= columns;
}
template <class T>
[[nodiscard]] bool lies_by_columns(std::int64_t rows, MatrixRef<T> x) noexcept {
  return x.row == 1 && x.column >= rows;
}

/// Sizes of blocks. One tile's rows of A stay in the first-level cache, `rows` x `depth` of A and the tile's columns of
/// B (`depth` rows of 64 to 192 bytes) in the second-level one, `depth` x `columns` of B in the third-level one.
struct GemmBlock {
  /// Bytes of one operand that stay in the second-level cache, through which the other streams. Processors without
  /// AVX-512 have 512 KiB of it, or less, for two threads: with 288 KiB of A products took 10 to 20 % longer.
  static constexpr std::int64_t cached = (instruction_set == InstructionSet::avx512 ? 512 : 128) * 1024;
  static constexpr std::int64_t depth = 512;
  template <class T>
  static constexpr std::int64_t rows = cached * 3 / 4 / (depth * static_cast<std::int64_t>(sizeof(T)));
  /// At most. Each block of A reads all of them, from a third-level cache that is shared: with 8 MiB instead of 2,
  /// products of 2048 took up to 1.5 times as long.
  template <class T>
  static constexpr std::int64_t columns = cached * 16 / (depth * static_cast<std::int64_t>(sizeof(T)));
};

constexpr std::int64_t round_up(std::int64_t x, std::int64_t to) { return (x + to - 1) / to * to; }

/// Row-major copy with rows `to_stride` apart, padded with zeros.
template <class T>
void pack_panel(std::int64_t rows, std::int64_t columns, MatrixRef<T> from, T* to, std::int64_t to_stride) {
  using Unit = unit_t<sizeof(T)>;
  if (from.column == 1) {
    for (std::int64_t i = 0; i < rows; ++i) std::copy_n(from.data + i * from.row, columns, to + i * to_stride);
  } else if (from.row == 1) {
    transpose_plane(reinterpret_cast<const Unit*>(from.data), from.column, reinterpret_cast<Unit*>(to), to_stride,
                    columns, rows);
  } else {
    for (std::int64_t i = 0; i < rows; ++i) {
      for (std::int64_t j = 0; j < columns; ++j) to[i * to_stride + j] = from.data[i * from.row + j * from.column];
    }
  }
  if (columns == to_stride) return;
  for (std::int64_t i = 0; i < rows; ++i) std::fill(to + i * to_stride + columns, to + (i + 1) * to_stride, T(0));
}

/// Panels of B as wide as a tile and `rows` deep, one after another, from contiguous rows. Several panels at once, row
/// by row: rows of a large matrix are on different pages, and a single panel reads only a few bytes of each.
template <class T>
void pack_panels(std::int64_t panels, std::int64_t rows, const T* from, std::int64_t from_stride, T* to) {
  constexpr std::int64_t together = 4;
  constexpr std::int64_t columns = GemmTile::columns<T>;
  for (std::int64_t first = 0; first < panels; first += together) {
    const std::int64_t end = std::min(first + together, panels);
    for (std::int64_t i = 0; i < rows; ++i) {
      for (std::int64_t panel = first; panel < end; ++panel) {
        __builtin_memcpy(to + (panel * rows + i) * columns, from + i * from_stride + panel * columns,
                         static_cast<std::size_t>(columns) * sizeof(T));
      }
    }
  }
}

/// `rows` rows of A as `TilesOfRows`.
template <class T>
void pack_tiles(std::int64_t rows, std::int64_t columns, const MatrixRef<T>& from, T* to) {
  constexpr int tile = GemmTile::rows;
  using Unit = unit_t<sizeof(T)>;
  const std::int64_t whole = rows - rows % tile;
  const auto pack = [&](std::int64_t first, std::int64_t count, std::int64_t p) {
    const MatrixRef<T> part = from.at(first, 0);
    T* const begin = to + first * columns;
    for (; p < columns; ++p) {
      for (std::int64_t i = 0; i < count; ++i) begin[p * tile + i] = part.data[i * part.row + p * part.column];
    }
  };
  if (from.row == 1) {  // all tiles at once, as columns of a large matrix are on different pages
    for (std::int64_t p = 0; p < columns; ++p) {
      const T* const column = from.data + p * from.column;
      for (std::int64_t first = 0; first < whole; first += tile) {
        __builtin_memcpy(to + first * columns + p * tile, column + first, tile * sizeof(T));
      }
    }
  } else {
    for (std::int64_t first = 0; first < whole; first += tile) {
      std::int64_t done = 0;
      if constexpr (sizeof(T) >= 4) {
        if (from.column == 1) {
          done = transpose_strip<tile>(reinterpret_cast<const Unit*>(from.data + first * from.row), from.row,
                                       reinterpret_cast<Unit*>(to + first * columns), columns);
        }
      }
      pack(first, tile, done);
    }
  }
  if (whole < rows) pack(whole, rows - whole, 0);
}

struct PackedA;
struct PackedB;
struct EdgeOfC;

/// `gemm_panel` for a width that is not whole registers: computed in a buffer, then copied or added to C.
template <class T, class A>
void gemm_edge(std::int64_t columns, std::int64_t m, std::int64_t k, A a, const T* b, std::int64_t b_stride, T* c,
               std::int64_t c_stride, bool accumulate) {
  const int vectors = static_cast<int>((columns + GemmTile::width<T> - 1) / GemmTile::width<T>);
  const std::int64_t stride = vectors * GemmTile::width<T>;
  T* edge = scratch<EdgeOfC, T>(m * stride);
  gemm_panel(vectors, m, k, a, b, b_stride, edge, stride, false);
  for (std::int64_t i = 0; i < m; ++i) {
    for (std::int64_t j = 0; j < columns; ++j) {
      T& into = c[i * c_stride + j];
      into = accumulate ? into + edge[i * stride + j] : edge[i * stride + j];
    }
  }
}

/// The product without packing, with sums split every `depth`: rows of B must be contiguous and at least a register
/// wide. The last columns are computed by a tile that is shifted left to end with the matrix, and overlaps its neighbor
/// (it stores the same values). With AVX-512 it is a tile of half registers if these suffice: some processors multiply
/// them in half the time.
template <class T>
void gemm_direct(std::int64_t m, std::int64_t n, std::int64_t k, std::int64_t depth, const MatrixRef<T>& a,
                 const MatrixRef<T>& b, T* c, std::int64_t c_stride) {
  constexpr std::int64_t width = GemmTile::width<T>;
  constexpr int half = GemmTile::width<T> / 2;
  constexpr bool halves = vector_bytes == 64 && half > 1;
  const std::int64_t rest = n % width;
  const std::int64_t end = halves && 0 < rest && rest <= half ? n - rest : n;
  const auto cut = [&](std::int64_t first, const auto& multiply) {
    for (std::int64_t p = 0; p < k; p += depth) {
      multiply(std::min(depth, k - p), a.at(0, p), b.data + first + p * b.row, c + first, p > 0);
    }
  };
  for (std::int64_t column = 0; column < end;) {
    // The last panels have equal widths: 2 + 2 registers rather than 3 + 1, which would wait for its sums.
    const std::int64_t registers = (end - column + width - 1) / width;
    const std::int64_t most = registers == GemmTile::vectors + 1 ? (GemmTile::vectors + 2) / 2 : GemmTile::vectors;
    const std::int64_t vectors = std::min({registers, most, end / width});
    const std::int64_t first = std::min(column, end - vectors * width);
    cut(first, [&](std::int64_t count, const MatrixRef<T>& rows, const T* from, T* to, bool accumulate) {
      gemm_panel(static_cast<int>(vectors), m, count, rows, from, b.row, to, c_stride, accumulate);
    });
    column = first + vectors * width;
  }
  if constexpr (halves) {
    if (end == n) return;
    cut(n - half, [&](std::int64_t count, const MatrixRef<T>& rows, const T* from, T* to, bool accumulate) {
      native::gemm_rows<T, 1, half>(m, count, rows, from, b.row, to, c_stride, accumulate);
    });
  }
}

/// Whether `columns` of C divide more evenly among the threads than `rows`, both in units of a tile.
[[nodiscard]] inline bool columns_are_fairer(std::int64_t rows, std::int64_t columns, std::int64_t threads) {
  const auto most = [&](std::int64_t units) { return (units + threads - 1) / threads; };
  return most(columns) * rows < most(rows) * columns;
}

/// How the blocks of C are divided: tiles of rows into `row_tasks` parts, panels of columns into `groups`. The sizes of
/// parts differ by at most one.
struct GemmTasks {
  std::int64_t row_tasks;
  std::int64_t groups;
};

/// With at most about `most` tiles per part.
inline GemmTasks gemm_tasks(std::int64_t tiles, std::int64_t panels, std::int64_t most, std::int64_t threads) {
  const std::int64_t blocks = (tiles + most - 1) / most;
  if (threads == 1) return {blocks, 1};
  if (blocks == 1 && columns_are_fairer(tiles, panels, threads)) return {1, std::min(panels, threads)};
  const std::int64_t row_tasks = std::min(round_up(blocks, threads), std::max<std::int64_t>(1, tiles / 4));
  const std::int64_t groups = row_tasks >= threads ? 1 : std::min(panels, (threads + row_tasks - 1) / row_tasks);
  return {row_tasks, groups};
}

/// The large product. The threads pack one block of B together, then each computes blocks of rows of C.
template <class T>
void gemm_blocked(std::int64_t m, std::int64_t n, std::int64_t k, MatrixRef<T> a, MatrixRef<T> b, T* c,
                  std::int64_t c_stride, std::int64_t threads) {
  constexpr std::int64_t wide = GemmTile::columns<T>;
  constexpr std::int64_t width = GemmTile::width<T>;
  const std::int64_t blocks = (n + GemmBlock::columns<T> - 1) / GemmBlock::columns<T>;
  const std::int64_t block_columns = round_up((n + blocks - 1) / blocks, wide);
  const std::int64_t block_depth = std::min(k, GemmBlock::depth);
  T* packed_b = scratch<PackedB, T>(block_columns * block_depth);
  for (std::int64_t jc = 0; jc < n; jc += block_columns) {
    const std::int64_t nc = std::min(n - jc, block_columns);
    const std::int64_t panels = (nc + wide - 1) / wide;
    const std::int64_t tiles = (m + GemmTile::rows - 1) / GemmTile::rows;
    const GemmTasks tasks = gemm_tasks(tiles, panels, GemmBlock::rows<T> / GemmTile::rows, threads);
    for (std::int64_t pc = 0; pc < k; pc += GemmBlock::depth) {
      const std::int64_t kc = std::min(k - pc, GemmBlock::depth);
      const auto panel_stride = [&](std::int64_t panel) { return round_up(std::min(wide, nc - panel * wide), width); };
      const auto pack_b = [&](std::int64_t from, std::int64_t to) {
        const MatrixRef<T> source = b.at(pc, jc);
        const std::int64_t whole = source.column == 1 ? std::min(to, nc / wide) : from;
        if (from < whole) {
          pack_panels(whole - from, kc, source.data + from * wide, source.row, packed_b + from * wide * kc);
        }
        for (std::int64_t panel = std::max(from, whole); panel < to; ++panel) {
          pack_panel(kc, std::min(wide, nc - panel * wide), source.at(0, panel * wide), packed_b + panel * wide * kc,
                     panel_stride(panel));
        }
      };
      const auto multiply = [&](std::int64_t from, std::int64_t to) {
        for (std::int64_t task = from; task < to; ++task) {
          const std::int64_t row_task = task / tasks.groups, group = task % tasks.groups;
          const std::int64_t first = tiles * row_task / tasks.row_tasks * GemmTile::rows;
          const std::int64_t mc = std::min(tiles * (row_task + 1) / tasks.row_tasks * GemmTile::rows, m) - first;
          T* packed_a = scratch<PackedA, T>(round_up(mc, GemmTile::rows) * kc);
          pack_tiles(mc, kc, a.at(first, pc), packed_a);
          const TilesOfRows<T> rows{packed_a, kc};
          for (std::int64_t panel = panels * group / tasks.groups; panel < panels * (group + 1) / tasks.groups;
               ++panel) {
            const std::int64_t columns = std::min(wide, nc - panel * wide);
            const T* panel_of_b = packed_b + panel * wide * kc;
            T* tile = c + first * c_stride + jc + panel * wide;
            if (columns % width == 0) {
              gemm_panel(static_cast<int>(columns / width), mc, kc, rows, panel_of_b, columns, tile, c_stride, pc > 0);
            } else {
              gemm_edge(columns, mc, kc, rows, panel_of_b, panel_stride(panel), tile, c_stride, pc > 0);
            }
          }
        }
      };
      if (threads > 1) {
        parallel_for(0, panels, std::max<std::int64_t>(1, 16384 / (kc * wide)), pack_b, 4);
        parallel_for(0, tasks.row_tasks * tasks.groups, 1, multiply, 1);
      } else {
        pack_b(0, panels);
        multiply(0, tasks.row_tasks);
      }
    }
  }
}

}  // namespace detail
}  // namespace situ::internal::inline SITU_SETTINGS::cpu
