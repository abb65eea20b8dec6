// SPDX-License-Identifier: Apache-2.0
// Allocates blocks from a device's own memory, and returns them to it.
#pragma once

#include <cstddef>
#include <cstdint>
#include <new>
#include <vector>  // std::construct_at: the rest of <memory> is a tenth of what a compiler reads

#include <situ/core/movement.hpp>
#include <situ/device/device.hpp>
#include <situ/memory/block.hpp>
#include <situ/memory/device_hooks.hpp>
#include <situ/memory/poison.hpp>

namespace situ::internal::memory {

/// Where a pool gets its blocks: one allocation for control data and elements on host devices, two elsewhere.
template <Device D>
struct Upstream {
  /// A block with `capacity` bytes of data, or null if there is no memory. Passes on the device's exceptions.
  [[nodiscard]] static Block* allocate(std::size_t capacity) {
    if constexpr (HostDevice<D>) {
      void* const memory = D::allocate(sizeof(Block) + capacity);
      if (memory == nullptr) return nullptr;
      // Not a placement `new`: nvcc 13 makes an aligned one of it when the type is aligned beyond the default.
      Block* const block = std::construct_at(static_cast<Block*>(memory));
      block->data = block + 1;
      poison(block->data, capacity);
      return block;
    } else {
      Block* const block = new (std::nothrow) Block;
      if (block == nullptr) return nullptr;
      try {
        block->data = D::allocate(capacity);
      } catch (...) {
        delete block;
        throw;
      }
      if (block->data != nullptr) return block;
      delete block;
      return nullptr;
    }
  }

  /// Frees a block from `allocate(capacity)`.
  static void deallocate(Block* block, std::size_t capacity) noexcept {
    movement::tell_memory(&movement::name_of<D>, -static_cast<std::int64_t>(capacity));
    if constexpr (HostDevice<D>) {
      unpoison(block->data, capacity);
      if constexpr (TracksBlocks<D>) D::deallocate(block, sizeof(Block) + capacity, block->word);
      else D::deallocate(block, sizeof(Block) + capacity);
    } else {
      if constexpr (TracksBlocks<D>) D::deallocate(block->data, capacity, block->word);
      else D::deallocate(block->data, capacity);
      delete block;
    }
  }
};

}  // namespace situ::internal::memory
