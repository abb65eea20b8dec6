// SPDX-License-Identifier: Apache-2.0
// Several host threads: each with a device or stream of its own, and tensors that they share.
// labels: threads
#include <doctest/doctest.h>

#include <algorithm>
#include <atomic>
#include <cstdint>
#include <mutex>
#include <random>
#include <semaphore>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include <situ/cuda/runtime/scratch.hpp>

#include "../comes_true.hpp"
#include "support.hpp"

namespace {

using namespace cuda_test;  // NOLINT
using situ::Pinned;
using situ::Stream;
using situ::StreamScope;
namespace api = situ::internal::cuda::api;

/// Work on device `N` that notices when another device's work, or another thread's, gets mixed up with it.
template <int N>
bool work(std::uint64_t seed, int rounds) {
  std::mt19937_64 random(seed);
  int gpus = 0;
  bool right = api::device_count(&gpus) == api::success;
  const int mine = static_cast<int>(random() % static_cast<std::uint64_t>(gpus));
  right = right && api::set_device(mine) == api::success;
  for (int i = 0; i < rounds; ++i) {
    const auto k = static_cast<std::int64_t>(random() % 1000);
    const Storage<Cuda<N>> a = counted<N>(k);
    const Storage<Cuda<N>> b = counted<N>(k + 1);
    combine(a, b, b, k);
    const situ::internal::cuda::Scratch scratch(Cuda<N>::queue(), std::size_t{512} << (i % 4));
    right = right && read(b) == combined(counting(k), counting(k + 1), k);
    int now = -1;
    right = right && api::get_device(&now) == api::success && now == mine;
  }
  return right;
}

template <class... F>
void all_at_once(F... f) {
  std::vector<std::thread> threads;
  (threads.emplace_back(f), ...);
  for (std::thread& thread : threads) thread.join();
}

struct OnExit {
  Storage<Cuda<0>> gpu;
  Storage<Pinned> pinned;
  ~OnExit() {
    if (gpu) combine(gpu, gpu, gpu, 1);  // even work is possible here
  }
};
thread_local OnExit at_thread_end;  // NOLINT

}  // namespace

TEST_CASE("threads with a device each never touch another's, nor the current device") {
  std::atomic<int> right{0};
  all_at_once([&] { right += work<0>(1, 8); }, [&] { right += work<1>(2, 8); }, [&] { right += work<0>(3, 8); },
              [&] { right += work<1>(4, 8); });
  CHECK(right == 4);
}

TEST_CASE("of several threads that wait for one bad index one is told, every time") {
  const auto backend = Cuda<0>::queue();
  const Storage<Cuda<0>> x = counted<0>(1);
  for (int i = 0; i < 20; ++i) {
    situ::internal::cuda::launch(backend, {1, 1}, BadIndex{situ::internal::cuda::fault_of(backend), 0, 9 + i});
    std::atomic<int> told{0}, right{0};
    const auto wait = [&] {
      try {
        right += read(x) == counting(1);
      } catch (const situ::IndexError& e) {
        told += std::string(e.what()).find("index " + std::to_string(9 + i)) != std::string::npos;
      }
    };
    all_at_once(wait, wait, wait);
    CHECK(told == 1);
    CHECK(right == 2);
  }
}

#if defined(SITU_CUDA_EMULATED)

TEST_CASE("a thread that waits for what a kernel may have found keeps no other thread from the device's streams") {
  const auto backend = Cuda<0>::queue();
  const Storage<Cuda<0>> x = counted<0>(1);
  const Storage<Pinned> host = Storage<Pinned>::allocate(array_bytes);
  const auto waits = [&](auto wait) {
    static_cast<void>(situ::internal::cuda::fault_of(backend));
    std::binary_semaphore runs{0}, went_on{0};
    bool in_time = false;
    std::thread other([&] {
      runs.acquire();
      static_cast<void>(streams_of(situ::internal::cuda::device_state(0)));
      went_on.release();
    });
    // the GPU is at work while the host waits; only a failure takes as long as `comes_true` waits
    const auto work = [&] {
      runs.release();
      in_time = comes_true([&] { return went_on.try_acquire(); });
    };
    REQUIRE(situ::internal::cuda::emulated::enqueue(backend.stream->stream, "work", work) == api::success);
    wait();
    other.join();
    CHECK(in_time);
  };
  waits([&] { CHECK(read(x) == counting(1)); });
  waits([&] { situ::internal::cuda::transfer_bytes(backend, x, 0, host, array_bytes); });
  waits([&] { situ::synchronize(Stream<Cuda<0>>::current()); });
}

