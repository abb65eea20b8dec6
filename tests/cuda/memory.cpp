// SPDX-License-Identifier: Apache-2.0
// Memory of GPUs and pinned memory: reuse, figures, what happens when there is no more, and copies in flight.
#include <doctest/doctest.h>

#include <bit>
#include <concepts>
#include <cstdint>
#include <cstring>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include <situ/core/error.hpp>
#include <situ/cuda/runtime/scratch.hpp>
#include <situ/cuda/runtime/tickets.hpp>
#include <situ/memory/scope.hpp>

#include "support.hpp"

namespace {

using namespace cuda_test;  // NOLINT
using situ::internal::cuda::caching;  // off under compute-sanitizer: then nothing that was freed is found again
using situ::Pinned;
using situ::Stream;
using situ::StreamScope;
using Gpu = Cuda<0>;

constexpr std::size_t mib = std::size_t{1} << 20;

bool contains(const std::string& text, const std::string& part) { return text.find(part) != std::string::npos; }

situ::internal::cuda::MemoryInfo info(int ordinal) {
  return situ::internal::cuda::memory_info(situ::internal::cuda::device_state(ordinal));
}

/// Dies after `main`, with a block that a stream may still use.
struct AtExit {
  Storage<Gpu> gpu;
  Storage<Pinned> pinned;
};
AtExit at_exit;  // NOLINT

}  // namespace

TEST_CASE("a freed block is handed out again, in the order of its stream, without asking CUDA") {
  if (!caching()) return;
  Storage<Gpu> x = counted<0>(1);
  const void* const place = x.data();
  const auto before = situ::memory_stats<Gpu>();
  x = Storage<Gpu>();
  const auto freed = situ::memory_stats<Gpu>();
  CHECK(freed.in_use < before.in_use);
  x = counted<0>(2);
  CHECK(x.data() == place);
  CHECK(situ::memory_stats<Gpu>().pool_hits == before.pool_hits + 1);
  CHECK(read(x) == counting(2));
}

TEST_CASE("empty_cache gives memory back to the GPU") {
  situ::empty_cache<Gpu>();
  const std::size_t before = info(0).free;
  Storage<Gpu> x = Storage<Gpu>::allocate(64 * mib);
  CHECK(info(0).free <= before - 64 * mib);
  x = Storage<Gpu>();
  if (caching()) {
    CHECK(info(0).free <= before - 64 * mib);
    CHECK(situ::memory_stats<Gpu>().cached >= 64 * mib);
  }
  situ::empty_cache<Gpu>();
  CHECK(info(0).free >= before);
}

TEST_CASE("memory_stats counts what kernels compute with beside the pool, and empty_cache gives back what is kept") {
  situ::empty_cache<Gpu>();
  const auto before = situ::memory_stats<Gpu>();
  const auto other = situ::memory_stats<Cuda<1>>().workspace;
  const std::size_t counters = before.workspace;  // of the streams that have computed sums, which stay
  {
    const situ::internal::cuda::Scratch a(Gpu::queue(), 3 * mib);  // a power of two is taken
    const situ::internal::cuda::Scratch b(Gpu::queue(), 100);
    CHECK(situ::memory_stats<Gpu>().workspace == counters + 4 * mib + 512);
    situ::empty_cache<Gpu>();
    CHECK(situ::memory_stats<Gpu>().workspace == counters + 4 * mib + 512);
  }
  CHECK(situ::memory_stats<Gpu>().workspace == counters + 4 * mib + 512);  // kept
  for (int i = 0; i < 12; ++i) {
    std::vector<situ::internal::cuda::Scratch> several;  // more than are kept
    for (int j = 0; j < 12; ++j) several.emplace_back(Gpu::queue(), mib);
  }
  CHECK(situ::memory_stats<Gpu>().workspace <= counters + 4 * mib + 8 * mib);
  CHECK(situ::memory_stats<Cuda<1>>().workspace == other);
  CHECK(situ::memory_stats<Gpu>().in_use == before.in_use);
  situ::empty_cache<Gpu>();
  CHECK(situ::memory_stats<Gpu>().workspace == counters);
}

