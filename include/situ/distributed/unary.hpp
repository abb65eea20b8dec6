// SPDX-License-Identifier: Apache-2.0
// The element-wise functions of one spread operand; see ops/unary.hpp for what each computes. Lazy, in the layout of
// the operand. None takes a `Partial`: no function here is linear.
#pragma once

#include <situ/distributed/diagnostics.hpp>
#include <situ/distributed/map_elements.hpp>
#include <situ/formula/functional/arithmetic.hpp>
#include <situ/formula/functional/error_function.hpp>
#include <situ/formula/functional/exponential.hpp>
#include <situ/formula/functional/hyperbolic.hpp>
#include <situ/formula/functional/predicate.hpp>
#include <situ/formula/functional/rounding.hpp>
#include <situ/formula/functional/trigonometric.hpp>
#include <situ/ops/unary.hpp>  // the guards of elements

namespace situ {

template <internal::SpreadOperandOf<internal::functional::Absolute> X>
[[nodiscard]] auto abs(const X& x) {
  return internal::map_elements(internal::functional::Absolute{}, x);
}
never_made abs(a_partial_sum_is_not_a_value::fix_call_all_reduce);

template <internal::SpreadOperandOf<internal::functional::Sign> X>
[[nodiscard]] auto sign(const X& x) {
  return internal::map_elements(internal::functional::Sign{}, x);
}
never_made sign(a_partial_sum_is_not_a_value::fix_call_all_reduce);

template <internal::SpreadOperandOf<internal::functional::Square> X>
[[nodiscard]] auto square(const X& x) {
  return internal::map_elements(internal::functional::Square{}, x);
}
never_made square(a_partial_sum_is_not_a_value::fix_call_all_reduce);

template <internal::SpreadOperandOf<internal::functional::Sqrt> X>
[[nodiscard]] auto sqrt(const X& x) {
  return internal::map_elements(internal::functional::Sqrt{}, x);
}
never_made sqrt(a_partial_sum_is_not_a_value::fix_call_all_reduce);

template <internal::SpreadOperandOf<internal::functional::Rsqrt> X>
[[nodiscard]] auto rsqrt(const X& x) {
  return internal::map_elements(internal::functional::Rsqrt{}, x);
}
never_made rsqrt(a_partial_sum_is_not_a_value::fix_call_all_reduce);

template <internal::SpreadOperandOf<internal::functional::Exp> X>
[[nodiscard]] auto exp(const X& x) {
  return internal::map_elements(internal::functional::Exp{}, x);
}
never_made exp(a_partial_sum_is_not_a_value::fix_call_all_reduce);

template <internal::SpreadOperandOf<internal::functional::Expm1> X>
[[nodiscard]] auto expm1(const X& x) {
  return internal::map_elements(internal::functional::Expm1{}, x);
}
never_made expm1(a_partial_sum_is_not_a_value::fix_call_all_reduce);

template <internal::SpreadOperandOf<internal::functional::Exp2> X>
[[nodiscard]] auto exp2(const X& x) {
  return internal::map_elements(internal::functional::Exp2{}, x);
}
never_made exp2(a_partial_sum_is_not_a_value::fix_call_all_reduce);

template <internal::SpreadOperandOf<internal::functional::Log> X>
[[nodiscard]] auto log(const X& x) {
  return internal::map_elements(internal::functional::Log{}, x);
}
never_made log(a_partial_sum_is_not_a_value::fix_call_all_reduce);

template <internal::SpreadOperandOf<internal::functional::Log1p> X>
[[nodiscard]] auto log1p(const X& x) {
  return internal::map_elements(internal::functional::Log1p{}, x);
}
never_made log1p(a_partial_sum_is_not_a_value::fix_call_all_reduce);

template <internal::SpreadOperandOf<internal::functional::Log2> X>
[[nodiscard]] auto log2(const X& x) {
  return internal::map_elements(internal::functional::Log2{}, x);
}
never_made log2(a_partial_sum_is_not_a_value::fix_call_all_reduce);

template <internal::SpreadOperandOf<internal::functional::Log10> X>
[[nodiscard]] auto log10(const X& x) {
  return internal::map_elements(internal::functional::Log10{}, x);
}
never_made log10(a_partial_sum_is_not_a_value::fix_call_all_reduce);

template <internal::SpreadOperandOf<internal::functional::Sin> X>
[[nodiscard]] auto sin(const X& x) {
  return internal::map_elements(internal::functional::Sin{}, x);
}
never_made sin(a_partial_sum_is_not_a_value::fix_call_all_reduce);

template <internal::SpreadOperandOf<internal::functional::Cos> X>
[[nodiscard]] auto cos(const X& x) {
  return internal::map_elements(internal::functional::Cos{}, x);
}
never_made cos(a_partial_sum_is_not_a_value::fix_call_all_reduce);

template <internal::SpreadOperandOf<internal::functional::Tan> X>
[[nodiscard]] auto tan(const X& x) {
  return internal::map_elements(internal::functional::Tan{}, x);
}
never_made tan(a_partial_sum_is_not_a_value::fix_call_all_reduce);

template <internal::SpreadOperandOf<internal::functional::Asin> X>
[[nodiscard]] auto asin(const X& x) {
  return internal::map_elements(internal::functional::Asin{}, x);
}
never_made asin(a_partial_sum_is_not_a_value::fix_call_all_reduce);

template <internal::SpreadOperandOf<internal::functional::Acos> X>
[[nodiscard]] auto acos(const X& x) {
  return internal::map_elements(internal::functional::Acos{}, x);
}
never_made acos(a_partial_sum_is_not_a_value::fix_call_all_reduce);

template <internal::SpreadOperandOf<internal::functional::Atan> X>
[[nodiscard]] auto atan(const X& x) {
  return internal::map_elements(internal::functional::Atan{}, x);
}
never_made atan(a_partial_sum_is_not_a_value::fix_call_all_reduce);

template <internal::SpreadOperandOf<internal::functional::Sinh> X>
[[nodiscard]] auto sinh(const X& x) {
  return internal::map_elements(internal::functional::Sinh{}, x);
}
never_made sinh(a_partial_sum_is_not_a_value::fix_call_all_reduce);

template <internal::SpreadOperandOf<internal::functional::Cosh> X>
[[nodiscard]] auto cosh(const X& x) {
  return internal::map_elements(internal::functional::Cosh{}, x);
}
never_made cosh(a_partial_sum_is_not_a_value::fix_call_all_reduce);

template <internal::SpreadOperandOf<internal::functional::Tanh> X>
[[nodiscard]] auto tanh(const X& x) {
  return internal::map_elements(internal::functional::Tanh{}, x);
}
never_made tanh(a_partial_sum_is_not_a_value::fix_call_all_reduce);

template <internal::SpreadOperandOf<internal::functional::Asinh> X>
[[nodiscard]] auto asinh(const X& x) {
  return internal::map_elements(internal::functional::Asinh{}, x);
}
never_made asinh(a_partial_sum_is_not_a_value::fix_call_all_reduce);

template <internal::SpreadOperandOf<internal::functional::Acosh> X>
[[nodiscard]] auto acosh(const X& x) {
  return internal::map_elements(internal::functional::Acosh{}, x);
}
never_made acosh(a_partial_sum_is_not_a_value::fix_call_all_reduce);

template <internal::SpreadOperandOf<internal::functional::Atanh> X>
[[nodiscard]] auto atanh(const X& x) {
  return internal::map_elements(internal::functional::Atanh{}, x);
}
never_made atanh(a_partial_sum_is_not_a_value::fix_call_all_reduce);

template <internal::SpreadOperandOf<internal::functional::Erf> X>
[[nodiscard]] auto erf(const X& x) {
  return internal::map_elements(internal::functional::Erf{}, x);
}
never_made erf(a_partial_sum_is_not_a_value::fix_call_all_reduce);

template <internal::SpreadOperandOf<internal::functional::Floor> X>
[[nodiscard]] auto floor(const X& x) {
  return internal::map_elements(internal::functional::Floor{}, x);
}
never_made floor(a_partial_sum_is_not_a_value::fix_call_all_reduce);

template <internal::SpreadOperandOf<internal::functional::Ceil> X>
[[nodiscard]] auto ceil(const X& x) {
  return internal::map_elements(internal::functional::Ceil{}, x);
}
never_made ceil(a_partial_sum_is_not_a_value::fix_call_all_reduce);

template <internal::SpreadOperandOf<internal::functional::Round> X>
[[nodiscard]] auto round(const X& x) {
  return internal::map_elements(internal::functional::Round{}, x);
}
never_made round(a_partial_sum_is_not_a_value::fix_call_all_reduce);

template <internal::SpreadOperandOf<internal::functional::Trunc> X>
[[nodiscard]] auto trunc(const X& x) {
  return internal::map_elements(internal::functional::Trunc{}, x);
}
never_made trunc(a_partial_sum_is_not_a_value::fix_call_all_reduce);

template <internal::SpreadOperandOf<internal::functional::IsNan> X>
[[nodiscard]] auto isnan(const X& x) {
  return internal::map_elements(internal::functional::IsNan{}, x);
}
never_made isnan(a_partial_sum_is_not_a_value::fix_call_all_reduce);

template <internal::SpreadOperandOf<internal::functional::IsInf> X>
[[nodiscard]] auto isinf(const X& x) {
  return internal::map_elements(internal::functional::IsInf{}, x);
}
never_made isinf(a_partial_sum_is_not_a_value::fix_call_all_reduce);

template <internal::SpreadOperandOf<internal::functional::IsFinite> X>
[[nodiscard]] auto isfinite(const X& x) {
  return internal::map_elements(internal::functional::IsFinite{}, x);
}
never_made isfinite(a_partial_sum_is_not_a_value::fix_call_all_reduce);

}  // namespace situ
