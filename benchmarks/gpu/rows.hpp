// SPDX-License-Identifier: Apache-2.0
// The rows of the GPU benchmark. Each file of rows registers what situ does through its public interface, with a floor
// measured beside it; main.cpp times them on demand, so that ../run can interleave them with peers in other processes.
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include <situ/situ.hpp>

namespace rows {

using Gpu = situ::Cuda<0>;
template <class T>
using Tensor = situ::Tensor<T, Gpu>;
using situ::gpu;

/// How a row is timed: `gpu` by events around each call, `host` by the host's clock over many calls that are not waited
/// for (what an operation costs the caller), `wall` by the host's clock until the call is complete.
enum class Clock { gpu, host, wall };

/// What is timed, by the name of who does it. Made when the row is measured, so that only its own memory is alive.
using Peers = std::map<std::string, std::function<void()>>;

struct Row {
  std::string name;
  Clock clock = Clock::gpu;
  double bytes = 0;  // read and written, each once
  double flops = 0;
  std::function<Peers()> make;
};

inline std::vector<Row>& all_rows() {
  static std::vector<Row> list;
  return list;
}

/// Sizes of the table, or sizes that the emulation can do.
inline bool small_sizes = false;
inline std::int64_t size(std::int64_t full, std::int64_t small) { return small_sizes ? small : full; }

/// The stream that situ's operations of this thread go to, and a wait for it.
situ::internal::cuda::api::Stream stream();
void wait();
/// Stops the program with CUDA's text.
void check(situ::internal::cuda::api::Error error, const char* what);

/// A device-to-device copy of half as many bytes, which moves as many: the floor of a row that is bound by memory.
std::function<void()> copy_of(double bytes);
/// A fill of that many bytes: the floor of a row that only writes.
std::function<void()> fill_of(double bytes);

/// A row bound by memory, with its floor. `make` gives situ's function.
inline void add_memory(std::string name, double bytes, std::function<std::function<void()>()> make) {
  all_rows().push_back({std::move(name), Clock::gpu, bytes, 0,
                        [bytes, make = std::move(make)] { return Peers{{"situ", make()}, {"copy", copy_of(bytes)}}; }});
}

/// A file's rows: `const Registered registered{&add};`. The function is called when the sizes are known.
struct Registered {
  explicit Registered(void (*add)()) { list().push_back(add); }
  static std::vector<void (*)()>& list() {
    static std::vector<void (*)()> all;
    return all;
  }
};

/// What only a real GPU has: cuBLASLt called directly, a bare kernel launch, and a profiler, for which `profile` marks
/// the work. The first two are empty in an emulated build.
struct Gemm {
  std::int64_t size;
  bool bfloat16;
  bool tf32;
  bool bias_and_gelu;
};
std::function<void()> cublaslt(const Gemm& gemm, bool fastest_of_eight);
std::function<void()> bare_launch();
void profile(const std::function<void()>& work);

}  // namespace rows
