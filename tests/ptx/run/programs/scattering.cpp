// SPDX-License-Identifier: Apache-2.0
// Scatter, gather, take, roll and pad along either axis, of views, with indices that occur many times.
#include <situ/indexing.hpp>

#include "program.hpp"

namespace {
using namespace ptx_programs;

template <class T>
void scatter_all(std::int64_t n) {
  const Gpu<T> all_of = whole<T>(-9, 9, {n + 3, 7}), x = all_of(range(1, n + 1), range(1, 6)), turned = transpose(x),
               back = flip(x);
  const Gpu<std::int64_t> r = randint<std::int64_t>(-n, n, {n + 5}, gpu<0>),
                          c = randint<std::int64_t>(-5, 5, {n + 5}, gpu<0>);
  const Gpu<std::int32_t> narrow = cast<std::int32_t>(c);
  const Gpu<std::int64_t> many = randint<std::int64_t>(0, 3, {n, 5}, gpu<0>);
  { Gpu<T> y = index_add(x, 0, r, whole<T>(-9, 9, {n + 5, 5})); }
  { Gpu<T> y = index_add(turned, 0, narrow, whole<T>(-9, 9, {n + 5, n})); }
  { Gpu<T> y = index_copy(x, 0, r, whole<T>(-9, 9, {n + 5, 5})); }
  { Gpu<T> y = scatter(x, 0, many, back); }
  { Gpu<T> y = scatter_add(x, 0, many, back); }
  { Gpu<T> y = scatter_add(x, 1, many, x); }
  { Gpu<T> y = gather(x, 1, many); }
  { Gpu<T> y = gather(turned, 0, transpose(many)); }
  { Gpu<T> y = scatter_reduce<ScatterReduction::max>(x, 0, many, back); }
  { Gpu<T> y = scatter_reduce<ScatterReduction::prod>(x, 1, many, back, IncludeSelf::no); }
  { Gpu<T> y = scatter_reduce<ScatterReduction::mean>(x, 0, many, back, IncludeSelf::no); }
  { Gpu<T> y = take(back, c, 1); }
  { Gpu<T> y = take(turned, r, 1); }
  { Gpu<T> y = roll(x, 3, 0); }
  { Gpu<T> y = pad(x, {{1, 2}, {0, 3}}, T(4)); }
  { Gpu<T> y = pad(x, {{1, 2}, {2, 3}}, PadMode::reflect); }
  { Gpu<T> y = tril(x); }
  { Gpu<T> y = concat(x, back, 1); }
}
}  // namespace

int main() {
  scatter_all<float>(1030);
  scatter_all<bfloat16>(67);
  return finish();
}
