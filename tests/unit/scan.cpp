// SPDX-License-Identifier: Apache-2.0
// Running sums and products against a loop, over awkward shapes, layouts and element types.
#include <doctest/doctest.h>

#include <cmath>
#include <cstdint>
#include <limits>
#include <string>
#include <type_traits>

#include <situ/situ.hpp>

namespace {

using namespace situ;

template <class T>
Tensor<T> numbers(const Shape& shape) {
  Tensor<T> x = situ::internal::Fill<T, Cpu>(shape, T{});
  auto w = x.write();
  std::uint32_t state = 7;
  for (std::int64_t i = 0; i < w.size(); ++i) {
    state = state * 1664525U + 1013904223U;
    if constexpr (std::is_same_v<T, bool>) w.data()[i] = (state >> 20) % 2 == 0;
    else if constexpr (IntegerElement<T>) w.data()[i] = static_cast<T>((state >> 16) % 5);
    else w.data()[i] = T(static_cast<compute_t<T>>(0.5f + static_cast<float>(state >> 8) / 16777216.0f));
  }
  return x;
}

long double as_number(auto v) {
  if constexpr (OneOf<decltype(v), float16, bfloat16>) return static_cast<float>(v);
  else return static_cast<long double>(v);
}

/// Both scans of `x` along each axis, with a tolerance relative to the magnitude so far.
template <class T>
void check_scans(const Tensor<T>& x, long double tolerance) {
  const Shape shape = x.shape();
  for (int axis = 0; axis < shape.rank(); ++axis) {
    CAPTURE(shape.to_string());
    CAPTURE(axis);
    const auto sums = cumsum(x, axis);
    const auto products = cumprod(x, axis - shape.rank());
    REQUIRE(sums.shape() == shape);
    REQUIRE(products.shape() == shape);
    const Layout& layout = x.layout();
    std::int64_t outer = 1;
    std::int64_t inner = 1;
    for (int i = 0; i < axis; ++i) outer *= shape[i];
    for (int i = axis + 1; i < shape.rank(); ++i) inner *= shape[i];
    bool right = true;
    for (std::int64_t o = 0; o < outer; ++o) {
      for (std::int64_t i = 0; i < inner; ++i) {
        long double sum = 0;
        long double product = 1;
        for (std::int64_t k = 0; k < shape[axis]; ++k) {
          const std::int64_t flat = (o * shape[axis] + k) * inner + i;
          std::int64_t rest = flat;
          std::int64_t offset = 0;
          for (int a = shape.rank() - 1; a >= 0; --a) {
            offset += rest % shape[a] * layout.stride(a);
            rest /= shape[a];
          }
          const long double v = as_number(x.data()[offset]);
          sum += v;
          product *= v;
          right = right && std::abs(as_number(sums.data()[flat]) - sum) <= tolerance * std::abs(sum);
          if (std::abs(product) < 1e18L) {
            right = right && std::abs(as_number(products.data()[flat]) - product) <=
                                 tolerance * std::abs(product) * (std::is_same_v<T, double> ? k + 1 : 1) + 1e-30L;
          }
        }
      }
    }
    CHECK(right);
  }
}

}  // namespace

TEST_CASE_TEMPLATE("scans agree with a loop", T, float, double, std::int8_t, std::uint8_t, std::int16_t, std::uint16_t,
                   std::int32_t, std::uint32_t, std::int64_t, std::uint64_t, bool) {
  const long double tolerance = std::is_same_v<T, float> ? 0x1p-23L : std::is_same_v<T, double> ? 0x1p-50L : 0;
  for (const Shape& shape : {Shape{0}, Shape{1}, Shape{7}, Shape{8}, Shape{9}, Shape{31}, Shape{5, 0}, Shape{0, 3},
                             Shape{17, 19}, Shape{3, 5, 7}, Shape{1, 4, 1}}) {
    check_scans(numbers<T>(shape), tolerance);
  }
  if constexpr (!IntegerElement<T>) check_scans(numbers<T>(Shape{2, 20011}), tolerance * 64);
  const Tensor<T> x = numbers<T>(Shape{6, 10, 14});
  check_scans(x(all, range(1, 9, 2), range(13, 2, -3)), tolerance);
  check_scans(Tensor<T>(x.storage(), Layout{Shape{14, 10, 6}, Strides{1, 14, 140}, 0}), tolerance);
  check_scans(Tensor<T>(x.storage(), Layout{Shape{14, 5, 6}, Strides{1, 0, 140}, 0}), tolerance);
}

