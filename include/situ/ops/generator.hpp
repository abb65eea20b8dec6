// SPDX-License-Identifier: Apache-2.0
// `Generator`: where random tensors come from, and the generator of the process.
#pragma once

#include <cstddef>
#include <cstdint>
#include <mutex>
#include <utility>
#include <vector>

#include <situ/core/at_fork.hpp>
#include <situ/core/call_count.hpp>
#include <situ/core/philox.hpp>

namespace situ {

/// A source of random tensors: a seed, and the number of tensors drawn so far. It has no state on a device. A copy
/// draws the same tensors as the original; two threads must not use one generator at a time.
///
///     Generator generator(42);
///     Tensor w = randn<float>({2, 2}, gpu<0>, generator);   // the same bits as on the CPU
class Generator {
 public:
  explicit Generator(std::uint64_t seed, std::uint64_t draws = 0) noexcept : seed_(seed), draws_(draws) {}

  /// The seed that it was made with.
  [[nodiscard]] std::uint64_t seed() const noexcept { return seed_; }
  /// How many tensors were drawn; with the seed, all that is needed to continue later.
  [[nodiscard]] std::uint64_t draws() const noexcept { return draws_; }

  /// The stream of the next tensor; for the library.
  [[nodiscard]] internal::RandomStream next() noexcept { return {seed_, draws_++, added_}; }
  /// Calls `f(count, added)` for the number of draws, which a captured graph counts; for the library.
  template <class F>
  void for_each_count(F&& f) {
    f(draws_, added_);
  }

  /// Whether both draw the same tensors from here on.
  friend bool operator==(const Generator& a, const Generator& b) noexcept {
    return a.seed_ == b.seed_ && a.draws_ == b.draws_;
  }

 private:
  std::uint64_t seed_;
  std::uint64_t draws_;
  internal::AddedByCalls added_ = nullptr;  // while a function that carries it is captured
};

namespace internal {

/// The generator that is used if none is given: one for the process, as in PyTorch. Rejected: one for each thread,
/// since all threads would draw the same numbers unnoticed.
struct DefaultGenerator {
  std::mutex mutex;
  std::uint64_t seed = 0;
  std::uint64_t draws = 0;

  /// In a child process the lock is free, and the generator continues like the parent's: both draw the same numbers.
  [[nodiscard]] static std::unique_lock<std::mutex> lock();

 private:
  static void before_fork();
  static void after_fork();
};
inline DefaultGenerator default_generator;

inline void DefaultGenerator::before_fork() { default_generator.mutex.lock(); }
inline void DefaultGenerator::after_fork() { default_generator.mutex.unlock(); }
inline std::unique_lock<std::mutex> DefaultGenerator::lock() {
  at_fork<&before_fork, &after_fork, &after_fork>();
  return std::unique_lock(default_generator.mutex);
}

class SameDraws;
/// The innermost one of this thread, if any.
inline constinit thread_local SameDraws* same_draws = nullptr;

/// While one lives, what this thread draws without a generator is drawn once and used for each of several replicas: the
/// first tensor of each comes from one stream, and so on. Draws of other threads are not affected.
///
/// Rejected: resetting the generator for each replica, since other threads would then draw the same streams again.
class SameDraws {
 public:
  SameDraws() noexcept : outer_(std::exchange(same_draws, this)) {}
  SameDraws(const SameDraws&) = delete;
  SameDraws& operator=(const SameDraws&) = delete;
  ~SameDraws() { same_draws = outer_; }

  /// Begins the next replica.
  void again() noexcept { at_ = 0; }

  [[nodiscard]] RandomStream next() {
    if (at_ == drawn_.size()) drawn_.push_back(drawn(outer_));
    return drawn_[at_++];
  }

  /// A stream that has not been used.
  [[nodiscard]] static RandomStream drawn(SameDraws* outer) {
    if (outer != nullptr) return outer->next();
    const std::unique_lock lock = DefaultGenerator::lock();
    return {default_generator.seed, default_generator.draws++, nullptr};
  }

 private:
  SameDraws* outer_;
  std::vector<RandomStream> drawn_;
  std::size_t at_ = 0;
};

[[nodiscard]] inline RandomStream next_stream() { return SameDraws::drawn(same_draws); }

}  // namespace internal

}  // namespace situ
