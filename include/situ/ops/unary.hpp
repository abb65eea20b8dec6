// SPDX-License-Identifier: Apache-2.0
// Element-wise functions of one operand. Each makes a lazy node over a tensor or expression of any device; the result
// has the operand's shape and, unless said otherwise, its element type. Functions of floating elements do not compile
// for integers (`cast<float>(x)` first).
#pragma once

#include <utility>

#include <situ/core/functional/arithmetic.hpp>
#include <situ/core/functional/error_function.hpp>
#include <situ/core/functional/exponential.hpp>
#include <situ/core/functional/hyperbolic.hpp>
#include <situ/core/functional/predicate.hpp>
#include <situ/core/functional/rounding.hpp>
#include <situ/core/functional/trigonometric.hpp>
#include <situ/device/diagnostics.hpp>
#include <situ/expression/concept.hpp>

namespace situ {

/// The absolute value. The smallest signed integer stays as it is (overflow wraps).
template <class X>
  requires OperandsOf<functional::Absolute, X>
[[nodiscard]] lazy_until_eval_t<functional::Absolute, X> abs(X&& x) {
  return detail::make_map(functional::Absolute{}, std::forward<X>(x));
}
Tensor<float, Cpu> abs(operation_undefined_for_elements<functional::Absolute>::fix_call_cast);

/// -1, 0 or 1; NaN stays NaN.
template <class X>
  requires OperandsOf<functional::Sign, X>
[[nodiscard]] lazy_until_eval_t<functional::Sign, X> sign(X&& x) {
  return detail::make_map(functional::Sign{}, std::forward<X>(x));
}
Tensor<float, Cpu> sign(operation_undefined_for_elements<functional::Sign>::fix_call_cast);

/// `x * x`.
template <class X>
  requires OperandsOf<functional::Square, X>
[[nodiscard]] lazy_until_eval_t<functional::Square, X> square(X&& x) {
  return detail::make_map(functional::Square{}, std::forward<X>(x));
}
Tensor<float, Cpu> square(operation_undefined_for_elements<functional::Square>::fix_call_cast);

/// The square root; NaN below 0.
template <class X>
  requires OperandsOf<functional::Sqrt, X>
[[nodiscard]] lazy_until_eval_t<functional::Sqrt, X> sqrt(X&& x) {
  return detail::make_map(functional::Sqrt{}, std::forward<X>(x));
}
Tensor<float, Cpu> sqrt(operation_undefined_for_elements<functional::Sqrt>::fix_call_cast);

/// `1 / sqrt(x)`.
template <class X>
  requires OperandsOf<functional::Rsqrt, X>
[[nodiscard]] lazy_until_eval_t<functional::Rsqrt, X> rsqrt(X&& x) {
  return detail::make_map(functional::Rsqrt{}, std::forward<X>(x));
}
Tensor<float, Cpu> rsqrt(operation_undefined_for_elements<functional::Rsqrt>::fix_call_cast);

/// e to the power x.
template <class X>
  requires OperandsOf<functional::Exp, X>
[[nodiscard]] lazy_until_eval_t<functional::Exp, X> exp(X&& x) {
  return detail::make_map(functional::Exp{}, std::forward<X>(x));
}
Tensor<float, Cpu> exp(operation_undefined_for_elements<functional::Exp>::fix_call_cast);

/// `exp(x) - 1`, accurate near 0.
template <class X>
  requires OperandsOf<functional::Expm1, X>
[[nodiscard]] lazy_until_eval_t<functional::Expm1, X> expm1(X&& x) {
  return detail::make_map(functional::Expm1{}, std::forward<X>(x));
}
Tensor<float, Cpu> expm1(operation_undefined_for_elements<functional::Expm1>::fix_call_cast);

/// 2 to the power x.
template <class X>
  requires OperandsOf<functional::Exp2, X>
[[nodiscard]] lazy_until_eval_t<functional::Exp2, X> exp2(X&& x) {
  return detail::make_map(functional::Exp2{}, std::forward<X>(x));
}
Tensor<float, Cpu> exp2(operation_undefined_for_elements<functional::Exp2>::fix_call_cast);

/// The natural logarithm; -inf at 0, NaN below.
template <class X>
  requires OperandsOf<functional::Log, X>
[[nodiscard]] lazy_until_eval_t<functional::Log, X> log(X&& x) {
  return detail::make_map(functional::Log{}, std::forward<X>(x));
}
Tensor<float, Cpu> log(operation_undefined_for_elements<functional::Log>::fix_call_cast);

/// `log(1 + x)`, accurate near 0.
template <class X>
  requires OperandsOf<functional::Log1p, X>
[[nodiscard]] lazy_until_eval_t<functional::Log1p, X> log1p(X&& x) {
  return detail::make_map(functional::Log1p{}, std::forward<X>(x));
}
Tensor<float, Cpu> log1p(operation_undefined_for_elements<functional::Log1p>::fix_call_cast);

/// The logarithm to base 2.
template <class X>
  requires OperandsOf<functional::Log2, X>
[[nodiscard]] lazy_until_eval_t<functional::Log2, X> log2(X&& x) {
  return detail::make_map(functional::Log2{}, std::forward<X>(x));
}
Tensor<float, Cpu> log2(operation_undefined_for_elements<functional::Log2>::fix_call_cast);

/// The logarithm to base 10.
template <class X>
  requires OperandsOf<functional::Log10, X>
[[nodiscard]] lazy_until_eval_t<functional::Log10, X> log10(X&& x) {
  return detail::make_map(functional::Log10{}, std::forward<X>(x));
}
Tensor<float, Cpu> log10(operation_undefined_for_elements<functional::Log10>::fix_call_cast);

/// The sine of an angle in radians.
template <class X>
  requires OperandsOf<functional::Sin, X>
[[nodiscard]] lazy_until_eval_t<functional::Sin, X> sin(X&& x) {
  return detail::make_map(functional::Sin{}, std::forward<X>(x));
}
Tensor<float, Cpu> sin(operation_undefined_for_elements<functional::Sin>::fix_call_cast);

/// The cosine of an angle in radians.
template <class X>
  requires OperandsOf<functional::Cos, X>
[[nodiscard]] lazy_until_eval_t<functional::Cos, X> cos(X&& x) {
  return detail::make_map(functional::Cos{}, std::forward<X>(x));
}
Tensor<float, Cpu> cos(operation_undefined_for_elements<functional::Cos>::fix_call_cast);

/// The tangent of an angle in radians.
template <class X>
  requires OperandsOf<functional::Tan, X>
[[nodiscard]] lazy_until_eval_t<functional::Tan, X> tan(X&& x) {
  return detail::make_map(functional::Tan{}, std::forward<X>(x));
}
Tensor<float, Cpu> tan(operation_undefined_for_elements<functional::Tan>::fix_call_cast);

/// The inverse sine, in [-pi/2, pi/2]; NaN outside [-1, 1].
template <class X>
  requires OperandsOf<functional::Asin, X>
[[nodiscard]] lazy_until_eval_t<functional::Asin, X> asin(X&& x) {
  return detail::make_map(functional::Asin{}, std::forward<X>(x));
}
Tensor<float, Cpu> asin(operation_undefined_for_elements<functional::Asin>::fix_call_cast);

/// The inverse cosine, in [0, pi]; NaN outside [-1, 1].
template <class X>
  requires OperandsOf<functional::Acos, X>
[[nodiscard]] lazy_until_eval_t<functional::Acos, X> acos(X&& x) {
  return detail::make_map(functional::Acos{}, std::forward<X>(x));
}
Tensor<float, Cpu> acos(operation_undefined_for_elements<functional::Acos>::fix_call_cast);

/// The inverse tangent, in [-pi/2, pi/2].
template <class X>
  requires OperandsOf<functional::Atan, X>
[[nodiscard]] lazy_until_eval_t<functional::Atan, X> atan(X&& x) {
  return detail::make_map(functional::Atan{}, std::forward<X>(x));
}
Tensor<float, Cpu> atan(operation_undefined_for_elements<functional::Atan>::fix_call_cast);

/// The hyperbolic sine.
template <class X>
  requires OperandsOf<functional::Sinh, X>
[[nodiscard]] lazy_until_eval_t<functional::Sinh, X> sinh(X&& x) {
  return detail::make_map(functional::Sinh{}, std::forward<X>(x));
}
Tensor<float, Cpu> sinh(operation_undefined_for_elements<functional::Sinh>::fix_call_cast);

/// The hyperbolic cosine.
template <class X>
  requires OperandsOf<functional::Cosh, X>
[[nodiscard]] lazy_until_eval_t<functional::Cosh, X> cosh(X&& x) {
  return detail::make_map(functional::Cosh{}, std::forward<X>(x));
}
Tensor<float, Cpu> cosh(operation_undefined_for_elements<functional::Cosh>::fix_call_cast);

/// The hyperbolic tangent.
template <class X>
  requires OperandsOf<functional::Tanh, X>
[[nodiscard]] lazy_until_eval_t<functional::Tanh, X> tanh(X&& x) {
  return detail::make_map(functional::Tanh{}, std::forward<X>(x));
}
Tensor<float, Cpu> tanh(operation_undefined_for_elements<functional::Tanh>::fix_call_cast);

/// The inverse hyperbolic sine.
template <class X>
  requires OperandsOf<functional::Asinh, X>
[[nodiscard]] lazy_until_eval_t<functional::Asinh, X> asinh(X&& x) {
  return detail::make_map(functional::Asinh{}, std::forward<X>(x));
}
Tensor<float, Cpu> asinh(operation_undefined_for_elements<functional::Asinh>::fix_call_cast);

/// The inverse hyperbolic cosine; NaN below 1.
template <class X>
  requires OperandsOf<functional::Acosh, X>
[[nodiscard]] lazy_until_eval_t<functional::Acosh, X> acosh(X&& x) {
  return detail::make_map(functional::Acosh{}, std::forward<X>(x));
}
Tensor<float, Cpu> acosh(operation_undefined_for_elements<functional::Acosh>::fix_call_cast);

/// The inverse hyperbolic tangent; NaN outside [-1, 1].
template <class X>
  requires OperandsOf<functional::Atanh, X>
[[nodiscard]] lazy_until_eval_t<functional::Atanh, X> atanh(X&& x) {
  return detail::make_map(functional::Atanh{}, std::forward<X>(x));
}
Tensor<float, Cpu> atanh(operation_undefined_for_elements<functional::Atanh>::fix_call_cast);

/// The error function, `2 / sqrt(pi) * integral of exp(-t^2) from 0 to x`.
template <class X>
  requires OperandsOf<functional::Erf, X>
[[nodiscard]] lazy_until_eval_t<functional::Erf, X> erf(X&& x) {
  return detail::make_map(functional::Erf{}, std::forward<X>(x));
}
Tensor<float, Cpu> erf(operation_undefined_for_elements<functional::Erf>::fix_call_cast);

/// The largest whole number not above x.
template <class X>
  requires OperandsOf<functional::Floor, X>
[[nodiscard]] lazy_until_eval_t<functional::Floor, X> floor(X&& x) {
  return detail::make_map(functional::Floor{}, std::forward<X>(x));
}
Tensor<float, Cpu> floor(operation_undefined_for_elements<functional::Floor>::fix_call_cast);

/// The smallest whole number not below x.
template <class X>
  requires OperandsOf<functional::Ceil, X>
[[nodiscard]] lazy_until_eval_t<functional::Ceil, X> ceil(X&& x) {
  return detail::make_map(functional::Ceil{}, std::forward<X>(x));
}
Tensor<float, Cpu> ceil(operation_undefined_for_elements<functional::Ceil>::fix_call_cast);

/// The nearest whole number, ties to even, as NumPy.
template <class X>
  requires OperandsOf<functional::Round, X>
[[nodiscard]] lazy_until_eval_t<functional::Round, X> round(X&& x) {
  return detail::make_map(functional::Round{}, std::forward<X>(x));
}
Tensor<float, Cpu> round(operation_undefined_for_elements<functional::Round>::fix_call_cast);

/// The whole part, towards 0.
template <class X>
  requires OperandsOf<functional::Trunc, X>
[[nodiscard]] lazy_until_eval_t<functional::Trunc, X> trunc(X&& x) {
  return detail::make_map(functional::Trunc{}, std::forward<X>(x));
}
Tensor<float, Cpu> trunc(operation_undefined_for_elements<functional::Trunc>::fix_call_cast);

/// Whether an element is NaN; gives `bool`.
template <class X>
  requires OperandsOf<functional::IsNan, X>
[[nodiscard]] lazy_until_eval_t<functional::IsNan, X> isnan(X&& x) {
  return detail::make_map(functional::IsNan{}, std::forward<X>(x));
}
Tensor<float, Cpu> isnan(operation_undefined_for_elements<functional::IsNan>::fix_call_cast);

/// Whether an element is infinite; gives `bool`.
template <class X>
  requires OperandsOf<functional::IsInf, X>
[[nodiscard]] lazy_until_eval_t<functional::IsInf, X> isinf(X&& x) {
  return detail::make_map(functional::IsInf{}, std::forward<X>(x));
}
Tensor<float, Cpu> isinf(operation_undefined_for_elements<functional::IsInf>::fix_call_cast);

/// Whether an element is neither infinite nor NaN; gives `bool`.
template <class X>
  requires OperandsOf<functional::IsFinite, X>
[[nodiscard]] lazy_until_eval_t<functional::IsFinite, X> isfinite(X&& x) {
  return detail::make_map(functional::IsFinite{}, std::forward<X>(x));
}
Tensor<float, Cpu> isfinite(operation_undefined_for_elements<functional::IsFinite>::fix_call_cast);

}  // namespace situ
