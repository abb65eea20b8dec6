// SPDX-License-Identifier: Apache-2.0
// The observer: records what core/movement.hpp reports in the books of all ledgers, and asks the budgets.
#pragma once

#include <pthread.h>

#include <algorithm>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <map>
#include <mutex>
#include <string>
#include <utility>
#include <vector>

#include <situ/core/at_fork.hpp>
#include <situ/core/movement.hpp>
#include <situ/core/stay_loaded.hpp>
#include <situ/cuda/runtime/observed.hpp>
#include <situ/ledger/book.hpp>
#include <situ/ledger/device_clock.hpp>
#include <situ/ledger/entry.hpp>

namespace situ::internal::ledger {

/// A budget of a thread.
class Budget {
 public:
  virtual void require(const movement::Movement& movement) const = 0;  // throws
  virtual void charge(const movement::Movement& movement) noexcept = 0;
  virtual void refund(const movement::Movement& movement) noexcept = 0;

  Budget* outer = nullptr;

 protected:
  ~Budget() = default;
};

#if defined(SITU_CUDA)
using WorkObserver = cuda::WorkObserver;
#else
class WorkObserver {};
#endif

/// Installed while a ledger or budget exists; never destroyed. A record for which there is no memory is dropped: the
/// program's work must not fail because of it.
class Recorder final : public movement::Observer, private WorkObserver {
 public:
  [[nodiscard]] static Recorder& instance() {
    static constinit std::atomic<Recorder*> made{nullptr};
    if (Recorder* const recorder = made.load(std::memory_order_acquire)) return *recorder;
    stay_loaded();
    Recorder* recorder = nullptr;
    auto* const fresh = new Recorder;
    if (made.compare_exchange_strong(recorder, fresh)) recorder = fresh;
    else delete fresh;  // another thread was first (see `at_fork` for what is not initialized here)
    at_fork<&lock_for_fork, &unlock_in_parent, &unlock_in_child>();
    return *recorder;
  }

  void enter(Budget& budget) {
    const std::lock_guard lock(mutex_);
    budget.outer = std::exchange(budgets_, &budget);
    ++watchers_;
    install();
  }
  /// Called in the thread that made the budget. It is not always the innermost: it may be a member or in an `optional`.
  void leave(Budget& budget) noexcept {
    const std::lock_guard lock(mutex_);
    for (Budget** at = &budgets_; *at != nullptr; at = &(*at)->outer) {
      if (*at != &budget) continue;
      *at = budget.outer;
      break;
    }
    --watchers_;
    install();
  }

  void open(Book& book) {
    const std::lock_guard lock(mutex_);
    books_.push_back(&book);
    book.opened = now();
#if defined(SITU_CUDA)
    book.first_work = clock_.number() + 1;
#endif
    ++watchers_;
    install();
  }
  void close(Book& book) noexcept {
    const std::lock_guard lock(mutex_);
    if (std::erase(books_, &book) > 0) --watchers_;
    install();
  }

  /// Reads a book, once all work that was put into streams up to now has finished; waits for it.
  template <class F>
  auto read(const F& f) {
    const std::lock_guard lock(mutex_);
    settle(/*wait=*/true);
    return f();
  }

  // For `read`.
  [[nodiscard]] const MovementPlace& place(std::int32_t number) const {
    return *places_.at(static_cast<std::size_t>(number));
  }
  [[nodiscard]] const std::string& device(std::int32_t number) const {
    return *devices_.at(static_cast<std::size_t>(number));
  }
  [[nodiscard]] int threads() const noexcept { return threads_; }
  [[nodiscard]] std::vector<std::pair<Track, std::string>> streams() const {
#if defined(SITU_CUDA)
    return clock_.tracks();
#else
    return {};
#endif
  }

  /// Called once, after the first work is put into a stream from then on.
  void after_first_work(void (*f)()) {
    const std::lock_guard lock(mutex_);
    after_first_work_ = f;
  }

  void begins(movement::Movement& movement) override {
    for (const Budget* budget = budgets_; budget != nullptr; budget = budget->outer) budget->require(movement);
    for (Budget* budget = budgets_; budget != nullptr; budget = budget->outer) budget->charge(movement);
    movement.began = now();
    write([&] { movement.place = number_of(movement); });
  }

  void ends(const movement::Movement& movement, bool completed) noexcept override {
    if (!completed) {
      for (Budget* budget = budgets_; budget != nullptr; budget = budget->outer) budget->refund(movement);
      return;
    }
    const std::int64_t duration = now() - movement.began;
    write([&] {
      for (Book* const book : books_) {
        if (movement.place < 0) continue;
        if (!movement.beside) {
          Numbers& numbers = book->numbers[movement.place];
          ++numbers.count;
          numbers.bytes += movement.bytes;
        }
        book->note({TraceEvent::Kind::call, thread(), nullptr, movement.place, movement.began, duration,
                    static_cast<std::int64_t>(movement.bytes)});
      }
    });
  }

  [[nodiscard]] std::int64_t wait_begins() noexcept override { return now(); }

