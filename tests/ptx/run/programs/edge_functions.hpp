// SPDX-License-Identifier: Apache-2.0
// Functions of floats and of pairs of them, at edge_values.hpp's numbers.
#pragma once

#include "edge_values.hpp"

namespace ptx_programs {

template <class T>
void edge_functions_of_one() {
  const Gpu<T> x = edge_floats<T>();
  const auto compute = [](const auto&... expressions) { (static_cast<void>(eval(expressions)), ...); };
  compute(sqrt(x), rsqrt(x), exp(x), expm1(x), exp2(x), log(x), log1p(x), log2(x), log10(x));
  compute(sin(x), cos(x), tan(x), asin(x), acos(x), atan(x), sinh(x), cosh(x), tanh(x), asinh(x), acosh(x), atanh(x),
          erf(x));
  compute(floor(x), ceil(x), round(x), trunc(x), abs(x), sign(x), square(x), isnan(x), isinf(x), isfinite(x));
  compute(relu(x), sigmoid(x), gelu(x), gelu_tanh(x), silu(x), softplus(x), selu(x), leaky_relu(x, 0.1f), elu(x, 0.5f));
}

template <class T>
void edge_functions_of_two() {
  const Gpu<T> x = edge_floats<T>();
  const std::int64_t n = x.size();
  const Gpu<T> a = contiguous(broadcast_to(x(all, newaxis), {n, n})),
               b = contiguous(broadcast_to(x(newaxis, all), {n, n}));
  const auto compute = [](const auto&... expressions) { (static_cast<void>(eval(expressions)), ...); };
  compute(a + b, a - b, a * b, a / b, minimum(a, b), maximum(a, b), pow(a, b), fmod(a, b), a % b, floor_divide(a, b));
  compute(atan2(a, b), hypot(a, b), where(a < b, a, b), clamp(x, T(-1), T(1)), a >= b, a == b, a != b);
  compute(max(a, 1), min(b, 0), argmax(a, 0));
}

}  // namespace ptx_programs
