// SPDX-License-Identifier: Apache-2.0
// Complex numbers and their parts. Gradients of complex operands are dL/dx + i dL/dy of z = x + i y, as in PyTorch.
#pragma once

#include <complex>
#include <cstddef>

#include <situ/core/complex_lane.hpp>
#include <situ/core/config.hpp>
#include <situ/core/dtype.hpp>
#include <situ/core/lane.hpp>
#include <situ/formula/functional/derivative.hpp>
#include <situ/formula/functional/functor.hpp>
#include <situ/formula/math/inverse_trigonometric.hpp>
#include <situ/formula/math/trigonometric.hpp>

namespace situ::internal::functional {

/// Takes complex elements.
template <class F>
struct OfComplex : OfAny<F> {
  template <Element T>
  static constexpr bool accepts = ComplexElement<T>;
};

/// The complex element whose parts are of type `T`.
template <class T>
struct ComplexOf;
template <>
struct ComplexOf<float> {
  using type = std::complex<float>;
};
template <>
struct ComplexOf<double> {
  using type = std::complex<double>;
};

/// Takes the two parts of a complex number.
template <class F>
struct OfParts : OfAny<F> {
  template <Element T>
  static constexpr bool accepts = OneOf<T, float, double>;
  template <Element T>
  using result = typename ComplexOf<T>::type;
};

struct Real : OfComplex<Real> {
  static constexpr const char* name = "real";
  template <Element T>
  using result = real_t<T>;

  template <class V>
  [[SITU_INLINE]] constexpr V operator()(ComplexLane<V> z) const {
    return z.re;
  }
  static constexpr unsigned derivative_reads = reads::nothing;
  template <class V>
  [[SITU_INLINE]] constexpr ComplexLane<V> derivative(V g) const {
    return {g, V(lane_element_t<V>(0))};
  }
};

struct Imag : OfComplex<Imag> {
  static constexpr const char* name = "imag";
  template <Element T>
  using result = real_t<T>;

  template <class V>
  [[SITU_INLINE]] constexpr V operator()(ComplexLane<V> z) const {
    return z.im;
  }
  static constexpr unsigned derivative_reads = reads::nothing;
  template <class V>
  [[SITU_INLINE]] constexpr ComplexLane<V> derivative(V g) const {
    return {V(lane_element_t<V>(0)), g};
  }
};

/// `atan2(imag, real)`.
struct Angle : OfComplex<Angle> {
  static constexpr const char* name = "angle";
  template <Element T>
  using result = real_t<T>;

  template <class V>
  constexpr V operator()(ComplexLane<V> z) const {
    return math::atan2(z.im, z.re);
  }
  static constexpr unsigned derivative_reads = reads::operand<0>;
  template <class V>
  [[SITU_INLINE]] constexpr ComplexLane<V> derivative(V g, ComplexLane<V> z) const {
    const V zero(lane_element_t<V>(0));
    const V size = abs(z);
    const V scale = select(size == zero, zero, g / size);
    const V divisor = select(size == zero, V(lane_element_t<V>(1)), size);
    return {-(z.im / divisor) * scale, z.re / divisor * scale};  // 0 at 0
  }
};

/// `magnitude * (cos(angle) + i sin(angle))`.
struct Polar : OfParts<Polar> {
  static constexpr const char* name = "polar";

  template <class V>
  constexpr ComplexLane<V> operator()(V magnitude, V angle) const {
    return {magnitude * math::cos(angle), magnitude * math::sin(angle)};
  }
  template <std::size_t At>
  static constexpr unsigned derivative_reads = reads::operand<0> | reads::operand<1>;
  template <std::size_t At, class V>
  constexpr V derivative(ComplexLane<V> g, V magnitude, V angle) const {
    const V c = math::cos(angle);
    const V s = math::sin(angle);
    if constexpr (At == 0) return g.re * c + g.im * s;
    else return magnitude * (g.im * c - g.re * s);
  }
};

/// `real + i imaginary`.
struct MakeComplex : OfParts<MakeComplex> {
  static constexpr const char* name = "make_complex";

  template <class V>
  [[SITU_INLINE]] constexpr ComplexLane<V> operator()(V re, V im) const {
    return {re, im};
  }
  template <std::size_t At>
  static constexpr unsigned derivative_reads = reads::nothing;
  template <std::size_t At, class V>
  [[SITU_INLINE]] constexpr V derivative(ComplexLane<V> g) const {
    if constexpr (At == 0) return g.re;
    else return g.im;
  }
};

}  // namespace situ::internal::functional
