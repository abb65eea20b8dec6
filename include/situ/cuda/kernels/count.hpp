// SPDX-License-Identifier: Apache-2.0
// The counting kernel of the CUDA backend, for `bincount` and `histogram`. By atomic additions of integers, whose sum
// does not depend on the order.
#pragma once

#include <situ/cuda/api/backend.hpp>
#include <situ/cuda/api/kernel.hpp>

#if defined(SITU_CUDA)

#include <algorithm>
#include <concepts>
#include <cstdint>

#include <situ/cuda/runtime/launch.hpp>
#include <situ/cuda/runtime/stream.hpp>

namespace situ::internal::cuda {

namespace detail {

/// If all counters fit in shared memory (`InBlock`), every block counts there and then adds its counts to the global
/// ones.
template <class F, bool InBlock>
struct CountEach {
  static constexpr int threads = 256;
  static constexpr const char* name = "count";
  static constexpr std::int64_t places = 4096;
  struct Table {
    std::uint32_t counts[places];
  };

  F f;
  std::int64_t count;
  std::int64_t size;
  std::int64_t* counts;

  SITU_DEVICE void operator()() const {
    const std::int64_t first = kernel::block() * threads + kernel::thread();
    const std::int64_t step = kernel::blocks() * threads;
    if constexpr (InBlock) {
      Table& table = kernel::block_shared<Table>();
      for (std::int64_t at = kernel::thread(); at < size; at += threads) table.counts[at] = 0;
      kernel::barrier();
      for (std::int64_t i = first; i < count; i += step) {
        const std::int64_t at = f(i);
        if (at >= 0 && at < size) kernel::atomic_add(&table.counts[at], std::uint32_t{1});
      }
      kernel::barrier();
      for (std::int64_t at = kernel::thread(); at < size; at += threads) {
        if (table.counts[at] != 0) kernel::atomic_add(&counts[at], static_cast<std::int64_t>(table.counts[at]));
      }
    } else {
      for (std::int64_t i = first; i < count; i += step) {
        const std::int64_t at = f(i);
        if (at >= 0 && at < size) kernel::atomic_add(&counts[at], std::int64_t{1});
      }
    }
  }
};

}  // namespace detail

/// `counts[f(i)] += 1` for each `i` below `count`, if `f(i)` is in 0 to `size - 1`; see the CPU's.
template <std::same_as<Backend> B, class F>
void count_each(const B& backend, const F& f, std::int64_t count, std::int64_t size, std::int64_t* counts) {
  using Shared = detail::CountEach<F, true>;
  constexpr std::int64_t tile = std::int64_t{16} * Shared::threads;
  const std::int64_t blocks = std::min((count + tile - 1) / tile, std::int64_t{8} * multiprocessors(backend));
  if (size <= Shared::places) launch(backend, Grid{blocks}, Shared{f, count, size, counts});
  else launch(backend, Grid{blocks}, detail::CountEach<F, false>{f, count, size, counts});
}

}  // namespace situ::internal::cuda

#endif
