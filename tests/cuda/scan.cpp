// SPDX-License-Identifier: Apache-2.0
// Running sums and products on GPUs against a loop: element types, layouts, sizes at the borders between kernels, parts
// of long rows, and what happens at the limits of numbers.
// labels: values
#include <doctest/doctest.h>

#include <cmath>
#include <cstdint>
#include <limits>
#include <string>
#include <type_traits>
#include <vector>

#include <situ/situ.hpp>

#include "compare.hpp"
#include "views.hpp"

namespace {

using namespace situ;
using cuda_test::filled;
using Gpu = Cuda<0>;

constexpr float nan_f = std::numeric_limits<float>::quiet_NaN();

long double as_number(auto v) {
  if constexpr (OneOf<decltype(v), float16, bfloat16>) return static_cast<float>(v);
  else return static_cast<long double>(v);
}

template <class T>
Tensor<T> numbers(const Shape& shape) {
  std::uint32_t state = 7;
  return filled<T>(shape, [&](std::int64_t) {
    state = state * 1664525U + 1013904223U;
    if constexpr (std::is_same_v<T, bool>) return (state >> 20) % 2 == 0;
    else if constexpr (IntegerElement<T>) return (state >> 16) % 5;
    else return 0.9f + static_cast<float>(state >> 8) / 83886080.0f;
  });
}

/// Both scans along each axis, with a tolerance relative to the value. (Products of other elements are those of `int64`
/// and `float`, and take long to compile.)
template <class T>
void check_scans(const Tensor<T>& x, const Tensor<T, Gpu>& on_gpu, long double tolerance) {
  const Shape shape = x.shape();
  const Tensor<T> flat = contiguous(x);
  CAPTURE(shape.to_string());
  for (int axis = 0; axis < shape.rank(); ++axis) {
    CAPTURE(axis);
    const auto sums = cumsum(on_gpu, axis).template to<Cpu>();
    constexpr bool has_products = OneOf<T, std::int64_t, float16, float, double>;
    const auto factors = [&] {
      if constexpr (has_products) return cumprod(on_gpu, axis - shape.rank()).template to<Cpu>();
      else return sums;
    }();
    REQUIRE(sums.shape() == shape);
    REQUIRE(factors.shape() == shape);
    std::int64_t outer = 1;
    std::int64_t inner = 1;
    for (int i = 0; i < axis; ++i) outer *= shape[i];
    for (int i = axis + 1; i < shape.rank(); ++i) inner *= shape[i];
    for (std::int64_t o = 0; o < outer; ++o) {
      for (std::int64_t i = 0; i < inner; ++i) {
        long double sum = 0;
        long double product = 1;
        for (std::int64_t k = 0; k < shape[axis]; ++k) {
          const std::int64_t at = (o * shape[axis] + k) * inner + i;
          const long double v = as_number(flat.data()[at]);
          sum += v;
          product *= v;
          if (!(std::abs(as_number(sums.data()[at]) - sum) <= tolerance * std::abs(sum))) {
            CAPTURE(at);
            CHECK(static_cast<double>(as_number(sums.data()[at])) == static_cast<double>(sum));
            return;
          }
          if (has_products && !(std::abs(as_number(factors.data()[at]) - product) <= tolerance * std::abs(product))) {
            CAPTURE(at);
            CHECK(static_cast<double>(as_number(factors.data()[at])) == static_cast<double>(product));
            return;
          }
        }
      }
    }
    CHECK(true);
  }
}

template <class T>
long double tolerance_of() {
  return std::is_same_v<T, double>    ? 0x1p-48L
         : std::is_same_v<T, float>   ? 0x1p-22L
         : std::is_same_v<T, float16> ? 0x1p-10L
         : std::is_same_v<T, bfloat16> ? 0x1p-7L
                                       : 0.0L;
}

}  // namespace

TEST_CASE_TEMPLATE("CUDA scans of every element type", T, bool, std::uint8_t, std::int32_t, std::int64_t, float16,
                   bfloat16, float, double) {
  for (const Shape& shape : {Shape{1}, Shape{5, 7}, Shape{3, 16}, Shape{2, 3, 4}, Shape{2, 33, 48}}) {
    const Tensor<T> x = numbers<T>(shape);
    check_scans(x, x.template to<Gpu>(), tolerance_of<T>());
  }
}

