// SPDX-License-Identifier: Apache-2.0
// The driver of a fold on SIMD vectors: blocks, chains of vectors and tails along rows, panels of columns across them.
#pragma once

#include <algorithm>
#include <array>
#include <concepts>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <type_traits>
#include <utility>

#include <situ/core/config.hpp>
#include <situ/cpu/lanes/lanes.hpp>
#include <situ/cpu/reduce/kernels.hpp>
#include <situ/cpu/reduce/lanes.hpp>
#include <situ/formula/fold.hpp>

namespace situ::internal::inline SITU_SETTINGS::cpu {

/// The kernels for a fold of formula/fold.hpp.
template <class Fold>
struct LaneFold {
  using T = typename Fold::Value;
  using Block = typename Fold::Block;
  using Total = typename Fold::Total;
  static constexpr Block block_identity = static_cast<Block>(Fold::identity);
  static constexpr Total identity = static_cast<Total>(Fold::identity);

  // Eight registers of partial results hide the latency of an addition; the state keeps at least one register.
  static constexpr int wide = 8 * vector_bytes / static_cast<int>(sizeof(Block));
  static constexpr int narrow = std::max(16, vector_bytes / static_cast<int>(sizeof(Block)));
  static constexpr int across = std::max(narrow, wide / 2);  // columns of a panel at a time
  using State = std::array<Total, std::size_t{narrow}>;
  static constexpr int element_size = sizeof(T);
  static constexpr std::int64_t state_bytes = (static_cast<std::int64_t>(sizeof(State)) + 63) / 64 * 64;
  static_assert(state_bytes <= most_state_bytes && narrow <= panel_alignment);

  static void start(void* state) { std::fill_n(static_cast<Total*>(state), narrow, identity); }

  // Extrema of floats: NaN is tracked separately from the comparison, because an accumulator that tests itself for NaN
  // is a chain of dependent instructions, twice as slow as memory.
  static constexpr bool looks_for_nan = requires(T x) { Fold::combine_ordered(x, x); };

  static Lanes<Block, narrow> block(const T* x, std::int64_t count) {
    const std::int64_t whole = count / wide * wide;
    Lanes<Block, wide> sums(block_identity);
    if constexpr (looks_for_nan) {
      Lanes<T, wide / 2> poison(T(0));  // becomes NaN with a NaN, or needlessly with infinities and huge numbers
      for (std::int64_t i = 0; i < whole; i += wide) {
        const Lanes<T, wide> values = load<T, wide>(x + i);
        sums = Fold::combine_ordered(sums, values);
        poison = poison + detail::half_of<0>(values);
        poison = poison + detail::half_of<1>(values);
      }
      if (all(poison == poison)) return finish_block(sums, x, whole, count);
      sums = Lanes<Block, wide>(block_identity);
    }
    for (std::int64_t i = 0; i < whole; i += wide) sums = Fold::combine(sums, Fold::lift(load<T, wide>(x + i)));
    return finish_block(sums, x, whole, count);
  }

  /// Halves the number of partial results, with one step of each width on the way.
  template <int Size>
  [[SITU_INLINE]] static Lanes<Block, narrow> finish_block(const Lanes<Block, Size>& sums, const T* x, std::int64_t i,
                                                           std::int64_t count) {
    if constexpr (Size > narrow) {
      Lanes<Block, Size / 2> half = Fold::combine(detail::half_of<0>(sums), detail::half_of<1>(sums));
      if (i + Size / 2 <= count) {
        half = Fold::combine(half, Fold::lift(load<T, Size / 2>(x + i)));
        i += Size / 2;
      }
      return finish_block(half, x, i, count);
    } else {
      if (i == count) return sums;
      return Fold::combine(sums, Fold::lift(load_rest(x, i, count)));
    }
  }

  /// Elements `[i, count)`, fewer than `narrow`, preceded by neutral ones: the last `narrow` of all, without those
  /// before `i`. (A copy to a padded buffer would be read before its stores complete: a stall of some 40 ns.)
  [[SITU_INLINE]] static Lanes<T, narrow> load_rest(const T* x, std::int64_t i, std::int64_t count) {
    if (count < narrow) return load_padded(x + i, count - i);
    using Bits = typename detail::LastElements<T, narrow>::Bits;
    const Lanes<Bits, narrow> last = load<Bits, narrow>(detail::LastElements<T, narrow>::table.data() + (count - i));
    return select(last != Lanes<Bits, narrow>(Bits(0)), load<T, narrow>(x + count - narrow),
                  Lanes<T, narrow>(Fold::identity));
  }

