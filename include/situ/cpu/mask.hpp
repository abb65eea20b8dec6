// SPDX-License-Identifier: Apache-2.0
// The kernels of host devices that count and list the `true` elements of a mask.
#pragma once

#include <algorithm>
#include <cstdint>
#include <cstring>

#include <situ/device/cpu.hpp>
#include <situ/plan/mask.hpp>
#include <situ/threads/thread_pool.hpp>

namespace situ::internal::inline SITU_SETTINGS::cpu {

/// How many of `count` truth values are true, block by block.
inline void count_true(Backend, const bool* mask, std::int64_t count, std::int64_t* counts) {
  parallel_for(0, program::mask_blocks(count), 8, [&](std::int64_t first, std::int64_t last) {
    for (std::int64_t block = first; block < last; ++block) {
      const std::int64_t end = std::min(count, (block + 1) * program::mask_block);
      std::int32_t sum = 0;
      for (std::int64_t i = block * program::mask_block; i < end; ++i) sum += mask[i] ? 1 : 0;
      counts[block] = sum;
    }
  }, 8);  // counts in a cache line
}

/// Lists the positions of true elements.
inline void list_true(Backend, const program::TruePositions& list) {
  constexpr std::int64_t word_size = 8;
  parallel_for(0, program::mask_blocks(list.count), 4, [&](std::int64_t first, std::int64_t last) {
    for (std::int64_t block = first; block < last; ++block) {
      const std::int64_t begin = block * program::mask_block;
      const std::int64_t end = std::min(list.count, begin + program::mask_block);
      std::int64_t at = block == 0 ? 0 : list.ends[block - 1];
      const std::int64_t stop = std::min(list.ends[block], list.room);
      for (std::int64_t i = begin; i < end && at < stop;) {
        std::uint64_t word = 1;
        if (end - i >= word_size) std::memcpy(&word, list.mask + i, sizeof word);
        if (word == 0) {  // most words of a sparse mask
          i += word_size;
        } else if (end - i >= word_size && stop - at >= word_size) {
          // Every position is written, and kept if it is true: no branch that is hard to predict.
          for (std::int64_t k = 0; k < word_size; ++k, ++i) {
            list.positions[at] = i;
            at += list.mask[i] ? 1 : 0;
          }
        } else {
          if (list.mask[i]) list.positions[at++] = i;
          ++i;
        }
      }
    }
  }, 1);
}

}  // namespace situ::internal::inline SITU_SETTINGS::cpu
