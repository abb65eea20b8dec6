// SPDX-License-Identifier: Apache-2.0
// Golden cases of reductions, scans and softmax.
#include "golden.hpp"

namespace golden {

namespace {

template <class T, class D>
bool run_number(const Case& c) {
  const auto x = operand<T, D>(c.inputs[0]);
  if (c.op == "sum") return c.args.empty() ? expect(c, sum(x)) : expect(c, sum(x, c.arg(0))), true;
  if (c.op == "prod") return c.args.empty() ? expect(c, prod(x)) : expect(c, prod(x, c.arg(0))), true;
  if (c.op == "min") return c.args.empty() ? expect(c, min(x)) : expect(c, min(x, c.arg(0))), true;
  if (c.op == "max") return c.args.empty() ? expect(c, max(x)) : expect(c, max(x, c.arg(0))), true;
  if (c.op == "argmin") return c.args.empty() ? expect(c, argmin(x)) : expect(c, argmin(x, c.arg(0))), true;
  if (c.op == "argmax") return c.args.empty() ? expect(c, argmax(x)) : expect(c, argmax(x, c.arg(0))), true;
  if (c.op == "cumsum") return expect(c, cumsum(x, c.arg(0))), true;
  if (c.op == "cumprod") return expect(c, cumprod(x, c.arg(0))), true;
  return false;
}

template <class T, class D>
bool run_floating(const Case& c) {
  if (run_number<T, D>(c)) return true;
  const auto x = operand<T, D>(c.inputs[0]);
  if (c.op == "mean") return c.args.empty() ? expect(c, mean(x)) : expect(c, mean(x, c.arg(0))), true;
  if (c.op == "var") return c.args.empty() ? expect(c, var(x)) : expect(c, var(x, c.arg(0))), true;
  if (c.op == "stddev") return c.args.empty() ? expect(c, stddev(x)) : expect(c, stddev(x, c.arg(0))), true;
  if (c.op == "logsumexp") return c.args.empty() ? expect(c, logsumexp(x)) : expect(c, logsumexp(x, c.arg(0))), true;
  if (c.op == "softmax") return expect(c, eval(softmax(x, c.arg(0)))), true;
  if (c.op == "log_softmax") return expect(c, eval(log_softmax(x, c.arg(0)))), true;
  return false;
}

template <class D>
bool run_bool(const Case& c) {
  const auto x = operand<bool, D>(c.inputs[0]);
  if (c.op == "any") return c.args.empty() ? expect(c, any(x)) : expect(c, any(x, c.arg(0))), true;
  if (c.op == "all") return c.args.empty() ? expect(c, situ::all(x)) : expect(c, situ::all(x, c.arg(0))), true;
  return false;
}

}  // namespace

template <class D>
bool run_reduction(const Case& c) {
  if (c.inputs.size() != 1) return false;
  if (c.dtype() == "float32") return run_floating<float, D>(c);
  if (c.dtype() == "float64") return run_floating<double, D>(c);
  if (c.dtype() == "int32") return run_number<std::int32_t, D>(c);
  if (c.dtype() == "int64") return run_number<std::int64_t, D>(c);
  return run_bool<D>(c);
}
#if defined(SITU_CUDA)
template bool run_reduction<situ::Cuda<0>>(const Case&);
#else
template bool run_reduction<situ::Cpu>(const Case&);
template bool run_reduction<situ::Pinned>(const Case&);
#endif

}  // namespace golden
