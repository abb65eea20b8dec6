// SPDX-License-Identifier: Apache-2.0
// Memory of the host for calls of a library: who may still use it when the call has returned, in whatever stream.
#include <doctest/doctest.h>

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <functional>
#include <memory>
#include <set>
#include <utility>

#include "../../src/cuda/host_workspace.hpp"
#include "support.hpp"

using namespace situ;

namespace {

namespace api = internal::cuda::api;
using internal::cuda::HostWorkspaces;

/// Runs `f` on the host in the stream's turn, as a library's call may.
void put_into(const internal::cuda::StreamState& stream, std::function<void()> f) {
#if defined(SITU_CUDA_EMULATED)
  REQUIRE(internal::cuda::emulated::enqueue(stream.stream, "a library's work on the host", std::move(f)) ==
          api::success);
#else
  auto kept = std::make_unique<std::function<void()>>(std::move(f));
  const auto call = [](void* given) {
    const std::unique_ptr<std::function<void()>> own(static_cast<std::function<void()>*>(given));
    (*own)();
  };
  REQUIRE(cudaLaunchHostFunc(stream.stream, call, kept.get()) == cudaSuccess);
  static_cast<void>(kept.release());
#endif
}

TEST_CASE("host memory of calls in several streams: each has its own until its stream has passed") {
  HostWorkspaces workspaces;
  const internal::cuda::DeviceState& device = internal::cuda::device_state(0);
  const internal::cuda::DeviceGuard guard(device.physical, 0);
  const Stream<Cuda<0>> streams[3];
  std::atomic<std::int64_t> spoiled = 0, ran = 0;  // threads of CUDA may run them
  for (int call = 0; call < 30; ++call) {
    const StreamScope scope(streams[call % 3]);
    internal::cuda::StreamState& stream = *Cuda<0>::queue().stream;
    const auto bytes = static_cast<std::size_t>(1000 * (call % 5 + 1));
    const HostWorkspaces::Use host(workspaces, stream, bytes);
    auto* const memory = static_cast<unsigned char*>(host.data());
    std::memset(memory, call + 1, bytes);
    put_into(stream, [=, &spoiled, &ran] {
      for (std::size_t i = 0; i < bytes; ++i) spoiled += memory[i] != call + 1;
      ++ran;
    });
    if (call % 7 == 6) REQUIRE(api::device_synchronize() == api::success);
  }
  REQUIRE(api::device_synchronize() == api::success);
  CHECK(ran.load() == 30);
  CHECK(spoiled.load() == 0);
}

TEST_CASE("host memory of calls that are over is used again; many at a time wait for the first") {
  HostWorkspaces workspaces;
  const internal::cuda::DeviceState& device = internal::cuda::device_state(0);
  const internal::cuda::DeviceGuard guard(device.physical, 0);
  internal::cuda::StreamState& stream = *Cuda<0>::queue().stream;
  CHECK(HostWorkspaces::Use(workspaces, stream, 0).data() == nullptr);
  std::set<void*> seen;
  for (int call = 0; call < 100; ++call) {
    const HostWorkspaces::Use host(workspaces, stream, 64);
    seen.insert(host.data());
    put_into(stream, [] {});
  }
  CHECK(seen.size() <= HostWorkspaces::most_pieces);
  REQUIRE(api::device_synchronize() == api::success);
  void* const large = HostWorkspaces::Use(workspaces, stream, 5000).data();
  REQUIRE(api::device_synchronize() == api::success);
  CHECK(HostWorkspaces::Use(workspaces, stream, 10).data() == large);  // the largest that is free
}

}  // namespace
