// SPDX-License-Identifier: Apache-2.0
// What the tests of the CUDA runtime share: small kernels, and arrays of integers on a GPU made without the library's
// operations, so that they show the runtime alone.
#pragma once

#include <unistd.h>

#include <algorithm>
#include <array>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <string>
#include <utility>
#include <vector>

#include <situ/cuda/runtime/fault.hpp>
#include <situ/cuda/runtime/launch.hpp>
#include <situ/cuda/transfer/access.hpp>
#include <situ/cuda/transfer/transfer.hpp>
#include <situ/device/cpu.hpp>
#include <situ/device/cuda.hpp>
#include <situ/device/stream.hpp>
#include <situ/memory/storage.hpp>

namespace cuda_test {

namespace kernel = situ::internal::cuda::kernel;
using situ::Cpu;
using situ::Cuda;
using situ::internal::Storage;

/// `out[i] = 3 * a[i] + b[i] + k`: any missed or repeated step shows.
struct Combine {
  static constexpr int threads = 64;
  static constexpr const char* name = "test_combine";
  const std::int64_t* a;
  const std::int64_t* b;
  std::int64_t* out;
  std::int64_t k;
  std::int64_t count;
  SITU_DEVICE void operator()() const {
    const std::int64_t i = kernel::block() * threads + kernel::thread();
    if (i < count) out[i] = 3 * a[i] + b[i] + k;
  }
};

/// `out[i] = k + i`.
struct Count {
  static constexpr int threads = 64;
  static constexpr const char* name = "test_count";
  std::int64_t* out;
  std::int64_t k;
  std::int64_t count;
  SITU_DEVICE void operator()() const {
    const std::int64_t i = kernel::block() * threads + kernel::thread();
    if (i < count) out[i] = k + i;
  }
};

/// Reports one bad index.
struct BadIndex {
  static constexpr int threads = 32;
  static constexpr const char* name = "test_bad_index";
  situ::internal::cuda::Fault* fault;
  std::int32_t operation;
  std::int64_t index;
  SITU_DEVICE void operator()() const {
    situ::internal::cuda::report_index(fault, static_cast<situ::internal::IndexedOperation>(operation), index, 1, 5, 7);
  }
};

/// Uses dynamic shared memory, more than a launch gets without asking.
struct Reverse {
  static constexpr int threads = 128;
  static constexpr const char* name = "test_reverse";
  std::int64_t* data;
  std::int64_t count;
  SITU_DEVICE void operator()() const {
    auto* const copy = reinterpret_cast<std::int64_t*>(kernel::dynamic_shared());
    for (std::int64_t i = kernel::thread(); i < count; i += threads) copy[i] = data[i];
    kernel::barrier();
    for (std::int64_t i = kernel::thread(); i < count; i += threads) data[i] = copy[count - 1 - i];
  }
};

/// Reverses twice, by declared and by dynamic shared memory.
struct Turned {
  static constexpr int threads = 128;
  static constexpr const char* name = "test_turned";
  struct Declared {
    std::int64_t words[3072];
  };
  std::int64_t* data;
  std::int64_t count;
  SITU_DEVICE void operator()() const {
    auto* const first = kernel::block_shared<Declared>().words;
    auto* const second = reinterpret_cast<std::int64_t*>(kernel::dynamic_shared());
    for (std::int64_t i = kernel::thread(); i < count; i += threads) first[i] = data[i];
    kernel::barrier();
    for (std::int64_t i = kernel::thread(); i < count; i += threads) second[i] = first[count - 1 - i];
    kernel::barrier();
    for (std::int64_t i = kernel::thread(); i < count; i += threads) data[i] = second[count - 1 - i];
  }
};

inline constexpr std::int64_t array_count = 200;
inline constexpr std::size_t array_bytes = array_count * sizeof(std::int64_t);
inline constexpr situ::internal::cuda::Grid array_grid{(array_count + 63) / 64, 1};

template <class D>
std::int64_t* words(const Storage<D>& storage) {
  return static_cast<std::int64_t*>(storage.data());
}

/// An array with `k, k + 1, ...`, made by work in this thread's stream.
template <int N>
Storage<Cuda<N>> counted(std::int64_t k) {
  Storage<Cuda<N>> out = Storage<Cuda<N>>::allocate(array_bytes);
  const auto backend = Cuda<N>::queue();
  before_write(backend, out);
  situ::internal::cuda::launch(backend, array_grid, Count{words(out), k, array_count});
  return out;
}

/// `out = 3 a + b + k` in this thread's stream.
template <int N>
void combine(const Storage<Cuda<N>>& a, const Storage<Cuda<N>>& b, const Storage<Cuda<N>>& out, std::int64_t k) {
  const auto backend = Cuda<N>::queue();
  before_write(backend, out);
  before_read(backend, a);
  before_read(backend, b);
  situ::internal::cuda::launch(backend, array_grid, Combine{words(a), words(b), words(out), k, array_count});
}

/// The elements, on the host.
template <int N>
std::vector<std::int64_t> read(const Storage<Cuda<N>>& from) {
  const Storage<Cpu> to = Storage<Cpu>::allocate(array_bytes);
  situ::internal::cuda::transfer_bytes(Cuda<N>::queue(), from, 0, to, array_bytes);
  const std::int64_t* const at = words(to);
  return {at, at + array_count};
}

inline std::vector<std::int64_t> counting(std::int64_t k) {
  std::vector<std::int64_t> values(array_count);
  for (std::size_t i = 0; i < values.size(); ++i) values[i] = k + static_cast<std::int64_t>(i);
  return values;
}

/// The same as `combine`, on the host.
inline std::vector<std::int64_t> combined(const std::vector<std::int64_t>& a, const std::vector<std::int64_t>& b,
                                          std::int64_t k) {
  std::vector<std::int64_t> out(a.size());
  for (std::size_t i = 0; i < a.size(); ++i) {
    out[i] = static_cast<std::int64_t>(3 * static_cast<std::uint64_t>(a[i]) + static_cast<std::uint64_t>(b[i]) +
                                       static_cast<std::uint64_t>(k));
  }
  return out;
}

/// Whether one test case of this program passes in a process of its own, with environment variables `set` before it:
/// for what is decided once in a process. Prints what the process did when not.
inline bool passes_alone(std::string test_case, const std::string& set) {
  std::replace(test_case.begin(), test_case.end(), ',', '?');  // a comma would begin another filter
  const std::string program = "\"$(readlink /proc/" + std::to_string(getpid()) + "/exe)\"";
  const std::string command = "SITU_TEST_CHILD=1 " + set + " " + program + " --test-case='" + test_case + "' 2>&1";
  std::FILE* const pipe = popen(command.c_str(), "r");
  if (pipe == nullptr) return false;
  std::string output;
  std::array<char, 512> part{};
  for (std::size_t n = 0; (n = std::fread(part.data(), 1, part.size(), pipe)) > 0;) output.append(part.data(), n);
  const bool passed = pclose(pipe) == 0 && output.find(" 1 passed | 0 failed") != std::string::npos;
  if (!passed) std::puts(output.c_str());
  return passed;
}
inline bool is_child() { return std::getenv("SITU_TEST_CHILD") != nullptr; }

}  // namespace cuda_test
