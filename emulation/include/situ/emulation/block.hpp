// SPDX-License-Identifier: Apache-2.0
// Runs the threads of a block. They run one after the other on one fiber, as a loop. A thread that must wait, at a
// barrier or for the others of its warp, keeps that fiber, and another fiber continues the loop. So a kernel that never
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

/// A launch: the state shared by all its blocks.
struct Launch {
  const char* name = "";
  int device = 0;
  int threads = 1;
  int most_threads = 1;  // the number that the kernel was compiled for
  std::int64_t blocks = 1;
  int blocks_y = 1;
  std::size_t dynamic_bytes = 0;
  bool on_one_multiprocessor = false;  // its blocks share what is not theirs: `static` memory for `__shared__`
  const void* kernel = nullptr;
  void (*run_threads)(const void* kernel, Block& block) = nullptr;
  const KernelType* type = nullptr;
};

inline constexpr int most_threads = 1024;
inline constexpr int warp_threads = 32;

/// Where a thread waits. Threads that wait for each other must wait at the same source location.
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

/// Reads a value that the host writes between blocks: ThreadSanitizer reports a race unless the access is atomic.
template <class T>
[[SITU_INLINE]] inline T relaxed(const T& place) noexcept {
  if constexpr (under_thread_sanitizer) return __atomic_load_n(&place, __ATOMIC_RELAXED);
  else return place;
}

/// The running block: a multiprocessor, which runs blocks one after the other. Its functions that kernels call are
/// hidden from ThreadSanitizer: only one host thread accesses their data.
class Block {
 public:
  // Read by kernels.
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

  /// Runs all blocks of a launch, and the threads of each, in order; or in an order drawn from `seed` if that is not 0.
  /// Returns a description of the failure; empty if there was none. See blocks.hpp.
  std::string run(const Launch& launch, std::uint64_t seed);

  // --- for the loop over threads -------------------------------------------------------------------------------------
  /// Takes the next thread that has not started; false if all have.
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
  /// Returns the words of all threads of the warp, valid until this thread's next call.
  __attribute__((no_sanitize("thread"))) const std::uint64_t* exchange(std::uint64_t word, Site site);
  /// Shared memory; the same for all calls with the same `tag`.
  __attribute__((no_sanitize("thread"))) void* shared(const void* tag, std::size_t bytes, std::size_t alignment);
  __attribute__((no_sanitize("thread"))) void* dynamic_shared();
  /// Orders the threads of two blocks for ThreadSanitizer: a fence followed by an atomic operation in one block, then
  /// an atomic operation on the same address followed by a fence in the other. Without both fences there is no order.
  __attribute__((no_sanitize("thread"))) void fence() noexcept;
  __attribute__((no_sanitize("thread"))) void before_atomic(void* place) noexcept;
  __attribute__((no_sanitize("thread"))) void after_atomic(void* place) noexcept;
  /// Records what this thread did wrong; then `stop` ends the launch. Two functions, since `stop` does not run
  /// destructors on the thread's stack.
  __attribute__((no_sanitize("thread"))) void note_failure(const std::string& what);
  [[noreturn]] __attribute__((no_sanitize("thread"))) void stop();
  /// "kernel 'name', block 3, thread 5"
  [[nodiscard]] __attribute__((no_sanitize("thread"))) std::string where(int of_thread) const;
  /// The number of stacks created so far.
  [[nodiscard]] int fibers() const noexcept { return fibers_; }
  /// Whether an address is in the guard below a fiber's stack.
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

  /// Writes a value that kernels may be reading, see `relaxed`.
  template <class T>
  __attribute__((no_sanitize("thread"))) static void store(T& place, T value) noexcept {
    if constexpr (under_thread_sanitizer) __atomic_store_n(&place, value, __ATOMIC_RELAXED);
    else place = value;
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
  Fiber* used_ = nullptr;  // idle, but not available to this block
  Fiber* all_ = nullptr;
  int fibers_ = 0;
  bool failed_ = false;
  std::string error_;
  SharedMemory shared_;
  std::unique_ptr<Block> neighbour_;  // for ThreadSanitizer, the other multiprocessor
  void* context_ = nullptr;           // and the context of this one between its blocks
  static constexpr int most_observed = 8;
  void* observed_[most_observed];  // where this block recently read by an atomic operation
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

// With SITU_EMULATED_CONTRACTION, products and sums in kernels are contracted to one operation with one rounding, as by
// nvcc, but not those on the host: this reveals tests that expect both to agree. For this, g++ inlines everything that
// a kernel calls.
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
