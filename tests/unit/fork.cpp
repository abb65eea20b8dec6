// SPDX-License-Identifier: Apache-2.0
// A child of `fork` computes, allocates, draws and records, whatever the parent's other threads were about to do.
// labels: threads
#include <doctest/doctest.h>
#include <sys/wait.h>
#include <unistd.h>

#include <atomic>
#include <cstdint>
#include <cstdlib>
#include <memory>
#include <string>
#include <thread>
#include <vector>

#include <situ/data/prefetch.hpp>
#include <situ/ledger.hpp>
#include <situ/memory/scope.hpp>
#include <situ/situ.hpp>

#include "../sanitizers.hpp"

namespace {

using namespace situ;

/// Runs `body` in a child process; what it gives, or -1 where the child ended otherwise.
template <class Body>
int given_by_child(Body body) {
  const pid_t child = fork();
  if (child == 0) {
    alarm(3600);  // a deadlock ends the child, with another status
    set_num_threads(under_thread_sanitizer ? 1 : 2);
    std::_Exit(body());
  }
  int status = 0;
  if (child < 0 || waitpid(child, &status, 0) != child || !WIFEXITED(status)) return -1;
  return WEXITSTATUS(status);
}

bool computes_draws_and_records() {
  const MovementLedger ledger;
  const Tensor x = rand({40000});
  const Tensor y = x * 2 + 1;
  empty_cache<Cpu>();
  const Tensor z = zeros<float>({300000});
  return y.shape()[0] == 40000 && y.data()[39999] == x.data()[39999] * 2 + 1 && z.data()[299999] == 0 &&
         ledger.entries().empty() && memory_stats<Cpu>().in_use > 0;
}

/// Calls `f` again and again in a thread, from before this is made until it ends.
template <class F>
class Busy {
 public:
  explicit Busy(F f) : thread_([this, f] {
    do {
      f();
      began_ = true;
    } while (!leave_);
  }) {
    while (!began_) std::this_thread::yield();
  }
  Busy(const Busy&) = delete;
  Busy& operator=(const Busy&) = delete;
  ~Busy() {
    leave_ = true;
    thread_.join();
  }

 private:
  std::atomic<bool> began_{false};
  std::atomic<bool> leave_{false};
  std::thread thread_;
};

}  // namespace

TEST_CASE("fork: a child computes, draws and records beside threads that do") {
  const Busy draws([] { static_cast<void>(internal::next_stream()); });
  const Busy seeds([] { set_seed(7); });
  const Busy records([] { const MovementLedger ledger; });
  const Busy reads([] { static_cast<void>(memory_stats<Cpu>()); });
  const Busy allocates([] {
    const Tensor x = zeros<float>({30000});
    empty_cache<Cpu>();
  });
  for (int round = 0; round < 12; ++round) {
    CAPTURE(round);
    REQUIRE(given_by_child([] { return computes_draws_and_records() ? 7 : 8; }) == 7);
  }
}

TEST_CASE("fork: a child of a child, and one that forks while all are at work") {
  const Busy computes([] { const Tensor x = rand({40000}) * 2; });
  for (int round = 0; round < 5; ++round) {
    const int given = given_by_child([] {
      return computes_draws_and_records() ? given_by_child([] { return computes_draws_and_records() ? 7 : 8; }) : 9;
    });
    REQUIRE(given == 7);
  }
}

TEST_CASE("fork: parent and child draw the same numbers, unless the child begins with a seed of its own") {
  set_seed(42);
  const auto next = [] { return static_cast<int>(randint(0, 100, {1}).item()); };
  static_cast<void>(next());
  const int childs = given_by_child(next);
  const int reseeded = given_by_child([&] {
    set_seed(43);
    return next();
  });
  const int mine = next();
  CHECK(childs == mine);
  set_seed(43);
  CHECK(reseeded == next());
  CHECK(reseeded != mine);
  set_seed(0);
}

TEST_CASE("fork: a child forgets the scopes and ledgers of threads that it has not, and keeps its own") {
  const auto records = [] { return internal::movement::observer() != nullptr; };
  std::atomic<const MemoryScope<Cpu>*> theirs{nullptr};
  std::atomic<bool> leave{false};
  std::thread other([&] {
    const auto scope = std::make_unique<const MemoryScope<Cpu>>();  // not on the stack: the child's threads may get that
    const MovementLedger ledger;
    theirs = scope.get();
    while (!leave) std::this_thread::yield();
  });
  while (theirs == nullptr) std::this_thread::yield();
  CHECK(given_by_child([&] {
          if (records()) return 1;  // into the book on the other thread's stack
          const std::size_t before = theirs.load()->peak();
          const Tensor x = zeros<float>({4000000});
          return theirs.load()->peak() == before ? 7 : 2;
        }) == 7);
  {
    const MemoryScope<Cpu> scope;
    const MovementLedger ledger;
    CHECK(given_by_child([&] {
            const Tensor x = zeros<float>({4000000});
            return records() && scope.peak_above_start() >= 16000000 ? 7 : 8;
          }) == 7);
    CHECK(records());
  }
  CHECK(records());  // the other's
  leave = true;
  other.join();
  CHECK(!records());
}

TEST_CASE("fork: a loader's threads stay behind, and the child is told") {
  const auto make = [](std::int64_t number, const std::atomic<bool>&) { return number; };
  using Numbers = internal::Prefetcher<decltype(make)>;
  auto numbers = std::make_unique<Numbers>(make, 0, 100, 2, 4);
  CHECK(numbers->take() == 0);
  CHECK(given_by_child([&] {
          std::string said;
          try {
            static_cast<void>(numbers->take());
          } catch (const Error& error) {
            said = error.what();
          }
          numbers.reset();
          if (said.find("DataLoader: the threads that make the batches") != 0) return 8;
          if constexpr (!under_thread_sanitizer) {
            Numbers own(make, 5, 9, 2, 4);
            return own.take() == 5 ? 7 : 9;
          }
          return 7;
        }) == 7);
  for (std::int64_t i = 1; i < 100; ++i) REQUIRE(numbers->take() == i);
}

TEST_CASE("fork: what the environment asks for is told by the process that began, not by its children") {
  const std::string path = "fork_trace_" + std::to_string(getpid()) + ".json";
  auto asked = std::make_unique<internal::ledger::FromEnvironment>(("trace=" + path).c_str());
  CHECK(given_by_child([&] {
          asked.reset();
          return access(path.c_str(), F_OK) == 0 ? 8 : 7;
        }) == 7);
  asked.reset();
  CHECK(access(path.c_str(), F_OK) == 0);
  unlink(path.c_str());
}

TEST_CASE("fork: an epoch without workers goes on in the child") {
  const auto make = [](std::int64_t number, const std::atomic<bool>&) { return number; };
  internal::Prefetcher<decltype(make)> numbers(make, 3, 9, 0, 1);
  CHECK(given_by_child([&] { return static_cast<int>(numbers.take()); }) == 3);
  CHECK(numbers.take() == 3);
}
