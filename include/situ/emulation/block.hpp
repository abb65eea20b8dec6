// SPDX-License-Identifier: Apache-2.0
// Running the threads of a block. They run one after the other on one fiber, as a loop; a thread that has to wait, at a
// barrier or for the others of its warp, keeps that fiber, and another goes on with the loop. So a kernel that never
// waits costs one fiber.
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <memory>
#include <string>

#include <situ/core/config.hpp>
#include <situ/emulation/fiber.hpp>
#include <situ/emulation/shared_memory.hpp>

namespace situ::internal::cuda::emulated {

class Block;
struct KernelType;  // observer.hpp

/// A launch: what all its blocks have in common.
struct Launch {
  const char* name = "";
  int device = 0;
  int threads = 1;
  int most_threads = 1;  // those that the kernel was compiled for
  std::int64_t blocks = 1;
  int blocks_y = 1;
  std::size_t dynamic_bytes = 0;
  const void* kernel = nullptr;
  void (*run_threads)(const void* kernel, Block& block) = nullptr;
  const KernelType* type = nullptr;
};

inline constexpr int most_threads = 1024;
inline constexpr int warp_threads = 32;

/// Where a thread waits. Threads that wait for each other must wait at the same place of the source.
struct Site {
  const char* what = "";
  const char* file = "";
  int line = 0;

  friend bool operator==(const Site& a, const Site& b) noexcept {
    const auto same = [](const char* x, const char* y) { return x == y || std::strcmp(x, y) == 0; };
    return a.line == b.line && same(a.what, b.what) && same(a.file, b.file);
  }
  [[nodiscard]] std::string text() const;
};

/// Reads what the host writes between blocks: ThreadSanitizer takes that for a race, unless it is atomic.
template <class T>
[[SITU_INLINE]] inline T relaxed(const T& place) noexcept {
  if constexpr (under_thread_sanitizer)
    return __atomic_load_n(&place, __ATOMIC_RELAXED);
  else
    return place;
}

/// The block that runs: a multiprocessor, which runs one after the other. Its functions that kernels call are hidden
/// from ThreadSanitizer: what they touch is touched by one host thread only.
class Block {
 public:
  // What a kernel reads.
  int thread = 0;
  int threads = 0;
  std::int64_t block = 0;
  std::int64_t blocks = 1;
  int block_y = 0;
  int blocks_y = 1;

  Block() = default;
  Block(const Block&) = delete;
  Block& operator=(const Block&) = delete;
  inline ~Block();

  /// The block that this host thread runs; null outside of kernels.
  static inline constinit thread_local Block* current = nullptr;

  /// Runs all blocks of a launch in order, and the threads of each; or both in an order drawn from `seed`, unless that
  /// is 0. Gives what went wrong; empty when nothing did. See blocks.hpp.
  std::string run(const Launch& launch, std::uint64_t seed);

  // --- for the loop over threads -------------------------------------------------------------------------------------
  /// Takes the next thread that has not started; false when all have.
  [[nodiscard]] __attribute__((no_sanitize("thread"))) bool start_next() noexcept {
    if (started_ == threads) return false;
    store(thread, random_ == 0 ? started_ : order_[started_]);
    ++started_;
    return true;
  }
  __attribute__((no_sanitize("thread"))) void end_thread() noexcept {
    state_[thread] = State::left;
    ++left_;
  }
  [[nodiscard]] void* tsan_start() noexcept { return &sync_start_; }
  [[nodiscard]] void* tsan_end() noexcept { return &sync_end_; }

  // --- for kernels ---------------------------------------------------------------------------------------------------
  __attribute__((no_sanitize("thread"))) void barrier(Site site);
  /// Gives the word of each thread of the warp, until this thread's next call.
  __attribute__((no_sanitize("thread"))) const std::uint64_t* exchange(std::uint64_t word, Site site);
  /// Shared memory; the same for all calls with one `tag`.
  __attribute__((no_sanitize("thread"))) void* shared(const void* tag, std::size_t bytes, std::size_t alignment);
  __attribute__((no_sanitize("thread"))) void* dynamic_shared();
  /// What orders the threads of two blocks, for ThreadSanitizer: an atomic operation that follows a fence in its block,
  /// then one on the same place that a fence follows in the other. Without either fence there is no order.
  __attribute__((no_sanitize("thread"))) void fence() noexcept;
  __attribute__((no_sanitize("thread"))) void before_atomic(void* place) noexcept;
  __attribute__((no_sanitize("thread"))) void after_atomic(void* place) noexcept;
  /// Notes what this thread did wrong; then `stop` ends the launch. Two functions, since nothing that `stop` leaves
  /// behind on the thread's stack is destroyed.
  __attribute__((no_sanitize("thread"))) void note_failure(const std::string& what);
  [[noreturn]] __attribute__((no_sanitize("thread"))) void stop();
  /// "kernel 'name', block 3, thread 5"
  [[nodiscard]] __attribute__((no_sanitize("thread"))) std::string where(int of_thread) const;
  /// Stacks made so far.
  [[nodiscard]] int fibers() const noexcept { return fibers_; }
  /// Whether an address lies below the end of a fiber's stack.
  [[nodiscard]] bool in_guard(const void* address) const noexcept;
  [[nodiscard]] const Launch* launch() const noexcept { return launch_; }

