// SPDX-License-Identifier: Apache-2.0
// Golden cases that move elements, and products.
#include "golden.hpp"

namespace golden {

namespace {

template <class T, class D>
bool run(const Case& c) {
  const auto x = operand<T, D>(c.inputs[0]);
  if (c.op == "reshape") return expect(c, reshape(x, {c.arg(0), c.arg(1)})), true;
  if (c.op == "permute") return expect(c, permute(x, {c.arg(0), c.arg(1), c.arg(2)})), true;
  if (c.op == "flip") return expect(c, flip(x, c.arg(0))), true;
  if (c.op == "roll") return expect(c, roll(x, c.arg(0), c.arg(1))), true;
  if (c.op == "tile") return expect(c, tile(x, {c.arg(0), c.arg(1)})), true;
  if (c.op == "tril") return expect(c, tril(x, c.arg(0))), true;
  if (c.op == "triu") return expect(c, triu(x, c.arg(0))), true;
  if (c.op == "sort") return expect(c, sort(x, c.arg(0))), true;
  if (c.op == "argsort") return expect(c, argsort(x, c.arg(0))), true;
  if (c.op == "slice") {
    return expect(c, x(situ::range(c.arg(0), c.arg(1), c.arg(2)), situ::range(c.arg(3), c.arg(4), c.arg(5)))), true;
  }
  if (c.op == "take") return expect(c, take(x, operand<std::int64_t, D>(c.inputs[1]), c.arg(0))), true;
  if (c.inputs.size() != 2) return false;
  const auto y = operand<T, D>(c.inputs[1]);
  if (c.op == "concat") return expect(c, situ::concat(std::vector{x, y}, c.arg(0))), true;
  if (c.op == "stack") return expect(c, situ::stack(std::vector{x, y}, c.arg(0))), true;
  if (c.op == "outer") return expect(c, outer(x, y)), true;
  if (c.op == "matmul") return expect(c, matmul(x, y)), true;
  return false;
}

}  // namespace

template <class D>
bool run_structure(const Case& c) {
  if (c.dtype() == "float32") return run<float, D>(c);
  if (c.dtype() == "float64") return run<double, D>(c);
  if (c.dtype() == "int32") return run<std::int32_t, D>(c);
  return c.dtype() == "int64" && run<std::int64_t, D>(c);
}
#if defined(SITU_CUDA)
template bool run_structure<situ::Cuda<0>>(const Case&);
#else
template bool run_structure<situ::Cpu>(const Case&);
template bool run_structure<situ::Pinned>(const Case&);
#endif

}  // namespace golden
