// SPDX-License-Identifier: Apache-2.0
// `Storage`: a counted handle of a block of a device's memory, and what programs and tests ask of a device's pool.
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <utility>

#include <situ/core/config.hpp>
#include <situ/device/device.hpp>
#include <situ/memory/block.hpp>
#include <situ/memory/device_hooks.hpp>
#include <situ/memory/pool.hpp>
#include <situ/memory/statistics.hpp>

namespace situ {

/// A handle of a block of `D`'s memory: null, or one of `use_count()` that share the block, which returns to its pool
/// with the last. A pointer wide; one allocation holds count and data on host devices. Distinct handles of one block
/// may be used by different threads; one handle by one thread at a time. Memory that another library owns has a block
/// too (interop/imported.hpp), of which its owner counts as a holder.
///
///     Storage<Cpu> s = Storage<Cpu>::allocate(1024);
///     auto* x = static_cast<float*>(s.data());        // 256 floats, not initialised, aligned to 64 bytes
template <Device D>
class Storage {
 public:
  constexpr Storage() noexcept = default;

  Storage(const Storage& other) noexcept : block_(other.block_) {
    if (block_ != nullptr) block_->count.fetch_add(1, std::memory_order_relaxed);
  }

  Storage(Storage&& other) noexcept : block_(std::exchange(other.block_, nullptr)) {}

  Storage& operator=(const Storage& other) noexcept {
    Storage(other).swap(*this);
    return *this;
  }

  Storage& operator=(Storage&& other) noexcept {
    Storage(std::move(other)).swap(*this);
    return *this;
  }

  ~Storage() {
    if (block_ != nullptr) release(block_);
  }

  /// A block of `bytes` bytes (0 too) of its own, not initialised. Throws `OutOfMemory` when there is no more memory or
  /// `set_memory_limit` forbids it, `DeviceUnavailable` when the build or the machine has no such device.
  [[nodiscard]] static Storage allocate(std::size_t bytes) {
    return Storage(internal::memory::Pool<D>::allocate(bytes));
  }

  void swap(Storage& other) noexcept { std::swap(block_, other.block_); }
  friend void swap(Storage& a, Storage& b) noexcept { a.swap(b); }

  [[nodiscard]] explicit operator bool() const noexcept { return block_ != nullptr; }

  /// The first byte; null for a null handle. Only a host device's may be dereferenced by the host.
  [[nodiscard]] void* data() const noexcept {
    return block_ == nullptr ? nullptr : block_->data;
  }

  /// The bytes asked for; 0 for a null handle.
  [[nodiscard]] std::size_t bytes() const noexcept { return block_ == nullptr ? 0 : block_->bytes; }

  /// Whether this is the only handle: what others did with the block before they let go of it is then visible here.
  [[nodiscard]] bool unique() const noexcept { return use_count() == 1; }

  /// The number of handles, and one for another library that owns the memory; 0 for a null handle. Other threads may
  /// change it at any time, but when it is the number that the caller holds, nobody else can, and what others did with
  /// the block before they let go of it is visible here.
  [[nodiscard]] std::int32_t use_count() const noexcept {
    if (block_ == nullptr) return 0;
    return block_->count.load(std::memory_order_acquire) + (block_->size_class == internal::memory::imported_class);
  }

  /// Whether no work is pending that a write by the host would have to wait for: of pinned memory, copies to a GPU.
  /// Work on a GPU's own memory is ordered by its streams.
  [[nodiscard]] bool idle() const noexcept {
    if constexpr (internal::memory::TellsIdle<D>) return block_ == nullptr || D::idle(block_->word);
    else return true;
  }

  /// What the device keeps of the work pending on the block; for backends. Not of a null handle.
  [[nodiscard]] std::atomic<std::uintptr_t>& word() const noexcept { return block_->word; }

  /// The block; for the library.
  [[nodiscard]] internal::memory::Block* block() const noexcept { return block_; }
  /// Another handle of a block that has one; for the library.
  [[nodiscard]] static Storage of(internal::memory::Block& block) noexcept {
    block.count.fetch_add(1, std::memory_order_relaxed);
    return Storage(&block);
  }

