// SPDX-License-Identifier: Apache-2.0
// An ordered, bounded prefetch queue: things made ahead by worker threads and taken in order: what `DataLoader` is made
// of.
#pragma once

#include <algorithm>
#include <atomic>
#include <condition_variable>
#include <cstddef>
#include <cstdint>
#include <exception>
#include <mutex>
#include <optional>
#include <thread>
#include <type_traits>
#include <utility>
#include <vector>

#include <situ/threads/background.hpp>

namespace situ::internal {

/// Calls `make(number, stop)` for the numbers `first` to `end` - 1, up to `ahead` of them before they are taken, in
/// `workers` threads; with none, when it is taken. What is taken comes in order and does not depend on the number of
/// threads. One thread takes. The destructor sets `stop`, which a long `make` may look at to throw anything, and waits.
template <class Make>
class Prefetcher {
 public:
  using Item = std::invoke_result_t<const Make&, std::int64_t, const std::atomic<bool>&>;

  Prefetcher(Make make, std::int64_t first, std::int64_t end, int workers, std::int64_t ahead)
      : make_(std::move(make)), claimed_(first), taken_(first), end_(end) {
    ahead = std::min(ahead, end - first);  // so that no room is made for more than there is
    const auto threads = static_cast<int>(std::min<std::int64_t>(workers, ahead));
    if (threads == 0) return;
    slots_.resize(static_cast<std::size_t>(ahead));
    threads_.reserve(static_cast<std::size_t>(threads));
    const threads::SignalsForOthers scope;
    try {
      for (int i = 0; i < threads; ++i) threads_.emplace_back([this] { work(); });
    } catch (const std::exception&) {
      // No more threads or memory to be had: fewer do the same, or the thread that takes.
    }
  }
  Prefetcher(const Prefetcher&) = delete;
  Prefetcher& operator=(const Prefetcher&) = delete;
  ~Prefetcher() {
    {
      const std::lock_guard lock(mutex_);
      stop_.store(true, std::memory_order_relaxed);
    }
    room_.notify_all();
    for (std::thread& thread : threads_) thread.join();
  }

  /// Whether all were taken.
  [[nodiscard]] bool done() const noexcept { return taken_ == end_; }

  /// The next one; waits for it. Rethrows what its `make` threw; the next call goes on with the one after it.
  [[nodiscard]] Item take() {
    const std::int64_t number = taken_;
    if (threads_.empty()) {
      ++taken_;
      return make_(number, stop_);
    }
    std::optional<Item> item;
    std::exception_ptr error;
    {
      std::unique_lock lock(mutex_);
      Slot& slot = slot_of(number);
      ready_.wait(lock, [&] { return slot.full; });
      item = std::exchange(slot.item, std::nullopt);
      error = std::exchange(slot.error, nullptr);
      slot.full = false;
      taken_ = number + 1;
    }
    room_.notify_one();
    if (error != nullptr) std::rethrow_exception(std::move(error));
    return std::move(*item);
  }

 private:
  struct Slot {
    std::optional<Item> item;
    std::exception_ptr error;
    bool full = false;  // has one of them
  };

  Slot& slot_of(std::int64_t number) noexcept { return slots_[static_cast<std::size_t>(number) % slots_.size()]; }

  void work() noexcept {
    threads::compute_alone();  // the threads here are several; the library's others are for who takes
    std::unique_lock lock(mutex_);
    for (;;) {
      room_.wait(lock, [this] {
        return stop_.load(std::memory_order_relaxed) ||
               (claimed_ < end_ && claimed_ - taken_ < static_cast<std::int64_t>(slots_.size()));
      });
      if (stop_.load(std::memory_order_relaxed)) return;
      const std::int64_t number = claimed_++;
      lock.unlock();
      std::optional<Item> item;
      std::exception_ptr error;
      try {
        static_cast<void>(item.emplace(make_(number, stop_)));
      } catch (...) {
        error = std::current_exception();
      }
      lock.lock();
      Slot& slot = slot_of(number);
      slot.item = std::move(item);
      slot.error = std::move(error);
      slot.full = true;
      if (number == taken_) ready_.notify_one();
    }
  }

  const Make make_;
  std::atomic<bool> stop_{false};
  std::mutex mutex_;  // of what follows; who takes reads `taken_`, which nobody else writes, without it
  std::condition_variable ready_;
  std::condition_variable room_;
  std::int64_t claimed_;  // the next number to make
  std::int64_t taken_;    // the next number to take
  const std::int64_t end_;
  std::vector<Slot> slots_;
  std::vector<std::thread> threads_;
};

}  // namespace situ::internal
