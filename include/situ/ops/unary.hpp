// SPDX-License-Identifier: Apache-2.0
// Element-wise functions of one operand. Each makes a lazy node over a tensor or expression of any device; the result
// has the operand's shape and, unless said otherwise, its element type. Functions of floating elements do not compile
// for integers (`cast<float>(x)` first).
#pragma once

#include <utility>

#include <situ/device/diagnostics.hpp>
#include <situ/expression/concept.hpp>
#include <situ/formula/functional/arithmetic.hpp>
#include <situ/formula/functional/error_function.hpp>
#include <situ/formula/functional/exponential.hpp>
#include <situ/formula/functional/hyperbolic.hpp>
#include <situ/formula/functional/predicate.hpp>
#include <situ/formula/functional/rounding.hpp>
#include <situ/formula/functional/trigonometric.hpp>

namespace situ {

/// The absolute value. The smallest signed integer stays as it is (overflow wraps).
template <class X>
  requires OperandsOf<internal::functional::Absolute, X>
[[nodiscard]] lazy_until_eval_t<internal::functional::Absolute, X> abs(X&& x) {
  return internal::make_map(internal::functional::Absolute{}, std::forward<X>(x));
}
Tensor<float, Cpu> abs(operation_undefined_for_elements<internal::functional::Absolute>::fix_call_cast);

/// -1, 0 or 1; NaN stays NaN.
template <class X>
  requires OperandsOf<internal::functional::Sign, X>
[[nodiscard]] lazy_until_eval_t<internal::functional::Sign, X> sign(X&& x) {
  return internal::make_map(internal::functional::Sign{}, std::forward<X>(x));
}
Tensor<float, Cpu> sign(operation_undefined_for_elements<internal::functional::Sign>::fix_call_cast);

/// `x * x`.
template <class X>
  requires OperandsOf<internal::functional::Square, X>
[[nodiscard]] lazy_until_eval_t<internal::functional::Square, X> square(X&& x) {
  return internal::make_map(internal::functional::Square{}, std::forward<X>(x));
}
Tensor<float, Cpu> square(operation_undefined_for_elements<internal::functional::Square>::fix_call_cast);

/// The square root; NaN below 0.
template <class X>
  requires OperandsOf<internal::functional::Sqrt, X>
[[nodiscard]] lazy_until_eval_t<internal::functional::Sqrt, X> sqrt(X&& x) {
  return internal::make_map(internal::functional::Sqrt{}, std::forward<X>(x));
}
Tensor<float, Cpu> sqrt(operation_undefined_for_elements<internal::functional::Sqrt>::fix_call_cast);

/// `1 / sqrt(x)`.
template <class X>
  requires OperandsOf<internal::functional::Rsqrt, X>
[[nodiscard]] lazy_until_eval_t<internal::functional::Rsqrt, X> rsqrt(X&& x) {
  return internal::make_map(internal::functional::Rsqrt{}, std::forward<X>(x));
}
Tensor<float, Cpu> rsqrt(operation_undefined_for_elements<internal::functional::Rsqrt>::fix_call_cast);

/// e to the power x.
template <class X>
  requires OperandsOf<internal::functional::Exp, X>
[[nodiscard]] lazy_until_eval_t<internal::functional::Exp, X> exp(X&& x) {
  return internal::make_map(internal::functional::Exp{}, std::forward<X>(x));
}
Tensor<float, Cpu> exp(operation_undefined_for_elements<internal::functional::Exp>::fix_call_cast);

/// `exp(x) - 1`, accurate near 0.
template <class X>
  requires OperandsOf<internal::functional::Expm1, X>
[[nodiscard]] lazy_until_eval_t<internal::functional::Expm1, X> expm1(X&& x) {
  return internal::make_map(internal::functional::Expm1{}, std::forward<X>(x));
}
Tensor<float, Cpu> expm1(operation_undefined_for_elements<internal::functional::Expm1>::fix_call_cast);

/// 2 to the power x.
template <class X>
  requires OperandsOf<internal::functional::Exp2, X>
[[nodiscard]] lazy_until_eval_t<internal::functional::Exp2, X> exp2(X&& x) {
  return internal::make_map(internal::functional::Exp2{}, std::forward<X>(x));
}
Tensor<float, Cpu> exp2(operation_undefined_for_elements<internal::functional::Exp2>::fix_call_cast);

/// The natural logarithm; -inf at 0, NaN below.
template <class X>
  requires OperandsOf<internal::functional::Log, X>
[[nodiscard]] lazy_until_eval_t<internal::functional::Log, X> log(X&& x) {
  return internal::make_map(internal::functional::Log{}, std::forward<X>(x));
}
Tensor<float, Cpu> log(operation_undefined_for_elements<internal::functional::Log>::fix_call_cast);

/// `log(1 + x)`, accurate near 0.
template <class X>
  requires OperandsOf<internal::functional::Log1p, X>
[[nodiscard]] lazy_until_eval_t<internal::functional::Log1p, X> log1p(X&& x) {
  return internal::make_map(internal::functional::Log1p{}, std::forward<X>(x));
}
Tensor<float, Cpu> log1p(operation_undefined_for_elements<internal::functional::Log1p>::fix_call_cast);

/// The logarithm to base 2.
template <class X>
  requires OperandsOf<internal::functional::Log2, X>
[[nodiscard]] lazy_until_eval_t<internal::functional::Log2, X> log2(X&& x) {
  return internal::make_map(internal::functional::Log2{}, std::forward<X>(x));
}
Tensor<float, Cpu> log2(operation_undefined_for_elements<internal::functional::Log2>::fix_call_cast);

/// The logarithm to base 10.
template <class X>
  requires OperandsOf<internal::functional::Log10, X>
[[nodiscard]] lazy_until_eval_t<internal::functional::Log10, X> log10(X&& x) {
  return internal::make_map(internal::functional::Log10{}, std::forward<X>(x));
}
Tensor<float, Cpu> log10(operation_undefined_for_elements<internal::functional::Log10>::fix_call_cast);

/// The sine of an angle in radians.
template <class X>
  requires OperandsOf<internal::functional::Sin, X>
[[nodiscard]] lazy_until_eval_t<internal::functional::Sin, X> sin(X&& x) {
  return internal::make_map(internal::functional::Sin{}, std::forward<X>(x));
}
Tensor<float, Cpu> sin(operation_undefined_for_elements<internal::functional::Sin>::fix_call_cast);

/// The cosine of an angle in radians.
template <class X>
  requires OperandsOf<internal::functional::Cos, X>
[[nodiscard]] lazy_until_eval_t<internal::functional::Cos, X> cos(X&& x) {
  return internal::make_map(internal::functional::Cos{}, std::forward<X>(x));
}
Tensor<float, Cpu> cos(operation_undefined_for_elements<internal::functional::Cos>::fix_call_cast);

/// The tangent of an angle in radians.
template <class X>
  requires OperandsOf<internal::functional::Tan, X>
[[nodiscard]] lazy_until_eval_t<internal::functional::Tan, X> tan(X&& x) {
  return internal::make_map(internal::functional::Tan{}, std::forward<X>(x));
}
Tensor<float, Cpu> tan(operation_undefined_for_elements<internal::functional::Tan>::fix_call_cast);

/// The inverse sine, in [-pi/2, pi/2]; NaN outside [-1, 1].
template <class X>
  requires OperandsOf<internal::functional::Asin, X>
[[nodiscard]] lazy_until_eval_t<internal::functional::Asin, X> asin(X&& x) {
  return internal::make_map(internal::functional::Asin{}, std::forward<X>(x));
}
Tensor<float, Cpu> asin(operation_undefined_for_elements<internal::functional::Asin>::fix_call_cast);

/// The inverse cosine, in [0, pi]; NaN outside [-1, 1].
template <class X>
  requires OperandsOf<internal::functional::Acos, X>
[[nodiscard]] lazy_until_eval_t<internal::functional::Acos, X> acos(X&& x) {
  return internal::make_map(internal::functional::Acos{}, std::forward<X>(x));
}
Tensor<float, Cpu> acos(operation_undefined_for_elements<internal::functional::Acos>::fix_call_cast);

/// The inverse tangent, in [-pi/2, pi/2].
template <class X>
  requires OperandsOf<internal::functional::Atan, X>
[[nodiscard]] lazy_until_eval_t<internal::functional::Atan, X> atan(X&& x) {
  return internal::make_map(internal::functional::Atan{}, std::forward<X>(x));
}
Tensor<float, Cpu> atan(operation_undefined_for_elements<internal::functional::Atan>::fix_call_cast);

/// The hyperbolic sine.
template <class X>
  requires OperandsOf<internal::functional::Sinh, X>
[[nodiscard]] lazy_until_eval_t<internal::functional::Sinh, X> sinh(X&& x) {
  return internal::make_map(internal::functional::Sinh{}, std::forward<X>(x));
}
Tensor<float, Cpu> sinh(operation_undefined_for_elements<internal::functional::Sinh>::fix_call_cast);

/// The hyperbolic cosine.
template <class X>
  requires OperandsOf<internal::functional::Cosh, X>
[[nodiscard]] lazy_until_eval_t<internal::functional::Cosh, X> cosh(X&& x) {
  return internal::make_map(internal::functional::Cosh{}, std::forward<X>(x));
}
Tensor<float, Cpu> cosh(operation_undefined_for_elements<internal::functional::Cosh>::fix_call_cast);

/// The hyperbolic tangent.
template <class X>
  requires OperandsOf<internal::functional::Tanh, X>
[[nodiscard]] lazy_until_eval_t<internal::functional::Tanh, X> tanh(X&& x) {
  return internal::make_map(internal::functional::Tanh{}, std::forward<X>(x));
}
Tensor<float, Cpu> tanh(operation_undefined_for_elements<internal::functional::Tanh>::fix_call_cast);

/// The inverse hyperbolic sine.
template <class X>
  requires OperandsOf<internal::functional::Asinh, X>
[[nodiscard]] lazy_until_eval_t<internal::functional::Asinh, X> asinh(X&& x) {
  return internal::make_map(internal::functional::Asinh{}, std::forward<X>(x));
}
Tensor<float, Cpu> asinh(operation_undefined_for_elements<internal::functional::Asinh>::fix_call_cast);

/// The inverse hyperbolic cosine; NaN below 1.
template <class X>
  requires OperandsOf<internal::functional::Acosh, X>
[[nodiscard]] lazy_until_eval_t<internal::functional::Acosh, X> acosh(X&& x) {
  return internal::make_map(internal::functional::Acosh{}, std::forward<X>(x));
}
Tensor<float, Cpu> acosh(operation_undefined_for_elements<internal::functional::Acosh>::fix_call_cast);

/// The inverse hyperbolic tangent; NaN outside [-1, 1].
template <class X>
  requires OperandsOf<internal::functional::Atanh, X>
[[nodiscard]] lazy_until_eval_t<internal::functional::Atanh, X> atanh(X&& x) {
  return internal::make_map(internal::functional::Atanh{}, std::forward<X>(x));
}
Tensor<float, Cpu> atanh(operation_undefined_for_elements<internal::functional::Atanh>::fix_call_cast);

/// The error function, `2 / sqrt(pi) * integral of exp(-t^2) from 0 to x`.
template <class X>
  requires OperandsOf<internal::functional::Erf, X>
[[nodiscard]] lazy_until_eval_t<internal::functional::Erf, X> erf(X&& x) {
  return internal::make_map(internal::functional::Erf{}, std::forward<X>(x));
}
Tensor<float, Cpu> erf(operation_undefined_for_elements<internal::functional::Erf>::fix_call_cast);

/// The largest whole number not above x.
template <class X>
  requires OperandsOf<internal::functional::Floor, X>
[[nodiscard]] lazy_until_eval_t<internal::functional::Floor, X> floor(X&& x) {
  return internal::make_map(internal::functional::Floor{}, std::forward<X>(x));
}
Tensor<float, Cpu> floor(operation_undefined_for_elements<internal::functional::Floor>::fix_call_cast);

/// The smallest whole number not below x.
template <class X>
  requires OperandsOf<internal::functional::Ceil, X>
[[nodiscard]] lazy_until_eval_t<internal::functional::Ceil, X> ceil(X&& x) {
  return internal::make_map(internal::functional::Ceil{}, std::forward<X>(x));
}
Tensor<float, Cpu> ceil(operation_undefined_for_elements<internal::functional::Ceil>::fix_call_cast);

/// The nearest whole number, ties to even, as NumPy.
template <class X>
  requires OperandsOf<internal::functional::Round, X>
[[nodiscard]] lazy_until_eval_t<internal::functional::Round, X> round(X&& x) {
  return internal::make_map(internal::functional::Round{}, std::forward<X>(x));
}
Tensor<float, Cpu> round(operation_undefined_for_elements<internal::functional::Round>::fix_call_cast);

/// The whole part, towards 0.
template <class X>
  requires OperandsOf<internal::functional::Trunc, X>
[[nodiscard]] lazy_until_eval_t<internal::functional::Trunc, X> trunc(X&& x) {
  return internal::make_map(internal::functional::Trunc{}, std::forward<X>(x));
}
Tensor<float, Cpu> trunc(operation_undefined_for_elements<internal::functional::Trunc>::fix_call_cast);

/// Whether an element is NaN; gives `bool`.
template <class X>
  requires OperandsOf<internal::functional::IsNan, X>
[[nodiscard]] lazy_until_eval_t<internal::functional::IsNan, X> isnan(X&& x) {
  return internal::make_map(internal::functional::IsNan{}, std::forward<X>(x));
}
Tensor<float, Cpu> isnan(operation_undefined_for_elements<internal::functional::IsNan>::fix_call_cast);

/// Whether an element is infinite; gives `bool`.
template <class X>
  requires OperandsOf<internal::functional::IsInf, X>
[[nodiscard]] lazy_until_eval_t<internal::functional::IsInf, X> isinf(X&& x) {
  return internal::make_map(internal::functional::IsInf{}, std::forward<X>(x));
}
Tensor<float, Cpu> isinf(operation_undefined_for_elements<internal::functional::IsInf>::fix_call_cast);

/// Whether an element is neither infinite nor NaN; gives `bool`.
template <class X>
  requires OperandsOf<internal::functional::IsFinite, X>
[[nodiscard]] lazy_until_eval_t<internal::functional::IsFinite, X> isfinite(X&& x) {
  return internal::make_map(internal::functional::IsFinite{}, std::forward<X>(x));
}
Tensor<float, Cpu> isfinite(operation_undefined_for_elements<internal::functional::IsFinite>::fix_call_cast);

}  // namespace situ