TEST_CASE_TEMPLATE("MemoryScope and the figures of every device", D, situ::Cpu, Pinned, Gpu, Cuda<1>) {
  const auto before = situ::memory_stats<D>();
  situ::MemoryScope scope(D{});
  Storage<D> kept = Storage<D>::allocate(mib);
  { const Storage<D> gone = Storage<D>::allocate(3 * mib); }
  const auto now = situ::memory_stats<D>();
  CHECK(now.in_use == before.in_use + mib);
  CHECK(now.blocks == before.blocks + 1);
  CHECK(now.allocations == before.allocations + 2);
  constexpr bool on_gpu = std::same_as<typename D::backend, Gpu::backend>;
  if (caching() || !on_gpu) CHECK(now.cached >= 3 * mib);
  CHECK(scope.peak_above_start() == 4 * mib);
  CHECK(now.peak >= scope.peak());
  situ::empty_cache<D>();
  CHECK(situ::memory_stats<D>().cached == 0);
  CHECK(situ::memory_stats<D>().in_use == now.in_use);
  situ::set_memory_limit<D>(now.in_use + mib);
  CHECK_THROWS_AS(static_cast<void>(Storage<D>::allocate(2 * mib)), situ::OutOfMemory);
  CHECK(Storage<D>::allocate(mib));
  situ::set_memory_limit<D>(static_cast<std::size_t>(-1));
  kept = {};
  CHECK(situ::memory_stats<D>().blocks == before.blocks);
}

TEST_CASE("no memory at all: the message has the figures, and the device is usable") {
  const std::size_t much = std::size_t{1} << 50;
  try {
    static_cast<void>(Storage<Gpu>::allocate(much));
    FAIL("a PiB was had");
  } catch (const situ::OutOfMemory& e) {
    const std::string text = e.what();
    CHECK(e.requested() == much);
    CHECK(contains(text, "out of memory on cuda:0"));
    CHECK(contains(text, "1.00 PiB"));
    CHECK(contains(text, "in use"));
    CHECK(contains(text, "cached"));
    CHECK(contains(text, "limit none"));
    CHECK(contains(text, "the GPU has"));
    CHECK(contains(text, "free of"));
  }
  CHECK(read(counted<0>(4)) == counting(4));
  CHECK_THROWS_AS(situ::internal::cuda::Scratch(Gpu::queue(), much), situ::OutOfMemory);
  CHECK(read(counted<0>(4)) == counting(4));
}

TEST_CASE("set_memory_limit holds for GPUs") {
  situ::empty_cache<Gpu>();
  situ::set_memory_limit<Gpu>(situ::memory_stats<Gpu>().in_use + 2 * mib);
  CHECK_THROWS_AS(static_cast<void>(Storage<Gpu>::allocate(4 * mib)), situ::OutOfMemory);
  static_cast<void>(Storage<Gpu>::allocate(mib));
  situ::set_memory_limit<Gpu>(static_cast<std::size_t>(-1));
  static_cast<void>(Storage<Gpu>::allocate(4 * mib));
}

TEST_CASE("set_memory_limit counts what kernels compute with, and what is kept of either gives way to the other") {
  using situ::internal::cuda::Scratch;
  const auto limit = [](std::size_t more) {
    const auto stats = situ::memory_stats<Gpu>();
    situ::set_memory_limit<Gpu>(stats.in_use + stats.cached + stats.workspace + more);
  };
  situ::empty_cache<Gpu>();
  const std::size_t before = situ::memory_stats<Gpu>().workspace;
  limit(4 * mib);
  {
    const Scratch scratch(Gpu::queue(), 2 * mib);
    try {
      static_cast<void>(Storage<Gpu>::allocate(3 * mib));
      FAIL("the limit does not count the workspace");
    } catch (const situ::OutOfMemory& e) {
      CHECK(contains(e.what(), "2.00 MiB (2097152 bytes) to compute with, limit"));
    }
    const Storage<Gpu> x = Storage<Gpu>::allocate(2 * mib);
    try {
      const Scratch more(Gpu::queue(), 512);
      FAIL("the limit does not hold for the workspace");
    } catch (const situ::OutOfMemory& e) {
      CHECK(contains(e.what(), "512 bytes asked for to compute with"));
      CHECK(contains(e.what(), "raise the limit"));
    }
    CHECK(situ::memory_stats<Gpu>().workspace == before + 2 * mib);  // what failed is not counted
  }
  { const Scratch scratch(Gpu::queue(), 4 * mib); }  // for which cached and kept blocks go
  CHECK(situ::memory_stats<Gpu>().cached == 0);
  CHECK(situ::memory_stats<Gpu>().workspace == before + 4 * mib);  // kept
  { const Storage<Gpu> x = Storage<Gpu>::allocate(4 * mib); }
  CHECK(situ::memory_stats<Gpu>().workspace == before);
  situ::empty_cache<Gpu>();
  situ::set_memory_limit<Gpu>(static_cast<std::size_t>(-1));
  { const Scratch scratch(Gpu::queue(), 4 * mib); }
  const std::size_t other = situ::memory_stats<Cuda<1>>().workspace;
  situ::set_memory_limit<Gpu>(situ::memory_stats<Gpu>().in_use + before + mib);
  CHECK(situ::memory_stats<Gpu>().workspace == before);
  situ::set_memory_limit<Gpu>(0);
  CHECK_THROWS_AS(static_cast<void>(Storage<Gpu>::allocate(1)), situ::OutOfMemory);
  CHECK_THROWS_AS(Scratch(Gpu::queue(), 1), situ::OutOfMemory);
  { const Scratch elsewhere(Cuda<1>::queue(), mib); }
  CHECK(situ::memory_stats<Cuda<1>>().workspace >= other);
  situ::set_memory_limit<Gpu>(static_cast<std::size_t>(-1));
  CHECK(read(counted<0>(4)) == counting(4));
}

