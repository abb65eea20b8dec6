// SPDX-License-Identifier: Apache-2.0
// For threads that the library starts: they leave signals to the program's threads, and those that run beside the
// program's own computation leave it the cores.
#pragma once

#include <pthread.h>
#include <signal.h>

#include <initializer_list>

namespace situ::internal::threads {

namespace detail {

/// True on the workers of `parallel_for`, and on a caller while it runs a range: a nested `parallel_for` runs in its
/// calling thread.
inline constinit thread_local bool inside_parallel_for = false;

}  // namespace detail

/// Threads started while it is alive block the program's signals, except those that a thread causes itself, whose
/// handlers report a crash, and the profiler's.
class [[nodiscard]] SignalsForOthers {
 public:
  SignalsForOthers() noexcept {
    sigset_t blocked;
    sigfillset(&blocked);
    for (const int own : {SIGSEGV, SIGBUS, SIGFPE, SIGILL, SIGABRT, SIGTRAP, SIGSYS, SIGPROF}) sigdelset(&blocked, own);
    masked_ = pthread_sigmask(SIG_SETMASK, &blocked, &before_) == 0;
  }
  SignalsForOthers(const SignalsForOthers&) = delete;
  SignalsForOthers& operator=(const SignalsForOthers&) = delete;
  ~SignalsForOthers() {
    if (masked_) pthread_sigmask(SIG_SETMASK, &before_, nullptr);
  }

 private:
  sigset_t before_;
  bool masked_;
};

/// From now on every operation of the calling thread runs in that thread alone, so that the library's workers stay free
/// for others. For threads that come in groups of their own.
inline void compute_alone() noexcept { detail::inside_parallel_for = true; }

}  // namespace situ::internal::threads
