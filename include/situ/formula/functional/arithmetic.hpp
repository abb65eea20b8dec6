// SPDX-License-Identifier: Apache-2.0
// Arithmetic on numbers; integers wrap on overflow.
#pragma once

#include <concepts>
#include <cstddef>

#include <situ/core/config.hpp>
#include <situ/core/lane.hpp>
#include <situ/formula/functional/derivative.hpp>
#include <situ/formula/functional/functor.hpp>
#include <situ/formula/math/fmod.hpp>

namespace situ::internal::functional {

/// `a + b`.
struct Add : OfNumbersAndComplex<Add> {
  static constexpr const char* name = "add";

  template <class V>
  [[SITU_INLINE]] constexpr V operator()(V a, V b) const {
    if constexpr (std::integral<lane_element_t<V>>) return add(a, b);
    else return a + b;
  }
  template <std::size_t At>
  static constexpr unsigned derivative_reads = reads::nothing;
  template <std::size_t At, class V>
  [[SITU_INLINE]] constexpr V derivative(V g) const {
    return g;
  }
};

/// `a - b`.
struct Subtract : OfNumbersAndComplex<Subtract> {
  static constexpr const char* name = "subtract";

  template <class V>
  [[SITU_INLINE]] constexpr V operator()(V a, V b) const {
    if constexpr (std::integral<lane_element_t<V>>) return subtract(a, b);
    else return a - b;
  }
  template <std::size_t At>
  static constexpr unsigned derivative_reads = reads::nothing;
  template <std::size_t At, class V>
    requires(At == 0)
  [[SITU_INLINE]] constexpr V derivative(V g) const {
    return g;
  }
  template <std::size_t At, class V>
    requires(At == 1)
  [[SITU_INLINE]] constexpr V derivative(V g) const {
    return -g;
  }
};

/// `a * b`.
struct Multiply : OfNumbersAndComplex<Multiply> {
  static constexpr const char* name = "multiply";

  template <class V>
  [[SITU_INLINE]] constexpr V operator()(V a, V b) const {
    if constexpr (std::integral<lane_element_t<V>>) return multiply(a, b);
    else return a * b;
  }
  template <std::size_t At>
  static constexpr unsigned derivative_reads = At == 0 ? reads::operand<1> : reads::operand<0>;
  template <std::size_t At, class V>
    requires(At == 0)
  [[SITU_INLINE]] constexpr V derivative(V g, V b) const {
    return g * conjugate(b);
  }
  template <std::size_t At, class V>
    requires(At == 1)
  [[SITU_INLINE]] constexpr V derivative(V g, V a) const {
    return g * conjugate(a);
  }
};

/// `a / b`.
struct Divide : OfFloating<Divide> {
  static constexpr const char* name = "divide";
  template <Element T>
  static constexpr bool accepts = DifferentiableElement<T>;

  template <class V>
  [[SITU_INLINE]] constexpr V operator()(V a, V b) const {
    return a / b;
  }
  template <std::size_t At>
  static constexpr unsigned derivative_reads = At == 0 ? reads::operand<1> : reads::result | reads::operand<1>;
  template <std::size_t At, class V>
    requires(At == 0)
  [[SITU_INLINE]] constexpr V derivative(V g, V b) const {
    return g / conjugate(b);
  }
  template <std::size_t At, class V>
    requires(At == 1)
  [[SITU_INLINE]] constexpr V derivative(V g, V y, V b) const {
    return -(g * conjugate(y)) / conjugate(b);
  }
};

/// The quotient rounded down; integers divided by 0 give 0.
struct FloorDivide : OfNumbers<FloorDivide>, ConstantBetweenSteps<FloorDivide> {
  static constexpr const char* name = "floor_divide";

  template <class V>
  [[SITU_INLINE]] constexpr V operator()(V a, V b) const {
    if constexpr (std::integral<lane_element_t<V>>) return floor_divide(a, b);
    else return math::floor_quotient(a, b);
  }
};

/// `a - b * floor(a / b)`: it has the sign of `b`.
struct Remainder : OfNumbers<Remainder> {
  static constexpr const char* name = "remainder";

  template <class V>
  [[SITU_INLINE]] constexpr V operator()(V a, V b) const {
    if constexpr (std::integral<lane_element_t<V>>) return remainder(a, b);
    else return math::modulus(a, b);
  }
  template <std::size_t At>
  static constexpr unsigned derivative_reads = At == 0 ? reads::nothing : reads::operand<0> | reads::operand<1>;
  template <std::size_t At, class V>
    requires(At == 0)
  [[SITU_INLINE]] constexpr V derivative(V g) const {
    return g;
  }
  template <std::size_t At, class V>
    requires(At == 1)
  [[SITU_INLINE]] constexpr V derivative(V g, V a, V b) const {
    return -(g * math::floor_quotient(a, b));
  }
};

/// `a - b * trunc(a / b)`, exact: it has the sign of `a`; 0 for integers and 0.
struct Fmod : OfNumbers<Fmod> {
  static constexpr const char* name = "fmod";

