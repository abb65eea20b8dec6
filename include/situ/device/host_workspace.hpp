// SPDX-License-Identifier: Apache-2.0
// Working memory of the kernels on the host: growing buffers, one for each thread and purpose, kept for the next kernel.
// Counted together, and returned to the system on request, also those of the library's idle workers.
#pragma once

#include <sched.h>

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <mutex>

#include <situ/core/at_fork.hpp>
#include <situ/core/stay_loaded.hpp>
#include <situ/device/host_memory.hpp>

namespace situ::internal::memory {

/// Memory of one thread for one purpose: a constant-initialized `thread_local` without destructor, so that a kernel that
/// runs in the destructor of a static object can still use it (and leaks it, at exit).
struct WorkBuffer {
  void* data = nullptr;
  std::size_t bytes = 0;
  std::int64_t kernel = 0;  // the thread's `kernels_begun` at its last use
  WorkBuffer* next = nullptr;
  bool listed = false;
};

/// The buffers of one thread, which registers with its first and is removed when it ends.
struct ThreadWorkspace {
  /// Buffers of a thread that is `idle` or `taken` belong to the one that sets `taken`; all others to the thread itself.
  enum class State : std::uint8_t { own, idle, busy, taken };

  std::atomic<State> state{State::own};
  WorkBuffer* buffers = nullptr;
  ThreadWorkspace* next = nullptr;
  ThreadWorkspace* previous = nullptr;
  bool registered = false;
  bool ended = false;
};

/// Kernels that the calling thread has begun: a buffer of an earlier kernel is not in use.
inline constinit thread_local std::int64_t kernels_begun = 0;

/// All working memory of the host; everything is static. Using a buffer takes no lock, only growing one does.
class HostWorkspace {
 public:
  /// Why a buffer did not grow.
  enum class Growth : std::uint8_t { done, limit, system };

  /// Bytes in all buffers.
  [[nodiscard]] static std::size_t bytes() noexcept { return bytes_.load(std::memory_order_relaxed); }

  /// Makes a buffer of this thread at least `bytes` long; its contents are lost. `admits()` returns whether the limit
  /// allows the present workspace. If it does not, or the system has no more, buffers that are not in use are released.
  [[gnu::noinline, gnu::cold]] static Growth grow(WorkBuffer& buffer, std::size_t bytes, bool (*admits)() noexcept) {
    enter();
    release(buffer);
    if (!own_.ended) bytes_.fetch_add(bytes, std::memory_order_relaxed);
    Growth result = Growth::done;
    void* data = nullptr;
    for (bool again = true;; again = false) {
      result = admits() ? Growth::system : Growth::limit;
      if (result == Growth::system) data = allocate_host(bytes);
      if (data != nullptr || !again) break;
      release_unused(/*also_of_this_kernel=*/false);
    }
    if (data == nullptr) {
      if (!own_.ended) bytes_.fetch_sub(bytes, std::memory_order_relaxed);
      return result;
    }
    buffer.data = data;
    buffer.bytes = bytes;
    if (!buffer.listed && !own_.ended) {
      buffer.listed = true;
      buffer.next = own_.buffers;
      own_.buffers = &buffer;
    }
    return Growth::done;
  }

  /// Returns to the system the buffers of the calling thread, which must not be in a kernel that uses one, and of all
  /// workers that wait for work.
  static void release_all() noexcept { release_unused(/*also_of_this_kernel=*/true); }

  /// A worker begins and ends its part of a job.
  static void begin_job() noexcept {
    ++kernels_begun;
    if (!own_.registered) return;
    State idle = State::idle;
    while (!own_.state.compare_exchange_weak(idle, State::busy, std::memory_order_acquire)) {
      if (idle == State::own) return own_.state.store(State::busy, std::memory_order_relaxed);
      idle = State::idle;
      sched_yield();  // another thread releases them now
    }
  }
  static void end_job() noexcept {
    if (own_.registered) own_.state.store(State::idle, std::memory_order_release);
  }

 private:
  using State = ThreadWorkspace::State;

  struct ThreadEnd {
    ~ThreadEnd() {
      const std::unique_lock lock = locked();
      release_buffers(own_);
      for (WorkBuffer* buffer = own_.buffers; buffer != nullptr; buffer = buffer->next) buffer->listed = false;
      (own_.previous != nullptr ? own_.previous->next : threads_) = own_.next;
      if (own_.next != nullptr) own_.next->previous = own_.previous;
      own_.registered = false;
      own_.ended = true;
    }
  };

  static std::unique_lock<std::mutex> locked() {
    at_fork<&lock_for_fork, &unlock_in_parent, &unlock_in_child>();
    return std::unique_lock(mutex_);
  }

  static void enter() noexcept {
    if (own_.registered || own_.ended) return;
    stay_loaded();
    static thread_local const ThreadEnd thread_end;
    const std::unique_lock lock = locked();
    own_.registered = true;
    own_.next = threads_;
    if (own_.next != nullptr) own_.next->previous = &own_;
    threads_ = &own_;
  }

  static void release(WorkBuffer& buffer) noexcept {
    if (buffer.data == nullptr) return;
    deallocate_host(buffer.data, buffer.bytes);
    if (buffer.listed) bytes_.fetch_sub(buffer.bytes, std::memory_order_relaxed);
    buffer.data = nullptr;
    buffer.bytes = 0;
  }

  static void release_buffers(ThreadWorkspace& thread) noexcept {
    for (WorkBuffer* buffer = thread.buffers; buffer != nullptr; buffer = buffer->next) release(*buffer);
  }

  static void release_unused(bool also_of_this_kernel) noexcept {
    for (WorkBuffer* buffer = own_.buffers; buffer != nullptr; buffer = buffer->next) {
      if (also_of_this_kernel || buffer->kernel != kernels_begun) release(*buffer);
    }
    const std::unique_lock lock = locked();
    for (ThreadWorkspace* thread = threads_; thread != nullptr; thread = thread->next) {
      State idle = State::idle;
      if (thread == &own_ || !thread->state.compare_exchange_strong(idle, State::taken, std::memory_order_acquire))
        continue;
      release_buffers(*thread);
      thread->state.store(State::idle, std::memory_order_release);
    }
  }

  static void lock_for_fork() noexcept { mutex_.lock(); }
  static void unlock_in_parent() noexcept { mutex_.unlock(); }
  /// A child has only the thread that called `fork`; the buffers of the others are lost.
  static void unlock_in_child() noexcept {
    threads_ = own_.registered ? &own_ : nullptr;
    own_.next = nullptr;
    own_.previous = nullptr;
    std::size_t kept = 0;
    for (const WorkBuffer* buffer = own_.buffers; buffer != nullptr; buffer = buffer->next) kept += buffer->bytes;
    bytes_.store(kept, std::memory_order_relaxed);
    mutex_.unlock();
  }

  static inline constinit std::atomic<std::size_t> bytes_{0};
  static inline constinit std::mutex mutex_{};
  static inline constinit ThreadWorkspace* threads_ = nullptr;
  static inline constinit thread_local ThreadWorkspace own_{};
};

}  // namespace situ::internal::memory
