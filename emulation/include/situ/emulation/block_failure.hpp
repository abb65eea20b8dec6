// SPDX-License-Identifier: Apache-2.0
// The error messages of block.hpp: what is wrong in a kernel, and where.
#pragma once

#include <cstdint>
#include <cstring>
#include <string>

#include <situ/emulation/block.hpp>

namespace situ::internal::cuda::emulated {

inline void Block::note_failure(const std::string& what) { error_ = where(thread) + " " + what; }

inline void Block::note_divergence(int other) {
  note_failure("waits at " + site_[thread].text() + ", but thread " + std::to_string(other) + " " + doing(other));
}

inline std::string Site::text() const {
  const char* const slash = std::strrchr(file, '/');
  return std::string(what) + " (" + (slash == nullptr ? file : slash + 1) + ":" + std::to_string(line) + ")";
}

inline std::string Block::where(int of_thread) const {
  std::string text = std::string("kernel '") + launch_->name + "', block " + std::to_string(block);
  if (blocks_y > 1) text += "," + std::to_string(block_y);
  return text + ", thread " + std::to_string(of_thread);
}

inline bool Block::in_guard(const void* address) const noexcept {
  for (const Fiber* fiber = all_; fiber != nullptr; fiber = fiber->next) {
    const auto distance = reinterpret_cast<std::uintptr_t>(fiber->stack) - reinterpret_cast<std::uintptr_t>(address);
    if (distance <= fiber_guard_bytes) return true;
  }
  return false;
}

inline std::string Block::doing(int t) const {
  return state_[t] == State::left ? "has left the kernel" : "waits at " + site_[t].text();
}

/// All threads that have not left the kernel wait, at least one of them for a thread that will not come.
inline std::string Block::describe_stall() const {
  int waiting = -1;
  for (int t = 0; t < threads && waiting < 0; ++t) {
    if (state_[t] == State::waits_in_warp) waiting = t;
  }
  const bool in_warp = waiting >= 0;
  for (int t = 0; t < threads && waiting < 0; ++t) {
    if (state_[t] == State::waits_at_barrier) waiting = t;
  }
  const int first = in_warp ? waiting / warp_threads * warp_threads : 0;
  const int end = in_warp ? first + warp_threads : threads;
  int missing = first;
  while (missing < end - 1 && state_[missing] == state_[waiting]) ++missing;
  return where(waiting) + " waits at " + site_[waiting].text() + ", but thread " + std::to_string(missing) + " " +
         doing(missing);
}

}  // namespace situ::internal::cuda::emulated
