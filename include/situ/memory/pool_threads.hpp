// SPDX-License-Identifier: Apache-2.0
// The threads that use a pool: the lists of each, the part that all share, and what is counted for all of them.
#pragma once

#include <cstddef>
#include <cstdint>
#include <limits>
#include <mutex>
#include <type_traits>

#include <situ/core/at_fork.hpp>
#include <situ/core/stay_loaded.hpp>
#include <situ/device/device.hpp>
#include <situ/memory/block.hpp>
#include <situ/memory/device_hooks.hpp>
#include <situ/memory/pool_state.hpp>
#include <situ/memory/thread_cache.hpp>

namespace situ::internal::memory {

/// The state of the pool of one device, everything static: lists of the calling thread, which need no lock, and a part
/// under a lock, which takes over what a thread has when it ends.
template <Device D>
class PoolThreads {
 public:
  static void note_detaching_copy() noexcept { note(cache_.detaching_copies, shared_.ended_detaching_copies); }
  static void note_evaluation() noexcept { note(cache_.evaluations, shared_.ended_evaluations); }

  static void reset_peak() noexcept {
    const std::unique_lock lock = locked();
    shared_.peak = shared_.held();
  }

  /// Begins counting for a `MemoryScope`; returns the bytes held now.
  static std::size_t watch(PeakWatch& added) noexcept {
    const std::unique_lock lock = locked();
    shared_.watch(added, cache_);
    return added.peak;
  }
  static void unwatch(PeakWatch& removed) noexcept {
    const std::unique_lock lock = locked();
    shared_.unwatch(removed);
  }
  [[nodiscard]] static std::size_t peak_of(const PeakWatch& watch) noexcept {
    const std::unique_lock lock = locked();
    return watch.peak;
  }

  /// Makes this thread's allocation number `count` + 1 from now fail; a negative `count` cancels that.
  static void fail_after(std::int64_t count) noexcept {
    cache_.fail_at = count < 0 ? ThreadCache::never : cache_.allocations.get() + count + 1;
  }
  [[nodiscard]] static bool failure_pending() noexcept { return cache_.fail_at != ThreadCache::never; }

 protected:
  /// The lock, which a child of `fork` finds free whatever the parent's other threads were doing.
  [[nodiscard]] static std::unique_lock<std::mutex> locked() {
    at_fork<&lock_for_fork, &unlock_in_parent, &unlock_in_child>();
    return std::unique_lock(shared_.mutex);
  }

  /// Registers the thread at its first call.
  static void enter() noexcept {
    if (cache_.registered() || cache_.ended()) [[likely]]
      return;
    stay_loaded();
    static thread_local const ThreadEnd thread_end;
    const std::unique_lock lock = locked();
    cache_.open();
    cache_.next = shared_.caches;
    if (cache_.next != nullptr) cache_.next->previous = &cache_;
    shared_.caches = &cache_;
  }

  /// Moves up to `count` of this thread's blocks to the shared lists. Under the lock.
  static void share(std::uint32_t size_class, std::int32_t count) noexcept {
    for (; count > 0; --count) {
      Block* const block = cache_.take(size_class);
      if (block == nullptr) return;
      shared_.free.push(block);
    }
  }

  /// A free block of the class, or null. Under the lock.
  static Block* pop(std::uint32_t size_class) {
    if constexpr (TracksBlocks<D>) return shared_.free.pop(size_class, D::wanted());
    else return shared_.free.pop(size_class);
  }

  [[nodiscard]] static std::int32_t fetch_room(std::uint32_t size_class) {
    if constexpr (TracksBlocks<D>) {
      if (D::wanted().enough != 1) return 0;  // it is selective: leave the blocks that it rejects to others
    }
    return size_class < small_classes ? cache_.room(size_class) / 2 : 0;
  }

  static_assert(std::is_trivially_destructible_v<PoolState> && std::is_trivially_destructible_v<ThreadCache>);
  static inline constinit PoolState shared_{};
  static inline constinit thread_local ThreadCache cache_{};

 private:
  /// Hands a thread's blocks to the shared lists when it ends.
  struct ThreadEnd {
    ~ThreadEnd() {
      const std::unique_lock lock = locked();
      for (std::uint32_t c = 0; c < small_classes; ++c) share(c, std::numeric_limits<std::int32_t>::max());
      shared_.ended_allocations += cache_.allocations.get();
      shared_.ended_detaching_copies += cache_.detaching_copies.get();
      shared_.ended_evaluations += cache_.evaluations.get();
      cache_.allocations.set(0);
      cache_.fail_at = ThreadCache::never;
      (cache_.previous != nullptr ? cache_.previous->next : shared_.caches) = cache_.next;
      if (cache_.next != nullptr) cache_.next->previous = cache_.previous;
      cache_.close();
    }
  };

  static void note(auto& count, auto& ended) noexcept {
    if (cache_.registered()) [[likely]]
      count.add(1);
    else note_rarely(count, ended);
  }
  /// The first call in a thread, or one while it ends. (Not inlined, so that callers need not save registers for it.)
  [[gnu::noinline]] static void note_rarely(auto& count, auto& ended) noexcept {
    enter();
    if (cache_.registered()) return count.add(1);
    const std::unique_lock lock = locked();
    ++ended;
  }

  static void lock_for_fork() noexcept { shared_.mutex.lock(); }
  static void unlock_in_parent() noexcept { shared_.mutex.unlock(); }
  static void unlock_in_child() noexcept {
    shared_.keep_one_thread(cache_);
    shared_.mutex.unlock();
  }
};

}  // namespace situ::internal::memory