  [[SITU_INLINE]] static Lanes<T, narrow> load_padded(const T* x, std::int64_t count) {
    alignas(64) std::array<T, std::size_t{narrow}> padded;
    padded.fill(Fold::identity);
    std::memcpy(padded.data(), x, static_cast<std::size_t>(count) * sizeof(T));
    return load<T, narrow>(padded.data());
  }

  static void row(void* state, const void* elements, std::int64_t count, std::int64_t) {
    add_block(state, block(static_cast<const T*>(elements), count));
  }
  [[SITU_INLINE]] static void add_block(void* state, const Lanes<Block, narrow>& sum) {
    auto* total = static_cast<Total*>(state);
    store(total, Fold::combine(load<Total, narrow>(total), convert<Total>(sum)));
  }

  static void merge(void* state, const void* following) {
    auto* total = static_cast<Total*>(state);
    store(total, Fold::combine(load<Total, narrow>(total), load<Total, narrow>(static_cast<const Total*>(following))));
  }

  [[SITU_INLINE]] static Total value(const Lanes<Total, narrow>& lanes) {
    return detail::combined([](const auto& a, const auto& b) SITU_INLINE_LAMBDA { return Fold::combine(a, b); }, lanes);
  }

  template <class Operation, Element Out>
  static void finish(const void* state, const void* operation, std::int64_t count, void* out) {
    const Total total = value(load<Total, narrow>(static_cast<const Total*>(state)));
    *static_cast<Out*>(out) = static_cast<const Operation*>(operation)->template finish<Out>(total, count);
  }

  template <class Operation, Element Out>
  static void rows(const void* elements, const void* operation, std::int64_t rows, std::int64_t count, void* out) {
    const Operation local = *static_cast<const Operation*>(operation);
    for (std::int64_t i = 0; i < rows; ++i) {
      const Total total = value(convert<Total>(block(static_cast<const T*>(elements) + i * count, count)));
      static_cast<Out*>(out)[i] = local.template finish<Out>(total, count);
    }
  }

  /// Rows shorter than a register, one element after the other, in the order of a panel: the processor itself overlaps
  /// several rows.
  template <class Operation, Element Out>
  static void short_rows(const void* elements, const void* operation, std::int64_t rows, std::int64_t count,
                         void* out) {
    const Operation local = *static_cast<const Operation*>(operation);
    const T* x = static_cast<const T*>(elements);
    for (std::int64_t row = 0; row < rows; ++row, x += count) {
      const Total total = Fold::combine(identity, static_cast<Total>(short_row(x, count)));
      static_cast<Out*>(out)[row] = local.template finish<Out>(total, count);
    }
  }
  [[nodiscard, SITU_INLINE]] static Block short_row(const T* x, std::int64_t count) {
    Block sum = block_identity;
    std::int64_t i = 0;
    if constexpr (looks_for_nan) {  // keeps the same one of equal elements, 0 or -0, as `panel_rows`
      for (; i + most_panel_rows <= count; i += most_panel_rows) {
        Block most = sum;
        T poison(0);
        for (std::int64_t j = i; j < i + most_panel_rows; ++j) {
          most = Fold::combine_ordered(most, x[j]);
          poison += x[j] * T(0);
        }
        if (poison == poison) sum = most;
        else
          for (std::int64_t j = i; j < i + most_panel_rows; ++j) sum = Fold::combine(sum, x[j]);
      }
    }
    for (; i < count; ++i) sum = Fold::combine(sum, static_cast<Block>(Fold::lift(x[i])));
    return sum;
  }

  /// Columns whose elements fit in one wide row: folds the upper half of the rows onto the lower, like a panel.
  template <class Operation, Element Out>
  static void short_columns(const void* elements, const void* operation, std::int64_t rows, std::int64_t columns,
                            void* out) {
    const T* x = static_cast<const T*>(elements);
    std::array<Total, std::size_t{2 * wide_row}> totals;
    const auto count = static_cast<std::size_t>(rows * columns);
    for (std::size_t i = 0; i < count; ++i) {
      const Block sum = Fold::combine(block_identity, static_cast<Block>(Fold::lift(x[i])));
      totals[i] = Fold::combine(identity, static_cast<Total>(sum));
    }
    for (std::int64_t left = rows; left > 1;) {
      const std::int64_t half = (left + 1) / 2;
      const Total* upper = totals.data() + half * columns;
      const auto merged = static_cast<std::size_t>((left - half) * columns);
      for (std::size_t i = 0; i < merged; ++i) totals[i] = Fold::combine(totals[i], upper[i]);
      left = half;
    }
    const Operation local = *static_cast<const Operation*>(operation);
    for (std::int64_t i = 0; i < columns; ++i) {
      static_cast<Out*>(out)[i] = local.template finish<Out>(totals[static_cast<std::size_t>(i)], rows);
    }
  }

