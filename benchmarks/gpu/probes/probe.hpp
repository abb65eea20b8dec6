// SPDX-License-Identifier: Apache-2.0
// What the probes share. A probe is one small program about the CUDA runtime itself, not about situ. It prints lines of
// fields separated by tabs, which ../hour/probes.py reads:
//   VERIFIED | REFUTED | UNTESTABLE   point   what was seen
//   FIGURE   name   value   unit
// and exits with 77 where there is no GPU.
#pragma once

#include <cuda_runtime.h>

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <string>
#include <vector>

namespace probe {

inline void check(cudaError_t error, const char* what) {
  if (error == cudaSuccess) return;
  std::printf("REFUTED\t%s\t%s: %s\n", what, cudaGetErrorName(error), cudaGetErrorString(error));
  std::fflush(stdout);
  std::exit(1);
}

inline void line(const char* kind, const std::string& point, const std::string& seen) {
  std::printf("%s\t%s\t%s\n", kind, point.c_str(), seen.c_str());
  std::fflush(stdout);
}
inline void verdict(bool holds, const std::string& point, const std::string& seen) {
  line(holds ? "VERIFIED" : "REFUTED", point, seen);
}
inline void untestable(const std::string& point, const std::string& why) { line("UNTESTABLE", point, why); }
inline void figure(const std::string& name, double value, const char* unit) {
  std::printf("FIGURE\t%s\t%.6g\t%s\n", name.c_str(), value, unit);
  std::fflush(stdout);
}
inline std::string text(double value, const char* unit) {
  char buffer[64];
  std::snprintf(buffer, sizeof buffer, "%.4g %s", value, unit);
  return buffer;
}

/// The number of GPUs; ends the program where there is none.
inline int start() {
  int count = 0;
  const cudaError_t error = cudaGetDeviceCount(&count);
  if (error != cudaSuccess || count == 0) {
    std::printf("SKIPPED\tno GPU\t%s\n", error == cudaSuccess ? "none found" : cudaGetErrorString(error));
    std::exit(77);
  }
  check(cudaSetDevice(0), "cudaSetDevice");
  check(cudaFree(nullptr), "the context of GPU 0");
  return count;
}

inline double now_ns() {
  return std::chrono::duration<double, std::nano>(std::chrono::steady_clock::now().time_since_epoch()).count();
}
inline double median(std::vector<double> values) {
  std::sort(values.begin(), values.end());
  const std::size_t half = values.size() / 2;
  return values.size() % 2 ? values[half] : (values[half - 1] + values[half]) / 2;
}

/// Host nanoseconds of one call of `f`: the median of batches of `batch` calls, the GPU idle before each. A batch is
/// smaller than the queue of a stream, so that no call waits for room in it.
template <class F>
double host_ns(F&& f, int batch = 200, int batches = 25) {
  std::vector<double> times;
  for (int i = 0; i < batches + 3; ++i) {
    check(cudaDeviceSynchronize(), "synchronize");
    const double start = now_ns();
    for (int j = 0; j < batch; ++j) f();
    const double end = now_ns();
    if (i >= 3) times.push_back((end - start) / batch);
  }
  check(cudaDeviceSynchronize(), "synchronize");
  return median(times);
}

/// GPU milliseconds of what `f` puts into `stream`: the median of repetitions, between events.
template <class F>
double gpu_ms(cudaStream_t stream, F&& f, int repetitions = 15) {
  cudaEvent_t start, end;
  check(cudaEventCreate(&start), "cudaEventCreate");
  check(cudaEventCreate(&end), "cudaEventCreate");
  std::vector<double> times;
  for (int i = 0; i < repetitions + 2; ++i) {
    check(cudaEventRecord(start, stream), "cudaEventRecord");
    f();
    check(cudaEventRecord(end, stream), "cudaEventRecord");
    check(cudaEventSynchronize(end), "cudaEventSynchronize");
    float ms = 0;
    check(cudaEventElapsedTime(&ms, start, end), "cudaEventElapsedTime");
    if (i >= 2) times.push_back(ms);
  }
  check(cudaEventDestroy(start), "cudaEventDestroy");
  check(cudaEventDestroy(end), "cudaEventDestroy");
  return median(times);
}

}  // namespace probe