TEST_CASE("blocks of no bytes, and of every size class up to 1 MiB, start at multiples of 64") {
  for (std::size_t bytes = 0; bytes < mib; bytes = bytes * 3 / 2 + 1) {
    const Storage<Gpu> x = Storage<Gpu>::allocate(bytes);
    CHECK(reinterpret_cast<std::uintptr_t>(x.data()) % 64 == 0);
    CHECK(x.bytes() == bytes);
  }
}

TEST_CASE("pinned memory is not overwritten while a copy reads it") {
  Storage<Pinned> host = Storage<Pinned>::allocate(array_bytes);
  const std::vector<std::int64_t> values = counting(5);
  std::memcpy(host.data(), values.data(), array_bytes);
  const Storage<Gpu> x = Storage<Gpu>::allocate(array_bytes);
  const Storage<Gpu> y = Storage<Gpu>::allocate(array_bytes);
  CHECK(host.idle());
  situ::internal::cuda::transfer_bytes(Gpu::queue(), host, 0, x, array_bytes);

  SUBCASE("in place: the owner is told") {
#if defined(SITU_CUDA_EMULATED)
    // In a random order the copy may be over, or the question may run it, with other work pending still.
    if (situ::internal::cuda::emulated::machine().order == situ::internal::cuda::emulated::Order::late)
      CHECK_FALSE(host.idle());
#endif
    situ::synchronize<Gpu>();
    CHECK(host.idle());
  }
  SUBCASE("after it was freed: whoever gets the block next waits") {
    host = Storage<Pinned>();
    for (int i = 0; i < 3; ++i) {
      host = Storage<Pinned>::allocate(array_bytes);
      std::memset(host.data(), 0xee, array_bytes);
    }
  }
  SUBCASE("two copies of one block") {
    situ::internal::cuda::transfer_bytes(Gpu::queue(), host, 0, y, array_bytes);
    host = Storage<Pinned>();
    situ::empty_cache<Pinned>();  // for good
    CHECK(read(y) == values);
  }
  CHECK(read(x) == values);
}

TEST_CASE("static objects may hold blocks of GPUs and pinned ones in use") {
  at_exit.gpu = counted<0>(1);
  at_exit.pinned = Storage<Pinned>::allocate(array_bytes);
  situ::internal::cuda::transfer_bytes(Gpu::queue(), at_exit.pinned, 0, at_exit.gpu, array_bytes);
  if (!is_child()) {
    CHECK(passes_alone("static objects may hold blocks of GPUs and pinned ones in use", ""));
    at_exit = AtExit{};
  }
}

TEST_CASE("SITU_CUDA_POOL=off keeps nothing") {
  if (!is_child()) {
    CHECK(passes_alone("SITU_CUDA_POOL=off keeps nothing", "SITU_CUDA_POOL=off"));
    return;
  }
  Storage<Gpu> x = counted<0>(1);
  CHECK(read(x) == counting(1));
  x = Storage<Gpu>();
  const auto stats = situ::memory_stats<Gpu>();
  CHECK(stats.in_use == 0);
  CHECK(stats.cached == 0);
  CHECK(read(counted<0>(2)) == counting(2));
}

#if defined(SITU_CUDA_EMULATED)

