// SPDX-License-Identifier: Apache-2.0
// Reduction within a block of threads, in an order that depends only on the number of threads, and detection of the
// last of several blocks.
#pragma once

#include <cstdint>
#include <type_traits>

#include <situ/cuda/api/kernel.hpp>

#if defined(SITU_CUDA)

namespace situ::internal::cuda::detail {

/// Calls `f` for a state: a number, or a struct of numbers with `map`.
template <class State, class F>
SITU_DEVICE State map_state(const State& state, F f) {
  if constexpr (std::is_arithmetic_v<State>) return f(state);
  else return state.map(f);
}

struct ShuffleDown {
  int delta;
  template <class T>
  SITU_DEVICE T operator()(T value) const {
    return kernel::shuffle_down(value, delta);
  }
};
struct ShuffleXor {
  int mask;
  template <class T>
  SITU_DEVICE T operator()(T value) const {
    return kernel::shuffle_xor(value, mask);
  }
};

/// Merges the states of each `width` adjacent threads of a warp, a power of two, into that of the first. All threads of
/// the warp must call; the states of the others are unspecified afterwards.
template <class Merge, class State>
SITU_DEVICE void merge_lanes(State& state, int width) {
  kernel::halving(width, [&](int delta) {
    const State other = map_state(state, ShuffleDown{delta});
    Merge::merge(state, other);
  });
}

/// The same, with the result in all threads; merging must be commutative.
template <class Merge, class State>
SITU_DEVICE void merge_lanes_to_all(State& state, int width) {
  for (int mask = width / 2; mask > 0; mask /= 2) {
    const State other = map_state(state, ShuffleXor{mask});
    Merge::merge(state, other);
  }
}

/// Shared memory for the states of the warps of a block.
template <class State, int Threads>
struct WarpStates {
  State state[std::size_t{Threads / kernel::warp_size}];
};

/// Merges the states of all threads of the block into that of thread 0. All threads must call.
template <class Merge, int Threads, class State>
SITU_DEVICE void merge_block(State& state) {
  static_assert(Threads % kernel::warp_size == 0 && Threads <= 1024 && (Threads & (Threads - 1)) == 0);
  constexpr int warps = Threads / kernel::warp_size;
  merge_lanes<Merge>(state, kernel::warp_size);
  if constexpr (warps > 1) {
    auto& shared = kernel::block_shared<WarpStates<State, Threads>>();
    const int thread = kernel::thread();
    kernel::barrier();  // a call before may still be reading
    if (thread % kernel::warp_size == 0) shared.state[thread / kernel::warp_size] = state;
    kernel::barrier();
    if (thread < kernel::warp_size) {
      state = shared.state[thread < warps ? thread : 0];
      merge_lanes<Merge>(state, warps);
    }
  }
}

/// The same, with the result in all threads; merging must be commutative.
template <class Merge, int Threads, class State>
SITU_DEVICE void merge_block_to_all(State& state) {
  static_assert(Threads % kernel::warp_size == 0 && Threads <= 1024 && (Threads & (Threads - 1)) == 0);
  constexpr int warps = Threads / kernel::warp_size;
  merge_lanes_to_all<Merge>(state, kernel::warp_size);
  if constexpr (warps > 1) {
    auto& shared = kernel::block_shared<WarpStates<State, Threads>>();
    const int thread = kernel::thread();
    kernel::barrier();
    if (thread % kernel::warp_size == 0) shared.state[thread / kernel::warp_size] = state;
    kernel::barrier();
    state = shared.state[thread % warps];
    merge_lanes_to_all<Merge>(state, warps);
  }
}

/// The same for the warps of a block, whose threads all hold the state of their warp; `nothing` is the neutral state.
template <class Merge, class State>
SITU_DEVICE void merge_warps_to_all(State& state, int warps, State nothing) {
  auto& shared = kernel::block_shared<WarpStates<State, 1024>>();
  const int warp = kernel::thread() / kernel::warp_size;
  const int lane = kernel::thread() % kernel::warp_size;
  kernel::barrier();  // a call before may still be reading
  if (lane == 0) shared.state[warp] = state;
  kernel::barrier();
  state = lane < warps ? shared.state[lane] : nothing;
  merge_lanes_to_all<Merge>(state, kernel::warp_size);
}

struct LastBlock {
  bool is_last;
};

/// Whether this block is the last of `blocks` that share a ticket. If so, all its threads see the results that any
/// thread of the other blocks wrote before the call. All threads must call. The ticket is 0 before the first and after
/// the last.
SITU_DEVICE bool is_last_block(std::uint32_t* ticket, std::uint32_t blocks) {
  auto& shared = kernel::block_shared<LastBlock>();
  kernel::memory_fence();
  kernel::barrier();
  if (kernel::thread() == 0) {
    shared.is_last = kernel::atomic_add(ticket, std::uint32_t{1}) == blocks - 1;
    if (shared.is_last) kernel::atomic_exchange(ticket, std::uint32_t{0});
  }
  kernel::barrier();
  const bool last = shared.is_last;
  kernel::memory_fence();
  return last;
}

}  // namespace situ::internal::cuda::detail

#endif