  void wait_ends(std::int64_t began, const movement::Movement* within) noexcept override {
    const std::int64_t duration = now() - began;
    write([&] {
      if (books_.empty()) return;
      const std::int32_t place =
          within != nullptr ? within->place : number_of({"", 0, NamedScope::path(), "wait", "", ""});
      for (Book* const book : books_) {
        if (place < 0) continue;
        if (within == nullptr || !within->beside) book->numbers[place].waited += duration;
        book->note({TraceEvent::Kind::wait, thread(), "wait", place, began, duration, 0});
      }
    });
  }

  void memory(movement::DeviceName name, std::int64_t bytes) noexcept override {
    write([&] {
      if (books_.empty()) return;
      make_room(devices_);
      const auto [at, fresh] = device_numbers_.try_emplace(name(), static_cast<std::int32_t>(devices_.size()));
      if (fresh) devices_.emplace_back(&at->first);
      for (Book* const book : books_) {
        const std::int64_t held = book->memory[at->second] += bytes;
        book->note({TraceEvent::Kind::memory, {}, nullptr, at->second, now(), 0, held});
      }
    });
  }

 private:
  Recorder() = default;

  static void lock_for_fork() { instance().mutex_.lock(); }
  static void unlock_in_parent() { instance().mutex_.unlock(); }
  /// A child has one thread: what the others opened is on stacks that no longer exist for it.
  static void unlock_in_child() {
    Recorder& recorder = instance();
    std::erase_if(recorder.books_, [](const Book* book) { return pthread_equal(book->thread, pthread_self()) == 0; });
    recorder.watchers_ = static_cast<int>(recorder.books_.size());
    for (const Budget* budget = budgets_; budget != nullptr; budget = budget->outer) ++recorder.watchers_;
    recorder.install();
    recorder.mutex_.unlock();
  }

  void install() noexcept {
    movement::detail::observer.store(watchers_ > 0 ? this : nullptr, std::memory_order_release);
#if defined(SITU_CUDA)
    cuda::detail::work_observer.store(books_.empty() ? nullptr : this, std::memory_order_release);
#endif
  }

  template <class F>
  void write(const F& f) noexcept {
    try {
      const std::lock_guard lock(mutex_);
      f();
    } catch (...) {  // see above
    }
  }

  [[nodiscard]] std::int32_t number_of(const movement::Movement& movement) {
    return books_.empty() ? -1 : number_of(place_of(movement));
  }
  [[nodiscard]] std::int32_t number_of(MovementPlace place) {
    make_room(places_);
    const auto [at, fresh] = numbers_.try_emplace(std::move(place), static_cast<std::int32_t>(places_.size()));
    if (fresh) places_.push_back(&at->first);
    return at->second;
  }

  /// Makes room for one more, so that adding cannot fail: otherwise a number without an entry would be assigned again.
  template <class Item>
  static void make_room(std::vector<Item>& items) {
    if (items.size() == items.capacity()) items.reserve(2 * items.size() + 16);
  }

  [[nodiscard]] Track thread() {
    thread_local const int number = threads_++;
    return {0, number};
  }

#if defined(SITU_CUDA)
  void* begins(cuda::StreamState& stream, const char* name, std::size_t bytes) noexcept override {
    void* span = nullptr;
    write([&] {
      const bool drawn =
          std::any_of(books_.begin(), books_.end(), [](const Book* book) { return book->most_events > 0; });
      const movement::Movement* const within = movement::detail::current;
      if (!drawn && (bytes == 0 || within == nullptr)) return;  // only a timeline would use it
      span = clock_.begin(stream, name, bytes, within != nullptr ? within->place : -1);
    });
    return span;
  }
  void ends(cuda::StreamState&, void* begun) noexcept override {
    void (*first)() = nullptr;
    write([&] {
      clock_.end(*static_cast<DeviceClock::Span*>(begun));
      if (clock_.pending() >= most_pending) settle(/*wait=*/false);
      first = std::exchange(after_first_work_, nullptr);
    });
    if (first != nullptr) first();
  }
#endif

  void settle([[maybe_unused]] bool wait) {
#if defined(SITU_CUDA)
    clock_.settle(wait, [this](const Work& work) {
      for (Book* const book : books_) {
        if (work.number < book->first_work) continue;
        if (work.place >= 0 && work.bytes > 0) book->numbers[work.place].on_device += work.duration;
        book->note({work.bytes > 0 ? TraceEvent::Kind::copy : TraceEvent::Kind::kernel, work.track, work.name,
                    work.place, work.begin, work.duration, static_cast<std::int64_t>(work.bytes)});
      }
    });
#endif
  }

  static constexpr std::size_t most_pending = 256;
  static inline constinit thread_local Budget* budgets_ = nullptr;  // of this thread, the innermost first

  std::mutex mutex_;  // guards all members below
  int watchers_ = 0;
  int threads_ = 0;
  std::vector<Book*> books_;
  std::map<MovementPlace, std::int32_t> numbers_;
  std::vector<const MovementPlace*> places_;
  std::map<std::string, std::int32_t> device_numbers_;
  std::vector<const std::string*> devices_;
  void (*after_first_work_)() = nullptr;
#if defined(SITU_CUDA)
  DeviceClock clock_;
#endif
};

}  // namespace situ::internal::ledger
