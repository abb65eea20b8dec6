// SPDX-License-Identifier: Apache-2.0
// Blocks of device memory in the pools, their size classes, and free lists.
#pragma once

#include <algorithm>
#include <atomic>
#include <bit>
#include <cstddef>
#include <cstdint>

namespace situ::internal::memory {

/// A block's control data. On host devices it precedes the data in the same allocation; elsewhere it is a separate
/// object. One cache line, so that the data after it is aligned to 64 bytes.
struct alignas(64) Block {
  std::atomic<std::int32_t> count{0};  // handles
  std::uint32_t size_class = 0;
  std::size_t bytes = 0;  // requested; the size class tells the capacity
  void* data = nullptr;
  // While the block is in a free list:
  Block* next = nullptr;
  Block* previous = nullptr;
  Block* newer = nullptr;
  Block* older = nullptr;
  std::atomic<std::uintptr_t> word{0};  // for the device: tracks pending work on the data
};
static_assert(sizeof(Block) == 64);

/// Size classes: multiples of 64 bytes up to 512, then eight for each doubling. A block of more than 512 bytes has at
/// most 12.5 % more than requested.
inline constexpr std::uint32_t size_classes = 8 + 8 * (63 - 9);

/// The smallest class that holds `bytes` (at most `PTRDIFF_MAX`); 0 bytes take a block like 1 byte.
[[nodiscard]] constexpr std::uint32_t size_class_of(std::size_t bytes) noexcept {
  const std::size_t last = bytes == 0 ? 0 : bytes - 1;
  if (last < 512) return static_cast<std::uint32_t>(last / 64);
  const auto octave = static_cast<unsigned>(std::bit_width(last)) - 1;
  return 8 + 8 * (octave - 9) + (static_cast<std::uint32_t>(last >> (octave - 3)) & 7U);
}

/// Bytes of data in a block of a class.
[[nodiscard]] constexpr std::size_t class_capacity(std::uint32_t size_class) noexcept {
  if (size_class < 8) return 64 * (static_cast<std::size_t>(size_class) + 1);
  return static_cast<std::size_t>(9 + size_class % 8) << (6 + (size_class - 8) / 8);
}

/// The class of blocks that belong to a `Lender`, not to the pool, and go back to it.
inline constexpr std::uint32_t lent_class = ~std::uint32_t{0};
/// The same for memory that another library owns (see interop/imported.hpp). Its owner counts as a holder, so that the
/// memory is never written in place.
inline constexpr std::uint32_t imported_class = lent_class - 1;
class Lender {
 public:
  virtual void take_back(Block* block) noexcept = 0;

 protected:
  ~Lender() = default;
};
struct LentBlock : Block {
  Lender* lender = nullptr;
};

/// Classes up to 32 KiB have free lists in every thread; all threads share the others.
inline constexpr std::uint32_t small_classes = size_class_of(std::size_t{1} << 15) + 1;

/// The number of blocks of a small class that a thread may keep: at most 64 KiB a class, and 2 to 32 blocks.
[[nodiscard]] constexpr std::int32_t thread_cache_room(std::uint32_t size_class) noexcept {
  return static_cast<std::int32_t>(std::clamp<std::size_t>((std::size_t{1} << 16) / class_capacity(size_class), 2, 32));
}

/// The shared free blocks. Within a class the last block freed is used first (it is in the cache); blocks of large
/// classes are also linked by age, so that the one longest unused can be released.
class FreeBlocks {
 public:
  void push(Block* block) noexcept {
    Block*& head = heads_[block->size_class];
    block->previous = nullptr;
    block->next = head;
    if (head != nullptr) head->previous = block;
    head = block;
    bytes_ += class_capacity(block->size_class);
    ++count_;
    if (block->size_class < small_classes) return;
    block->newer = nullptr;
    block->older = newest_;
    (newest_ != nullptr ? newest_->newer : oldest_) = block;
    newest_ = block;
  }

  /// A block of the class, or null.
  Block* pop(std::uint32_t size_class) noexcept {
    Block* const block = heads_[size_class];
    if (block != nullptr) remove(block);
    return block;
  }

  /// The same, with the device's criterion; see device_hooks.hpp.
  template <class Wanted>
  Block* pop(std::uint32_t size_class, const Wanted& wanted) {
    int looked_at = 0;
    Block* last = nullptr;
    for (Block* block = heads_[size_class]; block != nullptr && looked_at < wanted.look_at; block = block->next) {
      ++looked_at;
      last = block;
      if (!wanted.fits(block->word)) continue;
      remove(block);
      return block;
    }
    if (looked_at < wanted.enough) return nullptr;
    if (wanted.enough == 1) return pop(size_class);
    remove(last);
    return last;
  }

  /// The large block that was freed first, or null.
  Block* pop_oldest() noexcept {
    Block* const block = oldest_;
    if (block != nullptr) remove(block);
    return block;
  }

  /// All bytes in these lists.
  [[nodiscard]] std::size_t bytes() const noexcept { return bytes_; }
  /// All blocks in these lists.
  [[nodiscard]] std::int64_t count() const noexcept { return count_; }

 private:
  void remove(Block* block) noexcept {
    (block->previous != nullptr ? block->previous->next : heads_[block->size_class]) = block->next;
    if (block->next != nullptr) block->next->previous = block->previous;
    bytes_ -= class_capacity(block->size_class);
    --count_;
    if (block->size_class < small_classes) return;
    (block->older != nullptr ? block->older->newer : oldest_) = block->newer;
    (block->newer != nullptr ? block->newer->older : newest_) = block->older;
  }

  Block* heads_[size_classes] = {};
  Block* newest_ = nullptr;
  Block* oldest_ = nullptr;
  std::size_t bytes_ = 0;
  std::int64_t count_ = 0;
};

}  // namespace situ::internal::memory
