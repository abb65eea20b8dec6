// SPDX-License-Identifier: Apache-2.0
// The movement ledger on GPUs: which line, how many bytes, who waited; and the timeline of streams.
#include <doctest/doctest.h>

#include <chrono>
#include <cstddef>
#include <cstdio>
#include <fstream>
#include <map>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include <nlohmann/json.hpp>
#include <situ/autograd.hpp>
#include <situ/distance.hpp>
#include <situ/indexing.hpp>
#include <situ/ledger.hpp>
#include <situ/order.hpp>
#include <situ/situ.hpp>

#include "timeline.hpp"

namespace {

using namespace situ;
using std::chrono::nanoseconds;
using Gpu = Cuda<0>;
using Gpu1 = Cuda<1>;

/// Of one line and call; the numbers of nothing where there is none.
MovementEntry at(const MovementLedger& ledger, int line, const std::string& operation) {
  for (const MovementEntry& entry : ledger.entries()) {
    if (entry.line == line && entry.operation == operation) return entry;
  }
  return {};
}

}  // namespace

TEST_CASE("what needs the number of positions waits once for it, and a bound does without") {
  const Tensor x = full<float>({300, 40}, 1.f, gpu<0>);
  static_cast<void>(unique(x));  // what is set up once waits, too
  {
    const MovementLedger ledger;
    const int line = __LINE__ + 1;
    const Tensor rows = nonzero(x > 0.f);
    const Tensor chosen = x(x > 0.f);
    const Tensor selected = masked_select(x, x > 0.f);
    int i = 0;
    for (const char* const call : {"nonzero", "x(mask)", "masked_select"}) {
      CAPTURE(call);
      CHECK(at(ledger, line + i, call).count == 1);
      CHECK(at(ledger, line + i, call).bytes == 8);
      ++i;
    }
    INFO(ledger.report());
    CHECK(ledger.entries().size() == 3);
  }
  {
    const MovementLedger ledger;
    const int line = __LINE__ + 1;
    const Tensor values = unique(x);
    const auto parts = unique_all(x);
    const Tensor counts = bincount(cast<std::int64_t>(x));
    const auto bins = histogram(x, 7);
    const auto counted = unique_counts(x);
    const auto numbered = unique_inverse(x);
    const Tensor weighed = bincount(cast<std::int64_t>(flatten(x)), flatten(x));
    int i = 0;
    for (const char* const call :
         {"unique", "unique_all", "bincount", "histogram", "unique_counts", "unique_inverse", "bincount"}) {
      CAPTURE(call);
      CHECK(at(ledger, line + i, call).count == 1);
      CHECK(at(ledger, line + i, call).bytes == 8);  // a number, or two of 4 bytes
      ++i;
    }
    INFO(ledger.report());
    CHECK(ledger.entries().size() == 7);
  }
  const Tensor index = arange<std::int64_t>(3, gpu<0>);
  const Tensor edges = arange<float>(4, gpu<0>);
  const MovementBudget nothing({.bytes = 0, .waits = 0});
  Tensor y = x;
  y.at(y > 0.f) = 2;
  static_cast<void>(nonzero(y > 0.f, {.size = 10}));
  static_cast<void>(masked_select(y, y > 0.f, {.size = 10}));
  static_cast<void>(count_nonzero(y, 0));
  static_cast<void>(unique_all(y, {.size = 10}));
  static_cast<void>(bincount(cast<std::int64_t>(y), {.size = 10}));
  static_cast<void>(histogram(y, 7, {0, 1}));
  static_cast<void>(isin(y, y(0, all)));
  static_cast<void>(quantile(y, {0.1, 0.9}, 1));
  static_cast<void>(cummax(y, 0));
  static_cast<void>(multinomial(y, 3));
  static_cast<void>(kthvalue(y, 2, 1));
  static_cast<void>(median(y, 0));
  static_cast<void>(searchsorted(y(0, all), y));
  static_cast<void>(histogram(y, edges));
  static_cast<void>(masked_scatter(y, y > 5.f, flatten(y)));
  static_cast<void>(scatter_reduce<ScatterReduction::max>(y, 0, broadcast_to(unsqueeze(index, 1), {3, 40}), y(range(0, 3), all)));
  static_cast<void>(index_add(y, 0, index, y(range(0, 3), all)));
  static_cast<void>(index_put(y, {index, index}, y(0, range(0, 3))));
  static_cast<void>(eval(y(index, index)));
  static_cast<void>(cdist(y, y));
}

