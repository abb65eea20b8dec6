// SPDX-License-Identifier: Apache-2.0
// Which errors the context survives: out of memory and a bad launch do not harm it, a trap in a kernel ends it.
#include "probe.hpp"

namespace {

__global__ void write(int* x, int value) { *x = value; }
__global__ void fail() { asm("trap;"); }

bool works(cudaStream_t stream, int* x, int value) {
  int seen = 0;
  write<<<1, 1, 0, stream>>>(x, value);
  return cudaMemcpyAsync(&seen, x, sizeof seen, cudaMemcpyDeviceToHost, stream) == cudaSuccess &&
         cudaStreamSynchronize(stream) == cudaSuccess && seen == value;
}

}  // namespace

int main() {
  probe::start();
  cudaStream_t stream;
  probe::check(cudaStreamCreateWithFlags(&stream, cudaStreamNonBlocking), "cudaStreamCreateWithFlags");
  int* x = nullptr;
  probe::check(cudaMalloc(&x, sizeof(int)), "cudaMalloc");
  cudaMemPool_t pool;
  probe::check(cudaDeviceGetDefaultMemPool(&pool, 0), "cudaDeviceGetDefaultMemPool");
  void* p = nullptr;
  // A little more than there is, and sizes that no GPU can address.
  for (const int exponent : {38, 46, 50, 62}) {
    const cudaError_t none = cudaMallocFromPoolAsync(&p, std::size_t{1} << exponent, pool, stream);
    const cudaError_t left = cudaGetLastError();
    const bool after = works(stream, x, 7);
    probe::verdict(none == cudaErrorMemoryAllocation && after,
                   "2^" + std::to_string(exponent) + " bytes of a pool are out of memory, and leave the GPU usable",
                   std::string(cudaGetErrorName(none)) + ", left behind: " + cudaGetErrorName(left) + ", next kernel " +
                       (after ? "ran" : "failed"));
  }
  write<<<1, 4096, 0, stream>>>(x, 1);  // more threads than a block may have
  const cudaError_t bad = cudaGetLastError();
  const bool usable = works(stream, x, 8);
  probe::verdict(bad == cudaErrorInvalidConfiguration && usable, "a launch that is refused leaves the GPU usable",
                 std::string(cudaGetErrorName(bad)) + ", next kernel " + (usable ? "ran" : "failed"));
  fail<<<1, 1, 0, stream>>>();
  const cudaError_t trapped = cudaStreamSynchronize(stream);
  cudaGetLastError();
  const cudaError_t again = cudaMalloc(&p, 16);
  probe::verdict(trapped != cudaSuccess && again != cudaSuccess, "a trap in a kernel is sticky: the context is lost",
                 std::string(cudaGetErrorName(trapped)) + ", then cudaMalloc: " + cudaGetErrorName(again));
  return 0;
}
