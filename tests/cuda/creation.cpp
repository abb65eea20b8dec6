// SPDX-License-Identifier: Apache-2.0
// Tensors made on a GPU from nothing: to the bit those of the CPU.
#include <doctest/doctest.h>

#include <cstdint>
#include <string>
#include <vector>

#include <situ/situ.hpp>

#include "views.hpp"

namespace {

using namespace views;  // NOLINT
using situ::bfloat16;
using situ::float16;

template <class X, class Y>
void check_same(const X& host, const Y& gpu) {
  std::string difference;
  const bool equal = same(host, gpu, difference);
  INFO(difference);
  CHECK(equal);
}

/// Writes around the elements show.
struct Counter {
  constexpr std::int32_t operator()(std::int64_t i) const { return static_cast<std::int32_t>(7 * i + start); }
  std::int32_t start;
};

}  // namespace

TEST_CASE_TEMPLATE("zeros, ones and full, with any number of elements", T, bool, std::uint8_t, std::int32_t,
                   std::int64_t, float16, bfloat16, float, double) {
  for (const Shape& shape :
       {Shape{}, Shape{1}, Shape{0, 3}, Shape{15}, Shape{17}, Shape{3, 5, 7}, Shape{4096}, Shape{5003}}) {
    INFO(shape.to_string());
    check_same(situ::zeros<T>(shape), situ::zeros<T>(shape, Gpu{}));
    check_same(situ::ones<T>(shape), situ::ones<T>(shape, Gpu{}));
    const T value = static_cast<T>(static_cast<situ::compute_t<T>>(7));
    check_same(situ::full<T>(shape, value), situ::full<T>(shape, value, Gpu{}));
  }
}

TEST_CASE_TEMPLATE("sequences, with any number of elements", T, std::int32_t, std::int64_t, float16, bfloat16, float,
                   double) {
  for (const int count : {0, 1, 2, 7, 8, 9, 255, 256, 257, 1023, 1024, 1025, 5003}) {
    INFO(count);
    if constexpr (situ::FloatingElement<T>) {
      check_same(situ::arange<T>(-3.3, -3.3 + 0.1 * count, 0.1), situ::arange<T>(-3.3, -3.3 + 0.1 * count, 0.1, Gpu{}));
      if (count > 0) check_same(situ::linspace<T>(0.1, 9.7, count), situ::linspace<T>(0.1, 9.7, count, Gpu{}));
    } else {
      check_same(situ::arange<T>(-40, 3 * count - 40, 3), situ::arange<T>(-40, 3 * count - 40, 3, Gpu{}));
      check_same(situ::arange<T>(count, 0, -1), situ::arange<T>(count, 0, -1, Gpu{}));
    }
  }
}

TEST_CASE("identity matrices and copies of host data") {
  check_same(situ::eye<float>(7, 5, 1), situ::eye<float>(7, 5, 1, Gpu{}));
  check_same(situ::eye<std::int32_t>(33), situ::eye<std::int32_t>(33, Gpu{}));
  const std::vector<double> values{1, 2.5, -3, 4};
  check_same(situ::from_span<double>(values, Shape{2, 2}), situ::from_span<double>(values, Shape{2, 2}, Gpu{}));
}

TEST_CASE("a sequence that begins anywhere in memory is written, and nothing around it") {
  for (std::int64_t offset = 0; offset < 4; ++offset) {
    for (const std::int64_t count : {1, 3, 4, 5, 1030}) {
      const Tensor<std::int32_t, Gpu> gpu = situ::full<std::int32_t>(Shape{count + 8}, -1, Gpu{});
      auto* const data = static_cast<std::int32_t*>(const_cast<void*>(static_cast<const void*>(gpu.storage().data())));
      generate<std::int32_t>(Gpu::queue(), Counter{5}, {data + offset, sizeof(std::int32_t), Shape{count}, {1}});
      const Tensor<std::int32_t> host = gpu.to<Cpu>();
      bool equal = true;
      for (std::int64_t i = 0; i < count + 8; ++i) {
        const bool inside = i >= offset && i < offset + count;
        equal = equal && host.data()[i] == (inside ? Counter{5}(i - offset) : -1);
      }
      INFO(count, " elements from ", offset);
      CHECK(equal);
    }
  }
}