TEST_CASE("a hidden wait in a loop is found: line, direction, count, bytes, and who waited") {
  Tensor x = ones<float>({4, 8}, gpu<0>);
  float last = 0;
  const MovementLedger ledger;
  const int up = __LINE__ + 2;
  for (int i = 0; i < 25; ++i) {
    x = x + full<float>({4, 8}, 1.f).to(gpu<0>);
    last = sum(x).to(cpu).item();
  }
  CHECK(last == 32 * 26);
  const MovementEntry to_gpu = at(ledger, up, "to");
  CHECK(to_gpu.count == 25);
  CHECK(to_gpu.bytes == 25 * 128);
  CHECK(to_gpu.way() == "cpu -> " + Gpu::name());
  CHECK(to_gpu.on_device > nanoseconds(0));
  const MovementEntry to_host = at(ledger, up + 1, "to");
  CHECK(to_host.count == 25);
  CHECK(to_host.bytes == 25 * 4);
  CHECK(to_host.way() == Gpu::name() + " -> cpu");
  CHECK(to_host.on_device > nanoseconds(0));
  CHECK(to_host.waited > nanoseconds(0));
  for (const MovementEntry& entry : ledger.entries()) CHECK(entry.waited <= to_host.waited);
}

TEST_CASE("asynchronous copies, waits, copies into parts, printing and synchronize have their lines") {
  const Tensor x = ones<float>({10}, gpu<0>);
  Tensor<float, Gpu> whole = zeros<float>({2, 10}, gpu<0>);
  const MovementLedger ledger;
  const int line = __LINE__ + 1;
  Pending pending = x.to_async(pinned);
  const Tensor<float, Pinned> there = std::move(pending).wait();
  copy(there, whole.at(1, all));
  print(x);
  const Tensor<float, Gpu1> other = x.to<Gpu1>();
  synchronize(gpu<1>);
  CHECK(at(ledger, line, "to_async").bytes == 40);
  CHECK(at(ledger, line, "to_async").way() == Gpu::name() + " -> pinned");
  CHECK(at(ledger, line, "to_async").waited == nanoseconds(0));
  CHECK(at(ledger, line + 1, "wait").count == 1);
  CHECK(at(ledger, line + 1, "wait").waited > nanoseconds(0));
  CHECK(at(ledger, line + 2, "copy").bytes == 40);
  CHECK(at(ledger, line + 2, "copy").waited == nanoseconds(0));
  CHECK(at(ledger, line + 3, "print").bytes == 40);
  CHECK(at(ledger, line + 3, "print").waited > nanoseconds(0));
  CHECK(at(ledger, line + 4, "to").way() == Gpu::name() + " -> " + Gpu1::name());
  CHECK(at(ledger, line + 4, "to").bytes == 40);
  CHECK(at(ledger, line + 5, "synchronize").count == 1);
  CHECK(at(ledger, line + 5, "synchronize").waited > nanoseconds(0));
}

TEST_CASE("what goes back through a transfer has the line of its way there") {
  const Variable w(ones<float>({3}));
  const MovementLedger ledger;
  const int line = __LINE__ + 1;
  const Variable there = w.to(gpu<0>);
  CHECK(backward(sum(there * there))[w](0) == 2);
  std::set<std::string> ways;
  for (const MovementEntry& entry : ledger.entries()) {
    if (entry.line == line) ways.insert(entry.way());
  }
  CHECK(ways == std::set<std::string>{"cpu -> " + Gpu::name(), Gpu::name() + " -> cpu"});
}

TEST_CASE("a budget of no waits and no bytes throws from to, item's transfer and print, and nothing moves") {
  const Tensor x = ones<float>({4}, gpu<0>);
  synchronize(gpu<0>);
  const MovementLedger ledger;
  const auto refused = [&](auto&& call) {
    try {
      call();
    } catch (const MovementBudgetExceeded&) {
      return true;
    }
    return false;
  };
  {
    const MovementBudget nothing({.bytes = 0});
    CHECK(refused([&] { static_cast<void>(x.to(cpu)); }));
    CHECK(refused([&] { static_cast<void>(sum(x).to(cpu).item()); }));
    CHECK(refused([&] { print(x); }));
    CHECK(refused([&] { print("x", x); }));
    CHECK(refused([&] { static_cast<void>(x.to_async(pinned)); }));
    CHECK(!refused([&] { synchronize(gpu<0>); }));
    CHECK(!refused([&] { static_cast<void>(x * 2); }));
  }
  {
    const MovementBudget no_wait({.waits = 0});
    CHECK_THROWS_WITH_AS(static_cast<void>(unique(x)), doctest::Contains("unique ("), MovementBudgetExceeded);
    CHECK(refused([&] { static_cast<void>(x.to(cpu)); }));
    CHECK(refused([&] { synchronize(gpu<0>); }));
    CHECK(!refused([&] { static_cast<void>(ones<float>({2}).to(gpu<0>)); }));
    Pending pending = x.to_async(pinned);
    CHECK(refused([&] { static_cast<void>(std::move(pending).wait()); }));
    CHECK(pending.valid());
  }
  std::size_t down = 0;
  for (const MovementEntry& entry : ledger.entries()) {
    if (entry.to == "cpu") down += entry.bytes;
  }
  CHECK(down == 0);
}

