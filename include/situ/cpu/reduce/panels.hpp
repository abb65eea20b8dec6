// SPDX-License-Identifier: Apache-2.0
// Reductions across rows: many columns at once, in panels that stay in the cache. Short rows are transposed into a
// panel.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstring>

#include <situ/cpu/reduce/contiguous.hpp>
#include <situ/cpu/reduce/kernels.hpp>
#include <situ/cpu/reduce/source.hpp>
#include <situ/device/cpu.hpp>
#include <situ/memory/storage.hpp>
#include <situ/threads/thread_pool.hpp>

namespace situ::internal::inline SITU_SETTINGS::cpu {

namespace detail {

/// Bytes of the panel to which a thread adds rows.
inline constexpr std::int64_t panel_bytes = 49152;

[[nodiscard]] inline std::int64_t rounded_up(std::int64_t count, std::int64_t multiple) noexcept {
  return (count + multiple - 1) / multiple * multiple;
}

/// The widest panel of a reduction: a row of it fits in a tile.
[[nodiscard]] inline std::int64_t most_columns(const Reducer& reducer) noexcept {
  const std::int64_t columns = std::min(panel_bytes / reducer.column_bytes, block_bytes / reducer.element_size);
  return columns / panel_alignment * panel_alignment;
}

/// How `reduced` rows of `inner` columns are divided. Several narrow rows are read as one wide row, whose columns are
/// merged at the end; wide rows are divided into chunks of columns, many rows into units.
struct PanelPlan {
  std::int64_t reduced;
  std::int64_t inner;    // columns of the result
  std::int64_t fold;     // rows read as one
  std::int64_t width;    // inner * fold
  std::int64_t rows;     // wide rows, complete
  std::int64_t rest;     // rows left over from wide rows
  std::int64_t columns;  // in a chunk; the last one may have fewer
  std::int64_t chunks;
  std::int64_t unit;  // wide rows
  std::int64_t units;

