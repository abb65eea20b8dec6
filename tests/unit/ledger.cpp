// SPDX-License-Identifier: Apache-2.0
// labels: threads
// The movement ledger and budgets where there is no GPU: between pageable and pinned memory, and from many threads.
#include <doctest/doctest.h>

#include <algorithm>
#include <cerrno>
#include <chrono>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <fstream>
#include <memory>
#include <string>
#include <thread>
#include <vector>

#include <nlohmann/json.hpp>
#include <situ/ledger.hpp>
#include <situ/situ.hpp>

using namespace situ;
using std::chrono::nanoseconds;

namespace {

bool has(const std::string& text, const std::string& part) { return text.find(part) != std::string::npos; }

const MovementEntry* find(const std::vector<MovementEntry>& entries, int line, const std::string& operation) {
  for (const MovementEntry& entry : entries) {
    if (entry.line == line && entry.operation == operation && entry.file == __FILE__) return &entry;
  }
  return nullptr;
}

MovementEntry entry(const std::string& operation, const std::string& from, const std::string& to, std::int64_t count,
                    std::size_t each, nanoseconds waited) {
  const std::size_t bytes = each * static_cast<std::size_t>(count);
  return {{"a/train.cpp", 41, "", operation, from, to}, count, bytes, nanoseconds(0), waited};
}

}  // namespace

TEST_CASE("a ledger counts calls and bytes by line, direction and call") {
  const Tensor x = ones<float>({3, 5});
  const MovementLedger ledger;
  Tensor<float, Pinned> there = ones<float>({3, 5}, pinned);
  const int to_line = __LINE__ + 1;
  for (int i = 0; i < 7; ++i) there = x.to(pinned);
  const int copy_line = __LINE__ + 1;
  copy(x, there);
  const int expression_line = __LINE__ + 1;
  CHECK((there * 2).copy_to(cpu)(2, 4) == 2);
  const auto entries = ledger.entries();

  const MovementEntry* const to = find(entries, to_line, "to");
  REQUIRE(to != nullptr);
  CHECK(to->count == 7);
  CHECK(to->bytes == 7 * 60);
  CHECK(to->way() == "cpu -> " + Pinned::name());
  CHECK(to->waited == nanoseconds(0));
  const MovementEntry* const copied = find(entries, copy_line, "copy");
  REQUIRE(copied != nullptr);
  CHECK(copied->count == 1);
  CHECK(copied->bytes == 60);
  const MovementEntry* const back = find(entries, expression_line, "copy_to");
  REQUIRE(back != nullptr);
  CHECK(back->way() == Pinned::name() + " -> cpu");
  CHECK(entries.size() == 3);
}

TEST_CASE("what stays on its device is no movement; a copy that a write to shared storage makes has its scope") {
  const MovementLedger ledger;
  Tensor x = ones<float>({4});
  const Tensor shared = x.to(cpu);
  print(x);
  CHECK(ledger.entries().empty());
  {
    const NamedScope step("step");
    const NamedScope forward("forward");
    x.at(1) = 5;
  }
  const auto entries = ledger.entries();
  REQUIRE(entries.size() == 1);
  CHECK(entries[0].operation == "detaching copy");
  CHECK(entries[0].where() == "in step/forward");
  CHECK(entries[0].way() == "cpu");
  CHECK(entries[0].bytes == 16);
  CHECK(has(ledger.report(), "in step/forward"));
}

TEST_CASE("several ledgers each have what happened while they lived") {
  const Tensor x = ones<float>({2});
  const MovementLedger outer;
  static_cast<void>(x.to(pinned));
  {
    const MovementLedger inner;
    CHECK(inner.entries().empty());
    static_cast<void>(x.to(pinned));
    CHECK(inner.entries().size() == 1);
  }
  CHECK(outer.entries().size() == 2);
}

TEST_CASE("threads write into one ledger, also while it is read") {
  constexpr int threads = 4;
  constexpr int times = 200;
  const MovementLedger ledger;
  const Tensor x = ones<float>({8});
  const int line = __LINE__ + 3;
  std::vector<std::thread> running;
  for (int i = 0; i < threads; ++i) {
    running.emplace_back([&] { for (int j = 0; j < times; ++j) static_cast<void>(x.to(pinned)); });
  }
  for (int i = 0; i < 20; ++i) static_cast<void>(ledger.report());
  for (int i = 0; i < 20; ++i) MovementLedger().report().clear();  // they come and go beside it
  for (std::thread& thread : running) thread.join();
  const auto entries = ledger.entries();
  const MovementEntry* const to = find(entries, line, "to");
  REQUIRE(to != nullptr);
  CHECK(to->count == threads * times);
  CHECK(to->bytes == std::size_t{threads} * times * 32);
}