TEST_CASE("the trace has calls and waits of the host, copies and kernels by stream, and the pools") {
  const std::string file = "ledger_cuda_trace.json";
  const MovementLedger ledger;
  const Tensor x = ones<float>({1000}).to(gpu<0>);
  const Tensor<float, Gpu1> other = x.to<Gpu1>();
  Pending pending = tanh(x).to_async(pinned);
  CHECK(std::move(pending).wait()(0) > 0);
  CHECK(sum(other).to(cpu).item() == 1000);
  ledger.save(file);
  const auto trace = nlohmann::json::parse(std::ifstream(file));
  std::remove(file.c_str());
  std::set<std::string> categories;
  std::set<std::pair<int, int>> tracks;
  std::set<std::pair<int, int>> named;
  for (const auto& event : trace.at("traceEvents")) {
    const std::string kind = event.at("ph");
    const std::pair<int, int> track(event.at("pid"), event.at("tid"));
    CHECK(event.at("name").is_string());
    if (kind == "M" && event.at("name") == "thread_name") named.insert(track);
    if (kind != "X") continue;
    CHECK(event.at("ts").is_number());
    CHECK(event.at("dur").get<double>() >= 0);
    const std::string category = event.at("cat");
    categories.insert(category);
    tracks.insert(track);
    if (category == "copy") CHECK(event.at("args").at("bytes") > 0);
    CHECK((category == "copy" || category == "kernel") == (track.first > 1));
    CHECK(track.second > 0);
  }
  CHECK(categories == std::set<std::string>{"call", "wait", "copy", "kernel"});
  CHECK(tracks.size() >= 4);  // a thread, two compute streams, copies to the host
  for (const auto& track : tracks) CHECK(named.count(track) == 1);
}

TEST_CASE("the timeline has products, sorts and copies within a GPU; what is a part of another is not told") {
  const Tensor x = ones<float>({40, 40}, gpu<0>);
  const MovementLedger ledger;
  const Tensor product = matmul(x, x);
  const Tensor copy = x.copy_to(gpu<0>);
  const Tensor sorted = sort(ones<float>({20000}, gpu<0>));
  const auto names = cuda_test::names_in_streams(ledger);
  CHECK(names.at("matmul") == 1);
  CHECK(names.at("copy on the GPU") == 1);
  CHECK(names.at("radix sort") == 1);

  const internal::cuda::StreamState& stream = *Gpu::queue().stream;
  const MovementLedger nested;
  {
    const internal::cuda::ObservedWork outer(stream, "outer");
    const internal::cuda::ObservedWork other(*Gpu1::queue().stream, "elsewhere");
    const internal::cuda::ObservedWork inner(stream, "inner");
  }
  const internal::cuda::ObservedWork behind(stream, "behind");
  const auto told = cuda_test::names_in_streams(nested);
  CHECK(told == std::map<std::string, int>{{"outer", 1}, {"elsewhere", 1}});  // what is open is not over
}

TEST_CASE("times in a stream are those of the host, also long after the first") {
  const Tensor x = ones<float>({4}, gpu<0>);
  internal::ledger::StreamTime time(1'000'000);
  CHECK(time.begin(0.5f, 0.25f, 0, 10'000'000) == 1'500'000);
  CHECK(time.begin(0.5f, 0.25f, 1'600'000, 10'000'000) == 1'600'000);  // not before it was launched
  CHECK(time.begin(0.6f, 0.25f, 0, 1'900'000) == 1'650'000);           // over before the host saw it
  time.restart(2'000'000);
  CHECK(time.begin(1.f, 0.f, 0, 10'000'000) == 3'000'000);
  // In the trace, work lies between its launch and the end of the wait for it.
  const MovementLedger ledger;
  for (int i = 0; i < 3; ++i) static_cast<void>(x.to(cpu));
  for (const MovementEntry& entry : ledger.entries()) CHECK(entry.on_device <= ledger.elapsed());
}
