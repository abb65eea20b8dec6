// SPDX-License-Identifier: Apache-2.0
// What the library makes of CUDA's errors: typed exceptions that say what failed where, after which work goes on unless
// the context is lost; and the bad indices that kernels find.
#include <doctest/doctest.h>

#include <algorithm>
#include <cstdint>
#include <cstdlib>
#include <string>
#include <vector>

#include <situ/core/error.hpp>
#include <situ/cuda/api/error.hpp>
#include <situ/cuda/runtime/scratch.hpp>

#include "support.hpp"

namespace {

using namespace cuda_test;  // NOLINT
using situ::Pinned;
using situ::Stream;
using situ::StreamScope;
using Gpu = Cuda<0>;

template <class F>
std::string message_of(F&& f) {
  try {
    f();
  } catch (const situ::Error& e) {
    return e.what();
  }
  return "nothing was thrown";
}

/// Lets other exceptions through.
template <class F>
std::string message_of_index(F&& f) {
  try {
    f();
  } catch (const situ::IndexError& e) {
    return e.what();
  }
  return "no index was bad";
}

bool contains(const std::string& text, const std::string& part) { return text.find(part) != std::string::npos; }

/// A bit of everything: new memory, a second stream, pinned and pageable copies both ways, another device.
bool everything_works() {
  const Stream<Gpu> side;
  const Storage<Gpu> a = counted<0>(1);
  Storage<Gpu> b;
  {
    const StreamScope scope(side);
    b = counted<0>(2);
    combine(a, b, b, 3);
  }
  const situ::internal::cuda::Scratch scratch(Gpu::queue(), 3000);
  const Storage<Pinned> host = Storage<Pinned>::allocate(array_bytes);
  situ::internal::cuda::transfer_bytes(Gpu::queue(), b, 0, host, array_bytes);
  const Storage<Gpu> back = Storage<Gpu>::allocate(array_bytes);
  situ::internal::cuda::transfer_bytes(Gpu::queue(), host, 0, back, array_bytes);
  const Storage<Cuda<1>> far = Storage<Cuda<1>>::allocate(array_bytes);
  situ::internal::cuda::transfer_bytes(Cuda<1>::queue(), back, 0, far, array_bytes);
  const std::vector<std::int64_t> values = counting(9);
  const Storage<Cpu> pageable = Storage<Cpu>::allocate(array_bytes);
  std::copy(values.begin(), values.end(), words(pageable));
  situ::internal::cuda::transfer_bytes(Gpu::queue(), pageable, 0, a, array_bytes);
  situ::synchronize<Gpu>();
  return read(far) == combined(counting(1), counting(2), 3) && read(a) == values;
}

}  // namespace

TEST_CASE("a bit of everything works") { CHECK(everything_works()); }

TEST_CASE("an error says what CUDA says, the operation, the device and the figures") {
  const std::string text = message_of([] {
    situ::internal::cuda::check(situ::internal::cuda::api::invalid_value, "copy to the host", 1, "shape ", "(2, 3)",
                                ", ", 24, " bytes");
  });
  CHECK(contains(text, "copy to the host failed on cuda:1"));
  CHECK(contains(text, "cudaErrorInvalidValue: invalid argument"));
  CHECK(contains(text, "shape (2, 3), 24 bytes"));
  CHECK_FALSE(contains(text, "restart"));
  situ::internal::cuda::check(situ::internal::cuda::api::success, "nothing", 0);
}

TEST_CASE("a device that is not there: the number of GPUs, the reason, the way out") {
  const std::string text = message_of([] { static_cast<void>(Storage<Cuda<63>>::allocate(8)); });
  CHECK(contains(text, "cuda:63"));
  CHECK(contains(text, "GPUs found"));
  CHECK(contains(text, "try_gpu<63>()"));
  CHECK_THROWS_AS(static_cast<void>(Cuda<64>::queue()), situ::DeviceUnavailable);
  CHECK_THROWS_AS(Stream<Cuda<62>>(), situ::DeviceUnavailable);
  CHECK_THROWS_AS(situ::synchronize<Cuda<61>>(), situ::DeviceUnavailable);
}

