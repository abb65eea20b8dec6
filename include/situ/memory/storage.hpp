// SPDX-License-Identifier: Apache-2.0
// `Storage`: a counted handle of a block of a device's memory, and the functions by which programs and tests query a
// device's pool.
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

namespace internal {

/// A handle of a block of `D`'s memory: null, or one of `use_count()` that share the block, which returns to its pool
/// with the last. As wide as a pointer; on host devices one allocation holds count and data. Different threads may use
/// distinct handles of one block, but only one thread at a time may use a handle. Memory that another library owns has
/// a block too (interop/imported.hpp), with the owner counted as a holder.
///
///     Storage<Cpu> s = Storage<Cpu>::allocate(1024);
///     auto* x = static_cast<float*>(s.data());        // 256 floats, uninitialized, aligned to 64 bytes
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

  /// A new, uninitialized block of `bytes` bytes (0 is valid). Throws `OutOfMemory` if there is no more memory or
  /// `set_memory_limit` forbids it, `DeviceUnavailable` if the build or the machine has no such device.
  [[nodiscard]] static Storage allocate(std::size_t bytes) {
    return Storage(internal::memory::Pool<D>::allocate(bytes));
  }

  void swap(Storage& other) noexcept { std::swap(block_, other.block_); }
  friend void swap(Storage& a, Storage& b) noexcept { a.swap(b); }

  [[nodiscard]] explicit operator bool() const noexcept { return block_ != nullptr; }

  /// The first byte; null for a null handle. The host may only dereference it on a host device.
  [[nodiscard]] void* data() const noexcept { return block_ == nullptr ? nullptr : block_->data; }

  /// The bytes requested; 0 for a null handle.
  [[nodiscard]] std::size_t bytes() const noexcept { return block_ == nullptr ? 0 : block_->bytes; }

  /// Whether this is the only handle: what others did to the block before they released it is then visible here.
  [[nodiscard]] bool unique() const noexcept { return use_count() == 1; }

  /// The number of handles, plus one for another library that owns the memory; 0 for a null handle. Other threads may
  /// change it at any time, unless the caller holds them all: then no one else can, and what others did to the block
  /// before they released it is visible here.
  [[nodiscard]] std::int32_t use_count() const noexcept {
    if (block_ == nullptr) return 0;
    return block_->count.load(std::memory_order_acquire) + (block_->size_class == internal::memory::imported_class);
  }

  /// Whether a write by the host need not wait for pending work: for pinned memory, copies to a GPU. Streams order the
  /// work on a GPU's own memory.
  [[nodiscard]] bool idle() const noexcept {
    if constexpr (internal::memory::TellsIdle<D>) return block_ == nullptr || D::idle(block_->word);
    else return true;
  }

  /// The device's word about pending work on the block; for backends. The handle must not be null.
  [[nodiscard]] std::atomic<std::uintptr_t>& word() const noexcept { return block_->word; }

  /// The block; for the library.
  [[nodiscard]] internal::memory::Block* block() const noexcept { return block_; }
  /// Another handle of a block that already has one; for the library.
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
    // The only handle needs no locked instruction: no other thread can make another one.
    if (block->count.load(std::memory_order_acquire) != 1) {
      if (block->count.fetch_sub(1, std::memory_order_release) != 1) return;
      // A load rather than a fence, which ThreadSanitizer does not understand.
      static_cast<void>(block->count.load(std::memory_order_acquire));
    }
    end(block);
  }
  /// (Not inlined: most handles are not the last, and then no registers need be saved for it.)
  [[gnu::noinline]] static void end(internal::memory::Block* block) noexcept {
    internal::memory::Pool<D>::deallocate(block);
  }

  internal::memory::Block* block_ = nullptr;
};

}  // namespace internal

/// Statistics of `D`'s memory: `memory_stats<Cpu>().in_use`. Exact if no other thread allocates or frees meanwhile.
template <Device D>
[[nodiscard]] MemoryStats memory_stats(D = {}) noexcept {
  return internal::memory::Pool<D>::stats();
}

/// Limits the memory taken from the system on `D` to `bytes` from now on: tensors, the cache and the workspace of
/// kernels (see `MemoryStats::workspace`) together. Cached memory is released to stay below the limit, and an
/// allocation or operation that would exceed it throws `OutOfMemory`. The largest `std::size_t` removes the limit.
/// Memory already in use stays in use.
template <Device D>
void set_memory_limit(std::size_t bytes, D = {}) noexcept {
  internal::memory::Pool<D>::set_limit(bytes);
}

/// Returns the free blocks of `D`'s pool to the system, and workspace that is kept for the next kernel. Other threads of
/// the program (not the library's workers) keep their small blocks, of at most 32 KiB: at most 64 KiB for each thread and
/// size class; and on `Cpu` the workspace of their kernels, until they end or call `empty_cache` themselves.
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

/// Cancels the failure that `fail_allocation_after` requested when it is destroyed.
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
/// `OutOfMemory`, even if a free block is available. Only one failure at a time, while the returned object is alive. A
/// sweep over all the allocations of an operation:
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
