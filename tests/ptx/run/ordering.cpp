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
void Ordering::fence(Thread warp_first, Lanes lanes, Time now, Time barrier) {
  running_.fences.push_back({warp_first, lanes, now, barrier});
}
void Ordering::atomic(const char* place, Thread thread, Time now, Time barrier) {
  const Atomic made{place, thread, now, barrier};
  acquires_[place].push_back(made);
  if (!running_.fences.empty()) running_.releases.push_back(made);
}

/// A fence after one thing and before another that threads of its block do. Null: none.
const Ordering::Fence* Ordering::between(const std::vector<Fence>& fences, const Event& from, const Event& to) {
  const auto found = std::find_if(fences.begin(), fences.end(), [&](const Fence& fence) {
    const auto has = [&](Thread thread) {
      const Thread lane = thread - fence.warp_first;
      return lane < warp_size && (fence.lanes >> lane & 1) != 0;
    };
    // A barrier between orders all threads; else it is the thread itself that fences.
    const bool any_from = from.time < fence.barrier;
    const bool any_to = fence.time < to.barrier;
    if (fence.time <= from.time || fence.time >= to.time) return false;
    if (!any_from && !any_to) return from.thread == to.thread && has(from.thread);
    return (any_from || has(from.thread)) && (any_to || has(to.thread));
  });
  return found == fences.end() ? nullptr : &*found;
}

/// Whether the running block met an atomic operation of another one, and a fence since is before what `me` does now.
bool Ordering::acquired(const Atomic& release, const Accessor& me, Time& fence_time) const {
  const auto found = acquires_.find(release.place);
  if (found == acquires_.end()) return false;
  const Event now{me.thread, ~Time{0}, me.barrier};
  for (const Atomic& acquire : found->second) {
    const Fence* const fence = between(running_.fences, {acquire.thread, acquire.time, acquire.barrier}, now);
    if (fence == nullptr) continue;
    fence_time = fence->time;
    return true;
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
    Time from = 0;
    if (between(found->second.fences, {thread, time, 0}, {release.thread, release.time, release.barrier}) == nullptr ||
        !acquired(release, me, from)) {
      continue;
    }
    Known& known = known_[thread];
    if (time >= known.time) known = {time, from};
    return true;
  }
  return false;
}

}  // namespace ptx
