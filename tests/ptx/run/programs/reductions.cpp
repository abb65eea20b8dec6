// SPDX-License-Identifier: Apache-2.0
// Reductions of each kind of kernel: rows within a warp, within a block, of several blocks; columns; all elements;
// unaligned views.
#include "program.hpp"

namespace {
using namespace ptx_programs;

template <class T>
void reduce(const Gpu<T>& x) {
  { auto y = eval(sum(x, 1)); }
  { auto y = eval(sum(x, 0)); }
  { auto y = eval(sum(x)); }
  { auto y = eval(max(x, 1)); }
}
}  // namespace

int main() {
  for (const std::int64_t columns : {7, 300, 5001}) {
    const Gpu<float> x = normal<float>({9, columns});
    reduce<float>(x);
    reduce<float>(x(range(1, 8), range(1, columns)));
  }
  reduce<float>(normal<float>({3, 70001}));
  const Gpu<std::int32_t> y = whole<std::int32_t>(-9, 9, {65, 129});
  reduce<std::int32_t>(y);
  { auto z = eval(argmax(y, 0)); }
  { auto z = eval(sum(normal<bfloat16>({5, 300}), 1)); }
  // Without gradients, of expressions: host and GPU must agree on which kernel that is.
  const Gpu<float> ascending = linspace<float>(-1.f, 1.f, 300, gpu<0>);
  Gpu<bool> truth = all(ascending * 2.f > 0.5f);
  truth = any(ascending * 2.f > 0.5f);
  Gpu<std::int64_t> place = argmax(ascending * 2.f);
  return finish();
}
