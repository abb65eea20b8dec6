// SPDX-License-Identifier: Apache-2.0
// Graphs: what is captured does not run, and runs at each launch, with the arguments of the capture; what a capture
// does not allow.
// labels: threads
#include <string>
#include <thread>
#include <vector>

#include "machine.hpp"

namespace {
using namespace emulated_tests;

constexpr int elements = 300;

/// A graph that is ready to be launched.
class Captured {
 public:
  explicit Captured(api::Stream stream) {
    api::Graph graph{};
    REQUIRE(api::capture_end(stream, &graph) == api::success);
    REQUIRE(api::graph_nodes(graph, &nodes) == api::success);
    REQUIRE(api::graph_instantiate(&executable_, graph) == api::success);
    REQUIRE(api::graph_destroy(graph) == api::success);
  }
  Captured(const Captured&) = delete;
  Captured& operator=(const Captured&) = delete;
  ~Captured() { CHECK(api::graph_exec_destroy(executable_) == api::success); }

  [[nodiscard]] api::Error launch(api::Stream stream) const { return api::graph_launch(executable_, stream); }
  std::size_t nodes = 0;

 private:
  api::GraphExec executable_{};
};

void put_affine(api::Stream stream, float* x, float by, float add) {
  REQUIRE(emulated::launch_on(stream, grid_for(elements, Affine::threads), Affine{x, elements, by, add}) ==
          api::success);
}

TEST_CASE("what is captured runs at each launch, in order, and not before") {
  for (const emulated::Order order : {emulated::Order::late, emulated::Order::early, emulated::Order::random}) {
    const FreshMachine fresh(order, 7);
    const api::Stream a = make_stream();
    const DeviceArray<float> x(elements, a, make_pool());
    PinnedArray<float> in(elements), out(elements);
    REQUIRE(api::capture_begin(a) == api::success);
    REQUIRE(api::copy_to_device(x.get(), in.get(), x.bytes(), a) == api::success);
    put_affine(a, x.get(), 2, 1);
    put_affine(a, x.get(), 3, 0);
    REQUIRE(api::copy_to_host(out.get(), x.get(), x.bytes(), a) == api::success);
    const Captured graph(a);
    CHECK(graph.nodes == 4);
    CHECK(emulated::pending() == (order == emulated::Order::late ? 1 : emulated::pending()));  // the allocation
    REQUIRE(api::stream_synchronize(a) == api::success);
    CHECK(out[0] == 0.f);
    const api::Stream b = make_stream();
    in[elements - 1] = 5;
    REQUIRE(graph.launch(b) == api::success);
    REQUIRE(api::stream_synchronize(b) == api::success);
    CHECK(out[0] == 3.f);
    CHECK(out[elements - 1] == 33.f);
    in[0] = 1;  // read when the copy runs
    REQUIRE(graph.launch(a) == api::success);
    REQUIRE(api::stream_synchronize(a) == api::success);
    CHECK(out[0] == 9.f);
  }
}

TEST_CASE("a launch waits for the last launch of the same graph, also in another stream") {
  const FreshMachine fresh;
  const api::Stream a = make_stream(), b = make_stream();
  std::vector<int> log;
  REQUIRE(api::capture_begin(a) == api::success);
  REQUIRE(emulated::enqueue(a, "log", [&] { log.push_back(static_cast<int>(log.size())); }) == api::success);
  {
    const Captured graph(a);
    REQUIRE(graph.launch(a) == api::success);
    REQUIRE(graph.launch(b) == api::success);
  }  // what was launched still runs
  REQUIRE(api::stream_synchronize(b) == api::success);
  CHECK(log == std::vector<int>{0, 1});
  CHECK(emulated::pending() == 0);
}

TEST_CASE("what a capture does not allow spoils it, with CUDA's errors") {
  using Refused = api::Error (*)(api::Stream stream, api::Stream other, api::Event event);
  struct Case {
    std::string what;
    Refused call;
    api::Error error;
  };
  const api::Error unsupported = emulated::ErrorCode::capture_unsupported;
  const Case cases[] = {
      {"the stream", [](api::Stream s, api::Stream, api::Event) { return api::stream_synchronize(s); }, unsupported},
      {"its query", [](api::Stream s, api::Stream, api::Event) { return api::stream_query(s); }, unsupported},
      {"another", [](api::Stream, api::Stream o, api::Event) { return api::stream_synchronize(o); }, unsupported},
      {"the device", [](api::Stream, api::Stream, api::Event) { return api::device_synchronize(); }, unsupported},
      {"an event", [](api::Stream, api::Stream, api::Event e) { return api::event_query(e); }, unsupported},
      {"begun twice", [](api::Stream s, api::Stream, api::Event) { return api::capture_begin(s); }, unsupported},
      {"work outside", [](api::Stream s, api::Stream, api::Event e) { return api::stream_wait(s, e); },
       emulated::ErrorCode::capture_isolation},
      {"host memory",
       [](api::Stream, api::Stream, api::Event) {
         void* memory = nullptr;
         return api::host_allocate(&memory, 64);
       },
       unsupported},
  };
  for (const Case& refused : cases) {
    INFO(refused.what);
    const FreshMachine fresh;
    const api::Stream a = make_stream(), b = make_stream();
    const api::Event event = make_event();
    REQUIRE(api::event_record(event, b) == api::success);
    REQUIRE(api::capture_begin(a) == api::success);
    CHECK(refused.call(a, b, event) == refused.error);
    CHECK(emulated::enqueue(a, "more", [] {}) == emulated::ErrorCode::capture_invalidated);
    api::Graph graph{};
    CHECK(api::capture_end(a, &graph) == emulated::ErrorCode::capture_invalidated);
    CHECK(graph == nullptr);
    CHECK(api::stream_synchronize(a) == api::success);  // usable again
  }
}

TEST_CASE("an event recorded in a capture tells nobody anything; memory is not allocated in one") {
  const FreshMachine fresh;
  const api::Stream a = make_stream(), b = make_stream();
  const api::Event event = make_event();
  const api::MemoryPool pool = make_pool();
  REQUIRE(api::capture_begin(a) == api::success);
  REQUIRE(api::event_record(event, a) == api::success);
  CHECK(api::stream_wait(a, event) == api::success);
  const Captured graph(a);
  CHECK(api::event_synchronize(event) == emulated::ErrorCode::captured_event);
  CHECK(api::stream_wait(b, event) == emulated::ErrorCode::capture_unsupported);
  REQUIRE(api::event_record(event, b) == api::success);
  CHECK(api::event_synchronize(event) == api::success);
  REQUIRE(api::capture_begin(a) == api::success);
  void* memory = nullptr;
  CHECK(api::pool_allocate(&memory, 64, pool, a) == emulated::ErrorCode::capture_unsupported);
  api::Graph none{};
  CHECK(api::capture_end(a, &none) == emulated::ErrorCode::capture_invalidated);
  CHECK(api::capture_end(a, &none) == emulated::ErrorCode::capture_unmatched);
  CHECK(api::graph_launch(nullptr, a) == api::invalid_value);
}

TEST_CASE("relaxed mode lets the thread wait for others; other threads are not bound by a capture") {
  const FreshMachine fresh;
  const api::Stream a = make_stream(), b = make_stream();
  REQUIRE(api::capture_begin(a) == api::success);
  api::CaptureMode mode = api::capture_relaxed;
  REQUIRE(api::exchange_capture_mode(&mode) == api::success);
  CHECK(api::stream_synchronize(b) == api::success);
  REQUIRE(api::exchange_capture_mode(&mode) == api::success);
  CHECK(mode == api::capture_relaxed);
  std::thread([&] {
    CHECK(api::stream_synchronize(b) == api::success);
    CHECK(emulated::enqueue(a, "of another thread", [] {}) == api::success);
  }).join();
  {
    const Captured graph(a);
    CHECK(graph.nodes == 1);
  }
  REQUIRE(api::capture_begin(a) == api::success);
  std::thread([&] {
    api::Graph graph{};
    CHECK(api::capture_end(a, &graph) == emulated::ErrorCode::capture_wrong_thread);
  }).join();
  api::Graph none{};
  CHECK(api::capture_end(a, &none) == emulated::ErrorCode::capture_invalidated);
}

}  // namespace