TEST_CASE("a budget refuses what exceeds it before anything is done, and counts on") {
  const Tensor x = ones<float>({4});
  Tensor<float, Pinned> target = zeros<float>({4}, pinned);
  MovementBudget budget({.bytes = 24});
  static_cast<void>(x.to(pinned));
  CHECK(budget.left().bytes == 8);
  int line = 0;
  try {
    line = __LINE__ + 1;
    copy(x, target);
    FAIL("16 bytes of 8");
  } catch (const MovementBudgetExceeded& error) {
    CHECK(error.site().line == line);
    CHECK(std::string(error.site().file) == __FILE__);
    CHECK(error.bytes() == 16);
    CHECK(error.limits().bytes == 24);
    CHECK(has(error.what(), "copy (cpu -> pinned"));
    CHECK(has(error.what(), "ledger.cpp:" + std::to_string(line) + " would move 16 bytes"));
    CHECK(has(error.what(), "allows, 8 are left"));
  }
  CHECK(target(0) == 0);
  static_cast<void>(x(range(0, 2)).to(pinned));
  CHECK(budget.left().bytes == 0);
  {
    const MovementBudget wide({.waits = 0});  // allows any bytes, and waits there are none
    CHECK_THROWS_AS(static_cast<void>(x.to(pinned)), MovementBudgetExceeded);  // the outer one still holds
  }
  std::thread([&] { CHECK(x.to(pinned)(0) == 1); }).join();  // which promised nothing
}

TEST_CASE("a budget of less than nothing is refused") {
  CHECK_THROWS_WITH_AS(MovementBudget budget({.bytes = -1}), doctest::Contains("-1 bytes"), ValueError);
  CHECK_THROWS_AS(MovementBudget budget({.waits = -2}), ValueError);
}

TEST_CASE("a call that throws has not moved anything, for ledgers and budgets") {
  const Tensor x = ones<float>({4});
  const MovementLedger ledger;
  MovementBudget budget({.bytes = 100});
  const auto failure = internal::memory::fail_allocation_after<Pinned>(0);
  CHECK_THROWS_AS(static_cast<void>(x.to(pinned)), OutOfMemory);
  CHECK(budget.left().bytes == 100);
  for (const MovementEntry& each : ledger.entries()) CHECK(each.count == 0);
}