  template <class V>
  [[SITU_INLINE]] constexpr V operator()(V a, V b) const {
    using T = lane_element_t<V>;
    if constexpr (std::unsigned_integral<T>) {
      return remainder(a, b);
    } else if constexpr (std::integral<T>) {
      const V zero(T(0));
      const V rest = remainder(a, b);
      return select((rest != zero) && ((rest < zero) != (a < zero)), subtract(rest, b), rest);
    } else {
      return math::fmod(a, b);
    }
  }
  template <std::size_t At>
  static constexpr unsigned derivative_reads =
      At == 0 ? reads::nothing : reads::result | reads::operand<0> | reads::operand<1>;
  template <std::size_t At, class V>
    requires(At == 0)
  [[SITU_INLINE]] constexpr V derivative(V g) const {
    return g;
  }
  template <std::size_t At, class V>
    requires(At == 1)
  [[SITU_INLINE]] constexpr V derivative(V g, V y, V a, V b) const {
    return -(g * round_even((a - y) / b));
  }
};

/// `-x`.
struct Negate : OfNumbersAndComplex<Negate> {
  static constexpr const char* name = "negative";

  template <class V>
  [[SITU_INLINE]] constexpr V operator()(V x) const {
    if constexpr (std::integral<lane_element_t<V>>) return negate(x);
    else return -x;
  }
  static constexpr unsigned derivative_reads = reads::nothing;
  template <class V>
  [[SITU_INLINE]] constexpr V derivative(V g) const {
    return -g;
  }
};

/// The complex conjugate.
struct Conj : OfAny<Conj> {
  static constexpr const char* name = "conj";
  template <Element T>
  static constexpr bool accepts = ComplexElement<T>;

  template <class V>
  [[SITU_INLINE]] constexpr V operator()(V z) const {
    return conjugate(z);
  }
  static constexpr unsigned derivative_reads = reads::nothing;
  template <class V>
  [[SITU_INLINE]] constexpr V derivative(V g) const {
    return conjugate(g);
  }
};

/// The absolute value, which is real for a complex number.
struct Absolute : OfNumbersAndComplex<Absolute> {
  static constexpr const char* name = "abs";
  template <Element T>
  using result = real_t<T>;

  template <class V>
  [[SITU_INLINE]] constexpr auto operator()(V x) const {
    return abs(x);
  }
  static constexpr unsigned derivative_reads = reads::operand<0>;
  template <class V>
  [[SITU_INLINE]] constexpr ComplexLane<V> derivative(V g, ComplexLane<V> x) const {
    return derivative_of_abs(g, x);  // in core/complex_lane.hpp
  }
  template <class V>
  [[SITU_INLINE]] constexpr V derivative(V g, V x) const {
    const V zero(lane_element_t<V>(0));
    return select(x > zero, g, select(x < zero, -g, g * x));  // 0 at 0, NaN at NaN
  }
};

/// `x * x`.
struct Square : OfNumbersAndComplex<Square> {
  static constexpr const char* name = "square";

  template <class V>
  [[SITU_INLINE]] constexpr V operator()(V x) const {
    if constexpr (std::integral<lane_element_t<V>>) return multiply(x, x);
    else return x * x;
  }
  static constexpr unsigned derivative_reads = reads::operand<0>;
  template <class V>
  [[SITU_INLINE]] constexpr V derivative(V g, V x) const {
    return g * conjugate(x + x);
  }
};

/// -1, 0 or 1; NaN stays NaN.
struct Sign : OfNumbers<Sign>, ConstantBetweenSteps<Sign> {
  static constexpr const char* name = "sign";

  template <class V>
  [[SITU_INLINE]] constexpr V operator()(V x) const {
    const V zero(lane_element_t<V>(0));
    const V one(lane_element_t<V>(1));
    if constexpr (std::unsigned_integral<lane_element_t<V>>) {
      return select(x > zero, one, zero);
    } else if constexpr (std::integral<lane_element_t<V>>) {
      return select(x > zero, one, select(x < zero, negate(one), zero));
    } else {
      return select(x > zero, one, select(x < zero, -one, x - x));  // NaN stays NaN, -0 gives 0
    }
  }
};

}  // namespace situ::internal::functional
