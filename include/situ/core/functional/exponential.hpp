// SPDX-License-Identifier: Apache-2.0
// Roots, exponentials, logarithms, powers and hyperbolic functions.
#pragma once

#include <concepts>

#include <situ/core/config.hpp>
#include <situ/core/dtype.hpp>
#include <situ/core/lane.hpp>
#include <situ/core/math/exp.hpp>
#include <situ/core/math/hyperbolic.hpp>
#include <situ/core/math/log.hpp>
#include <situ/core/math/pow.hpp>
#include <situ/core/math/root.hpp>

namespace situ::functional {

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
};

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
};

}  // namespace situ::functional
