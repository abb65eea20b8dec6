// SPDX-License-Identifier: Apache-2.0
// The kernels of host devices that count and list the `true` of a mask, and select the elements there.
#pragma once

#include <algorithm>
#include <cstdint>
#include <cstring>

#include <situ/core/dtype.hpp>
#include <situ/device/cpu.hpp>
#include <situ/plan/mask.hpp>
#include <situ/plan/unit.hpp>
#include <situ/threads/thread_pool.hpp>

namespace situ::internal::inline SITU_SETTINGS::cpu {

/// How many of `count` truth values are true, block by block.
inline void count_true(Backend, const bool* mask, std::int64_t count, std::int64_t* counts) {
  parallel_for(
      0, program::mask_blocks(count), 8,
      [&](std::int64_t first, std::int64_t last) {
        for (std::int64_t block = first; block < last; ++block) {
          const std::int64_t end = std::min(count, (block + 1) * program::mask_block);
          std::int32_t sum = 0;
          for (std::int64_t i = block * program::mask_block; i < end; ++i) sum += mask[i] ? 1 : 0;
          counts[block] = sum;
        }
      },
      8);  // counts in a cache line
}

namespace detail {

/// Calls `put(at, i)` for the true values `mask[i]` of a block: the first is the `at`-th of the mask, and the last is
/// before the `stop`-th. It may also call it for values that are not true, with the `at` of the next true one. (`put`
/// is passed by value, so that it stays in registers: elements that it writes may alias its captures.)
template <class Put>
void for_each_true(const bool* mask, std::int64_t count, std::int64_t block, std::int64_t at, std::int64_t stop,
                   Put put) {
  constexpr std::int64_t word_size = 8;
  const std::int64_t begin = block * program::mask_block;
  const std::int64_t end = std::min(count, begin + program::mask_block);
  for (std::int64_t i = begin; i < end && at < stop;) {
    std::uint64_t word = 1;
    if (end - i >= word_size) std::memcpy(&word, mask + i, sizeof word);
    if (word == 0) {  // most words of a sparse mask
      i += word_size;
    } else if (end - i >= word_size && stop - at >= word_size) {
      // Each one is written, and stays if it is true: no branch that is hard to foretell.
      for (std::int64_t k = 0; k < word_size; ++k, ++i) {
        put(at, i);
        at += mask[i] ? 1 : 0;
      }
    } else {
      if (mask[i]) put(at++, i);
      ++i;
    }
  }
}

/// `f(block, at, stop)` for each block of a mask, in parallel; see `for_each_true`.
template <class F>
void for_mask_blocks(std::int64_t count, const std::int64_t* ends, std::int64_t room, const F& f) {
  parallel_for(
      0, program::mask_blocks(count), 4,
      [&](std::int64_t first, std::int64_t last) {
        for (std::int64_t block = first; block < last; ++block) {
          f(block, block == 0 ? 0 : ends[block - 1], std::min(ends[block], room));
        }
      },
      1);
}

}  // namespace detail

/// Lists the positions of true elements.
inline void list_true(Backend, const program::TruePositions& list) {
  detail::for_mask_blocks(list.count, list.ends, list.room,
                          [&](std::int64_t block, std::int64_t first, std::int64_t stop) {
                            std::int64_t* const positions = list.positions;
                            detail::for_each_true(list.mask, list.count, block, first, stop,
                                                  [=](std::int64_t at, std::int64_t i) { positions[at] = i; });
                          });
}

/// The elements there, moved as integers of their size. Where few are true, a block lists their positions first: a load
/// that misses the cache then waits for no branch that looks for the next one.
template <Element T>
void select_true(Backend, const program::TrueElements& selection) {
  using Unit = alias_of_t<unit_t<sizeof(T)>>;
  constexpr std::int64_t few = program::mask_block / 16;
  detail::for_mask_blocks(
      selection.count, selection.ends, selection.room, [&](std::int64_t block, std::int64_t first, std::int64_t stop) {
        const bool* const mask = selection.mask;
        const auto* const from = static_cast<const Unit*>(selection.from);
        auto* const to = static_cast<Unit*>(selection.to);
        const std::int64_t step = selection.step;
        if (stop - first > few) {
          return detail::for_each_true(mask, selection.count, block, first, stop,
                                       [=](std::int64_t at, std::int64_t i) { to[at] = from[i * step]; });
        }
        std::int64_t places[few];
        detail::for_each_true(mask, selection.count, block, first, stop,
                              [&places, first](std::int64_t at, std::int64_t i) { places[at - first] = i; });
        for (std::int64_t k = 0; k < stop - first; ++k) to[first + k] = from[places[k] * step];
      });
}

}  // namespace situ::internal::inline SITU_SETTINGS::cpu
