// SPDX-License-Identifier: Apache-2.0
// Streams, events, and the tracker that orders what several streams do to one block of memory. Emulated, a stream runs
// as late as it may: every missing wait gives a wrong value.
#include <doctest/doctest.h>

#include <algorithm>
#include <cstdint>
#include <random>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include <situ/core/error.hpp>
#include <situ/cuda/runtime/scratch.hpp>

#include "support.hpp"

namespace {

using namespace cuda_test;  // NOLINT
using situ::StreamEvent;
using situ::Stream;
using situ::StreamScope;
using situ::Timing;
using Gpu = Cuda<0>;

/// A tensor as the library holds it: handles of a block, and what the block should contain.
struct Value {
  Storage<Gpu> storage;
  std::vector<std::int64_t> expected;
};

/// Random reads, writes, shared handles and frees of a few values on several streams, against the same steps in order.
void run_random_steps(std::uint64_t seed, int steps) {
  std::mt19937_64 random(seed);
  const auto pick = [&](std::size_t n) { return static_cast<std::size_t>(random() % n); };
  std::vector<Stream<Gpu>> streams(3);
  streams.push_back(Stream<Gpu>::compute());
  std::vector<Value> values;
  for (std::int64_t i = 0; i < 4; ++i) values.push_back({counted<0>(i), counting(i)});
  for (int step = 0; step < steps; ++step) {
    INFO("seed ", seed, ", step ", step);
    const StreamScope scope(streams[pick(streams.size())]);
    const std::size_t a = pick(values.size());
    const std::size_t b = pick(values.size());
    const std::size_t to = pick(values.size());
    const auto k = static_cast<std::int64_t>(random() % 1000);
    switch (pick(10)) {
      case 0:  // shares
        values[to] = values[a];
        break;
      case 1:  // frees, and takes other memory
        values[to] = Value{};
        values[to] = {counted<0>(k), counting(k)};
        break;
      case 2:
        REQUIRE(read(values[a].storage) == values[a].expected);
        break;
      default: {
        const std::vector<std::int64_t> expected = combined(values[a].expected, values[b].expected, k);
        if (values[to].storage.unique()) {
          combine(values[a].storage, values[b].storage, values[to].storage, k);
        } else {
          Storage<Gpu> own = Storage<Gpu>::allocate(array_bytes);
          combine(values[a].storage, values[b].storage, own, k);
          values[to].storage = std::move(own);
        }
        values[to].expected = expected;
      }
    }
  }
  for (const Value& value : values) REQUIRE(read(value.storage) == value.expected);
}

}  // namespace

TEST_CASE("tracker: random work in several streams gives what the same work in order gives") {
  for (std::uint64_t seed = 1; seed <= 30; ++seed) run_random_steps(seed, 60);
}

TEST_CASE("tracker: a read in another stream waits for the write, and a write for the read") {
  const Stream<Gpu> side;
  const Stream<Gpu> other;
  const Storage<Gpu> x = counted<0>(1);
  Storage<Gpu> y;
  {
    const StreamScope scope(side);
    y = Storage<Gpu>::allocate(array_bytes);
    combine(x, x, y, 0);  // reads x, which the compute stream has yet to write
  }
  combine(x, x, x, 5);  // writes x, which the side stream has yet to read
  CHECK(read(y) == combined(counting(1), counting(1), 0));
  CHECK(read(x) == combined(counting(1), counting(1), 5));
  {
    const StreamScope scope(other);
    combine(y, x, y, 1);  // a write in a third stream
  }
  CHECK(read(y) == combined(combined(counting(1), counting(1), 0), combined(counting(1), counting(1), 5), 1));
}

TEST_CASE("tracker: the last writer is the home of a block, readers are listed once") {
  const Stream<Gpu> side;
  const Storage<Gpu> x = counted<0>(1);
  const situ::internal::cuda::StreamState* const compute = Stream<Gpu>::compute().state();
  CHECK(situ::internal::cuda::home_of(x.word()) == compute);
  CHECK(situ::internal::cuda::detail::uses_of(x.word().load()) == nullptr);
  {
    const StreamScope scope(side);
    const Storage<Gpu> y = Storage<Gpu>::allocate(array_bytes);
    combine(x, x, y, 0);
    combine(x, x, y, 1);
    REQUIRE(situ::internal::cuda::detail::uses_of(x.word().load()) != nullptr);
    CHECK(situ::internal::cuda::detail::uses_of(x.word().load())->readers.size() == 1);
    CHECK(situ::internal::cuda::home_of(x.word()) == compute);
    combine(y, y, x, 0);
  }
  CHECK(situ::internal::cuda::home_of(x.word()) == side.state());
  CHECK(situ::internal::cuda::detail::uses_of(x.word().load()) == nullptr);
}