TEST_CASE("CUDA scans at the borders between kernels, and of many parts") {
  for (const Shape& shape : {Shape{1, 31}, Shape{40, 32}, Shape{9, 33}, Shape{3, 1000}, Shape{2, 1024}, Shape{3, 1025},
                             Shape{2, 2048}, Shape{2, 2049}, Shape{1, 30000}, Shape{3, 20011}, Shape{63, 2},
                             Shape{64, 3}, Shape{5000, 1}, Shape{7000, 2}, Shape{130, 300}}) {
    const Tensor<std::int32_t> x =
        filled<std::int32_t>(shape, [](std::int64_t i) { return i * 7919 % 10007 - 3000; });
    check_scans(x, x.to<Gpu>(), 0);
    const Tensor<double> y =
        filled<double>(shape, [](std::int64_t i) { return 1 + 1e-4 * static_cast<double>(i % 3); });
    check_scans(y, y.to<Gpu>(), 1e-11L);
  }
}

TEST_CASE("CUDA scans of operands that lie in memory in any way, and of expressions") {
  const Tensor<float> memory = numbers<float>({4000});
  const Tensor<float, Gpu> on_gpu = memory.to<Gpu>();
  for (const views::View& way : views::any({7, 33})) {
    CAPTURE(way.name);
    check_scans(Tensor<float>(memory.storage(), way.layout), Tensor<float, Gpu>(on_gpu.storage(), way.layout),
                0x1p-22L);
  }
  const Tensor<float> x = numbers<float>({5, 40});
  const Tensor<float> row = numbers<float>({40});
  for (const int axis : {0, 1}) {
    const Tensor<float> found = cumsum(x.to<Gpu>() * row.to<Gpu>() - 1.f, axis).to<Cpu>();
    const Tensor<float> wanted = cumsum(x * row - 1.f, axis);
    for (int i = 0; i < 5; ++i) {
      for (int j = 0; j < 40; ++j) CHECK(found(i, j) == doctest::Approx(wanted(i, j)).epsilon(1e-5));
    }
  }
  CHECK(cuda_test::same_bits(cumsum(zeros<float>({0, 3}, Gpu{}), 1), zeros<float>({0, 3})));
  CHECK(cuda_test::same_bits(cumsum(numbers<float>({900}).to<Gpu>() > 1.f), cumsum(numbers<float>({900}) > 1.f)));
}

TEST_CASE("CUDA scans: integers wrap, NaN stays, and products come back from beyond the range of numbers") {
  const std::int64_t largest = std::numeric_limits<std::int64_t>::max();
  const Tensor<std::int64_t> wrapped = cumsum(tensor({largest, std::int64_t{1}, std::int64_t{1}}, Gpu{})).to<Cpu>();
  CHECK(wrapped(1) == std::numeric_limits<std::int64_t>::min());
  const Tensor<float> poisoned = cumsum(tensor({1.f, nan_f, 2.f}, Gpu{})).to<Cpu>();
  CHECK(poisoned(0) == 1.f);
  CHECK(std::isnan(poisoned(2)));
  // 2000 small factors, then 2000 large ones: the product of either half is no double.
  for (const Shape& shape : {Shape{1, 4000}, Shape{4000, 1}, Shape{4000, 2}}) {
    const std::int64_t lines = shape.count() / 4000;
    const Tensor<double> x =
        filled<double>(shape, [=](std::int64_t i) { return i / lines < 2000 ? 0.25 : 4.0; });
    const Tensor<double> found = cumprod(x.to<Gpu>(), shape[0] == 1 ? 1 : 0).to<Cpu>();
    const double* const products = found.data();
    CHECK(products[399 * lines] == 0x1p-800);
    CHECK(products[1999 * lines] == 0);
    CHECK(products[(3999 - 400) * lines] == 0x1p-800);
    CHECK(products[3999 * lines] == 1);
  }
  const Tensor<float> large = cumprod(full<float>({300}, 2.f, Gpu{})).to<Cpu>();
  CHECK(large(126) == 0x1p127f);
  CHECK(std::isinf(large(127)));
  CHECK(std::isinf(large(299)));
  const Tensor<float> zero = cumprod(tensor({2.f, 0.f, 1e30f, 1e30f}, Gpu{})).to<Cpu>();
  CHECK(zero(3) == 0);
}

TEST_CASE("CUDA scans: the running sum of many floats is accurate, and has the same bits in every run") {
  const Tensor<float, Gpu> x = full<float>({200000}, 0.1f, Gpu{});
  const Tensor<float> sums = cumsum(x).to<Cpu>();
  CHECK(sums(199999) == doctest::Approx(20000).epsilon(1e-6));
  CHECK(sums(100000) == doctest::Approx(10000.1).epsilon(1e-6));
  CHECK(cuda_test::same_bits(cumsum(x), sums));
  const Tensor<float, Gpu> columns = numbers<float>({3000, 3}).to<Gpu>();
  const Tensor<float> down = cumsum(columns, 0).to<Cpu>();
  CHECK(cuda_test::same_bits(cumsum(columns, 0), down));
}
