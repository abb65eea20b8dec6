// SPDX-License-Identifier: Apache-2.0
// `to_async` and `Pending`: what arrives, who may write meanwhile, what waits for what and what does not. Emulated, a stream
// runs as late as it may: what did not wait is not there.
#include <doctest/doctest.h>

#include <algorithm>
#include <concepts>
#include <cstdint>
#include <numeric>
#include <optional>
#include <span>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include <situ/situ.hpp>

#include "support.hpp"

namespace {

using situ::Cpu;
using situ::Cuda;
using situ::Pending;
using situ::Pinned;
using situ::Shape;
using situ::Stream;
using situ::StreamScope;
using situ::Tensor;
using Gpu = Cuda<0>;
using Gpu1 = Cuda<1>;
using Int = std::int64_t;

/// `first, first + 1, ...` in a shape.
template <class D>
Tensor<Int, D> counting(const Shape& shape, Int first = 0) {
  std::vector<Int> values(static_cast<std::size_t>(shape.count()));
  std::iota(values.begin(), values.end(), first);
  return situ::from_span<Int>(std::span<const Int>(values), shape, Pinned{}).template to<D>();
}

template <class D>
std::vector<Int> values(const Tensor<Int, D>& x) {
  const Tensor<Int, Cpu> host = x.template to<Cpu>();
  return {host.begin(), host.end()};
}

/// Whether a tensor arrives at all devices as `to` brings it there.
template <class D>
bool arrives(const Tensor<Int, D>& x) {
  const auto at = [&]<class To>(To to) {
    Pending<Tensor<Int, To>> pending = x.to_async(to);
    const bool shape_is_known = pending.shape() == x.shape();
    const Tensor<Int, To> y = std::move(pending).wait();
    return shape_is_known && y.shape() == x.shape() && values(y) == values(x) &&
           (std::same_as<To, D> || y.layout().is_row_major());
  };
  return at(Pinned{}) && at(Gpu{}) && at(Gpu1{});
}

template <class D>
void check_arrivals() {
  for (const Shape& shape : {Shape{}, Shape{1}, Shape{0}, Shape{3, 0}, Shape{5, 7}, Shape{2, 3, 4}, Shape{70001}}) {
    CAPTURE(shape.to_string());
    CHECK(arrives(counting<D>(shape)));
  }
  const Tensor<Int, D> x = counting<D>({6, 8});
  CHECK(arrives(Tensor<Int, D>(x(2, situ::all))));
  CHECK(arrives(Tensor<Int, D>(x(situ::all, situ::range(1, 7)))));
  CHECK(arrives(permute(x, {1, 0})));
  CHECK(arrives(broadcast_to(x(3, situ::all), {4, 8})));
}

/// A copy between GPUs waits for the work that makes its source, and the next work on the source for the copy.
bool in_order_between_gpus(const Shape& shape) {
  Tensor<Int, Gpu> x = counting<Gpu>(shape, 1);
  x += 1;
  const Tensor<Int, Gpu1> y = x.to_async<Gpu1>().wait();
  x *= 0;  // in place: nobody else has it
  const bool zero =
      values(x) == std::vector<Int>(static_cast<std::size_t>(shape.count()), 0);  // first, as late as it may
  return zero && values(y) == values(counting<Gpu>(shape, 2));
}

template <class X, class To>
concept GoesTo = requires(const X& x) { x.template to_async<To>(); };
template <class X>
concept WaitedForInPlace = requires(X& x) { x.wait(); };
template <class X>
concept HasData = requires(X& x) { x.data(); };
template <class X, class Y>
concept Added = requires(X x, Y y) { x + y; };

using Arriving = Pending<Tensor<Int, Gpu>>;
static_assert(GoesTo<Tensor<Int, Pinned>, Gpu> && GoesTo<Tensor<Int, Gpu>, Pinned> && GoesTo<Tensor<Int, Gpu>, Gpu1>);
static_assert(!GoesTo<Tensor<Int, Cpu>, Gpu> && !GoesTo<Tensor<Int, Cpu>, Pinned> && !GoesTo<Tensor<Int, Cpu>, Cpu> &&
              !GoesTo<Tensor<Int, Gpu>, Cpu> && !GoesTo<Tensor<Int, Pinned>, Cpu>);
static_assert(!WaitedForInPlace<Arriving> && !HasData<Arriving> && !situ::TensorLike<Arriving>);
static_assert(!Added<Arriving, Tensor<Int, Gpu>> && !Added<Tensor<Int, Gpu>, Arriving> && !Added<Arriving, Arriving> &&
              !Added<Arriving, int> && !std::convertible_to<Arriving, Tensor<Int, Gpu>>);
static_assert(!std::copy_constructible<Arriving> && std::is_nothrow_move_constructible_v<Arriving> &&
              std::is_nothrow_move_assignable_v<Arriving>);

}  // namespace

