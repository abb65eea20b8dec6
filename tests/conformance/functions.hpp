// SPDX-License-Identifier: Apache-2.0
// Conformance: every operator and function of the element-wise operations.
#pragma once

#include "support.hpp"

namespace conformance {

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
  floats(float{});
  floats(double{});
  check_same<D>(1, [](const auto& x, const auto& y) { return x / y; }, numbers<float16>({40, 7}), numbers<float16>({40, 1}, 1, 2, 2));
  check_same<D>(0, [](const auto& x, const auto& y) { return x % y; }, numbers<bfloat16>({40, 7}), numbers<bfloat16>({40, 1}, 1, 2, 2));
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
/// Each function on its own, in float. The golden tests have the same in double, with NumPy's answers.
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
  check_function<double, D>(8, [](const auto& x) { return exp(x) * 2 + sin(x); });
  check_function<double, D>(4, [](const auto& x) { return erf(x); });
  check_function<float16, D>(1, [](const auto& x) { return tanh(x) * 2 + exp(x); });
  check_function<bfloat16, D>(1, [](const auto& x) { return gelu(x) / 2; });
}

}  // namespace conformance
