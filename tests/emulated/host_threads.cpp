// SPDX-License-Identifier: Apache-2.0
// labels: threads
// Several host threads use the machine at once.
#include <array>
#include <atomic>
#include <thread>

#include "machine.hpp"

namespace {
using namespace emulated_tests;

constexpr int rounds = 40;
constexpr std::size_t elements = 300;

/// What one host thread does: its own stream and memory, many times. Gives how often the result was wrong.
int work(int device) {
  int wrong = 0;
  api::Stream stream = nullptr;
  api::MemoryPool pool = nullptr;
  void* host = nullptr;
  void* memory = nullptr;
  const auto check = [&](api::Error error) { wrong += error == api::success ? 0 : 1; };
  check(api::set_device(device));
  check(api::stream_create(&stream));
  check(api::pool_create(&pool, device));
  check(api::host_allocate(&host, elements * sizeof(float)));
  auto* const values = static_cast<float*>(host);
  for (int round = 0; round < rounds; ++round) {
    for (std::size_t i = 0; i < elements; ++i) values[i] = static_cast<float>(i);
    check(api::pool_allocate(&memory, elements * sizeof(float), pool, stream));
    check(api::copy_to_device(memory, host, elements * sizeof(float), stream));
    const auto by = static_cast<float>(round);
    check(emulated::launch_on(stream, grid_for(elements, Affine::threads),
                              Affine{static_cast<float*>(memory), elements, by, 1.f}));
    check(api::copy_to_host(host, memory, elements * sizeof(float), stream));
    check(api::pool_free(memory, stream));
    check(api::stream_synchronize(stream));
    for (std::size_t i = 0; i < elements; ++i) wrong += values[i] == static_cast<float>(i) * by + 1 ? 0 : 1;
  }
  check(api::host_free(host));
  check(api::stream_destroy(stream));
  return wrong;
}

TEST_CASE("host threads on one device and on two") {
  for (const emulated::Order order : {emulated::Order::late, emulated::Order::random, emulated::Order::early}) {
    const FreshMachine fresh(order, 5);
    std::array<int, 4> wrong{};
    std::vector<std::thread> threads;
    for (std::size_t t = 0; t < wrong.size(); ++t) {
      threads.emplace_back([&wrong, t] { wrong[t] = work(t < 2 ? 0 : 1); });
    }
    for (std::thread& thread : threads) thread.join();
    for (const int count : wrong) CHECK(count == 0);
  }
}

TEST_CASE("a kernel launched by one thread and waited for by another") {
  const FreshMachine fresh;
  const api::Stream stream = make_stream();
  const api::Event event = make_event();
  const api::MemoryPool pool = make_pool();
  PinnedArray<float> host(1);
  const DeviceArray<float> x(1, stream, pool);
  std::thread([&] {
    static_cast<void>(api::copy_to_device(x.get(), host.get(), 4, stream));
    static_cast<void>(emulated::launch_on(stream, Grid{}, Affine{x.get(), 1, 1.f, 4.f}));
    static_cast<void>(api::copy_to_host(host.get(), x.get(), 4, stream));
    static_cast<void>(api::event_record(event, stream));
  }).join();
  std::atomic<bool> done = false;
  std::thread waits([&] {
    while (api::event_query(event) == api::not_ready) {
    }
    done = true;
  });
  waits.join();
  CHECK(done);
  CHECK(host[0] == 4.f);
}

}  // namespace
