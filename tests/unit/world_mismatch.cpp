// SPDX-License-Identifier: Apache-2.0
// labels: threads
// Ranks that call different collectives: the first, the 101st or the 10,000th of a group, whatever they differ in. Threads
// are the ranks; tests/world has some of it by MPI.
#include <doctest/doctest.h>
#include <sys/wait.h>
#include <unistd.h>

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <functional>
#include <memory>
#include <mutex>
#include <span>
#include <string>
#include <thread>
#include <tuple>
#include <vector>

#include <situ/parallel.hpp>
#include <situ/world.hpp>

#include "../comes_true.hpp"
#include "../world/thread_job.hpp"

namespace {

namespace world = situ::internal::world;
using namespace situ;
using OneOfThem = std::shared_ptr<world::GroupState>;

/// What ranks may do, and what is said of it.
struct Does {
  std::function<void(const Group<Cpu>&)> call;
  std::string text;
};
struct Difference {
  Does others;
  Does rank_1;
};

template <int Axis>
Spread<float, Sharded<Axis>, Ranks<Cpu>> sharded(const Group<Cpu>& group, const Shape& shape) {
  return group.shard<Axis>(ones<float>(shape));
}
/// Without that anything is sent.
template <class Layout = Partial<>>
Spread<float, Layout, Ranks<Cpu>> partial(const Group<Cpu>& group, const Shape& shape) {
  return {group.mesh(), shape, std::tuple(ones<float>(shape))};
}

Does barrier() {
  return {[](const Group<Cpu>& group) { group.barrier({"a.cpp", 1}); }, "barrier at a.cpp:1"};
}
template <Element T>
Does replicate(int count, int root = 0) {
  return {[=](const Group<Cpu>& group) { static_cast<void>(group.replicate(ones<T>(Shape{count}), Rank{root}, {"a.cpp", 2})); },
          "replicate from rank " + std::to_string(root) + " of " + std::string(dtype_name<T>()) + " (" + std::to_string(count) +
              ",) at a.cpp:2"};
}
Does all_reduce_of(int count) {
  return {[=](const Group<Cpu>& group) { static_cast<void>(all_reduce(partial(group, {count}), {"a.cpp", 3})); },
          "all_reduce of Partial<sum> float32 (" + std::to_string(count) + ",) at a.cpp:3"};
}
Does largest_of(int count) {
  return {[=](const Group<Cpu>& group) {
            static_cast<void>(all_reduce(partial<Partial<ReduceOp::max>>(group, {count}), {"a.cpp", 3}));
          },
          "all_reduce (max) of Partial<max> float32 (" + std::to_string(count) + ",) at a.cpp:3"};
}
template <int Axis>
Does reduce_scatter_of(int rows) {
  return {[=](const Group<Cpu>& group) { static_cast<void>(reduce_scatter<Axis>(partial(group, {rows, 5}), {"a.cpp", 4})); },
          "reduce_scatter<" + std::to_string(Axis) + "> of Partial<sum> float32 (" + std::to_string(rows) + ", 5) at a.cpp:4"};
}
Does all_gather_of(int rows, int columns = 5) {
  return {[=](const Group<Cpu>& group) { static_cast<void>(all_gather(sharded<0>(group, {rows, columns}), {"a.cpp", 5})); },
          "all_gather of Sharded<0> float32 (" + std::to_string(rows) + ", " + std::to_string(columns) + ") at a.cpp:5"};
}
Does reshard_of(int rows) {
  return {[=](const Group<Cpu>& group) { static_cast<void>(reshard<1>(sharded<0>(group, {rows, 5}), {"a.cpp", 6})); },
          "reshard<1> of Sharded<0> float32 (" + std::to_string(rows) + ", 5) at a.cpp:6"};
}
Does gather_of(int rows, int root) {
  return {[=](const Group<Cpu>& group) { static_cast<void>(group.gather(sharded<0>(group, {rows, 5}), Rank{root}, {"a.cpp", 7})); },
          "gather to rank " + std::to_string(root) + " of Sharded<0> float32 (" + std::to_string(rows) + ", 5) at a.cpp:7"};
}
Does stated(int count) {
  return {[=](const Group<Cpu>& group) { static_cast<void>(group.as<Partial<>>(ones<float>(Shape{count}), {"a.cpp", 8})); },
          "as<Partial<sum>> of float32 (" + std::to_string(count) + ",) at a.cpp:8"};
}
Does split_of() {
  return {[](const Group<Cpu>& group) { static_cast<void>(group.split(0, {"a.cpp", 9})); }, "split at a.cpp:9"};
}
Does sum_beside(int count) {
  return {[=](const Group<Cpu>& group) {
            static_cast<void>(group.all_reduce_async(partial(group, {count}), {"a.cpp", 10}).wait());
          },
          "all_reduce of Partial<sum> float32 (" + std::to_string(count) + ",) at a.cpp:10"};
}
Does piece_beside(int rows) {
  return {[=](const Group<Cpu>& group) {
            static_cast<void>(group.reduce_scatter_async<0>(partial(group, {rows, 5}), {"a.cpp", 11}).wait());
          },
          "reduce_scatter<0> of Partial<sum> float32 (" + std::to_string(rows) + ", 5) at a.cpp:11"};
}
Does whole_beside(int rows) {
  return {[=](const Group<Cpu>& group) {
            static_cast<void>(group.all_gather_async(sharded<0>(group, {rows, 5}), {"a.cpp", 12}).wait());
          },
          "all_gather of Sharded<0> float32 (" + std::to_string(rows) + ", 5) at a.cpp:12"};
}
Does reshard_beside(int rows) {
  return {[=](const Group<Cpu>& group) {
            static_cast<void>(group.reshard_async<1>(sharded<0>(group, {rows, 5}), {"a.cpp", 13}).wait());
          },
          "reshard<1> of Sharded<0> float32 (" + std::to_string(rows) + ", 5) at a.cpp:13"};
}
/// The gradients of a weight of so many elements, which is made of no collective.
Does gradients_of(int count) {
  return {[=](const Group<Cpu>& group) {
            const SpreadVariable<float, Replicated, Ranks<Cpu>> weight(partial<Replicated>(group, {count}));
            static_cast<void>(all_reduce(backward(sum(weight * weight)), {}, {"a.cpp", 14}));
          },
          "all_reduce of Partial<sum> float32 (" + std::to_string(count) + ",) at a.cpp:14"};
}

/// Rows of one kind, of one element type or shape or root; then of two kinds.
std::vector<Difference> differences() {
  return {
      {replicate<float>(4), replicate<float>(5)},
      {replicate<float>(4), replicate<std::int32_t>(4)},
      {replicate<float>(4), replicate<float>(4, 1)},
      {replicate<float>(4), replicate<float>(100'000)},  // what goes with the comparison, and what goes behind it
      {replicate<float>(100'000), replicate<float>(50'000)},
      {all_reduce_of(4), all_reduce_of(5)},
      {all_reduce_of(4), all_reduce_of(0)},
      {all_reduce_of(100'000), all_reduce_of(4)},
      {all_reduce_of(4), largest_of(4)},
      {reduce_scatter_of<0>(7), reduce_scatter_of<0>(6)},
      {reduce_scatter_of<0>(7), reduce_scatter_of<1>(7)},
      {all_gather_of(7), all_gather_of(6)},  // the last batch is shorter
      {all_gather_of(7), all_gather_of(7, 6)},
      {all_gather_of(7), all_gather_of(20'000)},
      {reshard_of(7), reshard_of(6)},
      {gather_of(7, 0), gather_of(6, 0)},
      {gather_of(7, 0), gather_of(7, 1)},
      {sum_beside(4), sum_beside(5)},
      {piece_beside(7), piece_beside(6)},
      {whole_beside(7), whole_beside(6)},
      {reshard_beside(7), reshard_beside(6)},
      {gradients_of(4), gradients_of(5)},
      // Where rank 1 leaves out a call, it is in the one behind.
      {all_reduce_of(4), all_gather_of(7)},
      {all_reduce_of(100'000), all_gather_of(20'000)},
      {barrier(), replicate<float>(100'000)},
      {reduce_scatter_of<0>(7), barrier()},
      {gather_of(7, 0), reshard_of(7)},
      {stated(4), all_reduce_of(4)},
      {split_of(), stated(4)},
      {sum_beside(4), gradients_of(4)},
      {whole_beside(7), barrier()},
  };
}

std::string error_of(const Does& does, const Group<Cpu>& group) {
  try {
    does.call(group);
  } catch (const CollectiveMismatch& error) {
    return error.what();
  }
  return "no CollectiveMismatch";
}

/// All differences, with the first collective of this number; by one message of each to each, or in steps.
void mismatches(std::int64_t first, bool in_steps) {
  const auto said = threads_as_ranks::run(3, [&](const OneOfThem& state) {
    state->job->meet_at_once = in_steps ? 1 : 32;
    const Group<Cpu> group(state);
    for (const Difference& difference : differences()) {
      state->number = first - 1;
      const std::string text = error_of(group.rank() == Rank{1} ? difference.rank_1 : difference.others, group);
      CAPTURE(text);
      CHECK(text.find("collective " + std::to_string(first) + " of 3 ranks") != std::string::npos);
      for (const int rank : {0, 1, 2}) {
        const std::string& called = (rank == 1 ? difference.rank_1 : difference.others).text;
        CAPTURE(called);
        CHECK(text.find("\n  rank " + std::to_string(rank) + ": " + called) != std::string::npos);
      }
      static_cast<void>(state->job->queue.take_failure());
      // All are at the same place, and nothing is left of what they began.
      // That of rank 0 alone is too much to go with the comparison.
      CHECK(group.gather(sharded<0>(group, {4, 600}), Rank{1}).has_value() == (group.rank() == Rank{1}));
      for (const int count : {3, 1500, 5000}) CHECK(local(all_reduce(partial(group, {count})))(count - 1) == 3);
    }
  });
  for (const std::string& text : said) CHECK(text == "");
}

}  // namespace

TEST_CASE("the first collectives that differ are an error on all ranks, which names what each called") { mismatches(1, false); }
TEST_CASE("the 101st collectives that differ are one, too") { mismatches(101, false); }
TEST_CASE("and so are the 10,000th, among ranks that are compared in steps") { mismatches(10'000, true); }

TEST_CASE("more or fewer bytes than expected in the same collective are an error, and no memory is written") {
  const auto said = threads_as_ranks::run(2, [](const OneOfThem& state) {
    const auto own = static_cast<std::size_t>(state->rank());
    world::run(*state, world::Call("exchange", {}, {}, Shape{}), [&](world::Collective& collective) {
      // Each rank expects of all as many as it sends.
      const std::vector<std::uint64_t> mine(1 + own);
      std::vector<std::uint64_t> all(2 * (1 + own), 7);
      const std::vector<world::Part> parts = world::equal_parts(2, mine.size() * sizeof(std::uint64_t));
      collective.all_gather(std::as_bytes(std::span(mine)), reinterpret_cast<std::byte*>(all.data()), parts);
    });
  });
  CHECK(said[0].find("number 1 of the group sent 16 bytes where 8 were expected") != std::string::npos);
  CHECK(said[1].find("number 0 of the group sent 8 bytes where 16 were expected") != std::string::npos);
}

TEST_CASE("waiting is counted in time, however long each turn takes") {
  world::BackOff back_off;
  int turns = 0;
  for (; !back_off.slow(); ++turns) {
    std::this_thread::sleep_for(std::chrono::milliseconds(2));  // as where others compute
    back_off.pause();
  }
  CHECK(turns < 20);
  CHECK(back_off.waited() >= std::chrono::milliseconds(16));
}

TEST_CASE("a rank that came late says that it waits to one that has waited for long") {
  const auto said = threads_as_ranks::run(2, [](const OneOfThem& state) {
    world::JobState& job = *state->job;
    job.deadline = std::chrono::hours(1);
    if (state->rank() == 0) {
      // As rank 0 does after half of its time, in the next collective.
      job.tell(world::Word::waiting, {{state->id, state->number + 1}}, state->ranks);
      CHECK(comes_true([&] {
        job.read_notices();
        const std::lock_guard lock(job.mutex);
        return job.waiting[1] && job.waiting[1]->second == state->number + 1;
      }));
    }
    Group<Cpu>(state).barrier({"a.cpp", 1});
  });
  for (const std::string& text : said) CHECK(text == "");
}

TEST_CASE("the collective in which a job starts has the deadline of the environment, not the default") {
  const pid_t child = fork();
  if (child == 0) {
    alarm(60);  // the default is 600 s
    setenv("SITU_COLLECTIVE_TIMEOUT", "0.2", 1);
    try {
      static_cast<void>(world::start(std::make_unique<threads_as_ranks::ThreadJob>(
          std::make_shared<threads_as_ranks::Everything>(2), 0)));  // rank 1 never comes
    } catch (const situ::CollectiveError& error) {
      std::_Exit(std::string(error.what()).find("not over after 0.2 s") != std::string::npos ? 7 : 8);
    }
    std::_Exit(9);
  }
  int status = 0;
  REQUIRE(waitpid(child, &status, 0) == child);
  CHECK(WIFEXITED(status));
  CHECK(WEXITSTATUS(status) == 7);
}
