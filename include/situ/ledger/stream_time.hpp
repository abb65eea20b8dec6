// SPDX-License-Identifier: Apache-2.0
// The host's time at which a stream's work began. CUDA reports the milliseconds between two events as a `float`: a
// quarter of an hour after the first event, its resolution is only 62 us. So times are added up in `double` from event
// to event: the origin is never far back. The two clocks also drift apart, by some parts in a million: milliseconds a
// minute. So impossible times are corrected: work neither begins before it is launched nor ends after the host has seen
// its end. Rejected: asking for the host's time of a new event now and then, because that waits.
#pragma once

#include <algorithm>
#include <cstdint>

namespace situ::internal::ledger {

class StreamTime {
 public:
  /// When work is this far after the origin, it becomes the next origin.
  static constexpr float farthest = 64;  // milliseconds, where a float resolves 8 ns

  /// The host's time of the origin, an event.
  explicit StreamTime(std::int64_t origin) noexcept : origin_(static_cast<double>(origin)) {}

  /// The host's time at which work began, `since` milliseconds after the origin. It took `took` milliseconds, was
  /// launched after the first host time and had finished before the second.
  [[nodiscard]] double begin(float since, float took, std::int64_t launched, std::int64_t over) noexcept {
    const double begin = origin_ + milli * static_cast<double>(since);
    const double late = begin + milli * static_cast<double>(took) - static_cast<double>(over);
    const double early = static_cast<double>(launched) - begin;
    const double moved = early > 0 ? early : -std::max(late, 0.);
    origin_ += moved;
    return begin + moved;
  }

  /// Another event becomes the origin, at this time.
  void restart(double begin) noexcept { origin_ = begin; }

 private:
  static constexpr double milli = 1e6;  // nanoseconds

  double origin_;
};

}  // namespace situ::internal::ledger
