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

/// Extents of square matrices for linear algebra; the small ones come in batches.
inline constexpr std::int64_t systems[] = {3, 4, 8, 64, 512, 1024};
inline std::int64_t matrices(std::int64_t n) { return n < 64 ? 10000 : 1; }
inline std::string system_row(const std::string& operation, std::int64_t n) {
  return operation + ", " + std::to_string(n) + (matrices(n) > 1 ? ", batch 1e4" : "");
}
enum class Matrices { general, definite };
/// Their elements, row by row, with so much on the diagonal that no condition is large; the same for every peer.
inline std::vector<float> system(std::int64_t n, Matrices kind) {
  std::vector<float> a = random(matrices(n) * n * n, 7);
  for (std::int64_t first = 0; first < static_cast<std::int64_t>(a.size()); first += n * n) {
    float* const matrix = a.data() + first;
    for (std::int64_t i = 0; i < n; ++i) {
      matrix[i * n + i] += static_cast<float>(2 * n);
      for (std::int64_t j = 0; kind == Matrices::definite && j < i; ++j) matrix[i * n + j] = matrix[j * n + i];
    }
  }
  return a;
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
void add_situ_linalg();
void add_eigen_linalg();
void add_libtorch_linalg();
void add_armadillo_linalg();
void add_situ_selection();
void add_libtorch_selection();
void add_situ_transforms();
void add_eigen_transforms();
void add_libtorch_transforms();

}  // namespace rows
