// SPDX-License-Identifier: Apache-2.0
// The caching pool of a device: memory comes from the device's `allocate` once and is then reused, because fresh memory
// costs as much as the arithmetic on it (a page fault for every 4 KiB).
#pragma once

#include <algorithm>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <mutex>
#include <string>

#include <situ/core/movement.hpp>
#include <situ/device/device.hpp>
#include <situ/memory/block.hpp>
#include <situ/memory/device_hooks.hpp>
#include <situ/memory/poison.hpp>
#include <situ/memory/pool_state.hpp>
#include <situ/memory/pool_threads.hpp>
#include <situ/memory/statistics.hpp>
#include <situ/memory/thread_cache.hpp>
#include <situ/memory/upstream.hpp>

namespace situ::internal::memory {

/// The pool of one device; everything is static. Blocks up to 32 KiB come from lists of the calling thread, larger ones
/// from lists under a lock. Any thread may free a block at any time, even in the destructor of a `thread_local` or
/// static object, since the shared part is never destroyed.
///
/// Memory in use and kept together is at most a quarter (or 256 MiB) more than the program had in use at its peak. If
/// new memory would exceed that, the large free blocks longest unused are released first.
template <Device D>
class Pool : public PoolThreads<D> {
  using Threads = PoolThreads<D>;
  using Threads::cache_, Threads::shared_;
  using Threads::enter, Threads::fetch_room, Threads::locked, Threads::pop, Threads::share;

 public:
  /// A block of at least `bytes` bytes, with one handle. Throws `OutOfMemory`, or what the device throws.
  [[nodiscard]] static Block* allocate(std::size_t bytes) {
    ThreadCache& cache = cache_;
    const std::int64_t number = cache.allocations.get() + 1;
    if (number == cache.fail_at) [[unlikely]]
      fail_on_demand(bytes);
    Block* block = nullptr;
    if constexpr (LendsBlocks<D>) {
      if (D::lends()) [[unlikely]]
        return D::lend(bytes);
    }
    if (bytes <= class_capacity(small_classes - 1)) {
      if constexpr (TracksBlocks<D>) block = cache.take(size_class_of(bytes), D::wanted());
      else block = cache.take(size_class_of(bytes));
    }
    if (block == nullptr) block = allocate_shared(bytes);
    cache.allocations.set(number);
    block->count.store(1, std::memory_order_relaxed);
    block->bytes = bytes;
    if constexpr (TracksBlocks<D>) acquired(block);
    if constexpr (HostDevice<D>) unpoison(block->data, bytes);
    return block;
  }

  /// Takes back a block without handles.
  static void deallocate(Block* block) noexcept {
    if (block->size_class >= imported_class) [[unlikely]]
      return static_cast<LentBlock*>(block)->lender->take_back(block);
    if constexpr (TracksBlocks<D>) D::released(block->word, block->data, class_capacity(block->size_class));
    if constexpr (HostDevice<D>) poison_freed(block);
    if (!caches<D>()) return discard(block);
    if (block->size_class < small_classes && cache_.keep(block)) return;
    deallocate_shared(block);
  }

  [[nodiscard]] static MemoryStats stats() noexcept {
    MemoryStats stats;
    {
      const std::unique_lock lock = locked();
      stats = shared_.stats();
    }
    stats.workspace = workspace<D>();
    return stats;
  }

  /// Releases workspace, and every free block but those in the lists of other threads; waits for queued work on them.
  static void empty_cache() noexcept {
    flush_cache();
    if constexpr (SharesMemory<D>) {
      try {
        D::trim();
      } catch (const Error&) {  // the next use of the device reports it
      }
    } else if constexpr (HasWorkspace<D>) {
      D::shed_workspace();
    }
  }

  /// The same without waiting.
  static void flush_cache() noexcept {
    Block* released = nullptr;
    {
      const std::unique_lock lock = locked();
      flush(released);
    }
    give_back(released);
  }

  static void set_limit(std::size_t bytes) noexcept {
    {
      const std::unique_lock lock = locked();
      shared_.limit = bytes;
    }
    if (admits_workspace()) return;
    if constexpr (HasWorkspace<D>) D::shed_workspace();
  }

  /// Whether the limit allows all memory taken from the device, workspace included; releases free blocks to meet it.
  static bool admits_workspace() noexcept {
    Block* released = nullptr;
    bool fits = false;
    {
      const std::unique_lock lock = locked();
      fits = make_room(0, std::numeric_limits<std::size_t>::max(), released);
    }
    give_back(released);
    return fits;
  }

 private:
  static Block* allocate_shared(std::size_t bytes) {
    enter();
    Block* const block = find(bytes);
    if (cache_.ended()) {
      const std::unique_lock lock = locked();
      ++shared_.ended_allocations;
    }
    return block;
  }