  PanelPlan(const Reducer& reducer, std::int64_t reduced_rows, std::int64_t inner_columns)
      : reduced(reduced_rows), inner(inner_columns) {
    fold = reducer.folds && inner < wide_row ? std::min(reduced, (wide_row + inner - 1) / inner) : 1;
    width = inner * fold;
    rows = reduced / fold;
    rest = reduced % fold;
    chunks = (width + most_columns(reducer) - 1) / most_columns(reducer);
    columns = std::min(rounded_up((width + chunks - 1) / chunks, panel_alignment), width);
    chunks = (width + columns - 1) / columns;
    // Partial panels are small compared to their input, and there are enough of them for many threads.
    unit = std::max<std::int64_t>((1 << 19) / columns, 64) / rows_between_flushes * rows_between_flushes;
    units = (rows + unit - 1) / unit;
  }
};

/// Whether rows and chunks of a plan never cross the end of a run, so that they can be read in place.
[[nodiscard]] inline bool reads_in_place(const ReductionSource& source, const PanelPlan& plan) {
  return source.run() > 0 && (source.run() % (plan.reduced * plan.inner) == 0 || source.run() % plan.width == 0);
}

/// The columns `[column, column + columns)` of wide rows `[first, last)`, and the beginning of the first of all rows.
struct PanelPart {
  std::int64_t start;
  std::int64_t column;
  std::int64_t columns;
  std::int64_t first;
  std::int64_t last;
};

/// Adds a part to `panel`, eight rows at a time if they are in memory, otherwise as many as the tile holds.
inline void add_part(const Reducer& reducer, const ReductionSource& source, const PanelPlan& plan, bool in_place,
                     const PanelPart& part, std::byte* tile, Panel& panel) {
  const void* rows[most_panel_rows];
  const std::int64_t row_bytes = part.columns * reducer.element_size;
  const std::int64_t together =
      in_place ? most_panel_rows : std::min<std::int64_t>(most_panel_rows, block_bytes / row_bytes);
  const bool whole = part.columns == plan.width && (!in_place || source.run() % (plan.reduced * plan.inner) == 0);
  std::int64_t unflushed = 0;
  for (std::int64_t row = part.first; row < part.last;) {
    const std::int64_t count = std::min({together, part.last - row, rows_between_flushes - unflushed});
    const std::int64_t begin = part.start + row * plan.width + part.column;
    if (whole) {
      const std::byte* elements = source.read(begin, begin + count * plan.width, tile);
      for (std::int64_t r = 0; r < count; ++r) rows[r] = elements + r * row_bytes;
    } else {
      for (std::int64_t r = 0; r < count; ++r) {
        const std::int64_t from = begin + r * plan.width;
        rows[r] = source.read(from, from + part.columns, tile + (in_place ? 0 : r * row_bytes));
      }
    }
    reducer.panel_rows(panel, rows, static_cast<int>(count), part.columns, row * plan.fold);
    row += count;
    unflushed += count;
    if (unflushed == rows_between_flushes) {
      reducer.panel_flush(panel, part.columns, /*last=*/false);
      unflushed = 0;
    }
  }
}

/// The results of one chunk, from the complete panel of all its rows.
inline void finish_panel(const Reducer& reducer, const PanelPlan& plan, std::int64_t columns, Panel& panel,
                         const ReductionResult& result, std::byte* out) {
  for (std::int64_t rows = plan.fold; rows > 1;) {  // the upper half of the folded rows onto the lower
    const std::int64_t half = (rows + 1) / 2;
    reducer.panel_merge(panel, 0, panel, half * plan.inner, (rows - half) * plan.inner);
    rows = half;
  }
  reducer.panel_finish(panel, plan.fold > 1 ? plan.inner : columns, result.operation, result.count, out);
}

}  // namespace detail

/// `outer * inner` results, each of `reduced` elements that are `inner` apart.
inline void reduce_panels(const Reducer& reducer, const ReductionSource& source, std::int64_t outer,
                          std::int64_t reduced, std::int64_t inner, const ReductionResult& result) {
  const detail::PanelPlan plan(reducer, reduced, inner);
  const bool in_place = detail::reads_in_place(source, plan);
  const std::int64_t pitch = detail::rounded_up(plan.columns, panel_alignment);
  const std::int64_t panel_size = detail::rounded_up(pitch * reducer.column_bytes, 64);
  const std::int64_t panels = outer * plan.chunks;
  Storage<Cpu> storage;
  if (plan.units > 1) storage = Storage<Cpu>::allocate(static_cast<std::size_t>(panels * plan.units * panel_size));
  auto* const partial = static_cast<std::byte*>(storage.data());
  const auto columns_of = [&](std::int64_t chunk) { return std::min(plan.columns, plan.width - chunk * plan.columns); };
  const auto out_of = [&](std::int64_t index) {
    return result.out + (index / plan.chunks * inner + index % plan.chunks * plan.columns) * reducer.result_size;
  };

  const std::int64_t work = std::min(plan.unit, plan.rows) * plan.columns * reducer.element_size;
  parallel_for(
      0, panels * plan.units, std::max<std::int64_t>(detail::reduction_grain_bytes / work, 1),
      [&](std::int64_t begin, std::int64_t end) {
        alignas(64) std::byte tile[block_bytes];
        alignas(64) std::byte local[detail::panel_bytes];
        for (std::int64_t task = begin; task < end; ++task) {
          const std::int64_t index = task / plan.units;
          const std::int64_t unit = task % plan.units;
          const std::int64_t chunk = index % plan.chunks;
          const std::int64_t start = index / plan.chunks * reduced * inner;
          const std::int64_t columns = columns_of(chunk);
          const std::int64_t first = unit * plan.unit;
          const std::int64_t last = std::min(first + plan.unit, plan.rows);
          Panel panel{partial == nullptr ? local : partial + task * panel_size, pitch, first * plan.fold};
          reducer.panel_start(panel, columns);
          detail::add_part(reducer, source, plan, in_place, {start, chunk * plan.columns, columns, first, last}, tile,
                           panel);
          if (plan.rest > 0 && unit == plan.units - 1) {
            const std::int64_t from = start + plan.rows * plan.width;
            const void* row = source.read(from, from + plan.rest * inner, tile);
            reducer.panel_rows(panel, &row, 1, plan.rest * inner, plan.rows * plan.fold);
          }
          reducer.panel_flush(panel, columns, /*last=*/true);
          if (partial == nullptr) detail::finish_panel(reducer, plan, columns, panel, result, out_of(index));
        }
      },
      /*alignment=*/1);

  if (partial == nullptr) return;
  parallel_for(
      0, panels, std::max<std::int64_t>(detail::reduction_grain_bytes / (plan.units * panel_size), 1),
      [&](std::int64_t begin, std::int64_t end) {
        for (std::int64_t index = begin; index < end; ++index) {
          const std::int64_t columns = columns_of(index % plan.chunks);
          const auto panel_of = [&](std::int64_t unit) {
            return Panel{partial + (index * plan.units + unit) * panel_size, pitch};
          };
          for (std::int64_t step = 1; step < plan.units; step *= 2) {  // pairwise
            for (std::int64_t unit = 0; unit + step < plan.units; unit += 2 * step) {
              Panel into = panel_of(unit);
              reducer.panel_merge(into, 0, panel_of(unit + step), 0, columns);
            }
          }
          Panel whole = panel_of(0);
          detail::finish_panel(reducer, plan, columns, whole, result, out_of(index));
        }
      },
      /*alignment=*/1);
}

/// The longest rows, in elements, that are cheaper to transpose than to reduce one by one.
inline constexpr std::int64_t longest_transposed_row = 16;
inline constexpr std::int64_t fewest_transposed_rows = 4;

[[nodiscard]] constexpr bool reduces_transposed(std::int64_t rows, std::int64_t length) noexcept {
  return length <= longest_transposed_row && rows >= fewest_transposed_rows;
}

/// `rows` results of `length` elements each, which is short: many rows are transposed in the cache, and reduced as
/// columns.
inline void reduce_transposed(const Reducer& reducer, const ReductionSource& source, std::int64_t rows,
                              std::int64_t length, const ReductionResult& result) {
  const std::int64_t row_bytes = length * reducer.element_size;
  const std::int64_t columns =
      std::min(block_bytes / row_bytes, detail::most_columns(reducer)) / panel_alignment * panel_alignment;
  parallel_for(0, rows, std::max<std::int64_t>(detail::reduction_grain_bytes / row_bytes, 1),
               [&](std::int64_t begin, std::int64_t end) {
                 alignas(64) std::byte tile[block_bytes];
                 alignas(64) std::byte transposed[block_bytes];
                 alignas(64) std::byte local[detail::panel_bytes];
                 Panel panel{local, columns};
                 for (std::int64_t first = begin; first < end; first += columns) {
                   const std::int64_t count = std::min(columns, end - first);
                   // Whole groups of columns: the last ones are zeros, and their results are not read.
                   const std::int64_t padded = detail::rounded_up(count, panel_alignment);
                   if (padded > count) std::memset(transposed, 0, static_cast<std::size_t>(padded * row_bytes));
                   const std::byte* elements = source.read(first * length, (first + count) * length, tile);
                   reducer.transpose(elements, transposed, count, length, padded);
                   panel.started = false;
                   reducer.panel_start(panel, padded);
                   const void* lines[most_panel_rows];
                   for (std::int64_t line = 0; line < length; line += most_panel_rows) {
                     const std::int64_t some = std::min<std::int64_t>(most_panel_rows, length - line);
                     for (std::int64_t i = 0; i < some; ++i) {
                       lines[i] = transposed + (line + i) * padded * reducer.element_size;
                     }
                     reducer.panel_rows(panel, lines, static_cast<int>(some), padded, line);
                   }
                   reducer.panel_flush(panel, count, /*last=*/true);
                   reducer.panel_finish(panel, count, result.operation, result.count,
                                        result.out + first * reducer.result_size);
                 }
               });
}

}  // namespace situ::internal::inline SITU_SETTINGS::cpu
