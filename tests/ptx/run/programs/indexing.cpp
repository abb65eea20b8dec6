// SPDX-License-Identifier: Apache-2.0
// Indexing by masks and by coordinates, of views that are unaligned, turned and backwards, and indices that occur
// twice.
#include <situ/indexing.hpp>

#include "program.hpp"

namespace {
using namespace ptx_programs;

template <class T>
void indices(std::int64_t n) {
  const Gpu<T> all_of = whole<T>(-9, 9, {n + 3, 7}), x = all_of(range(1, n + 1), range(1, 6)), turned = transpose(x),
               back = flip(x);
  const Gpu<bool> mask = x > T(1), rows = x(all, 2) > T(2);
  { Gpu<T> y = x(mask); }
  { Gpu<T> y = x(rows); }
  { Gpu<T> y = turned(turned > T(1)); }
  {
    Gpu<T> y = x;
    y.at(mask) = T(5);
    y.at(mask) += T(1);
  }
  {
    Gpu<T> y = all_of;
    y.at(range(1, n + 1), range(1, 6)) = back;
  }
  { Gpu<T> y = masked_scatter(x, mask, whole<T>(-9, 9, {n * 5})); }
  { auto y = nonzero(x); }
  { auto y = nonzero(turned, {.size = 17, .fill = -1}); }
  { auto y = eval(count_nonzero(x, {0})); }
  const Gpu<std::int64_t> r = randint<std::int64_t>(-n, n, {n + 5}, gpu<0>),
                          c = randint<std::int64_t>(-5, 5, {n + 5}, gpu<0>);
  const Gpu<std::int32_t> narrow = cast<std::int32_t>(c);
  { Gpu<T> y = x(r, c); }
  { Gpu<T> y = back(r(range(1, n)), c(range(2, n + 1))); }
  { Gpu<T> y = turned(narrow, r); }
  { Gpu<T> y = x(r); }
  { Gpu<T> y = index_put(x, {r, c}, whole<T>(-9, 9, {n + 5})); }
  { Gpu<T> y = index_put(x, {r, c}, whole<T>(-9, 9, {n + 5}), Accumulate::yes); }
}
}  // namespace

int main() {
  indices<float>(1030);
  indices<bfloat16>(67);
  indices<std::int8_t>(131);
  return finish();
}
