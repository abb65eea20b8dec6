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

TEST_CASE("copies and kernels need access to the memory of another device") {
  const FreshMachine fresh;
  const api::Stream a = make_stream(0), b = make_stream(1);
  const api::MemoryPool pool_a = make_pool(0), pool_b = make_pool(1);
  PinnedArray<float> host(8);
  for (std::size_t i = 0; i < 8; ++i) host[i] = static_cast<float>(i);
  const DeviceArray<float> x(8, a, pool_a), y(8, b, pool_b);
  REQUIRE(api::stream_synchronize(b) == api::success);
  REQUIRE(api::copy_to_device(x.get(), host.get(), x.bytes(), a) == api::success);
  REQUIRE(api::stream_synchronize(a) == api::success);
  CHECK(api::copy_from_peer(y.get(), x.get(), x.bytes(), b) == api::invalid_value);
  CHECK(contains(emulated::last_message(), "the pool of device 0 gives device 1 no access"));
  REQUIRE(api::pool_allow_peer(pool_a, 1) == api::success);
  REQUIRE(api::copy_from_peer(y.get(), x.get(), x.bytes(), b) == api::success);
  REQUIRE(api::stream_synchronize(b) == api::success);

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

TEST_CASE("access is given by a pool, not by its device") {
  const FreshMachine fresh;
  const api::Stream a = make_stream(0), b = make_stream(1);
  const api::MemoryPool open = make_pool(1), closed = make_pool(1);
  const DeviceArray<float> x(8, a, make_pool(0)), y(8, b, open), z(8, b, closed);
  REQUIRE(api::pool_allow_peer(open, 0) == api::success);
  REQUIRE(api::stream_synchronize(b) == api::success);
  CHECK(api::copy_from_peer(x.get(), y.get(), x.bytes(), a) == api::success);
  CHECK(api::copy_from_peer(x.get(), z.get(), x.bytes(), a) == api::invalid_value);
  REQUIRE(api::stream_synchronize(a) == api::success);
}

TEST_CASE("a context is made by whoever sets a device, and by nearly every call on the current one") {
  const FreshMachine fresh;
  for (int device = 0; device < 2; ++device) emulated::machine().device(device).has_context = false;
  int ignored = 0;
  api::DeviceProperties properties{};
  REQUIRE(api::device_count(&ignored) == api::success);
  REQUIRE(api::device_properties(&properties, 1) == api::success);
  REQUIRE(api::can_access_peer(&ignored, 1, 0) == api::success);
  REQUIRE(api::get_device(&ignored) == api::success);
  CHECK_FALSE(api::has_context(0));
  REQUIRE(api::set_device(1) == api::success);
  CHECK(api::has_context(1));
  CHECK_FALSE(api::has_context(0));
  const api::Stream stream = make_stream(1);
  CHECK_FALSE(api::has_context(0));
  // another thread's current device is 0, whatever the stream is of
  std::thread([&] { static_cast<void>(api::stream_synchronize(stream)); }).join();
  CHECK(api::has_context(0));
  CHECK_FALSE(api::has_context(7));
  REQUIRE(api::set_device(0) == api::success);
}

TEST_CASE("a launch wants the device of its stream to be current, one by the driver a context before CUDA 13") {
  using emulated::LaunchedBy;
  const FreshMachine fresh;
  const api::Stream a = make_stream(0), b = make_stream(1);
  const DeviceArray<float> x(8, a, make_pool(0)), y(8, b, make_pool(1));
  const auto launch = [&](api::Stream stream, float* data, LaunchedBy by) {
    return emulated::launch_on(stream, Grid{}, Affine{data, 8, 1.f, 0.f}, 0, by);
  };
  const auto in_a_new_thread = [&](LaunchedBy by) {
    api::Error error = api::success;
    std::thread([&] { error = launch(a, x.get(), by); }).join();
    return error;
  };
  CHECK(launch(a, x.get(), LaunchedBy::runtime) == api::success);
  CHECK(launch(b, y.get(), LaunchedBy::runtime) == ErrorCode::invalid_resource_handle);
  CHECK(contains(emulated::last_message(), "the stream is of device 1, and device 0 is current"));
  CHECK(launch(b, y.get(), LaunchedBy::driver) == api::success);
  CHECK(in_a_new_thread(LaunchedBy::driver) == api::success);
  emulated::machine().driver_version = 12080;
  CHECK(launch(a, x.get(), LaunchedBy::driver) == api::success);
  CHECK(launch(b, y.get(), LaunchedBy::driver) == ErrorCode::invalid_context);
  CHECK(contains(emulated::last_message(), "a driver of CUDA 12 wants the context of device 1"));
  CHECK(in_a_new_thread(LaunchedBy::driver) == ErrorCode::invalid_context);
  CHECK(in_a_new_thread(LaunchedBy::runtime) == api::success);
  emulated::machine().driver_version = 13000;
  REQUIRE(api::stream_synchronize(b) == api::success);
}

TEST_CASE("fills and graphs want the device of their stream to be current, copies do not") {
  const FreshMachine fresh;
  const api::Stream a = make_stream(0), b = make_stream(1);
  const DeviceArray<float> x(8, a, make_pool(0)), y(8, b, make_pool(1));
  PinnedArray<float> host(8);
  CHECK(api::set_bytes(x.get(), 0, x.bytes(), a) == api::success);
  CHECK(api::set_bytes(y.get(), 0, y.bytes(), b) == ErrorCode::invalid_resource_handle);
  CHECK(contains(emulated::last_message(), "set_bytes: the stream is of device 1, and device 0 is current"));
  CHECK(api::copy_to_device(y.get(), host.get(), y.bytes(), b) == api::success);
  api::Graph graph{};
  api::GraphExec executable{};
  REQUIRE(api::set_device(1) == api::success);
  REQUIRE(api::capture_begin(b) == api::success);
  REQUIRE(api::set_bytes(y.get(), 0, y.bytes(), b) == api::success);
  REQUIRE(api::capture_end(b, &graph) == api::success);
  REQUIRE(api::graph_instantiate(&executable, graph) == api::success);
  REQUIRE(api::graph_destroy(graph) == api::success);
  CHECK(api::graph_launch(executable, b) == api::success);
  REQUIRE(api::set_device(0) == api::success);
  CHECK(api::graph_launch(executable, b) == ErrorCode::invalid_resource_handle);
  REQUIRE(api::stream_synchronize(b) == api::success);
  REQUIRE(api::graph_exec_destroy(executable) == api::success);
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