  // A panel has an array of totals and, if blocks are combined in another type, one for the current block.
  static constexpr bool flushes = !std::same_as<Block, Total>;
  static constexpr std::int64_t block_offset = flushes ? static_cast<std::int64_t>(sizeof(Total)) : 0;
  static constexpr std::int64_t column_bytes = block_offset + static_cast<std::int64_t>(sizeof(Block));
  static constexpr bool folds = true;

  static void panel_start(Panel& panel, std::int64_t columns) {
    const std::int64_t padded = (columns + panel_alignment - 1) / panel_alignment * panel_alignment;
    std::fill_n(panel.array<Total>(0), padded, identity);
    if constexpr (flushes) std::fill_n(panel.array<Block>(block_offset), padded, block_identity);
  }

  static void panel_rows(Panel& panel, const void* const* rows, int count, std::int64_t columns, std::int64_t) {
    auto* sums = panel.array<Block>(block_offset);
    std::int64_t i = 0;
    if (count == most_panel_rows) {  // unrolled: loads of all rows are in flight at once, 1/3 faster
      std::array<const T*, most_panel_rows> all_rows;
      for (std::size_t r = 0; r < most_panel_rows; ++r) all_rows[r] = static_cast<const T*>(rows[r]);
      for (; i + across <= columns; i += across) add_rows<across>(sums + i, all_rows, i);
    } else {
      for (; i + across <= columns; i += across) add_rows<across>(sums + i, rows, count, i);
    }
    for (; i + narrow <= columns; i += narrow) add_rows<narrow>(sums + i, rows, count, i);
    if (i == columns) return;
    Lanes<Block, narrow> sum = load<Block, narrow>(sums + i);
    for (int r = 0; r < count; ++r) {
      sum = Fold::combine(sum, Fold::lift(load_padded(static_cast<const T*>(rows[r]) + i, columns - i)));
    }
    store(sums + i, sum);
  }

  template <int Size>
  [[SITU_INLINE]] static void add_rows(Block* sums, const void* const* rows, int count, std::int64_t column) {
    Lanes<Block, Size> sum = load<Block, Size>(sums);
    for (int r = 0; r < count; ++r) {
      sum = Fold::combine(sum, Fold::lift(load<T, Size>(static_cast<const T*>(rows[r]) + column)));
    }
    store(sums, sum);
  }

  template <int Size>
  [[SITU_INLINE]] static void add_rows(Block* sums, const std::array<const T*, most_panel_rows>& rows,
                                       std::int64_t column) {
    [&]<std::size_t... R>(std::index_sequence<R...>) SITU_INLINE_LAMBDA {
      Lanes<Block, Size> sum = load<Block, Size>(sums);
      if constexpr (looks_for_nan) {
        Lanes<Block, Size> most = sum;
        Lanes<T, Size> poison(T(0));
        const auto add = [&](const Lanes<T, Size>& values) SITU_INLINE_LAMBDA {
          most = Fold::combine_ordered(most, values);
          poison = poison + values;
        };
        (add(load<T, Size>(rows[R] + column)), ...);
        if (all(poison == poison)) return store(sums, most);
      }
      ((sum = Fold::combine(sum, Fold::lift(load<T, Size>(rows[R] + column)))), ...);
      store(sums, sum);
    }(std::make_index_sequence<most_panel_rows>{});
  }

  static void panel_flush(Panel& panel, std::int64_t columns, bool) {
    if constexpr (flushes) {
      auto* totals = panel.array<Total>(0);
      auto* sums = panel.array<Block>(block_offset);
      for (std::int64_t i = 0; i < columns; i += narrow) {
        const Lanes<Total, narrow> sum = convert<Total>(load<Block, narrow>(sums + i));
        store(totals + i, Fold::combine(load<Total, narrow>(totals + i), sum));
        store(sums + i, Lanes<Block, narrow>(block_identity));
      }
    }
  }

  static void panel_merge(Panel& panel, std::int64_t to, const Panel& following, std::int64_t from,
                          std::int64_t columns) {
    auto* totals = panel.array<Total>(0) + to;
    const auto* other = following.array<Total>(0) + from;
    for (std::int64_t i = 0; i < columns; ++i) totals[i] = Fold::combine(totals[i], other[i]);
  }

  template <class Operation, Element Out>
  static void panel_finish(const Panel& panel, std::int64_t columns, const void* operation, std::int64_t count,
                           void* out) {
    const auto* totals = panel.array<Total>(0);
    const Operation local = *static_cast<const Operation*>(operation);
    for (std::int64_t i = 0; i < columns; ++i) {
      static_cast<Out*>(out)[i] = local.template finish<Out>(totals[i], count);
    }
  }
};

}  // namespace situ::internal::inline SITU_SETTINGS::cpu
