// SPDX-License-Identifier: Apache-2.0
// What every device must do, as test templates; a device's own file instantiates them all (see cpu.cpp). Operands are
// made on the host and moved, results are moved back, so that nothing here reads a device's memory.
#pragma once

#include <doctest/doctest.h>

#include <cmath>
#include <cstdint>
#include <numeric>
#include <span>
#include <vector>

#include <situ/situ.hpp>

namespace conformance {

using namespace situ;

/// Elements of a result, on the host, in row-major order.
template <class X>
auto elements(const X& x) {
  using T = value_type_t<X>;
  const Tensor<T, Cpu> host = Tensor<T, device_t<X>>(x).to(Cpu{});
  return std::vector<T>(host.begin(), host.end());
}

/// 0, 1, 2, ... in a shape, on device `D`.
template <class T, class D>
Tensor<T, D> counting(const Shape& shape) {
  std::vector<T> values;
  for (std::int64_t i = 0; i < shape.count(); ++i) values.push_back(static_cast<T>(static_cast<compute_t<T>>(i % 100)));
  return from_span<T>(std::span<const T>(values), shape, D{});
}

/// Shapes that break kernels: none, one, odd, larger than a tile, more axes.
inline const std::vector<Shape>& shapes() {
  static const std::vector<Shape> list{{}, {0}, {1}, {17}, {3, 0}, {5, 7}, {2, 3, 5}, {131}, {70, 67}, {1, 1, 300}};
  return list;
}

TEST_CASE_TEMPLATE_DEFINE("creation", D, creation) {
  CHECK(elements(zeros<float>({2, 2}, D{})) == std::vector<float>{0, 0, 0, 0});
  CHECK(elements(ones<std::int32_t>({3}, D{})) == std::vector<std::int32_t>{1, 1, 1});
  CHECK(elements(full<double>({2}, 2.5, D{})) == std::vector<double>{2.5, 2.5});
  CHECK(elements(arange<std::int64_t>(2, 8, 3, D{})) == std::vector<std::int64_t>{2, 5});
  CHECK(elements(linspace<float>(0, 1, 3, D{})) == std::vector<float>{0, 0.5f, 1});
  CHECK(elements(eye<float>(2, D{})) == std::vector<float>{1, 0, 0, 1});
  CHECK(elements(tensor({{1.f, 2.f}, {3.f, 4.f}}, D{})) == std::vector<float>{1, 2, 3, 4});
  CHECK(empty<float>({4, 5}, D{}).shape() == Shape{4, 5});
  CHECK_THROWS_AS(static_cast<void>(from_span<float>(std::vector<float>(3), Shape{2}, D{})), ShapeError);
  CHECK_THROWS_AS(static_cast<void>(zeros<float>({-1}, D{})), ShapeError);
  CHECK_THROWS_AS(static_cast<void>(zeros<float>({std::int64_t{1} << 50, 1 << 10}, D{})), OutOfMemory);
}

TEST_CASE_TEMPLATE_DEFINE("movement", D, movement) {
  for (const Shape& shape : shapes()) {
    const Tensor<float, Cpu> host = counting<float, Cpu>(shape);
    const Tensor<float, D> there = host.to(D{});
    CHECK(there.shape() == shape);
    CHECK(elements(there) == elements(host));
    CHECK(elements(there.copy_to(D{})) == elements(host));
    CHECK(there.copy_to(D{}).storage() != there.storage());
    CHECK((shape.count() == 0 || there.to(D{}).storage() == there.storage()));
  }
  const Tensor<float, D> x = counting<float, D>({3, 4});
  CHECK(elements(transpose(x)) == std::vector<float>{0, 4, 8, 1, 5, 9, 2, 6, 10, 3, 7, 11});
  CHECK(elements(x(all, range(Range::none, Range::none, -2))) == std::vector<float>{3, 1, 7, 5, 11, 9});
}

template <class T, class D>
void check_arithmetic() {
  for (const Shape& shape : shapes()) {
    const Tensor<T, D> a = counting<T, D>(shape);
    const Tensor<T, D> z = a * a + a - 1;
    std::vector<T> wanted;
    for (std::int64_t i = 0; i < shape.count(); ++i) {
      if constexpr (IntegerElement<T>) {
        const auto v = static_cast<std::uint64_t>(i % 100);
        wanted.push_back(static_cast<T>(v * v + v - 1));
      } else {
        const auto v = static_cast<compute_t<T>>(i % 100);
        wanted.push_back(static_cast<T>(v * v + v - 1));
      }
    }
    CHECK(elements(z) == wanted);
    const Tensor<bool, D> mask = a > 3;
    const Tensor<T, D> chosen = where(mask && a != 5, a, 7);
    std::size_t i = 0;
    for (const T v : elements(chosen)) {
      const auto n = static_cast<int>(i++ % 100);
      CHECK(static_cast<compute_t<T>>(v) == static_cast<compute_t<T>>(n > 3 && n != 5 ? n : 7));
    }
  }
}
TEST_CASE_TEMPLATE_DEFINE("element-wise operations on every element type", D, elementwise) {
  check_arithmetic<std::uint8_t, D>();
  check_arithmetic<std::int32_t, D>();
  check_arithmetic<std::int64_t, D>();
  check_arithmetic<float16, D>();
  check_arithmetic<bfloat16, D>();
  check_arithmetic<float, D>();
  check_arithmetic<double, D>();
}

TEST_CASE_TEMPLATE_DEFINE("16-bit floats round where the type changes or a value is tested", D, halves) {
  // 2048 + 1 is not a float16; the sum rounds to 2048 before it is compared or cast, and not inside a longer sum
  const Tensor<float16, D> a = full<float16>({3}, 2048.f, D{});
  CHECK(elements(a + 1 == a) == std::vector<bool>{true, true, true});
  CHECK(elements(cast<float>(a + 1)) == std::vector<float>{2048, 2048, 2048});
  CHECK(elements(cast<float>((a + 1) + 1)) == std::vector<float>{2050, 2050, 2050});
  CHECK(elements(isinf(full<float16>({1}, 60000.f, D{}) * 2)) == std::vector<bool>{true});
}

TEST_CASE_TEMPLATE_DEFINE("broadcasting", D, broadcasting) {
  const Tensor<float, D> x = counting<float, D>({70, 67});
  const Tensor<float, D> row = counting<float, D>({67});
  const Tensor<float, D> column = counting<float, D>({70, 1});
  const std::vector<float> z = elements(x + row * column);
  for (std::size_t i = 0; i < 70; ++i) {
    for (std::size_t j = 0; j < 67; ++j) {
      CHECK(z[i * 67 + j] == static_cast<float>((i * 67 + j) % 100 + i * j));
    }
  }
  CHECK(elements(transpose(x) + transpose(x))[1] == 2 * 67);
  CHECK_THROWS_AS(static_cast<void>(x + counting<float, D>({66})), ShapeError);
}

TEST_CASE_TEMPLATE_DEFINE("writing in place and in part", D, writing) {
  Tensor<float, D> x = counting<float, D>({3, 4});
  const Tensor<float, D> before = x;
  x += 1;
  x.at(1, all) = x(0, all) * 10;
  x.at(all, range(0, 2)) = transpose(counting<float, D>({2, 3}));
  x.at(2, range(2, 4)) = 0.5;
  CHECK(elements(x) == std::vector<float>{0, 3, 3, 4, 1, 4, 30, 40, 2, 5, 0.5, 0.5});
  CHECK(elements(before)[5] == 5);
}

TEST_CASE_TEMPLATE_DEFINE("reductions and scans", D, reductions) {
  const Tensor<float, D> x = counting<float, D>({70, 67});
  const std::vector<float> host = elements(x);
  CHECK(elements(sum(x))[0] == std::accumulate(host.begin(), host.end(), 0.f));
  const std::vector<float> rows = elements(sum(x, 1));
  const std::vector<float> columns = elements(max(x * 2, 0));
  for (std::size_t i = 0; i < 70; ++i) {
    CHECK(rows[i] == std::accumulate(host.begin() + static_cast<long>(i * 67), host.begin() + static_cast<long>(i * 67 + 67), 0.f));
  }
  for (std::size_t j = 0; j < 67; ++j) {
    float most = 0;
    for (std::size_t i = 0; i < 70; ++i) most = std::max(most, 2 * host[i * 67 + j]);
    CHECK(columns[j] == most);
  }
  CHECK(elements(argmax(x, 1))[0] == 66);
  CHECK(elements(any(x > 98)) == std::vector<bool>{true});
  CHECK(elements(all(x >= 0, 0)) == std::vector<bool>(67, true));
  CHECK(elements(sum(counting<std::int32_t, D>({5, 7}))) == std::vector<std::int64_t>{34 * 35 / 2});
  CHECK(elements(cumsum(counting<float, D>({4}), 0)) == std::vector<float>{0, 1, 3, 6});
  CHECK(elements(mean(x(0, all)))[0] == doctest::Approx(33));
  CHECK_THROWS_AS(static_cast<void>(max(zeros<float>({0}, D{}))), ValueError);
  CHECK_THROWS_AS(static_cast<void>(sum(x, 2)), IndexError);
}

TEST_CASE_TEMPLATE_DEFINE("structure", D, structure) {
  const Tensor<std::int32_t, D> x = counting<std::int32_t, D>({2, 3});
  CHECK(elements(reshape(transpose(x), {2, 3})) == std::vector<std::int32_t>{0, 3, 1, 4, 2, 5});
  CHECK(elements(concat(x, x + 6, 0)) == std::vector<std::int32_t>{0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11});
  CHECK(elements(flip(x, 1)) == std::vector<std::int32_t>{2, 1, 0, 5, 4, 3});
  CHECK(elements(take(x, tensor({std::int64_t{2}, std::int64_t{-3}}, D{}), 1)) == std::vector<std::int32_t>{2, 0, 5, 3});
  CHECK(elements(sort(-x, 1)) == std::vector<std::int32_t>{-2, -1, 0, -5, -4, -3});
  CHECK(elements(one_hot<float>(tensor({std::int64_t{1}, std::int64_t{0}}, D{}), 2)) == std::vector<float>{0, 1, 1, 0});
  CHECK(elements(topk(x, 2, 1).values) == std::vector<std::int32_t>{2, 1, 5, 4});
  CHECK_THROWS_AS(static_cast<void>(take(x, tensor({std::int64_t{3}}, D{}), 1)), IndexError);
  CHECK_THROWS_AS(static_cast<void>(reshape(x, {4, 2})), ShapeError);
}

TEST_CASE_TEMPLATE_DEFINE("products", D, products) {
  const Tensor<float, D> a = counting<float, D>({5, 7});
  const Tensor<float, D> b = counting<float, D>({7, 3});
  const std::vector<float> c = elements(matmul(a, b));
  for (std::size_t i = 0; i < 5; ++i) {
    for (std::size_t j = 0; j < 3; ++j) {
      float total = 0;
      for (std::size_t k = 0; k < 7; ++k) total += static_cast<float>((i * 7 + k) * (k * 3 + j));
      CHECK(c[i * 3 + j] == total);
    }
  }
  CHECK(elements(matmul(transpose(b), transpose(a))) == elements(transpose(matmul(a, b))));
  CHECK_THROWS_AS(static_cast<void>(matmul(a, a)), ShapeError);
}

TEST_CASE_TEMPLATE_DEFINE("random numbers have the same bits on every device", D, random) {
  Generator here(42);
  Generator there(42);
  CHECK(elements(rand<float>({1001}, Cpu{}, here)) == elements(rand<float>({1001}, D{}, there)));
  CHECK(elements(randn<float>({1001}, Cpu{}, here)) == elements(randn<float>({1001}, D{}, there)));
  CHECK(elements(randn<double>({77}, Cpu{}, here)) == elements(randn<double>({77}, D{}, there)));
  CHECK(elements(randint<std::int64_t>(-5, 9, {501}, Cpu{}, here)) == elements(randint<std::int64_t>(-5, 9, {501}, D{}, there)));
  CHECK(elements(randn<float>({5}, D{}, there)) != elements(randn<float>({5}, D{}, there)));
}

TEST_CASE_TEMPLATE_DEFINE("composed operations", D, composed) {
  const Tensor<double, D> x = cast<double>(counting<float, D>({3, 5})) * 0.1;
  double total = 0;
  for (const double v : elements(softmax(x, 1))) total += v;
  CHECK(total == doctest::Approx(3));
  const auto a = elements(log_softmax(x, 1));
  const auto b = elements(log(softmax(x, 1)));
  for (std::size_t i = 0; i < a.size(); ++i) CHECK(a[i] == doctest::Approx(b[i]));
  CHECK(elements(logsumexp(x, 1))[0] == doctest::Approx(std::log(1 + std::exp(.1) + std::exp(.2) + std::exp(.3) + std::exp(.4))));
  const auto labels = tensor({std::int64_t{0}, std::int64_t{4}, std::int64_t{2}}, D{});
  CHECK(elements(cross_entropy(x, labels))[0] == doctest::Approx(-(a[0] + a[9] + a[12]) / 3));
  CHECK(elements(mse_loss(x, x + 2.0))[0] == doctest::Approx(4));
}

}  // namespace conformance
