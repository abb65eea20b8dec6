// SPDX-License-Identifier: Apache-2.0
// `+ - * /` and their in-place forms of complex elements beside real ones of the same precision, as NumPy has them: the
// real elements are cast in the same pass, with an imaginary part of 0. (So infinities may give NaN where C++, whose
// `complex<double> * double` multiplies each part, gives none.) Two precisions need a cast.
#pragma once

#include <complex>
#include <concepts>
#include <type_traits>
#include <utility>

#include <situ/complex/parts.hpp>
#include <situ/core/dtype.hpp>
#include <situ/expression/operators.hpp>
#include <situ/ops/select.hpp>

namespace situ {

namespace internal {

/// Elements of `float` or `double`.
template <class X>
concept RealParts = TensorLike<X> && (std::same_as<value_type_t<X>, float> || std::same_as<value_type_t<X>, double>);

/// Complex elements, or one complex number, beside `Real`: of its precision and on its device.
template <class X, class Real>
inline constexpr bool complex_beside = std::same_as<std::remove_cvref_t<X>, complex_t<value_type_t<Real>>>;
template <TensorLike X, class Real>
inline constexpr bool complex_beside<X, Real> =
    std::same_as<value_type_t<X>, complex_t<value_type_t<Real>>> && std::same_as<device_t<X>, device_t<Real>>;

template <class X, class Real>
concept ComplexBeside = RealParts<Real> && complex_beside<X, Real>;
template <class A, class B>
concept ComplexAndReal = ComplexBeside<A, B> || ComplexBeside<B, A>;

/// Real elements as complex ones; others as they are.
template <class X>
[[nodiscard]] decltype(auto) as_complex(X&& x) {
  if constexpr (RealParts<X>) return cast<complex_t<value_type_t<X>>>(std::forward<X>(x));
  else return std::forward<X>(x);
}

}  // namespace internal

/// Complex and real elements of one precision, on one device.
///
///     Tensor y = fft(x) / filter;                    // filter: real
///     Tensor z = std::complex<float>(0, 1) * x;      // x: of float
template <class A, class B>
  requires internal::ComplexAndReal<A, B>
[[nodiscard]] auto operator+(A&& a, B&& b) {
  return internal::as_complex(std::forward<A>(a)) + internal::as_complex(std::forward<B>(b));
}
template <class A, class B>
  requires internal::ComplexAndReal<A, B>
[[nodiscard]] auto operator-(A&& a, B&& b) {
  return internal::as_complex(std::forward<A>(a)) - internal::as_complex(std::forward<B>(b));
}
template <class A, class B>
  requires internal::ComplexAndReal<A, B>
[[nodiscard]] auto operator*(A&& a, B&& b) {
  return internal::as_complex(std::forward<A>(a)) * internal::as_complex(std::forward<B>(b));
}
template <class A, class B>
  requires internal::ComplexAndReal<A, B>
[[nodiscard]] auto operator/(A&& a, B&& b) {
  return internal::as_complex(std::forward<A>(a)) / internal::as_complex(std::forward<B>(b));
}

/// A complex tensor changed by real elements.
template <internal::Updatable Target, class Real>
  requires internal::ComplexBeside<Target, Real>
std::remove_reference_t<Target>& operator+=(Target&& target, Real&& real) {
  return target += internal::as_complex(std::forward<Real>(real));
}
template <internal::Updatable Target, class Real>
  requires internal::ComplexBeside<Target, Real>
std::remove_reference_t<Target>& operator-=(Target&& target, Real&& real) {
  return target -= internal::as_complex(std::forward<Real>(real));
}
template <internal::Updatable Target, class Real>
  requires internal::ComplexBeside<Target, Real>
std::remove_reference_t<Target>& operator*=(Target&& target, Real&& real) {
  return target *= internal::as_complex(std::forward<Real>(real));
}
template <internal::Updatable Target, class Real>
  requires internal::ComplexBeside<Target, Real>
std::remove_reference_t<Target>& operator/=(Target&& target, Real&& real) {
  return target /= internal::as_complex(std::forward<Real>(real));
}

}  // namespace situ
