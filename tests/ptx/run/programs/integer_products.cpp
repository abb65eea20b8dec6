// SPDX-License-Identifier: Apache-2.0
// Products of int8, from one column on, of turned and unaligned matrices, and distances between rows.
#include <situ/distance.hpp>

#include "program.hpp"

int main() {
  using namespace ptx_programs;
  for (const std::int64_t k : {1, 3, 4, 17, 64, 130}) {
    const Gpu<std::int8_t> a = randint<std::int8_t>(-128, 127, {33, k}, gpu<0>),
                           b = randint<std::int8_t>(-128, 127, {k, 65}, gpu<0>);
    { auto y = eval(matmul(a, b)); }
    { auto y = eval(matmul(transpose(b), transpose(a))); }
    { auto y = eval(dot(a(0, all), b(all, 3))); }
    { auto y = eval(outer(a(0, all), b(0, all))); }
    const Gpu<std::int8_t> part = a(range(1, 33), all);
    { auto y = eval(matmul(part, b(all, range(1, 64)))); }
  }
  const Gpu<float> p = normal<float>({19, 7}), q = normal<float>({23, 7});
  { auto y = eval(cdist(p, q)); }
  { auto y = eval(cdist(p, q, NormOrder{1})); }
  return finish();
}
