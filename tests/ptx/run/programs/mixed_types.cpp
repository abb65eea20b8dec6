// SPDX-License-Identifier: Apache-2.0
// Expressions of several element types with broadcasts and steps below zero, and dropout with its gradient.
#include <situ/autograd.hpp>
#include <situ/nn.hpp>

#include "program.hpp"

int main() {
  using namespace ptx_programs;
  const Gpu<bool> m = bernoulli(0.5, {9, 1, 5}, gpu<0>);
  const Gpu<double> a = randn<double>({3, 1}, gpu<0>), b = randn<double>({9, 3, 5}, gpu<0>);
  const Gpu<std::uint8_t> u = randint<std::uint8_t>(0, 200, {9, 3, 5}, gpu<0>);
  { Gpu<double> y = where(m, a, b(all, all, range(IndexRange::none, IndexRange::none, -1))); }
  { Gpu<double> y = where(u > std::uint8_t(99), cast<double>(u), a * 2.0); }
  {
    Gpu<float16> y =
        where(m && (u(0, all, all) < std::uint8_t(50)), cast<float16>(b), cast<float16>(cast<std::int16_t>(u)));
  }
  { Gpu<std::int64_t> y = where(isnan(sqrt(b)), cast<std::int64_t>(u), std::int64_t(-1)); }
  const Gpu<float> x = normal<float>({1001, 3});
  { Gpu<float> y = dropout(x(range(1, 1000), range(1, 3)), 0.3); }
  { Gpu<bfloat16> y = dropout(cast<bfloat16>(x), 0.5); }
  const Variable<float, Cuda<0>> v(x);
  const auto g = backward(sum(square(dropout(v, 0.25))));
  Gpu<float> by_v = g[v];
  return finish();
}
