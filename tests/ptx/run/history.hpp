// SPDX-License-Identifier: Apache-2.0
// Who stored and who read each byte last, and when: what races are found by.
//
// Time counts barriers, synchronizations of warps, fences and atomic operations of a launch. Threads are numbered from
// 1 through the whole grid; 0 is nobody.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <vector>

namespace ptx {

using Thread = std::uint32_t;
using Time = std::uint32_t;
inline constexpr Thread nobody = 0;
/// With the last reader of a byte: other warps of its block have read it, too, since the block's last barrier.
inline constexpr Thread several = Thread{1} << 31;

/// The thread that accesses now, and what it is ordered after.
struct Accessor {
  Thread thread = nobody;
  Thread block_first = 0;  // of its block: threads from here ...
  Thread block_end = 0;    // ... up to here
  Thread warp_first = 0;   // of its warp
  Time barrier = 0;        // the block's last one
  Time warp_sync = 0;      // the warp's last one
  [[nodiscard]] bool same_block(Thread other) const { return other >= block_first && other < block_end; }
  /// Whether an access by another thread of the block comes before this one.
  [[nodiscard]] bool after(Thread other, Time time) const {
    return time < barrier || (time < warp_sync && other >= warp_first && other < warp_first + 32);
  }
};

/// What an access found: another's access that it may not be ordered after. `thread` is nobody: none.
struct Conflict {
  Thread thread = nobody;
  Time time = 0;
  bool other_stored = false;  // else it read
  bool one_of_several = false;
};

class History {
 public:
  History() = default;
  /// Of memory from an address on. What is touched gets room: regions are large, and kernels touch little of them.
  History(const char* start, std::size_t bytes);
  [[nodiscard]] explicit operator bool() const { return !pages_.empty(); }

  /// A load of `bytes` at an offset. `since`: what happened before it is forgotten (a block's shared memory).
  [[nodiscard]] Conflict load(std::size_t at, int bytes, const Accessor& me, Time now, Time since);
  [[nodiscard]] Conflict store(std::size_t at, int bytes, const Accessor& me, Time now, Time since);
  /// An atomic operation conflicts with nothing: others that use the place are atomic too, or ordered.
  void atomic(std::size_t at, int bytes);

 private:
  static constexpr std::size_t page_bytes = 512;
  struct Page {
    std::array<Thread, page_bytes> writer{};
    std::array<Time, page_bytes> written{};
    std::array<Thread, page_bytes> reader{};
    std::array<Time, page_bytes> read{};
  };
  /// Some bytes of one page.
  struct Part {
    Page& page;
    std::size_t at;
    std::size_t bytes;
  };
  [[nodiscard]] Part part_of(std::size_t at, int bytes);
  [[nodiscard]] static Conflict stored_before(const Part& part, const Accessor& me, Time since);

  std::size_t first_ = 0;  // the start's place in its page
  std::vector<std::unique_ptr<Page>> pages_;
};

}  // namespace ptx