 private:
  enum class State : unsigned char { fresh, waits_at_barrier, waits_in_warp, ready, left };
  struct Warp {
    std::uint64_t words[2][warp_threads];
    int first;  // that arrived
    int arrived;
    int phase;
    char sync[2];
  };

  /// What kernels read while others write it, see `relaxed`.
  template <class T>
  __attribute__((no_sanitize("thread"))) static void store(T& place, T value) noexcept {
    if constexpr (under_thread_sanitizer)
      __atomic_store_n(&place, value, __ATOMIC_RELAXED);
    else
      place = value;
  }
  void prepare(const Launch& launch, std::uint64_t seed);
  void finish() noexcept;
  void run_block(std::int64_t x, int y);
  void forget_shared();
  __attribute__((no_sanitize("thread"))) void restart_fibers();
  void make_all_idle() noexcept;
  Fiber* add_fiber();
  __attribute__((no_sanitize("thread"))) std::uint64_t draw(std::uint64_t below) noexcept;
  __attribute__((no_sanitize("thread"))) void suspend(State state);
  __attribute__((no_sanitize("thread"))) Fiber& pick();
  __attribute__((no_sanitize("thread"))) void change(Fiber& from, Fiber& to) noexcept;
  __attribute__((no_sanitize("thread"))) void arrive(Fiber& at) noexcept;
  __attribute__((no_sanitize("thread"))) void make_ready(int t) noexcept;
  __attribute__((no_sanitize("thread"))) void note_divergence(int other);
  [[nodiscard]] std::string describe_stall() const;
  [[nodiscard]] __attribute__((no_sanitize("thread"))) std::string doing(int t) const;
  __attribute__((no_sanitize("thread"))) static void fiber_entry();
  __attribute__((no_sanitize("thread"))) void run_on_fiber();

  const Launch* launch_ = nullptr;
  std::uint64_t random_ = 0;
  int started_ = 0;
  int left_ = 0;
  int barrier_arrived_ = 0;
  int barrier_first_ = 0;
  int barrier_phase_ = 0;
  int ready_first_ = 0;
  int ready_count_ = 0;
  Fiber host_{};  // the stack that called `run`
  Fiber* running_ = nullptr;
  Fiber* previous_ = nullptr;
  Fiber* idle_ = nullptr;
  Fiber* used_ = nullptr;  // idle, but not for this block
  Fiber* all_ = nullptr;
  int fibers_ = 0;
  bool failed_ = false;
  std::string error_;
  SharedMemory shared_;
  std::unique_ptr<Block> neighbour_;  // for ThreadSanitizer, the other multiprocessor
  void* context_ = nullptr;           // and what stands for this one between its blocks
  static constexpr int most_observed = 8;
  void* observed_[most_observed];  // where this block has read by an atomic operation, of late
  int observed_count_ = 0;
  bool fenced_ = false;
  char sync_start_ = 0;
  char sync_end_ = 0;
  char sync_shared_ = 0;
  char sync_barrier_[2] = {};
  int ready_[most_threads];
  int order_[most_threads];
  State state_[most_threads];
  Site site_[most_threads];
  Fiber* fiber_[most_threads];
  Warp warps_[most_threads / warp_threads];
};

// With SITU_EMULATED_CONTRACTION the products and sums of kernels become one operation with one rounding, as nvcc makes
// them, and those of the host do not: what a test expects of both alike is then seen to differ. g++ inlines for that
// all that a kernel calls.
#if defined(SITU_EMULATED_CONTRACTION) && (defined(__clang__) || !defined(__FMA__) || !defined(__OPTIMIZE__))
#error "situ: SITU_EMULATED_CONTRACTION needs g++ with -O1 -mfma -ffp-contract=off"
#endif

/// The loop over the threads of a block, for one kernel. For ThreadSanitizer each thread has a fiber of its own.
template <class K>
#if defined(SITU_EMULATED_CONTRACTION)
__attribute__((flatten, optimize("fp-contract=fast", "expensive-optimizations")))
#endif
void run_threads(const void* kernel, Block& block) {
  const K& call = *static_cast<const K*>(kernel);
  if constexpr (under_thread_sanitizer) {
    if (!block.start_next()) return;
    tsan_acquire(block.tsan_start());
    call();
    tsan_release(block.tsan_end());
    block.end_thread();
  } else {
    while (block.start_next()) {
      call();
      block.end_thread();
    }
  }
}

}  // namespace situ::internal::cuda::emulated