  /// Whether two handles share a block (or are both null).
  friend bool operator==(const Storage& a, const Storage& b) noexcept { return a.block_ == b.block_; }

 private:
  explicit Storage(internal::memory::Block* block) noexcept : block_(block) {}

  static void release(internal::memory::Block* block) noexcept {
    SITU_ASSERT(block->count.load(std::memory_order_relaxed) > 0);
    // The only handle needs no locked instruction: nobody else can make another one.
    if (block->count.load(std::memory_order_acquire) != 1) {
      if (block->count.fetch_sub(1, std::memory_order_release) != 1) return;
      // The load rather than a fence, which ThreadSanitizer does not understand.
      static_cast<void>(block->count.load(std::memory_order_acquire));
    }
    end(block);
  }
  /// (Not inlined: most handles are not the last, and need not make room for its registers.)
  [[gnu::noinline]] static void end(internal::memory::Block* block) noexcept {
    internal::memory::Pool<D>::deallocate(block);
  }

  internal::memory::Block* block_ = nullptr;
};

/// The figures of `D`'s memory: `memory_stats<Cpu>().in_use`. Exact when no other thread allocates or frees meanwhile.
template <Device D>
[[nodiscard]] MemoryStats memory_stats(D = {}) noexcept {
  return internal::memory::Pool<D>::stats();
}

/// Limits what is taken from the system for tensors on `D`, in use and cached, and for what kernels compute with (see
/// `MemoryStats::workspace`), all together, to `bytes` from now on; memory that is kept for reuse is released to stay
/// below it, and an allocation or operation that would exceed it throws `OutOfMemory`. The largest `std::size_t` takes
/// the limit away. What is in use already stays in use.
template <Device D>
void set_memory_limit(std::size_t bytes, D = {}) noexcept {
  internal::memory::Pool<D>::set_limit(bytes);
}

/// Gives the free blocks of `D`'s pool back to the system. Small blocks (at most 32 KiB) that other threads keep for
/// themselves stay: at most 64 KiB for each thread and size class.
template <Device D>
void empty_cache(D = {}) noexcept {
  internal::memory::Pool<D>::empty_cache();
}

/// Makes `memory_stats<D>().peak` count from now.
template <Device D>
void reset_peak_memory(D = {}) noexcept {
  internal::memory::Pool<D>::reset_peak();
}

namespace internal::memory {

/// Counts a write to shared storage that had to copy it first.
template <Device D>
void note_detaching_copy() noexcept {
  Pool<D>::note_detaching_copy();
}

/// Counts a pass that computes an expression.
template <Device D>
void note_evaluation() noexcept {
  Pool<D>::note_evaluation();
}

/// Takes back the failure that `fail_allocation_after` asked for, when it ends.
template <Device D>
class [[nodiscard]] AllocationFailure {
 public:
  explicit AllocationFailure(std::int64_t count) noexcept { Pool<D>::fail_after(count); }
  AllocationFailure(const AllocationFailure&) = delete;
  AllocationFailure& operator=(const AllocationFailure&) = delete;
  ~AllocationFailure() { Pool<D>::fail_after(-1); }

  /// Whether the failure has happened.
  [[nodiscard]] bool fired() const noexcept { return !Pool<D>::failure_pending(); }
};

/// For tests: the calling thread's next `count` allocations on `D` succeed, and the one after them throws
/// `OutOfMemory`, even if a free block is at hand. One failure, one at a time, while the returned object lives. A sweep
/// over all the allocations of an operation:
///
///     for (std::int64_t n = 0;; ++n) {
///       const auto failure = memory::fail_allocation_after<Cpu>(n);
///       try { operation(); } catch (const OutOfMemory&) { ... everything as before ...; continue; }
///       if (!failure.fired()) break;  // it needs only n allocations
///     }
template <Device D>
AllocationFailure<D> fail_allocation_after(std::int64_t count) noexcept {
  return AllocationFailure<D>(count);
}

}  // namespace internal::memory

}  // namespace situ
