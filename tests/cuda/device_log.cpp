// SPDX-License-Identifier: Apache-2.0
// `DeviceLog` on every device: values, growth, copies, errors; on a GPU, that `append` never waits, across streams too.
#include <doctest/doctest.h>

#include <cstdint>
#include <stdexcept>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

#include <situ/cuda/runtime/launch.hpp>
#include <situ/device/runtime.hpp>
#include <situ/device/stream.hpp>
#include <situ/expression/operators.hpp>
#include <situ/ops/creation.hpp>
#include <situ/ops/nested_list.hpp>
#include <situ/ops/reduce.hpp>
#include <situ/train/device_log.hpp>

namespace {

using situ::Cpu;
using situ::Cuda;
using situ::DeviceLog;
using situ::Pinned;
using situ::Tensor;

std::vector<float> host(const Tensor<float>& x) { return {x.begin(), x.end()}; }

template <class D>
Tensor<float, D> ones3() {
  return situ::ones<float>({3}, D{});
}

template <class X, class Log>
constexpr bool appends = requires(Log& log, const X& x) { log.append(x); };
using GpuLog = DeviceLog<float, Cuda<0>>;
static_assert(appends<Tensor<float, Cuda<0>>, GpuLog> && appends<float, GpuLog> && appends<int, GpuLog>);
static_assert(!appends<Tensor<float>, GpuLog> && !appends<Tensor<float, Cuda<1>>, GpuLog>);
static_assert(!appends<Tensor<double, Cuda<0>>, GpuLog> && !appends<double, DeviceLog<std::int64_t, Cuda<0>>>);

}  // namespace

TEST_CASE_TEMPLATE("a log gives what was appended, in order", D, Cpu, Pinned, Cuda<0>, Cuda<1>) {
  DeviceLog<float, D> log;
  CHECK(log.empty());
  CHECK(log.flush().shape() == situ::Shape{0});
  std::vector<float> expected;
  const Tensor<float, D> x = ones3<D>();
  const Tensor<float, D> steps = situ::arange<float>(0, 3, 1, D{});
  const auto add = [&](int i) {
    const auto k = static_cast<float>(i);
    const auto put = [&](const auto& value, float number) {
      log.append(value);
      expected.push_back(number);
    };
    switch (i % 5) {
      case 0:  // a tensor of rank 0
        return put(sum(x * k), 3 * k);
      case 1:  // an expression
        return put(sum(x) * k + 1.f, 3 * k + 1);
      case 2:  // a number of the host
        return put(k, k);
      case 3:  // rank 1
        return put(sum(x + k, 0, situ::keepdims), 3 + 3 * k);
      default:  // a view of rank 2
        return put(steps(situ::newaxis, situ::range(2, 3)), 2);
    }
  };
  for (int i = 0; i < 1000; ++i) add(i);
  CHECK(log.size() == 1000);
  CHECK(log.capacity() == 1024);
  CHECK(host(log.values().template to<Cpu>()) == expected);
  const auto flushed = log.flush();
  CHECK(host(flushed) == expected);
  CHECK(log.empty());

  // again, in the same memory; what was flushed stays as it is
  const std::vector<float> before = expected;
  expected.clear();
  for (int i = 7; i < 40; ++i) add(i);
  CHECK(host(log.flush()) == expected);
  CHECK(host(flushed) == before);
  CHECK(log.capacity() == 1024);
}

TEST_CASE_TEMPLATE("a log is a value: copies and views do not see what is appended later", D, Cpu, Pinned, Cuda<0>) {
  DeviceLog<float, D> a;
  a.append(1);
  DeviceLog<float, D> b = a;
  const Tensor<float, D> seen = a.values();
  a.append(2);
  b.append(3);
  b.append(a.values()(situ::range(0, 1)) + 10.f);
  CHECK(host(seen.template to<Cpu>()) == std::vector<float>{1});
  DeviceLog<float, D> c = std::move(b);
  CHECK(b.empty());  // NOLINT(bugprone-use-after-move)
  b.append(7);
  CHECK(host(a.flush()) == std::vector<float>{1, 2});
  CHECK(host(b.flush()) == std::vector<float>{7});
  CHECK(host(c.flush()) == std::vector<float>{1, 3, 11});
  c = a;
  c.clear();
  CHECK(c.flush().size() == 0);
}