TEST_CASE("an index out of range that a kernel finds: thrown at the next transfer to the host, once") {
  const auto report = [](situ::internal::IndexedOperation operation, std::int64_t index) {
    const auto backend = Gpu::queue();
    situ::internal::cuda::launch(
        backend, {1, 1},
        BadIndex{situ::internal::cuda::fault_of(backend), static_cast<std::int32_t>(operation), index});
  };
  const Storage<Gpu> x = counted<0>(1);
  report(situ::internal::IndexedOperation::take, 9);
  CHECK(message_of([&] { static_cast<void>(read(x)); }) ==
        "take: index 9 is out of range for axis 1 of extent 5; indices are -5 to 4");
  CHECK(read(x) == counting(1));
  report(situ::internal::IndexedOperation::one_hot, 6);
  report(situ::internal::IndexedOperation::take, 9);  // the first is told
  CHECK(message_of([] { situ::synchronize<Gpu>(); }) ==
        "one_hot: label 6 at position 7 is not one of 5 classes; labels are 0 to 4");
  situ::synchronize<Gpu>();

  SUBCASE("a thread that waits before the kernel is there does not take what it will tell") {
    {
      const auto backend = Gpu::queue();
      const situ::internal::cuda::FaultReports reports(backend);
      situ::synchronize(Stream<Gpu>::compute());  // as another thread may
      situ::internal::cuda::launch(backend, {1, 1}, BadIndex{reports, 0, 9});
    }
    CHECK_THROWS_AS(static_cast<void>(read(x)), situ::IndexError);
    CHECK(read(x) == counting(1));
  }
  SUBCASE("found in another stream, told where its result is read") {
    const Stream<Gpu> side;
    Storage<Gpu> y;
    {
      const StreamScope scope(side);
      y = counted<0>(3);
      report(situ::internal::IndexedOperation::gather, -6);
      combine(y, y, y, 0);
    }
    CHECK(read(x) == counting(1));  // has nothing to do with it
    CHECK(message_of([&] { static_cast<void>(read(y)); }) ==
          "gather: index -6 is out of range for axis 1 of extent 5; indices are -5 to 4");
    CHECK(read(y) == combined(counting(3), counting(3), 0));
    situ::synchronize(side);
  }
  SUBCASE("a stream's own synchronize tells it, another device's does not") {
    report(situ::internal::IndexedOperation::scatter, 5);
    situ::synchronize<Cuda<1>>();
    CHECK_THROWS_AS(situ::synchronize(Stream<Gpu>::compute()), situ::IndexError);
  }
}

#if defined(SITU_CUDA_EMULATED)

namespace emulated = situ::internal::cuda::emulated;

TEST_CASE("to look for a bad index is no call of CUDA where the host waits anyway") {
  using Call = emulated::Call;
  const Storage<Gpu> x = counted<0>(1);
  static_cast<void>(situ::internal::cuda::fault_of(Gpu::queue()));
  CHECK(read(x) == counting(1));
  static_cast<void>(situ::internal::cuda::fault_of(Gpu::queue()));
  for (const Call kind : {Call::copy, Call::synchronize}) emulated::fail_after(kind, 1);  // one is the transfer's
  CHECK(message_of([&] { CHECK(read(x) == counting(1)); }) == "nothing was thrown");
  for (const Call kind : {Call::copy, Call::synchronize}) emulated::fail_after(kind, -1);
}

TEST_CASE("a lost context: the error says so, and every later call fails until the process is restarted") {
  const Storage<Gpu> x = counted<0>(1);
  situ::synchronize<Gpu>();
  emulated::fail_after(emulated::Call::run_kernel, 0);
  combine(x, x, x, 0);
  std::string text;
  try {
    situ::synchronize<Gpu>();
    FAIL("no error");
  } catch (const situ::CudaError& e) {
    text = e.what();
    CHECK(e.name() == "cudaErrorLaunchFailure");
    CHECK(e.context_lost());
  }
  CHECK(contains(text, "cuda:0 (emulated)"));
  CHECK(contains(text, "restart the process"));
  CHECK_THROWS_AS(static_cast<void>(read(x)), situ::CudaError);
  CHECK_THROWS_AS(static_cast<void>(counted<0>(1)), situ::CudaError);
  emulated::reset();
  CHECK(everything_works());
}

