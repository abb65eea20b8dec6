// SPDX-License-Identifier: Apache-2.0
// Handles of blocks: counting, alignment, null handles, handles in many threads, objects that outlive others.
// labels: threads
#include <doctest/doctest.h>

#include <array>
#include <atomic>
#include <chrono>
#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <mutex>
#include <thread>
#include <type_traits>
#include <utility>
#include <vector>

#include <situ/device/cpu.hpp>
#include <situ/device/cuda.hpp>
#include <situ/device/pinned.hpp>
#include <situ/memory/storage.hpp>

namespace {

using situ::Cpu;
using situ::internal::Storage;

static_assert(sizeof(Storage<Cpu>) == sizeof(void*));
static_assert(std::is_nothrow_copy_constructible_v<Storage<Cpu>> && std::is_nothrow_copy_assignable_v<Storage<Cpu>>);
static_assert(std::is_nothrow_move_constructible_v<Storage<Cpu>> && std::is_nothrow_move_assignable_v<Storage<Cpu>>);
static_assert(!std::is_same_v<Storage<Cpu>, Storage<situ::Pinned>>);

/// Static handles, made before `main` and filled in a test: they are destroyed after the thread lists of the main
/// thread, and after everything that a test makes.
std::vector<Storage<Cpu>> outliving;

/// Allocates while static objects are destroyed; a wrong byte ends the program with an error status.
struct AllocatesAtExit {
  ~AllocatesAtExit() {
    for (const std::size_t bytes : {std::size_t{100}, std::size_t{1} << 20, std::size_t{5} << 20}) {
      const Storage<Cpu> first = Storage<Cpu>::allocate(bytes);
      std::memset(first.data(), 0x5a, bytes);
      const Storage<Cpu> second = Storage<Cpu>::allocate(bytes);
      std::memset(second.data(), 0, bytes);
      if (static_cast<const unsigned char*>(first.data())[bytes - 1] != 0x5a) std::_Exit(70);
    }
  }
};
const AllocatesAtExit allocates_at_exit;

TEST_CASE("Storage: static handles outlive the thread's part of the pool") {
  for (const std::size_t bytes : {0U, 1U, 256U, 40000U, 3U << 20}) {
    outliving.push_back(Storage<Cpu>::allocate(bytes));
    outliving.push_back(outliving.back());
  }
  CHECK(outliving.back().use_count() == 2);
}

TEST_CASE("Storage: null handles") {
  Storage<Cpu> null;
  CHECK_FALSE(null);
  CHECK(null.data() == nullptr);
  CHECK(null.bytes() == 0);
  CHECK(null.use_count() == 0);
  CHECK_FALSE(null.unique());
  const Storage<Cpu> copy = null;
  CHECK(copy == null);
  null = copy;
  CHECK_FALSE(null);
}

TEST_CASE("Storage: copies share, moves take, the last one frees") {
  const std::size_t before = situ::memory_stats<Cpu>().in_use;
  {
    Storage<Cpu> a = Storage<Cpu>::allocate(1000);
    CHECK(a);
    CHECK(a.unique());
    CHECK(a.idle());
    CHECK(a.bytes() == 1000);
    Storage<Cpu> b = a;
    CHECK(a == b);
    CHECK(a.data() == b.data());
    CHECK(a.use_count() == 2);
    CHECK_FALSE(b.unique());
    Storage<Cpu> c = std::move(b);
    CHECK_FALSE(b);  // NOLINT(bugprone-use-after-move): null by contract
    CHECK(c.use_count() == 2);
    Storage<Cpu> d = Storage<Cpu>::allocate(10);
    CHECK(d != c);
    void* const of_d = d.data();
    swap(c, d);
    CHECK(c.data() == of_d);
    CHECK(d == a);
    d = c;
    CHECK(a.unique());
    CHECK(c.use_count() == 2);
    const Storage<Cpu>& itself = d;
    d = itself;
    CHECK(d.use_count() == 2);
    d = std::move(a);
    CHECK(c.unique());
    CHECK(d.unique());
    CHECK(d.bytes() == 1000);
    CHECK(situ::memory_stats<Cpu>().in_use > before);
  }
  CHECK(situ::memory_stats<Cpu>().in_use == before);
}

TEST_CASE("Storage: every size is aligned, writable over its whole length, and apart from the others") {
  std::vector<Storage<Cpu>> all;
  std::vector<std::size_t> sizes = {0, 1, 2, 63, 64, 65, 127, 128, 511, 512, 513, 576, 577, 1023, 1024, 1025, 4096};
  for (const std::size_t base : {std::size_t{32768}, std::size_t{65536}, std::size_t{1} << 20, std::size_t{1} << 21}) {
    for (const int change : {-65, -64, -1, 0, 1, 64}) sizes.push_back(base + static_cast<std::size_t>(change));
  }
  for (int round = 0; round < 2; ++round) {  // the second time from the free lists
    all.clear();
    for (std::size_t i = 0; i < sizes.size(); ++i) {
      all.push_back(Storage<Cpu>::allocate(sizes[i]));
      CHECK(all.back().bytes() == sizes[i]);
      REQUIRE(all.back().data() != nullptr);
      CHECK(reinterpret_cast<std::uintptr_t>(all.back().data()) % 64 == 0);
      std::memset(all.back().data(), static_cast<int>(i), sizes[i]);
    }
    for (std::size_t i = 0; i < sizes.size(); ++i) {
      const auto* bytes = static_cast<const unsigned char*>(all[i].data());
      bool good = true;
      for (std::size_t k = 0; k < sizes[i]; ++k) good = good && bytes[k] == i;
      CHECK(good);
    }
  }
}

TEST_CASE("Storage: what a handle's last writer did is seen by the one that is left") {
  for (int round = 0; round < 200; ++round) {
    Storage<Cpu> mine = Storage<Cpu>::allocate(64);
    *static_cast<int*>(mine.data()) = -1;
    std::thread other([theirs = mine, round]() mutable {
      *static_cast<int*>(theirs.data()) = round;
      theirs = {};
    });
    while (!mine.unique()) std::this_thread::yield();
    const int seen = *static_cast<const int*>(mine.data());
    *static_cast<int*>(mine.data()) = 0;
    other.join();
    REQUIRE(seen == round);
  }
}

TEST_CASE("Storage: whoever frees a block may use it again at once, whatever the others did with it before") {
  // What is checked is the order between threads, which ThreadSanitizer sees.
  const std::size_t before = situ::memory_stats<Cpu>().in_use;
  const auto drop_and_reuse = [](Storage<Cpu> handle) {
    static_cast<void>(*static_cast<const volatile int*>(handle.data()));
    handle = {};
    const Storage<Cpu> again = Storage<Cpu>::allocate(192);
    *static_cast<volatile int*>(again.data()) = 1;
  };
  for (int round = 0; round < 500; ++round) {
    Storage<Cpu> mine = Storage<Cpu>::allocate(192);
    *static_cast<int*>(mine.data()) = 0;
    std::atomic<bool> begun{false};
    std::thread other([&, theirs = mine]() mutable {
      begun.store(true, std::memory_order_relaxed);
      drop_and_reuse(std::move(theirs));
    });
    while (!begun.load(std::memory_order_relaxed)) std::this_thread::yield();
    if (round % 2 == 0) std::this_thread::sleep_for(std::chrono::microseconds(50));
    drop_and_reuse(std::move(mine));
    other.join();
  }
  CHECK(situ::memory_stats<Cpu>().in_use == before);
}

TEST_CASE("Storage: handles copied and dropped by many threads") {
  const std::size_t before = situ::memory_stats<Cpu>().in_use;
  {
    const Storage<Cpu> shared = Storage<Cpu>::allocate(64);
    std::vector<std::thread> threads;
    for (int t = 0; t < 8; ++t) {
      threads.emplace_back([mine = shared] {
        for (int i = 0; i < 5000; ++i) {
          Storage<Cpu> copy = mine;
          Storage<Cpu> moved = std::move(copy);
          copy = moved;
        }
      });
    }
    for (std::thread& thread : threads) thread.join();
    threads.clear();
    CHECK(shared.unique());
  }
  CHECK(situ::memory_stats<Cpu>().in_use == before);
}

TEST_CASE("Storage: 16 threads allocate, hand on and free blocks of each other") {
  const std::size_t before = situ::memory_stats<Cpu>().in_use;
  struct Mailbox {
    std::mutex mutex;
    Storage<Cpu> content;
  };
  std::array<Mailbox, 16> mailboxes;
  std::atomic<bool> good{true};
  std::vector<std::thread> threads;
  for (unsigned t = 0; t < 16; ++t) {
    threads.emplace_back([&, t] {
      std::uint32_t random = 12345 + t;
      for (int i = 0; i < 100000; ++i) {
        random = random * 1664525 + 1013904223;
        // Mostly small, a few from the shared lists.
        const std::size_t bytes = 4 + (random >> 8) % ((random >> 28) == 0 ? 100000 : 2000);
        Storage<Cpu> storage = Storage<Cpu>::allocate(bytes);
        const auto mark = static_cast<unsigned char>(bytes * 7);
        static_cast<unsigned char*>(storage.data())[0] = mark;
        static_cast<unsigned char*>(storage.data())[bytes - 1] = mark;
        Mailbox& mailbox = mailboxes[(random >> 4) % 16];
        {
          const std::lock_guard lock(mailbox.mutex);
          swap(mailbox.content, storage);
        }
        if (storage) {
          const auto expected = static_cast<unsigned char>(storage.bytes() * 7);
          const auto* data = static_cast<const unsigned char*>(storage.data());
          if (data[0] != expected || data[storage.bytes() - 1] != expected || !storage.unique()) good = false;
        }
      }
    });
  }
  for (std::thread& thread : threads) thread.join();
  CHECK(good);
  for (Mailbox& mailbox : mailboxes) mailbox.content = {};
  CHECK(situ::memory_stats<Cpu>().in_use == before);
}

TEST_CASE("Storage: a thread's blocks live on after it, and its free ones go to the others") {
  const situ::MemoryStats before = situ::memory_stats<Cpu>();
  std::vector<Storage<Cpu>> kept;
  std::thread([&kept] {
    std::vector<Storage<Cpu>> freed;
    for (int i = 0; i < 100; ++i) {
      kept.push_back(Storage<Cpu>::allocate(300));
      freed.push_back(Storage<Cpu>::allocate(300));
      *static_cast<int*>(kept.back().data()) = i;
    }
  }).join();
  for (int i = 0; i < 100; ++i) REQUIRE(*static_cast<const int*>(kept[static_cast<std::size_t>(i)].data()) == i);
  CHECK(situ::memory_stats<Cpu>().in_use == before.in_use + 100 * 320);
  CHECK(situ::memory_stats<Cpu>().allocations == before.allocations + 200);
  // The 100 that it freed serve this thread.
  const std::int64_t hits = situ::memory_stats<Cpu>().pool_hits;
  for (int i = 0; i < 100; ++i) kept.push_back(Storage<Cpu>::allocate(300));
  CHECK(situ::memory_stats<Cpu>().pool_hits == hits + 100);
  kept.clear();
  CHECK(situ::memory_stats<Cpu>().in_use == before.in_use);
}

TEST_CASE("Storage: destructors of thread_local objects may free and allocate") {
  const std::size_t before = situ::memory_stats<Cpu>().in_use;
  const std::int64_t allocations = situ::memory_stats<Cpu>().allocations;
  struct Late {
    Storage<Cpu> held;
    ~Late() {
      held = {};
      const Storage<Cpu> again = Storage<Cpu>::allocate(256);
      *static_cast<char*>(again.data()) = 1;
    }
  };
  std::thread([] {
    static thread_local Late late;  // made before the thread's part of the pool, so destroyed after it
    late.held = Storage<Cpu>::allocate(256);
  }).join();
  CHECK(situ::memory_stats<Cpu>().in_use == before);
  CHECK(situ::memory_stats<Cpu>().allocations == allocations + 2);
}

TEST_CASE("Storage: a device that this build does not have says so") {
  CHECK_FALSE(Storage<situ::Cuda<1>>());
  CHECK_THROWS_AS(static_cast<void>(Storage<situ::Cuda<1>>::allocate(16)), situ::DeviceUnavailable);
  CHECK(situ::memory_stats<situ::Cuda<1>>().in_use == 0);
  CHECK(situ::memory_stats<situ::Cuda<1>>().cached == 0);
}

}  // namespace
