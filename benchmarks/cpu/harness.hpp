// SPDX-License-Identifier: Apache-2.0
// How a peer registers what it can do: one line a row. Every peer has a file of its own; one program checks that all of them
// give the same answer to a row, and then times them in one run, interleaved.
#pragma once

#include <benchmark/benchmark.h>

#include <complex>
#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

namespace rows {

/// Threads that every peer may use; set before registration.
extern int threads;

/// A row of one peer, with its operands in memory.
struct Prepared {
  std::function<void()> work;
  /// The result as numbers, row by row, from one more run; empty where peers have no common result.
  std::function<std::vector<double>()> values;
};

/// Registers `row` for `peer`. `make` prepares the operands when the row is run: so only one row's memory is alive at a
/// time. Results of peers may differ by `tolerance` times the largest element.
void add(const std::string& row, const std::string& peer, std::function<Prepared()> make, double tolerance);

/// A row whose result is not compared, as that of a training step.
inline void add(const std::string& row, const std::string& peer, std::function<std::function<void()>()> make) {
  add(row, peer, [make = std::move(make)] { return Prepared{make(), {}}; }, 0);
}

template <class T>
inline constexpr double tolerance_of = std::is_same_v<T, double> ? 1e-11 : 1e-4;

/// A row whose result is compared: `make()` gives the function to time, which returns its result. `Peer` has a `name`, and
/// `values(result)`, its elements row by row as `double`.
template <class Peer, class Make>
void add(const std::string& row, Make make, double tolerance = tolerance_of<float>) {
  const std::function<Prepared()> prepare = [make] {
    using Work = std::decay_t<decltype(make())>;
    const auto work = std::make_shared<Work>(make());
    return Prepared{[work] {
                      decltype(auto) result = (*work)();
                      benchmark::DoNotOptimize(&result);
                      benchmark::ClobberMemory();
                    },
                    [work] { return Peer::values((*work)()); }};
  };
  add(row, Peer::name, prepare, tolerance);
}

/// `count` elements at `elements` as numbers: a complex one is two.
template <class T>
std::vector<double> numbers(const T* elements, std::int64_t count) {
  std::vector<double> found;
  for (std::int64_t i = 0; i < count; ++i) {
    if constexpr (std::is_arithmetic_v<T>) {
      found.push_back(static_cast<double>(elements[i]));
    } else {
      found.push_back(static_cast<double>(elements[i].real()));
      found.push_back(static_cast<double>(elements[i].imag()));
    }
  }
  return found;
}

/// Named in the table, with its version.
void describe(const std::string& peer, const std::string& version);

/// `const Registration here("linalg", f);` in a peer's file: `f`, which adds its rows, is called when the number of threads is
/// known. They are of that group: `cpu --rows=linalg` runs no others.
struct Registration {
  Registration(const char* group, void (*add_rows)());
};

/// Numbers that look random, the same for every peer. A linear congruence (Numerical Recipes): operands are made anew for
/// each repetition, and a better generator would take longer than the rows.
template <class T = float>
std::vector<T> random(std::int64_t count, unsigned seed, float low = -2.0f, float high = 2.0f) {
  std::uint32_t state = seed * 2654435761u + 1;
  std::vector<T> values(static_cast<std::size_t>(count));
  for (T& value : values) {
    state = state * 1664525u + 1013904223u;
    value = low + (high - low) * static_cast<float>(state >> 8) * 0x1p-24f;
  }
  return values;
}

}  // namespace rows
