// SPDX-License-Identifier: Apache-2.0
// Which stores of one block another may read: those before a fence, before an atomic operation, with which one of the
// other block on the same place meets, that a fence follows. From one of these to the next it is the same thread, or a
// barrier is between. Blocks run one after the other, so all atomic operations of another block come before those of
// the running one.
#pragma once

#include <cstdint>
#include <unordered_map>
#include <vector>

#include "history.hpp"
#include "types.hpp"

namespace ptx {

class Ordering {
 public:
  /// A block begins. Blocks are numbered by the grid.
  void begin(std::uint64_t block);
  /// Fences of lanes of a warp whose first thread is given.
  void fence(Thread warp_first, Lanes lanes, Time now, Time barrier);
  /// `barrier`: the last one of the block.
  void atomic(const char* place, Thread thread, Time now, Time barrier);
  /// Whether what a thread of another block did up to a time is before what `me` does now.
  [[nodiscard]] bool before(std::uint64_t block, Thread thread, Time time, const Accessor& me);

 private:
  struct Fence {
    Thread warp_first;
    Lanes lanes;
    Time time;
    Time barrier;
  };
  struct Atomic {
    const char* place;
    Thread thread;
    Time time;
    Time barrier;
  };
  struct Block {
    std::vector<Fence> fences;
    std::vector<Atomic> releases;  // those that a fence comes before
  };
  struct Known {
    Time time;  // stores up to here are before ...
    Time from;  // ... what the running block does after a barrier later than this
  };
  /// What a thread does, when, and after which barrier of its block.
  struct Event {
    Thread thread;
    Time time;
    Time barrier;
  };
  [[nodiscard]] static const Fence* between(const std::vector<Fence>& fences, const Event& from, const Event& to);
  [[nodiscard]] bool acquired(const Atomic& release, const Accessor& me, Time& fence_time) const;

  std::unordered_map<std::uint64_t, Block> blocks_;  // those that released something
  std::uint64_t number_ = 0;
  Block running_;
  std::unordered_map<const char*, std::vector<Atomic>> acquires_;  // of the running block
  std::unordered_map<Thread, Known> known_;
};

}  // namespace ptx
