// SPDX-License-Identifier: Apache-2.0
// Waiting without burning a processor: polls in quick succession, which what takes microseconds needs, then more and
// more seldom, by an eighth of the time that it has taken. Ranks may outnumber processors, so each poll gives way to
// others. The clock decides, never a number of polls: one that gives way on a busy machine is back when all others have
// had their slice of time, and 2,000 of them took 43 s. A thread beside one that computes sleeps from the start: who
// gives way comes back when the other's slice of time is over, milliseconds later, and who wakes, at once.
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

/// Lets this thread come back from each nap at once, where all processors compute. Linux (6.12) lets a thread that
/// computes go on for its slice of time, some 3 ms, unless the slice of who wakes is shorter; older ones ignore it.
inline void ask_for_short_slices() noexcept {
#if defined(__linux__)
  if (sched_getscheduler(0) != SCHED_OTHER) return;
  struct Attributes {  // what <linux/sched/types.h> calls sched_attr, and newer C libraries too
    std::uint32_t size, policy;
    std::uint64_t flags;
    std::int32_t nice;
    std::uint32_t priority;
    std::uint64_t slice, deadline, period;  // in nanoseconds
  };
  const int nice = getpriority(PRIO_PROCESS, 0);  // of this thread, and stays
  const Attributes wish{sizeof(Attributes), SCHED_OTHER, 0, nice, 0, 100'000, 0, 0};  // the least slice that there is
  static_cast<void>(syscall(SYS_sched_setattr, 0, &wish, 0));
#endif
}

/// Whether the thread that waits has the processor to itself, or is beside others that compute.
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
  /// The time from the begin to the last pause.
  [[nodiscard]] Clock::duration waited() const noexcept { return waited_; }
  /// Whether it takes so long that there is time to look around.
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
