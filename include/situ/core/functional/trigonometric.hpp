// SPDX-License-Identifier: Apache-2.0
// Functors of the trigonometric functions and their inverses. Angles are in radians.
#pragma once

#include <situ/core/dtype.hpp>
#include <situ/core/lane.hpp>
#include <situ/core/math/inverse_trigonometric.hpp>
#include <situ/core/math/trigonometric.hpp>

namespace situ::functional {

struct Sin {
  using lane_functor = void;
  static constexpr const char* name = "sin";
  template <Element T>
  static constexpr bool accepts = FloatingElement<T>;
  template <Element T>
  using result = T;
  template <class V>
  constexpr V operator()(V x) const {
    return math::sin(x);
  }
};

struct Cos {
  using lane_functor = void;
  static constexpr const char* name = "cos";
  template <Element T>
  static constexpr bool accepts = FloatingElement<T>;
  template <Element T>
  using result = T;
  template <class V>
  constexpr V operator()(V x) const {
    return math::cos(x);
  }
};

struct Tan {
  using lane_functor = void;
  static constexpr const char* name = "tan";
  template <Element T>
  static constexpr bool accepts = FloatingElement<T>;
  template <Element T>
  using result = T;
  template <class V>
  constexpr V operator()(V x) const {
    return math::tan(x);
  }
};

struct Asin {
  using lane_functor = void;
  static constexpr const char* name = "asin";
  template <Element T>
  static constexpr bool accepts = FloatingElement<T>;
  template <Element T>
  using result = T;
  template <class V>
  constexpr V operator()(V x) const {
    return math::asin(x);
  }
};

struct Acos {
  using lane_functor = void;
  static constexpr const char* name = "acos";
  template <Element T>
  static constexpr bool accepts = FloatingElement<T>;
  template <Element T>
  using result = T;
  template <class V>
  constexpr V operator()(V x) const {
    return math::acos(x);
  }
};

struct Atan {
  using lane_functor = void;
  static constexpr const char* name = "atan";
  template <Element T>
  static constexpr bool accepts = FloatingElement<T>;
  template <Element T>
  using result = T;
  template <class V>
  constexpr V operator()(V x) const {
    return math::atan(x);
  }
};

/// The angle of the point (x, y); y comes first, as in C.
struct Atan2 {
  using lane_functor = void;
  static constexpr const char* name = "atan2";
  template <Element T>
  static constexpr bool accepts = FloatingElement<T>;
  template <Element T>
  using result = T;
  template <class V>
  constexpr V operator()(V y, V x) const {
    return math::atan2(y, x);
  }
};

}  // namespace situ::functional