TEST_CASE("an error that is not sticky leaves nothing behind") {
  emulated::fail_after(emulated::Call::launch, 0, emulated::ErrorCode::invalid_configuration);
  const std::string text = message_of([] { static_cast<void>(counted<0>(1)); });
  CHECK(contains(text, "kernel test_count, grid 4 x 1 of 64 threads"));
  CHECK(contains(text, "cudaErrorInvalidConfiguration"));
  CHECK(situ::internal::cuda::api::last_error() == situ::internal::cuda::api::success);
  CHECK(everything_works());
}

TEST_CASE("the first use of a GPU may fail, at any call, and be tried again") {
  using Call = emulated::Call;
  const char* const name = "the first use of a GPU may fail, at any call, and be tried again";
  if (!is_child()) {
    for (const Call kind : {Call::set_device, Call::create, Call::create_pool, Call::allocate_host, Call::allocate,
                            Call::set_bytes, Call::synchronize, Call::copy}) {
      CHECK(passes_alone(name, "SITU_TEST_KIND=" + std::to_string(static_cast<int>(kind))));
    }
    return;
  }
  const auto kind = static_cast<Call>(std::atoi(std::getenv("SITU_TEST_KIND")));
  int failures = 0;
  for (int n = 0; n < 100; ++n) {
    emulated::fail_after(kind, n, emulated::ErrorCode::invalid_value);
    try {
      const auto backend = Gpu::queue();
      const Storage<Gpu> x = counted<0>(1);
      situ::internal::cuda::launch(backend, {1, 1}, BadIndex{situ::internal::cuda::fault_of(backend), 0, 9});
      const std::string text = message_of_index([] { situ::synchronize<Gpu>(); });
      CHECK(text == "take: index 9 is out of range for axis 1 of extent 5; indices are -5 to 4");
      const bool worked = everything_works();
      CHECK(worked);
      break;
    } catch (const situ::CudaError&) {
      ++failures;
    }
    emulated::fail_after(kind, -1);
    static_cast<void>(message_of_index([] { situ::synchronize<Gpu>(); }));  // what the failed attempt left
  }
  CHECK(failures > 0);
  emulated::fail_after(kind, -1);
  CHECK(everything_works());
}

TEST_CASE("every call of CUDA may fail: an exception, no leak, and then all works") {
  using Call = emulated::Call;
  REQUIRE(everything_works());
  int failures = 0;
  for (const Call kind :
       {Call::set_device, Call::create, Call::synchronize, Call::query, Call::record, Call::wait, Call::create_pool,
        Call::allocate, Call::free, Call::allocate_host, Call::copy, Call::set_bytes, Call::launch}) {
    for (int n = 0; n < 200; ++n) {
      INFO("kind ", static_cast<int>(kind), ", call ", n);
      situ::empty_cache<Gpu>();
      situ::empty_cache<Pinned>();
      situ::synchronize<Gpu>();
      const std::size_t in_use = situ::memory_stats<Gpu>().in_use;
      // not "invalid value", which of an allocation means too many bytes
      emulated::fail_after(kind, n, emulated::ErrorCode::invalid_resource_handle);
      bool failed = false;
      try {
        const bool worked = everything_works();
        CHECK(worked);
      } catch (const situ::CudaError& e) {
        failed = true;
        ++failures;
        CHECK(e.name() == "cudaErrorInvalidResourceHandle");
        CHECK_FALSE(e.context_lost());
      }
      emulated::fail_after(kind, -1);
      CHECK(situ::memory_stats<Gpu>().in_use == in_use);
      if (!failed) break;
      REQUIRE(everything_works());
    }
  }
  CHECK(failures > 20);
}

#endif
