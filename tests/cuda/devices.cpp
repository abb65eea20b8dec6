// SPDX-License-Identifier: Apache-2.0
// Which GPU `Cuda<N>` is, that the caller's current device is its own, and copies between GPUs.
#include <doctest/doctest.h>

#include <algorithm>
#include <concepts>
#include <cstdint>
#include <cstdlib>
#include <string>
#include <thread>
#include <vector>

#include <situ/core/error.hpp>
#include <situ/cuda/runtime/launch_path.hpp>
#include <situ/cuda/runtime/scratch.hpp>
#include <situ/device/properties.hpp>
#include <situ/device/runtime.hpp>

#include "support.hpp"

namespace {

using namespace cuda_test;  // NOLINT
using situ::StreamEvent;
using situ::Pinned;
using situ::Stream;
using situ::StreamScope;
namespace api = situ::internal::cuda::api;

bool contains(const std::string& text, const std::string& part) { return text.find(part) != std::string::npos; }

int current_device() {
  int device = -1;
  REQUIRE(api::get_device(&device) == api::success);
  return device;
}

template <int From, int To>
Storage<Cuda<To>> moved(const Storage<Cuda<From>>& from) {
  Storage<Cuda<To>> to = Storage<Cuda<To>>::allocate(array_bytes);
  situ::internal::cuda::transfer_bytes(Cuda<To>::queue(), from, 0, to, array_bytes);
  return to;
}

/// All that the runtime does on device `N`, from a cold start of it where nothing ran before.
template <int N>
void use_everything() {
  const Stream<Cuda<N>> side;
  StreamEvent<Cuda<N>> event(situ::Timing::on);
  Storage<Cuda<N>> y;
  {
    const StreamScope scope(side);
    y = counted<N>(1);
    const situ::internal::cuda::Scratch scratch(Cuda<N>::queue(), 100000);
    event.record();
  }
  combine(y, y, y, 0);
  const auto backend = Cuda<N>::queue();
  const Storage<Pinned> host = Storage<Pinned>::allocate(array_bytes);
  situ::internal::cuda::transfer_bytes(backend, y, 0, host, array_bytes);
  situ::internal::cuda::transfer_bytes(backend, host, 0, y, array_bytes);
  CHECK(read(y) == combined(counting(1), counting(1), 0));
  static_cast<void>(situ::internal::cuda::fault_of(backend));
  situ::synchronize<Cuda<N>>();
  y = Storage<Cuda<N>>();
  situ::empty_cache<Cuda<N>>();
  situ::empty_cache<Pinned>();
  CHECK_THROWS_AS(static_cast<void>(Storage<Cuda<N>>::allocate(std::size_t{1} << 50)), situ::OutOfMemory);
  const std::vector<std::int64_t> values = counting(3);
  const Storage<Cpu> pageable = Storage<Cpu>::allocate(array_bytes);
  std::copy(values.begin(), values.end(), words(pageable));
  const Storage<Cuda<N>> z = Storage<Cuda<N>>::allocate(array_bytes);
  situ::internal::cuda::transfer_bytes(backend, pageable, 0, z, array_bytes);
  CHECK(read(z) == values);
}

int physical_gpus() {
  int count = 0;
  REQUIRE(api::device_count(&count) == api::success);
  return count;
}

}  // namespace

TEST_CASE("the names of GPUs") {
  CHECK(Cuda<0>::name() == (api::emulated ? "cuda:0 (emulated)" : "cuda:0"));
  CHECK(situ::device_name(situ::gpu<7>) == (api::emulated ? "cuda:7 (emulated)" : "cuda:7"));
  CHECK(situ::device_count<Cuda>() >= 2);
  CHECK(situ::is_available<Cuda<1>>());
  CHECK_FALSE(situ::is_available<Cuda<63>>());
}

TEST_CASE("no call changes the caller's current device, whatever it is") {
  const int before = current_device();
  for (int current = 0; current < physical_gpus(); ++current) {
    REQUIRE(api::set_device(current) == api::success);
    use_everything<0>();
    CHECK(current_device() == current);
    use_everything<1>();
    CHECK(current_device() == current);
    CHECK(read(moved<0, 1>(counted<0>(5))) == counting(5));
    CHECK(current_device() == current);
  }
  REQUIRE(api::set_device(before) == api::success);
}

