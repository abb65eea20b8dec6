// SPDX-License-Identifier: Apache-2.0
// Memory of devices: where it is, when it can be touched, what it holds, and how much there is.
#include <algorithm>
#include <cmath>
#include <cstdint>
#include <utility>

#include "machine.hpp"

namespace {
using namespace emulated_tests;

TEST_CASE("copies and fills move bytes in the order of their stream") {
  const FreshMachine fresh;
  const api::Stream stream = make_stream();
  const api::MemoryPool pool = make_pool();
  PinnedArray<std::uint8_t> host(1000), back(1000);
  for (std::size_t i = 0; i < 1000; ++i) host[i] = static_cast<std::uint8_t>(i % 251);
  const DeviceArray<std::uint8_t> x(1000, stream, pool), y(1000, stream, pool);
  REQUIRE(api::copy_to_device(x.get(), host.get(), 1000, stream) == api::success);
  REQUIRE(api::set_bytes(y.get(), 7, 1000, stream) == api::success);
  REQUIRE(api::copy_on_device(y.get() + 100, x.get() + 100, 500, stream) == api::success);
  REQUIRE(api::copy_to_host(back.get(), y.get(), 1000, stream) == api::success);
  REQUIRE(api::stream_synchronize(stream) == api::success);
  for (std::size_t i = 0; i < 1000; ++i) CHECK(back[i] == (i >= 100 && i < 600 ? i % 251 : 7));
}

TEST_CASE("fresh memory is NaN, and what the pool says is free is NaN again, in the stream's order") {
  const FreshMachine fresh;
  const api::Stream stream = make_stream();
  const api::MemoryPool pool = make_pool();
  PinnedArray<float> host(64), back(64);
  for (std::size_t i = 0; i < 64; ++i) host[i] = 1.f;
  const DeviceArray<float> x(64, stream, pool);
  REQUIRE(api::copy_to_host(back.get(), x.get(), x.bytes(), stream) == api::success);
  REQUIRE(api::stream_synchronize(stream) == api::success);
  for (std::size_t i = 0; i < 64; ++i) CHECK(std::isnan(back[i]));

  REQUIRE(api::copy_to_device(x.get(), host.get(), x.bytes(), stream) == api::success);
  REQUIRE(api::copy_to_host(back.get(), x.get(), x.bytes(), stream) == api::success);
  api::note_freed(x.get(), x.bytes(), stream);
  api::note_allocated(x.get(), 100, x.bytes(), stream);
  REQUIRE(api::stream_synchronize(stream) == api::success);
  for (std::size_t i = 0; i < 64; ++i) CHECK(back[i] == 1.f);
  REQUIRE(api::copy_to_host(back.get(), x.get(), 100, stream) == api::success);
  REQUIRE(api::stream_synchronize(stream) == api::success);
  for (std::size_t i = 0; i < 25; ++i) CHECK(std::isnan(back[i]));
  api::note_allocated(x.get(), x.bytes(), x.bytes(), stream);
}

TEST_CASE("a device has as much memory as it is given, and says how much") {
  const FreshMachine fresh;
  const api::Stream stream = make_stream();
  const api::MemoryPool pool = make_pool();
  std::size_t free = 0, total = 0;
  REQUIRE(api::memory_info(&free, &total) == api::success);
  const std::size_t taken_before = total - free;  // by pools of other tests
  emulated::set_device_memory(0, taken_before + (1 << 20));
  REQUIRE(api::memory_info(&free, &total) == api::success);
  REQUIRE(total == taken_before + (1 << 20));
  REQUIRE(free == 1 << 20);
  void* first = nullptr;
  REQUIRE(api::pool_allocate(&first, free - 4096, pool, stream) == api::success);
  std::size_t left = 0;
  REQUIRE(api::memory_info(&left, &total) == api::success);
  CHECK(left == 4096);
  void* second = nullptr;
  CHECK(api::pool_allocate(&second, 5000, pool, stream) == api::out_of_memory);
  CHECK(contains(emulated::last_message(), "5000 bytes"));
  CHECK(api::last_error() == api::out_of_memory);
  CHECK(api::last_error() == api::success);
  CHECK(api::pool_allocate(&second, 4096, pool, stream) == api::success);

  SUBCASE("what a stream gives back it may have again at once, another when it is free") {
    const api::Stream other = make_stream();
    REQUIRE(api::pool_free(first, stream) == api::success);
    CHECK(api::pool_allocate(&first, 100000, pool, other) == api::out_of_memory);
    CHECK(api::last_error() == api::out_of_memory);
    const std::size_t before = emulated::pending();
    REQUIRE(api::pool_allocate(&first, 100000, pool, stream) == api::success);
    CHECK(emulated::pending() == before + 1);  // nothing had to run
    REQUIRE(api::pool_free(first, stream) == api::success);
    REQUIRE(api::stream_synchronize(stream) == api::success);
    REQUIRE(api::pool_allocate(&first, 100000, pool, other) == api::success);
  }
  SUBCASE("a pool that may make streams wait gives what is not free yet, and nothing says so") {
    const api::Stream other = make_stream();
    emulated::set_internal_dependencies(pool, true);
    REQUIRE(api::pool_free(first, stream) == api::success);
    REQUIRE(api::pool_allocate(&first, 100000, pool, other) == api::success);
    REQUIRE(api::stream_synchronize(other) == api::success);
    CHECK(emulated::pending() == 0);
  }
  SUBCASE("the pool keeps what is freed, until it is trimmed") {
    REQUIRE(api::pool_free(second, stream) == api::success);
    REQUIRE(api::stream_synchronize(stream) == api::success);
    REQUIRE(api::memory_info(&left, &total) == api::success);
    CHECK(left == 0);
    REQUIRE(api::pool_trim(pool) == api::success);
    REQUIRE(api::memory_info(&left, &total) == api::success);
    CHECK(left == 4096);
    REQUIRE(api::pool_allocate(&second, 4096, pool, stream) == api::success);
  }
  REQUIRE(api::pool_free(first, stream) == api::success);
  REQUIRE(api::pool_free(second, stream) == api::success);
  REQUIRE(api::pool_trim(pool) == api::success);
  REQUIRE(api::memory_info(&left, &total) == api::success);
  CHECK(total - left == taken_before);
  emulated::set_device_memory(0, std::size_t{16} << 30);
}

TEST_CASE("blocks of many sizes do not overlap, and their addresses are used again") {
  const FreshMachine fresh;
  const api::Stream stream = make_stream();
  const api::MemoryPool pool = make_pool();
  std::uintptr_t highest_of_first_round = 0;
  for (int round = 0; round < 4; ++round) {
    std::vector<std::pair<char*, std::size_t>> blocks;
    for (std::size_t i = 1; i <= 60; ++i) {
      void* block = nullptr;
      const std::size_t bytes = i * i * 7;
      REQUIRE(api::pool_allocate(&block, bytes, pool, stream) == api::success);
      CHECK(reinterpret_cast<std::uintptr_t>(block) % 256 == 0);
      for (const auto& [other, size] : blocks) {
        const auto* const here = static_cast<const char*>(block);
        CHECK((here + bytes <= other || other + size <= here));
      }
      blocks.emplace_back(static_cast<char*>(block), bytes);
    }
    std::uintptr_t highest = 0;
    for (std::size_t i = 0; i < blocks.size(); ++i) {
      const std::size_t at = i * 7 % blocks.size();  // in another order; 7 and 60 have no common factor
      highest = std::max(highest, reinterpret_cast<std::uintptr_t>(blocks[at].first));
      REQUIRE(api::pool_free(blocks[at].first, stream) == api::success);
    }
    REQUIRE(api::stream_synchronize(stream) == api::success);
    if (round == 0) highest_of_first_round = highest;
    CHECK(highest == highest_of_first_round);
  }
}

TEST_CASE("copies of rows leave what lies between them, and run in their turn") {
  const FreshMachine fresh;
  const api::Stream stream = make_stream();
  const api::MemoryPool pool = make_pool();
  PinnedArray<float> from(24), to(24);
  const DeviceArray<float> x(24, stream, pool);
  for (int i = 0; i < 24; ++i) from.get()[i] = static_cast<float>(i);
  REQUIRE(api::set_bytes(x.get(), 0, 96, stream) == api::success);
  // 3 rows of 2 of 8 into rows of 6, and back into rows of 4
  REQUIRE(api::copy_rows_to_device(x.get() + 1, 24, from.get() + 3, 32, 8, 3, stream) == api::success);
  REQUIRE(api::copy_rows_to_host(to.get(), 16, x.get(), 24, 16, 3, stream) == api::success);
  from.get()[3] = 50;  // pinned memory is read when the copy runs
  REQUIRE(api::stream_synchronize(stream) == api::success);
  const float wanted[] = {0, 50, 4, 0, 0, 11, 12, 0, 0, 19, 20, 0};
  for (int i = 0; i < 12; ++i) CHECK(to.get()[i] == wanted[i]);
  REQUIRE(api::copy_rows_to_device(x.get(), 24, from.get(), 32, 8, 0, stream) == api::success);
  CHECK(api::copy_rows_to_device(x.get(), 4, from.get(), 32, 8, 3, stream) == emulated::ErrorCode::invalid_pitch);
  CHECK(api::last_error() == emulated::ErrorCode::invalid_pitch);
  CHECK(contains(emulated::last_message(), "rows of 8 bytes are 4 bytes apart"));
  CHECK(api::copy_rows_to_device(x.get() + 1, 44, from.get(), 32, 8, 3, stream) == api::invalid_value);  // the last row
  CHECK(contains(emulated::last_message(), "not all"));
  CHECK(api::copy_rows_to_host(to.get() + 1, 44, x.get(), 24, 8, 3, stream) == api::invalid_value);
  CHECK(api::last_error() == api::invalid_value);
}

TEST_CASE("wrong memory is refused, and named") {
  const FreshMachine fresh;
  const api::Stream stream = make_stream(), other = make_stream(1);
  const api::MemoryPool pool = make_pool(), other_pool = make_pool(1);
  PinnedArray<float> host(16);
  float pageable[16] = {};
  const DeviceArray<float> x(16, stream, pool), y(16, other, other_pool);
  const auto refused = [](api::Error error, const char* why) {
    CHECK(error == api::invalid_value);
    INFO(emulated::last_message());
    CHECK(contains(emulated::last_message(), why));
    CHECK(api::last_error() == api::invalid_value);
  };
  refused(api::copy_to_device(x.get(), pageable, 64, stream), "pageable");
  refused(api::copy_to_host(pageable, x.get(), 64, stream), "pageable");
  refused(api::copy_to_host(host.get(), x.get(), 68, stream), "not all");
  refused(api::copy_to_device(x.get() + 1, host.get(), 64, stream), "not all");
  refused(api::copy_to_device(host.get(), host.get(), 64, stream), "host memory is given for memory of device 0");
  refused(api::copy_to_host(host.get(), host.get(), 64, stream), "host memory is given for memory of device 0");
  refused(api::copy_to_host(x.get(), x.get(), 64, stream), "device memory is given for host memory");
  refused(api::copy_on_device(x.get(), y.get(), 64, stream), "memory of device 1 is given for memory of device 0");
  refused(api::copy_from_peer(x.get(), host.get(), 64, stream), "not device memory");
  refused(api::copy_from_peer(x.get(), y.get(), 64, stream), "gives device 0 no access");
  refused(api::set_bytes(y.get(), 0, 64, stream), "memory of device 1");
  refused(api::set_bytes(host.get(), 0, 64, stream), "host memory");
  refused(api::copy_on_device(x.get(), x.get() + 1, 32, stream), "overlap");
  void* made = nullptr;
  refused(api::pool_allocate(&made, 64, other_pool, stream), "pool is of device 1 and the stream of device 0");
  refused(api::pool_free(host.get(), stream), "not device memory");
  refused(api::pool_free(x.get() + 1, stream), "not allocated");
  refused(api::pool_free(x.get(), other), "memory of device 0 in a stream of device 1");
  refused(api::host_free(pageable), "not of host_allocate");
  REQUIRE(api::pool_allocate(&made, 64, pool, stream) == api::success);
  REQUIRE(api::pool_free(made, stream) == api::success);
  refused(api::pool_free(made, stream), "freed twice");
  refused(api::copy_to_host(host.get(), made, 64, stream), "not, or not all, allocated");
  REQUIRE(api::copy_to_host(host.get(), x.get(), 64, stream) == api::success);
  refused(api::host_free(host.get()), "a copy_to_host of this memory has not run");
}

TEST_CASE("a size that nothing has is an invalid value, not a lack of memory") {
  const FreshMachine fresh;
  const api::Stream stream = make_stream();
  const api::MemoryPool pool = make_pool();
  void* made = nullptr;
  CHECK(api::pool_allocate(&made, std::size_t{1} << 50, pool, stream) == api::invalid_value);
  CHECK(api::pool_allocate(&made, std::size_t{1} << 35, pool, stream) == api::out_of_memory);
  CHECK(api::host_allocate(&made, std::size_t{1} << 62) == api::invalid_value);
  CHECK(made == nullptr);
}

TEST_CASE("pinned memory is freed once") {
  const FreshMachine fresh;
  void* memory = nullptr;
  REQUIRE(api::host_allocate(&memory, 100) == api::success);
  std::memset(memory, 1, 100);
  CHECK(api::host_free(memory) == api::success);
  CHECK(api::host_free(memory) == api::invalid_value);
}

}  // namespace
