// SPDX-License-Identifier: Apache-2.0
// The movement ledger on GPUs: which line, how many bytes, who waited; and the timeline of streams.
#include <doctest/doctest.h>

#include <chrono>
#include <cstddef>
#include <cstdio>
#include <fstream>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include <nlohmann/json.hpp>
#include <situ/autograd.hpp>
#include <situ/ledger.hpp>
#include <situ/situ.hpp>

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
    CHECK((category == "copy" || category == "kernel") == (track.first > 0));
  }
  CHECK(categories == std::set<std::string>{"call", "wait", "copy", "kernel"});
  CHECK(tracks.size() >= 4);  // a thread, two compute streams, copies to the host
  for (const auto& track : tracks) CHECK(named.count(track) == 1);
}
