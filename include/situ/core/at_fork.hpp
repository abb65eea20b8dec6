// SPDX-License-Identifier: Apache-2.0
// What the library does around `fork`, so that the child finds nothing locked and nothing half written.
#pragma once

#include <pthread.h>

#include <atomic>

#include <situ/core/stay_loaded.hpp>

namespace situ::internal {

/// From now on `fork` calls `before` and, after it, `in_parent` or `in_child`. Only the first call counts. (It is no
/// initialisation of a static variable: one that is begun when another thread forks never ends in the child.)
template <void (*before)(), void (*in_parent)(), void (*in_child)()>
void at_fork() noexcept {
  static constinit std::atomic<bool> known{false};
  if (known.load(std::memory_order_relaxed) || known.exchange(true)) return;
  stay_loaded();
  pthread_atfork(before, in_parent, in_child);
}

}  // namespace situ::internal
