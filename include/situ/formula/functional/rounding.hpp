// SPDX-License-Identifier: Apache-2.0
// Rounding to whole numbers, which leaves integers as they are.
#pragma once

#include <concepts>
#include <cstddef>

#include <situ/core/config.hpp>
#include <situ/core/dtype.hpp>
#include <situ/core/lane.hpp>
#include <situ/formula/functional/derivative.hpp>

namespace situ::internal::functional {

/// The largest whole number not above x.
struct Floor : ConstantBetweenSteps {
  using lane_functor = void;
  static constexpr const char* name = "floor";
  template <Element T>
  static constexpr bool accepts = NumberElement<T>;
  template <Element T>
  using result = T;

  template <class V>
  [[gnu::always_inline]] constexpr V operator()(V x) const {
    if constexpr (std::integral<lane_element_t<V>>) return x;
    else return floor(x);
  }
};

/// The smallest whole number not below x.
struct Ceil : ConstantBetweenSteps {
  using lane_functor = void;
  static constexpr const char* name = "ceil";
  template <Element T>
  static constexpr bool accepts = NumberElement<T>;
  template <Element T>
  using result = T;

  template <class V>
  [[gnu::always_inline]] constexpr V operator()(V x) const {
    if constexpr (std::integral<lane_element_t<V>>) return x;
    else return ceil(x);
  }
};

/// The whole part, towards 0.
struct Trunc : ConstantBetweenSteps {
  using lane_functor = void;
  static constexpr const char* name = "trunc";
  template <Element T>
  static constexpr bool accepts = NumberElement<T>;
  template <Element T>
  using result = T;

  template <class V>
  [[gnu::always_inline]] constexpr V operator()(V x) const {
    if constexpr (std::integral<lane_element_t<V>>) return x;
    else return trunc(x);
  }
};

/// The nearest whole number, ties to even.
struct Round : ConstantBetweenSteps {
  using lane_functor = void;
  static constexpr const char* name = "round";
  template <Element T>
  static constexpr bool accepts = NumberElement<T>;
  template <Element T>
  using result = T;

  template <class V>
  [[gnu::always_inline]] constexpr V operator()(V x) const {
    if constexpr (std::integral<lane_element_t<V>>) return x;
    else return round_even(x);
  }
};

}  // namespace situ::internal::functional
