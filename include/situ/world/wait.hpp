// SPDX-License-Identifier: Apache-2.0
// Waiting without burning a processor: polls in quick succession, which what takes microseconds needs, then more and
// more seldom. Ranks may outnumber processors, so each poll gives way to others.
#pragma once

#include <algorithm>
#include <chrono>
#include <thread>

namespace situ::internal::world {

using Clock = std::chrono::steady_clock;

class BackOff {
 public:
  void pause() {
    if (++polls_ <= quick_polls) {
      std::this_thread::yield();
      return;
    }
    std::this_thread::sleep_for(nap_);
    nap_ = std::min(nap_ * 2, longest_nap);
  }
  /// Whether it takes so long that there is time to look around.
  [[nodiscard]] bool slow() const noexcept { return nap_ >= longest_nap; }

 private:
  static constexpr int quick_polls = 2000;
  static constexpr std::chrono::microseconds longest_nap{2000};

  int polls_ = 0;
  std::chrono::microseconds nap_{10};
};

}  // namespace situ::internal::world
