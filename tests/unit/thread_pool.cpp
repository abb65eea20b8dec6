// SPDX-License-Identifier: Apache-2.0
// The library's own threads: every index once, exceptions, nesting, several callers, fork, and the end of the program.
// labels: threads
#include <doctest/doctest.h>
#include <sys/wait.h>
#include <unistd.h>

#include <atomic>
#include <chrono>
#include <cstdint>
#include <cstdlib>
#include <stdexcept>
#include <string>
#include <thread>
#include <vector>

#include <situ/device/host_memory.hpp>
#include <situ/threads/thread_pool.hpp>

#include "../comes_true.hpp"
#include "../sanitizers.hpp"

namespace {

using situ::internal::cpu::parallel_for;

/// Restores the number of threads.
struct Threads {
  int before = situ::num_threads();
  explicit Threads(int count) { situ::set_num_threads(count); }
  Threads(const Threads&) = delete;
  Threads& operator=(const Threads&) = delete;
  ~Threads() { situ::set_num_threads(before); }
};

/// Computes in its destructor. The workers are first needed in a test, later than this object is made, so they have
/// been stopped before, and the work is one range. Anything else ends the program with an error status.
struct ComputesAtExit {
  ~ComputesAtExit() {
    std::atomic<std::int64_t> sum{0};
    std::atomic<int> calls{0};
    parallel_for(0, 1000, 10, [&](std::int64_t from, std::int64_t to) {
      sum += to - from;
      ++calls;
    }, 1);
    if (sum != 1000 || (started && calls != 1)) std::_Exit(70);
  }
  static inline std::atomic<bool> started{false};
};
const ComputesAtExit computes_at_exit;

TEST_CASE("parallel_for: every index exactly once, in ranges that begin at multiples of the alignment") {
  for (const int threads : {1, 2, 3, 8}) {
    const Threads scope(threads);
    for (const std::int64_t count : {0, 1, 63, 64, 65, 127, 128, 129, 1000, 4096, 100003}) {
      for (const std::int64_t grain : {0, 1, 7, 64, 100, 5000}) {
        for (const std::int64_t alignment : {1, 16, 64}) {
          const std::int64_t begin = -17;
          std::vector<std::atomic<int>> seen(static_cast<std::size_t>(count));
          std::atomic<int> calls{0};
          std::atomic<bool> good{true};
          parallel_for(
              begin, begin + count, grain,
              [&](std::int64_t from, std::int64_t to) {
                ++calls;
                if (from >= to || (from - begin) % alignment != 0) good = false;
                if (to != begin + count && to - from < grain) good = false;
                for (std::int64_t i = from; i < to; ++i) ++seen[static_cast<std::size_t>(i - begin)];
              },
              alignment);
          for (const auto& times : seen) good = good && times == 1;
          INFO("threads ", threads, " count ", count, " grain ", grain, " alignment ", alignment);
          CHECK(good);
          if (count == 0) CHECK(calls == 0);
          if (count > 0 && (threads == 1 || count < 2 * grain)) CHECK(calls == 1);
          if (threads > 1 && count == 100003 && grain < 5000) CHECK(calls >= threads);
          CHECK(calls <= 4 * threads);
        }
      }
    }
  }
}

TEST_CASE("parallel_for: an end before the beginning is no range") {
  bool called = false;
  parallel_for(5, -5, 1, [&](std::int64_t, std::int64_t) { called = true; });
  CHECK_FALSE(called);
}

TEST_CASE("parallel_for: writes of the workers are seen by the caller, and the other way round, many times over") {
  const Threads scope(4);
  std::vector<std::int64_t> values(4096, 0);
  for (int round = 0; round < 500; ++round) {
    parallel_for(0, 4096, 64, [&](std::int64_t from, std::int64_t to) {
      for (std::int64_t i = from; i < to; ++i) values[static_cast<std::size_t>(i)] += i;
    });
    values[0] += 1;
  }
  CHECK(values[0] == 500);
  for (std::size_t i = 1; i < values.size(); ++i) REQUIRE(values[i] == 500 * static_cast<std::int64_t>(i));
}

/// Whether two threads take part. One range waits until the other has begun: with a single thread this could not end.
/// Which of the two waits does not matter; a bound on the wait keeps a fault from hanging the test.
bool two_threads_meet() {
  std::atomic<int> begun{0};
  std::atomic<bool> met{true};
  parallel_for(0, 2, 1, [&](std::int64_t, std::int64_t) {
    ++begun;
    if (!comes_true([&] { return begun == 2; })) met = false;
  }, 1);
  return met && begun == 2;
}

TEST_CASE("parallel_for: another thread does take part") {
  const Threads scope(2);
  CHECK(two_threads_meet());
  ComputesAtExit::started = true;
}

TEST_CASE("parallel_for: one exception arrives, after all ranges have ended") {
  const Threads scope(4);
  for (int round = 0; round < 50; ++round) {
    std::atomic<int> running{0};
    std::atomic<int> ended{0};
    std::string text;
    try {
      parallel_for(0, 1600, 100, [&](std::int64_t from, std::int64_t) {
        struct Count {
          std::atomic<int>& running;
          std::atomic<int>& ended;
          ~Count() {
            --running;
            ++ended;
          }
        };
        ++running;
        const Count count{running, ended};
        if (from % 3 == 0) throw std::runtime_error("range " + std::to_string(from));
      }, 1);
    } catch (const std::runtime_error& error) {
      text = error.what();
    }
    CHECK(text.starts_with("range "));
    CHECK(running == 0);
    CHECK(ended == 16);
  }
  // The pool still works.
  std::atomic<std::int64_t> sum{0};
  parallel_for(0, 1600, 100, [&](std::int64_t from, std::int64_t to) { sum += to - from; }, 1);
  CHECK(sum == 1600);
}

TEST_CASE("parallel_for: an exception in the single range passes through") {
  CHECK_THROWS_AS(parallel_for(0, 10, 100, [](std::int64_t, std::int64_t) { throw std::logic_error("x"); }),
                  std::logic_error);
}

TEST_CASE("parallel_for: nested calls run where they stand") {
  const Threads scope(4);
  std::atomic<std::int64_t> sum{0};
  std::atomic<bool> inside{true};
  parallel_for(0, 64, 1, [&](std::int64_t from, std::int64_t to) {
    const auto outer = std::this_thread::get_id();
    for (std::int64_t i = from; i < to; ++i) {
      parallel_for(0, 1000, 1, [&](std::int64_t a, std::int64_t b) {
        if (std::this_thread::get_id() != outer || a != 0 || b != 1000) inside = false;
        sum += b - a;
      }, 1);
    }
  }, 1);
  CHECK(inside);
  CHECK(sum == 64000);
}

TEST_CASE("parallel_for: several threads at the same time, while the number of threads changes") {
  const Threads scope(3);
  std::atomic<bool> good{true};
  std::vector<std::thread> users;
  for (int user = 0; user < 6; ++user) {
    users.emplace_back([&good, user] {
      for (int round = 0; round < 300; ++round) {
        std::atomic<std::int64_t> sum{0};
        parallel_for(0, 5000, 64, [&](std::int64_t from, std::int64_t to) { sum += to - from; });
        if (sum != 5000) good = false;
        if (round % 50 == user) situ::set_num_threads(1 + (round + user) % 5);
      }
    });
  }
  for (std::thread& user : users) user.join();
  CHECK(good);
}

TEST_CASE("parallel_for: sleeping workers are woken") {
  const Threads scope(3);
  for (int round = 0; round < 20; ++round) {
    std::this_thread::sleep_for(std::chrono::milliseconds(2));
    std::atomic<std::int64_t> sum{0};
    parallel_for(0, 1200, 100, [&](std::int64_t from, std::int64_t to) {
      std::this_thread::sleep_for(std::chrono::microseconds(200));
      sum += to - from;
    }, 1);
    CHECK(sum == 1200);
  }
}

TEST_CASE("set_num_threads: the number is kept, and must be 1 or more") {
  const int before = situ::num_threads();
  CHECK(before >= 1);
  {
    const Threads scope(5);
    CHECK(situ::num_threads() == 5);
    CHECK_THROWS_WITH_AS(situ::set_num_threads(0), "set_num_threads: at least 1 thread is needed, got 0",
                         situ::ValueError);
    CHECK(situ::num_threads() == 5);
  }
  CHECK(situ::num_threads() == before);
}

/// Runs `body` in a child process; its exit status, or -1.
template <class Body>
int status_of_child(Body body) {
  const pid_t child = fork();
  if (child == 0) {
    alarm(3600);  // a deadlock ends the child, with another status
    body();
    std::_Exit(99);
  }
  int status = 0;
  if (child < 0 || waitpid(child, &status, 0) != child || !WIFEXITED(status)) return -1;
  return WEXITSTATUS(status);
}

TEST_CASE("a forked child computes with workers of its own" * doctest::skip(under_thread_sanitizer)) {
  const Threads scope(3);
  std::atomic<std::int64_t> sum{0};
  const auto compute = [&] {
    sum = 0;
    parallel_for(0, 5000, 64, [&](std::int64_t from, std::int64_t to) { sum += to - from; });
    return sum == 5000;
  };
  REQUIRE(compute());
  CHECK(status_of_child([&] { std::_Exit(compute() && two_threads_meet() && compute() ? 7 : 8); }) == 7);
  CHECK(compute());
}

// Not under the sanitizers: at the child's exit, LeakSanitizer would look for the parent's threads.
TEST_CASE("exit ends the program, from the caller and from a range on any thread" *
          doctest::skip(under_thread_sanitizer || situ::internal::memory::under_address_sanitizer)) {
  const Threads scope(2);
  CHECK(status_of_child([] {
          parallel_for(0, 5000, 64, [](std::int64_t, std::int64_t) {});
          std::exit(3);
        }) == 3);
  for (const bool on_worker : {false, true}) {
    CHECK(status_of_child([&] {
            const auto caller = std::this_thread::get_id();
            std::atomic<bool> leaving{false};
            parallel_for(0, 2, 1, [&](std::int64_t, std::int64_t) {
              if ((std::this_thread::get_id() != caller) == on_worker && !leaving.exchange(true)) std::exit(4);
              while (true) std::this_thread::sleep_for(std::chrono::hours(1));  // until the program ends
            }, 1);
          }) == 4);
  }
}

}  // namespace
