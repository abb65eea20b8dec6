// SPDX-License-Identifier: Apache-2.0
// Reductions of adjacent elements: a few threads of a warp for each short row, a block for a longer one, and for the
// longest, including full reductions, several blocks, the last of which merges their results.
#pragma once

#include <situ/cuda/api/kernel.hpp>
#include <situ/cuda/kernels/layout.hpp>
#include <situ/cuda/kernels/program.hpp>
#include <situ/cuda/kernels/reduce/group.hpp>

#if defined(SITU_CUDA)

#include <algorithm>
#include <concepts>
#include <cstddef>
#include <cstdint>

namespace situ::internal::cuda::detail {

/// Where a kernel writes its results and how it finishes them.
template <class Operation, class Out>
struct ReductionTarget {
  Operation operation;
  Out* out;
  std::int64_t count;  // elements that become one result
  StridedIndex<std::int64_t, 1> places;

  template <class Value>
  SITU_DEVICE void write(std::int64_t result, const Value& value) const {
    const Out finished = operation.template finish<Out>(value, count);
    // A value accumulated in the type of the result is a `double`, or an element that was selected.
    out[places.locate(result).offset[0]] = std::same_as<Out, Value> ? finished : kernel::computed(finished);
  }
};

/// Vectors that a thread loads before it adds them: enough bytes in flight to hide the latency of memory.
template <class Source, int V>
inline constexpr int vectors_at_once = std::max(1, std::min(Source::leaves <= 1   ? 4
                                                            : Source::leaves <= 3 ? 2
                                                                                  : 1,
                                                            32 / V));

/// The values of `U` vectors, `step` elements apart; all loads are issued first.
template <int U, int V, class T, class Source>
SITU_DEVICE void read_vectors(const Source& source, std::int64_t index, std::int64_t step,
                              T (&values)[std::size_t{U * V}]) {
  decltype(source.template load<V>(index)) loaded[std::size_t{U}];
  source.template load<V, U>(index, step, loaded);
  unrolled<U>(
      [&](int u) { unrolled<V>([&](int e) { values[u * V + e] = static_cast<T>(source.value(loaded[u], e)); }); });
}

/// The number of blocks of 256 threads that fit in the registers of a multiprocessor, so that blocks with equal parts
/// run concurrently.
template <class State, int V>
inline constexpr int resident_blocks = sizeof(State) > 16 || V > 4 ? 3 : 4;

/// `target.write(row, value)` stores the results, each of `target.count` elements.
template <class Source, class Fold, class Target, int V>
struct ReduceRows {
  static constexpr int threads = 256;
  static constexpr const char* name = "reduce rows";
  using T = typename Fold::Value;
  using State = typename Fold::State;
  static constexpr int unroll = vectors_at_once<Source, V>;
  static constexpr int blocks_at_once = resident_blocks<State, V>;

  Source source;
  Target target;
  std::int64_t rows;
  std::int64_t length;
  int width;          // threads for a row or a part of one: up to 32, or the whole block
  int parts;          // blocks for a row
  std::int64_t part;  // elements that a block takes
  State* states;      // `parts` for each row
  std::uint32_t* tickets;

  SITU_DEVICE void operator()() const {
    const int thread = kernel::thread();
    const bool by_warps = width < threads;
    const int lane = thread & (width - 1);
    const int block = static_cast<int>(kernel::block());
    std::int64_t row = block;
    int at = 0;
    if (by_warps) {
      row = row * (threads / width) + thread / width;
    } else if (parts > 1) {
      at = block % parts;
      row = block / parts;
    }
    const std::int64_t begin = at * part;
    const std::int64_t rest = row < rows ? length - begin : 0;  // threads without a row take part in the shuffles
    State state = fold(row * length + begin, rest < part ? rest : part, begin, lane);
    if (by_warps) {
      merge_lanes<Fold>(state, width);
    } else {
      bool shared = parts > 1;  // with other blocks, the last of which merges again
      for (;;) {
        merge_block<Fold, threads>(state);
        if (!shared) break;
        shared = false;
        State* const of_row = states + row * parts;
        if (thread == 0) of_row[at] = state;
        if (!is_last_block(tickets + row, static_cast<std::uint32_t>(parts))) return;
        state = nothing();
        kernel::rolled(thread, parts, threads, [&](int i) { Fold::merge(state, of_row[i]); });
      }
    }
    if (lane == 0 && row < rows) target.write(row, Fold::value(state));
  }

