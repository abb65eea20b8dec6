// SPDX-License-Identifier: Apache-2.0
// How long something takes, among ranks.
#pragma once

#include <algorithm>
#include <chrono>
#include <cstddef>
#include <vector>

#define MPICH_SKIP_MPICXX 1
#define OMPI_SKIP_MPICXX 1
#include <mpi.h>

namespace timing {

using Clock = std::chrono::steady_clock;

[[nodiscard]] inline double microseconds_since(Clock::time_point begin) {
  return std::chrono::duration<double, std::micro>(Clock::now() - begin).count();
}

[[nodiscard]] inline double median(std::vector<double> times) {
  std::ranges::sort(times);
  return times[times.size() / 2];
}

/// Microseconds of each of several things, by turns, so that what else the machine does falls on all; medians. All ranks
/// begin together.
template <class... F>
[[nodiscard]] std::vector<double> medians_by_turns(int repetitions, const F&... f) {
  std::vector<std::vector<double>> times(sizeof...(F));
  for (int i = 0; i < repetitions + 2; ++i) {
    std::size_t which = 0;
    const auto once = [&](const auto& one) {
      MPI_Barrier(MPI_COMM_WORLD);
      const Clock::time_point begin = Clock::now();
      one();
      const double took = microseconds_since(begin);
      if (i >= 2) times[which].push_back(took);  // the first two are warm-up
      ++which;
    };
    (once(f), ...);
  }
  std::vector<double> found;
  for (std::vector<double>& each : times) found.push_back(median(std::move(each)));
  return found;
}

}  // namespace timing