#endif

TEST_CASE("threads with a stream each share what they read, and write what they have alone") {
  const Storage<Cuda<0>> shared = counted<0>(1);
  std::atomic<int> right{0};
  const auto reader = [&](std::int64_t k) {
    const Stream<Cuda<0>> stream;
    const StreamScope scope(stream);
    Storage<Cuda<0>> x = shared;
    bool good = true;
    for (int i = 0; i < 8; ++i) {
      const Storage<Cuda<0>> y = Storage<Cuda<0>>::allocate(array_bytes);
      combine(x, shared, y, k);
      good = good && read(y) == combined(counting(1), counting(1), k);
    }
    right += good;
  };
  all_at_once([&] { reader(1); }, [&] { reader(2); }, [&] { reader(3); });
  REQUIRE(right == 3);
  REQUIRE(shared.unique());
  combine(shared, shared, shared, 4);  // waits for the three
  CHECK(read(shared) == combined(counting(1), counting(1), 4));
}

TEST_CASE("blocks change hands between threads with pending work") {
  std::mutex mutex;
  std::vector<std::pair<Storage<Cuda<0>>, std::int64_t>> basket;
  std::atomic<int> wrong{0};
  const auto trader = [&](std::uint64_t seed) {
    std::mt19937_64 random(seed);
    const Stream<Cuda<0>> stream;
    const StreamScope scope(stream);
    for (int i = 0; i < 20; ++i) {
      std::pair<Storage<Cuda<0>>, std::int64_t> got;
      {
        const std::lock_guard lock(mutex);
        if (!basket.empty() && random() % 2 == 0) {
          got = std::move(basket.back());
          basket.pop_back();
        }
      }
      if (got.first) {
        if (random() % 2 == 0) {
          if (read(got.first) != counting(got.second)) ++wrong;
        } else {
          const Storage<Cuda<0>> copy = Storage<Cuda<0>>::allocate(array_bytes);
          combine(got.first, got.first, copy, 0);
          got.first = Storage<Cuda<0>>();
          if (read(copy) != combined(counting(got.second), counting(got.second), 0)) ++wrong;
        }
      } else {
        const auto k = static_cast<std::int64_t>(random() % 1000);
        Storage<Cuda<0>> made = counted<0>(k);
        const std::lock_guard lock(mutex);
        basket.emplace_back(std::move(made), k);
      }
    }
  };
  all_at_once([&] { trader(1); }, [&] { trader(2); }, [&] { trader(3); });
  CHECK(wrong == 0);
  for (const auto& [storage, k] : basket) CHECK(read(storage) == counting(k));
}

TEST_CASE("pinned blocks are copied from by several threads at once") {
  const Storage<Pinned> host = Storage<Pinned>::allocate(array_bytes);
  const std::vector<std::int64_t> values = counting(3);
  std::copy(values.begin(), values.end(), words(host));
  std::atomic<int> right{0};
  const auto upload = [&]<int N>(Cuda<N>) {
    bool good = true;
    for (int i = 0; i < 8; ++i) {
      const Storage<Pinned> mine = host;
      const Storage<Cuda<N>> x = Storage<Cuda<N>>::allocate(array_bytes);
      situ::internal::cuda::transfer_bytes(Cuda<N>::queue(), mine, 0, x, array_bytes);
      static_cast<void>(mine.idle());
      good = good && read(x) == values;
    }
    right += good;
  };
  all_at_once([&] { upload(Cuda<0>{}); }, [&] { upload(Cuda<1>{}); }, [&] { upload(Cuda<0>{}); });
  CHECK(right == 3);
  CHECK(host.idle());
}

TEST_CASE("a thread may end with blocks in thread_local objects; others free what it made") {
  Storage<Cuda<1>> handed_over;
  std::thread([&] {
    at_thread_end.gpu = counted<0>(1);
    at_thread_end.pinned = Storage<Pinned>::allocate(array_bytes);
    std::fill_n(words(at_thread_end.pinned), array_count, 1);
    situ::internal::cuda::transfer_bytes(Cuda<0>::queue(), at_thread_end.pinned, 0, at_thread_end.gpu, array_bytes);
    const Stream<Cuda<1>> stream;
    const StreamScope scope(stream);
    handed_over = counted<1>(2);
  }).join();
  CHECK(read(handed_over) == counting(2));
  handed_over = Storage<Cuda<1>>();
  CHECK(read(counted<1>(3)) == counting(3));
}
