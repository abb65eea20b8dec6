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
  check_same<D>(0, [](const auto& u) { return u(all, range(IndexRange::none, IndexRange::none, -1)) - u; }, a);
  check_same<D>(0, [](const auto& u) { return u(0, range(1, 4), range(0, 5, 2), 2, range(1, 7, 3)) * 2; }, a);
  // From an odd element on, no vector is aligned.
  const Tensor<double, Cpu> flat = numbers<double>({1003});
  check_same<D>(0, [](const auto& u) { return u(range(1, IndexRange::none)) + u(range(0, -1)); }, flat);
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

/// Conditions of 131 elements that come from elements of type T: the tensor of `bool` itself, or a comparison.
template <class T, class D>
auto condition(const std::vector<bool>& values) {
  std::vector<T> numbers;
  for (const bool value : values) numbers.push_back(static_cast<T>(static_cast<compute_t<T>>(value ? 3 : 1)));
  if constexpr (std::same_as<T, bool>) {
    const Tensor<std::uint8_t, D> x = from_span<std::uint8_t>(std::vector<std::uint8_t>(values.begin(), values.end()), D{});
    return eval(x != 0);
  } else {
    return from_span<T>(numbers, D{}) > 2;
  }
}
/// Operators of conditions, several in one expression, which is one kernel for each pair of element types.
template <class A, class B, class D>
void check_conditions() {
  std::vector<bool> left, right, wanted, wanted_logic;
  std::vector<std::uint8_t> which;
  for (std::size_t i = 0; i < 131; ++i) {
    const bool a = (i * i) % 7 < 3, b = (i / 3) % 5 < 2;
    const bool comparisons[] = {a == b, a != b, a ? b : !b};
    const bool logic[] = {a && b, a || b, (a & b) != 0, (a | b) != 0, (a ^ b) != 0, a};
    left.push_back(a);
    right.push_back(b);
    which.push_back(static_cast<std::uint8_t>(i % 6));
    wanted.push_back(comparisons[i % 6 > 1 ? 2 : i % 6]);
    wanted_logic.push_back(logic[i % 6]);
  }
  const auto p = condition<A, D>(left);
  const auto q = condition<B, D>(right);
  const Tensor<std::uint8_t, D> s = from_span<std::uint8_t>(which, D{});
  CHECK(elements(where(s == 0, p == q, where(s == 1, p != q, where(p, q, true != q)))) == wanted);
  if constexpr (std::same_as<A, float>) {
    CHECK(elements(where(s == 0, p && q, where(s == 1, p || q, where(s == 2, p & q, where(s == 3, p | q,
                   where(s == 4, p ^ q, p == true)))))) == wanted_logic);
  }
}
template <class A, class D, class... B>
void check_conditions_with() {
  (check_conditions<A, B, D>(), ...);
}
TEST_CASE_TEMPLATE_DEFINE("operators of conditions of every two element types", D, conditions) {
  check_conditions_with<float, D, bool, std::uint8_t, std::int32_t, std::int64_t, float16, bfloat16, float, double>();
  // On lanes a condition is as wide as what was compared; elsewhere it is a bool, and one element type stands for all.
  if constexpr (std::same_as<typename D::backend, Cpu::backend>) {
    check_conditions_with<bool, D, bool, std::uint8_t, std::int32_t, std::int64_t, float16, bfloat16, float, double>();
    check_conditions_with<std::uint8_t, D, bool, std::uint8_t, std::int32_t, std::int64_t, float16, bfloat16, float, double>();
    check_conditions_with<std::int32_t, D, bool, std::uint8_t, std::int32_t, std::int64_t, float16, bfloat16, float, double>();
    check_conditions_with<std::int64_t, D, bool, std::uint8_t, std::int32_t, std::int64_t, float16, bfloat16, float, double>();
    check_conditions_with<float16, D, bool, std::uint8_t, std::int32_t, std::int64_t, float16, bfloat16, float, double>();
    check_conditions_with<bfloat16, D, bool, std::uint8_t, std::int32_t, std::int64_t, float16, bfloat16, float, double>();
    check_conditions_with<double, D, bool, std::uint8_t, std::int32_t, std::int64_t, float16, bfloat16, float, double>();
  }
}

}  // namespace conformance
