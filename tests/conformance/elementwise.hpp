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

// A functor of a user: it must be callable in a kernel, so `constexpr` and at namespace scope.
struct ThreeTimesMinus {
  constexpr float operator()(float x, std::int32_t y) const { return 3 * x - static_cast<float>(y); }
};

TEST_CASE_TEMPLATE_DEFINE("operators and selection", D, operators) {
  const auto integers = [](auto tag) {
    using T = decltype(tag);
    const Tensor<T, Cpu> a = numbers<T>({40, 7}, std::is_signed_v<T> ? -9 : 0, 90);
    const Tensor<T, Cpu> b = numbers<T>({7}, std::is_signed_v<T> ? -3 : 0, 3);
    check_same<D>(0, [](const auto& x, const auto& y) { return floor_divide(x, y) + x % y; }, a, b);
    check_same<D>(0, [](const auto& x, const auto& y) { return (x & y) | (x ^ 5); }, a, b);
    check_same<D>(0, [](const auto& x, const auto& y) { return pow(x, abs(y)) - ~x; }, a, b);
    check_same<D>(0, [](const auto& x, const auto& y) { return minimum(sign(x), y) + maximum(square(x), clamp(y, 0, 2)); }, a, b);
    check_same<D>(0, [](const auto& x, const auto& y) { return (x < y) == (x >= 1) || x == y; }, a, b);
  };
  integers(std::uint8_t{});
  integers(std::int32_t{});
  integers(std::int64_t{});
  const auto floats = [](auto tag) {
    using T = decltype(tag);
    const Tensor<T, Cpu> a = numbers<T>({40, 7});
    const Tensor<T, Cpu> b = numbers<T>({40, 1}, -1, 1, 2);
    check_same<D>(4, [](const auto& x, const auto& y) { return x / y; }, a, b);
    check_same<D>(0, [](const auto& x, const auto& y) { return floor_divide(x, y) + 1; }, a, b);
    check_same<D>(0, [](const auto& x, const auto& y) { return x % y; }, a, b);
    check_same<D>(0, [](const auto& x, const auto& y) { return fmod(x, y); }, a, b);
    check_same<D>(8, [](const auto& x, const auto& y) { return pow(abs(x), y); }, a, b);
    check_same<D>(8, [](const auto& x, const auto& y) { return atan2(x, y); }, a, b);
    check_same<D>(4, [](const auto& x, const auto& y) { return hypot(x, y); }, a, b);
    check_same<D>(0, [](const auto& x, const auto& y) { return where(x <= y || !(x != x), minimum(x, y), maximum(x, y)); }, a, b);
    check_same<D>(0, [](const auto& x) { return clamp(x, -0.5, 0.5); }, a);
  };
  floats(float16{});
  floats(bfloat16{});
  floats(float{});
  floats(double{});
  const Tensor<bool, Cpu> p = numbers<float>({101}) > 0;
  const Tensor<bool, Cpu> q = numbers<float>({101}, -2, 2, 3) > 0;
  check_same<D>(0, [](const auto& x, const auto& y) { return (x ^ y) || (!x && y); }, p, q);
  check_same<D>(0, [](const auto& x, const auto& y) { return map(ThreeTimesMinus{}, x, y); }, numbers<float>({33}),
                numbers<std::int32_t>({33}));
}

