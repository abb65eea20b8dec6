// SPDX-License-Identifier: Apache-2.0
// Every case of numerics/cases.txt: interpolation, covariances, derivatives by differences, and polynomials.
#include <situ/linalg.hpp>
#include <situ/order.hpp>

#include "golden.hpp"

namespace {

using namespace situ;
using golden::expect;
using golden::operand;

template <class T, class D>
void run_of_points(const golden::Case& c) {
  const auto x = operand<T, D>(c.inputs[0]);
  const auto y = operand<T, D>(c.inputs[1]);
  if (c.op == "polyval") return expect(c, polyval(x, y));
  if (c.op == "interp") {
    const auto values = operand<T, D>(c.inputs[2]);
    if (c.arg(0) == 0) return expect(c, eval(interp(x, y, values)));
    return expect(c, eval(interp(x, y, values, {.left = c.args[1], .right = c.args[2]})));
  }
  REQUIRE(c.op == "polyfit");
#if !defined(SITU_CUDA)  // the conformance suite shows the solvers of other devices
  expect(c, polyfit(x, y, c.arg(0)));
#endif
}

template <class T, class D>
void run(const golden::Case& c) {
  if (c.op != "cov" && c.op != "corrcoef" && c.op != "gradient") return run_of_points<T, D>(c);
  const auto x = operand<T, D>(c.inputs[0]);
  if (c.op == "gradient") {
    GradientOptions options{.axis = c.arg(0), .edge_order = c.arg(2)};
    if (c.inputs.size() > 1) return expect(c, gradient(x, operand<T, D>(c.inputs[1]), options));
    options.spacing = c.args[1];
    return expect(c, gradient(x, options));
  }
  if (c.inputs.size() > 1) {
    const auto y = operand<T, D>(c.inputs[1]);
    return expect(c, c.op == "cov" ? cov(x, y, Ddof{c.args[0]}) : corrcoef(x, y));
  }
  REQUIRE((c.op == "cov" || c.op == "corrcoef"));
  expect(c, c.op == "cov" ? cov(x, Ddof{c.args[0]}) : corrcoef(x));
}

}  // namespace

#if defined(SITU_CUDA)
TEST_CASE_TEMPLATE("interpolation, covariances, differences and polynomials as NumPy has them", D, situ::Cuda<0>) {
#else
TEST_CASE_TEMPLATE("interpolation, covariances, differences and polynomials as NumPy has them", D, situ::Cpu, situ::Pinned) {
#endif
  const std::vector<golden::Case> cases = golden::read_cases("numerics/cases.txt");
  REQUIRE(cases.size() > 250);
  for (const golden::Case& c : cases) {
    CAPTURE(c.name);
    if (c.dtype() == "float32") run<float, D>(c);
    else run<double, D>(c);
  }
}
