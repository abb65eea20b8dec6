// SPDX-License-Identifier: Apache-2.0
// Whether an element is NaN, infinite or finite.
#pragma once

#include <concepts>
#include <limits>

#include <situ/core/config.hpp>
#include <situ/core/dtype.hpp>
#include <situ/core/lane.hpp>

namespace situ::internal::functional {

/// Whether an element is NaN; an integer never is.
struct IsNan {
  using lane_functor = void;
  static constexpr const char* name = "isnan";
  template <Element T>
  static constexpr bool accepts = NumberElement<T>;
  template <Element T>
  using result = bool;

  template <class V>
  [[gnu::always_inline]] constexpr mask_t<V> operator()(V x) const {
    if constexpr (std::integral<lane_element_t<V>>) return mask_t<V>(false);
    else return x != x;
  }
};

/// Whether an element is infinite; an integer never is.
struct IsInf {
  using lane_functor = void;
  static constexpr const char* name = "isinf";
  template <Element T>
  static constexpr bool accepts = NumberElement<T>;
  template <Element T>
  using result = bool;

  template <class V>
  [[gnu::always_inline]] constexpr mask_t<V> operator()(V x) const {
    if constexpr (std::integral<lane_element_t<V>>) return mask_t<V>(false);
    else return abs(x) == V(std::numeric_limits<lane_element_t<V>>::infinity());
  }
};

/// Whether an element is neither infinite nor NaN; an integer always is.
struct IsFinite {
  using lane_functor = void;
  static constexpr const char* name = "isfinite";
  template <Element T>
  static constexpr bool accepts = NumberElement<T>;
  template <Element T>
  using result = bool;

  template <class V>
  [[gnu::always_inline]] constexpr mask_t<V> operator()(V x) const {
    if constexpr (std::integral<lane_element_t<V>>) return mask_t<V>(true);
    else return abs(x) < V(std::numeric_limits<lane_element_t<V>>::infinity());
  }
};

}  // namespace situ::internal::functional
