// SPDX-License-Identifier: Apache-2.0
// The scheduling of block.hpp: which thread of the block continues when one waits. For blocks see blocks.hpp.
#pragma once

#include <cstdint>
#include <cstring>
#include <exception>
#include <new>
#include <string>
#include <utility>

#include <situ/emulation/block.hpp>
#include <situ/emulation/block_failure.hpp>

namespace situ::internal::cuda::emulated {

inline Block::~Block() {
  while (all_ != nullptr) destroy_fiber(std::exchange(all_, all_->next));
  if (context_ != nullptr) tsan_destroy(context_);
}

inline Fiber* Block::add_fiber() {
  Fiber* const fiber = create_fiber(&fiber_entry);
  if (fiber == nullptr) return nullptr;
  fiber->next = all_;
  all_ = fiber;
  ++fibers_;
  return fiber;
}

inline void Block::run_block(std::int64_t x, int y) {
  store(block, x);
  store(block_y, y);
  fenced_ = false;
  observed_count_ = 0;
  std::memset(state_, 0, static_cast<std::size_t>(threads) * sizeof(State));
  for (int w = 0; w * warp_threads < threads; ++w) warps_[w].arrived = warps_[w].phase = 0;
  started_ = left_ = barrier_arrived_ = barrier_phase_ = ready_first_ = ready_count_ = 0;
  if (random_ != 0) {
    for (int t = 0; t < threads; ++t) {
      const int other = static_cast<int>(draw(static_cast<std::uint64_t>(t) + 1));
      order_[t] = order_[other];
      order_[other] = t;
    }
  }
  forget_shared();
  change(host_, pick());
  if (!failed_ && left_ < threads) {
    error_ = describe_stall();
    failed_ = true;
  }
  if (failed_) restart_fibers();
  if (failed_ || used_ != nullptr) make_all_idle();
}

inline void Block::make_all_idle() noexcept {
  idle_ = used_ = nullptr;
  for (Fiber* fiber = all_; fiber != nullptr; fiber = fiber->next) {
    fiber->next_idle = idle_;
    idle_ = fiber;
  }
}

inline void Block::restart_fibers() {
  void* const context = tsan_context();
  for (Fiber* fiber = all_; fiber != nullptr; fiber = fiber->next) {
    // On behalf of a thread that cannot say itself that it is over.
    tsan_switch(fiber->tsan);
    tsan_release(tsan_end());
    tsan_switch(context);
    restart_fiber(*fiber, &fiber_entry);
  }
  tsan_acquire(tsan_end());
}

// --- on fibers -------------------------------------------------------------------------------------------------------

/// The body of a fiber: the loop over threads; then it is idle until it is picked for another block.
inline void Block::fiber_entry() {
  Block* const block = current;
  block->arrive(*block->running_);
  while (true) block->run_on_fiber();
}

inline void Block::run_on_fiber() {
  Fiber& self = *running_;
  bool threw = false;
  try {
    launch_->run_threads(launch_->kernel, *this);
  } catch (const std::exception& error) {
    note_failure(std::string("threw: ") + error.what());
    threw = true;
  }
  if (threw) stop();
  Fiber*& list = under_thread_sanitizer ? used_ : idle_;
  self.next_idle = list;
  list = &self;
  Fiber& next = pick();
  if (&next != &self) change(self, next);
}

/// Picks the next to run: a thread that has waited long enough, else one that has not started, else the host, which
/// then checks whether all have ended.
inline Fiber& Block::pick() {
  if (ready_count_ > 0) {
    const int skipped = random_ == 0 ? 0 : static_cast<int>(draw(static_cast<std::uint64_t>(ready_count_)));
    const int chosen = (ready_first_ + skipped) % most_threads;
    const int t = ready_[chosen];
    ready_[chosen] = ready_[ready_first_];
    ready_first_ = (ready_first_ + 1) % most_threads;
    --ready_count_;
    return *fiber_[t];
  }
  if (started_ == threads) return host_;
  if (idle_ == nullptr) {
    Fiber* const fiber = add_fiber();
    if (fiber == nullptr) {
      note_failure("finds no memory for the stacks of its block's threads");
      stop();
    }
    return *fiber;
  }
  Fiber* const fiber = idle_;
  idle_ = fiber->next_idle;
  return *fiber;
}

inline void Block::suspend(State state) {
  const int self = thread;
  state_[self] = state;
  fiber_[self] = running_;
  change(*running_, pick());
  store(thread, self);
}

inline void Block::change(Fiber& from, Fiber& to) noexcept {
  previous_ = &from;
  running_ = &to;
  from.tsan = tsan_context();
  before_stack_switch(&from.fake_stack, to.stack, to.stack_bytes);
  tsan_switch(to.tsan);
  StackPosition::change(from.position, to.position);
  arrive(from);
}

inline void Block::arrive(Fiber& at) noexcept {
  // AddressSanitizer reports the bounds of the stack that was left, the only way to learn those of the host's.
  if constexpr (under_address_sanitizer) after_stack_switch(at.fake_stack, &previous_->stack, &previous_->stack_bytes);
}

inline void Block::make_ready(int t) noexcept {
  state_[t] = State::ready;
  ready_[(ready_first_ + ready_count_) % most_threads] = t;
  ++ready_count_;
}

inline std::uint64_t Block::draw(std::uint64_t below) noexcept {
  random_ ^= random_ << 13;
  random_ ^= random_ >> 7;
  random_ ^= random_ << 17;
  return random_ % below;
}

[[gnu::noinline]] inline void Block::barrier(Site site) {
  const int self = thread;
  const int phase = barrier_phase_;
  site_[self] = site;
  tsan_release(&sync_barrier_[phase]);
  if (barrier_arrived_ == 0) barrier_first_ = self;
  if (!(site == site_[barrier_first_])) {
    note_divergence(barrier_first_);
    stop();
  }
  if (++barrier_arrived_ == threads) {
    barrier_arrived_ = 0;
    barrier_phase_ = 1 - phase;
    for (int t = 0; t < threads; ++t) {
      if (t != self) make_ready(t);
    }
  } else {
    suspend(State::waits_at_barrier);
  }
  tsan_acquire(&sync_barrier_[phase]);
}

[[gnu::noinline]] inline const std::uint64_t* Block::exchange(std::uint64_t word, Site site) {
  const int self = thread;
  const int first = self / warp_threads * warp_threads;
  Warp& warp = warps_[self / warp_threads];
  const int phase = warp.phase;
  site_[self] = site;
  if (first + warp_threads > threads) {
    note_failure("calls " + site.text() + " in a warp of " + std::to_string(threads - first) +
                 " threads: all 32 must take part");
    stop();
  }
  warp.words[phase][self - first] = word;
  tsan_release(&warp.sync[phase]);
  if (warp.arrived == 0) warp.first = self;
  if (!(site == site_[warp.first])) {
    note_divergence(warp.first);
    stop();
  }
  if (++warp.arrived == warp_threads) {
    warp.arrived = 0;
    warp.phase = 1 - phase;
    for (int t = first; t < first + warp_threads; ++t) {
      if (t != self) make_ready(t);
    }
  } else {
    suspend(State::waits_in_warp);
  }
  tsan_acquire(&warp.sync[phase]);
  return warp.words[phase];
}

[[gnu::noinline]] inline void* Block::shared(const void* tag, std::size_t bytes, std::size_t alignment) {
  // Allocated and filled as if before the block: for ThreadSanitizer, no thread of the block has written it.
  void* const context = tsan_context();
  tsan_switch(context_);
  void* const memory = shared_.get(tag, bytes, alignment);
  tsan_release(&sync_shared_);
  tsan_switch(context);
  tsan_acquire(&sync_shared_);
  if (memory == nullptr) {
    note_failure("uses more than 48 KiB of shared memory, or 227 KiB with what the launch asked for");
    stop();
  }
  return memory;
}

inline void* Block::dynamic_shared() {
  if (launch_->dynamic_bytes == 0) {
    note_failure("uses dynamic_shared(), but was launched without any");
    stop();
  }
  return shared_.dynamic();
}

inline void Block::stop() {
  failed_ = true;
  tsan_release(tsan_end());
  change(*running_, host_);
  __builtin_unreachable();
}

}  // namespace situ::internal::cuda::emulated