/// One function over numbers that have something special for somebody.
template <class T, class D, class F>
void check_function(double epsilons, F f) {
  std::vector<double> list{0.0, -0.0, 1, -1, 0.5, -0.5, 2, -2, 1e-3, -1e-3, 3.1415926, 100, -100, 1e4, 1e-7,
                           std::numeric_limits<double>::infinity(), -std::numeric_limits<double>::infinity(),
                           std::numeric_limits<double>::quiet_NaN()};
  const Tensor<double, Cpu> special = from_span<double>(std::span<const double>(list));
  const Tensor<T, Cpu> x = cast<T>(concat(special, numbers<double>({181}, -4, 4)));
  check_same<D>(epsilons, f, x);
}
template <class T, class D>
void check_functions() {
  check_function<T, D>(2, [](const auto& x) { return sqrt(x); });
  check_function<T, D>(2, [](const auto& x) { return rsqrt(x); });
  check_function<T, D>(4, [](const auto& x) { return exp(x); });
  check_function<T, D>(4, [](const auto& x) { return expm1(x); });
  check_function<T, D>(4, [](const auto& x) { return exp2(x); });
  check_function<T, D>(4, [](const auto& x) { return log(x); });
  check_function<T, D>(4, [](const auto& x) { return log1p(x); });
  check_function<T, D>(4, [](const auto& x) { return log2(x); });
  check_function<T, D>(4, [](const auto& x) { return log10(x); });
  check_function<T, D>(4, [](const auto& x) { return sin(x); });
  check_function<T, D>(4, [](const auto& x) { return cos(x); });
  check_function<T, D>(8, [](const auto& x) { return tan(x); });
  check_function<T, D>(4, [](const auto& x) { return asin(x); });
  check_function<T, D>(4, [](const auto& x) { return acos(x); });
  check_function<T, D>(4, [](const auto& x) { return atan(x); });
  check_function<T, D>(4, [](const auto& x) { return sinh(x); });
  check_function<T, D>(4, [](const auto& x) { return cosh(x); });
  check_function<T, D>(4, [](const auto& x) { return tanh(x); });
  check_function<T, D>(4, [](const auto& x) { return asinh(x); });
  check_function<T, D>(4, [](const auto& x) { return acosh(x); });
  check_function<T, D>(4, [](const auto& x) { return atanh(x); });
  check_function<T, D>(4, [](const auto& x) { return erf(x); });
  check_function<T, D>(4, [](const auto& x) { return sigmoid(x); });
  check_function<T, D>(4, [](const auto& x) { return silu(x); });
  check_function<T, D>(4, [](const auto& x) { return softplus(x); });
  check_function<T, D>(8, [](const auto& x) { return gelu(x); });
  check_function<T, D>(8, [](const auto& x) { return gelu_tanh(x); });
  check_function<T, D>(4, [](const auto& x) { return elu(x, 0.5) + selu(x); });
  check_function<T, D>(0, [](const auto& x) { return relu(x) + leaky_relu(x, 0.25); });
  check_function<T, D>(0, [](const auto& x) { return floor(x) - ceil(x); });
  check_function<T, D>(0, [](const auto& x) { return round(x) + trunc(x); });
  check_function<T, D>(0, [](const auto& x) { return isnan(x) ^ (isinf(x) || isfinite(x)); });
  check_function<T, D>(0, [](const auto& x) { return abs(x) + sign(x) - square(x); });
}
TEST_CASE_TEMPLATE_DEFINE("functions", D, functions) {
  check_functions<float, D>();
  check_functions<double, D>();
  check_function<float16, D>(1, [](const auto& x) { return tanh(x) * 2 + exp(x); });
  check_function<bfloat16, D>(1, [](const auto& x) { return gelu(x) / 2; });
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
  check_casts<bool, D>(numbers<float>({41}) > 0);
  check_casts<std::uint8_t, D>(numbers<std::uint8_t>({41}, 0, 255));
  check_casts<std::int32_t, D>(numbers<std::int32_t>({41}, -1e9, 1e9));
  check_casts<std::int64_t, D>(numbers<std::int64_t>({41}, -1e15, 1e15));
  check_casts<float16, D>(numbers<float16>({41}, -300, 300));
  check_casts<bfloat16, D>(numbers<bfloat16>({41}, -300, 300));
  const Tensor<float, Cpu> outside = tensor({0.f, -0.5f, 3e9f, -3e9f, 1e20f, -1e20f, 300.f, std::numeric_limits<float>::infinity(),
                                             -std::numeric_limits<float>::infinity(), std::numeric_limits<float>::quiet_NaN()});
  check_casts<float, D>(outside);
  check_casts<double, D>(cast<double>(outside) * 1.0000001);
}

}  // namespace conformance
