// SPDX-License-Identifier: Apache-2.0
// Arithmetic of integers, of each pair of the numbers where it wraps; and by zero.
#include "edge_values.hpp"

namespace {
using namespace ptx_programs;

template <class T>
void arithmetic() {
  const Gpu<T> v = edge_integers<T>();
  const std::int64_t n = v.size();
  const Gpu<T> a = broadcast_to(v(all, newaxis), {n, n}) + T(0), b = broadcast_to(v(newaxis, all), {n, n}) + T(0);
  { Gpu<T> y = a + b; }
  { Gpu<T> y = a * b - b; }
  { Gpu<T> y = floor_divide(a, b); }
  { Gpu<T> y = a % b; }
  { Gpu<T> y = fmod(a, b); }
  { Gpu<T> y = trunc_divide(a, b); }
  { Gpu<T> y = a << b; }
  { Gpu<T> y = a >> b; }
  { Gpu<T> y = pow(a, b); }
  { Gpu<T> y = minimum(a, b); }
  { Gpu<T> y = (a & b) ^ (a | ~b); }
  { Gpu<bool> y = a < b; }
  { Gpu<T> y = abs(v); }
  { Gpu<T> y = sign(v); }
  { Gpu<T> y = clamp(a, T(2), T(50)); }
  { Gpu<T> y = where(a < b, -a, b + b); }
}
}  // namespace

int main() {
  arithmetic<std::int8_t>();
  arithmetic<std::uint8_t>();
  arithmetic<std::int32_t>();
  arithmetic<std::uint32_t>();
  arithmetic<std::int64_t>();
  arithmetic<std::uint64_t>();
  return finish();
}
