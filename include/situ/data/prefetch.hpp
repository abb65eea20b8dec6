// SPDX-License-Identifier: Apache-2.0
// An ordered, bounded prefetch queue behind `DataLoader`: worker threads make items ahead, and one thread takes them in
// order.
#pragma once

#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <condition_variable>
#include <cstddef>
#include <cstdint>
#include <exception>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <thread>
#include <type_traits>
#include <utility>
#include <vector>

#include <situ/core/error.hpp>
#include <situ/core/stay_loaded.hpp>
#include <situ/threads/background.hpp>

namespace situ::internal {

/// Calls `make(number, stop)` for the numbers `first` to `end` - 1 in `workers` threads, up to `ahead` of them in
/// advance; without workers, when an item is taken. One thread takes the items, in an order that does not depend on the
/// number of threads. The destructor sets `stop`, which a long `make` may check in order to throw anything, and waits.
/// A child of `fork` has no workers, and their state is unknown: `take` throws.
template <class Make>
class Prefetcher {
 public:
  using Item = std::invoke_result_t<const Make&, std::int64_t, const std::atomic<bool>&>;

  Prefetcher(Make make, std::int64_t first, std::int64_t end, int workers, std::int64_t ahead)
      : make_(std::move(make)), claimed_(first), taken_(first), end_(end) {
    ahead = std::min(ahead, end - first);  // allocate no more slots than there are items
    const auto threads = static_cast<int>(std::min<std::int64_t>(workers, ahead));
    if (threads == 0) return;
    shared_ = std::make_unique<Shared>();
    shared_->places.resize(static_cast<std::size_t>(ahead));
    shared_->threads.reserve(static_cast<std::size_t>(threads));
    stay_loaded();
    const threads::SignalsForOthers scope;
    try {
      for (int i = 0; i < threads; ++i) shared_->threads.emplace_back([this] { work(); });
    } catch (const std::exception&) {
      // Out of threads or memory: fewer threads, or the consumer alone, make the items.
    }
  }
  Prefetcher(const Prefetcher&) = delete;
  Prefetcher& operator=(const Prefetcher&) = delete;
  ~Prefetcher() {
    if (shared_ == nullptr) return;
    if (getpid() != process_) {  // missing threads, and what they wait on, can be neither joined nor destroyed
      static_cast<void>(shared_.release());
      return;
    }
    {
      const std::lock_guard lock(shared_->mutex);
      stop_.store(true, std::memory_order_relaxed);
    }
    shared_->room.notify_all();
    for (std::thread& thread : shared_->threads) thread.join();
  }

  /// Whether all were taken.
  [[nodiscard]] bool done() const noexcept { return taken_ == end_; }

  /// Waits for the next item and returns it. Rethrows the exception of its `make`; the next call then continues with
  /// the following item. Throws `Error` in a child process.
  [[nodiscard]] Item take() {
    const std::int64_t number = taken_;
    if (shared_ == nullptr || shared_->threads.empty()) {
      ++taken_;
      return make_(number, stop_);
    }
    if (getpid() != process_) {
      throw Error("DataLoader: the threads that make the batches of this epoch are in the process that began it (" +
                  std::to_string(process_) + "); a child of fork has none of them: begin the epoch in the child");
    }
    std::optional<Item> item;
    std::exception_ptr error;
    {
      std::unique_lock lock(shared_->mutex);
      Slot& slot = slot_of(number);
      shared_->ready.wait(lock, [&] { return slot.full; });
      item = std::exchange(slot.item, std::nullopt);
      error = std::exchange(slot.error, nullptr);
      slot.full = false;
      taken_ = number + 1;
    }
    shared_->room.notify_one();
    if (error != nullptr) std::rethrow_exception(std::move(error));
    return std::move(*item);
  }

 private:
  struct Slot {
    std::optional<Item> item;
    std::exception_ptr error;
    bool full = false;  // has either of them
  };

  /// The state shared with the workers. Separate, so that a child process can leave it alone.
  struct Shared {
    std::mutex mutex;  // guards the rest, `claimed_` and writes of `taken_`, which its only writer reads unlocked
    std::condition_variable ready;
    std::condition_variable room;
    std::vector<Slot> places;
    std::vector<std::thread> threads;
  };

  Slot& slot_of(std::int64_t number) noexcept {
    return shared_->places[static_cast<std::size_t>(number) % shared_->places.size()];
  }

  void work() noexcept {
    threads::compute_alone();  // several of these run at once; the thread pool is for the consumer of the batches
    std::unique_lock lock(shared_->mutex);
    for (;;) {
      shared_->room.wait(lock, [this] {
        return stop_.load(std::memory_order_relaxed) ||
               (claimed_ < end_ && claimed_ - taken_ < static_cast<std::int64_t>(shared_->places.size()));
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
      if (number == taken_) shared_->ready.notify_one();
    }
  }

  const Make make_;
  std::atomic<bool> stop_{false};
  std::int64_t claimed_;  // the next number to make
  std::int64_t taken_;    // the next number to take
  const std::int64_t end_;
  const pid_t process_ = getpid();
  std::unique_ptr<Shared> shared_;  // null without workers
};

}  // namespace situ::internal
