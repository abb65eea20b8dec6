// SPDX-License-Identifier: Apache-2.0
// What launching a straight-line CUDA graph costs the host, by its number of nodes.
#include "probe.hpp"

namespace {
__global__ void nothing() {}
}  // namespace

int main() {
  probe::start();
  cudaStream_t stream;
  probe::check(cudaStreamCreateWithFlags(&stream, cudaStreamNonBlocking), "cudaStreamCreateWithFlags");
  nothing<<<1, 32, 0, stream>>>();
  probe::check(cudaDeviceSynchronize(), "synchronize");
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
