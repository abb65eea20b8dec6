// SPDX-License-Identifier: Apache-2.0
// `Outcome`: the result or exception of a call in another thread, taken once by the thread that waits for it.
#pragma once

#include <condition_variable>
#include <exception>
#include <mutex>
#include <optional>
#include <utility>

namespace situ::internal::world {

/// A result or an exception, put by one thread and taken by another. The thread that put an exception keeps no
/// reference to it. Rejected: std::promise, whose last handle may destroy the exception in either thread; its reference
/// count is inside the standard library, where ThreadSanitizer does not see it.
template <class T>
class Outcome {
 public:
  Outcome() = default;
  Outcome(const Outcome&) = delete;
  Outcome& operator=(const Outcome&) = delete;

  /// Calls `f` and keeps its result or exception. Never throws.
  template <class F>
  void keep(const F& f) noexcept {
    std::optional<T> result;
    std::exception_ptr error;
    try {
      result.emplace(f());
    } catch (...) {
      error = std::current_exception();
    }
    {
      const std::lock_guard lock(mutex_);
      result_ = std::move(result);
      error_ = std::move(error);
      over_ = true;
    }
    changed_.notify_all();
  }

  [[nodiscard]] bool ready() const {
    const std::lock_guard lock(mutex_);
    return over_;
  }

  /// Waits, then returns the result or throws the exception.
  [[nodiscard]] T take() {
    std::optional<T> result;
    std::exception_ptr error;
    {
      std::unique_lock lock(mutex_);
      changed_.wait(lock, [this] { return over_; });
      result = std::exchange(result_, std::nullopt);
      error = std::exchange(error_, nullptr);
    }
    if (error != nullptr) std::rethrow_exception(std::move(error));
    return std::move(*result);
  }

 private:
  mutable std::mutex mutex_;
  std::condition_variable changed_;
  std::optional<T> result_;
  std::exception_ptr error_;
  bool over_ = false;
};

}  // namespace situ::internal::world
