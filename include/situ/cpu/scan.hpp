// SPDX-License-Identifier: Apache-2.0
// Prefix sums and products (scans) along an axis, on host devices. Rows are scanned in parallel on all threads; within
// a row the order is that of the elements.
#pragma once

#include <algorithm>
#include <array>
#include <concepts>
#include <cstddef>
#include <cstdint>
#include <span>
#include <type_traits>

#include <situ/core/shape.hpp>
#include <situ/cpu/evaluation.hpp>
#include <situ/cpu/program_lanes.hpp>
#include <situ/cpu/reduce/kernels.hpp>
#include <situ/device/cpu.hpp>
#include <situ/formula/fold.hpp>
#include <situ/plan/program.hpp>
#include <situ/plan/reduction.hpp>
#include <situ/threads/thread_pool.hpp>

namespace situ::internal::inline SITU_SETTINGS::cpu {

/// The functions that the driver of a scan needs: a table for each operation and element type.
struct Scanner {
  int element_size;
  int result_size;
  /// Scans contiguous elements; `total` is the result so far, an 8-byte number, and is updated.
  void (*row)(const void* elements, void* out, std::int64_t count, void* total);
  /// One step of many scans at once; `totals` has a number for each.
  void (*step)(const void* elements, void* out, std::int64_t count, void* totals);
  void (*start)(void* totals, std::int64_t count);
};

/// The kernels for `Fold`, which is `fold::Sum` or `fold::Prod`: integers in `int64`, floats in `double`.
template <class Fold, Element Out>
struct ScanKernels {
  using T = typename Fold::Value;
  using Total = typename Fold::Total;
  static_assert(sizeof(Total) == 8);
  static constexpr int element_size = sizeof(T);
  static constexpr bool adds = std::same_as<Fold, fold::Sum<T>>;

  static void start(void* totals, std::int64_t count) {
    std::fill_n(static_cast<Total*>(totals), count, static_cast<Total>(Fold::identity));
  }

  static void row(const void* elements, void* out, std::int64_t count, void* total) {
    const auto* x = static_cast<const T*>(elements);
    auto* y = static_cast<Out*>(out);
    Total sum = *static_cast<Total*>(total);
    std::int64_t i = 0;
    // Sums of eight do not wait for the previous elements. Products do: eight factors may overflow although their
    // product with a small number before them does not.
    constexpr int group = adds ? 8 : 1;
    for (; i + group <= count; i += group) {
      std::array<Total, std::size_t{group}> part;
      part[0] = static_cast<Total>(x[i]);
      for (std::size_t j = 1; j < group; ++j)
        part[j] = Fold::combine(part[j - 1], static_cast<Total>(x[i + static_cast<std::int64_t>(j)]));
      for (std::size_t j = 0; j < group; ++j) {
        y[i + static_cast<std::int64_t>(j)] = reduction::rounded<Out>(Fold::combine(sum, part[j]));
      }
      sum = Fold::combine(sum, part[group - 1]);
    }
    for (; i < count; ++i) y[i] = reduction::rounded<Out>(sum = Fold::combine(sum, static_cast<Total>(x[i])));
    *static_cast<Total*>(total) = sum;
  }

  static void step(const void* elements, void* out, std::int64_t count, void* totals) {
    const auto* x = static_cast<const T*>(elements);
    auto* y = static_cast<Out*>(out);
    auto* sums = static_cast<Total*>(totals);
    for (std::int64_t i = 0; i < count; ++i) {
      sums[i] = Fold::combine(sums[i], static_cast<Total>(x[i]));
      y[i] = reduction::rounded<Out>(sums[i]);
    }
  }
};

/// The table of an operation of plan/reduction.hpp for elements of type `T`. A function, so that kernels are compiled
/// where it is.
template <class Operation, Element T>
[[nodiscard]] const Scanner& scanner(Backend) {
  using Out = typename Operation::template result<T>;
  using Kernels = ScanKernels<typename Operation::template Fold<reduction::read_t<T>>, Out>;
  static constexpr Scanner table = {.element_size = Kernels::element_size,
                                    .result_size = sizeof(Out),
                                    .row = Kernels::row,
                                    .step = Kernels::step,
                                    .start = Kernels::start};
  return table;
}

namespace detail {

/// `outer` scans of `length` contiguous elements.
inline void scan_rows(const Scanner& scanner, const Evaluation& evaluation, std::int64_t outer, std::int64_t length,
                      std::byte* out) {
  const std::int64_t block = block_bytes / scanner.element_size;
  parallel_for(
      0, outer, std::max<std::int64_t>(block / length, 1),
      [&](std::int64_t begin, std::int64_t end) {
        alignas(64) std::byte tile[block_bytes];
        for (std::int64_t row = begin; row < end; ++row) {
          alignas(8) std::byte total[8];
          scanner.start(total, 1);
          for (std::int64_t done = 0; done < length; done += block) {
            const std::int64_t first = row * length + done;
            const std::int64_t count = std::min(block, length - done);
            evaluation.fill(first, first + count, tile);
            scanner.row(tile, out + first * scanner.result_size, count, total);
          }
        }
      },
      /*alignment=*/1);
}

/// `outer * inner` scans of `length` elements that are `inner` apart, many in parallel.
inline void scan_columns(const Scanner& scanner, const Evaluation& evaluation, std::int64_t outer, std::int64_t length,
                         std::int64_t inner, std::byte* out) {
  constexpr std::int64_t most = block_bytes / 8;
  const std::int64_t chunks = (inner + most - 1) / most;
  parallel_for(
      0, outer * chunks, std::max<std::int64_t>(block_bytes / (length * std::min(inner, most)), 1),
      [&](std::int64_t begin, std::int64_t end) {
        alignas(64) std::byte tile[block_bytes];
        alignas(64) std::byte totals[block_bytes];
        for (std::int64_t task = begin; task < end; ++task) {
          const std::int64_t column = task % chunks * most;
          const std::int64_t columns = std::min(most, inner - column);
          scanner.start(totals, columns);
          for (std::int64_t i = 0; i < length; ++i) {
            const std::int64_t first = (task / chunks * length + i) * inner + column;
            evaluation.fill(first, first + columns, tile);
            scanner.step(tile, out + first * scanner.result_size, columns, totals);
          }
        }
      },
      /*alignment=*/1);
}

template <std::same_as<Backend> B>
void scan_elements(B, const Scanner& scanner, const CompiledProgram& compiled,
                   std::span<const program::Operand> operands, const Shape& shape, int axis, std::byte* out) {
  const Evaluation evaluation(compiled, operands, shape);
  std::int64_t outer = 1;
  std::int64_t inner = 1;
  for (int i = 0; i < axis; ++i) outer *= shape[i];
  for (int i = axis + 1; i < shape.rank(); ++i) inner *= shape[i];
  if (inner == 1) scan_rows(scanner, evaluation, outer, shape[axis], out);
  else scan_columns(scanner, evaluation, outer, shape[axis], inner, out);
}

}  // namespace detail

/// Scans `program`, evaluated over `shape` with elements `T`, along `axis`; the results are row-major at `out`.
template <Element T, class Operation, class Program>
void scan(Backend backend, const Operation&, const Program& program, std::span<const program::Operand> operands,
          const Shape& shape, int axis, void* out) {
  using Tile = std::conditional_t<std::same_as<T, bool>, bool, compute_t<T>>;
  detail::scan_elements(backend, scanner<Operation, T>(backend), kernel_of<Tile>(program), operands, shape, axis,
                        static_cast<std::byte*>(out));
}

}  // namespace situ::internal::inline SITU_SETTINGS::cpu