TEST_CASE("a program that uses the second GPU alone leaves the first alone, in every thread") {
  const char* const name = "a program that uses the second GPU alone leaves the first alone, in every thread";
  if (!is_child()) {
    if (physical_gpus() < 2) return;
    for (const char* const path : {"driver", "runtime"})
      CHECK(passes_alone(name, "SITU_CUDA_DEVICES= SITU_LAUNCH=" + std::string(path)));
    return;
  }
  REQUIRE_FALSE(api::has_context(0));
  use_everything<1>();
  // threads whose first call waits, asks, or gives memory back
  const auto alone = [](auto f) { std::thread(f).join(); };
  Storage<Cuda<1>> x = counted<1>(1);
  Storage<Pinned> host = Storage<Pinned>::allocate(array_bytes);
  StreamEvent<Cuda<1>> event;
  event.record();
  situ::internal::cuda::transfer_bytes(Cuda<1>::queue(), host, 0, x, array_bytes);
  alone([&] { static_cast<void>(host.idle()); });
  alone([&] { event.synchronize(); });
  alone([] { static_cast<void>(Stream<Cuda<1>>::compute().idle()); });
  alone([] { situ::synchronize<Cuda<1>>(); });
  alone([] { CHECK(read(counted<1>(2)) == counting(2)); });
  x = {};
  host = {};
  alone([] { situ::empty_cache<Cuda<1>>(); });
  alone([] { situ::empty_cache<Pinned>(); });
  CHECK_FALSE(api::has_context(0));
}

TEST_CASE("kernels are launched either way, whatever device is current, from threads that have none") {
  const char* const name =
      "kernels are launched either way, whatever device is current, from threads that have none";
  if (!is_child()) {
    std::vector<std::string> ways = {"SITU_LAUNCH=driver", "SITU_LAUNCH=runtime"};
    if (api::emulated) ways.emplace_back("SITU_EMULATED_DRIVER=12080");
    for (const std::string& way : ways) CHECK(passes_alone(name, way));
    return;
  }
  if (api::emulated) {  // elsewhere it is the driver that decides
    using situ::internal::cuda::LaunchPath;
    const char* const wish = std::getenv("SITU_LAUNCH");
    const bool by_runtime =
        std::getenv("SITU_EMULATED_DRIVER") != nullptr || (wish != nullptr && wish == std::string("runtime"));
    CHECK(situ::internal::cuda::launch_path() == (by_runtime ? LaunchPath::runtime : LaunchPath::driver));
  }
  const Storage<Cuda<0>> x = counted<0>(3);
  const Storage<Cuda<1>> y = counted<1>(4);
  for (int current = 0; current < physical_gpus(); ++current) {
    REQUIRE(api::set_device(current) == api::success);
    combine(x, x, x, 1);
    combine(y, y, y, 2);
  }
  // the stream is known: the launch is the first call of CUDA in the thread
  const auto backend = Cuda<0>::queue();
  std::thread([&] {
    situ::internal::cuda::launch(backend, array_grid, Combine{words(x), words(x), words(x), 5, array_count});
  }).join();
  std::vector<std::int64_t> of_x = counting(3), of_y = counting(4);
  for (int i = 0; i < physical_gpus(); ++i) {
    of_x = combined(of_x, of_x, 1);
    of_y = combined(of_y, of_y, 2);
  }
  CHECK(read(x) == combined(of_x, of_x, 5));
  CHECK(read(y) == of_y);
}

TEST_CASE("a grid that no GPU takes is refused, and not cut to 32 bits") {
  const auto backend = Cuda<0>::queue();
  const Storage<Cuda<0>> x = counted<0>(1);
  using situ::internal::cuda::Grid;
  for (const Grid grid :
       {Grid{std::int64_t{1} << 31, 1}, Grid{(std::int64_t{1} << 32) + 1, 1}, Grid{0, 1}, Grid{1, 65536}}) {
    try {
      situ::internal::cuda::launch(backend, grid, Count{words(x), 7, array_count});
      FAIL("launched");
    } catch (const situ::CudaError& e) {
      CHECK(e.name() == "cudaErrorInvalidConfiguration");
      CHECK(contains(e.what(), "kernel test_count, grid " + std::to_string(grid.x) + " x " + std::to_string(grid.y)));
    }
  }
  CHECK(read(x) == counting(1));
}

