// SPDX-License-Identifier: Apache-2.0
// Order where there are NaN, both zeros, infinity and ties: sorts, the largest k, runs of one value, quantiles.
#include <limits>

#include <situ/order.hpp>

#include "program.hpp"

namespace {
using namespace ptx_programs;

template <class T>
void order(std::int64_t n) {
  Gpu<T> x = whole<T>(-9, 9, {n, 5});
  if constexpr (!std::is_integral_v<T>) {
    const auto put = [&](std::int64_t row, std::int64_t column, float value) {
      x.at(range(row, row + 1), range(column, column + 1)) = T(value);
    };
    put(3, 2, std::numeric_limits<float>::quiet_NaN());
    put(n - 1, 2, std::numeric_limits<float>::quiet_NaN());
    put(7, 1, -std::numeric_limits<float>::quiet_NaN());
    put(n / 2, 0, -0.f);
    put(5, 4, -std::numeric_limits<float>::infinity());
  }
  const Gpu<T> odd = x(range(1, n), range(1, 4));
  for (const int axis : {0, 1}) {
    { auto y = sort(odd, axis, false); }
    { auto y = argsort(odd, axis, true); }
    { auto y = topk(odd, 2, axis); }
    { auto y = topk(odd, 3, axis, false); }
    { auto y = kthvalue(odd, 2, axis); }
    { auto y = cummax(odd, axis); }
    { auto y = eval(argmax(odd, axis)); }
    { auto y = eval(argmin(x, axis)); }
  }
  { auto y = unique(odd); }
  { auto y = unique_all(x); }
  { auto y = unique(x, {.size = 40, .fill = T(1)}); }
  { auto y = unique_counts(odd); }
  { auto y = searchsorted(sort(x(all, 1), 0, false), flatten(odd), SearchSide::right); }
  { auto y = isin(odd, x(0, all)); }
}
}  // namespace

int main() {
  order<float>(2051);
  order<bfloat16>(300);
  order<std::int64_t>(97);
  order<std::uint8_t>(515);
  const Gpu<float> w = normal<float>({5000});
  { auto y = median(w); }
  { auto y = quantile(reshape(w, {50, 100}), {0.1, 0.9}, {1}); }
  return finish();
}
