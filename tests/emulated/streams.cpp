// SPDX-License-Identifier: Apache-2.0
// Streams and events: operations run as late as the API allows, in every order that it allows, and in no other.
#include <algorithm>
#include <array>

#include "machine.hpp"

namespace {
using namespace emulated_tests;

/// What operations of the host write down when they run.
using Log = std::vector<int>;
void put(api::Stream stream, Log& log, int number) {
  REQUIRE(emulated::enqueue(stream, "put", [&log, number] { log.push_back(number); }) == api::success);
}

TEST_CASE("nothing runs before it is waited for") {
  const FreshMachine fresh;
  const api::Stream a = make_stream(), b = make_stream();
  Log log;
  put(a, log, 1);
  put(b, log, 2);
  put(a, log, 3);
  CHECK(log.empty());
  CHECK(emulated::pending() == 3);
  CHECK(api::stream_synchronize(a) == api::success);
  CHECK(log == Log{1, 3});
  CHECK(api::device_synchronize() == api::success);
  CHECK(log == Log{1, 3, 2});
  CHECK(emulated::pending() == 0);
}

TEST_CASE("everything runs at once when told so") {
  const FreshMachine fresh(emulated::Order::early);
  const api::Stream a = make_stream();
  Log log;
  put(a, log, 1);
  CHECK(log == Log{1});
}

TEST_CASE("a stream that waits for an event waits for what was recorded before, and no more") {
  const FreshMachine fresh;
  const api::Stream a = make_stream(), b = make_stream();
  const api::Event event = make_event();
  Log log;
  put(a, log, 1);
  REQUIRE(api::event_record(event, a) == api::success);
  put(a, log, 2);
  REQUIRE(api::stream_wait(b, event) == api::success);
  put(b, log, 3);
  CHECK(api::stream_synchronize(b) == api::success);
  CHECK(log == Log{1, 3});
  CHECK(api::stream_synchronize(a) == api::success);
  CHECK(log == Log{1, 3, 2});
}

TEST_CASE("a wait means the last record before it, also when the event is recorded again or destroyed") {
  const FreshMachine fresh;
  const api::Stream a = make_stream(), b = make_stream();
  const api::Event event = make_event();
  Log log;
  put(a, log, 1);
  REQUIRE(api::event_record(event, a) == api::success);
  REQUIRE(api::stream_wait(b, event) == api::success);
  put(a, log, 2);
  REQUIRE(api::event_record(event, a) == api::success);
  REQUIRE(api::event_destroy(event) == api::success);
  put(b, log, 3);
  CHECK(api::stream_synchronize(b) == api::success);
  CHECK(log == Log{1, 3});
}

TEST_CASE("waiting for an event that was never recorded is nothing") {
  const FreshMachine fresh;
  const api::Stream a = make_stream();
  const api::Event event = make_event();
  REQUIRE(api::stream_wait(a, event) == api::success);
  CHECK(emulated::pending() == 0);
  CHECK(api::event_query(event) == api::success);
  CHECK(api::event_synchronize(event) == api::success);
}

TEST_CASE("waits across three streams, and there and back") {
  const FreshMachine fresh;
  const api::Stream a = make_stream(), b = make_stream(), c = make_stream(1);
  const api::Event first = make_event(), second = make_event(), third = make_event(1);
  Log log;
  put(a, log, 1);
  REQUIRE(api::event_record(first, a) == api::success);
  REQUIRE(api::stream_wait(b, first) == api::success);
  put(b, log, 2);
  REQUIRE(api::event_record(second, b) == api::success);
  REQUIRE(api::stream_wait(c, second) == api::success);
  put(c, log, 3);
  REQUIRE(api::event_record(third, c) == api::success);
  REQUIRE(api::stream_wait(a, third) == api::success);
  put(a, log, 4);
  put(b, log, 5);
  CHECK(api::stream_synchronize(a) == api::success);
  CHECK(log == Log{1, 2, 3, 4});
}

TEST_CASE("a query runs one operation, those it depends on first, so that asking again and again ends") {
  const FreshMachine fresh;
  const api::Stream a = make_stream(), b = make_stream();
  const api::Event event = make_event();
  Log log;
  put(a, log, 1);
  put(a, log, 2);
  REQUIRE(api::event_record(event, a) == api::success);
  REQUIRE(api::stream_wait(b, event) == api::success);
  put(b, log, 3);
  int asked = 1;
  while (api::stream_query(b) == api::not_ready) ++asked;
  CHECK(asked == 5);
  CHECK(log == Log{1, 2, 3});
  CHECK(api::last_error() == api::not_ready);
  CHECK(api::last_error() == api::success);
  put(a, log, 4);
  REQUIRE(api::event_record(event, a) == api::success);
  CHECK(api::event_query(event) == api::not_ready);
  CHECK(api::event_query(event) == api::success);
}

TEST_CASE("a stream that is destroyed still runs what it holds") {
  const FreshMachine fresh;
  const api::Stream a = make_stream();
  Log log;
  put(a, log, 1);
  REQUIRE(api::stream_destroy(a) == api::success);
  CHECK(log.empty());
  CHECK(api::device_synchronize() == api::success);
  CHECK(log == Log{1});
  CHECK(api::stream_synchronize(a) != api::success);
}

TEST_CASE("times of events") {
  const FreshMachine fresh;
  const api::Stream a = make_stream();
  api::Event start = nullptr, end = nullptr;
  REQUIRE(api::event_create_timed(&start) == api::success);
  REQUIRE(api::event_create_timed(&end) == api::success);
  float milliseconds = -1;
  CHECK(api::event_elapsed(&milliseconds, start, end) != api::success);
  REQUIRE(api::event_record(start, a) == api::success);
  REQUIRE(api::event_record(end, a) == api::success);
  CHECK(api::event_elapsed(&milliseconds, start, end) == api::not_ready);
  REQUIRE(api::stream_synchronize(a) == api::success);
  CHECK(api::event_elapsed(&milliseconds, start, end) == api::success);
  CHECK(milliseconds >= 0);
  const api::Event untimed = make_event();
  CHECK(api::event_elapsed(&milliseconds, untimed, end) != api::success);
}

TEST_CASE("a random order keeps the order within streams and across events, and takes every other one") {
  std::vector<Log> seen;
  for (std::uint64_t seed = 1; seed <= 200; ++seed) {
    const FreshMachine fresh(emulated::Order::random, seed);
    const api::Stream a = make_stream(), b = make_stream();
    const api::Event event = make_event();
    Log log;
    put(a, log, 1);
    put(b, log, 2);
    REQUIRE(api::event_record(event, a) == api::success);
    put(a, log, 3);
    REQUIRE(api::stream_wait(b, event) == api::success);
    put(b, log, 4);
    REQUIRE(api::device_synchronize() == api::success);
    const auto place = [&](int number) { return std::find(log.begin(), log.end(), number) - log.begin(); };
    REQUIRE(log.size() == 4);
    CHECK(place(1) < place(3));
    CHECK(place(2) < place(4));
    CHECK(place(1) < place(4));
    if (std::find(seen.begin(), seen.end(), log) == seen.end()) seen.push_back(log);
  }
  // 1 and 2 in both orders, then 3 and 4 in both, or 3 before 2.
  CHECK(seen.size() == 5);
}

TEST_CASE("the same seed gives the same order") {
  std::array<Log, 2> logs;
  for (Log& log : logs) {
    const FreshMachine fresh(emulated::Order::random, 42);
    const std::array streams = {make_stream(), make_stream(), make_stream()};
    for (int i = 0; i < 30; ++i) put(streams[static_cast<std::size_t>(i % 3)], log, i);
    REQUIRE(api::device_synchronize() == api::success);
  }
  CHECK(logs[0].size() == 30);
  CHECK(logs[0] == logs[1]);
}

TEST_CASE("a missing wait between streams gives the wrong answer every time, the wait the right one") {
  for (const bool waits : {false, true}) {
    for (int repeat = 0; repeat < 3; ++repeat) {
      const FreshMachine fresh;
      const api::Stream a = make_stream(), b = make_stream();
      const api::Event event = make_event();
      const api::MemoryPool pool = make_pool();
      PinnedArray<float> host(100);
      const DeviceArray<float> x(100, a, pool);
      REQUIRE(api::set_bytes(x.get(), 0, x.bytes(), a) == api::success);
      REQUIRE(api::stream_synchronize(a) == api::success);
      REQUIRE(emulated::launch_on(a, grid_for(100, 128), Affine{x.get(), 100, 2.f, 3.f}) == api::success);
      REQUIRE(api::event_record(event, a) == api::success);
      if (waits) REQUIRE(api::stream_wait(b, event) == api::success);
      REQUIRE(api::copy_to_host(host.get(), x.get(), x.bytes(), b) == api::success);
      REQUIRE(api::stream_synchronize(b) == api::success);
      CHECK((host[99] == 3.f) == waits);
    }
  }
}

TEST_CASE("pinned memory is read when the copy runs, kernel arguments are copied at launch") {
  const FreshMachine fresh;
  const api::Stream a = make_stream();
  const api::MemoryPool pool = make_pool();
  PinnedArray<float> host(1);
  const DeviceArray<float> x(1, a, pool);
  host[0] = 1;
  REQUIRE(api::copy_to_device(x.get(), host.get(), 4, a) == api::success);
  host[0] = 10;
  {
    Affine kernel{x.get(), 1, 2.f, 0.f};
    REQUIRE(emulated::launch_on(a, Grid{}, kernel) == api::success);
    kernel.by = 1000;
  }
  REQUIRE(api::stream_synchronize(a) == api::success);
  host[0] = 0;
  REQUIRE(api::copy_to_host(host.get(), x.get(), 4, a) == api::success);
  REQUIRE(api::stream_synchronize(a) == api::success);
  CHECK(host[0] == 20);
}

}  // namespace
