// SPDX-License-Identifier: Apache-2.0
// The part of a pool that all threads share: free blocks and statistics.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <mutex>

#include <situ/memory/block.hpp>
#include <situ/memory/statistics.hpp>
#include <situ/memory/thread_cache.hpp>

namespace situ::internal::memory {

/// The most bytes held at once since it was added to the list; see `MemoryScope`. Under the pool's lock.
struct PeakWatch {
  std::size_t peak = 0;
  const ThreadCache* thread = nullptr;  // of the thread that added it; null once it is removed
  PeakWatch* next = nullptr;
  PeakWatch* previous = nullptr;
};

/// Everything is under the lock, except that threads read and write their own `caches`. Constant initialization and a
/// trivial destructor: it exists before and after every static object.
struct PoolState {
  std::mutex mutex;
  FreeBlocks free;
  ThreadCache* caches = nullptr;
  PeakWatch* watches = nullptr;
  std::size_t reserved = 0;  // bytes allocated from the device and not returned
  std::size_t peak = 0;
  std::size_t limit = std::numeric_limits<std::size_t>::max();
  std::int64_t from_device = 0;
  std::int64_t given_back = 0;         // of the blocks `from_device`
  std::int64_t ended_allocations = 0;  // of threads that have ended
  std::int64_t ended_detaching_copies = 0;
  std::int64_t ended_evaluations = 0;

  /// Bytes outside the shared lists: in use, or in the lists of a thread.
  [[nodiscard]] std::size_t held() const noexcept { return reserved - free.bytes(); }
  void note_peak() noexcept {
    const std::size_t now = held();
    peak = std::max(peak, now);
    for (PeakWatch* watch = watches; watch != nullptr; watch = watch->next) watch->peak = std::max(watch->peak, now);
  }

  /// Whether the limit allows `bytes` more on top of the workspace.
  [[nodiscard]] bool fits(std::size_t bytes, std::size_t workspace) const noexcept {
    return workspace <= limit && bytes <= limit - workspace && reserved <= limit - workspace - bytes;
  }

  /// Adds a block that is in no list to those to be returned to the device.
  void drop(Block* block, Block*& released) noexcept {
    reserved -= class_capacity(block->size_class);
    ++given_back;
    block->next = released;
    released = block;
  }

  void watch(PeakWatch& added, const ThreadCache& thread) noexcept {
    added.peak = held();
    added.thread = &thread;
    added.next = watches;
    if (added.next != nullptr) added.next->previous = &added;
    watches = &added;
  }
  /// In a child of `fork` it may be removed already.
  void unwatch(PeakWatch& removed) noexcept {
    if (removed.thread == nullptr) return;
    removed.thread = nullptr;
    (removed.previous != nullptr ? removed.previous->next : watches) = removed.next;
    if (removed.next != nullptr) removed.next->previous = removed.previous;
  }

  /// In a child process, which has only the thread that called `fork`: the lists of the other threads are lost, and
  /// their scopes are on stacks that may be reused.
  void keep_one_thread(ThreadCache& thread) noexcept {
    caches = thread.registered() ? &thread : nullptr;
    thread.next = nullptr;
    thread.previous = nullptr;
    for (PeakWatch* watch = watches; watch != nullptr;) {
      PeakWatch* const next = watch->next;
      if (watch->thread != &thread) unwatch(*watch);
      watch = next;
    }
  }

  /// Removes large free blocks until no more than `bytes` are reserved, or none are left.
  void shrink_to(std::size_t bytes, Block*& released) noexcept {
    while (reserved > bytes) {
      Block* const block = free.pop_oldest();
      if (block == nullptr) return;
      drop(block, released);
    }
  }

  [[nodiscard]] MemoryStats stats() const noexcept {
    MemoryStats stats;
    std::size_t cached = free.bytes();
    std::int64_t cached_blocks = free.count();
    stats.allocations = ended_allocations;
    stats.detaching_copies = ended_detaching_copies;
    stats.evaluations = ended_evaluations;
    for (const ThreadCache* cache = caches; cache != nullptr; cache = cache->next) {
      cached += cache->bytes();
      cached_blocks += cache->blocks();
      stats.allocations += cache->allocations.get();
      stats.detaching_copies += cache->detaching_copies.get();
      stats.evaluations += cache->evaluations.get();
    }
    stats.cached = std::min(cached, reserved);
    stats.in_use = reserved - stats.cached;
    stats.blocks = std::max<std::int64_t>(from_device - given_back - cached_blocks, 0);
    stats.peak = peak;
    stats.limit = limit;
    stats.pool_hits = std::max<std::int64_t>(stats.allocations - from_device, 0);
    return stats;
  }
};

}  // namespace situ::internal::memory
