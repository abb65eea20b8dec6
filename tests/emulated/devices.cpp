// SPDX-License-Identifier: Apache-2.0
// Several devices: the current one of each thread, what belongs to which, and access between them.
#include <thread>

#include "machine.hpp"

namespace {
using namespace emulated_tests;
using emulated::ErrorCode;

TEST_CASE("two devices of two multiprocessors, never mistaken for real ones") {
  const FreshMachine fresh;
  int count = 0;
  REQUIRE(api::device_count(&count) == api::success);
  CHECK(count == 2);
  CHECK(api::emulated);
  for (int device = 0; device < count; ++device) {
    api::DeviceProperties properties{};
    REQUIRE(api::device_properties(&properties, device) == api::success);
    CHECK(std::string(properties.name) == "emulated GPU");
    CHECK(properties.multiprocessors == 2);
    CHECK(properties.shared_bytes == 48 << 10);
    CHECK(properties.memory == std::size_t{16} << 30);
  }
  api::DeviceProperties properties{};
  CHECK(api::device_properties(&properties, 2) == ErrorCode::invalid_device);
  CHECK(api::set_device(2) == ErrorCode::invalid_device);
  CHECK(contains(emulated::last_message(), "there is no device 2; there are 2"));
  CHECK(api::set_device(-1) == ErrorCode::invalid_device);
}

TEST_CASE("each thread has a current device") {
  const FreshMachine fresh;
  REQUIRE(api::set_device(1) == api::success);
  int of_thread = -1, device = -1;
  std::thread([&] { static_cast<void>(api::get_device(&of_thread)); }).join();
  REQUIRE(api::get_device(&device) == api::success);
  CHECK(of_thread == 0);
  CHECK(device == 1);
  REQUIRE(api::set_device(0) == api::success);
}

TEST_CASE("a device synchronises its own streams only") {
  const FreshMachine fresh;
  const api::Stream a = make_stream(0), b = make_stream(1);
  int ran = 0;
  REQUIRE(emulated::enqueue(a, "a", [&] { ran += 1; }) == api::success);
  REQUIRE(emulated::enqueue(b, "b", [&] { ran += 10; }) == api::success);
  REQUIRE(api::set_device(1) == api::success);
  REQUIRE(api::device_synchronize() == api::success);
  CHECK(ran == 10);
  REQUIRE(api::set_device(0) == api::success);
  REQUIRE(api::device_synchronize() == api::success);
  CHECK(ran == 11);
}

TEST_CASE("copies between devices need no access, kernels do") {
  const FreshMachine fresh;
  const api::Stream a = make_stream(0), b = make_stream(1);
  const api::MemoryPool pool_a = make_pool(0), pool_b = make_pool(1);
  PinnedArray<float> host(8);
  for (std::size_t i = 0; i < 8; ++i) host[i] = static_cast<float>(i);
  const DeviceArray<float> x(8, a, pool_a), y(8, b, pool_b);
  REQUIRE(api::stream_synchronize(b) == api::success);
  REQUIRE(api::copy_to_device(x.get(), host.get(), x.bytes(), a) == api::success);
  REQUIRE(api::copy_to_peer(y.get(), 1, x.get(), 0, x.bytes(), a) == api::success);
  REQUIRE(api::stream_synchronize(a) == api::success);

  int can = 0;
  REQUIRE(api::can_access_peer(&can, 0, 1) == api::success);
  CHECK(can == 1);
  REQUIRE(api::can_access_peer(&can, 0, 0) == api::success);
  CHECK(can == 0);
  REQUIRE(api::pool_allow_peer(pool_b, 0) == api::success);
  REQUIRE(emulated::launch_on(a, Grid{}, Affine{y.get(), 8, 10.f, 1.f}) == api::success);
  REQUIRE(api::copy_to_host(host.get(), y.get(), y.bytes(), b) == api::success);
  REQUIRE(api::stream_synchronize(a) == api::success);
  REQUIRE(api::stream_synchronize(b) == api::success);
  for (std::size_t i = 0; i < 8; ++i) CHECK(host[i] == static_cast<float>(i) * 10 + 1);
}

TEST_CASE("devices without a path between them") {
  const FreshMachine fresh;
  emulated::set_peer_access(0, 1, false);
  int can = -1;
  REQUIRE(api::can_access_peer(&can, 0, 1) == api::success);
  CHECK(can == 0);
  REQUIRE(api::can_access_peer(&can, 1, 0) == api::success);
  CHECK(can == 1);
  const api::MemoryPool pool = make_pool(1);
  CHECK(api::pool_allow_peer(pool, 0) == ErrorCode::peer_access_unsupported);
  CHECK(contains(emulated::last_message(), "device 0 cannot reach device 1"));
  CHECK(api::pool_allow_peer(pool, 1) == api::success);
  CHECK(api::pool_allow_peer(pool, 7) == ErrorCode::invalid_device);
  emulated::set_peer_access(0, 1, true);
}

}  // namespace
