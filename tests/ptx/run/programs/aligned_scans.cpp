// SPDX-License-Identifier: Apache-2.0
// Scans, order and the largest so far in aligned rows of small integers and 16-bit floats.
#include <situ/order.hpp>

#include "program.hpp"

namespace {
using namespace ptx_programs;

template <class T>
void scans() {
  const Gpu<T> x = whole<T>(0, 100, {3, 4096}), y = whole<T>(0, 3, {9, 96});
  { auto a = cummax(x, 1); }
  { auto a = cummin(x, 1); }
  { auto a = eval(cumsum(x, 1)); }
  { auto a = eval(cumprod(y, 1)); }
  { auto a = eval(cumsum(y, 1, {.exclusive = true, .reverse = true})); }
  { auto a = cummax(y, 0); }
  { auto a = sort(x, 1, false); }
  { auto a = argsort(y, 1, true); }
  { auto a = topk(x, 5, 1); }
  { auto a = topk(y, 3, 0, false); }
  { auto a = take(x, randint<std::int64_t>(-3, 3, {7}, gpu<0>), 0); }
}
}  // namespace

int main() {
  scans<bfloat16>();
  scans<std::uint8_t>();
  scans<std::int8_t>();
  scans<std::uint16_t>();
  return finish();
}
