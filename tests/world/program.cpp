// SPDX-License-Identifier: Apache-2.0
// A rank of the tests that run.py starts by each MPI's launcher; the first argument says what it does. Rank 1 is the one
// that does wrong.
#include <sys/wait.h>
#include <unistd.h>

#include <chrono>
#include <csignal>
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <exception>
#include <memory>
#include <stdexcept>
#include <string>
#include <thread>
#include <tuple>
#include <utility>
#include <vector>

#include <situ/world.hpp>

#include "nccl_stand_in.hpp"
#include "suite.hpp"

namespace {

using namespace situ;
using suite::expect;

void groups(World& world) {
  const Group all = world.on(cpu);
  expect(all.size() == world.size() && all.rank() == world.rank(), "the group of all");
  expect(world.local_rank() == world.rank().number, "all ranks are on this machine");
  const Group part = all.split(all.rank().number % 2);
  expect(part.rank() == Rank{all.rank().number / 2}, "numbers in a part");
  part.barrier();
  const auto only = world.only(Rank{0}, [] { return 7; });
  expect(only.has_value() == (world.rank() == Rank{0}), "work for one rank");
}

// [ranks]
/// The mean of each column, by all ranks: each takes its rows.
Tensor<float> means(const World& world, const Tensor<float>& table) {
  const Group group = world.on(cpu);                        // Group<Cpu>
  const Spread rows = group.shard<0>(table);                // Spread<float, Sharded<0>, Ranks<Cpu>>
  const Spread terms = sum<0>(rows);                        // Spread<float, Partial<>, Ranks<Cpu>>
  const Spread total = all_reduce(terms);                   // Spread<float, Replicated, Ranks<Cpu>>
  world.only(Rank{0}, [&] { print(local(total)); });
  return local(total) / static_cast<float>(table.shape()[0]);
}
// [ranks-end]

/// GPUs are added over by NCCL, and the sums are in order with all else of the GPU.
void sums_by_nccl(World& world) {
  situ::internal::cuda::detail::emulated_nccl = &nccl_stand_in::table;
  const Group group = world.on(gpu<0>).split(0);  // one that has not found out yet that there is no NCCL
  const Group part = group.split(group.rank().number % 2);
  for (const Group<Cuda<0>>& own : {group, part}) {
    const int before = nccl_stand_in::sums;
    Tensor<float, Cuda<0>> mine = full<float>({5000}, group.rank().number + 1, gpu<0>);
    mine += 1;
    Pending later = own.all_reduce_async(own.as<Partial<>>(mine));
    mine *= 100;  // what is added are the elements of before
    const Spread sum = std::move(later).wait();
    const Spread twice = all_reduce(own.as<Partial<>>(local(sum) * 2));
    float wanted = 0;
    for (int rank = 0; rank < group.size(); ++rank) {
      if (own == group || rank % 2 == group.rank().number % 2) wanted += static_cast<float>(rank + 2);
    }
    suite::expect_bits(local(sum), full<float>({5000}, wanted), "the sum");
    suite::expect_bits(local(twice), full<float>({5000}, wanted * 2 * static_cast<float>(own.size())), "the sum of sums");
    expect(own.size() == 1 || nccl_stand_in::sums == before + 2, "by NCCL");
    // What is no sum on all of them goes by the host, in order with what NCCL does.
    suite::moves<float>(own, {5, 3});
    const Spread piece = own.reduce_scatter<0>(own.as<Partial<>>(local(sum)));
    const Tensor<float> whole = full<float>({5000}, wanted * static_cast<float>(own.size()));
    suite::expect_bits(local(piece), local(own.shard<0>(whole)), "the pieces of a sum");
    expect(own.size() == 1 || nccl_stand_in::sums == before + 2, "by the host");
    // What does not fit is seen by the hosts, before NCCL is called.
    if (own.size() == 1) continue;
    bool told = false;
    try {
      static_cast<void>(all_reduce(own.as<Partial<>>(zeros<float>({4}, gpu<0>))));
      const bool wrong = own.rank() == Rank{1};
      const Shape shape{wrong ? 4000 : 5000};
      static_cast<void>(all_reduce(Spread<float, Partial<>, Ranks<Cuda<0>>>(
          own.mesh(), shape, std::tuple(zeros<float>(shape, gpu<0>)))));
    } catch (const CollectiveMismatch& error) {
      const std::string text = error.what();
      told = text.find("float32 (4000,)") != std::string::npos && text.find("float32 (5000,)") != std::string::npos;
    }
    expect(told && nccl_stand_in::sums == before + 3, "sums by NCCL that differ");
    suite::expect_bits(local(all_reduce(own.as<Partial<>>(full<float>({3}, 1.f, gpu<0>)))),
                       full<float>({3}, static_cast<float>(own.size())), "a sum by NCCL after that");
  }
}

/// Collectives that fit.
void right(World& world, int count) {
  for (int i = 0; i < count; ++i) world.barrier();
}

/// What differs is told on all ranks, by the names of both calls; be it the first collective of a group or the 1,000th.
void mismatches(World& world) {
  const bool wrong = world.rank() == Rank{1};
  const auto expect_mismatch = [&](const std::string& of_0, const std::string& of_1, const auto& call) {
    if (world.size() == 1) return;
    std::string text;
    try {
      call();
    } catch (const CollectiveMismatch& error) {
      text = error.what();
    }
    expect(text.find("rank 0: " + of_0) != std::string::npos && text.find("rank 1: " + of_1) != std::string::npos,
           of_0 + ", and " + of_1 + ", found " + text);
  };
  for (const int before : {0, 100, 999}) {
    const Group group = world.on(cpu).split(0);
    for (int i = 0; i < before; ++i) group.barrier();
    expect_mismatch("replicate from rank 0 of float32 (4,)", "replicate from rank 0 of float32 (5,)",
                    [&] { static_cast<void>(group.replicate(ones<float>(Shape{wrong ? 5 : 4}))); });
    expect_mismatch("replicate from rank 0 of float32 (400000,)", "replicate from rank 0 of float32 (1000,)",
                    [&] { static_cast<void>(group.replicate(ones<float>(Shape{wrong ? 1000 : 400'000}))); });
    expect_mismatch("replicate from rank 0 of float32 (4,)", "replicate from rank 0 of int32 (4,)", [&] {
      if (wrong) static_cast<void>(group.replicate(ones<std::int32_t>({4})));
      else static_cast<void>(group.replicate(ones<float>({4})));
    });
    expect_mismatch("replicate from rank 0 of float32 (4,)", "replicate from rank 1 of float32 (4,)",
                    [&] { static_cast<void>(group.replicate(ones<float>({4}), Rank{wrong ? 1 : 0})); });
    const Spread term = group.as<Partial<>>(ones<float>({30'000}));
    const Spread rows = group.shard<0>(ones<float>({7, 1000}));
    expect_mismatch("all_reduce of Partial<sum> float32 (30000,)", "all_gather of Sharded<0> float32 (7, 1000)", [&] {
      if (wrong) static_cast<void>(group.all_gather_async(rows).wait());
      else static_cast<void>(group.all_reduce_async(term).wait());
    });
    // Whoever leaves one out is in the next.
    expect_mismatch("all_gather of Sharded<0> float32 (7, 1000)", "all_reduce of Partial<sum> float32 (30000,)", [&] {
      if (!wrong) static_cast<void>(all_gather(rows));
      static_cast<void>(all_reduce(term));
    });
    expect(local(all_reduce(term))(29'999) == static_cast<float>(group.size()), "a sum after all that");
  }
}

/// What MPI says of a request is an exception, as what it says at once: here of a message that is too long.
void errors_of_requests(World& world) {
  namespace of_world = situ::internal::world;
  if (world.size() != 2) return;
  const Group group = world.on(cpu).split(0);
  const bool longer = group.rank() == Rank{0};
  const auto bytes = std::make_shared<std::vector<std::byte>>(longer ? 16 : 8);
  const auto transfer =
      std::make_shared<std::unique_ptr<of_world::Transfer>>(group.mesh().group()->communicator().broadcast(*bytes, 0));
  of_world::abandon(std::make_shared<std::tuple<Group<Cpu>, decltype(bytes), decltype(transfer)>>(group, bytes, transfer));
  std::string text;
  try {
    while (!(*transfer)->over()) std::this_thread::yield();
  } catch (const CollectiveError& error) {
    text = error.what();
  }
  expect(longer || text.find("failed: ") != std::string::npos, "an error of MPI, found " + text);
}

/// A child of fork whose exception leaves the scope of the World ends alone; its parent's job goes on.
void child_of_fork(World& world) {
  const pid_t child = fork();
  if (child == 0) {
    try {
      const World mine = std::move(world);
      throw std::runtime_error("mine");
    } catch (const std::exception&) {
      std::_Exit(7);
    }
  }
  int status = 0;
  expect(waitpid(child, &status, 0) == child && WIFEXITED(status) && WEXITSTATUS(status) == 7, "a child of fork ends");
  world.barrier();
}

int fault(World& world, const std::string& kind) {
  const bool wrong = world.rank() == Rank{1};
  expect(world.deadline().count() == 1234, "the time that run.py gives");
  right(world, 3);
  const Group all = world.on(cpu);
  const Spread sharded = all.shard<0>(ones<float>({6}));
  const Spread term = all.as<Partial<>>(ones<float>({4}));
  if (kind == "operation") {
    if (wrong) static_cast<void>(all_gather(sharded));
    else static_cast<void>(all_reduce(term));
  } else if (kind == "extents") {
    static_cast<void>(all.replicate(ones<float>(Shape{wrong ? 5 : 4})));
  } else if (kind == "order") {
    if (wrong) static_cast<void>(all.all_gather(sharded));
    static_cast<void>(all.all_reduce(term));
    if (!wrong) static_cast<void>(all.all_gather(sharded));
  } else if (kind == "last-batch") {  // that of rank 1 is shorter
    for (int step = 0; step < 150; ++step)
      static_cast<void>(all_gather(all.shard<0>(ones<float>(Shape{wrong && step == 149 ? 5 : 6, 2}))));
  } else if (kind == "missing") {
    for (int step = 0; step < 150; ++step) {
      static_cast<void>(all_reduce(term));
      if (!wrong || step < 149) static_cast<void>(all_gather(sharded));
    }
  } else if (kind == "throw") {
    if (wrong) throw std::runtime_error("mine");
  } else if (kind == "unwind") {
    // As where `main` has a try block around everything: the exception is caught, but its way leads out of the World.
    if (wrong) {
      try {
        const World mine = std::move(world);
        throw std::runtime_error("mine");
      } catch (const std::exception&) {
        std::puts("never reached");
      }
    }
  } else if (kind == "early") {
    if (wrong) return 0;
  } else if (kind == "early-late") {
    right(world, 100);
    if (wrong) return 0;
  } else if (kind == "kill") {
    if (wrong) std::raise(SIGKILL);
  } else if (kind == "sleep") {
    world.set_deadline(std::chrono::seconds(2));
    while (wrong) std::this_thread::sleep_for(std::chrono::hours(1));
  } else {
    std::fprintf(stderr, "no such fault: %s\n", kind.c_str());
    return 2;
  }
  right(world, 1);
  std::puts("the end, as if nothing had been");
  return 0;
}

}  // namespace

int main(int argc, char** argv) {
  World world(argc, argv);
  const std::string what = argc > 1 ? argv[1] : "";
  if (what == "fault" && argc > 2) return fault(world, argv[2]);
  groups(world);
  if (what == "cpu") {
    const Tensor<float> table = reshape(arange<float>(40), {20, 2});
    suite::expect_bits(means(world, table), mean(table, 0), "the example");
    suite::collectives(world.on(cpu));
    suite::two_levels(world.on(cpu));
    mismatches(world);
    errors_of_requests(world);
    child_of_fork(world);
  } else {
    suite::collectives(world.on(gpu<0>));
    sums_by_nccl(world);
  }
  if (world.rank() == Rank{0}) std::printf("all is well among %d\n", world.size());
  return 0;
}