TEST_CASE_TEMPLATE("scans of half precision accumulate wider than they store", T, float16, bfloat16) {
  const long double half_step = std::is_same_v<T, float16> ? 0x1p-11L : 0x1p-8L;
  check_scans(numbers<T>(Shape{40}), 1.01L * half_step);
  check_scans(numbers<T>(Shape{30, 3}), 1.01L * half_step);
}

TEST_CASE_TEMPLATE("short rows and narrow columns of every length", T, float, double, float16, bfloat16, std::uint8_t,
                   std::int16_t, std::int32_t, std::uint64_t, bool) {
  const long double tolerance = std::is_same_v<T, float>      ? 0x1p-23L
                                : std::is_same_v<T, double>   ? 0x1p-50L
                                : std::is_same_v<T, float16>  ? 1.01L * 0x1p-11L
                                : std::is_same_v<T, bfloat16> ? 1.01L * 0x1p-8L
                                                              : 0;
  for (std::int64_t length = 1; length <= 19; ++length) {
    check_scans(numbers<T>(Shape{37, length}), tolerance);  // odd numbers of rows, and of columns
    check_scans(numbers<T>(Shape{2, 3, length}), tolerance);
  }
  const Tensor<T> x = numbers<T>(Shape{29, 12});
  check_scans(x(all, range(1, 12, 3)), tolerance);
  check_scans(x(range(28, 1, -2), range(4, 11)), tolerance);
  if constexpr (std::is_same_v<T, float16>) return;  // long products are beyond its range
  check_scans(numbers<T>(Shape{2, 3, 531}), tolerance);  // several chunks of columns
  check_scans(numbers<T>(Shape{531, 3})(all, range(0, 2)), tolerance);
}

TEST_CASE("scans of an expression have the bits of those of its value") {
  for (const Shape& shape : {Shape{700, 3}, Shape{3, 700}, Shape{5, 1500}, Shape{1500, 5}, Shape{2, 9000}, Shape{40, 600},
                             Shape{7, 8, 9}, Shape{3000, 1}}) {
    const Tensor<float> x = numbers<float>(shape);
    const Tensor<float> value = x * 3.f - 2.f;
    for (int axis = 0; axis < shape.rank(); ++axis) {
      CAPTURE(shape.to_string());
      CAPTURE(axis);
      CHECK(array_equal(cumsum(x * 3.f - 2.f, axis), cumsum(value, axis)).item());
      CHECK(array_equal(cumprod(x * 3.f - 2.f, axis), cumprod(value, axis)).item());
    }
  }
}

TEST_CASE("NaN stays in its own row or column") {
  for (const std::int64_t width : {1, 3, 8, 15, 16, 21, 40}) {
    Tensor<float> x = ones({5, width});
    x.at(2, width / 2) = std::numeric_limits<float>::quiet_NaN();
    const Tensor<float> down = cumsum(x, 0), along = cumsum(x, 1);
    for (std::int64_t i = 0; i < 5; ++i) {
      for (std::int64_t j = 0; j < width; ++j) {
        CHECK(std::isnan(down(i, j)) == (j == width / 2 && i >= 2));
        CHECK(std::isnan(along(i, j)) == (i == 2 && j >= width / 2));
      }
    }
  }
}

