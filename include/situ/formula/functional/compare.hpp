// SPDX-License-Identifier: Apache-2.0
// Comparisons; they return `bool`, and NaN compares as in IEEE 754.
#pragma once

#include <limits>

#include <situ/core/config.hpp>
#include <situ/core/dtype.hpp>
#include <situ/core/lane.hpp>
#include <situ/formula/functional/functor.hpp>

namespace situ::internal::functional {

/// `a == b`.
struct Equal : Condition<Equal> {
  static constexpr const char* name = "equal";
  static constexpr bool compares = true;
  template <Element T>
  static constexpr bool accepts = !StorageElement<T>;

  template <class V>
  [[SITU_INLINE]] constexpr mask_t<V> operator()(V a, V b) const {
    return a == b;
  }
};

/// `a != b`.
struct NotEqual : Condition<NotEqual> {
  static constexpr const char* name = "not_equal";
  static constexpr bool compares = true;
  template <Element T>
  static constexpr bool accepts = !StorageElement<T>;

  template <class V>
  [[SITU_INLINE]] constexpr mask_t<V> operator()(V a, V b) const {
    return a != b;
  }
};

/// `a < b`.
struct Less : Condition<Less> {
  static constexpr const char* name = "less";
  static constexpr bool compares = true;

  template <class V>
  [[SITU_INLINE]] constexpr mask_t<V> operator()(V a, V b) const {
    return a < b;
  }
};

/// `a <= b`.
struct LessEqual : Condition<LessEqual> {
  static constexpr const char* name = "less_equal";
  static constexpr bool compares = true;

  template <class V>
  [[SITU_INLINE]] constexpr mask_t<V> operator()(V a, V b) const {
    return a <= b;
  }
};

/// `a > b`.
struct Greater : Condition<Greater> {
  static constexpr const char* name = "greater";
  static constexpr bool compares = true;

  template <class V>
  [[SITU_INLINE]] constexpr mask_t<V> operator()(V a, V b) const {
    return a > b;
  }
};

/// `a >= b`.
struct GreaterEqual : Condition<GreaterEqual> {
  static constexpr const char* name = "greater_equal";
  static constexpr bool compares = true;

  template <class V>
  [[SITU_INLINE]] constexpr mask_t<V> operator()(V a, V b) const {
    return a >= b;
  }
};

/// |a - b| <= absolute + relative |b|, as in NumPy: an infinity is close only to itself; NaN to nothing, unless
/// requested.
struct IsClose : Condition<IsClose> {
  static constexpr const char* name = "isclose";
  template <Element T>
  static constexpr bool accepts = FloatingElement<T>;
  double relative = 1e-5;
  double absolute = 1e-8;
  bool equal_nan = false;

  template <class V>
  [[SITU_INLINE]] constexpr mask_t<V> operator()(V a, V b) const {
    using T = lane_element_t<V>;
    const V size = abs(b);
    const V bound = V(static_cast<T>(absolute)) + V(static_cast<T>(relative)) * size;
    const mask_t<V> close = (a == b) || (size < V(std::numeric_limits<T>::infinity()) && abs(a - b) <= bound);
    return close || (mask_t<V>(equal_nan) && a != a && b != b);
  }
};

}  // namespace situ::internal::functional
