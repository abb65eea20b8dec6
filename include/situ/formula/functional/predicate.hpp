// SPDX-License-Identifier: Apache-2.0
// Predicates: NaN, infinite or finite elements.
#pragma once

#include <concepts>
#include <limits>

#include <situ/core/config.hpp>
#include <situ/core/lane.hpp>
#include <situ/formula/functional/functor.hpp>

namespace situ::internal::functional {

/// Whether an element is NaN; an integer never is.
struct IsNan : Condition<IsNan> {
  static constexpr const char* name = "isnan";

  template <class V>
  [[SITU_INLINE]] constexpr mask_t<V> operator()(V x) const {
    if constexpr (std::integral<lane_element_t<V>>) return mask_t<V>(false);
    else return x != x;
  }
};

/// Whether an element is infinite; an integer never is.
struct IsInf : Condition<IsInf> {
  static constexpr const char* name = "isinf";

  template <class V>
  [[SITU_INLINE]] constexpr mask_t<V> operator()(V x) const {
    if constexpr (std::integral<lane_element_t<V>>) return mask_t<V>(false);
    else return abs(x) == V(std::numeric_limits<lane_element_t<V>>::infinity());
  }
};

/// Whether an element is neither infinite nor NaN; an integer always is.
struct IsFinite : Condition<IsFinite> {
  static constexpr const char* name = "isfinite";

  template <class V>
  [[SITU_INLINE]] constexpr mask_t<V> operator()(V x) const {
    if constexpr (std::integral<lane_element_t<V>>) return mask_t<V>(true);
    else return abs(x) < V(std::numeric_limits<lane_element_t<V>>::infinity());
  }
};

}  // namespace situ::internal::functional