TEST_CASE("to_async brings every shape and view from each of three devices to each") {
  SUBCASE("pinned") { check_arrivals<Pinned>(); }
  SUBCASE("cuda:0") { check_arrivals<Gpu>(); }
  SUBCASE("cuda:1") { check_arrivals<Gpu1>(); }
}

TEST_CASE("to the device where it is: shared, and there at once") {
  const Tensor<Int, Gpu> x = counting<Gpu>({10});
  Pending pending = x.to_async<Gpu>();
  CHECK(pending.ready());
  CHECK(std::move(pending).wait().storage() == x.storage());
}

TEST_CASE("the owner may overwrite the source at once, whatever it does") {
  const std::vector<Int> before = values(counting<Pinned>({500}));
  Tensor<Int, Pinned> x = counting<Pinned>({500});
  Tensor<Int, Gpu> g = counting<Gpu>({500});
  std::optional<Pending<Tensor<Int, Gpu>>> up(x.to_async<Gpu>());
  std::optional<Pending<Tensor<Int, Pinned>>> down(g.to_async<Pinned>());
  Pending across = g.to_async<Gpu1>();
  SUBCASE("element by element") {
    for (Int i = 0; i < 500; ++i) x.at(i) = -1;
  }
  SUBCASE("by a lease") {
    auto w = x.write();
    std::fill(w.begin(), w.end(), -1);
    auto v = g.write();
    situ::internal::cuda::check(
        situ::internal::cuda::api::set_bytes(static_cast<Int*>(v.device_data()), 1, 4000,
                                             situ::internal::cuda::stream_of(Gpu::queue())),
        "set", 0);
  }
  SUBCASE("in place, by an expression") {
    x *= 3;
    g *= 3;
    CHECK(values(g)[499] == 3 * 499);
  }
  SUBCASE("frees it, and others take its memory") {
    x = Tensor<Int, Pinned>();
    g = Tensor<Int, Gpu>();
    for (int i = 0; i < 3; ++i) {
      const Tensor<Int, Pinned> other = situ::zeros<Int>({500}, situ::pinned);
      const Tensor<Int, Gpu> there = situ::zeros<Int>({500}, situ::gpu<0>);
    }
  }
  CHECK(values(std::move(*up).wait()) == before);
  CHECK(values(std::move(*down).wait()) == before);
  CHECK(values(std::move(across).wait()) == before);
}

TEST_CASE("a pinned source is written in place again once the copy is over") {
  Tensor<Int, Pinned> x = counting<Pinned>({500});
  const void* const place = x.data();
  Pending pending = x.to_async<Gpu>();
  situ::synchronize<Gpu>();
  x.at(0) = 7;
  CHECK(x.data() == place);
  CHECK(values(std::move(pending).wait())[0] == 0);
}

TEST_CASE("what is on its way is given once") {
  Pending first = counting<Pinned>({4}, 1).to_async<Gpu>();
  Pending second = std::move(first);
  CHECK_FALSE(first.valid());  // NOLINT
  CHECK_THROWS_AS(static_cast<void>(std::move(first).wait()), situ::PendingError);
  CHECK_THROWS_AS(static_cast<void>(first.ready()), situ::PendingError);
  CHECK_THROWS_AS(static_cast<void>(first.shape()), situ::PendingError);
  first = counting<Pinned>({4}, 5).to_async<Gpu>();
  std::swap(first, second);
  CHECK(values(std::move(first).wait()) == std::vector<Int>{1, 2, 3, 4});
  CHECK_THROWS_WITH_AS(static_cast<void>(std::move(first).wait()), doctest::Contains("was waited for or moved from"),
                       situ::PendingError);
  second = counting<Pinned>({4}, 9).to_async<Gpu>();  // drops what is on its way
  CHECK(values(std::move(second).wait()) == std::vector<Int>{9, 10, 11, 12});
}

TEST_CASE("dropped on its way: nobody gets memory that a copy still reads or fills") {
  for (Int i = 0; i < 20; ++i) {
    const Tensor<Int, Gpu> g = counting<Gpu>({300}, i);
    const Tensor<Int, Pinned> x = counting<Pinned>({300}, i);
    static_cast<void>(g.to_async<Pinned>());
    static_cast<void>(g.to_async<Gpu1>());
    static_cast<void>(x.to_async<Gpu>());
    const Tensor<Int, Pinned> host = counting<Pinned>({300}, 1000 + i);
    const Tensor<Int, Gpu> there = counting<Gpu>({300}, 2000 + i);
    const Tensor<Int, Gpu1> far = counting<Gpu1>({300}, 3000 + i);
    REQUIRE(host(299) == 1299 + i);
    REQUIRE(values(there)[299] == 2299 + i);
    REQUIRE(values(far)[299] == 3299 + i);
    REQUIRE(values(g)[299] == 299 + i);
  }
}

