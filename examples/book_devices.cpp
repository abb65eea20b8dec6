// SPDX-License-Identifier: Apache-2.0
// The exercises of the chapter "GPUs" of the book "Dive into Deep Learning" (d2l.ai) that ask for times: 1, large and
// small products on the CPU and on a GPU; 3, a log of 1000 results, one at a time and kept on the GPU; 4, two products on
// two GPUs at once. What there is no GPU for runs on the CPU, and says so. Fails when two ways give different values.
#include <algorithm>
#include <chrono>
#include <cstdint>
#include <cstdio>
#include <string>
#include <utility>
#include <vector>

#include <situ/situ.hpp>
#include <situ/train.hpp>

using namespace situ;

namespace {

#if defined(SITU_CUDA_EMULATED)
constexpr bool emulated = true;
#else
constexpr bool emulated = false;
#endif

template <Device D>
Tensor<float, D> matrix(std::int64_t n, D device, std::uint64_t seed) {
  return randn<float>({n, n}, device, Generator(seed));
}

/// The milliseconds from a call of `f` to the end of its work on the devices: the best of some calls, after one that does
/// not count, because it takes memory and loads kernels.
template <class F, Device... D>
double milliseconds(F&& f, D... devices) {
  double best = 0;
  constexpr int calls = emulated ? 2 : 6;
  for (int i = 0; i < calls; ++i) {
    (synchronize(devices), ...);
    const auto start = std::chrono::steady_clock::now();
    f();
    (synchronize(devices), ...);
    const double time = std::chrono::duration<double, std::milli>(std::chrono::steady_clock::now() - start).count();
    best = i < 2 ? time : std::min(best, time);
  }
  return best;
}

// --- exercise 1 ---------------------------------------------------------------------------------------------------------
template <Device D>
double product_time(std::int64_t n, D device) {
  const Tensor a = matrix(n, device, 1);
  const Tensor b = matrix(n, device, 2);
  return milliseconds([&] { static_cast<void>(matmul(a, b)); }, device);
}

template <Device D>
void large_and_small_products(D device) {
  std::printf("\n1. One product of two n x n matrices\n\n");
  if constexpr (HostDevice<D>) {
    std::printf("%8s %14s\n", "n", "cpu, ms");
  } else {
    std::printf("%8s %14s %14s %14s\n", "n", "cpu, ms", (device_name(device).substr(0, 6) + ", ms").c_str(),
                "cpu / GPU");
  }
  for (const std::int64_t n :
       emulated ? std::vector<std::int64_t>{4, 16, 64, 128} : std::vector<std::int64_t>{4, 32, 128, 512, 1024, 4096}) {
    if (HostDevice<D> && n > 1024) continue;
    const double here = product_time(n, cpu);
    if constexpr (HostDevice<D>) {
      std::printf("%8lld %14.4f\n", static_cast<long long>(n), here);
    } else {
      const double there = product_time(n, device);
      std::printf("%8lld %14.4f %14.4f %14.2f\n", static_cast<long long>(n), here, there, here / there);
    }
  }
  if constexpr (!HostDevice<D>) {
    std::printf(
        "\nA launch costs the same for every size: of a small product it is most of the time, and the CPU is ahead.\n");
  }
}

// --- exercise 3 ---------------------------------------------------------------------------------------------------------
// [one-at-a-time]
template <Device D>
std::vector<float> norms_one_at_a_time(const std::vector<Tensor<float, D>>& x, int count) {
  std::vector<float> norms;
  for (int i = 0; i < count; ++i) {
    const Tensor y = matmul(x[static_cast<std::size_t>(i) % x.size()], x.back());
    norms.push_back(norm(y).to(cpu).item());  // waits for the GPU, which then waits for the next launch
  }
  return norms;
}
// [one-at-a-time-end]

// [log]
template <Device D>
Tensor<float> norms_in_a_log(const std::vector<Tensor<float, D>>& x, int count) {
  DeviceLog<float, D> log;
  for (int i = 0; i < count; ++i) {
    const Tensor y = matmul(x[static_cast<std::size_t>(i) % x.size()], x.back());
    log.append(norm(y));  // does not wait
  }
  return log.flush();  // waits once
}
// [log-end]

template <Device D>
bool log_of_norms(D device) {
  constexpr int count = emulated ? 50 : 1000;
  constexpr std::int64_t n = emulated ? 24 : 100;
  std::printf("\n3. %d products of %d x %d matrices on %s, with the Frobenius norm of each\n\n", count,
              static_cast<int>(n), static_cast<int>(n), device_name(device).c_str());
  std::vector<Tensor<float, D>> x;
  for (std::uint64_t seed = 0; seed < 8; ++seed) x.push_back(matrix(n, device, seed));
  std::vector<float> first;
  Tensor<float> second;
  const double one_at_a_time = milliseconds([&] { first = norms_one_at_a_time(x, count); }, device);
  const double log = milliseconds([&] { second = norms_in_a_log(x, count); }, device);
  std::printf("%-34s %10.2f ms\n%-34s %10.2f ms\n%-34s %10.2f\n", "each norm to the host at once", one_at_a_time,
              "a DeviceLog, flushed at the end", log, "ratio", one_at_a_time / log);
  if constexpr (HostDevice<D>)
    std::printf("\nOn the CPU there is nothing to wait for: the ratio is 1, but for noise.\n");
  return std::equal(second.begin(), second.end(), first.begin(), first.end());
}

// --- exercise 4 ---------------------------------------------------------------------------------------------------------
template <Device First, Device Second>
bool two_devices_at_once(First first, Second second) {
  constexpr std::int64_t n = emulated ? 96 : HostDevice<First> ? 1024 : 4096;
  std::printf("\n4. Two products of %d x %d matrices\n\n", static_cast<int>(n), static_cast<int>(n));
  const Tensor a = matrix(n, first, 1);
  const Tensor b = matrix(n, second, 1);  // the same values: the generator gives the same on every device
  Tensor<float, First> c;
  Tensor<float, Second> d;
  const double in_sequence = milliseconds(
      [&] {
        c = matmul(a, a);
        c = matmul(a, a);
      },
      first, second);
  const double at_once = milliseconds(
      [&] {
        c = matmul(a, a);  // returns when it is launched, on a GPU
        d = matmul(b, b);
      },
      first, second);
  const std::string one = "in sequence on " + device_name(first);
  const std::string two = "on " + device_name(first) + " and " + device_name(second);
  std::printf("%-46s %10.3f ms\n%-46s %10.3f ms\n%-46s %10.2f\n", one.c_str(), in_sequence, two.c_str(), at_once,
              "ratio", in_sequence / at_once);
  if (HostDevice<Second>) std::printf("\nThere are not two GPUs here: the CPU stands in for those that are missing.\n");
  const Tensor difference = c.to(cpu) - d.to(cpu);
  return norm(difference).item() <= 1e-4f * norm(c.to(cpu)).item();
}

}  // namespace

int main() {
  std::printf("Exercises 1, 3 and 4 of the chapter \"GPUs\" of \"Dive into Deep Learning\", in situ\n");
  if (emulated) {
    std::printf(
        "\nNo GPU is used here. Cuda<0> and Cuda<1> are emulated by the CPU, and all sizes are small. The values are\n"
        "those that a GPU gives; the times and ratios say nothing about one.\n");
  } else if (device_count<Cuda>() == 0) {
    std::printf("\nThere is no GPU here: the CPU does all of it.\n");
  }
  bool same = true;
  with_device(try_gpu<0>(), [](auto device) { large_and_small_products(device); });
  with_device(try_gpu<0>(), [&](auto device) { same = log_of_norms(device) && same; });
  with_device(try_gpu<0>(), [&](auto first) {
    with_device(try_gpu<1>(), [&](auto second) { same = two_devices_at_once(first, second) && same; });
  });
  if (!same) std::printf("\nTwo ways of computing the same gave different values.\n");
  return same ? 0 : 1;
}
