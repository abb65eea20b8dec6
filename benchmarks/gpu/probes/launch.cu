// SPDX-License-Identifier: Apache-2.0
// Launching a context-less CUkernel through its stream alone, from a thread without a current device; and what each way
// of launching costs the host.
#include <cuda.h>

#include <cstring>
#include <thread>

#include "probe.hpp"

namespace {

template <int Bytes>
struct Arguments {
  int* counter;
  unsigned char rest[Bytes - sizeof(int*)];
};

template <int Bytes>
__global__ void count(const __grid_constant__ Arguments<Bytes> arguments) {
  if (threadIdx.x == 0) atomicAdd(arguments.counter, 1);
}

template <class F>
F driver_function(const char* name) {
  void* function = nullptr;
  cudaDriverEntryPointQueryResult found{};
  probe::check(cudaGetDriverEntryPointByVersion(name, &function, 12000, cudaEnableDefault, &found), name);
  if (found != cudaDriverEntryPointSuccess) {
    probe::verdict(false, std::string(name) + " by cudaGetDriverEntryPointByVersion", "not found");
    std::exit(1);
  }
  return reinterpret_cast<F>(function);
}

using LaunchKernelEx = CUresult (*)(const CUlaunchConfig*, CUfunction, void**, void**);
using GetCurrent = CUresult (*)(CUcontext*);
using KernelGetFunction = CUresult (*)(CUfunction*, CUkernel);

template <int Bytes>
void costs(LaunchKernelEx launch, int* counter, cudaStream_t stream) {
  Arguments<Bytes> arguments{};
  arguments.counter = counter;
  void* pointers[] = {&arguments};
  cudaKernel_t kernel{};
  probe::check(cudaGetKernel(&kernel, reinterpret_cast<const void*>(&count<Bytes>)), "cudaGetKernel");
  CUfunction function{};
  driver_function<KernelGetFunction>("cuKernelGetFunction")(&function, reinterpret_cast<CUkernel>(kernel));
  CUlaunchConfig config{};
  config.gridDimX = config.gridDimY = config.gridDimZ = 1;
  config.blockDimX = 32;
  config.blockDimY = config.blockDimZ = 1;
  config.hStream = stream;
  cudaLaunchConfig_t runtime_config{};
  runtime_config.gridDim = 1;
  runtime_config.blockDim = 32;
  runtime_config.stream = stream;
  const std::string size = ", arguments of " + std::to_string(Bytes) + " bytes";
  probe::figure("launch: cuLaunchKernelEx of a CUkernel" + size,
                probe::host_ns([&] { launch(&config, reinterpret_cast<CUfunction>(kernel), pointers, nullptr); }),
                "ns");
  probe::figure("launch: cuLaunchKernelEx of a CUfunction" + size,
                probe::host_ns([&] { launch(&config, function, pointers, nullptr); }), "ns");
  probe::figure("launch: cudaLaunchKernelExC" + size, probe::host_ns([&] {
                  cudaLaunchKernelExC(&runtime_config, reinterpret_cast<const void*>(&count<Bytes>), pointers);
                }),
                "ns");
  probe::figure("launch: <<<>>>" + size, probe::host_ns([&] { count<Bytes><<<1, 32, 0, stream>>>(arguments); }), "ns");
  probe::check(cudaGetLastError(), "launches");
}

}  // namespace

