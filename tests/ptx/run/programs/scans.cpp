// SPDX-License-Identifier: Apache-2.0
// Scans and reductions of four axes, of views with steps, of every size of element.
#include "program.hpp"

namespace {
using namespace ptx_programs;

template <class T>
void scans() {
  const Gpu<T> x = whole<T>(0, 3, {5, 131, 3, 7}), part = x(range(1, 5), range(2, 130, 3), all, range(1, 6));
  for (const int axis : {0, 1, 2, 3}) {
    { auto y = eval(cumsum(x, axis)); }
    { auto y = eval(cumprod(part, axis)); }
    { auto y = eval(cumsum(part, axis, {.exclusive = true, .reverse = true})); }
  }
  const Gpu<T> line = whole<T>(0, 3, {9001});
  { auto y = eval(cumsum(line(range(1, 8999)), 0)); }
  { auto y = eval(cumsum(flip(line), 0, {.reverse = true})); }
  { auto y = eval(prod(part, {0, 2})); }
  { auto y = eval(any(part, 1)); }
  { auto y = eval(situ::all(x, {1, 3})); }
}
}  // namespace

int main() {
  scans<std::int8_t>();
  scans<double>();
  scans<bfloat16>();
  return finish();
}
