// SPDX-License-Identifier: Apache-2.0
// Host costs of the calls that order streams and of the questions that a library might ask at every operation.
#include "probe.hpp"

namespace {
__global__ void nothing() {}
}  // namespace

int main() {
  probe::start();
  cudaStream_t a, b;
  probe::check(cudaStreamCreateWithFlags(&a, cudaStreamNonBlocking), "cudaStreamCreateWithFlags");
  probe::check(cudaStreamCreateWithFlags(&b, cudaStreamNonBlocking), "cudaStreamCreateWithFlags");
  cudaEvent_t event;
  probe::check(cudaEventCreateWithFlags(&event, cudaEventDisableTiming), "cudaEventCreateWithFlags");
  const double record = probe::host_ns([&] { cudaEventRecord(event, a); });
  probe::figure("events: cudaEventRecord", record, "ns");
  const double wait = probe::host_ns([&] { cudaStreamWaitEvent(b, event, 0); });
  probe::figure("events: cudaStreamWaitEvent, event completed", wait, "ns");
  probe::verdict(record < 2000 && wait < 2000, "recording an event and waiting for one cost about 1 us each",
                 probe::text(record, "ns") + " and " + probe::text(wait, "ns"));
  probe::figure("events: record, wait in the other stream, and the same back",
                probe::host_ns(
                    [&] {
                      cudaEventRecord(event, a);
                      cudaStreamWaitEvent(b, event, 0);
                      cudaEventRecord(event, b);
                      cudaStreamWaitEvent(a, event, 0);
                    },
                    50),
                "ns");
  probe::figure("events: cudaEventQuery, completed", probe::host_ns([&] { cudaEventQuery(event); }), "ns");
  probe::figure("events: cudaStreamQuery, idle", probe::host_ns([&] { cudaStreamQuery(a); }), "ns");
  probe::figure("events: cudaStreamSynchronize, idle", probe::host_ns([&] { cudaStreamSynchronize(a); }), "ns");
  probe::figure("events: cudaEventCreate + cudaEventDestroy", probe::host_ns([&] {
                  cudaEvent_t e;
                  cudaEventCreateWithFlags(&e, cudaEventDisableTiming);
                  cudaEventDestroy(e);
                }),
                "ns");
  int device = 0;
  probe::figure("cudaGetDevice", probe::host_ns([&] { cudaGetDevice(&device); }), "ns");
  probe::figure("cudaSetDevice, the same device", probe::host_ns([&] { cudaSetDevice(0); }), "ns");
  probe::figure("cudaGetLastError", probe::host_ns([&] { static_cast<void>(cudaGetLastError()); }), "ns");
  // the shortest way from an idle GPU to its answer
  probe::figure("launch of an empty kernel and cudaStreamSynchronize", probe::host_ns([&] {
                                                                         nothing<<<1, 32, 0, a>>>();
                                                                         cudaStreamSynchronize(a);
                                                                       }) / 1e3,
                "us");
  probe::check(cudaGetLastError(), "events");
  return 0;
}
