// SPDX-License-Identifier: Apache-2.0
// Prefix sums and products (scans) along an axis, on host devices. Rows are scanned in parallel on all threads; within
// a row the order is that of the elements.
#pragma once

#include <algorithm>
#include <concepts>
#include <cstddef>
#include <cstdint>
#include <span>
#include <type_traits>

#include <situ/core/shape.hpp>
#include <situ/cpu/evaluation.hpp>
#include <situ/cpu/program_lanes.hpp>
#include <situ/cpu/reduce/kernels.hpp>
#include <situ/cpu/scan_kernels.hpp>
#include <situ/device/cpu.hpp>
#include <situ/plan/program.hpp>
#include <situ/threads/thread_pool.hpp>

namespace situ::internal::inline SITU_SETTINGS::cpu {

namespace detail {

/// Elements whose columns are scanned at once: half of the first-level cache, beside totals and results.
inline constexpr std::int64_t scan_tile_bytes = 16384;

/// The most columns of a tile: of 8-byte elements it has at least four rows, for which totals stay in registers.
inline constexpr std::int64_t most_scanned_columns = 512;

/// The elements of a scan in row-major order: those of a contiguous tensor in place, others by tiles.
struct ScanSource {
  Evaluation evaluation;
  const std::byte* in_place;  // or null
  int size;

  /// The elements `[begin, end)`; in `tile` if they are computed.
  [[nodiscard]] const std::byte* read(std::int64_t begin, std::int64_t end, std::byte* tile) const {
    if (in_place != nullptr) return in_place + begin * size;
    evaluation.fill(begin, end, tile);
    return tile;
  }
};

/// `outer` scans of `length` contiguous elements: many short rows at a time, or a part of a long one.
inline void scan_rows(const Scanner& scanner, const ScanSource& source, std::int64_t outer, std::int64_t length,
                      std::byte* out) {
  const std::int64_t block = block_bytes / scanner.element_size;
  const std::int64_t together = source.in_place != nullptr ? outer : block / length;
  parallel_for(
      0, outer, std::max<std::int64_t>(block / length, 1),
      [&](std::int64_t begin, std::int64_t end) {
        alignas(64) std::byte tile[block_bytes];
        if (together > 0) {
          for (std::int64_t rows = 0; begin < end; begin += rows) {
            rows = std::min(together, end - begin);
            const std::byte* const elements = source.read(begin * length, (begin + rows) * length, tile);
            scanner.rows(elements, out + begin * length * scanner.result_size, length, rows);
          }
          return;
        }
        for (std::int64_t row = begin; row < end; ++row) {
          alignas(8) std::byte total[8];
          scanner.start(total, 1);
          for (std::int64_t done = 0; done < length; done += block) {
            const std::int64_t first = row * length + done;
            const std::int64_t count = std::min(block, length - done);
            source.evaluation.fill(first, first + count, tile);
            scanner.row(tile, out + first * scanner.result_size, count, total);
          }
        }
      },
      /*alignment=*/1);
}

/// `columns` scans of `length` elements that are `inner` apart, from element `first` on: as many rows at a time as fit
/// into the tile.
inline void scan_some_columns(const Scanner& scanner, const ScanSource& source, std::int64_t first, std::int64_t length,
                              std::int64_t columns, std::int64_t inner, std::byte* tile, std::byte* totals,
                              std::byte* out) {
  scanner.start(totals, columns);
  std::byte* const results = out + first * scanner.result_size;
  if (source.in_place != nullptr) {
    const std::byte* const elements = source.in_place + first * scanner.element_size;
    return scanner.columns(elements, inner, results, inner, length, columns, totals);
  }
  const std::int64_t row_bytes = columns * scanner.element_size;
  const std::int64_t together = scan_tile_bytes / row_bytes;
  for (std::int64_t i = 0, rows = 0; i < length; i += rows) {
    rows = std::min(together, length - i);
    const std::int64_t from = first + i * inner;
    if (columns == inner) {
      source.evaluation.fill(from, from + rows * inner, tile);
    } else {
      for (std::int64_t row = 0; row < rows; ++row) {
        source.evaluation.fill(from + row * inner, from + row * inner + columns, tile + row * row_bytes);
      }
    }
    scanner.columns(tile, columns, results + i * inner * scanner.result_size, inner, rows, columns, totals);
  }
}

/// `outer * inner` scans of `length` elements that are `inner` apart, many in parallel.
inline void scan_columns(const Scanner& scanner, const ScanSource& source, std::int64_t outer, std::int64_t length,
                         std::int64_t inner, std::byte* out) {
  constexpr std::int64_t most = most_scanned_columns;
  const std::int64_t chunks = (inner + most - 1) / most;
  parallel_for(
      0, outer * chunks, std::max<std::int64_t>(block_bytes / (length * std::min(inner, most)), 1),
      [&](std::int64_t begin, std::int64_t end) {
        alignas(64) std::byte tile[scan_tile_bytes];
        alignas(64) std::byte totals[8 * most];
        for (std::int64_t task = begin; task < end; ++task) {
          const std::int64_t column = task % chunks * most;
          const std::int64_t first = task / chunks * length * inner + column;
          scan_some_columns(scanner, source, first, length, std::min(most, inner - column), inner, tile, totals, out);
        }
      },
      /*alignment=*/1);
}

template <std::same_as<Backend> B>
void scan_elements(B, const Scanner& scanner, const CompiledProgram& compiled, bool is_leaf,
                   std::span<const program::Operand> operands, const Shape& shape, int axis, std::byte* out) {
  const bool in_place = is_leaf && is_row_major(shape, operands[0].strides);
  const ScanSource source{Evaluation(compiled, operands, shape),
                          in_place ? static_cast<const std::byte*>(operands[0].data) : nullptr, scanner.element_size};
  std::int64_t outer = 1;
  std::int64_t inner = 1;
  for (int i = 0; i < axis; ++i) outer *= shape[i];
  for (int i = axis + 1; i < shape.rank(); ++i) inner *= shape[i];
  if (inner == 1) scan_rows(scanner, source, outer, shape[axis], out);
  else scan_columns(scanner, source, outer, shape[axis], inner, out);
}

}  // namespace detail

/// Scans `program`, evaluated over `shape` with elements `T`, along `axis`; the results are row-major at `out`.
template <Element T, class Operation, class Program>
void scan(Backend backend, const Operation&, const Program& program, std::span<const program::Operand> operands,
          const Shape& shape, int axis, void* out) {
  using Tile = std::conditional_t<std::same_as<T, bool>, bool, compute_t<T>>;
  detail::scan_elements(backend, scanner<Operation, T>(backend), kernel_of<Tile>(program),
                        detail::is_leaf_of<Program, Tile>, operands, shape, axis, static_cast<std::byte*>(out));
}

}  // namespace situ::internal::inline SITU_SETTINGS::cpu