TEST_CASE("the report: the longest wait first, with what to do") {
  using namespace std::chrono_literals;
  const std::string text = internal::ledger::report(
      {entry("to", "cpu", "cuda:0", 100, 1'500'000, 0ns), entry("to", "cuda:0", "cpu", 18'000, 4, 1900ms),
       entry("synchronize", "cuda:0", "cuda:0", 3, 0, 12ms)},
      7200ms);
  CHECK(text ==
        "movement ledger: the host waited 1.91 s of 7.20 s\n"
        "   waited  on device   times     each  way            call         where\n"
        "   1.90 s          0  18,000      4 B  cuda:0 -> cpu  to           train.cpp:41\n"
        "    train.cpp:41: read it less often, DeviceLog\n"
        "  12.0 ms          0       3           cuda:0         synchronize  train.cpp:41\n"
        "        0          0     100  1.50 MB  cpu -> cuda:0  to           train.cpp:41\n");
  CHECK(has(internal::ledger::report({}, 1s), "nothing moved between devices"));

  // a twentieth of the time is worth a line, a nanosecond less is not; twenty times are often
  const auto advises = [](const MovementEntry& of, nanoseconds elapsed) {
    return has(internal::ledger::report({of}, elapsed), "    train.cpp:41: ");
  };
  for (const MovementEntry& waits : {entry("to", "cuda:0", "cpu", 20, 4, 50ns), entry("print", "cuda:0", "cpu", 20, 4, 50ns),
                                     entry("synchronize", "cuda:0", "cuda:0", 20, 0, 50ns),
                                     entry("copy", "cuda:0", "cpu", 1, 1 << 20, 50ns)}) {
    CAPTURE(waits.operation);
    CHECK(advises(waits, 1000ns));
    CHECK(!advises(waits, 1001ns));
  }
  MovementEntry upload = entry("to", "cpu", "cuda:0", 20, 4, 0ns);
  upload.on_device = 50ns;
  CHECK(advises(upload, 1000ns));
  CHECK(!advises(upload, 1001ns));
  CHECK(advises(entry("detaching copy", "cpu", "cpu", 20, 4, 0ns), 1s));
  CHECK(!advises(entry("detaching copy", "cpu", "cpu", 19, 4, 0ns), 1s));
}

TEST_CASE("the trace is JSON of trace events") {
  const std::string file = "ledger_trace.json";
  MovementLedger ledger;
  const MovementLedger without_room({.most_events = 1});
  const NamedScope scope("a \"scope\"\n");
  Tensor x = ones<float>({4});
  static_cast<void>(x.to(pinned));
  const Tensor shared = x;
  x.at(0) = 2;
  ledger.save(file);
  const auto trace = nlohmann::json::parse(std::ifstream(file));
  int calls = 0;
  for (const auto& event : trace.at("traceEvents")) {
    const std::string kind = event.at("ph");
    CHECK(event.at("pid").is_number_integer());
    CHECK(event.at("tid").is_number_integer());
    CHECK(event.at("name").is_string());
    if (kind == "M") continue;
    CHECK(event.at("ts").get<double>() >= 0);
    if (kind != "X") continue;
    CHECK(event.at("dur").get<double>() >= 0);
    ++calls;
  }
  CHECK(calls == 2);
  without_room.save(file);
  CHECK(nlohmann::json::parse(std::ifstream(file)).at("otherData").at("dropped_events") != "0");
  internal::io::before_file_step = [](internal::io::FileStep step) { return step == internal::io::FileStep::close ? ENOSPC : 0; };
  CHECK_THROWS_AS(ledger.save(file), FileError);
  internal::io::before_file_step = nullptr;
  CHECK(nlohmann::json::parse(std::ifstream(file)).at("otherData").at("dropped_events") != "0");  // the older one stays
  std::remove(file.c_str());
  CHECK_THROWS_AS(ledger.save("no/such/folder/trace.json"), FileError);
}

TEST_CASE("a stream's times stay with the host's clock, whatever the clocks do, and however long it is watched") {
  using internal::ledger::StreamTime;
  constexpr double day = 86.4e12;
  for (const double drift : {0., 50e-6, -50e-6}) {  // of the GPU's clock
    const auto on_gpu = [&](double time) { return time * (1 + drift); };
    const double first = 3e15;  // a month after the host began
    double origin = first;      // of the events: where the next milliseconds begin
    StreamTime stream(static_cast<std::int64_t>(first));
    double worst = 0;
    for (double time = first + 1e9; time < first + day; time += 1e9) {  // work of 0.7 ms, every second
      const auto since = static_cast<float>((on_gpu(time) - on_gpu(origin)) / 1e6);
      const auto took = static_cast<float>(on_gpu(7e5) / 1e6);
      const double told = stream.begin(since, took, static_cast<std::int64_t>(time - 2e4), static_cast<std::int64_t>(time + 7e5 + 3e4));
      worst = std::max(worst, std::abs(told - time));
      if (since > StreamTime::farthest) {
        stream.restart(told);
        origin = time;
      }
    }
    CHECK(worst < (drift == 0 ? 4e3 : 6e4));  // ns: what is rounded; or between the launch and what the host saw
  }
}

TEST_CASE("the trace of one of several processes has its rank in its name") {
  using internal::ledger::with_rank;
  CHECK(with_rank("trace.json", ".rank3") == "trace.rank3.json");
  CHECK(with_rank("../runs.1/trace", ".rank3") == "../runs.1/trace.rank3");
  CHECK(with_rank("a.b/.trace", ".rank3") == "a.b/.trace.rank3");
  CHECK(with_rank("trace.json", "") == "trace.json");
}

TEST_CASE("budgets end in any order") {
  const Tensor x = ones<float>({4});
  auto first = std::make_unique<MovementBudget>(MovementLimits{.bytes = 0});
  auto second = std::make_unique<MovementBudget>(MovementLimits{.bytes = 1000});
  first.reset();
  static_cast<void>(x.to(pinned));
  CHECK(second->left().bytes == 984);
  second.reset();
  CHECK_NOTHROW(static_cast<void>(x.to(pinned)));
}
