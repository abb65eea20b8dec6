// SPDX-License-Identifier: Apache-2.0
// Memory: what cudaMallocFromPoolAsync costs beside cudaMalloc, whether a pool needs a current device, and peer access
// of pools.
#include <cuda.h>

#include <thread>

#include "probe.hpp"

namespace {

cudaMemPool_t make_pool(int device) {
  cudaMemPoolProps properties{};
  properties.allocType = cudaMemAllocationTypePinned;
  properties.location.type = cudaMemLocationTypeDevice;
  properties.location.id = device;
  cudaMemPool_t pool;
  probe::check(cudaMemPoolCreate(&pool, &properties), "cudaMemPoolCreate");
  cuuint64_t keep = UINT64_MAX;
  probe::check(cudaMemPoolSetAttribute(pool, cudaMemPoolAttrReleaseThreshold, &keep), "cudaMemPoolSetAttribute");
  return pool;
}

cudaError_t allow(cudaMemPool_t pool, int device) {
  cudaMemAccessDesc access{};
  access.location.type = cudaMemLocationTypeDevice;
  access.location.id = device;
  access.flags = cudaMemAccessFlagsProtReadWrite;
  return cudaMemPoolSetAccess(pool, &access, 1);
}

__global__ void add_one(int* x) { x[threadIdx.x] += 1; }

}  // namespace

int main() {
  const int devices = probe::start();
  const cudaMemPool_t pool = make_pool(0);
  cudaStream_t stream, other;
  probe::check(cudaStreamCreateWithFlags(&stream, cudaStreamNonBlocking), "cudaStreamCreateWithFlags");
  probe::check(cudaStreamCreateWithFlags(&other, cudaStreamNonBlocking), "cudaStreamCreateWithFlags");

  for (const std::size_t bytes : {std::size_t{1} << 10, std::size_t{1} << 20, std::size_t{1} << 30}) {
    const std::string size = std::to_string(bytes >> 10) + " KiB";
    void* p = nullptr;
    const double first = probe::now_ns();
    probe::check(cudaMallocFromPoolAsync(&p, bytes, pool, stream), "cudaMallocFromPoolAsync");
    probe::figure("pool: first allocation of " + size, (probe::now_ns() - first) / 1e3, "us");
    probe::check(cudaFreeAsync(p, stream), "cudaFreeAsync");
    probe::figure("pool: cudaMallocFromPoolAsync + cudaFreeAsync of " + size + ", warm", probe::host_ns([&] {
                    cudaMallocFromPoolAsync(&p, bytes, pool, stream);
                    cudaFreeAsync(p, stream);
                  }),
                  "ns");
    probe::figure("cudaMalloc + cudaFree of " + size,
                  probe::host_ns(
                      [&] {
                        cudaMalloc(&p, bytes);
                        cudaFree(p);
                      },
                      4, 9) /
                      1e3,
                  "us");
  }
  probe::check(cudaGetLastError(), "allocations");

  // a thread that never chose a device allocates, and frees what another thread allocated
  int wanted = -1;
  cudaError_t allocated = cudaErrorUnknown, freed = cudaErrorUnknown;
  void* block = nullptr;
  probe::check(cudaMallocFromPoolAsync(&block, 1 << 20, pool, stream), "cudaMallocFromPoolAsync");
  std::thread([&] {
    void* p = nullptr;
    allocated = cudaMallocFromPoolAsync(&p, 1 << 20, pool, stream);
    freed = cudaFreeAsync(p, stream);
    if (freed == cudaSuccess) freed = cudaFreeAsync(block, stream);
    cudaGetDevice(&wanted);
  }).join();
  probe::verdict(allocated == cudaSuccess && freed == cudaSuccess,
                 "a thread that chose no device allocates from a pool and frees into a stream",
                 std::string(cudaGetErrorName(allocated)) + ", " + cudaGetErrorName(freed));
  if (devices < 2) {
    probe::untestable("a pool of GPU 0 serves a thread whose current device is 1", "one GPU");
  } else {
    probe::check(cudaSetDevice(1), "cudaSetDevice(1)");
    void* p = nullptr;
    allocated = cudaMallocFromPoolAsync(&p, 1 << 20, pool, stream);
    freed = cudaFreeAsync(p, stream);
    probe::check(cudaSetDevice(0), "cudaSetDevice(0)");
    probe::verdict(allocated == cudaSuccess && freed == cudaSuccess,
                   "a pool of GPU 0 serves a thread whose current device is 1",
                   std::string(cudaGetErrorName(allocated)) + ", " + cudaGetErrorName(freed));
  }

  const cudaError_t self = allow(pool, 0);
  cudaGetLastError();
  probe::figure("pool: cudaMemPoolSetAccess for its own GPU gives error code", self, "");
  int can = -1;
  probe::check(cudaDeviceCanAccessPeer(&can, 0, 0), "cudaDeviceCanAccessPeer");
  probe::verdict(can == 0, "a GPU is no peer of itself (logical devices compare physical ordinals first)",
                 "cudaDeviceCanAccessPeer(0, 0) gives " + std::to_string(can));
  const char* peer =
      "memory of a pool is reached from a peer after cudaMemPoolSetAccess, without cudaDeviceEnablePeerAccess";
  if (devices >= 2) probe::check(cudaDeviceCanAccessPeer(&can, 1, 0), "cudaDeviceCanAccessPeer");
  if (devices < 2 || can == 0) {
    probe::untestable(peer, devices < 2 ? "one GPU" : "the GPUs are no peers");
  } else {
    int* data = nullptr;
    probe::check(cudaMallocFromPoolAsync(reinterpret_cast<void**>(&data), 32 * sizeof(int), pool, stream), "allocate");
    probe::check(cudaMemsetAsync(data, 0, 32 * sizeof(int), stream), "cudaMemsetAsync");
    probe::check(cudaStreamSynchronize(stream), "cudaStreamSynchronize");
    const cudaError_t allowed = allow(pool, 1);
    probe::check(cudaSetDevice(1), "cudaSetDevice(1)");
    add_one<<<1, 32>>>(data);
    const cudaError_t ran = cudaDeviceSynchronize();
    probe::check(cudaSetDevice(0), "cudaSetDevice(0)");
    int value = 0;
    if (ran == cudaSuccess) cudaMemcpy(&value, data, sizeof value, cudaMemcpyDeviceToHost);
    probe::verdict(allowed == cudaSuccess && ran == cudaSuccess && value == 1, peer,
                   std::string(cudaGetErrorName(allowed)) + ", kernel: " + cudaGetErrorName(ran));
  }

  // what a free in one stream costs an allocation in another: the opportunistic paths of the pool
  probe::figure("pool: allocate in a stream what another has just freed, 1 MiB",
                probe::host_ns([&] {
                  void* p = nullptr;
                  cudaMallocFromPoolAsync(&p, 1 << 20, pool, stream);
                  cudaFreeAsync(p, stream);
                  cudaMallocFromPoolAsync(&p, 1 << 20, pool, other);
                  cudaFreeAsync(p, other);
                }) / 2,
                "ns");
  return 0;
}
