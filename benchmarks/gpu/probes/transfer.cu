// SPDX-License-Identifier: Apache-2.0
// Rates between host and GPU: pinned, pageable, and pageable through pinned pieces; and what pinning costs.
#include <cstring>
#include <thread>

#include "probe.hpp"

namespace {

constexpr std::size_t bytes = std::size_t{1} << 30;

double rate(double ms, std::size_t n = bytes) { return static_cast<double>(n) / ms / 1e6; }

/// Milliseconds until `f` is complete: the median of a few, on the host's clock.
template <class F>
double wall_ms(F&& f) {
  std::vector<double> times;
  for (int i = 0; i < 6; ++i) {
    probe::check(cudaDeviceSynchronize(), "synchronize");
    const double start = probe::now_ns();
    f();
    probe::check(cudaDeviceSynchronize(), "synchronize");
    if (i > 0) times.push_back((probe::now_ns() - start) / 1e6);
  }
  return probe::median(times);
}

void host_copy(void* to, const void* from, std::size_t n, int threads) {
  std::vector<std::thread> others;
  const std::size_t part = n / static_cast<std::size_t>(threads);
  for (int i = 1; i < threads; ++i) {
    const std::size_t at = part * static_cast<std::size_t>(i);
    const std::size_t length = i + 1 == threads ? n - at : part;
    others.emplace_back([=] { std::memcpy(static_cast<char*>(to) + at, static_cast<const char*>(from) + at, length); });
  }
  std::memcpy(to, from, threads == 1 ? n : part);
  for (std::thread& other : others) other.join();
}

}  // namespace

int main() {
  probe::start();
  cudaStream_t stream, second;
  probe::check(cudaStreamCreateWithFlags(&stream, cudaStreamNonBlocking), "cudaStreamCreateWithFlags");
  probe::check(cudaStreamCreateWithFlags(&second, cudaStreamNonBlocking), "cudaStreamCreateWithFlags");
  char *device = nullptr, *device_too = nullptr, *pinned = nullptr, *pinned_too = nullptr;
  probe::check(cudaMalloc(&device, bytes), "cudaMalloc");
  probe::check(cudaMalloc(&device_too, bytes), "cudaMalloc");
  const double start = probe::now_ns();
  probe::check(cudaHostAlloc(&pinned, bytes, cudaHostAllocPortable), "cudaHostAlloc");
  probe::figure("transfer: cudaHostAlloc of 1 GiB", (probe::now_ns() - start) / 1e6, "ms");
  probe::check(cudaHostAlloc(&pinned_too, bytes, cudaHostAllocPortable), "cudaHostAlloc");
  std::vector<char> pageable(bytes, 1);
  std::memset(pinned, 2, bytes);
  std::memset(pinned_too, 3, bytes);

  const double up =
      probe::gpu_ms(stream, [&] { cudaMemcpyAsync(device, pinned, bytes, cudaMemcpyHostToDevice, stream); }, 6);
  const double down =
      probe::gpu_ms(stream, [&] { cudaMemcpyAsync(pinned, device, bytes, cudaMemcpyDeviceToHost, stream); }, 6);
  probe::figure("transfer: pinned to GPU", rate(up), "GB/s");
  probe::figure("transfer: GPU to pinned", rate(down), "GB/s");
  probe::verdict(rate(up) > 45 && rate(down) > 45, "pinned transfers run at about 55 GB/s (19.5 ms for 1 GiB)",
                 probe::text(rate(up), "GB/s") + " up, " + probe::text(rate(down), "GB/s") + " down, " +
                     probe::text(up, "ms") + " for 1 GiB up");
  const double both = wall_ms([&] {
    cudaMemcpyAsync(device, pinned, bytes, cudaMemcpyHostToDevice, stream);
    cudaMemcpyAsync(pinned_too, device_too, bytes, cudaMemcpyDeviceToHost, second);
  });
  probe::figure("transfer: both ways at once, sum", rate(both, 2 * bytes), "GB/s");

  const double pageable_up =
      wall_ms([&] { cudaMemcpyAsync(device, pageable.data(), bytes, cudaMemcpyHostToDevice, stream); });
  const double pageable_down =
      wall_ms([&] { cudaMemcpyAsync(pageable.data(), device, bytes, cudaMemcpyDeviceToHost, stream); });
  probe::figure("transfer: pageable to GPU, by CUDA", rate(pageable_up), "GB/s");
  probe::figure("transfer: GPU to pageable, by CUDA", rate(pageable_down), "GB/s");
  probe::verdict(rate(pageable_up) > 8 && rate(pageable_up) < 25, "pageable transfers run at 8 to 25 GB/s",
                 probe::text(rate(pageable_up), "GB/s") + " up, " + probe::text(rate(pageable_down), "GB/s") + " down");

  // through two pinned pieces in turn: the host copies into one while the GPU fetches the other
  cudaEvent_t fetched[2];
  for (cudaEvent_t& event : fetched) probe::check(cudaEventCreateWithFlags(&event, cudaEventDisableTiming), "event");
  for (const int threads : {1, 2, 4, 8}) {
    for (const std::size_t piece : {std::size_t{1} << 20, std::size_t{4} << 20, std::size_t{16} << 20}) {
      const double ms = wall_ms([&] {
        for (std::size_t at = 0, i = 0; at < bytes; at += piece, i ^= 1) {
          cudaEventSynchronize(fetched[i]);
          host_copy(pinned + i * piece, pageable.data() + at, piece, threads);
          cudaMemcpyAsync(device + at, pinned + i * piece, piece, cudaMemcpyHostToDevice, stream);
          cudaEventRecord(fetched[i], stream);
        }
      });
      probe::figure("transfer: pageable to GPU through two pieces of " + std::to_string(piece >> 20) + " MiB, " +
                        std::to_string(threads) + " thread(s)",
                    rate(ms), "GB/s");
    }
  }
  for (const std::size_t small : {std::size_t{4} << 10, std::size_t{64} << 10, std::size_t{1} << 20}) {
    const double us = wall_ms([&] {
                        cudaMemcpyAsync(device, pinned, small, cudaMemcpyHostToDevice, stream);
                        cudaStreamSynchronize(stream);
                      }) *
                      1e3;
    probe::figure("transfer: pinned to GPU, " + std::to_string(small >> 10) + " KiB, until complete", us, "us");
  }
  const double before = probe::now_ns();
  probe::check(cudaHostRegister(pageable.data(), bytes, cudaHostRegisterPortable), "cudaHostRegister");
  probe::figure("transfer: cudaHostRegister of 1 GiB", (probe::now_ns() - before) / 1e6, "ms");
  probe::check(cudaHostUnregister(pageable.data()), "cudaHostUnregister");

  const double copied =
      probe::gpu_ms(stream, [&] { cudaMemcpyAsync(device_too, device, bytes, cudaMemcpyDeviceToDevice, stream); });
  probe::figure("transfer: on the GPU, bytes read and written", rate(copied, 2 * bytes), "GB/s");
  return 0;
}
