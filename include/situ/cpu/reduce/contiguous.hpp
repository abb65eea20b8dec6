// SPDX-License-Identifier: Apache-2.0
// Reductions along rows of elements: blocks, units of blocks, and partial results merged in an order that depends only
// on the shape, so that no result depends on the number of threads.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>

#include <situ/cpu/reduce/kernels.hpp>
#include <situ/cpu/reduce/source.hpp>
#include <situ/device/cpu.hpp>
#include <situ/memory/storage.hpp>
#include <situ/threads/thread_pool.hpp>

namespace situ::internal::inline SITU_SETTINGS::cpu {

/// The last step of a reduction, and the destination of its results.
struct ReductionResult {
  const void* operation;
  std::int64_t count;  // elements that become one result
  std::byte* out;
};

namespace detail {

/// Bytes of elements that justify a thread.
inline constexpr std::int64_t reduction_grain_bytes = 65536;

/// Blocks that one thread reduces in a row into one state.
inline constexpr std::int64_t blocks_in_unit = 4;

inline void reduce_unit(const Reducer& reducer, const ReductionSource& source, std::int64_t begin, std::int64_t end,
                        std::int64_t position, std::byte* tile, void* state) {
  const std::int64_t block = block_bytes / reducer.element_size;
  while (begin < end) {
    const std::int64_t length = std::min(block, end - begin);
    source.reduce(reducer, begin, begin + length, position, tile, state);
    begin += length;
    position += length;
  }
}

/// Rows of one unit: each thread gets whole rows, many at a time if they are contiguous or computed.
inline void reduce_short_rows(const Reducer& reducer, const ReductionSource& source, std::int64_t rows,
                              std::int64_t length, const ReductionResult& result) {
  const std::int64_t grain = std::max<std::int64_t>(reduction_grain_bytes / (length * reducer.element_size), 1);
  const bool one_block = length * reducer.element_size <= block_bytes;
  const std::int64_t together = !one_block || (source.run() >= length && !source.is_run()) ? 1
                                : source.is_run()                                          ? rows
                                                  : block_bytes / (length * reducer.element_size);
  parallel_for(
      0, rows, grain,
      [&](std::int64_t begin, std::int64_t end) {
        alignas(64) std::byte tile[block_bytes];
        alignas(64) std::byte state[most_state_bytes];
        for (std::int64_t first = begin; first < end; first += together) {
          const std::int64_t last = std::min(first + together, end);
          std::byte* const out = result.out + first * reducer.result_size;
          if (one_block) {
            const std::byte* const elements = source.read(first * length, last * length, tile);
            reducer.rows(elements, result.operation, last - first, result.count, out);
          } else {
            reducer.start(state);
            reduce_unit(reducer, source, first * length, last * length, 0, tile, state);
            reducer.finish(state, result.operation, result.count, out);
          }
        }
      },
      /*alignment=*/1);
}

}  // namespace detail

/// `rows` results, each of `length` elements.
inline void reduce_rows(const Reducer& reducer, const ReductionSource& source, std::int64_t rows, std::int64_t length,
                        const ReductionResult& result) {
  const std::int64_t unit = detail::blocks_in_unit * block_bytes / reducer.element_size;
  if (length <= unit) return detail::reduce_short_rows(reducer, source, rows, length, result);
  const std::int64_t units = (length + unit - 1) / unit;
  const Storage<Cpu> storage =
      Storage<Cpu>::allocate(static_cast<std::size_t>(rows * units) * static_cast<std::size_t>(reducer.state_bytes));
  auto* states = static_cast<std::byte*>(storage.data());
  parallel_for(
      0, rows * units, 1,
      [&](std::int64_t begin, std::int64_t end) {
        alignas(64) std::byte tile[block_bytes];
        for (std::int64_t i = begin; i < end; ++i) {
          const std::int64_t row = i / units;
          const std::int64_t first = i % units * unit;
          const std::int64_t last = std::min(first + unit, length);
          void* const state = states + i * reducer.state_bytes;
          reducer.start(state);
          detail::reduce_unit(reducer, source, row * length + first, row * length + last, first, tile, state);
        }
      },
      /*alignment=*/1);
  for (std::int64_t row = 0; row < rows; ++row) {
    std::byte* const first = states + row * units * reducer.state_bytes;
    for (std::int64_t step = 1; step < units; step *= 2) {  // pairwise
      for (std::int64_t i = 0; i + step < units; i += 2 * step) {
        reducer.merge(first + i * reducer.state_bytes, first + (i + step) * reducer.state_bytes);
      }
    }
    reducer.finish(first, result.operation, result.count, result.out + row * reducer.result_size);
  }
}

}  // namespace situ::internal::inline SITU_SETTINGS::cpu