TEST_CASE("element types, expressions, wide and long tensors") {
  static_assert(std::is_same_v<decltype(cumsum(numbers<bool>(Shape{2}))), Tensor<std::int64_t>>);
  static_assert(std::is_same_v<decltype(cumprod(numbers<std::int32_t>(Shape{2}), 0)), Tensor<std::int64_t>>);
  static_assert(std::is_same_v<decltype(cumsum(numbers<float16>(Shape{2}), 0)), Tensor<float16>>);
  static_assert(
      std::is_same_v<decltype(cumsum(std::declval<const Tensor<float, Cuda<1>>&>())), Tensor<float, Cuda<1>>>);
  const Tensor<float> ones = situ::internal::Fill<float, Cpu>(Shape{3, 5000}, 1.f);
  const Tensor<float> down = cumsum(ones + ones, 0);
  const Tensor<float> along = cumsum(ones, 1);
  CHECK(down(2, 4999) == 6.f);
  CHECK(along(2, 4999) == 5000.f);
  // 10^7 floats 0.1f: the running sum stays right
  const Tensor<float> one = situ::internal::Fill<float, Cpu>(Shape{1}, 0.1f);
  const Tensor<float> many(one.storage(), Layout{Shape{10'000'000}, Strides{0}, 0});
  CHECK(std::abs(cumsum(many)(-1) - 1e6f) <= 1.f);
  CHECK(cumsum(Tensor<std::int32_t>(situ::internal::Fill<std::int32_t, Cpu>(Shape{3}, 2000000000)))(2) == 6000000000LL);
}

TEST_CASE("infinities and NaN run on") {
  const Tensor<double> x = tensor({1e200, 1e200, 1e-300, 0.0, 1.0});
  const Tensor<double> y = tensor({1e-300, 1e200, 1e200, 1e-100, 3.0, 1.0, 1.0, 1.0, 1.0});
  CHECK(std::isinf(cumprod(x)(2)));
  CHECK(std::isnan(cumprod(x)(3)));
  CHECK(cumprod(y)(2) == doctest::Approx(1e100));  // though 1e200 * 1e200 is not a double
  CHECK(cumprod(y)(8) == doctest::Approx(3.0));
}

TEST_CASE("scans do not depend on the number of threads") {
  const int before = num_threads();
  const Tensor<float> x = numbers<float>(Shape{300, 1000});
  set_num_threads(1);
  const Tensor<float> down = cumsum(x, 0);
  const Tensor<float> along = cumsum(x, 1);
  set_num_threads(3);
  CHECK(all(down == cumsum(x, 0)).item());
  CHECK(all(along == cumsum(x, 1)).item());
  set_num_threads(before);
}

TEST_CASE("scans from the end, and without the element itself") {
  const Tensor x = tensor({{1, 2, 3}, {4, 5, 6}});
  const auto same = [](const auto& got, const auto& wanted) { return array_equal(got, wanted).item(); };
  using L = std::int64_t;
  CHECK(same(cumsum(x, 1, {.exclusive = true}), tensor({{L{0}, L{1}, L{3}}, {L{0}, L{4}, L{9}}})));
  CHECK(same(cumsum(x, -1, {.reverse = true}), tensor({{L{6}, L{5}, L{3}}, {L{15}, L{11}, L{6}}})));
  CHECK(same(cumsum(x, 0, {.exclusive = true, .reverse = true}), tensor({{L{4}, L{5}, L{6}}, {L{0}, L{0}, L{0}}})));
  CHECK(same(cumprod(x, 1, {.exclusive = true, .reverse = true}), tensor({{L{6}, L{3}, L{1}}, {L{30}, L{6}, L{1}}})));
  CHECK(same(cumsum(tensor({true, true, false}), 0, {.exclusive = true}), tensor({L{0}, L{1}, L{2}})));
  CHECK(same(cumsum(x + 1, 0, {}), cumsum(x + 1, 0)));
  CHECK(cumsum(zeros({0, 3}), 0, {.exclusive = true}).shape() == Shape{0, 3});
  const Tensor infinite = tensor({1.0, std::numeric_limits<double>::infinity(), 2.0});
  CHECK(cumsum(infinite, 0, {.exclusive = true})(1) == 1);  // not the sum less the element
  CHECK_THROWS_AS(static_cast<void>(cumsum(x, 2, {.reverse = true})), IndexError);
}

TEST_CASE("an axis must be named, and exist") {
  const Tensor<float> x = numbers<float>(Shape{2, 3});
  CHECK_THROWS_WITH_AS(static_cast<void>(cumsum(x)),
                       "cumsum: name the axis of shape (2, 3); only a tensor of rank 1 needs none", IndexError);
  CHECK_THROWS_WITH_AS(static_cast<void>(cumprod(x, 2)), "cumprod: axis 2 is out of range for rank 2; axes are -2 to 1",
                       IndexError);
}
