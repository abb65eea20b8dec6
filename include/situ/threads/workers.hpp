// SPDX-License-Identifier: Apache-2.0
// The library's own threads, behind `parallel_for`. OpenMP was rejected because a parallel region costs three times as
// much here, even if it is not taken, and because libgomp is opaque to ThreadSanitizer. Uses POSIX threads and clocks:
// <thread> and <chrono> would be a seventh of all that a compiler reads.
#pragma once

#include <pthread.h>
#include <sched.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <cstdint>
#include <cstdlib>
#include <ctime>
#include <exception>
#include <new>
#include <utility>
#include <vector>

#include <situ/core/at_fork.hpp>
#include <situ/core/function_ref.hpp>
#include <situ/core/stay_loaded.hpp>
#include <situ/device/host_workspace.hpp>
#include <situ/threads/background.hpp>

namespace situ::internal::threads {

/// The callable of `parallel_for`: `f(begin, end)` for one contiguous range of indices.
using RangeFunction = FunctionRef<void(std::int64_t, std::int64_t)>;

namespace detail {

inline void pause_cpu() noexcept {
#if defined(__x86_64__) || defined(__i386__)
  __builtin_ia32_pause();
#elif defined(__aarch64__)
  asm volatile("yield");
#endif
}

/// Of a monotonic clock.
inline std::int64_t nanoseconds() noexcept {
  timespec now{};
  clock_gettime(CLOCK_MONOTONIC, &now);
  return std::int64_t{1'000'000'000} * now.tv_sec + now.tv_nsec;
}

/// Spins until `ready()`, first in a busy loop (about 5 us), then yielding to other threads, for about 50 us in all:
/// long enough to bridge the gap between two operations of a busy program, too short to be noticed in an idle one.
template <class Ready>
bool spin_until(Ready ready) noexcept {
  for (int i = 0; i < 256; ++i) {
    if (ready()) return true;
    pause_cpu();
  }
  const std::int64_t deadline = nanoseconds() + 50'000;
  do {
    for (int i = 0; i < 16; ++i) {
      if (ready()) return true;
      pause_cpu();
    }
    // Without it, two of these threads on the same core would wait for each other for a whole time slice.
    sched_yield();
  } while (nanoseconds() < deadline);
  return ready();
}

/// One call of `parallel_for`, on the caller's stack; a worker accesses it only between taking a range and reporting it
/// done.
struct Job {
  RangeFunction function;
  std::int64_t begin;
  std::int64_t end;
  std::int64_t step;
  std::atomic<bool> failed{false};
  std::exception_ptr error;

  void run(std::int64_t range) noexcept {
    const std::int64_t from = begin + range * step;
    try {
      function(from, range_end(from));
    } catch (...) {
      if (!failed.exchange(true, std::memory_order_relaxed)) error = std::current_exception();
    }
  }

  [[nodiscard]] std::int64_t range_end(std::int64_t from) const noexcept {
    return end - from <= step ? end : from + step;
  }
};

/// The workers. One job at a time: a caller that finds the pool busy runs all its ranges itself. The ranges of a job
/// are taken one by one, by the caller from the front and by the workers from the back, so that a worker that is asleep
/// or has lost its core delays no one, and two threads that pass over the same data again find it in their own caches.
///
/// The object is never destroyed (constant initialization, trivial destructor), so that the destructors of static
/// objects may still compute: the workers are stopped at exit, and from then on every job runs in its caller.
class ThreadPool {
 public:
  constexpr ThreadPool() = default;

  [[nodiscard]] int wanted_threads() noexcept {
    const int wanted = wanted_.load(std::memory_order_relaxed);
    return wanted > 0 ? wanted : available_threads();
  }

  void want_threads(int count) noexcept { wanted_.store(count, std::memory_order_relaxed); }

  /// Runs ranges 0 to `ranges` - 1 of `job`; false when the pool is busy, closed or has no workers: nothing was run.
  bool run(Job& job, std::int64_t ranges, int threads) {
    if (busy_.exchange(true, std::memory_order_acquire)) return false;
    if (closed_ || (worker_count_ != threads - 1 && !restart(threads - 1))) {
      busy_.store(false, std::memory_order_release);
      return false;
    }
    job_ = &job;
    unfinished_.store(static_cast<int>(ranges), std::memory_order_relaxed);
    waiting_.store(pack(0, static_cast<std::uint32_t>(ranges)), std::memory_order_release);
    wake(static_cast<int>(ranges) - 1);
    inside_parallel_for = true;
    const int done = drain<true>();
    inside_parallel_for = false;
    if (unfinished_.fetch_sub(done, std::memory_order_acq_rel) != done) wait_for_workers();
    busy_.store(false, std::memory_order_release);
    return true;
  }

  /// Stops the workers for good. Does nothing if a job is running: this is then an `exit()` within a range or during
  /// another thread's computation, where waiting could deadlock.
  void close() noexcept {
    if (inside_parallel_for || busy_.exchange(true, std::memory_order_acquire)) return;
    stop();
    closed_ = true;
    busy_.store(false, std::memory_order_release);
  }

 private:
  struct Workers {
    std::vector<pthread_t> threads;
    Workers* of_parent;  // the handles that a fork left behind
  };

  static constexpr std::uint64_t pack(std::uint32_t front, std::uint32_t back) noexcept {
    return (static_cast<std::uint64_t>(back) << 32) | front;
  }

  /// Processors this process may use. (Concurrent callers may each count them; not a static variable, see `at_fork`.)
  int available_threads() noexcept {
    int count = available_.load(std::memory_order_relaxed);
    if (count == 0) {
      cpu_set_t mask;
      CPU_ZERO(&mask);
      if (sched_getaffinity(0, sizeof(mask), &mask) == 0) count = CPU_COUNT(&mask);
      if (count <= 0) count = std::max(1, static_cast<int>(sysconf(_SC_NPROCESSORS_ONLN)));
      available_.store(count, std::memory_order_relaxed);
    }
    return count;
  }

  /// Takes ranges and runs them until none are left; returns the number it ran.
  template <bool from_front>
  int drain() noexcept {
    int done = 0;
    std::uint64_t waiting = waiting_.load(std::memory_order_relaxed);
    for (;;) {
      const auto front = static_cast<std::uint32_t>(waiting);
      const auto back = static_cast<std::uint32_t>(waiting >> 32);
      if (front >= back) return done;
      const std::uint64_t rest = from_front ? pack(front + 1, back) : pack(front, back - 1);
      if (!waiting_.compare_exchange_weak(waiting, rest, std::memory_order_acquire, std::memory_order_relaxed))
        continue;
      // We hold a range, so the job cannot end, and `job_` cannot change, before we report it.
      if (!from_front && done == 0) memory::HostWorkspace::begin_job();
      job_->run(from_front ? front : back - 1);
      ++done;
      waiting = waiting_.load(std::memory_order_relaxed);
    }
  }

  /// Tells the workers that something changed. Epoch and sleepers form Dekker's pattern: each side writes its own and
  /// then reads the other's, both sequentially consistent, so that a worker cannot fall asleep unnoticed.
  void wake(int count) noexcept {
    epoch_.fetch_add(1, std::memory_order_seq_cst);
    const int sleepers = sleepers_.load(std::memory_order_seq_cst);
    if (sleepers == 0) return;
    if (count >= sleepers) {
      epoch_.notify_all();
    } else {
      for (int i = 0; i < count; ++i) epoch_.notify_one();
    }
  }

  void wait_for_workers() noexcept {
    if (spin_until([&] { return unfinished_.load(std::memory_order_acquire) == 0; })) return;
    caller_sleeps_.store(true, std::memory_order_seq_cst);
    for (int left = unfinished_.load(std::memory_order_seq_cst); left != 0; left = unfinished_.load()) {
      unfinished_.wait(left, std::memory_order_acquire);
    }
    caller_sleeps_.store(false, std::memory_order_relaxed);
  }

  static void* start(void* pool) noexcept {
    static_cast<ThreadPool*>(pool)->work();
    return nullptr;
  }

  void work() noexcept {
    inside_parallel_for = true;
    for (;;) {
      const int seen = epoch_.load(std::memory_order_acquire);
      if (stopping_.load(std::memory_order_relaxed)) return;
      const int done = drain<false>();
      if (done > 0) {
        memory::HostWorkspace::end_job();
        unfinished_.fetch_sub(done, std::memory_order_seq_cst);
        if (caller_sleeps_.load(std::memory_order_seq_cst)) unfinished_.notify_all();
      }
      if (spin_until([&] { return epoch_.load(std::memory_order_relaxed) != seen; })) continue;
      sleepers_.fetch_add(1, std::memory_order_seq_cst);
      epoch_.wait(seen, std::memory_order_seq_cst);
      sleepers_.fetch_sub(1, std::memory_order_relaxed);
    }
  }

  /// Sets the number of workers to `count`; false if there can be none. Called while holding the pool.
  [[gnu::cold]] bool restart(int count) {
    at_fork<nullptr, nullptr, &ThreadPool::forget_in_child>();
    stay_loaded();
    if (!std::exchange(closed_at_exit_, true)) std::atexit(&ThreadPool::close_at_exit);
    stop();
    const SignalsForOthers scope;
    try {
      workers_ = new Workers{.threads = {}, .of_parent = lost_workers_};
      workers_->threads.reserve(static_cast<std::size_t>(count));
      for (pthread_t thread{}; count > static_cast<int>(workers_->threads.size());) {
        if (pthread_create(&thread, nullptr, &ThreadPool::start, this) != 0) break;
        workers_->threads.push_back(thread);
      }
    } catch (const std::bad_alloc&) {
      // As if the system had no more threads: fewer threads do the work, which is not an error.
    }
    worker_count_ = count;
    return workers_ != nullptr && !workers_->threads.empty();
  }

  void stop() noexcept {
    if (workers_ == nullptr) return;
    stopping_.store(true, std::memory_order_relaxed);
    wake(static_cast<int>(workers_->threads.size()));
    for (const pthread_t thread : workers_->threads) pthread_join(thread, nullptr);
    delete workers_;
    workers_ = nullptr;
    worker_count_ = 0;
    stopping_.store(false, std::memory_order_relaxed);
  }

  /// A child process has no workers: new ones are started when next needed. The handles of the parent's can be neither
  /// joined nor destroyed; they are kept. A `fork` within a range must be followed by `exec`, as POSIX requires.
  static void forget_in_child() noexcept;
  static void close_at_exit() noexcept;

  // Written by the caller, read by the spinning workers.
  alignas(64) std::atomic<std::uint64_t> waiting_{0};  // ranges not yet taken: the first, and one past the last
  std::atomic<int> epoch_{0};
  std::atomic<int> sleepers_{0};
  std::atomic<bool> stopping_{false};
  Job* job_ = nullptr;
  // Written by the workers, read by the waiting caller.
  alignas(64) std::atomic<int> unfinished_{0};
  std::atomic<bool> caller_sleeps_{false};
  // True while a thread holds the pool; the plain members below belong to that thread.
  alignas(64) std::atomic<bool> busy_{false};
  bool closed_ = false;
  bool closed_at_exit_ = false;
  int worker_count_ = 0;  // requested; there may be fewer
  Workers* workers_ = nullptr;
  Workers* lost_workers_ = nullptr;
  std::atomic<int> wanted_{0};
  std::atomic<int> available_{0};  // 0: not counted yet
};

inline constinit ThreadPool thread_pool;

inline void ThreadPool::close_at_exit() noexcept { thread_pool.close(); }

inline void ThreadPool::forget_in_child() noexcept {
  if (thread_pool.workers_ != nullptr) thread_pool.lost_workers_ = thread_pool.workers_;
  thread_pool.workers_ = nullptr;
  thread_pool.worker_count_ = 0;
  thread_pool.sleepers_.store(0, std::memory_order_relaxed);
  thread_pool.stopping_.store(false, std::memory_order_relaxed);
  thread_pool.waiting_.store(0, std::memory_order_relaxed);
  thread_pool.caller_sleeps_.store(false, std::memory_order_relaxed);
  thread_pool.busy_.store(false, std::memory_order_relaxed);
}

}  // namespace detail

}  // namespace situ::internal::threads
