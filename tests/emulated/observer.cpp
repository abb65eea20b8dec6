// SPDX-License-Identifier: Apache-2.0
// Who observes launches: what is told of each, when, and of which memory.
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <stdexcept>
#include <string>
#include <typeinfo>
#include <vector>

#include <situ/emulation/observed.hpp>

#include "machine.hpp"

namespace {
using namespace emulated_tests;

/// Three bytes of the kernel are no member's.
struct Marked {
  static constexpr int threads = 32;
  static constexpr const char* name = "marked";
  std::int32_t* out;
  char mark;
  std::int32_t add;
  void operator()() const { out[kernel::block() * threads + kernel::thread()] = mark + add; }
};

/// A hole in each of many, and one behind them.
struct Tabled {
  static constexpr int threads = 32;
  static constexpr const char* name = "tabled";
  struct Entry {
    std::int64_t step;
    std::int32_t shift;
  };
  std::int32_t* out;
  Entry entries[9];
  std::int64_t count;
  char mark;
  void operator()() const {}
};

struct Waits {
  static constexpr int threads = 2;
  static constexpr const char* name = "waits";
  void operator()() const {
    if (kernel::thread() == 0) kernel::barrier();
  }
};

/// Writes down what it is told, and what the memory began with before and after.
struct Notes final : emulated::LaunchObserver {
  std::vector<std::string> types;
  std::vector<std::string> failures;
  std::vector<Marked> kernels;
  std::vector<std::byte> holes;
  std::vector<emulated::ObservedMemory> memory;
  std::vector<std::int32_t> values;
  std::int64_t blocks = 0;
  int device = -1;
  const std::int32_t* watched = nullptr;
  bool throws = false;