int main() {
  const int devices = probe::start();
  const auto launch = driver_function<LaunchKernelEx>("cuLaunchKernelEx");
  const auto current = driver_function<GetCurrent>("cuCtxGetCurrent");
  cudaStream_t stream;
  probe::check(cudaStreamCreateWithFlags(&stream, cudaStreamNonBlocking), "cudaStreamCreateWithFlags");
  int* counter = nullptr;
  probe::check(cudaMalloc(&counter, sizeof(int)), "cudaMalloc");
  probe::check(cudaMemset(counter, 0, sizeof(int)), "cudaMemset");
  cudaKernel_t kernel{};
  probe::check(cudaGetKernel(&kernel, reinterpret_cast<const void*>(&count<16>)), "cudaGetKernel");
  probe::check(cudaDeviceSynchronize(), "synchronize");

  int driver = 0;  // from 13000 on it is promised, by what others found
  probe::check(cudaDriverGetVersion(&driver), "cudaDriverGetVersion");
  CUresult launched = CUDA_ERROR_UNKNOWN;
  CUcontext before = nullptr, after = nullptr;
  std::thread([&] {  // a new thread has no current context
    Arguments<16> arguments{};
    arguments.counter = counter;
    void* pointers[] = {&arguments};
    CUlaunchConfig config{};
    config.gridDimX = config.gridDimY = config.gridDimZ = 1;
    config.blockDimX = 32;
    config.blockDimY = config.blockDimZ = 1;
    config.hStream = stream;
    current(&before);
    launched = launch(&config, reinterpret_cast<CUfunction>(kernel), pointers, nullptr);
    current(&after);
  })
      .join();
  probe::check(cudaDeviceSynchronize(), "synchronize after the launch from a thread without a context");
  int value = 0;
  probe::check(cudaMemcpy(&value, counter, sizeof(int), cudaMemcpyDeviceToHost), "cudaMemcpy");
  probe::verdict(launched == CUDA_SUCCESS && value == 1 && before == nullptr && after == nullptr,
                 "a CUkernel is launched by cuLaunchKernelEx through its stream, without a current device",
                 "driver " + std::to_string(driver) + ", result " + std::to_string(launched) + ", kernel ran " +
                     std::to_string(value) + " time(s), context before/after: " + (before ? "set" : "none") + "/" +
                     (after ? "set" : "none"));

  std::thread([&] {
    Arguments<16> arguments{};
    arguments.counter = counter;
    CUcontext context = nullptr;
    count<16><<<1, 32, 0, stream>>>(arguments);
    current(&context);
    probe::line("VERIFIED", "<<<>>> from a thread without a current device",
                std::string(cudaGetErrorName(cudaGetLastError())) + ", leaves " +
                    (context ? "GPU 0's context current" : "no context"));
  }).join();

  const char* other = "a CUkernel is launched into a stream of GPU 0 while GPU 1 is current";
  if (devices < 2) {
    probe::untestable(other, "one GPU");
  } else {
    probe::check(cudaMemset(counter, 0, sizeof(int)), "cudaMemset");
    probe::check(cudaDeviceSynchronize(), "synchronize");
    probe::check(cudaSetDevice(1), "cudaSetDevice(1)");
    Arguments<16> arguments{};
    arguments.counter = counter;
    void* pointers[] = {&arguments};
    CUlaunchConfig config{};
    config.gridDimX = config.gridDimY = config.gridDimZ = 1;
    config.blockDimX = 32;
    config.blockDimY = config.blockDimZ = 1;
    config.hStream = stream;
    launched = launch(&config, reinterpret_cast<CUfunction>(kernel), pointers, nullptr);
    int device = -1;
    probe::check(cudaGetDevice(&device), "cudaGetDevice");
    probe::check(cudaStreamSynchronize(stream), "cudaStreamSynchronize");
    probe::check(cudaMemcpy(&value, counter, sizeof(int), cudaMemcpyDeviceToHost), "cudaMemcpy");
    probe::verdict(launched == CUDA_SUCCESS && value == 1 && device == 1, other,
                   "result " + std::to_string(launched) + ", ran " + std::to_string(value) + ", current device " +
                       std::to_string(device));
    probe::check(cudaSetDevice(0), "cudaSetDevice(0)");
  }
  costs<16>(launch, counter, stream);
  costs<512>(launch, counter, stream);
  costs<4096>(launch, counter, stream);
  costs<8192>(launch, counter, stream);
  return 0;
}
