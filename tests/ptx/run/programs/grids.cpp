// SPDX-License-Identifier: Apache-2.0
// Grids of more than 65,535 blocks and rows, steps below zero, broadcasts, and nothing at all.
#include "program.hpp"

namespace {
using namespace ptx_programs;

template <class T>
void many_rows(std::int64_t rows) {
  const Gpu<T> x = whole<T>(0, 7, {rows, 3});
  { Gpu<T> y = x - x(0, all); }
  { Gpu<T> y = x(range(IndexRange::none, IndexRange::none, -1), range(IndexRange::none, IndexRange::none, -1)) + x; }
  { Gpu<T> y = transpose(x) + T(1); }
  { Gpu<T> y = contiguous(transpose(x)); }
  { Gpu<T> y = x(range(1, rows, 2), range(1, 3)) * x(range(0, rows - 1, 2), range(0, 2)); }
  { auto y = eval(sum(x, 1)); }
  { auto y = eval(sum(x, 0)); }
  { Gpu<T> y = max(x(all, range(1, 3)), 1); }
  { Gpu<T> y = take(x, randint<std::int64_t>(0, rows, {rows}, gpu<0>), 0); }
  { Gpu<T> y = x(range(2, 2), all) + T(1); }
  { Gpu<T> y = broadcast_to(x(0, all), {rows, 3}) + x; }
  { auto y = eval(cumsum(x, 0)); }
}
}  // namespace

int main() {
  many_rows<float>(70001);
  many_rows<std::uint8_t>(70001);
  const Gpu<float> x = normal<float>({70001, 3});
  { Gpu<float> y = softmax(x, 1); }
  { Gpu<float> y = softmax(x, 0); }
  return finish();
}
