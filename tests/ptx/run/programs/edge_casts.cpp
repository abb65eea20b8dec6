// SPDX-License-Identifier: Apache-2.0
// Casts from and to every element type, at the numbers where they saturate, wrap or round.
#include <situ/float8.hpp>

#include "edge_values.hpp"

namespace {
using namespace ptx_programs;

template <class... To, class From>
void casts(const Gpu<From>& x) {
  const auto to = [&]<class T>(const T&) { Gpu<T> aligned = cast<T>(x), unaligned = cast<T>(x(range(1, x.size()))); };
  (to(To{}), ...);
}
template <class From>
void all_casts(const Gpu<From>& x) {
  casts<bool, std::int8_t, std::uint8_t, std::int16_t, std::uint16_t, std::int32_t, std::uint32_t, std::int64_t,
        std::uint64_t>(x);
  casts<float16, bfloat16, float, double, float8_e4m3fn, float8_e5m2>(x);
}
}  // namespace

int main() {
  all_casts(edge_floats<float>());
  all_casts(edge_floats<double>());
  all_casts(edge_floats<float16>());
  all_casts(edge_floats<bfloat16>());
  all_casts(edge_integers<std::int64_t>());
  all_casts(edge_integers<std::uint64_t>());
  all_casts(edge_integers<std::int8_t>());
  return finish();
}
