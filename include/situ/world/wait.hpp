// SPDX-License-Identifier: Apache-2.0
// Waiting without wasting a processor: polls in quick succession, for events within microseconds, then more and more
// rarely, with pauses of an eighth of the time waited so far. Ranks may outnumber processors, so each poll yields. The
// clock decides, never the number of polls: on a busy machine a thread that yields comes back after the time slices of
// all others, and 2,000 polls took 43 s. A thread beside one that computes sleeps from the start: after yielding it
// would come back at the end of the other's time slice, milliseconds later; a sleeping thread wakes at once.
#pragma once

#include <algorithm>
#include <chrono>
#include <cstdint>
#include <thread>

#if defined(__linux__)
#include <sched.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <unistd.h>
#endif

namespace situ::internal::world {

using Clock = std::chrono::steady_clock;

/// Lets this thread wake from each nap at once, even if all processors are busy. Linux (6.12) lets a running thread
/// finish its time slice, some 3 ms, unless the slice of the waking thread is shorter; older versions ignore this.
inline void ask_for_short_slices() noexcept {
#if defined(__linux__)
  if (sched_getscheduler(0) != SCHED_OTHER) return;
  struct Attributes {  // sched_attr in <linux/sched/types.h> and newer C libraries
    std::uint32_t size, policy;
    std::uint64_t flags;
    std::int32_t nice;
    std::uint32_t priority;
    std::uint64_t slice, deadline, period;  // in nanoseconds
  };
  const int nice = getpriority(PRIO_PROCESS, 0);                                      // of this thread, unchanged
  const Attributes wish{sizeof(Attributes), SCHED_OTHER, 0, nice, 0, 100'000, 0, 0};  // the shortest slice
  static_cast<void>(syscall(SYS_sched_setattr, 0, &wish, 0));
#endif
}

/// Whether the waiting thread has the processor to itself, or runs beside others that compute.
enum class Waiter { alone, beside };

class BackOff {
 public:
  explicit BackOff(Waiter waiter = Waiter::alone) : quick_(waiter == Waiter::alone ? quick_time : Clock::duration{}) {}

  void pause() {
    waited_ = Clock::now() - begin_;
    if (waited_ < quick_) {
      std::this_thread::yield();
      return;
    }
    nap_ = std::clamp(std::chrono::duration_cast<Nap>(waited_ / 8), shortest_nap, longest_nap);
    std::this_thread::sleep_for(nap_);
  }
  /// The time from the beginning to the last pause.
  [[nodiscard]] Clock::duration waited() const noexcept { return waited_; }
  /// Whether the wait is long enough to do other checks.
  [[nodiscard]] bool slow() const noexcept { return nap_ >= longest_nap; }

 private:
  using Nap = std::chrono::microseconds;
  static constexpr Nap shortest_nap{10};
  static constexpr Nap longest_nap{2000};
  static constexpr Clock::duration quick_time = std::chrono::milliseconds(2);

  Clock::time_point begin_ = Clock::now();
  Clock::duration quick_;
  Clock::duration waited_{};
  Nap nap_{0};
};

}  // namespace situ::internal::world
