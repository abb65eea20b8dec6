// SPDX-License-Identifier: Apache-2.0
// Rounding to integers, which leaves integer types unchanged.
#pragma once

#include <concepts>

#include <situ/core/config.hpp>
#include <situ/core/lane.hpp>
#include <situ/formula/functional/derivative.hpp>
#include <situ/formula/functional/functor.hpp>

namespace situ::internal::functional {

/// The largest integer not above x.
struct Floor : OfNumbers<Floor>, ConstantBetweenSteps<Floor> {
  static constexpr const char* name = "floor";

  template <class V>
  [[SITU_INLINE]] constexpr V operator()(V x) const {
    if constexpr (std::integral<lane_element_t<V>>) return x;
    else return floor(x);
  }
};

/// The smallest integer not below x.
struct Ceil : OfNumbers<Ceil>, ConstantBetweenSteps<Ceil> {
  static constexpr const char* name = "ceil";

  template <class V>
  [[SITU_INLINE]] constexpr V operator()(V x) const {
    if constexpr (std::integral<lane_element_t<V>>) return x;
    else return ceil(x);
  }
};

/// The integer part, rounded toward 0.
struct Trunc : OfNumbers<Trunc>, ConstantBetweenSteps<Trunc> {
  static constexpr const char* name = "trunc";

  template <class V>
  [[SITU_INLINE]] constexpr V operator()(V x) const {
    if constexpr (std::integral<lane_element_t<V>>) return x;
    else return trunc(x);
  }
};

/// The nearest integer, ties to even.
struct Round : OfNumbers<Round>, ConstantBetweenSteps<Round> {
  static constexpr const char* name = "round";

  template <class V>
  [[SITU_INLINE]] constexpr V operator()(V x) const {
    if constexpr (std::integral<lane_element_t<V>>) return x;
    else return round_even(x);
  }
};

}  // namespace situ::internal::functional
