// SPDX-License-Identifier: Apache-2.0
// The caching pool: size classes, reuse, figures, limit, out of memory, failures on demand, poisoning, fork. Each test
// has a device of its own over a counting heap, so that the figures are exact.
// labels: threads
#include <doctest/doctest.h>
#include <sys/wait.h>
#include <unistd.h>

#include <atomic>
#include <cstdint>
#include <cstdlib>
#include <limits>
#include <optional>
#include <stdexcept>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include <situ/core/error.hpp>
#include <situ/device/cpu.hpp>
#include <situ/memory/scope.hpp>
#include <situ/memory/storage.hpp>

#include "../sanitizers.hpp"

namespace {

using situ::MemoryStats;
using situ::internal::Storage;

constexpr std::size_t kib = 1024;
constexpr std::size_t mib = 1024 * kib;
constexpr std::size_t no_limit = std::numeric_limits<std::size_t>::max();

/// A device for one test: host memory that counts what is taken and given back, and can refuse.
template <int Test>
struct CountingDevice {
  using backend = situ::internal::cpu::Backend;
  static constexpr bool host_accessible = true;
  static inline std::atomic<std::int64_t> taken{0};
  static inline std::atomic<std::int64_t> given_back{0};
  static inline std::atomic<std::int64_t> bytes{0};
  static inline std::atomic<std::int64_t> refuse{0};  // so many calls return null
  static inline std::atomic<bool> broken{false};      // every call throws

