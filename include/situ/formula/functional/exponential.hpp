// SPDX-License-Identifier: Apache-2.0
// Roots, exponentials, logarithms and powers.
#pragma once

#include <concepts>
#include <cstddef>

#include <situ/core/config.hpp>
#include <situ/core/dtype.hpp>
#include <situ/core/lane.hpp>
#include <situ/formula/functional/derivative.hpp>
#include <situ/formula/math/exp.hpp>
#include <situ/formula/math/log.hpp>
#include <situ/formula/math/pow.hpp>
#include <situ/formula/math/root.hpp>

namespace situ::internal::functional {

/// See math::sqrt.
struct Sqrt {
  using lane_functor = void;
  static constexpr const char* name = "sqrt";
  template <Element T>
  static constexpr bool accepts = FloatingElement<T>;
  template <Element T>
  using result = T;

  template <class V>
  [[gnu::always_inline]] constexpr V operator()(V x) const {
    return math::sqrt(x);
  }
  template <std::size_t At>
  static constexpr unsigned derivative_reads = reads::result;
  template <std::size_t At, class V>
  [[gnu::always_inline]] constexpr V derivative(V g, V y) const {
    return g / (y + y);
  }
};

/// See math::rsqrt.
struct Rsqrt {
  using lane_functor = void;
  static constexpr const char* name = "rsqrt";
  template <Element T>
  static constexpr bool accepts = FloatingElement<T>;
  template <Element T>
  using result = T;

  template <class V>
  [[gnu::always_inline]] constexpr V operator()(V x) const {
    return math::rsqrt(x);
  }
  template <std::size_t At>
  static constexpr unsigned derivative_reads = reads::result;
  template <std::size_t At, class V>
  [[gnu::always_inline]] constexpr V derivative(V g, V y) const {
    return g * (y * y) * (y * detail::number<V>(-0.5));
  }
};

/// See math::exp.
struct Exp {
  using lane_functor = void;
  static constexpr const char* name = "exp";
  template <Element T>
  static constexpr bool accepts = FloatingElement<T>;
  template <Element T>
  using result = T;

  template <class V>
  [[gnu::always_inline]] constexpr V operator()(V x) const {
    return math::exp(x);
  }
  template <std::size_t At>
  static constexpr unsigned derivative_reads = reads::result;
  template <std::size_t At, class V>
  [[gnu::always_inline]] constexpr V derivative(V g, V y) const {
    return g * y;
  }
};

/// See math::exp2.
struct Exp2 {
  using lane_functor = void;
  static constexpr const char* name = "exp2";
  template <Element T>
  static constexpr bool accepts = FloatingElement<T>;
  template <Element T>
  using result = T;

  template <class V>
  [[gnu::always_inline]] constexpr V operator()(V x) const {
    return math::exp2(x);
  }
  template <std::size_t At>
  static constexpr unsigned derivative_reads = reads::result;
  template <std::size_t At, class V>
  [[gnu::always_inline]] constexpr V derivative(V g, V y) const {
    return g * (y * detail::number<V>(0.69314718055994530942));
  }
};

/// See math::expm1.
struct Expm1 {
  using lane_functor = void;
  static constexpr const char* name = "expm1";
  template <Element T>
  static constexpr bool accepts = FloatingElement<T>;
  template <Element T>
  using result = T;

  template <class V>
  [[gnu::always_inline]] constexpr V operator()(V x) const {
    return math::expm1(x);
  }
  template <std::size_t At>
  static constexpr unsigned derivative_reads = reads::operand<0>;
  template <std::size_t At, class V>
  [[gnu::always_inline]] constexpr V derivative(V g, V x) const {
    return g * math::exp(x);
  }
};

/// See math::log.
struct Log {
  using lane_functor = void;
  static constexpr const char* name = "log";
  template <Element T>
  static constexpr bool accepts = FloatingElement<T>;
  template <Element T>
  using result = T;

  template <class V>
  [[gnu::always_inline]] constexpr V operator()(V x) const {
    return math::log(x);
  }
  template <std::size_t At>
  static constexpr unsigned derivative_reads = reads::operand<0>;
  template <std::size_t At, class V>
  [[gnu::always_inline]] constexpr V derivative(V g, V x) const {
    return g / x;
  }
};

/// See math::log1p.
struct Log1p {
  using lane_functor = void;
  static constexpr const char* name = "log1p";
  template <Element T>
  static constexpr bool accepts = FloatingElement<T>;
  template <Element T>
  using result = T;

