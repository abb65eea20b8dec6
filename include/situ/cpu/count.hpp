// SPDX-License-Identifier: Apache-2.0
// The counting kernel of host devices: `bincount` and `histogram`.
#pragma once

#include <algorithm>
#include <cstdint>

#include <situ/cpu/scratch.hpp>
#include <situ/device/cpu.hpp>
#include <situ/threads/thread_pool.hpp>

namespace situ::internal::inline SITU_SETTINGS::cpu {

namespace detail {

struct CountScratch;

template <class F>
void count_range(const F& f, std::int64_t begin, std::int64_t end, std::int64_t size, std::int64_t* counts) {
  const F local = f;  // an addition to `counts` cannot change it
  for (std::int64_t i = begin; i < end; ++i) {
    const std::int64_t at = local(i);
    if (at >= 0 && at < size) ++counts[at];
  }
}

}  // namespace detail

/// `counts[f(i)] += 1` for each `i` below `count`, where `f(i)` is from 0 to `size - 1`. Each thread has its own counts
/// if that is less work than adding them all up: integer sums do not depend on the order.
template <class F>
void count_each(Backend, const F& f, std::int64_t count, std::int64_t size, std::int64_t* counts) {
  constexpr std::int64_t line = 8;  // counts in a cache line, which two threads should not share
  const std::int64_t room = (size + line - 1) / line * line;
  const std::int64_t tables = std::min<std::int64_t>(num_threads(), count / std::max<std::int64_t>(16384, 4 * room));
  if (tables < 2) return detail::count_range(f, 0, count, size, counts);
  std::int64_t* const all = scratch<detail::CountScratch, std::int64_t>(tables * room);
  const std::int64_t each = (count + tables - 1) / tables;
  parallel_for(
      0, tables, 1,
      [&](std::int64_t first, std::int64_t last) {
        for (std::int64_t table = first; table < last; ++table) {
          std::int64_t* const own = all + table * room;
          std::fill_n(own, room, std::int64_t{0});
          detail::count_range(f, table * each, std::min(count, (table + 1) * each), size, own);
        }
      },
      /*alignment=*/1);
  for (std::int64_t table = 0; table < tables; ++table) {
    for (std::int64_t at = 0; at < size; ++at) counts[at] += all[table * room + at];
  }
}

}  // namespace situ::internal::inline SITU_SETTINGS::cpu
