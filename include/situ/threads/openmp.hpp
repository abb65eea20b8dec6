// SPDX-License-Identifier: Apache-2.0
// Keeps Eigen from starting OpenMP threads inside ours.
#pragma once

#include <situ/core/config.hpp>

#if defined(_OPENMP)
#include <omp.h>

#include <situ/threads/background.hpp>
#endif

namespace situ::internal::inline SITU_SETTINGS::cpu {

// Two classes with distinct symbols, for files with and without OpenMP. If files of both kinds instantiate a function,
// the linker chooses which one it contains, and either is right.
#if defined(_OPENMP)
inline namespace with_openmp {
#else
inline namespace without_openmp {
#endif

/// While it is alive, Eigen's products start no threads inside a range of `parallel_for`. (Eigen asks OpenMP whether it
/// is in a parallel region, and OpenMP does not know our threads: each would start as many threads as there are
/// processors. Where one thread computes alone, they are welcome.) `Eigen::setNbThreads` keeps its effect.
class [[nodiscard]] NoThreadsOfEigen {
 public:
#if defined(_OPENMP)
  NoThreadsOfEigen() noexcept : before_(threads::detail::inside_parallel_for ? omp_get_max_threads() : 0) {
    if (before_ > 0) omp_set_num_threads(1);  // for this thread only
  }
  NoThreadsOfEigen(const NoThreadsOfEigen&) = delete;
  NoThreadsOfEigen& operator=(const NoThreadsOfEigen&) = delete;
  ~NoThreadsOfEigen() {
    if (before_ > 0) omp_set_num_threads(before_);
  }

 private:
  int before_;
#else
  NoThreadsOfEigen() noexcept {}
#endif
};

}  // inline namespace

}  // namespace situ::internal::inline SITU_SETTINGS::cpu
