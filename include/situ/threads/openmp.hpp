// SPDX-License-Identifier: Apache-2.0
// Eigen in our threads, in programs that are compiled with OpenMP.
#pragma once

#include <situ/core/config.hpp>

#if defined(_OPENMP)
#include <omp.h>

#include <situ/threads/background.hpp>
#endif

namespace situ::internal::inline SITU_SETTINGS::cpu {

// In files with OpenMP and without it two classes, of two names for the linker: which of them a function holds that both
// files instantiate is the linker's choice, and either is right.
#if defined(_OPENMP)
inline namespace with_openmp {
#else
inline namespace without_openmp {
#endif

/// While it lives, products of Eigen start no threads in one that computes a range of several. (Eigen asks OpenMP
/// whether it stands in a parallel region, and OpenMP does not know our threads: each would get as many again as there
/// are processors. Where one thread computes alone, these are welcome.) What `Eigen::setNbThreads` was told holds.
class [[nodiscard]] NoThreadsOfEigen {
 public:
#if defined(_OPENMP)
  NoThreadsOfEigen() noexcept : before_(threads::detail::inside_parallel_for ? omp_get_max_threads() : 0) {
    if (before_ > 0) omp_set_num_threads(1);  // of this thread alone
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
