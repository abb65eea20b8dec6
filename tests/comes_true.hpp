// SPDX-License-Identifier: Apache-2.0
// Waits for what another thread does, for however long a busy machine takes.
#pragma once

#include <ctime>
#include <thread>

/// Whether `holds()` comes true before this process has used 20 s of a processor. While this thread waits it uses what the machine
/// gives it, as the thread that it waits for does: a machine that is slow gives both less, and only a fault ends the wait.
template <class Condition>
bool comes_true(const Condition& holds) {
  const std::clock_t begin = std::clock();
  while (!holds()) {
    if (std::clock() - begin > 20 * CLOCKS_PER_SEC) return false;
    std::this_thread::yield();
  }
  return true;
}
