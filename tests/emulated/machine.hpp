// SPDX-License-Identifier: Apache-2.0
// For the tests of the emulation: a stream and memory of a device, and the check of a call.
#pragma once

#include <doctest/doctest.h>

#include <cstddef>
#include <cstring>
#include <string>
#include <vector>

#include <situ/cuda/api/api.hpp>
#include <situ/cuda/runtime/launch.hpp>

namespace emulated_tests {

namespace api = situ::internal::cuda::api;
namespace emulated = situ::internal::cuda::emulated;
namespace kernel = situ::internal::cuda::kernel;
using situ::internal::cuda::Grid;

/// Forgets what the last test left, then runs everything as late as it may.
struct FreshMachine {
  explicit FreshMachine(emulated::Order order = emulated::Order::late, std::uint64_t seed = 0) {
    emulated::reset();
    emulated::set_order(order, seed);
    REQUIRE(api::set_device(0) == api::success);
  }
  FreshMachine(const FreshMachine&) = delete;
  FreshMachine& operator=(const FreshMachine&) = delete;
  ~FreshMachine() { emulated::reset(); }
};

inline api::Stream make_stream(int device = 0) {
  int before = 0;
  api::Stream stream = nullptr;
  REQUIRE(api::get_device(&before) == api::success);
  REQUIRE(api::set_device(device) == api::success);
  REQUIRE(api::stream_create(&stream) == api::success);
  REQUIRE(api::set_device(before) == api::success);
  return stream;
}

inline api::Event make_event(int device = 0) {
  api::Event event = nullptr;
  REQUIRE(api::set_device(device) == api::success);
  REQUIRE(api::event_create(&event) == api::success);
  REQUIRE(api::set_device(0) == api::success);
  return event;
}

inline api::MemoryPool make_pool(int device = 0) {
  api::MemoryPool pool = nullptr;
  REQUIRE(api::pool_create(&pool, device) == api::success);
  return pool;
}

/// `count` elements of device memory; given back in the stream when it dies.
template <class T>
class DeviceArray {
 public:
  DeviceArray(std::size_t count, api::Stream stream, api::MemoryPool pool) : count_(count), stream_(stream) {
    void* memory = nullptr;
    REQUIRE(api::pool_allocate(&memory, count * sizeof(T), pool, stream) == api::success);
    memory_ = static_cast<T*>(memory);
  }
  DeviceArray(const DeviceArray&) = delete;
  DeviceArray& operator=(const DeviceArray&) = delete;
  ~DeviceArray() {
    emulated::reset();  // a test may have left an error, after which nothing is given back
    CHECK(api::pool_free(memory_, stream_) == api::success);
  }
  [[nodiscard]] T* get() const noexcept { return memory_; }
  [[nodiscard]] std::size_t bytes() const noexcept { return count_ * sizeof(T); }

 private:
  T* memory_ = nullptr;
  std::size_t count_;
  api::Stream stream_;
};

/// Pinned elements.
template <class T>
class PinnedArray {
 public:
  explicit PinnedArray(std::size_t count) : count_(count) {
    void* memory = nullptr;
    REQUIRE(api::host_allocate(&memory, count * sizeof(T)) == api::success);
    memory_ = static_cast<T*>(memory);
    for (std::size_t i = 0; i < count; ++i) memory_[i] = T{};
  }
  PinnedArray(const PinnedArray&) = delete;
  PinnedArray& operator=(const PinnedArray&) = delete;
  ~PinnedArray() {
    emulated::reset();
    CHECK(api::host_free(memory_) == api::success);
  }
  T& operator[](std::size_t i) { return memory_[i]; }
  [[nodiscard]] T* get() noexcept { return memory_; }
  [[nodiscard]] std::size_t bytes() const noexcept { return count_ * sizeof(T); }
  [[nodiscard]] std::size_t size() const noexcept { return count_; }

 private:
  T* memory_ = nullptr;
  std::size_t count_;
};

/// x[i] = x[i] * by + add, for every element.
struct Affine {
  static constexpr int threads = 128;
  static constexpr const char* name = "affine";
  float* x;
  std::int64_t count;
  float by;
  float add;
  void operator()() const {
    const std::int64_t i = kernel::block() * threads + kernel::thread();
    if (i < count) x[i] = x[i] * by + add;
  }
};

inline Grid grid_for(std::int64_t count, int threads) { return Grid{(count + threads - 1) / threads, 1}; }

inline bool contains(const std::string& text, const char* part) { return text.find(part) != std::string::npos; }

}  // namespace emulated_tests
