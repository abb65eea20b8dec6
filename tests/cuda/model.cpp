// SPDX-License-Identifier: Apache-2.0
// Programs drawn at random, against a sequential model: whatever a program does on several streams, devices and threads
// by the public interface, its tensors hold what the same steps in order give. Emulated, each runs in the least
// convenient order of operations that CUDA allows, or in one drawn from the program's seed.
//
//     SITU_MODEL_SEED=17      runs that program alone and prints it, step by step
//     SITU_MODEL_PROGRAMS=n   runs n programs instead of as many as take a few seconds
// labels: threads
#include <doctest/doctest.h>

#include <array>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <exception>
#include <mutex>
#include <string>
#include <thread>
#include <vector>

#include <situ/situ.hpp>

#include "model_run.hpp"

namespace {

using model::Exchange;
using model::Program;
using model::Run;

std::uint64_t number_from(const char* variable, std::uint64_t otherwise) {
  const char* const text = std::getenv(variable);
  return text == nullptr ? otherwise : std::strtoull(text, nullptr, 10);
}

#if defined(SITU_CUDA_EMULATED)
/// The program that runs, for when a sanitizer ends the process.
std::uint64_t running_seed = 0;
constexpr bool few = situ::internal::cuda::emulated::under_thread_sanitizer;  // one thread's programs show it nothing

void name_seed_at_death() {
#if defined(SANITIZER_COMMON_INTERFACE_DEFS_H)
  if constexpr (situ::internal::cuda::emulated::under_address_sanitizer ||
                situ::internal::cuda::emulated::under_thread_sanitizer)
    __sanitizer_set_death_callback(
        [] { std::fprintf(stderr, "SITU_MODEL_SEED=%llu\n", static_cast<unsigned long long>(running_seed)); });
#endif
}

/// Gives each program an order of its own when this process has random ones, and peer access or none.
class Orders {
 public:
  Orders() : order_(machine().order), seed_(machine().seed) {}
  Orders(const Orders&) = delete;
  Orders& operator=(const Orders&) = delete;
  ~Orders() {
    begin(0);
    situ::internal::cuda::emulated::set_order(order_, seed_ / 2);
  }
  void begin(std::uint64_t seed) const {
    running_seed = seed;
    situ::internal::cuda::emulated::set_order(order_, seed);
    const bool peers = seed % 2 == 0;  // else copies between the GPUs go by way of the host
    allow(0, 1, peers);
    allow(1, 0, peers);
  }

 private:
  static void allow(int reader, int owner, bool can) {
    situ::internal::cuda::emulated::set_peer_access(reader, owner, can);
    situ::internal::cuda::DeviceState& device = situ::internal::cuda::device_state(owner);
    const std::lock_guard lock(device.mutex);
    device.peers[static_cast<std::size_t>(reader)] = 0;  // to be asked again
  }

  static situ::internal::cuda::emulated::Machine& machine() { return situ::internal::cuda::emulated::machine(); }
  situ::internal::cuda::emulated::Order order_;
  std::uint64_t seed_;
};
#else
constexpr bool few = false;
void name_seed_at_death() {}

struct Orders {
  void begin(std::uint64_t) const {}
};
#endif

/// Nothing pending and nothing cached, so that a program does the same whatever ran before it.
void clean() {
  situ::synchronize<model::Cuda<0>>();
  situ::synchronize<model::Cuda<1>>();
  situ::empty_cache<model::Cuda<0>>();
  situ::empty_cache<model::Cuda<1>>();
  situ::empty_cache<model::Pinned>();
}

/// What is wrong after some step; empty when nothing is.
std::string wrong_with(const Program& program, std::uint64_t seed, const Orders& orders, bool print = false) {
  clean();
  orders.begin(seed);
  Exchange exchange;
  Run run(exchange, program);
  std::size_t done = 0;
  try {
    for (const model::Step& step : program) {
      if (print) std::fprintf(stderr, "%s\n", to_string(step).c_str());
      run.step(step);
      ++done;
    }
    run.check_all(seed);
  } catch (const std::exception& error) {
    return "after step " + std::to_string(done) + ": " + error.what();
  }
  return {};
}

/// The program without all steps that its failure does not need.
Program shrunk(Program program, std::uint64_t seed, const Orders& orders) {
  for (std::size_t length = program.size(); length > 0;) {
    bool shorter = false;
    for (std::size_t at = 0; at + length <= program.size();) {
      Program rest = program;
      const auto first = rest.begin() + static_cast<std::ptrdiff_t>(at);
      rest.erase(first, first + static_cast<std::ptrdiff_t>(length));
      if (wrong_with(rest, seed, orders).empty()) {
        ++at;
      } else {
        program = rest;
        shorter = true;
      }
    }
    if (!shorter || length > 1) length = length > 1 ? length / 2 : 0;
  }
  return program;
}

void run_programs(std::uint64_t count, bool with_failures) {
  const Orders orders;
  name_seed_at_death();
  const bool one = std::getenv("SITU_MODEL_SEED") != nullptr;
  const std::uint64_t first = number_from("SITU_MODEL_SEED", 1);
  const std::uint64_t last = one ? first : number_from("SITU_MODEL_PROGRAMS", count);
  for (std::uint64_t seed = first; seed <= last; ++seed) {
    INFO("SITU_MODEL_SEED=", seed);
    const Program program = model::random_program(seed, with_failures);
    const std::string wrong = wrong_with(program, seed, orders, one);
    if (wrong.empty()) continue;
    const Program least = shrunk(program, seed, orders);
    FAIL("SITU_MODEL_SEED=", seed, " fails ", wrong, "\nThe shortest part of it that fails, ",
         wrong_with(least, seed, orders), "\n", to_string(least));
  }
  clean();
}

}  // namespace

TEST_CASE("model: programs on several streams and devices give what the same steps in order give") {
  run_programs(few ? 500 : 5000, /*with_failures=*/false);
}

#if defined(SITU_CUDA_EMULATED)
TEST_CASE("model: a step that fails because memory or a call of CUDA does changes nothing") {
  run_programs(few ? 100 : 800, /*with_failures=*/true);
}
#endif

TEST_CASE("model: threads run programs at once, exchange tensors and share streams") {
  const Orders orders;
  constexpr std::uint64_t threads = 4;
  const std::uint64_t programs = number_from("SITU_MODEL_PROGRAMS", 800);
  for (std::uint64_t round = 0; round < 4; ++round) {
    clean();
    orders.begin(round);
    Exchange exchange;
    exchange.make_constants();
    std::array<std::string, threads> wrong{};
    std::vector<std::thread> running;
    for (std::uint64_t thread = 0; thread < threads; ++thread) {
      running.emplace_back([&, thread] {
        for (std::uint64_t i = 0; i < programs / 4 / threads && wrong[thread].empty(); ++i) {
          const std::uint64_t seed = 1000003 * (threads * round + thread + 1) + i;
          try {
            const Program program = model::random_program(seed);
            Run run(exchange, program);
            for (const model::Step& step : program) run.step(step);
            run.check_all(seed);
          } catch (const std::exception& error) {
            wrong[thread] = "the program of seed " + std::to_string(seed) + ": " + error.what();
          }
        }
      });
    }
    for (std::thread& thread : running) thread.join();
    for (const std::string& what : wrong) REQUIRE(what == "");
    exchange.check();
  }
  clean();
}
