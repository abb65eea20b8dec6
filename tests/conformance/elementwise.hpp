// SPDX-License-Identifier: Apache-2.0
// Conformance: element-wise operations, for every element type, shape and layout.
#pragma once

#include "support.hpp"

namespace conformance {

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
    bool right = true;
    std::size_t i = 0;
    for (const T v : elements(chosen)) {
      const auto n = static_cast<int>(i++ % 100);
      right = right && static_cast<compute_t<T>>(v) == static_cast<compute_t<T>>(n > 3 && n != 5 ? n : 7);
    }
    CHECK(right);
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

TEST_CASE_TEMPLATE_DEFINE("broadcasting and views of all kinds", D, broadcasting) {
  const Tensor<float, D> x = counting<float, D>({70, 67});
  const Tensor<float, D> row = counting<float, D>({67});
  const Tensor<float, D> column = counting<float, D>({70, 1});
  const std::vector<float> z = elements(x + row * column);
  bool right = true;
  for (std::size_t i = 0; i < 70; ++i) {
    for (std::size_t j = 0; j < 67; ++j) right = right && z[i * 67 + j] == static_cast<float>((i * 67 + j) % 100 + i * j);
  }
  CHECK(right);
  CHECK(elements(transpose(x) + transpose(x))[1] == 2 * 67);
  CHECK_THROWS_AS(static_cast<void>(x + counting<float, D>({66})), ShapeError);

  const Tensor<float, Cpu> a = numbers<float>({3, 4, 5, 6, 7});
  const Tensor<float, Cpu> b = numbers<float>({5, 1, 7}, -2, 2, 2);
  const Tensor<float, Cpu> c = numbers<float>({7, 5, 6, 4}, -2, 2, 3);
  check_same<D>(0, [](const auto& u, const auto& v) { return u + v; }, a, b);
  check_same<D>(0, [](const auto& u, const auto& v) { return permute(u, {0, 4, 2, 3, 1}) * v; }, a, c);
  check_same<D>(0, [](const auto& u) { return u(situ::all, range(Range::none, Range::none, -1)) - u; }, a);
  check_same<D>(0, [](const auto& u) { return u(0, range(1, 4), range(0, 5, 2), 2, range(1, 7, 3)) * 2; }, a);
  // From an odd element on, no vector is aligned.
  const Tensor<double, Cpu> flat = numbers<double>({1003});
  check_same<D>(0, [](const auto& u) { return u(range(1, Range::none)) + u(range(0, -1)); }, flat);
}

template <class From, class D>
void check_casts(const Tensor<From, Cpu>& x) {
  check_same<D>(0, [](const auto& a) { return cast<bool>(a); }, x);
  check_same<D>(0, [](const auto& a) { return cast<std::uint8_t>(a); }, x);
  check_same<D>(0, [](const auto& a) { return cast<std::int32_t>(a); }, x);
  check_same<D>(0, [](const auto& a) { return cast<std::int64_t>(a); }, x);
  check_same<D>(0, [](const auto& a) { return cast<float16>(a); }, x);
  check_same<D>(0, [](const auto& a) { return cast<bfloat16>(a); }, x);
  check_same<D>(0, [](const auto& a) { return cast<float>(a); }, x);
  check_same<D>(0, [](const auto& a) { return cast<double>(a); }, x);
}
TEST_CASE_TEMPLATE_DEFINE("casts", D, casts) {
  check_casts<std::int64_t, D>(numbers<std::int64_t>({41}, -1e15, 1e15));
  const Tensor<float, Cpu> outside = tensor({0.f, -0.5f, 3e9f, -3e9f, 1e20f, -1e20f, 300.f, std::numeric_limits<float>::infinity(),
                                             -std::numeric_limits<float>::infinity(), std::numeric_limits<float>::quiet_NaN()});
  check_casts<float, D>(outside);
  const auto to_float = [](const auto& a) { return cast<float>(a); };
  check_same<D>(0, to_float, numbers<float>({41}) > 0);
  check_same<D>(0, to_float, numbers<std::uint8_t>({41}, 0, 255));
  check_same<D>(0, to_float, numbers<float16>({41}, -300, 300));
  check_same<D>(0, to_float, numbers<bfloat16>({41}, -300, 300));
  check_same<D>(0, to_float, cast<double>(outside) * 1.0000001);
  check_same<D>(0, [](const auto& a) { return cast<std::int32_t>(a); }, cast<double>(outside) * 1.0000001);
}

}  // namespace conformance
