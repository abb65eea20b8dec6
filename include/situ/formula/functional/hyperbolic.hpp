// SPDX-License-Identifier: Apache-2.0
// Hyperbolic functions and their inverses.
#pragma once

#include <cstddef>

#include <situ/core/config.hpp>
#include <situ/core/dtype.hpp>
#include <situ/core/lane.hpp>
#include <situ/formula/functional/derivative.hpp>
#include <situ/formula/math/hyperbolic.hpp>
#include <situ/formula/math/root.hpp>

namespace situ::internal::functional {

/// See math::sinh.
struct Sinh {
  using lane_functor = void;
  static constexpr const char* name = "sinh";
  template <Element T>
  static constexpr bool accepts = FloatingElement<T>;
  template <Element T>
  using result = T;

  template <class V>
  [[gnu::always_inline]] constexpr V operator()(V x) const {
    return math::sinh(x);
  }
  template <std::size_t At>
  static constexpr unsigned derivative_reads = reads::operand<0>;
  template <std::size_t At, class V>
  [[gnu::always_inline]] constexpr V derivative(V g, V x) const {
    return g * math::cosh(x);
  }
};

/// See math::cosh.
struct Cosh {
  using lane_functor = void;
  static constexpr const char* name = "cosh";
  template <Element T>
  static constexpr bool accepts = FloatingElement<T>;
  template <Element T>
  using result = T;

  template <class V>
  [[gnu::always_inline]] constexpr V operator()(V x) const {
    return math::cosh(x);
  }
  template <std::size_t At>
  static constexpr unsigned derivative_reads = reads::operand<0>;
  template <std::size_t At, class V>
  [[gnu::always_inline]] constexpr V derivative(V g, V x) const {
    return g * math::sinh(x);
  }
};

/// See math::tanh.
struct Tanh {
  using lane_functor = void;
  static constexpr const char* name = "tanh";
  template <Element T>
  static constexpr bool accepts = FloatingElement<T>;
  template <Element T>
  using result = T;

  template <class V>
  [[gnu::always_inline]] constexpr V operator()(V x) const {
    return math::tanh(x);
  }
  template <std::size_t At>
  static constexpr unsigned derivative_reads = reads::result;
  template <std::size_t At, class V>
  [[gnu::always_inline]] constexpr V derivative(V g, V y) const {
    const V one = detail::number<V>(1);
    return g * ((one - y) * (one + y));
  }
};

/// See math::asinh.
struct Asinh {
  using lane_functor = void;
  static constexpr const char* name = "asinh";
  template <Element T>
  static constexpr bool accepts = FloatingElement<T>;
  template <Element T>
  using result = T;

  template <class V>
  [[gnu::always_inline]] constexpr V operator()(V x) const {
    return math::asinh(x);
  }
  template <std::size_t At>
  static constexpr unsigned derivative_reads = reads::operand<0>;
  template <std::size_t At, class V>
  [[gnu::always_inline]] constexpr V derivative(V g, V x) const {
    return g / math::hypot(x, detail::number<V>(1));
  }
};

/// See math::acosh.
struct Acosh {
  using lane_functor = void;
  static constexpr const char* name = "acosh";
  template <Element T>
  static constexpr bool accepts = FloatingElement<T>;
  template <Element T>
  using result = T;

  template <class V>
  [[gnu::always_inline]] constexpr V operator()(V x) const {
    return math::acosh(x);
  }
  template <std::size_t At>
  static constexpr unsigned derivative_reads = reads::operand<0>;
  template <std::size_t At, class V>
  [[gnu::always_inline]] constexpr V derivative(V g, V x) const {
    const V one = detail::number<V>(1);
    return g / (math::sqrt(x - one) * math::sqrt(x + one));
  }
};

/// See math::atanh.
struct Atanh {
  using lane_functor = void;
  static constexpr const char* name = "atanh";
  template <Element T>
  static constexpr bool accepts = FloatingElement<T>;
  template <Element T>
  using result = T;

  template <class V>
  [[gnu::always_inline]] constexpr V operator()(V x) const {
    return math::atanh(x);
  }
  template <std::size_t At>
  static constexpr unsigned derivative_reads = reads::operand<0>;
  template <std::size_t At, class V>
  [[gnu::always_inline]] constexpr V derivative(V g, V x) const {
    const V one = detail::number<V>(1);
    return g / ((one - x) * (one + x));
  }
};

}  // namespace situ::internal::functional
