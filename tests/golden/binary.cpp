// SPDX-License-Identifier: Apache-2.0
// Golden cases of two operands, and the element-wise ones of three.
#include "golden.hpp"

namespace golden {

namespace {

template <class T, class D>
bool run_number(const Case& c) {
  if (c.op == "clamp") return expect(c, eval(clamp(operand<T, D>(c.inputs[0]), c.arg(0), c.arg(1)))), true;
  if (c.inputs.size() != 2) return false;
  const auto a = operand<T, D>(c.inputs[0]);
  const auto b = operand<T, D>(c.inputs[1]);
  if (c.op == "add") return expect(c, eval(a + b)), true;
  if (c.op == "subtract") return expect(c, eval(a - b)), true;
  if (c.op == "multiply") return expect(c, eval(a * b)), true;
  if (c.op == "equal") return expect(c, eval(a == b)), true;
  if (c.op == "not_equal") return expect(c, eval(a != b)), true;
  if (c.op == "less") return expect(c, eval(a < b)), true;
  if (c.op == "less_equal") return expect(c, eval(a <= b)), true;
  if (c.op == "greater") return expect(c, eval(a > b)), true;
  if (c.op == "greater_equal") return expect(c, eval(a >= b)), true;
  if (c.op == "minimum") return expect(c, eval(minimum(a, b))), true;
  if (c.op == "maximum") return expect(c, eval(maximum(a, b))), true;
  if (c.op == "remainder") return expect(c, eval(a % b)), true;
  if (c.op == "floor_divide") return expect(c, eval(floor_divide(a, b))), true;
  return false;
}

template <class T, class D>
bool run_floating(const Case& c) {
  if (run_number<T, D>(c)) return true;
  if (c.inputs.size() != 2) return false;
  const auto a = operand<T, D>(c.inputs[0]);
  const auto b = operand<T, D>(c.inputs[1]);
  if (c.op == "divide") return expect(c, eval(a / b)), true;
  if (c.op == "atan2") return expect(c, eval(atan2(a, b))), true;
  if (c.op == "hypot") return expect(c, eval(hypot(a, b))), true;
  if (c.op == "pow") return expect(c, eval(pow(a, b))), true;
  if (c.op == "fmod") return expect(c, eval(fmod(a, b))), true;
  return false;
}

template <class T, class D>
bool run_bits(const Case& c) {
  if (c.op != "bit_and" && c.op != "bit_or" && c.op != "bit_xor") return false;
  const auto a = operand<T, D>(c.inputs[0]);
  const auto b = operand<T, D>(c.inputs[1]);
  if (c.op == "bit_and") return expect(c, eval(a & b)), true;
  if (c.op == "bit_or") return expect(c, eval(a | b)), true;
  return expect(c, eval(a ^ b)), true;
}

template <class D>
bool run_logical(const Case& c) {
  if (run_bits<bool, D>(c)) return true;
  if (c.op != "logical_and" && c.op != "logical_or") return false;
  const auto a = operand<bool, D>(c.inputs[0]);
  const auto b = operand<bool, D>(c.inputs[1]);
  if (c.op == "logical_and") return expect(c, eval(a && b)), true;
  return expect(c, eval(a || b)), true;
}

template <class T, class D>
bool run_where(const Case& c) {
  return expect(c, eval(where(operand<bool, D>(c.inputs[0]), operand<T, D>(c.inputs[1]), operand<T, D>(c.inputs[2])))),
         true;
}

}  // namespace

template <class D>
bool run_binary(const Case& c) {
  if (c.op == "where") {
    return c.inputs[1].dtype == "float32" ? run_where<float, D>(c) : run_where<std::int64_t, D>(c);
  }
  if (c.inputs.size() == 2 && c.inputs[1].dtype != c.dtype()) return false;
  if (c.dtype() == "float32") return run_floating<float, D>(c);
  if (c.dtype() == "float64") return run_floating<double, D>(c);
  if (c.dtype() == "int32") return run_number<std::int32_t, D>(c) || run_bits<std::int32_t, D>(c);
  if (c.dtype() == "int64") return run_number<std::int64_t, D>(c);
  return c.inputs.size() == 2 && run_logical<D>(c);
}
#if defined(SITU_CUDA)
template bool run_binary<situ::Cuda<0>>(const Case&);
#else
template bool run_binary<situ::Cpu>(const Case&);
template bool run_binary<situ::Pinned>(const Case&);
#endif

}  // namespace golden
