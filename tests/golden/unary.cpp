// SPDX-License-Identifier: Apache-2.0
// Golden cases of one operand.
#include "golden.hpp"

namespace golden {

namespace {

template <class T, class D>
bool run_number(const Case& c) {
  const auto x = operand<T, D>(c.inputs[0]);
  if (c.op == "abs") return expect(c, eval(abs(x))), true;
  if (c.op == "sign") return expect(c, eval(sign(x))), true;
  if (c.op == "square") return expect(c, eval(square(x))), true;
  if (c.op == "negative") return expect(c, eval(-x)), true;
  return false;
}

template <class T, class D>
bool run_floating(const Case& c) {
  if (run_number<T, D>(c)) return true;
  const auto x = operand<T, D>(c.inputs[0]);
  if (c.op == "sqrt") return expect(c, eval(sqrt(x))), true;
  if (c.op == "rsqrt") return expect(c, eval(rsqrt(x))), true;
  if (c.op == "exp") return expect(c, eval(exp(x))), true;
  if (c.op == "expm1") return expect(c, eval(expm1(x))), true;
  if (c.op == "exp2") return expect(c, eval(exp2(x))), true;
  if (c.op == "log") return expect(c, eval(log(x))), true;
  if (c.op == "log1p") return expect(c, eval(log1p(x))), true;
  if (c.op == "log2") return expect(c, eval(log2(x))), true;
  if (c.op == "log10") return expect(c, eval(log10(x))), true;
  if (c.op == "sin") return expect(c, eval(sin(x))), true;
  if (c.op == "cos") return expect(c, eval(cos(x))), true;
  if (c.op == "tan") return expect(c, eval(tan(x))), true;
  if (c.op == "asin") return expect(c, eval(asin(x))), true;
  if (c.op == "acos") return expect(c, eval(acos(x))), true;
  if (c.op == "atan") return expect(c, eval(atan(x))), true;
  if (c.op == "sinh") return expect(c, eval(sinh(x))), true;
  if (c.op == "cosh") return expect(c, eval(cosh(x))), true;
  if (c.op == "tanh") return expect(c, eval(tanh(x))), true;
  if (c.op == "asinh") return expect(c, eval(asinh(x))), true;
  if (c.op == "acosh") return expect(c, eval(acosh(x))), true;
  if (c.op == "atanh") return expect(c, eval(atanh(x))), true;
  if (c.op == "erf") return expect(c, eval(erf(x))), true;
  if (c.op == "sigmoid") return expect(c, eval(sigmoid(x))), true;
  if (c.op == "silu") return expect(c, eval(silu(x))), true;
  if (c.op == "softplus") return expect(c, eval(softplus(x))), true;
  if (c.op == "gelu") return expect(c, eval(gelu(x))), true;
  if (c.op == "gelu_tanh") return expect(c, eval(gelu_tanh(x))), true;
  if (c.op == "elu") return expect(c, eval(elu(x))), true;
  if (c.op == "floor") return expect(c, eval(floor(x))), true;
  if (c.op == "ceil") return expect(c, eval(ceil(x))), true;
  if (c.op == "trunc") return expect(c, eval(trunc(x))), true;
  if (c.op == "round") return expect(c, eval(round(x))), true;
  if (c.op == "isnan") return expect(c, eval(isnan(x))), true;
  if (c.op == "isinf") return expect(c, eval(isinf(x))), true;
  if (c.op == "isfinite") return expect(c, eval(isfinite(x))), true;
  return false;
}

}  // namespace

template <class D>
bool run_unary(const Case& c) {
  if (c.inputs.size() != 1) return false;
  if (c.dtype() == "float32") return run_floating<float, D>(c);
  if (c.dtype() == "float64") return run_floating<double, D>(c);
  if (c.dtype() == "int32") return run_number<std::int32_t, D>(c);
  if (c.dtype() == "int64") return run_number<std::int64_t, D>(c);
  return false;
}
#if defined(SITU_CUDA)
template bool run_unary<situ::Cuda<0>>(const Case&);
#else
template bool run_unary<situ::Cpu>(const Case&);
template bool run_unary<situ::Pinned>(const Case&);
#endif

}  // namespace golden
