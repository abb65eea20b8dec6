// SPDX-License-Identifier: Apache-2.0
// The blocks of a launch: which runs when, and what orders two of them. Under ThreadSanitizer they run alternately on
// two multiprocessors, neither of which knows what the other has done: as on a GPU, only fences and atomic operations
// order two blocks on different multiprocessors. So a race between consecutive blocks is always found, and one between
// other blocks when a drawn order puts them on different multiprocessors. (Rejected: a context for each block, up to a
// thousand.)
#pragma once

#include <cstdint>
#include <memory>
#include <new>
#include <numeric>
#include <string>
#include <utility>

#include <situ/emulation/block_run.hpp>

namespace situ::internal::cuda::emulated {

inline std::string Block::run(const Launch& launch, std::uint64_t seed) {
  const std::int64_t all = launch.blocks * launch.blocks_y;
  const bool alone = !under_thread_sanitizer || all == 1 || launch.on_one_multiprocessor;
  if (!alone && neighbour_ == nullptr) neighbour_ = std::make_unique<Block>();
  Block* const on[] = {this, alone ? this : neighbour_.get()};
  prepare(launch, seed);
  if (!alone) on[1]->prepare(launch, seed);
  Block* const outer = current;
  // In order, or from a drawn block in a drawn step. A step that is coprime to the number of blocks visits every block
  // once.
  std::int64_t at = 0, step = 1;
  if (random_ != 0) {
    at = static_cast<std::int64_t>(draw(static_cast<std::uint64_t>(all)));
    do step = 1 + static_cast<std::int64_t>(draw(static_cast<std::uint64_t>(all)));
    while (std::gcd(step, all) != 1);
  }
  std::string error;
  for (std::int64_t turn = 0; turn < all && error.empty(); ++turn, at = (at + step) % all) {
    Block& here = *on[turn % 2];
    store(current, &here);
    here.run_block(at % launch.blocks, static_cast<int>(at / launch.blocks));
    error = std::exchange(here.error_, {});
  }
  store(current, outer);
  finish();
  if (!alone) on[1]->finish();
  return error;
}

inline void Block::prepare(const Launch& launch, std::uint64_t seed) {
  launch_ = &launch;
  threads = launch.threads;
  blocks = launch.blocks;
  blocks_y = launch.blocks_y;
  failed_ = false;
  random_ = seed;
  shared_.start_dynamic(launch.dynamic_bytes);
  // ThreadSanitizer orders a context after its creator, so all are created here and not by a thread of the block.
  if (context_ == nullptr) context_ = tsan_create();
  const int fibers = under_thread_sanitizer ? threads : 1;
  while (fibers_ < fibers) {
    Fiber* const fiber = add_fiber();
    if (fiber == nullptr) throw std::bad_alloc();
    fiber->next_idle = idle_;
    idle_ = fiber;
  }
  tsan_release(tsan_start());
}

inline void Block::finish() noexcept {
  tsan_acquire(tsan_end());
  shared_.release();
  launch_ = nullptr;
}

/// Clears shared memory when a block begins. Not in the host's context for ThreadSanitizer: the host is ordered after
/// both multiprocessors.
inline void Block::forget_shared() {
  void* const host = tsan_context();
  tsan_switch(context_);
  tsan_acquire(tsan_start());
  tsan_acquire(tsan_end());
  shared_.forget_contents();
  tsan_release(tsan_start());
  tsan_switch(host);
}

inline void Block::fence() noexcept {
  fenced_ = true;
  for (int i = 0; i < observed_count_ && i < most_observed; ++i) tsan_acquire(observed_[i]);
}
inline void Block::before_atomic(void* place) noexcept {
  if (fenced_) tsan_release(place);
}
inline void Block::after_atomic(void* place) noexcept { observed_[observed_count_++ % most_observed] = place; }

}  // namespace situ::internal::cuda::emulated