  void before(const emulated::ObservedLaunch& launch) override {
    if (throws) throw std::runtime_error("the observer has had enough");
    types.emplace_back(launch.type);
    holes = emulated::holes_of(launch);
    memory = emulated::memory_of(launch);
    blocks = launch.blocks * launch.blocks_y;
    device = launch.device;
    if (launch.kernel_bytes == sizeof(Marked)) {
      Marked kernel{};
      std::memcpy(&kernel, launch.kernel, sizeof kernel);
      kernels.push_back(kernel);
    }
    if (watched != nullptr) values.push_back(*watched);
  }
  void after(const emulated::ObservedLaunch& launch, const std::string& failure) override {
    CHECK(launch.blocks * launch.blocks_y == blocks);
    failures.push_back(failure);
    if (watched != nullptr) values.push_back(*watched);
  }
};

struct Observed {
  explicit Observed(Notes& notes) { CHECK(emulated::set_launch_observer(&notes) == nullptr); }
  Observed(const Observed&) = delete;
  Observed& operator=(const Observed&) = delete;
  ~Observed() { emulated::set_launch_observer(nullptr); }
};

bool has(const Notes& notes, const void* start, std::size_t bytes, bool pinned) {
  for (const emulated::ObservedMemory& part : notes.memory) {
    if (part.start == start) return part.bytes == bytes && part.pinned == pinned;
  }
  return false;
}

TEST_CASE("an observer is told of a launch in its turn, before and after") {
  const FreshMachine fresh;
  const api::Stream stream = make_stream();
  const DeviceArray<std::int32_t> x(64, stream, make_pool());
  PinnedArray<float> host(5);
  REQUIRE(emulated::launch_on(stream, Grid{2}, Marked{x.get(), 1, 10}) == api::success);
  Notes notes;
  notes.watched = x.get();
  {
    const Observed observed(notes);
    REQUIRE(emulated::launch_on(stream, Grid{2}, Marked{x.get(), 2, 100}) == api::success);
    CHECK(notes.types.empty());
    REQUIRE(api::stream_synchronize(stream) == api::success);
  }
  REQUIRE(emulated::launch_on(stream, Grid{2}, Marked{x.get(), 3, 0}) == api::success);
  REQUIRE(api::stream_synchronize(stream) == api::success);
  CHECK(notes.types == std::vector<std::string>(2, typeid(Marked).name()));
  CHECK(notes.failures == std::vector<std::string>(2));
  CHECK(notes.blocks == 2);
  CHECK(notes.device == 0);
  REQUIRE(notes.kernels.size() == 2);
  CHECK(notes.kernels[0].add == 10);
  CHECK(notes.kernels[1].mark == 2);
  REQUIRE(notes.values.size() == 4);
  CHECK(notes.values[1] == 11);
  CHECK(notes.values[2] == 11);
  CHECK(notes.values[3] == 102);
  CHECK(has(notes, x.get(), 64 * sizeof(std::int32_t), false));
  CHECK(has(notes, host.get(), 5 * sizeof(float), true));
  if (!notes.holes.empty()) {
    REQUIRE(notes.holes.size() == sizeof(Marked));
    for (std::size_t b = 0; b < sizeof(Marked); ++b) {
      CHECK((notes.holes[b] != std::byte{0}) == (b > offsetof(Marked, mark) && b < offsetof(Marked, add)));
    }
  }
#if defined(__GNUC__) && !defined(__clang__)
  CHECK(!notes.holes.empty());
#endif
}

TEST_CASE("an observer is told where no member lies") {
  const FreshMachine fresh;
  const api::Stream stream = make_stream();
  Notes notes;
  const Observed observed(notes);
  REQUIRE(emulated::launch_on(stream, Grid{1}, Tabled{}) == api::success);
  REQUIRE(api::stream_synchronize(stream) == api::success);
  if (notes.holes.empty()) return;  // by this compiler not
  REQUIRE(notes.holes.size() == sizeof(Tabled));
  for (std::size_t b = 0; b < sizeof(Tabled); ++b) {
    CAPTURE(b);
    const std::size_t in_table = b - offsetof(Tabled, entries);
    const bool hole =
        b > offsetof(Tabled, mark) || (in_table < sizeof(Tabled::entries) && in_table % sizeof(Tabled::Entry) >= 12);
    CHECK((notes.holes[b] != std::byte{0}) == hole);
  }
}

TEST_CASE("the caching pool's blocks count by what is used of them") {
  const FreshMachine fresh;
  const api::Stream stream = make_stream();
  const DeviceArray<std::int32_t> x(64, stream, make_pool());
  Notes notes;
  const Observed observed(notes);
  const auto launch = [&] {
    REQUIRE(emulated::launch_on(stream, Grid{1}, Tabled{}) == api::success);
    REQUIRE(api::stream_synchronize(stream) == api::success);
  };
  api::note_allocated(x.get(), 100, x.bytes(), stream);
  launch();
  CHECK(has(notes, x.get(), 100, false));
  api::note_freed(x.get(), x.bytes(), stream);
  launch();
  for (const emulated::ObservedMemory& part : notes.memory) CHECK(static_cast<void*>(part.start) != x.get());
  api::note_allocated(x.get(), 256, x.bytes(), stream);
  launch();
  CHECK(has(notes, x.get(), 256, false));
}

TEST_CASE("a graph's launches are observed, each time") {
  const FreshMachine fresh;
  const api::Stream stream = make_stream();
  const DeviceArray<std::int32_t> x(32, stream, make_pool());
  Notes notes;
  const Observed observed(notes);
  REQUIRE(api::capture_begin(stream) == api::success);
  REQUIRE(emulated::launch_on(stream, Grid{1}, Marked{x.get(), 1, 1}) == api::success);
  api::Graph graph{};
  REQUIRE(api::capture_end(stream, &graph) == api::success);
  api::GraphExec executable{};
  REQUIRE(api::graph_instantiate(&executable, graph) == api::success);
  REQUIRE(api::graph_destroy(graph) == api::success);
  REQUIRE(api::graph_launch(executable, stream) == api::success);
  REQUIRE(api::graph_launch(executable, stream) == api::success);
  REQUIRE(api::stream_synchronize(stream) == api::success);
  CHECK(notes.types.size() == 2);
  CHECK(api::graph_exec_destroy(executable) == api::success);
}

TEST_CASE("memory of another device is observed where its pool has given access") {
  const FreshMachine fresh;
  const api::Stream stream = make_stream(0), other = make_stream(1);
  const api::MemoryPool pool = make_pool(1);
  const DeviceArray<std::int32_t> x(32, stream, make_pool(0));
  REQUIRE(api::set_device(1) == api::success);
  const DeviceArray<std::int32_t> y(8, other, pool);
  REQUIRE(api::stream_synchronize(other) == api::success);
  REQUIRE(api::set_device(0) == api::success);
  Notes notes;
  const Observed observed(notes);
  const auto launch = [&] {
    REQUIRE(emulated::launch_on(stream, Grid{1}, Marked{x.get(), 1, 1}) == api::success);
    REQUIRE(api::stream_synchronize(stream) == api::success);
  };
  launch();
  CHECK(!has(notes, y.get(), 8 * sizeof(std::int32_t), false));
  REQUIRE(api::pool_allow_peer(pool, 0) == api::success);
  launch();
  CHECK(has(notes, y.get(), 8 * sizeof(std::int32_t), false));
}

TEST_CASE("an observer is told of a failure, and may fail itself") {
  const FreshMachine fresh;
  const api::Stream stream = make_stream();
  Notes notes;
  const Observed observed(notes);
  REQUIRE(emulated::launch_on(stream, Grid{1}, Waits{}) == api::success);
  CHECK(api::stream_synchronize(stream) != api::success);
  REQUIRE(notes.failures.size() == 1);
  CHECK(contains(notes.failures[0], "waits"));
  emulated::reset();
  notes.throws = true;
  REQUIRE(emulated::launch_on(stream, Grid{1}, Waits{}) == api::success);
  CHECK(api::stream_synchronize(stream) != api::success);
  CHECK(contains(emulated::last_message(), "had enough"));
}

}  // namespace
