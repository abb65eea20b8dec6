// SPDX-License-Identifier: Apache-2.0
// Functions of each element. All of them for float; of the other element types what is computed in another way for them.
#include "case.hpp"

namespace numpy {

namespace {

using namespace situ;

template <class T>
bool arithmetic(const Case& c, Results& give) {
  const numpy::Tensor<T> x = operand<T>(c.inputs[0]);
  if (c.op == "negative") return give(-x);
  if (c.op == "abs") return give(abs(x));
  if (c.op == "sign") return give(sign(x));
  if (c.op == "square") return give(square(x));
  return false;
}

template <class T>
bool rounding(const Case& c, Results& give) {
  const numpy::Tensor<T> x = operand<T>(c.inputs[0]);
  if (c.op == "floor") return give(floor(x));
  if (c.op == "ceil") return give(ceil(x));
  if (c.op == "trunc") return give(trunc(x));
  if (c.op == "round") return give(round(x));
  if (c.op == "isnan") return give(isnan(x));
  if (c.op == "isinf") return give(isinf(x));
  if (c.op == "isfinite") return give(isfinite(x));
  if (c.op == "sqrt") return give(sqrt(x));
  if (c.op == "exp") return give(exp(x));
  if (c.op == "log") return give(log(x));
  if (c.op == "tanh") return give(tanh(x));
  return false;
}

bool rest(const Case& c, Results& give) {
  const numpy::Tensor<float> x = operand<float>(c.inputs[0]);
  if (c.op == "exp2") return give(exp2(x));
  if (c.op == "expm1") return give(expm1(x));
  if (c.op == "log2") return give(log2(x));
  if (c.op == "log10") return give(log10(x));
  if (c.op == "log1p") return give(log1p(x));
  if (c.op == "sin") return give(sin(x));
  if (c.op == "cos") return give(cos(x));
  if (c.op == "tan") return give(tan(x));
  if (c.op == "asin") return give(asin(x));
  if (c.op == "acos") return give(acos(x));
  if (c.op == "atan") return give(atan(x));
  if (c.op == "sinh") return give(sinh(x));
  if (c.op == "cosh") return give(cosh(x));
  if (c.op == "asinh") return give(asinh(x));
  if (c.op == "acosh") return give(acosh(x));
  if (c.op == "atanh") return give(atanh(x));
  return false;
}

template <class T>
bool arithmetic_of_two(const Case& c, Results& give) {
  const numpy::Tensor<T> a = operand<T>(c.inputs[0]), b = operand<T>(c.inputs[1]);
  if (c.op == "add") return give(a + b);
  if (c.op == "subtract") return give(a - b);
  if (c.op == "multiply") return give(a * b);
  if (c.op == "minimum") return give(minimum(a, b));
  if (c.op == "maximum") return give(maximum(a, b));
  if (c.op == "less") return give(a < b);
  if (c.op == "equal") return give(a == b);
  if constexpr (FloatingElement<T>) {
    if (c.op == "divide") return give(a / b);
  }
  return false;
}

template <class T>
bool more_of_two(const Case& c, Results& give) {
  const numpy::Tensor<T> a = operand<T>(c.inputs[0]), b = operand<T>(c.inputs[1]);
  if (c.op == "not_equal") return give(a != b);
  if (c.op == "less_equal") return give(a <= b);
  if (c.op == "greater") return give(a > b);
  if (c.op == "greater_equal") return give(a >= b);
  if (c.op == "remainder") return give(remainder(a, b));
  if (c.op == "fmod") return give(fmod(a, b));
  if (c.op == "floor_divide") return give(floor_divide(a, b));
  if constexpr (FloatingElement<T>) {
    if (c.op == "pow") return give(pow(a, b));
    if (c.op == "hypot") return give(hypot(a, b));
    if (c.op == "atan2") return give(atan2(a, b));
  } else {
    if (c.op == "bitwise_and") return give(a & b);
    if (c.op == "bitwise_or") return give(a | b);
    if (c.op == "bitwise_xor") return give(a ^ b);
  }
  return false;
}

template <class T>
bool choice(const Case& c, Results& give) {
  return give(where(operand<bool>(c.inputs[0]), operand<T>(c.inputs[1]), operand<T>(c.inputs[2])));
}

}  // namespace

bool run_function(const Case& c, Results& give) {
  if (c.inputs.size() != 1 || !c.args.empty()) return false;
  const std::string& t = c.dtype();
  if (t == "float32") return arithmetic<float>(c, give) || rounding<float>(c, give) || rest(c, give);
  if (t == "int8") return arithmetic<std::int8_t>(c, give);
#if defined(SITU_NUMPY_EVERY_TYPE)
  if (t == "float64") return arithmetic<double>(c, give) || rounding<double>(c, give);
  if (t == "float16") return rounding<float16>(c, give);
  if (t == "int64") return arithmetic<Index>(c, give);
#endif
  if (t == "bool" && c.op == "logical_not") return give(!operand<bool>(c.inputs[0]));
  if (t == "uint8" && c.op == "bitwise_invert") return give(~operand<std::uint8_t>(c.inputs[0]));
  return false;
}

bool run_two_operands(const Case& c, Results& give) {
  if (c.op == "where") {
    const std::string& t = c.inputs.at(1).dtype;  // the first is the mask
    if (t == "float32") return choice<float>(c, give);
#if defined(SITU_NUMPY_EVERY_TYPE)
    if (t == "int64") return choice<Index>(c, give);
#endif
    return t == "uint8" && choice<std::uint8_t>(c, give);
  }
  if (c.inputs.size() != 2 || !c.args.empty() || c.inputs[1].dtype != c.dtype()) return false;
  const std::string& t = c.dtype();
  if (t == "float32") return arithmetic_of_two<float>(c, give) || more_of_two<float>(c, give);
  if (t == "uint8") return arithmetic_of_two<std::uint8_t>(c, give);
#if defined(SITU_NUMPY_EVERY_TYPE)
  if (t == "float64") return arithmetic_of_two<double>(c, give);
  if (t == "float16") return arithmetic_of_two<float16>(c, give);
  if (t == "int32") return arithmetic_of_two<std::int32_t>(c, give) || more_of_two<std::int32_t>(c, give);
  if (t == "int16") return arithmetic_of_two<std::int16_t>(c, give);
#endif
  if (t == "complex64" && c.op == "multiply") return give(operand<std::complex<float>>(c.inputs[0]) * operand<std::complex<float>>(c.inputs[1]));
  if (t == "bool" && c.op == "logical_and") return give(operand<bool>(c.inputs[0]) && operand<bool>(c.inputs[1]));
  if (t == "bool" && c.op == "logical_or") return give(operand<bool>(c.inputs[0]) || operand<bool>(c.inputs[1]));
  return false;
}

}  // namespace numpy