TEST_CASE("waited for in another thread, and used in other streams") {
  const Stream<Gpu> side;
  Pending pending = counting<Pinned>({300}).to_async<Gpu>();
  Tensor<Int, Gpu> x;
  std::thread([&] {
    const StreamScope scope(side);
    x = std::move(pending).wait();
    x += 1;
  }).join();
  Tensor<Int, Gpu> y = x * 2;  // in the compute stream
  Pending back = [&] {
    const StreamScope scope(side);
    y += x;
    return y.to_async<Pinned>();
  }();
  y *= 0;
  CHECK(std::move(back).wait()(299) == 900);
}

TEST_CASE("copies between GPUs, with peer access and by way of the host") {
  for (int i = 0; i < 40; ++i) REQUIRE(in_order_between_gpus({200}));
#if defined(SITU_CUDA_EMULATED)
  for (const int reader : {0, 1}) {
    situ::internal::cuda::emulated::set_peer_access(reader, 1 - reader, false);
    situ::internal::cuda::device_state(1 - reader).peers = {};  // asks again
  }
#endif
  const Tensor<Int, Gpu> x = counting<Gpu>({1500, 1000});  // more than a chunk
  Pending there = x.to_async<Gpu1>();
  Pending back = std::move(there).wait().to_async<Gpu>();
  CHECK(values(std::move(back).wait()) == values(x));
  for (int i = 0; i < 40; ++i) REQUIRE(in_order_between_gpus({200}));
#if defined(SITU_CUDA_EMULATED)
  for (const int reader : {0, 1}) {
    situ::internal::cuda::emulated::set_peer_access(reader, 1 - reader, true);
    situ::internal::cuda::device_state(1 - reader).peers = {};
  }
#endif
}

TEST_CASE("errors of to_async: the source is as before") {
  Tensor<Int, Pinned> x = counting<Pinned>({64});
  const Tensor<Int, Gpu> g = counting<Gpu>({64});
  {
    const auto failure = situ::internal::memory::fail_allocation_after<Gpu>(0);
    CHECK_THROWS_AS(static_cast<void>(x.to_async<Gpu>()), situ::OutOfMemory);
  }
  {
    const auto failure = situ::internal::memory::fail_allocation_after<Pinned>(0);
    CHECK_THROWS_AS(static_cast<void>(g.to_async<Pinned>()), situ::OutOfMemory);
  }
  {
    const auto lease = x.write();
    CHECK_THROWS_AS(static_cast<void>(x.to_async<Gpu>()), situ::LeaseError);
  }
  CHECK(arrives(x));
  CHECK(arrives(g));
  CHECK_THROWS_AS(static_cast<void>(x.to_async<Cuda<60>>()), situ::DeviceUnavailable);
}

TEST_CASE("wait tells of a bad index that a kernel found before, and gives the tensor when asked again") {
  const Tensor<Int, Gpu> x = counting<Gpu>({10});
  const Tensor<Int, Gpu> bad = take(x, counting<Gpu>({3}, 8), 0);
  Pending pending = bad.to_async<Pinned>();
  CHECK_THROWS_AS(static_cast<void>(std::move(pending).wait()), situ::IndexError);
  CHECK(pending.valid());
  CHECK(std::move(pending).wait()(0) == 8);
}

#if defined(SITU_CUDA_EMULATED)

namespace {

namespace emulated = situ::internal::cuda::emulated;

bool late() { return emulated::machine().order == emulated::Order::late; }

/// Work in this thread's stream that takes as long as it may, and notes when it runs.
struct LongWork {
  bool over = false;
  explicit LongWork(const Stream<Gpu>& stream = Stream<Gpu>::current()) {
    situ::internal::cuda::check(
        emulated::enqueue(situ::internal::cuda::stream_of(stream.backend()), "long", [this] { over = true; }),
        "enqueue", 0);
  }
  LongWork(const LongWork&) = delete;
  LongWork& operator=(const LongWork&) = delete;
  ~LongWork() { situ::synchronize<Gpu>(); }
};

}  // namespace

TEST_CASE("copies run beside the work that was put into the stream before and after them") {
  if (!late()) return;
  const Tensor<Int, Pinned> x = counting<Pinned>({4000});
  const Tensor<Int, Gpu> g = counting<Gpu>({4000});
  situ::synchronize<Gpu>();
  Tensor<Int, Gpu> current;
  // The blocks that hold the batches are used again; so are those of the work, of the same size.
  for (int batch = 0; batch < 6; ++batch) {
    INFO("batch ", batch);
    const Tensor<Int, Gpu> doubled = batch == 0 ? Tensor<Int, Gpu>() : Tensor<Int, Gpu>(current * 2 + g);
    const LongWork work;
    static_cast<void>(eval(g + 1));  // its memory is free, but not before the work is over
    Pending next = x.to_async<Gpu>();
    while (!next.ready()) {
    }
    CHECK_FALSE(work.over);
    const std::size_t queued = emulated::pending();
    current = std::move(next).wait();
    CHECK(emulated::pending() >= queued);  // nobody waited
    CHECK_FALSE(work.over);
  }
  CHECK(values(current) == values(x));
  // to the host: only what made the tensor is waited for
  Pending down = g.to_async<Pinned>();
  const LongWork work;
  CHECK(std::move(down).wait()(3999) == 3999);
  CHECK_FALSE(work.over);
}