  static Block* find(std::size_t bytes) {
    // No allocation exceeds PTRDIFF_MAX: differences of pointers into it would overflow.
    if (bytes > static_cast<std::size_t>(std::numeric_limits<std::ptrdiff_t>::max())) {
      fail(bytes, "no device has that much", "check the shape");
    }
    const std::uint32_t size_class = size_class_of(bytes);
    {
      const std::unique_lock lock = locked();
      if (Block* const block = pop(size_class)) {
        // A thread that only allocates, while another frees, fetches half a list at a time.
        for (std::int32_t room = fetch_room(size_class); room > 0; --room) {
          Block* const more = pop(size_class);
          if (more == nullptr || !cache_.keep(more)) break;
        }
        shared_.note_peak();
        return block;
      }
    }
    Block* block = allocate_fresh(bytes, size_class);
    if (block == nullptr) {
      flush_cache();
      if constexpr (SharesMemory<D>) D::reclaim();
      else if constexpr (HasWorkspace<D>) D::shed_workspace();
      block = allocate_fresh(bytes, size_class);
    }
    if (block == nullptr) {
      fail(bytes, "the system has no more", "release tensors that are no longer needed, or compute in smaller pieces");
    }
    return block;
  }

  static void acquired(Block* block) {
    try {
      D::acquired(block->word, block->data, block->bytes, class_capacity(block->size_class));
    } catch (...) {
      deallocate(block);
      throw;
    }
  }

  /// Pending work may still read freed host memory.
  static void poison_freed(Block* block) noexcept {
    if constexpr (TracksBlocks<D>) {
      if (block->word.load(std::memory_order_acquire) != 0) return;
    }
    poison(block->data, class_capacity(block->size_class));
  }

  /// Returns to the device one block that is in no list.
  static void discard(Block* block) noexcept {
    Block* released = nullptr;
    {
      const std::unique_lock lock = locked();
      shared_.drop(block, released);
    }
    give_back(released);
  }

  /// Counts bytes about to be allocated from the device, if the limit allows them.
  static bool reserve(std::size_t bytes) noexcept {
    Block* released = nullptr;
    bool fits = false;
    {
      const std::unique_lock lock = locked();
      const std::size_t most = std::max(shared_.peak, shared_.held() + bytes);
      fits = make_room(bytes, most + std::max(most / 4, std::size_t{256} << 20), released);
      if (fits) shared_.reserved += bytes;
    }
    give_back(released);
    return fits;
  }

  /// Removes free blocks until `bytes` more can be reserved: large ones while more than `most` would be reserved in
  /// all, and every one if the limit requires it. Returns whether the limit allows the bytes then. Under the lock.
  static bool make_room(std::size_t bytes, std::size_t most, Block*& released) noexcept {
    const std::size_t workspace_now = workspace<D>();
    const std::size_t allowed = std::min(most, shared_.limit - std::min(shared_.limit, workspace_now));
    shared_.shrink_to(allowed > bytes ? allowed - bytes : 0, released);
    if (!shared_.fits(bytes, workspace_now)) flush(released);
    return shared_.fits(bytes, workspace_now);
  }

  /// A new block from the device, or null if the device has no memory.
  [[gnu::cold]] static Block* allocate_fresh(std::size_t bytes, std::uint32_t size_class) {
    const std::size_t capacity = class_capacity(size_class);
    if constexpr (SharesMemory<D>) D::serve_pool(&flush_cache, &admits_workspace);
    bool fits = reserve(capacity);
    if constexpr (HasWorkspace<D>) {
      if (!fits) {
        D::shed_workspace();
        fits = reserve(capacity);
      }
    }
    if (!fits) {
      fail(bytes, "the limit would be exceeded",
           "release tensors that are no longer needed, or raise the limit with set_memory_limit");
    }
    Block* block = nullptr;
    try {
      block = Upstream<D>::allocate(capacity);
    } catch (...) {
      const std::unique_lock lock = locked();
      shared_.reserved -= capacity;
      throw;
    }
    if (block != nullptr) movement::tell_memory(&movement::name_of<D>, static_cast<std::int64_t>(capacity));
    const std::unique_lock lock = locked();
    if (block == nullptr) {
      shared_.reserved -= capacity;
      return nullptr;
    }
    block->size_class = size_class;
    ++shared_.from_device;
    shared_.note_peak();
    return block;
  }

  static void deallocate_shared(Block* block) noexcept {
    enter();
    if (block->size_class < small_classes && cache_.keep(block)) return;
    const std::unique_lock lock = locked();
    if (block->size_class < small_classes && cache_.registered()) {
      share(block->size_class, thread_cache_room(block->size_class) / 2);
    }
    shared_.free.push(block);
  }

  /// Removes all free blocks from the shared lists and this thread's. Under the lock.
  static void flush(Block*& released) noexcept {
    for (std::uint32_t c = 0; c < size_classes; ++c) {
      if (c < small_classes) share(c, std::numeric_limits<std::int32_t>::max());
      while (Block* const block = shared_.free.pop(c)) shared_.drop(block, released);
    }
  }

  /// Returns blocks to the device; outside the lock, as it can take milliseconds.
  static void give_back(Block* released) noexcept {
    while (released != nullptr) {
      Block* const block = released;
      released = block->next;
      Upstream<D>::deallocate(block, class_capacity(block->size_class));
    }
  }

  [[noreturn]] static void fail(std::size_t bytes, const std::string& reason, const std::string& next_step) {
    throw_out_of_memory(D::name(), bytes, stats(), reason + system_memory_text<D>(), next_step);
  }

  [[noreturn]] static void fail_on_demand(std::size_t bytes) {
    cache_.fail_at = ThreadCache::never;
    fail(bytes, "fail_allocation_after asked for this failure", "see the test that did");
  }
};

}  // namespace situ::internal::memory
