// SPDX-License-Identifier: Apache-2.0
// Handlers around `fork`, so that the child process finds no lock taken and no object half written.
#pragma once

#include <pthread.h>

#include <atomic>

#include <situ/core/stay_loaded.hpp>

namespace situ::internal {

/// Makes `fork` call `before` first and `in_parent` or `in_child` afterwards. Only the first call has an effect. (Not
/// the initializer of a static variable: if one is running while another thread forks, it never finishes in the child.)
template <void (*before)(), void (*in_parent)(), void (*in_child)()>
void at_fork() noexcept {
  static constinit std::atomic<bool> known{false};
  if (known.load(std::memory_order_relaxed) || known.exchange(true)) return;
  stay_loaded();
  pthread_atfork(before, in_parent, in_child);
}

}  // namespace situ::internal