  template <class V>
  [[gnu::always_inline]] constexpr V operator()(V x) const {
    return math::log1p(x);
  }
  template <std::size_t At>
  static constexpr unsigned derivative_reads = reads::operand<0>;
  template <std::size_t At, class V>
  [[gnu::always_inline]] constexpr V derivative(V g, V x) const {
    return g / (detail::number<V>(1) + x);
  }
};

/// See math::log2.
struct Log2 {
  using lane_functor = void;
  static constexpr const char* name = "log2";
  template <Element T>
  static constexpr bool accepts = FloatingElement<T>;
  template <Element T>
  using result = T;

  template <class V>
  [[gnu::always_inline]] constexpr V operator()(V x) const {
    return math::log2(x);
  }
  template <std::size_t At>
  static constexpr unsigned derivative_reads = reads::operand<0>;
  template <std::size_t At, class V>
  [[gnu::always_inline]] constexpr V derivative(V g, V x) const {
    return g / (x * detail::number<V>(0.69314718055994530942));
  }
};

/// See math::log10.
struct Log10 {
  using lane_functor = void;
  static constexpr const char* name = "log10";
  template <Element T>
  static constexpr bool accepts = FloatingElement<T>;
  template <Element T>
  using result = T;

  template <class V>
  [[gnu::always_inline]] constexpr V operator()(V x) const {
    return math::log10(x);
  }
  template <std::size_t At>
  static constexpr unsigned derivative_reads = reads::operand<0>;
  template <std::size_t At, class V>
  [[gnu::always_inline]] constexpr V derivative(V g, V x) const {
    return g / (x * detail::number<V>(2.30258509299404568402));
  }
};

/// See math::pow.
struct Pow {
  using lane_functor = void;
  static constexpr const char* name = "pow";
  template <Element T>
  static constexpr bool accepts = NumberElement<T>;
  template <Element T>
  using result = T;

  template <class V>
  [[gnu::always_inline]] constexpr V operator()(V a, V b) const {
    return math::pow(a, b);
  }
  template <std::size_t At>
  static constexpr unsigned derivative_reads =
      At == 0 ? reads::operand<0> | reads::operand<1> : reads::result | reads::operand<0>;
  template <std::size_t At, class V>
    requires(At == 0)
  [[gnu::always_inline]] constexpr V derivative(V g, V a, V b) const {
    const V one = detail::number<V>(1);
    return select(b == V(lane_element_t<V>(0)), V(lane_element_t<V>(0)), g * (b * math::pow(a, b - one)));
  }
  template <std::size_t At, class V>
    requires(At == 1)
  [[gnu::always_inline]] constexpr V derivative(V g, V y, V a) const {
    const V zero(lane_element_t<V>(0));
    return select(y == zero, zero, g * (y * math::log(a)));  // also where a is 0 and its logarithm infinite
  }
};

/// See math::hypot.
struct Hypot {
  using lane_functor = void;
  static constexpr const char* name = "hypot";
  template <Element T>
  static constexpr bool accepts = FloatingElement<T>;
  template <Element T>
  using result = T;

  template <class V>
  [[gnu::always_inline]] constexpr V operator()(V a, V b) const {
    return math::hypot(a, b);
  }
  template <std::size_t At>
  static constexpr unsigned derivative_reads =
      At == 0 ? reads::result | reads::operand<0> : reads::result | reads::operand<1>;
  template <std::size_t At, class V>
    requires(At == 0)
  [[gnu::always_inline]] constexpr V derivative(V g, V y, V a) const {
    const V zero(lane_element_t<V>(0));
    return select(y == zero, zero, g * (a / y));
  }
  template <std::size_t At, class V>
    requires(At == 1)
  [[gnu::always_inline]] constexpr V derivative(V g, V y, V b) const {
    const V zero(lane_element_t<V>(0));
    return select(y == zero, zero, g * (b / y));
  }
};

}  // namespace situ::internal::functional
