// SPDX-License-Identifier: Apache-2.0
// Parallel work on the host: `parallel_for`, `num_threads`, `set_num_threads`.
#pragma once

#include <algorithm>
#include <cstdint>
#include <exception>
#include <string>

#include <situ/core/config.hpp>
#include <situ/core/error.hpp>
#include <situ/threads/workers.hpp>

namespace situ::internal::threads {

namespace detail {

/// The part of `parallel_for` for two or more ranges: at most four a thread, so that others can help a slow thread.
inline void parallel_for_ranges(std::int64_t begin, std::int64_t end, std::int64_t grain, RangeFunction function,
                                std::int64_t alignment) {
  const int threads = inside_parallel_for ? 1 : thread_pool.wanted_threads();
  if (threads > 1) {
    const std::int64_t count = end - begin;
    const std::int64_t most = std::min<std::int64_t>(count / grain, 4 * static_cast<std::int64_t>(threads));
    const std::int64_t step = ((count - 1) / most / alignment + 1) * alignment;
    const std::int64_t ranges = (count - 1) / step + 1;
    if (ranges > 1) {
      Job job{.function = function, .begin = begin, .end = end, .step = step, .failed = false, .error = nullptr};
      if (thread_pool.run(job, ranges, threads)) {
        if (job.error != nullptr) std::rethrow_exception(job.error);
        return;
      }
    }
  }
  function(begin, end);
}

}  // namespace detail

/// Calls `function(from, to)` for contiguous ranges that together are `[begin, end)`, on this thread and the library's
/// workers, and returns when all are done.
///
///     parallel_for(0, count, 16384, [&](std::int64_t from, std::int64_t to) { ... y[from..to) ... });
///
/// - Fewer than `2 * grain` indices: one call, on this thread, at the cost of a branch. Otherwise each range but the
///   last has at least `grain` indices.
/// - Ranges begin a multiple of `alignment` indices after `begin` (64 by default: threads that write adjacent ranges of
///   elements then never share a cache line; use 1 where an index is a row or a matrix).
/// - The ranges, and which thread runs which, may differ from call to call: no result may depend on them.
/// - The first exception that a range throws is rethrown here after all have ended.
/// - Calls within a range, and calls that find the workers busy for another thread, are one range on this thread.
inline void parallel_for(std::int64_t begin, std::int64_t end, std::int64_t grain, RangeFunction function,
                         std::int64_t alignment = 64) {
  grain = std::max<std::int64_t>(grain, 1);
  if (end - begin < 2 * grain) {
    if (begin < end) function(begin, end);
    return;
  }
  detail::parallel_for_ranges(begin, end, grain, function, std::max<std::int64_t>(alignment, 1));
}

}  // namespace situ::internal::threads

namespace situ::internal::inline SITU_SETTINGS::cpu {
using threads::parallel_for;
}  // namespace situ::internal::inline SITU_SETTINGS::cpu

namespace situ {

/// The number of threads that an operation on the host may use, the caller included. By default, the number of
/// processors that this process may run on.
[[nodiscard]] inline int num_threads() noexcept { return internal::threads::detail::thread_pool.wanted_threads(); }

/// Sets it for all operations that begin from now on; with 1, only the calling thread computes. Results do not depend
/// on it. Throws `ValueError` below 1.
inline void set_num_threads(int count) {
  if (count < 1) throw ValueError("set_num_threads: at least 1 thread is needed, got " + std::to_string(count));
  internal::threads::detail::thread_pool.want_threads(count);
}

}  // namespace situ
