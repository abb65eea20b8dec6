// SPDX-License-Identifier: Apache-2.0
// Functions of complex numbers, separate from the real ones of the same names, so that a program without complex
// numbers does not compile them. Derivatives are conjugated, see complex.hpp.
#pragma once

#include <cstddef>

#include <situ/core/complex_lane.hpp>
#include <situ/core/config.hpp>
#include <situ/core/lane.hpp>
#include <situ/formula/functional/complex.hpp>
#include <situ/formula/functional/derivative.hpp>
#include <situ/formula/math/complex.hpp>

namespace situ::internal::functional {

struct ComplexExp : OfComplex<ComplexExp> {
  static constexpr const char* name = "exp";

  template <class V>
  constexpr ComplexLane<V> operator()(ComplexLane<V> z) const {
    return math::exp(z);
  }
  static constexpr unsigned derivative_reads = reads::result;
  template <class V>
  [[SITU_INLINE]] constexpr ComplexLane<V> derivative(ComplexLane<V> g, ComplexLane<V> y) const {
    return g * conjugate(y);
  }
};

struct ComplexLog : OfComplex<ComplexLog> {
  static constexpr const char* name = "log";

  template <class V>
  constexpr ComplexLane<V> operator()(ComplexLane<V> z) const {
    return math::log(z);
  }
  static constexpr unsigned derivative_reads = reads::operand<0>;
  template <class V>
  [[SITU_INLINE]] constexpr ComplexLane<V> derivative(ComplexLane<V> g, ComplexLane<V> z) const {
    return g / conjugate(z);
  }
};

struct ComplexSqrt : OfComplex<ComplexSqrt> {
  static constexpr const char* name = "sqrt";

  template <class V>
  constexpr ComplexLane<V> operator()(ComplexLane<V> z) const {
    return math::sqrt(z);
  }
  static constexpr unsigned derivative_reads = reads::result;
  template <class V>
  [[SITU_INLINE]] constexpr ComplexLane<V> derivative(ComplexLane<V> g, ComplexLane<V> y) const {
    return g / conjugate(y + y);
  }
};

struct ComplexSin : OfComplex<ComplexSin> {
  static constexpr const char* name = "sin";

  template <class V>
  constexpr ComplexLane<V> operator()(ComplexLane<V> z) const {
    return math::sin(z);
  }
  static constexpr unsigned derivative_reads = reads::operand<0>;
  template <class V>
  constexpr ComplexLane<V> derivative(ComplexLane<V> g, ComplexLane<V> z) const {
    return g * conjugate(math::cos(z));
  }
};

struct ComplexCos : OfComplex<ComplexCos> {
  static constexpr const char* name = "cos";

  template <class V>
  constexpr ComplexLane<V> operator()(ComplexLane<V> z) const {
    return math::cos(z);
  }
  static constexpr unsigned derivative_reads = reads::operand<0>;
  template <class V>
  constexpr ComplexLane<V> derivative(ComplexLane<V> g, ComplexLane<V> z) const {
    return g * conjugate(-math::sin(z));
  }
};

struct ComplexTanh : OfComplex<ComplexTanh> {
  static constexpr const char* name = "tanh";

  template <class V>
  constexpr ComplexLane<V> operator()(ComplexLane<V> z) const {
    return math::tanh(z);
  }
  static constexpr unsigned derivative_reads = reads::result;
  template <class V>
  [[SITU_INLINE]] constexpr ComplexLane<V> derivative(ComplexLane<V> g, ComplexLane<V> y) const {
    const ComplexLane<V> one{detail::number<V>(1), detail::number<V>(0)};
    return g * conjugate(one - y * y);
  }
};

/// See math::pow.
struct ComplexPow : OfComplex<ComplexPow> {
  static constexpr const char* name = "pow";

  template <class V>
  constexpr ComplexLane<V> operator()(ComplexLane<V> a, ComplexLane<V> b) const {
    return math::pow(a, b);
  }
  template <std::size_t At>
  static constexpr unsigned derivative_reads =
      At == 0 ? reads::operand<0> | reads::operand<1> : reads::result | reads::operand<0>;
  template <std::size_t At, class V>
    requires(At == 0)
  constexpr ComplexLane<V> derivative(ComplexLane<V> g, ComplexLane<V> a, ComplexLane<V> b) const {
    const V zero = detail::number<V>(0);
    const ComplexLane<V> nothing{zero, zero}, one{detail::number<V>(1), zero};
    return select(b == nothing, nothing, g * conjugate(b * math::pow(a, b - one)));
  }
  template <std::size_t At, class V>
    requires(At == 1)
  constexpr ComplexLane<V> derivative(ComplexLane<V> g, ComplexLane<V> y, ComplexLane<V> a) const {
    const V zero = detail::number<V>(0);
    const ComplexLane<V> nothing{zero, zero};
    // If a is 0, its logarithm is infinite and y is 0, 1 or NaN.
    return select(y == nothing, nothing, select(a == nothing, y - y, g * conjugate(y * math::log(a))));
  }
};

}  // namespace situ::internal::functional
