// SPDX-License-Identifier: Apache-2.0
// Reductions of strided elements, as along the first axis: a thread owns adjacent columns, and the threads of a block,
// or of several blocks if there are few columns, share the rows.
#pragma once

#include <situ/cuda/kernels/reduce/contiguous.hpp>

#if defined(SITU_CUDA)

#include <algorithm>
#include <cstddef>
#include <cstdint>

namespace situ::internal::cuda::detail {

/// Shared memory for the states of half a block's threads.
template <class State, int Threads, int V>
struct ColumnStates {
  State state[std::size_t{V}][std::size_t{Threads / 2}];
};

template <class Source, class Fold, class Target, int V>
struct ReduceColumns {
  static constexpr int threads = 256;
  static constexpr const char* name = "reduce columns";
  using T = typename Fold::Value;
  using Partial = typename Fold::Partial;
  using State = typename Fold::State;
  static constexpr int unroll = vectors_at_once<Source, V>;
  static constexpr int blocks_at_once = resident_blocks<State, V>;

  Source source;
  Target target;
  std::int64_t results;  // outer * inner
  std::int64_t length;   // rows
  std::int64_t inner;    // columns, a multiple of V
  int width;             // adjacent threads, a power of two
  int parts;             // blocks that share the rows of a tile of columns
  std::int64_t part;     // rows that a block takes
  State* states;         // `results` for each part
  std::uint32_t* tickets;

  SITU_DEVICE void operator()() const {
    const int thread = kernel::thread();
    const int y = thread / width;
    const int block = static_cast<int>(kernel::block());
    const int tile = parts > 1 ? block / parts : block;
    const int at = parts > 1 ? block % parts : 0;
    const std::int64_t result = (std::int64_t{tile} * width + (thread & (width - 1))) * V;
    const bool inside = result < results;
    State state[std::size_t{V}];
    fold(inside ? result : 0, at * part, inside ? min_of((at + 1) * part, length) : 0, y, state);
    bool shared = parts > 1;  // with other blocks, the last of which merges again
    for (;;) {
      merge_down(state, y);
      if (!shared) break;
      shared = false;
      if (y == 0 && inside) {
        unrolled<V>([&](int e) { states[at * results + result + e] = state[e]; });
      }
      if (!is_last_block(tickets + tile, static_cast<std::uint32_t>(parts))) return;
      unrolled<V>([&](int e) { state[e] = nothing(); });
      kernel::rolled(y, inside ? parts : 0, threads / width, [&](int i) {
        unrolled<V>([&](int e) { Fold::merge(state[e], states[i * results + result + e]); });
      });
    }
    if (y == 0 && inside) {
      unrolled<V>([&](int e) { target.write(result + e, Fold::value(state[e])); });
    }
  }

  SITU_DEVICE static std::int64_t min_of(std::int64_t a, std::int64_t b) { return a < b ? a : b; }
  SITU_DEVICE static State nothing() {
    Partial partial;
    Fold::start(partial);
    return Fold::state(partial);
  }

  /// Folds every `threads / width`th row of `[begin, end)` from number `y` on, in the columns from `result` on.
  SITU_DEVICE void fold(std::int64_t result, std::int64_t begin, std::int64_t end, int y,
                        State (&state)[std::size_t{V}]) const {
    Partial partial[std::size_t{V}];
    unrolled<V>([&](int e) { Fold::start(partial[e]); });
    const std::int64_t outer = result / inner;
    const std::int64_t first = outer * length * inner + (result - outer * inner);
    const int height = threads / width;
    const std::int64_t step = height * inner;
    std::int64_t row = begin + y;
    std::int64_t at = first + row * inner;
    for (; row + (unroll - 1) * height < end; row += unroll * height, at += unroll * step) {
      T values[std::size_t{unroll * V}];
      read_vectors<unroll, V>(source, at, step, values);
      unrolled<V>([&](int e) {
        T column[std::size_t{unroll}];
        unrolled<unroll>([&](int u) { column[u] = values[u * V + e]; });
        Fold::template add<1>(partial[e], column, row, height);
      });
    }
    if constexpr (unroll > 1) {
      for (; row < end; row += height, at += step) {
        T values[std::size_t{V}];
        read_vectors<1, V>(source, at, step, values);
        unrolled<V>([&](int e) {
          const T column[1] = {values[e]};
          Fold::template add<1>(partial[e], column, row, height);
        });
      }
    }
    unrolled<V>([&](int e) { state[e] = Fold::state(partial[e]); });
  }

  /// Merges the states of the threads with the same columns into those of the first.
  SITU_DEVICE void merge_down(State (&state)[std::size_t{V}], int y) const {
    auto& shared = kernel::block_shared<ColumnStates<State, threads, V>>();
    const int thread = kernel::thread();
    kernel::halving(threads / width, [&](int rest) {
      kernel::barrier();
      if (y >= rest && y < 2 * rest) {
        unrolled<V>([&](int e) { shared.state[e][thread - rest * width] = state[e]; });
      }
      kernel::barrier();
      if (y < rest) {
        unrolled<V>([&](int e) { Fold::merge(state[e], shared.state[e][thread]); });
      }
    });
  }
};

/// The distribution of columns over threads.
struct ColumnPlan {
  int width;
  int parts;
  std::int64_t part;
  std::int64_t blocks;
};

/// For `vectors` vectors of columns with `length` elements each; a thread reads `unroll` elements at once.
[[nodiscard]] inline ColumnPlan column_plan(std::int64_t vectors, std::int64_t length, int unroll, int threads,
                                            std::int64_t seats, int most_tickets) {
  int height = 1;
  while (height < 8 && static_cast<std::int64_t>(height) * unroll < length) height *= 2;
  int width = threads / height;
  while (width > 1 && width / 2 >= vectors) width /= 2;  // no more adjacent threads than vectors
  const std::int64_t tiles = blocks_of(vectors, width);
  const std::int64_t least = static_cast<std::int64_t>(threads / width) * unroll * 2;  // rows worth a block
  std::int64_t parts = 1;
  if (tiles <= most_tickets && tiles < 4 * seats && length > least) {
    parts = parts_of_tiles(tiles, seats, blocks_of(length, least));
  }
  const std::int64_t part = blocks_of(length, parts);
  parts = part > 0 ? blocks_of(length, part) : 1;
  return {width, static_cast<int>(parts), part, tiles * parts};
}

}  // namespace situ::internal::cuda::detail

#endif
