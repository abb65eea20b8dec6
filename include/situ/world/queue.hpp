// SPDX-License-Identifier: Apache-2.0
// Runs a rank's collectives in the order of their calls: a synchronous one in the calling thread, an asynchronous one
// in a thread of the queue, while the caller computes.
#pragma once

#include <condition_variable>
#include <deque>
#include <exception>
#include <functional>
#include <mutex>
#include <string>
#include <thread>
#include <utility>

#include <situ/core/stay_loaded.hpp>
#include <situ/threads/background.hpp>
#include <situ/world/wait.hpp>

namespace situ::internal::world {

class Queue {
 public:
  Queue() = default;
  Queue(const Queue&) = delete;
  Queue& operator=(const Queue&) = delete;
  ~Queue() {
    {
      const std::lock_guard lock(mutex_);
      over_ = true;
    }
    changed_.notify_all();
    if (thread_.joinable()) thread_.join();
  }

  /// Calls `f` in this thread, after everything posted before.
  template <class F>
  void run(const F& f) {
    std::unique_lock lock(mutex_);
    changed_.wait(lock, [this] { return waiting_.empty() && !busy_; });
    const Busy busy(*this, lock);
    f();
  }

  /// Calls `f`, which must not throw, in the queue's thread, after everything posted before.
  void post(std::function<void()> f) {
    {
      const std::lock_guard lock(mutex_);
      waiting_.push_back(std::move(f));
      if (!thread_.joinable()) {
        stay_loaded();
        const threads::SignalsForOthers scope;
        thread_ = std::thread([this] { work(); });
      }
    }
    changed_.notify_all();
  }

  /// Keeps an error that has not been reported yet; a `Pending` reports it, or the end of the World.
  void keep_failure(const std::string& text) {
    const std::lock_guard lock(mutex_);
    failure_ = text;
  }
  [[nodiscard]] std::string take_failure() {
    const std::lock_guard lock(mutex_);
    return std::exchange(failure_, {});
  }

 private:
  /// Marks the queue busy while a call runs with the lock released.
  class Busy {
   public:
    Busy(Queue& queue, std::unique_lock<std::mutex>& lock) : queue_(queue), lock_(lock) {
      queue_.busy_ = true;
      lock_.unlock();
    }
    Busy(const Busy&) = delete;
    Busy& operator=(const Busy&) = delete;
    ~Busy() {
      lock_.lock();
      queue_.busy_ = false;
      queue_.changed_.notify_all();
    }

   private:
    Queue& queue_;
    std::unique_lock<std::mutex>& lock_;
  };

  void work() {
    threads::compute_alone();  // the cores are for the caller's computation
    ask_for_short_slices();
    std::unique_lock lock(mutex_);
    for (;;) {
      changed_.wait(lock, [this] { return !busy_ && (over_ || !waiting_.empty()); });
      if (waiting_.empty()) return;
      std::function<void()> next = std::move(waiting_.front());
      waiting_.pop_front();
      const Busy busy(*this, lock);
      next();
      next = nullptr;  // not at the end: it may own what owns this queue, which must not end in this thread
    }
  }

  std::mutex mutex_;
  std::condition_variable changed_;
  std::deque<std::function<void()>> waiting_;
  std::string failure_;
  bool busy_ = false;
  bool over_ = false;
  std::thread thread_;
};

}  // namespace situ::internal::world