TEST_CASE_TEMPLATE("what a log refuses leaves it as before", D, Cpu, Cuda<0>) {
  DeviceLog<float, D> log;
  log.append(5);
  CHECK_THROWS_WITH_AS(log.append(ones3<D>()), doctest::Contains("(3,)"), situ::ShapeError);
  CHECK_THROWS_AS(log.append(ones3<D>()(situ::range(0, 0))), situ::ShapeError);
  CHECK_THROWS_AS(log.reserve(-1), situ::ShapeError);
  CHECK_THROWS_AS((DeviceLog<std::int32_t, D>().append(std::int64_t{1} << 40)), situ::ValueError);
  while (log.size() < log.capacity()) log.append(5);
  for (std::int64_t n = 0;; ++n) {
    const auto failure = situ::internal::memory::fail_allocation_after<D>(n);
    try {
      log.append(6);
    } catch (const situ::OutOfMemory&) {
      CHECK(log.size() == 256);
      continue;
    }
    CHECK(n > 0);
    break;
  }
  CHECK(host(log.flush()).back() == 6);

  log.reserve(3000);
  const auto before = situ::memory_stats<D>().allocations;
  for (int i = 0; i < 3000; ++i) log.append(1.f);
  CHECK(situ::memory_stats<D>().allocations == before);
}

TEST_CASE("work in other streams: the log is ordered after it, and before its own reuse") {
  const situ::Stream<Cuda<0>> side;
  DeviceLog<float, Cuda<0>> log;
  std::vector<float> expected;
  for (int i = 0; i < 300; ++i) {
    Tensor<float, Cuda<0>> x;
    {
      const situ::StreamScope scope(side);
      x = situ::full({1}, static_cast<float>(i), situ::gpu<0>);
      if (i % 3 == 0) log.append(x * 2.f), expected.push_back(2 * static_cast<float>(i));
    }
    log.append(x), expected.push_back(static_cast<float>(i));
    if (i == 200) {
      const situ::StreamScope scope(side);
      CHECK(host(log.flush()) == expected);
      expected.clear();
    }
  }
  CHECK(host(log.flush()) == expected);
}

TEST_CASE("a report on its way to the host is not changed by what the log does next") {
  DeviceLog<float, Cuda<0>> log;
  for (int i = 0; i < 10; ++i) log.append(i);
  situ::Pending report = log.values().to_async<Pinned>();
  log.append(10);
  log.clear();
  for (int i = 0; i < 20; ++i) log.append(-1);
  CHECK(host(std::move(report).wait().to<Cpu>()) == std::vector<float>{0, 1, 2, 3, 4, 5, 6, 7, 8, 9});
  CHECK(host(log.flush()) == std::vector<float>(20, -1));
}

#if defined(SITU_CUDA_EMULATED)
TEST_CASE("append never makes the host wait, not when it grows either; flush waits") {
  namespace emulated = situ::internal::cuda::emulated;
  DeviceLog<float, Cuda<0>> log;
  const Tensor<float, Cuda<0>> x = situ::full({1}, 3.f, situ::gpu<0>);
  situ::synchronize<Cuda<0>>();
  // the next call that waits fails
  emulated::fail_after(emulated::Call::synchronize, 0, emulated::ErrorCode::invalid_value);
  for (int i = 0; i < 700; ++i) log.append(x * static_cast<float>(i));
  static_cast<void>(log.values());
  CHECK_THROWS_AS(static_cast<void>(log.flush()), situ::CudaError);
  CHECK(log.size() == 700);
  const std::vector<float> all = host(log.flush());
  REQUIRE(all.size() == 700);
  for (std::size_t i = 0; i < all.size(); ++i) REQUIRE(all[i] == 3 * static_cast<float>(i));
}
#endif