TEST_CASE("shared memory that a kernel declares counts beside what its launch asks for") {
  const Storage<Cuda<0>> x = counted<0>(1);
  const auto backend = Cuda<0>::queue();
  for (const std::size_t kib : {4u, 36u, 20u}) {  // with the 24 KiB declared: less than 48, more, less
    before_write(backend, x);
    situ::internal::cuda::launch(backend, {1, 1}, Turned{words(x), array_count}, kib << 10);
  }
  CHECK(read(x) == counting(1));
}

TEST_CASE("large copies between GPUs arrive whole") {
  // Both ways: first the memory that is read has been opened to the reader, then both.
  const std::int64_t count = (std::int64_t{72} << 20) / 8 + 3;
  const std::size_t bytes = static_cast<std::size_t>(count) * 8;
  const auto blocks = (count + 63) / 64;
  const Storage<Cuda<0>> x = Storage<Cuda<0>>::allocate(bytes);
  const Storage<Cuda<1>> y = Storage<Cuda<1>>::allocate(bytes);
  const auto first = Cuda<0>::queue();
  const auto second = Cuda<1>::queue();
  const Storage<Cpu> host = Storage<Cpu>::allocate(bytes);
  const auto counts_from = [&](std::int64_t k) {
    std::int64_t wrong = 0;
    for (std::int64_t i = 0; i < count; ++i) wrong += words(host)[i] != k + i;
    return wrong == 0;
  };
  before_write(first, x);
  situ::internal::cuda::launch(first, {blocks, 1}, Count{words(x), 11, count});
  situ::internal::cuda::transfer_bytes(second, x, 0, y, bytes);
  situ::internal::cuda::transfer_bytes(second, y, 0, host, bytes);
  CHECK(counts_from(11));
  before_write(second, y);
  situ::internal::cuda::launch(second, {blocks, 1}, Count{words(y), 12, count});
  situ::internal::cuda::transfer_bytes(first, y, 0, x, bytes);
  situ::internal::cuda::transfer_bytes(first, x, 0, host, bytes);
  CHECK(counts_from(12));
}

TEST_CASE("a copy between GPUs is ordered after the work on its source and before the work on its target") {
  const Stream<Cuda<0>> side0;
  const Stream<Cuda<1>> side1;
  for (const bool beside : {false, true}) {
    const StreamScope scope0(beside ? Stream<Cuda<0>>::compute() : Stream<Cuda<0>>(Stream<Cuda<0>>::current()));
    Storage<Cuda<0>> x = counted<0>(1);
    Storage<Cuda<1>> y = moved<0, 1>(x);
    combine(x, x, x, 9);  // after the copy has read x
    combine(y, y, y, 1);
    Storage<Cuda<0>> z;
    {
      const StreamScope other0(side0);
      const StreamScope other1(side1);
      z = moved<1, 0>(y);
      y = Storage<Cuda<1>>();
    }
    y = counted<1>(77);  // may be the block that the copy reads
    CHECK(read(z) == combined(counting(1), counting(1), 1));
    CHECK(read(x) == combined(counting(1), counting(1), 9));
    CHECK(read(y) == counting(77));
  }
}

TEST_CASE("with_gpus: the first ones, as many as there are and as are asked for") {
  const int there = situ::device_count<situ::Cuda>();
  const auto count = [](auto... devices) {
    return static_cast<int>((0 + ... + (std::same_as<decltype(devices), situ::Cpu> ? 0 : 1)));
  };
  CHECK(situ::with_gpus<1>(count) == std::min(there, 1));
  CHECK(situ::with_gpus<2>(count) == std::min(there, 2));
  CHECK(situ::with_gpus<8>(count) == std::min(there, 8));
}

