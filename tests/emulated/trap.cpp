// SPDX-License-Identifier: Apache-2.0
// What must end the process, run in a child process: touching memory of a device that is closed. Also that the machine
// survives `fork` and the end of the process.
#include <sys/wait.h>
#include <unistd.h>

#include <csignal>
#include <cstdio>
#include <cstdlib>

#include "machine.hpp"

namespace {
using namespace emulated_tests;

struct Outcome {
  std::string said;
  bool ended_well = false;
};

/// Runs `body` in a child process, and gives what it wrote to stderr.
template <class Body>
Outcome in_child(Body&& body) {
  int ends[2];
  REQUIRE(pipe(ends) == 0);
  std::fflush(nullptr);  // lest the child writes it again
  const pid_t child = fork();
  REQUIRE(child >= 0);
  if (child == 0) {
    dup2(ends[1], STDERR_FILENO);
    close(ends[0]);
    close(ends[1]);
    std::signal(SIGSEGV, SIG_DFL);  // that of doctest reports a crash, which is none here
    emulated::detail::install_trap();
    body();
    std::_Exit(0);
  }
  close(ends[1]);
  Outcome outcome;
  char buffer[4096];
  for (ssize_t got = 0; (got = read(ends[0], buffer, sizeof buffer)) > 0;) {
    outcome.said.append(buffer, static_cast<std::size_t>(got));
  }
  close(ends[0]);
  int status = 0;
  REQUIRE(waitpid(child, &status, 0) == child);
  outcome.ended_well = WIFEXITED(status) && WEXITSTATUS(status) == 0;
  return outcome;
}

/// Needs more stack than a fiber has.
struct Deep {
  static constexpr int threads = 32;
  static constexpr const char* name = "deep";
  int* out;
  static int descend(int depth) {
    volatile char local[4096];
    local[depth % 4096] = static_cast<char>(depth);
    return depth == 0 ? 0 : descend(depth - 1) + local[depth % 4096];
  }
  void operator()() const {
    if (kernel::thread() == 9) *out = descend(1000);
  }
};

TEST_CASE("the host cannot touch device memory, before, between and after work of the device") {
  const FreshMachine fresh;
  const api::Stream stream = make_stream();
  const api::MemoryPool pool = make_pool();
  const DeviceArray<float> x(100, stream, pool);
  const float* const volatile place = x.get();
  const auto touch = [&] { std::_Exit(*place > 0 ? 1 : 0); };
  REQUIRE(api::stream_synchronize(stream) == api::success);
  Outcome outcome = in_child(touch);
  CHECK(!outcome.ended_well);
  CHECK(contains(outcome.said, "situ: the host touched memory of cuda:0 (emulated): use .to<Cpu>(), or launch_on for a kernel"));
  for (int i = 0; i < 2; ++i) REQUIRE(api::set_bytes(x.get(), 0, x.bytes(), stream) == api::success);
  REQUIRE(api::stream_query(stream) == api::not_ready);
  outcome = in_child(touch);
  CHECK(contains(outcome.said, "situ: the host touched memory of cuda:0 (emulated)"));
  REQUIRE(api::stream_synchronize(stream) == api::success);
  outcome = in_child(touch);
  CHECK(contains(outcome.said, "situ: the host touched memory of cuda:0 (emulated)"));
}

TEST_CASE("a kernel cannot touch memory of a device that it has no access to") {
  const FreshMachine fresh;
  emulated::set_peer_access(0, 1, false);  // takes back what pools of other tests have given
  emulated::set_peer_access(0, 1, true);
  const api::Stream stream = make_stream(0), other = make_stream(1);
  const api::MemoryPool pool = make_pool(1);
  const DeviceArray<float> x(100, other, pool);
  REQUIRE(api::stream_synchronize(other) == api::success);
  const auto work = [&] {
    static_cast<void>(emulated::launch_on(stream, Grid{}, Affine{x.get(), 100, 1.f, 0.f}));
    static_cast<void>(api::stream_synchronize(stream));
  };
  Outcome outcome = in_child(work);
  CHECK(!outcome.ended_well);
  CHECK(contains(outcome.said,
                 "situ: kernel 'affine', block 0, thread 0, on cuda:0 (emulated) touched memory of cuda:1 "
                 "(emulated) without peer access"));
  outcome = in_child([&] {
    static_cast<void>(emulated::enqueue(stream, "gemm", [&] { *x.get() = 1; }));
    static_cast<void>(api::stream_synchronize(stream));
  });
  CHECK(contains(outcome.said, "situ: operation 'gemm' of cuda:0 (emulated) touched memory of cuda:1 (emulated)"));
  outcome = in_child([&] {
    static_cast<void>(api::pool_allow_peer(pool, 0));
    work();
  });
  CHECK(outcome.ended_well);
}

TEST_CASE("a kernel that touches anything else is named too") {
  const FreshMachine fresh;
  const api::Stream stream = make_stream();
  const api::MemoryPool pool = make_pool();
  const DeviceArray<float> x(100, stream, pool);
  const auto run = [&](const auto& kernel) {
    return in_child([&] {
      static_cast<void>(emulated::launch_on(stream, Grid{}, kernel));
      static_cast<void>(api::stream_synchronize(stream));
    });
  };
  CHECK(contains(run(Affine{x.get() + (std::size_t{1} << 32), 100, 1.f, 0.f}).said,
                 "on cuda:0 (emulated) touched memory of cuda:0 (emulated) that is not allocated"));
  CHECK(contains(
      run(Affine{reinterpret_cast<float*>(64), 100, 1.f, 0.f}).said,
      "situ: kernel 'affine', block 0, thread 0, on cuda:0 (emulated) touched memory that "
      "belongs to no device: 0x40"));
  CHECK(contains(run(Deep{reinterpret_cast<int*>(x.get())}).said,
                 "situ: kernel 'deep', block 0, thread 9, on cuda:0 (emulated) used more stack than a fiber has"));
}

TEST_CASE("a child process goes on with what its parent has begun") {
  const FreshMachine fresh;
  const api::Stream stream = make_stream();
  const api::MemoryPool pool = make_pool();
  PinnedArray<float> host(100);
  const DeviceArray<float> x(100, stream, pool);
  REQUIRE(api::copy_to_device(x.get(), host.get(), x.bytes(), stream) == api::success);
  REQUIRE(emulated::launch_on(stream, Grid{}, Affine{x.get(), 100, 1.f, 5.f}) == api::success);
  REQUIRE(api::copy_to_host(host.get(), x.get(), x.bytes(), stream) == api::success);
  const Outcome outcome = in_child([&] {
    const bool right = api::stream_synchronize(stream) == api::success && host[99] == 5.f;
    std::_Exit(right ? 0 : 1);
  });
  CHECK(outcome.ended_well);
  CHECK(host[99] == 0.f);
  REQUIRE(api::stream_synchronize(stream) == api::success);
  CHECK(host[99] == 5.f);
}

/// Uses the machine when static objects are destroyed.
struct UsesAtExit {
  api::Stream stream = nullptr;
  ~UsesAtExit() {
    int ran = 0;
    static_cast<void>(emulated::enqueue(stream, "last", [&] { ran = 1; }));
    if (api::stream_synchronize(stream) != api::success || ran != 1) std::_Exit(3);
  }
};

TEST_CASE("static objects may use the machine to the very end") {
  const FreshMachine fresh;
  const Outcome outcome = in_child([] {
    static UsesAtExit user;
    user.stream = make_stream();
    std::exit(0);
  });
  CHECK(outcome.ended_well);
}

}  // namespace
