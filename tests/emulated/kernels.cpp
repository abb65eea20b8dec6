// SPDX-License-Identifier: Apache-2.0
// Kernels on fibers: indices, barriers, warps, atomics, shared memory, in order and in orders drawn from a seed.
#include <algorithm>
#include <cmath>
#include <cstdint>
#include <numeric>
#include <stdexcept>

#include "machine.hpp"

namespace {
using namespace emulated_tests;

/// Writes where each thread is.
struct Indices {
  static constexpr int threads = 48;
  static constexpr const char* name = "indices";
  std::int64_t* out;
  void operator()() const {
    const std::int64_t block = kernel::block_y() * kernel::blocks() + kernel::block();
    out[block * threads + kernel::thread()] =
        block * 1000 + kernel::thread() + (kernel::threads() == threads && kernel::blocks_y() == 2 ? 0 : 1000000);
  }
};

/// The sum of 256 elements a block, by shuffles within warps and shared memory between them.
struct BlockSum {
  static constexpr int threads = 256;
  static constexpr const char* name = "block_sum";
  const float* x;
  float* out;
  void operator()() const {
    struct Parts {
      float of_warp[threads / kernel::warp_size];
    };
    auto& parts = kernel::block_shared<Parts>();
    float sum = x[kernel::block() * threads + kernel::thread()];
    for (int d = 16; d > 0; d /= 2) sum += kernel::shuffle_down(sum, d);
    if (kernel::thread() % kernel::warp_size == 0) parts.of_warp[kernel::thread() / kernel::warp_size] = sum;
    kernel::barrier();
    sum = kernel::thread() < threads / kernel::warp_size ? parts.of_warp[kernel::thread()] : 0.f;
    for (int d = 16; d > 0; d /= 2) sum += kernel::shuffle_down(sum, d);
    if (kernel::thread() == 0) out[kernel::block()] = sum;
  }
};

/// Many barriers, each thread reading what its neighbour wrote before; the tile is the launch's shared memory.
struct Rotate {
  static constexpr int threads = 96;
  static constexpr const char* name = "rotate";
  std::int32_t* out;
  int rounds;
  void operator()() const {
    auto* const tile = reinterpret_cast<std::int32_t*>(kernel::dynamic_shared());
    tile[kernel::thread()] = kernel::thread();
    kernel::barrier();
    for (int round = 0; round < rounds; ++round) {
      const std::int32_t next = tile[(kernel::thread() + 1) % threads];
      kernel::barrier();
      tile[kernel::thread()] = next;
      kernel::barrier();
    }
    out[kernel::thread()] = tile[kernel::thread()];
  }
};

struct Shuffles {
  static constexpr int threads = 64;
  static constexpr const char* name = "shuffles";
  std::int64_t* up;
  double* across;
  std::uint8_t* from_three;
  std::uint32_t* votes;
  std::int16_t* down;
  void operator()() const {
    const int t = kernel::thread();
    up[t] = kernel::shuffle_up(std::int64_t{t} << 40, 2);
    across[t] = kernel::shuffle_xor(t + 0.5, 5);
    from_three[t] = kernel::shuffle(static_cast<std::uint8_t>(t), 3);
    votes[t] = kernel::ballot(t % 3 == 0);
    down[t] = kernel::shuffle_down(static_cast<std::int16_t>(-t), 30);
  }
};

/// Only some warps use the warp functions, and their number of rounds differs.
struct UnevenWarps {
  static constexpr int threads = 128;
  static constexpr const char* name = "uneven_warps";
  int* out;
  void operator()() const {
    const int warp = kernel::thread() / kernel::warp_size;
    int value = kernel::thread();
    for (int i = 0; i < warp; ++i) value = kernel::shuffle_down(value, 1);
    out[kernel::thread()] = value;
  }
};

struct Atomics {
  static constexpr int threads = 64;
  static constexpr const char* name = "atomics";
  std::int64_t* sum;
  std::uint32_t* tickets;
  std::int32_t* largest;
  std::uint64_t* claimed;
  std::int32_t* last;
  int* last_count;
  void operator()() const {
    const auto i = static_cast<std::int32_t>(kernel::block() * threads + kernel::thread());
    kernel::atomic_add(sum, std::int64_t{-1});
    tickets[kernel::atomic_add(tickets, std::uint32_t{1}) + 1] += 1;
    kernel::atomic_max(largest, (i * 37) % 128);
    kernel::atomic_compare_exchange(claimed, std::uint64_t{0}, std::uint64_t(i) + 1);
    kernel::memory_fence();
    if (kernel::atomic_exchange(last, i) == -1) ++*last_count;
  }
};

struct Throws {
  static constexpr int threads = 32;
  static constexpr const char* name = "throws";
  void operator()() const {
    if (kernel::thread() == 7) throw std::runtime_error("no such case");
  }
};

/// Two types and one function of shared memory are three objects; what the block before wrote is gone.
struct SharedObjects {
  static constexpr int threads = 32;
  static constexpr const char* name = "shared_objects";
  struct One {
    float value[3];
  };
  struct Two {
    double value;
  };
  int* wrong;
  void operator()() const {
    auto& one = kernel::block_shared<One>();
    auto& two = kernel::block_shared<Two>();
    if (kernel::thread() == 0) {
      if (!std::isnan(one.value[2]) || !std::isnan(two.value)) kernel::atomic_add(wrong, 1);
      one.value[2] = 1;
      two.value = 2;
    }
    kernel::barrier();
    if (&kernel::block_shared<One>() != &one || kernel::block_shared<One>().value[2] != 1) kernel::atomic_add(wrong, 1);
    if (kernel::block_shared<Two>().value != 2) kernel::atomic_add(wrong, 1);
  }
};

/// Runs a kernel now, over host memory: a fresh block for each order of its threads.
template <class K>
std::string run_now(const K& kernel, std::int64_t blocks, std::uint64_t seed, int blocks_y = 1, std::size_t bytes = 0) {
  static emulated::Block block;
  emulated::Launch launch;
  launch.name = K::name;
  launch.threads = K::threads;
  launch.blocks = blocks;
  launch.blocks_y = blocks_y;
  launch.dynamic_bytes = bytes;
  launch.kernel = &kernel;
  launch.run_threads = &emulated::run_threads<K>;
  return block.run(launch, seed);
}

constexpr std::uint64_t seeds[] = {0, 1, 2, 99};

TEST_CASE("every thread of every block runs once, and knows where it is") {
  for (const std::uint64_t seed : seeds) {
    std::vector<std::int64_t> out(48 * 6, -1);
    REQUIRE(run_now(Indices{out.data()}, 3, seed, 2) == "");
    for (std::size_t i = 0; i < out.size(); ++i) CHECK(out[i] == static_cast<std::int64_t>(i / 48 * 1000 + i % 48));
  }
}

TEST_CASE("threads exchange values by shuffles and shared memory") {
  std::vector<float> x(1024);
  std::iota(x.begin(), x.end(), 0.f);
  for (const std::uint64_t seed : seeds) {
    std::vector<float> out(4);
    REQUIRE(run_now(BlockSum{x.data(), out.data()}, 4, seed) == "");
    for (std::size_t b = 0; b < 4; ++b) CHECK(out[b] == static_cast<float>(256 * 256 * b + 255 * 128));
  }
}

TEST_CASE("barriers order what threads write and read, many times over") {
  for (const std::uint64_t seed : seeds) {
    std::vector<std::int32_t> out(96);
    REQUIRE(run_now(Rotate{out.data(), 50}, 1, seed, 1, 96 * 4) == "");
    for (int t = 0; t < 96; ++t) CHECK(out[static_cast<std::size_t>(t)] == (t + 50) % 96);
  }
}

TEST_CASE("the shuffles and the ballot, for elements of each size") {
  for (const std::uint64_t seed : seeds) {
    std::vector<std::int64_t> up(64);
    std::vector<double> across(64);
    std::vector<std::uint8_t> three(64);
    std::vector<std::uint32_t> votes(64);
    std::vector<std::int16_t> down(64);
    REQUIRE(run_now(Shuffles{up.data(), across.data(), three.data(), votes.data(), down.data()}, 1, seed) == "");
    for (std::size_t t = 0; t < 64; ++t) {
      const std::size_t lane = t % 32, first = t - lane;
      CHECK(up[t] == static_cast<std::int64_t>(lane < 2 ? t : t - 2) << 40);
      CHECK(across[t] == static_cast<double>(first + (lane ^ 5)) + 0.5);
      CHECK(three[t] == first + 3);
      CHECK(down[t] == -static_cast<int>(lane < 2 ? t + 30 : t));
      for (std::size_t i = 0; i < 32; ++i) CHECK((votes[t] >> i & 1) == ((first + i) % 3 == 0 ? 1u : 0u));
    }
  }
}

TEST_CASE("warps do not wait for each other") {
  for (const std::uint64_t seed : seeds) {
    std::vector<int> out(128);
    REQUIRE(run_now(UnevenWarps{out.data()}, 1, seed) == "");
    for (int t = 0; t < 128; ++t) CHECK(out[static_cast<std::size_t>(t)] == std::min(t + t / 32, t / 32 * 32 + 31));
  }
}

TEST_CASE("atomics give the value before") {
  for (const std::uint64_t seed : seeds) {
    std::int64_t sum = 5;
    std::vector<std::uint32_t> tickets(129, 0);
    std::int32_t largest = -3, last = -1;
    std::uint64_t claimed = 0;
    int last_count = 0;
    REQUIRE(run_now(Atomics{&sum, tickets.data(), &largest, &claimed, &last, &last_count}, 2, seed) == "");
    CHECK(sum == 5 - 128);
    CHECK(tickets[0] == 128);
    CHECK(std::all_of(tickets.begin() + 1, tickets.end(), [](std::uint32_t n) { return n == 1; }));
    CHECK(largest == 127);
    CHECK((claimed >= 1 && claimed <= 128));
    CHECK((seed != 0 || claimed == 1));
    CHECK(last_count == 1);
  }
}

TEST_CASE("shared memory holds nothing when a block begins") {
  for (const std::uint64_t seed : seeds) {
    int wrong = 0;
    REQUIRE(run_now(SharedObjects{&wrong}, 3, seed) == "");
    CHECK(wrong == 0);
  }
}

/// Each block writes when it ran.
struct Turns {
  static constexpr int threads = 1;
  static constexpr const char* name = "turns";
  std::int64_t* turn;
  std::int64_t* next;
  void operator()() const {
    turn[kernel::block_y() * kernel::blocks() + kernel::block()] = kernel::atomic_add(next, std::int64_t{1});
  }
};

TEST_CASE("blocks run in order, or each once in a drawn order") {
  bool another_order = false;
  for (const std::uint64_t seed : seeds) {
    for (const int rows : {1, 2, 5}) {
      std::vector<std::int64_t> turn(static_cast<std::size_t>(12 * rows), -1);
      std::int64_t next = 0;
      REQUIRE(run_now(Turns{turn.data(), &next}, 12, seed, rows) == "");
      CHECK(next == 12 * rows);
      const bool in_order = std::is_sorted(turn.begin(), turn.end());
      CHECK((in_order || seed != 0));
      another_order = another_order || !in_order;
      std::sort(turn.begin(), turn.end());
      for (std::size_t i = 0; i < turn.size(); ++i) CHECK(turn[i] == static_cast<std::int64_t>(i));
    }
  }
  CHECK(another_order);
}

TEST_CASE("an exception of a kernel is its error") {
  CHECK(contains(run_now(Throws{}, 1, 0), "kernel 'throws', block 0, thread 7 threw: no such case"));
}

TEST_CASE("a kernel without barriers takes one fiber") {
  if constexpr (!emulated::under_thread_sanitizer) {
    emulated::Block block;
    std::vector<std::int64_t> out(48 * 6, -1);
    const Indices kernel{out.data()};
    const emulated::Launch launch{"indices", 0, 48, 48, 3, 2, 0, false, &kernel, &emulated::run_threads<Indices>};
    REQUIRE(block.run(launch, 0) == "");
    CHECK(block.fibers() == 1);
  }
}

}  // namespace
