// SPDX-License-Identifier: Apache-2.0
// What goes wrong in kernels and calls: the code, the text, that it stays, and failures on demand.
#include <stdexcept>

#include "machine.hpp"

namespace {
using namespace emulated_tests;
using emulated::Call;
using emulated::ErrorCode;

enum class Mistake {
  none,
  leave_before_barrier,
  leave_before_shuffle,
  wait_elsewhere,
  other_barrier,
  too_much_shared,
  too_much_with_dynamic,
  no_dynamic
};

template <Mistake mistake>
struct Mistaken {
  static constexpr int threads = 64;
  static constexpr const char* name = "mistaken";
  int* out;
  void operator()() const {
    const int t = kernel::thread();
    if constexpr (mistake == Mistake::leave_before_barrier) {
      if (t == 40) return;
      kernel::barrier();
    } else if constexpr (mistake == Mistake::leave_before_shuffle) {
      if (t == 3) return;
      out[t] = kernel::shuffle_down(t, 1);
    } else if constexpr (mistake == Mistake::wait_elsewhere) {
      if (t < 32)
        kernel::barrier();
      else
        out[t] = kernel::shuffle_xor(t, t == 50 ? 2 : 1);
      if (t == 63) kernel::ballot(true);
    } else if constexpr (mistake == Mistake::other_barrier) {
      if (t == 5)
        kernel::barrier();
      else
        kernel::barrier();
    } else if constexpr (mistake == Mistake::too_much_shared) {
      struct Large {
        char bytes[40000];
      };
      struct AlsoLarge {
        char bytes[10000];
      };
      kernel::block_shared<Large>().bytes[0] = 1;
      kernel::block_shared<AlsoLarge>().bytes[0] = 1;
    } else if constexpr (mistake == Mistake::too_much_with_dynamic) {
      struct Part {
        char bytes[30000];
      };
      kernel::block_shared<Part>().bytes[0] = 1;
    } else if constexpr (mistake == Mistake::no_dynamic) {
      kernel::dynamic_shared();
    }
    out[t] = t;
  }
};

template <Mistake mistake>
std::string message_of(api::Stream stream, int* out, std::size_t dynamic_bytes = 0) {
  emulated::reset();
  REQUIRE(emulated::launch_on(stream, Grid{2, 1}, Mistaken<mistake>{out}, dynamic_bytes) == api::success);
  const api::Error error = api::stream_synchronize(stream);
  if constexpr (mistake == Mistake::none)
    CHECK(error == api::success);
  else
    CHECK(error == ErrorCode::launch_failure);
  return emulated::last_message();
}

TEST_CASE("kernels that would hang or go wrong on a GPU are errors that name the thread") {
  for (const std::uint64_t seed : {0u, 3u}) {
    const FreshMachine fresh(seed == 0 ? emulated::Order::late : emulated::Order::random, seed);
    const api::Stream stream = make_stream();
    const api::MemoryPool pool = make_pool();
    const DeviceArray<int> out(64, stream, pool);
    CHECK(message_of<Mistake::none>(stream, out.get()) == "");
    const std::string left = message_of<Mistake::leave_before_barrier>(stream, out.get());
    CHECK(contains(left, "thread 0 waits at barrier (errors.cpp:"));
    CHECK(contains(left, seed == 0 ? "kernel 'mistaken', block 0, thread" : "kernel 'mistaken', block "));
    CHECK(contains(left, ", but thread 40 has left the kernel"));
    const std::string shuffle = message_of<Mistake::leave_before_shuffle>(stream, out.get());
    CHECK(contains(shuffle, "thread 0 waits at shuffle_down (errors.cpp:"));
    CHECK(contains(shuffle, "but thread 3 has left the kernel"));
    const std::string elsewhere = message_of<Mistake::wait_elsewhere>(stream, out.get());
    CHECK(contains(elsewhere, "waits at ballot"));
    const std::string other = message_of<Mistake::other_barrier>(stream, out.get());
    CHECK(contains(other, "waits at barrier (errors.cpp:"));
    CHECK(contains(other, "but thread"));
    CHECK(contains(message_of<Mistake::too_much_shared>(stream, out.get()), "more than 48 KiB of shared memory"));
    CHECK(contains(message_of<Mistake::too_much_with_dynamic>(stream, out.get(), 200 << 10),
                   "or 227 KiB with what the launch asked for"));
    CHECK(contains(message_of<Mistake::no_dynamic>(stream, out.get()),
                   "uses dynamic_shared(), but was launched without"));
    CHECK(message_of<Mistake::none>(stream, out.get()) == "");
  }
}

struct HalfWarp {
  static constexpr int threads = 48;
  static constexpr const char* name = "half_warp";
  void operator()() const { kernel::ballot(true); }
};

TEST_CASE("a shuffle in a warp that is not whole is an error") {
  const FreshMachine fresh;
  const api::Stream stream = make_stream();
  REQUIRE(emulated::launch_on(stream, Grid{}, HalfWarp{}) == api::success);
  CHECK(api::stream_synchronize(stream) == ErrorCode::launch_failure);
  CHECK(contains(emulated::last_message(), "in a warp of 16 threads: all 32 must take part"));
}

TEST_CASE("an error of a kernel stays until the machine is reset, with CUDA's name and text") {
  const FreshMachine fresh;
  const api::Stream stream = make_stream(), other = make_stream();
  int ran = 0;
  REQUIRE(emulated::launch_on(stream, Grid{}, HalfWarp{}) == api::success);
  REQUIRE(emulated::enqueue(stream, "after", [&] { ++ran; }) == api::success);
  const api::Error error = api::stream_synchronize(stream);
  CHECK(std::string(api::error_name(error)) == "cudaErrorLaunchFailure");
  CHECK(std::string(api::error_text(error)) == "unspecified launch failure");
  CHECK(ran == 0);
  CHECK(api::stream_synchronize(other) == error);
  api::Stream made = nullptr;
  CHECK(api::stream_create(&made) == error);
  CHECK(api::last_error() == error);
  CHECK(api::last_error() == error);
  emulated::reset();
  CHECK(api::last_error() == api::success);
  CHECK(api::stream_synchronize(stream) == api::success);
  CHECK(emulated::last_message() == "");
}

TEST_CASE("an exception of an operation of the host is its error") {
  const FreshMachine fresh;
  const api::Stream stream = make_stream();
  REQUIRE(emulated::enqueue(stream, "gemm", [] { throw std::runtime_error("no such shape"); }) == api::success);
  CHECK(api::stream_synchronize(stream) == ErrorCode::launch_failure);
  CHECK(emulated::last_message() == "gemm: no such shape");
}

TEST_CASE("an operation may not call the API, which would wait for itself") {
  const FreshMachine fresh;
  const api::Stream stream = make_stream();
  api::Error error = api::success;
  REQUIRE(emulated::enqueue(stream, "asks", [&] { error = api::stream_query(stream); }) == api::success);
  CHECK(api::stream_synchronize(stream) == api::success);
  CHECK(error == api::invalid_value);
}

TEST_CASE("impossible launches are refused at the call") {
  const FreshMachine fresh;
  const api::Stream stream = make_stream();
  const auto refused = [&](Grid grid, std::size_t bytes) {
    const api::Error error = emulated::launch_on(stream, grid, HalfWarp{}, bytes);
    CHECK(contains(emulated::last_message(), "launch of kernel 'half_warp'"));
    CHECK(emulated::pending() == 0);
    return error;
  };
  CHECK(refused(Grid{0, 1}, 0) == ErrorCode::invalid_configuration);
  CHECK(refused(Grid{1, 0}, 0) == ErrorCode::invalid_configuration);
  CHECK(refused(Grid{1, 65536}, 0) == ErrorCode::invalid_configuration);
  CHECK(refused(Grid{std::int64_t{1} << 31, 1}, 0) == ErrorCode::invalid_configuration);
  CHECK(refused(Grid{1, 1, HalfWarp::threads + 1}, 0) == ErrorCode::invalid_configuration);
  CHECK(refused(Grid{1, 1, -1}, 0) == ErrorCode::invalid_configuration);
  CHECK(refused(Grid{1, 1}, (227 << 10) + 1) == api::invalid_value);
  CHECK(emulated::launch_on(nullptr, Grid{1, 1}, HalfWarp{}) == ErrorCode::invalid_resource_handle);
  CHECK(contains(emulated::last_message(), "default stream"));
}

TEST_CASE("the n-th call of a kind fails when it is told to") {
  const FreshMachine fresh;
  const api::Stream stream = make_stream();
  const api::MemoryPool pool = make_pool();
  void* blocks[4] = {};
  emulated::fail_after(Call::allocate, 2, api::out_of_memory);
  CHECK(api::pool_allocate(&blocks[0], 64, pool, stream) == api::success);
  CHECK(api::pool_allocate(&blocks[1], 64, pool, stream) == api::success);
  CHECK(api::pool_allocate(&blocks[2], 64, pool, stream) == api::out_of_memory);
  CHECK(contains(emulated::last_message(), "fail_after asked"));
  CHECK(api::pool_allocate(&blocks[3], 64, pool, stream) == api::success);
  emulated::fail_after(Call::free, 0, api::invalid_value);
  emulated::fail_after(Call::free, -1);
  for (const int i : {0, 1, 3}) CHECK(api::pool_free(blocks[i], stream) == api::success);
  emulated::fail_after(Call::launch, 0, api::invalid_value);
  CHECK(emulated::launch_on(stream, Grid{}, Mistaken<Mistake::none>{nullptr}) == api::invalid_value);
  CHECK(api::stream_synchronize(stream) == api::success);
  emulated::fail_after(Call::synchronize, 0, ErrorCode::illegal_address);
  CHECK(api::stream_synchronize(stream) == ErrorCode::illegal_address);
  CHECK(api::device_synchronize() == ErrorCode::illegal_address);
}

TEST_CASE("a kernel fails in its turn when it is told to") {
  const FreshMachine fresh;
  const api::Stream stream = make_stream();
  const api::MemoryPool pool = make_pool();
  PinnedArray<int> host(64);
  const DeviceArray<int> out(64, stream, pool);
  emulated::fail_after(Call::run_kernel, 1, ErrorCode::illegal_address);
  const auto launch = [&] { return emulated::launch_on(stream, Grid{}, Mistaken<Mistake::none>{out.get()}); };
  CHECK(launch() == api::success);
  CHECK(api::copy_to_host(host.get(), out.get(), out.bytes(), stream) == api::success);
  CHECK(api::stream_synchronize(stream) == api::success);
  CHECK(host[63] == 63);
  CHECK(launch() == api::success);
  CHECK(api::stream_synchronize(stream) == ErrorCode::illegal_address);
}

TEST_CASE("handles that are not there are named") {
  const FreshMachine fresh;
  const api::Stream stream = make_stream();
  const api::Event event = make_event(), of_other = make_event(1);
  REQUIRE(api::event_destroy(event) == api::success);
  CHECK(api::event_record(event, stream) == ErrorCode::invalid_resource_handle);
  CHECK(contains(emulated::last_message(), "event_record: the event does not exist"));
  CHECK(api::event_record(of_other, stream) == ErrorCode::invalid_resource_handle);
  CHECK(contains(emulated::last_message(), "the event is of device 1 and the stream of device 0"));
  CHECK(api::event_destroy(event) == ErrorCode::invalid_resource_handle);
  REQUIRE(api::stream_destroy(stream) == api::success);
  CHECK(api::stream_query(stream) == ErrorCode::invalid_resource_handle);
  CHECK(contains(emulated::last_message(), "stream_query: the stream does not exist"));
  CHECK(api::stream_synchronize(nullptr) == ErrorCode::invalid_resource_handle);
}

}  // namespace