  SITU_DEVICE static State nothing() {
    typename Fold::Partial partial;
    Fold::start(partial);
    return Fold::state(partial);
  }

  /// This thread's share of `count` elements from `begin` on, the first of which has the given position.
  SITU_DEVICE State fold(std::int64_t begin, std::int64_t count, std::int64_t position, int lane) const {
    typename Fold::Partial partial;
    Fold::start(partial);
    // Vectors begin at multiples of V; elements before the first and after the last are read one by one.
    std::int64_t head = 0;
    std::int64_t body = count;
    if constexpr (V > 1) {
      head = (V - (begin & (V - 1))) & (V - 1);
      if (head > count) head = count;
      body = (count - head) & ~std::int64_t{V - 1};
    }
    const std::int64_t step = static_cast<std::int64_t>(width) * V;
    const std::int64_t end = head + body;
    std::int64_t i = head + lane * V;
    for (; i + (unroll - 1) * step < end; i += unroll * step) {
      T values[std::size_t{unroll * V}];
      read_vectors<unroll, V>(source, begin + i, step, values);
      Fold::template add<V>(partial, values, position + i, step);
    }
    if constexpr (unroll > 1) {
      for (; i < end; i += step) {
        T values[std::size_t{V}];
        read_vectors<1, V>(source, begin + i, step, values);
        Fold::template add<V>(partial, values, position + i, step);
      }
    }
    State state = Fold::state(partial);
    if constexpr (V > 1) {
      for (std::int64_t rest = lane; rest < count - body; rest += width) {
        const std::int64_t at = rest < head ? rest : rest + body;
        T values[1];
        read_vectors<1, 1>(source, begin + at, 0, values);
        typename Fold::Partial one;
        Fold::start(one);
        Fold::template add<1>(one, values, position + at, 0);
        Fold::merge(state, Fold::state(one));
      }
    }
    return state;
  }
};

/// The distribution of rows over threads.
struct RowPlan {
  int width;
  int parts;
  std::int64_t part;
  std::int64_t blocks;
};

[[nodiscard]] inline std::int64_t blocks_of(std::int64_t count, std::int64_t each) { return (count + each - 1) / each; }

/// The number of parts, at most `most`, into which each of `tiles` is split, so that there are about as many blocks as
/// run concurrently, or a few times as many: a nearly empty last wave of blocks would take as long as a full one.
[[nodiscard]] inline std::int64_t parts_of_tiles(std::int64_t tiles, std::int64_t seats, std::int64_t most) {
  const std::int64_t least = std::max<std::int64_t>(seats / tiles, 1);
  std::int64_t best = least;
  double best_fill = 0;
  for (std::int64_t parts = least; parts <= 8 * least && best_fill < 0.9; ++parts) {
    const std::int64_t rounds = blocks_of(tiles * parts, seats);
    const double fill = static_cast<double>(tiles * parts) / static_cast<double>(rounds * seats);
    if (fill > best_fill) {
      best = parts;
      best_fill = fill;
    }
  }
  return std::min(best, most);
}

/// `chunk`: the elements that a thread reads at once; `seats`: the blocks that run concurrently; `most_tickets`: the
/// number of rows that may be shared by blocks.
[[nodiscard]] inline RowPlan row_plan(std::int64_t rows, std::int64_t length, int chunk, int threads,
                                      std::int64_t seats, int most_tickets) {
  // A warp for each row if rows are short, or so many that warps keep all multiprocessors busy.
  const bool many = rows >= seats * (threads / kernel::warp_size);
  if (length <= 1024 || (many && length <= 16384)) {
    int width = 1;
    while (width < kernel::warp_size && static_cast<std::int64_t>(width) * chunk < length) width *= 2;
    return {width, 1, length, blocks_of(rows, threads / width)};
  }
  const std::int64_t least = static_cast<std::int64_t>(threads) * chunk;  // elements that are worth a block
  std::int64_t parts = 1;
  if (rows <= most_tickets && rows < 4 * seats && length > least) {
    parts = parts_of_tiles(rows, seats, blocks_of(length, least));
  }
  // Parts are whole vectors of all threads.
  const std::int64_t unit = std::max<std::int64_t>(least / 4, 1);
  const std::int64_t part = blocks_of(blocks_of(length, parts), unit) * unit;
  parts = blocks_of(length, part);
  return {threads, static_cast<int>(parts), part, rows * parts};
}

}  // namespace situ::internal::cuda::detail

#endif
