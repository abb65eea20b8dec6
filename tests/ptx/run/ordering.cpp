// SPDX-License-Identifier: Apache-2.0
#include "ordering.hpp"

#include <algorithm>
#include <utility>

namespace ptx {

void Ordering::begin(std::uint64_t block) {
  if (!running_.releases.empty()) blocks_[number_] = std::move(running_);
  running_ = {};
  number_ = block;
  acquires_.clear();
  known_.clear();
}
void Ordering::fence(Thread warp_first, Lanes lanes, Time now) { running_.fences.push_back({warp_first, lanes, now}); }
void Ordering::atomic(const char* place, Thread thread, Time now, Time barrier) {
  const Atomic made{place, thread, now, barrier};
  acquires_[place].push_back(made);
  if (!running_.fences.empty()) running_.releases.push_back(made);
}

/// Whether a thread of a block had a fence after one time and before another.
bool Ordering::fenced(const Block& block, Thread thread, Time after, Time before) {
  return std::any_of(block.fences.begin(), block.fences.end(), [&](const Fence& fence) {
    return fence.time > after && fence.time < before && thread >= fence.warp_first &&
           thread < fence.warp_first + warp_size && (fence.lanes >> (thread - fence.warp_first) & 1) != 0;
  });
}

/// Whether the running block met an atomic operation of another one, and a fence since is before what `me` does now.
bool Ordering::acquired(const Atomic& release, const Accessor& me, Time& fence_time) const {
  const auto found = acquires_.find(release.place);
  if (found == acquires_.end()) return false;
  for (const Atomic& acquire : found->second) {
    for (const Fence& fence : running_.fences) {
      const Thread at = acquire.thread - fence.warp_first;
      if (fence.time <= acquire.time || at >= warp_size || (fence.lanes >> at & 1) == 0) continue;
      if (acquire.thread != me.thread && fence.time >= me.barrier) continue;
      fence_time = fence.time;
      return true;
    }
  }
  return false;
}

bool Ordering::before(std::uint64_t block, Thread thread, Time time, const Accessor& me) {
  if (const auto known = known_.find(thread); known != known_.end()) {
    if (time <= known->second.time && known->second.from < me.barrier) return true;
  }
  const auto found = blocks_.find(block);
  if (found == blocks_.end()) return false;
  for (const Atomic& release : found->second.releases) {
    // Another thread of its block may be the one that releases, when a barrier is between.
    const Time until = release.thread == thread ? release.time : release.barrier;
    Time from = 0;
    if (!fenced(found->second, thread, time, until) || !acquired(release, me, from)) continue;
    Known& known = known_[thread];
    if (time >= known.time) known = {time, from};
    return true;
  }
  return false;
}

}  // namespace ptx
