// SPDX-License-Identifier: Apache-2.0
// Who stored and who read each byte last, and when: what races are found by.
//
// Time counts barriers, synchronizations of warps, fences and atomic operations of a launch. Threads are numbered from
// 1 through the whole grid; 0 is nobody.
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <memory>
#include <new>

namespace ptx {

using Thread = std::uint32_t;
using Time = std::uint32_t;
inline constexpr Thread nobody = 0;
/// Several threads of one block have read a byte since its last barrier.
inline constexpr Thread several = ~Thread{0};

/// Zeros that cost nothing until they are touched: regions are large, and kernels touch little of them.
template <class T>
class Zeros {
 public:
  Zeros() = default;
  explicit Zeros(std::size_t count) : memory_(static_cast<T*>(std::calloc(count != 0 ? count : 1, sizeof(T)))) {
    if (memory_ == nullptr) throw std::bad_alloc();
  }
  [[nodiscard]] T* get() { return memory_.get(); }
  [[nodiscard]] explicit operator bool() const { return memory_ != nullptr; }

 private:
  struct Free {
    void operator()(T* memory) const { std::free(memory); }
  };
  std::unique_ptr<T, Free> memory_;
};

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
  bool other_stored = false;
};

class History {
 public:
  History() = default;
  explicit History(std::size_t bytes) : writer_(bytes), written_(bytes), reader_(bytes), read_(bytes) {}
  [[nodiscard]] explicit operator bool() const { return static_cast<bool>(writer_); }

  /// A load of `bytes` at an offset. `since`: what happened before it is forgotten (a block's shared memory).
  [[nodiscard]] Conflict load(std::size_t at, int bytes, const Accessor& me, Time now, Time since);
  [[nodiscard]] Conflict store(std::size_t at, int bytes, const Accessor& me, Time now, Time since);
  /// An atomic operation conflicts with nothing: others that use the place are atomic too, or ordered.
  void atomic(std::size_t at, int bytes);

 private:
  [[nodiscard]] Conflict stored_before(std::size_t at, int bytes, const Accessor& me, Time since);

  Zeros<Thread> writer_;
  Zeros<Time> written_;
  Zeros<Thread> reader_;
  Zeros<Time> read_;
};

}  // namespace ptx