  static std::string name() { return "counting:" + std::to_string(Test); }
  static void* allocate(std::size_t size) {
    if (broken) throw std::runtime_error("the device is broken");
    if (refuse > 0) {
      --refuse;
      return nullptr;
    }
    ++taken;
    bytes += static_cast<std::int64_t>(size);
    return situ::internal::memory::allocate_host(size);
  }
  static void deallocate(void* pointer, std::size_t size) noexcept {
    ++given_back;
    bytes -= static_cast<std::int64_t>(size);
    situ::internal::memory::deallocate_host(pointer, size);
  }
};

/// As a GPU: the host may not look at its memory, so nothing stands in front of the data.
template <int Test>
struct FarDevice : CountingDevice<Test> {
  static constexpr bool host_accessible = false;
};

template <class D>
std::vector<Storage<D>> take(int count, std::size_t bytes) {
  std::vector<Storage<D>> all;
  for (int i = 0; i < count; ++i) all.push_back(Storage<D>::allocate(bytes));
  return all;
}

TEST_CASE("size classes: increasing, each the smallest that fits, at most 12.5 % too large") {
  using situ::internal::memory::class_capacity;
  using situ::internal::memory::size_class_of;
  for (std::uint32_t c = 0; c < situ::internal::memory::size_classes; ++c) {
    const std::size_t capacity = class_capacity(c);
    CAPTURE(c);
    CHECK(capacity % 64 == 0);
    if (capacity <= static_cast<std::size_t>(std::numeric_limits<std::ptrdiff_t>::max())) {
      CHECK(size_class_of(capacity) == c);
      CHECK(size_class_of(capacity + 1) == c + 1);
    }
    if (c == 0) continue;
    const std::size_t smallest = class_capacity(c - 1) + 1;
    CHECK(smallest <= capacity);
    CHECK(size_class_of(smallest) == c);
    if (smallest > 512) CHECK(capacity - smallest <= smallest / 8);
    else CHECK(capacity - smallest <= 63);
  }
  CHECK(size_class_of(0) == 0);
  CHECK(size_class_of(1) == 0);
  CHECK(size_class_of(std::numeric_limits<std::ptrdiff_t>::max()) == situ::internal::memory::size_classes - 1);
  CHECK(class_capacity(situ::internal::memory::small_classes - 1) == 32 * kib);
}

TEST_CASE("pool: a freed block serves the next request of its class, small and large") {
  using D = CountingDevice<1>;
  for (const std::size_t bytes : {std::size_t{0}, std::size_t{250}, 20 * kib, 100 * kib, 3 * mib}) {
    const auto before = D::taken.load();
    const void* first = nullptr;
    for (int i = 0; i < 10; ++i) {
      const auto storage = Storage<D>::allocate(bytes);
      if (i == 0) first = storage.data();
      CHECK(storage.data() == first);
    }
    CHECK(D::taken == before + 1);
    CHECK(D::given_back == 0);
  }
}

TEST_CASE("pool: the last block freed is used first") {
  using D = CountingDevice<2>;
  for (const std::size_t bytes : {std::size_t{100}, 100 * kib}) {
    auto all = take<D>(3, bytes);
    const void* const second = all[1].data();
    all[0] = {};
    all[1] = {};
    CHECK(Storage<D>::allocate(bytes).data() == second);
  }
}

TEST_CASE("memory_stats: in use, cached, peak and counts, and empty_cache") {
  using D = CountingDevice<3>;
  CHECK(situ::memory_stats<D>().in_use == 0);
  CHECK(situ::memory_stats<D>().limit == no_limit);
  {
    const auto a = Storage<D>::allocate(100 * kib);  // 104 KiB is the class
    const auto b = Storage<D>::allocate(1);
    {
      const auto c = Storage<D>::allocate(mib);
      CHECK(situ::memory_stats<D>().in_use == 104 * kib + 64 + mib);
    }
    const MemoryStats now = situ::memory_stats<D>();
    CHECK(now.in_use == 104 * kib + 64);
    CHECK(now.cached == mib);
    CHECK(now.peak == 104 * kib + 64 + mib);
    CHECK(now.blocks == 2);
    CHECK(now.workspace == 0);
    CHECK(now.allocations == 3);
    CHECK(now.pool_hits == 0);
    // What the figures call in use and cached is what the device gave, but for the control data.
    CHECK(D::bytes == static_cast<std::int64_t>(now.in_use + now.cached + 3 * 64));
  }
  CHECK(situ::memory_stats<D>().in_use == 0);
  CHECK(situ::memory_stats<D>().blocks == 0);
  { const auto again = Storage<D>::allocate(mib - 5); }
  CHECK(situ::memory_stats<D>().pool_hits == 1);
  CHECK(situ::memory_stats<D>().allocations == 4);
  situ::reset_peak_memory<D>();
  CHECK(situ::memory_stats<D>().peak <= 64);  // a small block in this thread's list may count
  situ::empty_cache<D>();
  CHECK(situ::memory_stats<D>().cached == 0);
  CHECK(D::bytes == 0);
  CHECK(D::taken == D::given_back);
  const auto after = Storage<D>::allocate(mib);
  CHECK(situ::memory_stats<D>().peak == mib);
}

TEST_CASE("MemoryScope: the peak of a region, nested, overlapping, and of all threads") {
  using D = CountingDevice<19>;
  const auto before = Storage<D>::allocate(mib);
  { const auto earlier = Storage<D>::allocate(64 * mib); }
  const std::size_t peak_of_all = situ::memory_stats<D>().peak;
  std::optional<situ::MemoryScope<D>> early(std::in_place);
  CHECK(early->start() == mib);
  CHECK(early->peak() == mib);
  CHECK(early->peak_above_start() == 0);
  { const auto a = Storage<D>::allocate(4 * mib); }
  {
    situ::MemoryScope outer(D{});
    auto b = Storage<D>::allocate(2 * mib);
    situ::MemoryScope<D> inner;
    CHECK(inner.start() == 3 * mib);
    std::thread([] { static_cast<void>(Storage<D>::allocate(8 * mib)); }).join();
    early.reset();  // in the middle of the others
    b = {};
    CHECK(inner.peak() == 11 * mib);
    CHECK(inner.peak_above_start() == 8 * mib);
    CHECK(outer.peak_above_start() == 10 * mib);
    situ::MemoryScope<D> late;
    { const auto c = Storage<D>::allocate(8 * mib); }  // from the cache: counts as well
    CHECK(late.peak_above_start() == 8 * mib);
    CHECK(outer.peak() == 11 * mib);
    early.emplace();
    CHECK(early->peak() == mib);
  }
  { const auto d = Storage<D>::allocate(2 * mib); }
  CHECK(early->peak() == 3 * mib);
  CHECK(situ::memory_stats<D>().peak == peak_of_all);

  std::optional<situ::MemoryScope<D>> second(std::in_place);
  std::optional<situ::MemoryScope<D>> third(std::in_place);
  second.reset();  // between the two others
  { const auto e = Storage<D>::allocate(4 * mib); }
  CHECK(early->peak() == 5 * mib);
  CHECK(third->peak() == 5 * mib);
  early.reset();
  early.emplace();
  { const auto f = Storage<D>::allocate(2 * mib); }
  CHECK(early->peak() == 3 * mib);
  CHECK(third->peak() == 5 * mib);
}

TEST_CASE("memory_stats: detaching copies of all threads, living and ended") {
  using D = CountingDevice<4>;
  situ::internal::memory::note_detaching_copy<D>();
  std::thread([] { situ::internal::memory::note_detaching_copy<D>(); }).join();
  situ::internal::memory::note_detaching_copy<D>();
  CHECK(situ::memory_stats<D>().detaching_copies == 3);
}

TEST_CASE("memory_stats: figures of blocks freed by another thread") {
  using D = CountingDevice<5>;
  auto all = take<D>(1000, 200);
  CHECK(situ::memory_stats<D>().in_use == 256000);
  CHECK(situ::memory_stats<D>().blocks == 1000);
  std::thread([&all] { all.clear(); }).join();
  CHECK(situ::memory_stats<D>().in_use == 0);
  CHECK(situ::memory_stats<D>().blocks == 0);
  CHECK(situ::memory_stats<D>().cached == 256000);
  all = take<D>(1000, 200);
  CHECK(D::taken == 1000);  // all of them reached this thread again
  all.resize(10);
  situ::empty_cache<D>();
  CHECK(situ::memory_stats<D>().blocks == 10);
  all.clear();
  situ::empty_cache<D>();
  CHECK(D::bytes == 0);
}

TEST_CASE("pool: what a thread keeps for itself is bounded") {
  using D = CountingDevice<6>;
  std::atomic<bool> freed{false};
  std::atomic<bool> leave{false};
  std::thread other([&] {
    take<D>(1000, 1000).clear();
    freed = true;
    while (!leave) std::this_thread::yield();
  });
  while (!freed) std::this_thread::yield();
  const std::int64_t hits = situ::memory_stats<D>().pool_hits;
  auto all = take<D>(936, 1000);  // 64 blocks of 1 KiB may stay there
  CHECK(situ::memory_stats<D>().pool_hits == hits + 936);
  leave = true;
  other.join();
}

TEST_CASE("pool: growth releases the large free blocks longest unused") {
  using D = CountingDevice<7>;
  // Sixteen phases of 20 blocks, each phase with a size of its own: 90 to 160 MiB in use, more than 1 GiB in all.
  for (std::size_t phase = 0; phase < 16; ++phase) {
    const std::size_t bytes = (9 + phase % 8) * 512 * kib;
    take<D>(20, bytes).clear();
    CHECK(D::bytes < static_cast<std::int64_t>(situ::memory_stats<D>().peak + 257 * mib));
    // What was used last is still there.
    const auto taken = D::taken.load();
    take<D>(20, bytes).clear();
    CHECK(D::taken == taken);
  }
  CHECK(D::given_back > 0);
  CHECK(situ::memory_stats<D>().peak == 160 * mib);
  CHECK(situ::memory_stats<D>().cached > 250 * mib);
  situ::empty_cache<D>();
  CHECK(D::bytes == 0);
}

TEST_CASE("pool: of the large free blocks the one freed first is released first") {
  using D = CountingDevice<18>;
  for (const std::size_t size : {100U, 112U, 128U}) take<D>(1, size * mib).clear();
  CHECK(D::given_back == 0);  // 340 MiB, and 128 + 256 are allowed
  take<D>(1, 144 * mib).clear();
  CHECK(D::given_back == 1);
  const auto taken = D::taken.load();
  for (const std::size_t size : {112U, 128U, 144U}) take<D>(1, size * mib).clear();
  CHECK(D::taken == taken);
  situ::empty_cache<D>();
  CHECK(D::bytes == 0);
}

TEST_CASE("set_memory_limit: holds for in use and cached together, and names the figures") {
  using D = CountingDevice<8>;
  situ::set_memory_limit<D>(4 * mib);
  CHECK(situ::memory_stats<D>().limit == 4 * mib);
  auto a = Storage<D>::allocate(2 * mib);
  auto b = Storage<D>::allocate(mib);
  std::string message;
  std::size_t requested = 0;
  try {
    const auto c = Storage<D>::allocate(2 * mib - 1);
  } catch (const situ::OutOfMemory& error) {
    message = error.what();
    requested = error.requested();
  }
  CHECK(requested == 2 * mib - 1);
  CHECK(message ==
        "out of memory on counting:8: 2.00 MiB (2097151 bytes) asked for, 3.00 MiB (3145728 bytes) in use, 0 bytes "
        "cached, limit 4.00 MiB (4194304 bytes); the limit would be exceeded; release tensors that are no longer "
        "needed, or raise the limit with set_memory_limit");
  // Cached blocks make way: large ones, then small ones.
  a = {};
  CHECK(situ::memory_stats<D>().cached == 2 * mib);
  const auto c = Storage<D>::allocate(3 * mib);
  CHECK(situ::memory_stats<D>().cached == 0);
  CHECK_THROWS_AS(static_cast<void>(Storage<D>::allocate(1)), situ::OutOfMemory);
  b = {};
  take<D>(100, 200).clear();
  CHECK(situ::memory_stats<D>().cached > 0);
  b = Storage<D>::allocate(mib);
  CHECK(situ::memory_stats<D>().cached == 0);
  situ::set_memory_limit<D>(no_limit);
  const auto d = Storage<D>::allocate(8 * mib);
  // Below what is in use: nothing is lost, nothing is given.
  situ::set_memory_limit<D>(mib);
  CHECK(situ::memory_stats<D>().in_use == 12 * mib);
  CHECK_THROWS_AS(static_cast<void>(Storage<D>::allocate(1)), situ::OutOfMemory);
  situ::set_memory_limit<D>(no_limit);
}

TEST_CASE("set_memory_limit: releases cached memory at once") {
  using D = CountingDevice<9>;
  take<D>(8, mib).clear();
  take<D>(8, 100).clear();
  situ::set_memory_limit<D>(3 * mib);
  CHECK(D::bytes <= static_cast<std::int64_t>(3 * mib + 64 * 16));
  situ::set_memory_limit<D>(0);
  CHECK(D::bytes == 0);
}

TEST_CASE("pool: a device without memory is asked again after the cache was emptied") {
  using D = CountingDevice<10>;
  take<D>(3, mib).clear();
  D::refuse = 1;
  {
    const auto storage = Storage<D>::allocate(2 * mib);
    CHECK(D::given_back == 3);
  }
  D::refuse = 2;
  std::string message;
  try {
    const auto storage = Storage<D>::allocate(5 * mib);
  } catch (const situ::OutOfMemory& error) {
    message = error.what();
  }
  CHECK(message ==
        "out of memory on counting:10: 5.00 MiB (5242880 bytes) asked for, 0 bytes in use, 0 bytes cached, limit none; "
        "the system has no more; release tensors that are no longer needed, or compute in smaller pieces");
  CHECK(situ::memory_stats<D>().in_use == 0);
  const auto works_again = Storage<D>::allocate(5 * mib);
  CHECK(situ::memory_stats<D>().in_use == 5 * mib);
}

TEST_CASE("pool: more than can be addressed never reaches the device") {
  using D = CountingDevice<11>;
  for (const std::size_t bytes : {no_limit, no_limit / 2 + 1}) {
    std::string message;
    try {
      const auto storage = Storage<D>::allocate(bytes);
    } catch (const situ::OutOfMemory& error) {
      message = error.what();
      CHECK(error.requested() == bytes);
    }
    CHECK(message.find("no device has that much; check the shape") != std::string::npos);
    CHECK(message.find(std::to_string(bytes)) != std::string::npos);
  }
  CHECK(D::taken == 0);
}

TEST_CASE("pool: a real allocation that cannot be had is OutOfMemory, and costs nothing") {
  const std::size_t before = situ::memory_stats<situ::Cpu>().in_use;
  CHECK_THROWS_AS(static_cast<void>(Storage<situ::Cpu>::allocate(no_limit / 2)), situ::OutOfMemory);
  CHECK_THROWS_AS(static_cast<void>(Storage<situ::Cpu>::allocate(std::size_t{1} << 50)), situ::OutOfMemory);
  CHECK(situ::memory_stats<situ::Cpu>().in_use == before);
}

TEST_CASE("pool: what the device throws comes through, and is not counted as used") {
  using D = CountingDevice<12>;
  D::broken = true;
  CHECK_THROWS_WITH(static_cast<void>(Storage<D>::allocate(10)), "the device is broken");
  CHECK_THROWS_WITH(static_cast<void>(Storage<D>::allocate(mib)), "the device is broken");
  CHECK(situ::memory_stats<D>().in_use == 0);
  CHECK(situ::memory_stats<D>().allocations == 0);
  D::broken = false;
  CHECK(Storage<D>::allocate(10));
}

TEST_CASE("fail_allocation_after: each allocation of an operation fails in turn, cached or not") {
  using D = CountingDevice<13>;
  const auto operation = [] {
    const auto a = Storage<D>::allocate(100);
    const auto b = Storage<D>::allocate(mib);
    const auto c = Storage<D>::allocate(100);
  };
  for (int round = 0; round < 2; ++round) {  // the second time all blocks are at hand
    std::int64_t failures = 0;
    for (std::int64_t n = 0; n < 100; ++n) {
      const auto failure = situ::internal::memory::fail_allocation_after<D>(n);
      CHECK_FALSE(failure.fired());
      try {
        operation();
      } catch (const situ::OutOfMemory& error) {
        ++failures;
        CHECK(failure.fired());
        CHECK(std::string(error.what()).find("fail_allocation_after") != std::string::npos);
        CHECK(situ::memory_stats<D>().in_use == 0);
        operation();  // one failure only
        continue;
      }
      CHECK_FALSE(failure.fired());
      break;
    }
    CHECK(failures == 3);
  }
  operation();  // taken back with the object
  {
    const auto failure = situ::internal::memory::fail_allocation_after<D>(0);
    bool failed = false;
    std::thread([&failed] {
      try {
        static_cast<void>(Storage<D>::allocate(8));
      } catch (const situ::OutOfMemory&) {
        failed = true;
      }
    }).join();
    CHECK_FALSE(failed);  // another thread's allocations are its own
    CHECK_FALSE(failure.fired());
  }
}

TEST_CASE("pool: a device whose memory the host cannot read has its control data apart") {
  using D = FarDevice<14>;
  {
    auto a = Storage<D>::allocate(1000);
    const auto b = a;
    CHECK(a.use_count() == 2);
    CHECK(D::bytes == 1024);
    a = Storage<D>::allocate(mib);
    CHECK(D::bytes == 1024 + static_cast<std::int64_t>(mib));
    D::refuse = 2;
    CHECK_THROWS_AS(static_cast<void>(Storage<D>::allocate(10 * mib)), situ::OutOfMemory);
    D::broken = true;
    CHECK_THROWS_AS(static_cast<void>(Storage<D>::allocate(10 * mib)), std::runtime_error);
    D::broken = false;
  }
  CHECK(situ::memory_stats<D>().cached == 1024 + mib);
  situ::empty_cache<D>();
  CHECK(D::bytes == 0);
}

TEST_CASE("pool: many threads that grow, free, empty the cache, ask for figures and set limits") {
  using D = CountingDevice<15>;
  std::vector<std::thread> threads;
  for (unsigned t = 0; t < 8; ++t) {
    threads.emplace_back([t] {
      std::uint32_t random = 99 + t;
      std::vector<Storage<D>> held(8);
      for (int i = 0; i < 2000; ++i) {
        random = random * 1664525 + 1013904223;
        const std::size_t bytes = std::size_t{1} << ((random >> 20) % 19);
        try {
          held[(random >> 8) % 8] = Storage<D>::allocate(bytes);
        } catch (const situ::OutOfMemory&) {
          held.assign(8, {});
        }
        if (i % 50 == 0) situ::empty_cache<D>();
        if (i % 30 == 0) situ::set_memory_limit<D>(i % 60 == 0 ? no_limit : 3 * mib);
        if (i % 20 == 0) static_cast<void>(situ::memory_stats<D>());
      }
    });
  }
  for (std::thread& thread : threads) thread.join();
  situ::set_memory_limit<D>(no_limit);
  CHECK(situ::memory_stats<D>().in_use == 0);
  situ::empty_cache<D>();
  CHECK(situ::memory_stats<D>().cached == 0);
  CHECK(D::bytes == 0);
}

TEST_CASE("pool: a forked child allocates and frees, whatever its parent's threads were about to do") {
  using D = CountingDevice<16>;
  const auto mine = Storage<D>::allocate(100);
  std::atomic<bool> ready{false};
  std::atomic<bool> leave{false};
  std::thread other([&] {
    const auto theirs = take<D>(10, 100);
    ready = true;
    while (!leave) static_cast<void>(situ::memory_stats<D>());  // has the lock most of the time
  });
  while (!ready) std::this_thread::yield();
  for (int round = 0; round < 20; ++round) {
    const pid_t child = fork();
    if (child == 0) {
      alarm(3600);  // a deadlock ends the child, with another status
      { const auto all = take<D>(100, 100); }
      { const auto all = take<D>(3, mib); }
      if constexpr (!under_thread_sanitizer) {
        // May get the stack, and the thread-local memory, that `other` had in the parent.
        std::thread([] { take<D>(100, 100).clear(); }).join();
      }
      situ::empty_cache<D>();
      std::_Exit(situ::memory_stats<D>().in_use >= 128 ? 7 : 8);
    }
    int status = 0;
    REQUIRE(waitpid(child, &status, 0) == child);
    CHECK(WIFEXITED(status));
    CHECK(WEXITSTATUS(status) == 7);
  }
  leave = true;
  other.join();
  CHECK(situ::memory_stats<D>().in_use == 128);
}

#if defined(__SANITIZE_ADDRESS__) || defined(__has_feature)
#if defined(__SANITIZE_ADDRESS__) || __has_feature(address_sanitizer)
TEST_CASE("pool: under AddressSanitizer exactly the bytes asked for may be touched, while they are held") {
  using D = CountingDevice<17>;
  for (const std::size_t bytes : {std::size_t{0}, std::size_t{1}, std::size_t{13}, std::size_t{64}, std::size_t{100},
                                  std::size_t{1000}, 100 * kib - 3, 3 * mib}) {
    CAPTURE(bytes);
    for (int round = 0; round < 2; ++round) {
      const char* data = nullptr;
      {
        const auto storage = Storage<D>::allocate(bytes);
        data = static_cast<const char*>(storage.data());
        for (std::size_t i = 0; i < bytes; i += 1 + bytes / 50) CHECK_FALSE(__asan_address_is_poisoned(data + i));
        if (bytes > 0) CHECK_FALSE(__asan_address_is_poisoned(data + bytes - 1));
        CHECK(__asan_address_is_poisoned(data + bytes));
      }
      CHECK(__asan_address_is_poisoned(data));
      if (bytes > 0) CHECK(__asan_address_is_poisoned(data + bytes - 1));
    }
  }
}
#endif
#endif

}  // namespace
