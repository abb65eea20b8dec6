// SPDX-License-Identifier: Apache-2.0
// Every case of complex/cases.txt: arithmetic, sums and products of complex numbers, as NumPy has them.
#include <situ/complex.hpp>

#include <cstddef>
#include <vector>

#include "golden.hpp"

namespace {

using namespace situ;
using golden::Case;

/// One of the views of complex/generate.py.
template <class X>
X viewed(const X& x, int view) {
  if (view == 0) return x;
  if (view == 3) return flip(x, 0);
  if (view == 2) {
    const IndexRange step = range(IndexRange::none, IndexRange::none, 2);
    return x.rank() == 1 ? x(step) : x(all, step);
  }
  std::vector<std::int64_t> order;
  for (int axis = x.rank() - 1; axis >= 0; --axis) order.push_back(axis);
  return permute(x, order);
}

template <class X>
void expect_parts(const Case& c, const X& expression) {
  const Tensor<value_type_t<X>, device_t<X>> result(expression);
  if constexpr (ComplexElement<value_type_t<X>>) golden::expect(c, view_as_real(result));
  else golden::expect(c, result);
}

template <class T, class D>
void run(const Case& c) {
  const auto written = [&c](std::size_t i) { return golden::operand<T, D>(c.inputs.at(i)); };
  if (c.op == "polar") return expect_parts(c, polar(viewed(written(0), c.arg(0)), viewed(written(1), c.arg(1))));
  const auto x = viewed(view_as_complex(written(0)), c.arg(0));
  if (c.op == "negative") return expect_parts(c, -x);
  if (c.op == "conj") return expect_parts(c, conj(x));
  if (c.op == "real") return expect_parts(c, real(x));
  if (c.op == "imag") return expect_parts(c, imag(x));
  if (c.op == "abs") return expect_parts(c, abs(x));
  if (c.op == "angle") return expect_parts(c, angle(x));
  if (c.op == "sum") return expect_parts(c, sum(x, c.arg(1)));
  if (c.op == "mean") return expect_parts(c, mean(x, c.arg(1)));
  if (c.op == "prod") return expect_parts(c, prod(x, c.arg(1)));
  if (c.op == "cumsum") return expect_parts(c, cumsum(x, c.arg(1)));
  if (c.op == "cumprod") return expect_parts(c, cumprod(x, c.arg(1)));
  const auto y = viewed(view_as_complex(written(1)), c.arg(1));
  if (c.op == "add") return expect_parts(c, x + y);
  if (c.op == "subtract") return expect_parts(c, x - y);
  if (c.op == "multiply") return expect_parts(c, x * y);
  if (c.op == "divide") return expect_parts(c, x / y);
  REQUIRE(c.op == "matmul");
  expect_parts(c, matmul(x, y));
}

}  // namespace

#if defined(SITU_CUDA)
TEST_CASE_TEMPLATE("complex numbers give what NumPy gives", D, situ::Cuda<0>) {
#else
TEST_CASE_TEMPLATE("complex numbers give what NumPy gives", D, situ::Cpu, situ::Pinned) {
#endif
  const std::vector<Case> cases = golden::read_cases("complex/cases.txt");
  REQUIRE(cases.size() > 180);
  for (const Case& c : cases) {
    CAPTURE(c.name);
    if (c.dtype() == "float32") run<float, D>(c);
    else run<double, D>(c);
  }
}
