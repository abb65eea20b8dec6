// SPDX-License-Identifier: Apache-2.0
// The driver of `fold::Position` on SIMD vectors: `argmin` and `argmax`. A block's extremum costs as much as in `min`
// and `max`; only a block that improves on the blocks before it is searched for the position.
#pragma once

#include <algorithm>
#include <concepts>
#include <cstddef>
#include <cstdint>
#include <type_traits>

#include <situ/core/config.hpp>
#include <situ/core/lane.hpp>
#include <situ/cpu/lanes/lanes.hpp>
#include <situ/cpu/reduce/kernels.hpp>
#include <situ/cpu/reduce/lane_fold.hpp>

namespace situ::internal::inline SITU_SETTINGS::cpu {

template <class Fold>
struct LaneFold<fold::Position<Fold>> {
  using T = typename Fold::Value;

  struct State {
    T best;
    std::int64_t position;
  };
  static constexpr int element_size = sizeof(T);
  static constexpr std::int64_t state_bytes = 64;

  static void start(void* state) { *static_cast<State*>(state) = {Fold::identity, 0}; }

  static void row(void* state, const void* elements, std::int64_t count, std::int64_t position) {
    auto& result = *static_cast<State*>(state);
    if (result.best != result.best) return;
    const auto* x = static_cast<const T*>(elements);
    using Extremum = LaneFold<Fold>;
    const T best = detail::combined([](const auto& a, const auto& b) SITU_INLINE_LAMBDA { return Fold::combine(a, b); },
                                    Extremum::block(x, count));
    if (Fold::improves(best, result.best)) result = {best, position + find(x, count, best)};
  }

  /// The first position of `wanted`, which must occur; NaN finds the first NaN.
  static std::int64_t find(const T* x, std::int64_t count, T wanted) {
    constexpr int width = LaneFold<Fold>::across;
    std::int64_t i = 0;
    for (; i + width <= count; i += width) {
      const Lanes<T, width> lanes = load<T, width>(x + i);
      if (any(wanted == wanted ? lanes == Lanes<T, width>(wanted) : lanes != lanes)) break;
    }
    while (!(x[i] == wanted || (wanted != wanted && x[i] != x[i]))) ++i;
    return i;
  }

  static void merge(void* state, const void* following) {
    const auto& other = *static_cast<const State*>(following);
    if (Fold::improves(other.best, static_cast<State*>(state)->best)) *static_cast<State*>(state) = other;
  }

  template <class Operation, Element Out>
  static void finish(const void* state, const void*, std::int64_t, void* out) {
    *static_cast<Out*>(out) = static_cast<const State*>(state)->position;
  }

  template <class Operation, Element Out>
  static void rows(const void* elements, const void* operation, std::int64_t rows, std::int64_t count, void* out) {
    for (std::int64_t i = 0; i < rows; ++i) {
      State state;
      start(&state);
      row(&state, static_cast<const T*>(elements) + i * count, count, 0);
      finish<Operation, Out>(&state, operation, count, static_cast<Out*>(out) + i);
    }
  }

  // A panel has absolute positions once it is complete; until then row numbers from its first row, as wide as the
  // elements, so that one mask serves both.
  using Index = std::conditional_t<sizeof(T) == 8, std::int64_t, std::int32_t>;
  static constexpr std::int64_t index_offset = 8;
  static constexpr std::int64_t best_offset = index_offset + sizeof(Index);
  static constexpr std::int64_t column_bytes = best_offset + static_cast<std::int64_t>(sizeof(T));
  static constexpr bool folds = false;
  static constexpr int across = std::min<int>(panel_alignment, 4 * vector_bytes / static_cast<int>(sizeof(Index)));

  static void panel_start(Panel& panel, std::int64_t columns) {
    const std::int64_t padded = (columns + panel_alignment - 1) / panel_alignment * panel_alignment;
    std::fill_n(panel.array<T>(best_offset), padded, Fold::identity);
    std::fill_n(panel.array<Index>(index_offset), padded, Index(0));
  }

  static void panel_rows(Panel& panel, const void* const* rows, int count, std::int64_t columns,
                         std::int64_t position) {
    auto* best = panel.array<T>(best_offset);
    auto* index = panel.array<Index>(index_offset);
    const auto first = static_cast<Index>(position - panel.first_row);
    std::int64_t i = 0;
    for (; i + across <= columns; i += across) add_rows(best + i, index + i, rows, count, i, first);
    for (; i < columns; ++i) {
      for (int r = 0; r < count; ++r) {
        const T x = static_cast<const T*>(rows[r])[i];
        if (!Fold::improves(x, best[i])) continue;
        best[i] = x;
        index[i] = first + static_cast<Index>(r);
      }
    }
  }

  [[SITU_INLINE]] static void add_rows(T* best, Index* index, const void* const* rows, int count, std::int64_t column,
                                       Index first) {
    using Values = Lanes<T, across>;
    using Indices = Lanes<Index, across>;
    Values most = load<T, across>(best);
    Indices at = load<Index, across>(index);
    for (int r = 0; r < count; ++r) {
      const Values x = load<T, across>(static_cast<const T*>(rows[r]) + column);
      const auto better = Fold::improves(x, most);
      most = select(better, x, most);
      at = select(better, Indices(first + static_cast<Index>(r)), at);
    }
    store(best, most);
    store(index, at);
  }

  static void panel_flush(Panel& panel, std::int64_t columns, bool last) {
    if (!last) return;
    const auto* index = panel.array<Index>(index_offset);
    auto* positions = panel.array<std::int64_t>(0);
    for (std::int64_t i = 0; i < columns; ++i) positions[i] = panel.first_row + index[i];
  }

  static void panel_merge(Panel& panel, std::int64_t to, const Panel& following, std::int64_t from,
                          std::int64_t columns) {
    auto* best = panel.array<T>(best_offset) + to;
    auto* positions = panel.array<std::int64_t>(0) + to;
    const auto* other = following.array<T>(best_offset) + from;
    const auto* other_positions = following.array<std::int64_t>(0) + from;
    for (std::int64_t i = 0; i < columns; ++i) {
      if (!Fold::improves(other[i], best[i])) continue;
      best[i] = other[i];
      positions[i] = other_positions[i];
    }
  }

  template <class Operation, Element Out>
  static void panel_finish(const Panel& panel, std::int64_t columns, const void*, std::int64_t, void* out) {
    std::copy_n(panel.array<std::int64_t>(0), columns, static_cast<Out*>(out));
  }
};

}  // namespace situ::internal::inline SITU_SETTINGS::cpu
