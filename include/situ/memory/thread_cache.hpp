// SPDX-License-Identifier: Apache-2.0
// The part of a pool that each thread owns: free lists of small blocks, and counters.
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <limits>

#include <situ/memory/block.hpp>

namespace situ::internal::memory {

/// A count that one thread changes and any thread may read: no locked instruction, unlike `fetch_add`.
template <class T>
class OwnedCount {
 public:
  [[nodiscard]] T get() const noexcept { return value_.load(std::memory_order_relaxed); }
  void set(T value) noexcept { value_.store(value, std::memory_order_relaxed); }
  void add(T change) noexcept { set(get() + change); }

 private:
  std::atomic<T> value_{0};
};

/// One for each thread and pool, as a constant-initialized `thread_local` without destructor, so that reaching it needs
/// no guard. Until the thread is registered with the pool, and after its end (destructors of other `thread_local`
/// objects may still free tensors), there is nothing to take and no room to return a block to: both use the pool's slow
/// path.
class ThreadCache {
 public:
  /// A free block of a small class, or null.
  Block* take(std::uint32_t size_class) noexcept {
    List& list = lists_[size_class];
    Block* const block = list.head;
    if (block == nullptr) return nullptr;
    list.head = block->next;
    list.room.add(1);
    return block;
  }

  /// The same, with the device's criterion; see device_hooks.hpp.
  template <class Wanted>
  Block* take(std::uint32_t size_class, const Wanted& wanted) {
    List& list = lists_[size_class];
    int looked_at = 0;
    Block** last = nullptr;
    for (Block** link = &list.head; *link != nullptr && looked_at < wanted.look_at; link = &(*link)->next) {
      ++looked_at;
      last = link;
      if (wanted.fits((*link)->word)) return unlink(list, link);
    }
    if (looked_at < wanted.enough) return nullptr;
    return unlink(list, wanted.enough == 1 ? &list.head : last);
  }

  /// Keeps a block of a small class; false if there is no room for it.
  bool keep(Block* block) noexcept {
    List& list = lists_[block->size_class];
    const std::int32_t room = list.room.get();
    if (room == 0) return false;
    block->next = list.head;
    list.head = block;
    list.room.set(room - 1);
    return true;
  }

  [[nodiscard]] std::int32_t room(std::uint32_t size_class) const noexcept { return lists_[size_class].room.get(); }

  void open() noexcept {
    for (std::uint32_t c = 0; c < small_classes; ++c) lists_[c].room.set(thread_cache_room(c));
    registered_ = true;
  }

  /// Only when empty.
  void close() noexcept {
    for (List& list : lists_) list.room.set(0);
    registered_ = false;
    ended_ = true;
  }

  [[nodiscard]] bool registered() const noexcept { return registered_; }
  [[nodiscard]] bool ended() const noexcept { return ended_; }

  /// Bytes in the lists; any thread may call it while the cache is registered.
  [[nodiscard]] std::size_t bytes() const noexcept {
    std::size_t total = 0;
    for (std::uint32_t c = 0; c < small_classes; ++c) {
      total += static_cast<std::size_t>(thread_cache_room(c) - room(c)) * class_capacity(c);
    }
    return total;
  }

  /// Blocks in the lists; likewise.
  [[nodiscard]] std::int64_t blocks() const noexcept {
    std::int64_t total = 0;
    for (std::uint32_t c = 0; c < small_classes; ++c) total += thread_cache_room(c) - room(c);
    return total;
  }

  OwnedCount<std::int64_t> allocations;
  OwnedCount<std::int64_t> detaching_copies;
  OwnedCount<std::int64_t> evaluations;
  /// The value of `allocations` at which an allocation fails on demand; see `fail_allocation_after`.
  std::int64_t fail_at = never;
  // The pool's list of registered caches; under its lock.
  ThreadCache* next = nullptr;
  ThreadCache* previous = nullptr;

  static constexpr std::int64_t never = std::numeric_limits<std::int64_t>::max();

 private:
  struct List {
    Block* head = nullptr;
    OwnedCount<std::int32_t> room;
  };

  static Block* unlink(List& list, Block** link) noexcept {
    Block* const block = *link;
    *link = block->next;
    list.room.add(1);
    return block;
  }

  List lists_[small_classes];
  bool registered_ = false;
  bool ended_ = false;
};

}  // namespace situ::internal::memory
