// SPDX-License-Identifier: Apache-2.0
// The rows of the CPU benchmark. Each peer, in a file of its own, registers what it can do under the same row names, so
// that one run measures all of them, interleaved.
#pragma once

#include <benchmark/benchmark.h>

#include <cstdint>
#include <cstdlib>
#include <functional>
#include <string>
#include <utility>
#include <vector>

namespace rows {

/// Threads that every peer may use; set before registration.
inline int threads = 1;

/// Registers `row` for `peer`. `make` prepares the operands and gives the function to time, when the row is run: so only
/// one row's memory is alive at a time.
inline void add(const std::string& row, const std::string& peer, std::function<std::function<void()>()> make) {
  benchmark::RegisterBenchmark((row + "|" + peer).c_str(), [make = std::move(make)](benchmark::State& state) {
    const std::function<void()> work = make();
    work();  // warm caches, pools and thread pools
    for (auto _ : state) work();
  })->UseRealTime()->Unit(benchmark::kMicrosecond);
}

/// Numbers that look random, the same for every peer. A linear congruence (Numerical Recipes): operands are made anew for
/// each repetition, and a better generator would take longer than the rows.
inline std::vector<float> random(std::int64_t count, unsigned seed, float low = -2.0f, float high = 2.0f) {
  std::uint32_t state = seed * 2654435761u + 1;
  std::vector<float> values(static_cast<std::size_t>(count));
  for (float& value : values) {
    state = state * 1664525u + 1013904223u;
    value = low + (high - low) * static_cast<float>(state >> 8) * 0x1p-24f;
  }
  return values;
}

inline constexpr std::int64_t small = 64;
inline constexpr std::int64_t medium = 100000;
inline constexpr std::int64_t large = 16000000;
inline constexpr std::int64_t side = 4000;
inline constexpr std::int64_t transposed_side = 4096;
inline constexpr std::int64_t products[] = {64, 100, 128, 256, 512, 1024, 2048};
inline constexpr std::int64_t batch_count = 1000;
inline constexpr std::int64_t batch_side = 100;
inline constexpr std::int64_t inputs = 784, hidden = 256, classes = 10, batch = 64;

inline std::string sized(const std::string& row, std::int64_t n, const char* memory) {
  const std::string size = n == medium ? "1e5" : n == large ? "1.6e7" : std::to_string(n);
  return row + ", " + size + ", " + memory;
}

void add_situ();
void add_eigen();
void add_loop();
void add_blas();
void add_libtorch();
void add_situ_learning();
void add_libtorch_learning();
void add_situ_convolutions();
void add_libtorch_convolutions();

}  // namespace rows