TEST_CASE("tracker: a freed block is not reused before its readers are done, and a stream's own are preferred") {
  const Stream<Gpu> side;
  Storage<Gpu> x = counted<0>(1);
  const void* const place = x.data();
  Storage<Gpu> sum = counted<0>(0);
  {
    const StreamScope scope(side);
    combine(x, x, sum, 0);  // pending
  }
  x = Storage<Gpu>();
  Storage<Gpu> next = counted<0>(1000);  // may well be the same block
  CHECK(read(sum) == combined(counting(1), counting(1), 0));
  CHECK(read(next) == counting(1000));
  // two free blocks: one whose home is this thread's stream, and, freed later, one of the side stream
  Storage<Gpu> mine = counted<0>(1);
  Storage<Gpu> theirs;
  {
    const StreamScope scope(side);
    theirs = counted<0>(2);
  }
  const void* const mine_at = mine.data();
  mine = Storage<Gpu>();
  theirs = Storage<Gpu>();
  if (situ::internal::cuda::caching()) CHECK(Storage<Gpu>::allocate(array_bytes).data() == mine_at);
  static_cast<void>(place);
}

TEST_CASE("stream scopes nest, hold for their thread only, and leave other devices alone") {
  const Stream<Gpu> first;
  const Stream<Gpu> second;
  const auto compute = Stream<Gpu>::compute().state();
  CHECK(Stream<Gpu>::current().state() == compute);
  CHECK(!(first == second));
  {
    const StreamScope outer(first);
    CHECK(Stream<Gpu>::current() == first);
    {
      const StreamScope inner(second);
      CHECK(Stream<Gpu>::current() == second);
      std::thread([&] { CHECK(Stream<Gpu>::current().state() == compute); }).join();
    }
    CHECK(Stream<Gpu>::current() == first);
    CHECK(!(Stream<Cuda<1>>::current().state() == first.state()));
  }
  CHECK(Stream<Gpu>::current().state() == compute);
}

TEST_CASE("streams are pooled") {
  situ::internal::cuda::StreamState* state = nullptr;
  {
    const Stream<Gpu> stream;
    state = stream.state();
  }
  const Stream<Gpu> again;
  CHECK(again.state() == state);
  Stream<Gpu> moved = Stream<Gpu>();
  CHECK(moved.state() != state);
}

TEST_CASE("events: order between streams, the host, and time") {
  const Stream<Gpu> side;
  const Storage<Gpu> x = counted<0>(1);
  StreamEvent<Gpu> written;
  written.record();
  side.wait(written);
  synchronize(side);
  written.synchronize();
  CHECK(written.over());
  CHECK(side.idle());
  StreamEvent<Gpu> start(Timing::on);
  StreamEvent<Gpu> end(Timing::on);
  start.record();
  combine(x, x, x, 0);
  end.record();
  CHECK(end.milliseconds_since(start) >= 0.0);
  situ::synchronize<Gpu>();
  CHECK(Stream<Gpu>::compute().idle());
  situ::synchronize<Cpu>();
}

TEST_CASE("scratch: memory for work in one stream, used again by the next work in it") {
  const auto backend = Gpu::queue();
  const Storage<Gpu> out = counted<0>(0);
  const void* place = nullptr;
  for (std::int64_t k = 0; k < 5; ++k) {
    const situ::internal::cuda::Scratch scratch(backend, array_bytes);
    auto* const at = scratch.as<std::int64_t>();
    situ::internal::cuda::launch(backend, array_grid, Count{at, k, array_count});
    situ::internal::cuda::launch(backend, array_grid, Combine{words(out), at, words(out), 0, array_count});
    if (place != nullptr) CHECK(place == scratch.data());
    place = scratch.data();
  }
  std::vector<std::int64_t> expected = counting(0);
  for (std::int64_t k = 0; k < 5; ++k) expected = combined(expected, counting(k), 0);
  CHECK(read(out) == expected);
  const situ::internal::cuda::Scratch a(backend, 1);
  const situ::internal::cuda::Scratch b(backend, 0);
  CHECK(a.data() != b.data());
}

TEST_CASE("launch: a kernel gets more shared memory than the 48 KiB of every kernel") {
  const std::size_t bytes = 100 * 1024;
  const auto count = static_cast<std::int64_t>(bytes / sizeof(std::int64_t));
  const auto backend = Gpu::queue();
  const Storage<Gpu> data = Storage<Gpu>::allocate(bytes);
  before_write(backend, data);
  situ::internal::cuda::launch(backend, {(count + 63) / 64, 1}, Count{words(data), 0, count});
  situ::internal::cuda::launch(backend, {1, 1}, Reverse{words(data), count}, bytes);
  const std::vector<std::int64_t> front = read(data);
  CHECK(front[0] == count - 1);
  CHECK(front[199] == count - 200);
}

#if defined(SITU_CUDA_EMULATED)
TEST_CASE("tracker: work in the home stream alone asks CUDA for no event") {
  const Storage<Gpu> x = counted<0>(1);
  situ::internal::cuda::emulated::fail_after(situ::internal::cuda::emulated::Call::record, 0,
                                             situ::internal::cuda::api::invalid_value);
  for (int i = 0; i < 3; ++i) {
    Storage<Gpu> y = Storage<Gpu>::allocate(array_bytes);
    combine(x, x, y, 0);
    combine(y, y, x, 0);
  }
  const Stream<Gpu> side;
  const StreamScope scope(side);
  Storage<Gpu> z = Storage<Gpu>::allocate(array_bytes);
  CHECK_THROWS_AS(combine(x, x, z, 0), situ::CudaError);  // the first that does
  combine(x, x, z, 0);
  situ::synchronize<Gpu>();
}
#endif