TEST_CASE("a device by its name") {
  using situ::parse_device;
  CHECK(parse_device("cuda") == situ::gpu<0>);
  CHECK(parse_device<Cpu, Cuda<0>, Cuda<1>>("cuda:1") == situ::gpu<1>);
  CHECK(parse_device<Cuda<1>, Cuda<0>>(situ::device_name(situ::gpu<0>)) == situ::gpu<0>);  // "cuda:0 (emulated)"
  CHECK_THROWS_WITH_AS(static_cast<void>(parse_device("cuda:1")), doctest::Contains("choose from: cpu, cuda:0;"),
                       situ::ValueError);
  CHECK_THROWS_AS((static_cast<void>(parse_device<Cpu, Cuda<63>>("cuda:63"))), situ::DeviceUnavailable);
}

TEST_CASE("what a GPU is, and how much of its memory is free") {
  const situ::DeviceProperties properties = situ::device_properties(situ::gpu<1>);
  CHECK(contains(properties.name, api::emulated ? "emulated GPU" : "NVIDIA"));
  CHECK(properties.processors >= 1);
  CHECK(properties.capability_major >= 7);
  CHECK(properties.capability_minor < 10);
  CHECK(properties.warp_size == 32);
  CHECK(properties.max_threads_per_block == 1024);
  CHECK(properties.max_threads_per_processor >= 1024);
  CHECK(properties.shared_memory_per_block >= std::size_t{48} << 10);
  CHECK(properties.max_shared_memory_per_block >= properties.shared_memory_per_block);
  CHECK((properties.cache == 0) == api::emulated);
  CHECK(situ::device_properties(situ::try_gpu<1>()).name == properties.name);
  situ::empty_cache<Cuda<1>>();
  const situ::MemoryInfo before = situ::memory_info(situ::gpu<1>);
  CHECK(before.free <= before.total);
  CHECK(before.total <= properties.total_memory);
  const std::size_t bytes = std::size_t{256} << 20;
  const Storage<Cuda<1>> block = Storage<Cuda<1>>::allocate(bytes);
  CHECK(situ::memory_info(situ::gpu<1>).free + bytes <= before.free);
  CHECK_THROWS_AS(static_cast<void>(situ::device_properties<Cuda<63>>()), situ::DeviceUnavailable);
  CHECK_THROWS_AS(static_cast<void>(situ::memory_info<Cuda<64>>()), situ::DeviceUnavailable);
}

TEST_CASE("SITU_CUDA_DEVICES and set_devices: one GPU as two devices") {
  if (!is_child()) {
    CHECK(passes_alone("SITU_CUDA_DEVICES and set_devices: one GPU as two devices", "SITU_CUDA_DEVICES=0,0"));
    CHECK(passes_alone("SITU_CUDA_DEVICES and set_devices: one GPU as two devices",
                       "SITU_CUDA_DEVICES=0 SITU_TEST_SET=1"));
    CHECK_THROWS_AS(situ::internal::cuda::set_devices({0, 0}), situ::ValueError);  // in use
    return;
  }
  if (std::getenv("SITU_TEST_SET") != nullptr) {
    CHECK(situ::internal::cuda::device_count() == 1);
    CHECK(situ::device_properties<Cuda<0>>().warp_size == 32);  // does not use it
    CHECK_THROWS_AS(situ::internal::cuda::set_devices({0, 99}), situ::ValueError);
    CHECK_THROWS_AS(situ::internal::cuda::set_devices({-1}), situ::ValueError);
    situ::internal::cuda::set_devices({0, 0});
  }
  REQUIRE(situ::internal::cuda::device_count() == 2);
  const auto& first = situ::internal::cuda::device_state(0);
  const auto& second = situ::internal::cuda::device_state(1);
  CHECK(first.physical == second.physical);
  CHECK(first.pool != second.pool);
  CHECK(first.compute->stream != second.compute->stream);
  use_everything<0>();
  use_everything<1>();
  CHECK(read(moved<1, 0>(moved<0, 1>(counted<0>(5)))) == counting(5));  // no peer call: a GPU is no peer of itself
  const auto before = situ::memory_stats<Cuda<1>>().in_use;
  const Storage<Cuda<0>> x = counted<0>(1);
  CHECK(situ::memory_stats<Cuda<1>>().in_use == before);
  CHECK_THROWS_AS(static_cast<void>(Storage<Cuda<2>>::allocate(8)), situ::DeviceUnavailable);
  CHECK_THROWS_AS(situ::internal::cuda::set_devices({0}), situ::ValueError);
}

