// SPDX-License-Identifier: Apache-2.0
// What launching a straight-line CUDA graph costs the host, by its number of nodes; and what `situ::capture` takes for
// granted: a graph may be destroyed while it runs, and a thread that captures may ask CUDA about other streams.
#include "probe.hpp"

namespace {
__global__ void nothing() {}
__global__ void add_one(int* x) { *x += 1; }

void destroyed_while_it_runs(cudaStream_t stream) {
  constexpr int nodes = 2000;
  int* x = nullptr;
  probe::check(cudaMalloc(&x, sizeof(int)), "cudaMalloc");
  probe::check(cudaMemsetAsync(x, 0, sizeof(int), stream), "cudaMemsetAsync");
  cudaGraph_t graph;
  cudaGraphExec_t executable;
  probe::check(cudaStreamBeginCapture(stream, cudaStreamCaptureModeThreadLocal), "cudaStreamBeginCapture");
  for (int i = 0; i < nodes; ++i) add_one<<<1, 1, 0, stream>>>(x);
  probe::check(cudaStreamEndCapture(stream, &graph), "cudaStreamEndCapture");
  probe::check(cudaGraphInstantiate(&executable, graph, 0), "cudaGraphInstantiate");
  probe::check(cudaGraphDestroy(graph), "cudaGraphDestroy");
  probe::check(cudaGraphLaunch(executable, stream), "cudaGraphLaunch");
  const bool running = cudaStreamQuery(stream) == cudaErrorNotReady;
  const cudaError_t destroyed = cudaGraphExecDestroy(executable);
  const bool waited = running && cudaStreamQuery(stream) == cudaSuccess;
  probe::check(cudaStreamSynchronize(stream), "cudaStreamSynchronize");
  int count = 0;
  probe::check(cudaMemcpy(&count, x, sizeof(int), cudaMemcpyDeviceToHost), "cudaMemcpy");
  probe::check(cudaFree(x), "cudaFree");
  probe::verdict(destroyed == cudaSuccess && count == nodes, "a graph may be destroyed while it runs",
                 std::string(running ? "it ran" : "it was over") + (waited ? "; the call waited for it; " : "; ") +
                     std::to_string(count) + " of " + std::to_string(nodes) + " kernels ran");
}

void relaxed_calls_while_capturing(cudaStream_t stream) {
  cudaStream_t other;
  cudaEvent_t event;
  cudaMemPool_t pool;
  probe::check(cudaStreamCreateWithFlags(&other, cudaStreamNonBlocking), "cudaStreamCreateWithFlags");
  probe::check(cudaEventCreateWithFlags(&event, cudaEventDisableTiming), "cudaEventCreateWithFlags");
  probe::check(cudaEventRecord(event, other), "cudaEventRecord");
  probe::check(cudaDeviceGetDefaultMemPool(&pool, 0), "cudaDeviceGetDefaultMemPool");
  probe::check(cudaStreamBeginCapture(stream, cudaStreamCaptureModeThreadLocal), "cudaStreamBeginCapture");
  cudaStreamCaptureMode mode = cudaStreamCaptureModeRelaxed;
  probe::check(cudaThreadExchangeStreamCaptureMode(&mode), "cudaThreadExchangeStreamCaptureMode");
  void* device = nullptr;
  void* host = nullptr;
  const cudaError_t seen[] = {
      cudaMallocFromPoolAsync(&device, 1 << 20, pool, other), cudaEventQuery(event),        cudaEventSynchronize(event),
      cudaHostAlloc(&host, 4096, cudaHostAllocPortable),      cudaStreamSynchronize(other), cudaMemPoolTrimTo(pool, 0)};
  probe::check(cudaThreadExchangeStreamCaptureMode(&mode), "cudaThreadExchangeStreamCaptureMode");
  nothing<<<1, 32, 0, stream>>>();
  cudaGraph_t graph = nullptr;
  const cudaError_t ended = cudaStreamEndCapture(stream, &graph);
  std::string text = std::string("the capture ended with ") + cudaGetErrorName(ended);
  bool fine = ended == cudaSuccess;
  for (const cudaError_t error : seen) {
    fine = fine && (error == cudaSuccess || error == cudaErrorNotReady);
    text += std::string(", ") + cudaGetErrorName(error);
  }
  if (graph != nullptr) probe::check(cudaGraphDestroy(graph), "cudaGraphDestroy");
  static_cast<void>(cudaGetLastError());
  probe::verdict(fine, "in relaxed mode a thread that captures may allocate, query and wait in other streams", text);
  static_cast<void>(cudaFreeAsync(device, other));
  static_cast<void>(cudaFreeHost(host));
}
}  // namespace

int main() {
  probe::start();
  cudaStream_t stream;
  probe::check(cudaStreamCreateWithFlags(&stream, cudaStreamNonBlocking), "cudaStreamCreateWithFlags");
  nothing<<<1, 32, 0, stream>>>();
  probe::check(cudaDeviceSynchronize(), "synchronize");
  destroyed_while_it_runs(stream);
  relaxed_calls_while_capturing(stream);
  double one = 0, thousand = 0;
  for (const int nodes : {1, 10, 100, 1000}) {
    cudaGraph_t graph;
    cudaGraphExec_t executable;
    probe::check(cudaStreamBeginCapture(stream, cudaStreamCaptureModeThreadLocal), "cudaStreamBeginCapture");
    for (int i = 0; i < nodes; ++i) nothing<<<1, 32, 0, stream>>>();
    probe::check(cudaStreamEndCapture(stream, &graph), "cudaStreamEndCapture");
    probe::check(cudaGraphInstantiate(&executable, graph, 0), "cudaGraphInstantiate");
    probe::check(cudaGraphUpload(executable, stream), "cudaGraphUpload");
    const double ns = probe::host_ns([&] { cudaGraphLaunch(executable, stream); }, nodes > 100 ? 5 : 20);
    probe::figure("graph: launch of " + std::to_string(nodes) + " nodes, host", ns / 1e3, "us");
    const double ms = probe::gpu_ms(stream, [&] { cudaGraphLaunch(executable, stream); });
    probe::figure("graph: time of " + std::to_string(nodes) + " empty nodes, GPU", ms * 1e3, "us");
    if (nodes == 1) one = ns;
    if (nodes == 1000) thousand = ns;
    probe::check(cudaGraphExecDestroy(executable), "cudaGraphExecDestroy");
    probe::check(cudaGraphDestroy(graph), "cudaGraphDestroy");
  }
  const double node = (thousand - one) / 999;
  probe::verdict(one < 4000 && node < 3, "launching a straight-line graph costs about 2.5 us and 1 ns a node",
                 probe::text(one / 1e3, "us") + " for one node, " + probe::text(node, "ns") + " for each further one");
  return 0;
}
