// SPDX-License-Identifier: Apache-2.0
// The memory of an emulated device, in pools: each is a range of addresses that traps unless work of the device runs,
// or of another to which the pool grants access; and the allocations in it.
#pragma once

#include <sys/mman.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <iterator>
#include <map>

#include <situ/emulation/sanitizers.hpp>

namespace situ::internal::cuda::emulated {

/// A range of addresses.
class DeviceMemory {
 public:
  struct Allocation {
    std::size_t bytes = 0;
    std::size_t room = 0;    // with the gap to the next
    std::size_t used = 0;    // of the bytes, by the user of a caching pool; see `note_allocated`
    bool freed = false;      // by a call that has not run in its stream yet
    bool passed_on = false;  // its bytes were reused before that; see pending_frees.hpp
  };
  static constexpr std::size_t granularity = 512;
  static constexpr std::size_t page = std::size_t{2} << 20;

  /// Reserves the addresses; false if the system has none. Backed by huge pages if possible, since opening and closing
  /// takes time for each page (300 us for 2 MiB of small pages, 3 us for one huge one).
  bool reserve(std::size_t bytes) noexcept {
    void* const mapped = mmap(nullptr, bytes + page, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    if (mapped == MAP_FAILED) return false;
    const auto place = reinterpret_cast<std::uintptr_t>(mapped);
    start_ = static_cast<char*>(mapped) + (page - place % page) % page;
    bytes_ = bytes;
    madvise(start_, bytes_, MADV_HUGEPAGE);  // advice: a system without huge pages may refuse it
    return true;
  }

  /// Whether this many bytes could ever be allocated.
  [[nodiscard]] bool has_room_for(std::size_t bytes) const noexcept { return bytes <= bytes_ - granularity; }

  [[nodiscard]] bool contains(const void* pointer) const noexcept {
    const auto place = reinterpret_cast<std::uintptr_t>(pointer);
    const auto start = reinterpret_cast<std::uintptr_t>(start_);
    return start_ != nullptr && place >= start && place - start < bytes_;
  }

  /// Addresses for `bytes`, never adjacent to another allocation; null if none are left.
  void* allocate(std::size_t bytes) {
    const std::size_t room = round_up(bytes) + granularity;
    std::size_t at = end_;
    auto found = free_.begin();
    while (found != free_.end() && found->second < room) ++found;
    if (found != free_.end()) {
      at = found->first;
      const std::size_t rest = found->second - room;
      free_.erase(found);
      if (rest > 0) free_.emplace(at + room, rest);
    } else {
      if (room > bytes_ - end_) return nullptr;
      end_ += room;
    }
    allocations_.emplace(at, Allocation{bytes, room, bytes});
    return start_ + at;
  }

  /// The allocation that starts at `pointer`, or null.
  Allocation* starting_at(const void* pointer) {
    const auto found = contains(pointer) ? allocations_.find(offset(pointer)) : allocations_.end();
    return found == allocations_.end() ? nullptr : &found->second;
  }

  /// Whether the bytes are in a single allocation.
  [[nodiscard]] bool allocated(const void* pointer, std::size_t bytes) const {
    auto next = allocations_.upper_bound(offset(pointer));
    if (next == allocations_.begin()) return false;
    --next;
    const std::size_t within = offset(pointer) - next->first;
    return within <= next->second.bytes && bytes <= next->second.bytes - within && !next->second.freed;
  }

  /// Calls `f` with the start of each allocation and its used bytes.
  template <class F>
  void for_each(F f) const {
    for (const auto& [at, allocation] : allocations_) f(start_ + at, allocation.used);
  }

  void release(const void* pointer) {
    const auto found = allocations_.find(offset(pointer));
    std::size_t at = found->first;
    std::size_t room = found->second.room;
    allocations_.erase(found);
    auto after = free_.lower_bound(at);
    if (after != free_.end() && after->first == at + room) {
      room += after->second;
      after = free_.erase(after);
    }
    if (after != free_.begin()) {
      const auto before = std::prev(after);
      if (before->first + before->second == at) {
        at = before->first;
        room += before->second;
        free_.erase(before);
      }
    }
    free_.emplace(at, room);
  }

  /// Returns the pages of free parts to the system.
  void release_pages() noexcept {
    for (const auto& [at, room] : free_) {
      const std::size_t first = (at + page - 1) / page * page;
      const std::size_t last = (at + room) / page * page;
      if (first < last) madvise(start_ + first, last - first, MADV_DONTNEED);
    }
  }

  /// Makes all memory that is or was allocated accessible to this process, or makes it trap. Does nothing without an
  /// allocation.
  void set_open(bool open) noexcept {
    open = open && !allocations_.empty();
    if (open == open_ && (!open || end_ <= open_end_)) return;
    open_ = open;
    open_end_ = std::min(bytes_, (std::max(end_, open_end_) + page - 1) / page * page);
    if (open_end_ > 0) mprotect(start_, open_end_, open ? PROT_READ | PROT_WRITE : PROT_NONE);
  }
  [[nodiscard]] bool is_open() const noexcept { return open_; }

  [[nodiscard]] static std::size_t round_up(std::size_t bytes) noexcept {
    return (bytes + granularity - 1) / granularity * granularity;
  }

 private:
  [[nodiscard]] std::size_t offset(const void* pointer) const noexcept {
    return static_cast<std::size_t>(static_cast<const char*>(pointer) - start_);
  }

  char* start_ = nullptr;
  std::size_t bytes_ = 0;
  std::size_t end_ = 0;  // of what was ever allocated
  std::size_t open_end_ = 0;
  bool open_ = false;
  std::map<std::size_t, Allocation> allocations_;
  std::map<std::size_t, std::size_t> free_;  // room by start
};

/// Memory of a device from which streams allocate; it keeps freed memory until it is trimmed.
struct Pool {
  int device = 0;
  std::size_t used = 0;
  std::size_t reserved = 0;  // counts as taken from the device
  std::uint64_t peers = 0;   // bit `d`: device `d` may access it
  bool internal_dependencies = false;
  DeviceMemory memory{};
};

}  // namespace situ::internal::cuda::emulated