TEST_CASE("SITU_CUDA_DEVICES that cannot be: no GPU, and the reason") {
  if (!is_child()) {
    for (const char* const list : {"0,x", "0,99", ",", "-1", "0 0"}) {
      CHECK(passes_alone("SITU_CUDA_DEVICES that cannot be: no GPU, and the reason",
                         "SITU_CUDA_DEVICES='" + std::string(list) + "'"));
    }
    return;
  }
  CHECK(contains(situ::internal::cuda::unavailable_reason(),  // the first question that is asked
                 std::string("SITU_CUDA_DEVICES=") + std::getenv("SITU_CUDA_DEVICES")));
  CHECK(situ::internal::cuda::device_count() == 0);
  try {
    static_cast<void>(Storage<Cuda<0>>::allocate(8));
    FAIL("a GPU");
  } catch (const situ::DeviceUnavailable& e) {
    CHECK(contains(e.what(), "0 GPUs found"));
    CHECK(contains(e.what(), "SITU_CUDA_DEVICES="));
  }
  // host memory for copies is then ordinary memory
  Storage<Pinned> host = Storage<Pinned>::allocate(array_bytes);
  words(host)[0] = 1;
  CHECK(host.idle());
}

#if defined(SITU_CUDA_EMULATED)

TEST_CASE("GPUs that cannot reach each other's memory copy by way of the host, in order") {
  namespace emulated = situ::internal::cuda::emulated;
  auto& first = situ::internal::cuda::device_state(0);
  auto& second = situ::internal::cuda::device_state(1);
  if (first.physical == second.physical) return;
  emulated::set_peer_access(0, 1, false);
  emulated::set_peer_access(1, 0, false);
  first.peers = {};
  second.peers = {};
  const std::size_t bytes = std::size_t{21} << 20;  // once around the ring of chunks, and on
  const auto count = static_cast<std::int64_t>(bytes / sizeof(std::int64_t));
  const Storage<Cuda<0>> x = Storage<Cuda<0>>::allocate(bytes);
  const auto backend = Cuda<0>::queue();
  situ::internal::cuda::launch(backend, {(count + 63) / 64, 1}, Count{words(x), 0, count});
  const Storage<Cuda<1>> y = Storage<Cuda<1>>::allocate(bytes);
  situ::internal::cuda::transfer_bytes(Cuda<1>::queue(), x, 0, y, bytes);
  combine(x, x, x, 9);
  CHECK(read(moved<1, 0>(moved<0, 1>(counted<0>(5)))) == counting(5));
  CHECK(first.peers[1] == -1);
  CHECK(read(y) == counting(0));
  const Storage<Cpu> first_bytes = Storage<Cpu>::allocate(array_bytes);
  for (std::size_t at = 0; at + array_bytes <= bytes; at += std::size_t{4} << 20) {
    situ::internal::cuda::transfer_bytes(Cuda<1>::queue(), y, at, first_bytes, array_bytes);
    CHECK(words(first_bytes)[0] == static_cast<std::int64_t>(at / sizeof(std::int64_t)));
  }
  {
    // the source was written in another stream than the copy begins in
    const Stream<Cuda<0>> side;
    Storage<Cuda<0>> aside;
    {
      const StreamScope scope(side);
      aside = counted<0>(31);
    }
    const Storage<Cuda<1>> arrived = moved<0, 1>(aside);
    synchronize(Stream<Cuda<0>>::compute());  // must have made it wait for the side stream
    combine(aside, aside, aside, 1);
    CHECK(read(arrived) == counting(31));
  }
  const Storage<Cpu> last = Storage<Cpu>::allocate(array_bytes);
  situ::internal::cuda::transfer_bytes(Cuda<1>::queue(), y, bytes - array_bytes, last, array_bytes);
  CHECK(words(last)[array_count - 1] == count - 1);
  emulated::set_peer_access(0, 1, true);
  emulated::set_peer_access(1, 0, true);
  first.peers = {};
  second.peers = {};
  CHECK(read(moved<0, 1>(counted<0>(6))) == counting(6));
  CHECK(first.peers[1] == 1);
}

#endif