TEST_CASE("the blocks of a pipeline are used again, and no more are taken") {
  const Tensor<Int, Pinned> x = counting<Pinned>({4000});
  Tensor<Int, Gpu> sum = counting<Gpu>({4000});
  std::size_t after_a_few = 0;
  std::optional<Pending<Tensor<Int, Gpu>>> next(x.to_async<Gpu>());
  for (int batch = 0; batch < 30; ++batch) {
    const Tensor<Int, Gpu> current = std::move(*next).wait();
    next.emplace(x.to_async<Gpu>());
    sum += current * 2;
    const Tensor<Int, Gpu> temporaries[] = {eval(sum + 1), eval(sum + 2), eval(sum + 3)};
    const situ::MemoryStats stats = situ::memory_stats<Gpu>();
    if (batch == 5) after_a_few = stats.in_use + stats.cached;
    if (batch > 5) CHECK(stats.in_use + stats.cached == after_a_few);
  }
  CHECK(values(sum)[3999] == 61 * 3999);
}

TEST_CASE("wait waits for its own copy, not for those behind it") {
  if (!late()) return;
  const Tensor<Int, Pinned> x = counting<Pinned>({400});
  Tensor<Int, Gpu> g = counting<Gpu>({400});
  Pending first = g.to_async<Pinned>();
  Pending second = counting<Gpu>({400}, 5).to_async<Pinned>();
  static_cast<void>(std::move(first).wait());
  CHECK_FALSE(second.ready());
  Pending third = x.to_async<Gpu>();
  Pending fourth = x.to_async<Gpu>();
  Tensor<Int, Gpu> a = std::move(third).wait();
  a += g;  // in the compute stream
  synchronize(Stream<Gpu>::compute());
  CHECK_FALSE(fourth.ready());
  // what is overwritten while a copy reads it takes other memory and waits for nothing
  Pending kept = g.to_async<Pinned>();
  g += 0;
  synchronize(Stream<Gpu>::compute());
  CHECK_FALSE(kept.ready());
  // in place, it waits for that copy alone
  Pending fifth = g.to_async<Pinned>();
  Pending sixth = a.to_async<Pinned>();
  { Pending dropped = std::move(fifth); }
  const void* const place = g.storage().data();
  g *= 2;
  CHECK(g.storage().data() == place);
  synchronize(Stream<Gpu>::compute());
  CHECK_FALSE(sixth.ready());
  CHECK(values(g)[399] == 2 * 399);
  CHECK(std::move(sixth).wait()(399) == 2 * 399);
}

TEST_CASE("errors of CUDA: at the call they are thrown by it, on the way they surface in wait") {
  Tensor<Int, Pinned> x = counting<Pinned>({64});
  const Tensor<Int, Gpu> g = counting<Gpu>({64});
  for (const auto kind : {emulated::Call::copy, emulated::Call::record, emulated::Call::create}) {
    emulated::fail_after(kind, 0, emulated::ErrorCode::invalid_value);
    try {
      static_cast<void>(x.to_async<Gpu>());
    } catch (const situ::CudaError& e) {
      CHECK(std::string(e.what()).find("cuda:0") != std::string::npos);
    }
    emulated::fail_after(kind, 0, emulated::ErrorCode::invalid_value);
    try {
      static_cast<void>(g.to_async<Pinned>());
    } catch (const situ::CudaError&) {
    }
    emulated::fail_after(kind, -1);
    CHECK(arrives(x));
    CHECK(arrives(g));
  }
  Pending up = x.to_async<Gpu>();
  Pending down = g.to_async<Pinned>();
  emulated::fail_after(emulated::Call::synchronize, 0, emulated::ErrorCode::invalid_value);
  CHECK_THROWS_AS(static_cast<void>(std::move(down).wait()), situ::CudaError);
  emulated::fail_after(emulated::Call::wait, 0, emulated::ErrorCode::invalid_value);
  CHECK_THROWS_AS(static_cast<void>(std::move(up).wait()), situ::CudaError);
  emulated::fail_after(emulated::Call::wait, -1);
  CHECK(values(std::move(down).wait()) == values(x));
  CHECK(values(std::move(up).wait()) == values(x));
}

#endif
