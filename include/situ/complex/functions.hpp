// SPDX-License-Identifier: Apache-2.0
// `exp log sqrt sin cos tanh pow` of complex elements. Lazy, with gradients; principal values, with the branch cuts of
// C99 and NumPy. Every device uses the same formulas, see formula/math/complex.hpp.
#pragma once

#include <utility>

#include <situ/complex/parts.hpp>
#include <situ/expression/concept.hpp>
#include <situ/formula/functional/complex_functions.hpp>

namespace situ {

/// e to the power z.
///
///     Tensor y = exp(make_complex(-t / 2, omega * t));   // a fading oscillation
template <class X>
  requires OperandsOf<internal::functional::ComplexExp, X>
[[nodiscard]] lazy_until_eval_t<internal::functional::ComplexExp, X> exp(X&& x) {
  return internal::make_map(internal::functional::ComplexExp{}, std::forward<X>(x));
}

/// The logarithm, with an imaginary part in [-pi, pi]: the branch cut is the negative real axis, where the sign of a
/// zero imaginary part selects the side. -inf at 0.
template <class X>
  requires OperandsOf<internal::functional::ComplexLog, X>
[[nodiscard]] lazy_until_eval_t<internal::functional::ComplexLog, X> log(X&& x) {
  return internal::make_map(internal::functional::ComplexLog{}, std::forward<X>(x));
}

/// The square root with a real part of at least 0; the branch cut is that of `log`.
template <class X>
  requires OperandsOf<internal::functional::ComplexSqrt, X>
[[nodiscard]] lazy_until_eval_t<internal::functional::ComplexSqrt, X> sqrt(X&& x) {
  return internal::make_map(internal::functional::ComplexSqrt{}, std::forward<X>(x));
}

/// The sine.
template <class X>
  requires OperandsOf<internal::functional::ComplexSin, X>
[[nodiscard]] lazy_until_eval_t<internal::functional::ComplexSin, X> sin(X&& x) {
  return internal::make_map(internal::functional::ComplexSin{}, std::forward<X>(x));
}

/// The cosine.
template <class X>
  requires OperandsOf<internal::functional::ComplexCos, X>
[[nodiscard]] lazy_until_eval_t<internal::functional::ComplexCos, X> cos(X&& x) {
  return internal::make_map(internal::functional::ComplexCos{}, std::forward<X>(x));
}

/// The hyperbolic tangent.
template <class X>
  requires OperandsOf<internal::functional::ComplexTanh, X>
[[nodiscard]] lazy_until_eval_t<internal::functional::ComplexTanh, X> tanh(X&& x) {
  return internal::make_map(internal::functional::ComplexTanh{}, std::forward<X>(x));
}

/// a to the power b, `exp(b log(a))`; repeated products for integer b up to 64. Either may be a number. `pow(0, 0)` is
/// 1.
///
///     Tensor roots = pow(z, 1.0 / 3);
template <class A, class B>
  requires OperandsOf<internal::functional::ComplexPow, A, B>
[[nodiscard]] lazy_until_eval_t<internal::functional::ComplexPow, A, B> pow(A&& a, B&& b) {
  return internal::make_map(internal::functional::ComplexPow{}, std::forward<A>(a), std::forward<B>(b));
}

}  // namespace situ
