// SPDX-License-Identifier: Apache-2.0
// The shared memory of a block: allocations of the exact size, so that AddressSanitizer finds out-of-bounds accesses,
// filled with NaN for every block, since a block must not read what it has not written.
#pragma once

#include <cstddef>
#include <cstring>
#include <new>

#include <situ/emulation/sanitizers.hpp>

namespace situ::internal::cuda::emulated {

inline constexpr std::size_t shared_bytes_static = 48 << 10;
inline constexpr std::size_t shared_bytes_dynamic = 227 << 10;

class SharedMemory {
 public:
  /// The object for `tag`, the same for all calls with this tag; null if there are too many.
  void* get(const void* tag, std::size_t bytes, std::size_t alignment) {
    for (int i = 0; i < count_; ++i) {
      if (parts_[i].tag == tag) return parts_[i].memory;
    }
    if (count_ == most || used_ + bytes > shared_bytes_static || used_ + bytes + dynamic_.bytes > shared_bytes_dynamic)
      return nullptr;
    Part& part = parts_[count_];
    // Member by member: a temporary would be on a fiber's stack, but ThreadSanitizer attributes this code to the host,
    // which would race with the fiber.
    part.tag = tag;
    part.memory = ::operator new(bytes, std::align_val_t{alignment});
    part.bytes = bytes;
    part.alignment = alignment;
    std::memset(part.memory, 0xff, bytes);
    used_ += bytes;
    ++count_;
    return part.memory;
  }
  void start_dynamic(std::size_t bytes) { dynamic_ = {this, ::operator new(bytes, std::align_val_t{16}), bytes, 16}; }
  [[nodiscard]] void* dynamic() const noexcept { return dynamic_.memory; }

  /// Clears the contents for the next block.
  void forget_contents() noexcept {
    for (int i = 0; i < count_; ++i) std::memset(parts_[i].memory, 0xff, parts_[i].bytes);
    std::memset(dynamic_.memory, 0xff, dynamic_.bytes);
  }
  void release() noexcept {
    for (int i = 0; i < count_; ++i) ::operator delete(parts_[i].memory, std::align_val_t{parts_[i].alignment});
    ::operator delete(dynamic_.memory, std::align_val_t{16});
    dynamic_ = {};
    count_ = 0;
    used_ = 0;
  }

 private:
  struct Part {
    const void* tag = nullptr;
    void* memory = nullptr;
    std::size_t bytes = 0;
    std::size_t alignment = 16;
  };
  static constexpr int most = 32;
  Part parts_[most];
  Part dynamic_;
  int count_ = 0;
  std::size_t used_ = 0;
};

}  // namespace situ::internal::cuda::emulated