namespace {

/// Limits the memory of a GPU while it lives.
struct SmallGpu {
  SmallGpu(int gpu, std::size_t bytes) : device(gpu), before(info(0).total) {
    situ::internal::cuda::emulated::set_device_memory(device, bytes);
  }
  ~SmallGpu() { situ::internal::cuda::emulated::set_device_memory(device, before); }
  int device;
  std::size_t before;
};

}  // namespace

TEST_CASE("out of memory: what is free goes back to the GPU first; what is in use keeps its values") {
  situ::empty_cache<Gpu>();
  const SmallGpu small(0, info(0).total - info(0).free + 16 * mib);
  const Storage<Gpu> kept = counted<0>(7);
  std::vector<Storage<Gpu>> several;
  for (int i = 0; i < 9; ++i) several.push_back(Storage<Gpu>::allocate(mib));
  const Stream<Gpu> side;
  {
    const StreamScope scope(side);
    combine(kept, kept, several[3], 0);  // still pending when its memory goes
  }
  several.clear();
  const Storage<Gpu> whole = Storage<Gpu>::allocate(12 * mib);  // the nine are too small
  CHECK(whole.data() != nullptr);
  try {
    static_cast<void>(Storage<Gpu>::allocate(12 * mib));
    FAIL("more was had than there is");
  } catch (const situ::OutOfMemory& e) {
    CHECK(contains(e.what(), "12.00 MiB"));
  }
  CHECK(read(kept) == counting(7));
  CHECK(read(counted<0>(8)) == counting(8));
  CHECK_THROWS_AS(situ::internal::cuda::Scratch(Gpu::queue(), 14 * mib), situ::OutOfMemory);
  const situ::internal::cuda::Scratch enough(Gpu::queue(), 64 * 1024);
}

TEST_CASE("out of memory: the counters of a new stream get what the pool and the streams keep") {
  if (!caching()) return;
  using situ::internal::cuda::Scratch;
  situ::empty_cache<Gpu>();
  const Storage<Gpu> kept = counted<0>(7);
  const SmallGpu small(0, info(0).total - info(0).free + 4 * mib);
  for (const bool of_pool : {true, false}) {
    // A new one: a stream that was given back may have its counters.
    const Gpu::backend fresh{0, situ::internal::cuda::detail::make_stream(situ::internal::cuda::device_state(0))};
    std::vector<Storage<Gpu>> most;
    std::vector<Scratch> more;
    for (std::size_t free = info(0).free; free >= 512; free = info(0).free) {
      if (of_pool) most.push_back(Storage<Gpu>::allocate(std::bit_floor(free)));
      else more.emplace_back(Gpu::queue(), std::bit_floor(free));
    }
    CHECK_THROWS_AS(static_cast<void>(situ::internal::cuda::tickets(fresh)), situ::OutOfMemory);
    most.clear();
    more.clear();
    CHECK(info(0).free < 512);  // all of it is kept
    CHECK(situ::internal::cuda::tickets(fresh) != nullptr);
    CHECK(situ::internal::cuda::tickets(fresh) == situ::internal::cuda::tickets(fresh));
    if (of_pool) situ::empty_cache<Gpu>();
  }
  CHECK(read(kept) == counting(7));
}

TEST_CASE("out of memory: two logical devices on one GPU give way to each other") {
  if (!caching()) return;
  if (!is_child()) {
    CHECK(
        passes_alone("out of memory: two logical devices on one GPU give way to each other", "SITU_CUDA_DEVICES=0,0"));
    return;
  }
  REQUIRE(situ::internal::cuda::device_count() == 2);
  const Storage<Cuda<0>> kept = counted<0>(7);
  const SmallGpu small(0, info(0).total - info(0).free + 16 * mib);
  { const Storage<Cuda<0>> cached = Storage<Cuda<0>>::allocate(12 * mib); }
  CHECK(situ::memory_stats<Cuda<0>>().cached >= 12 * mib);
  {
    const Storage<Cuda<1>> other = Storage<Cuda<1>>::allocate(12 * mib);
    CHECK(situ::memory_stats<Cuda<0>>().cached == 0);
    CHECK_THROWS_AS(static_cast<void>(Storage<Cuda<0>>::allocate(12 * mib)), situ::OutOfMemory);
  }
  static_cast<void>(Storage<Cuda<0>>::allocate(12 * mib));
  CHECK(read(kept) == counting(7));
  CHECK(read(counted<1>(8)) == counting(8));
}

#endif
