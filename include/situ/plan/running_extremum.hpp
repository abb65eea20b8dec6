// SPDX-License-Identifier: Apache-2.0
// Running maxima and minima as operations of a backend's `scan`.
#pragma once

#include <concepts>
#include <cstdint>
#include <limits>
#include <type_traits>

#include <situ/core/config.hpp>
#include <situ/core/dtype.hpp>
#include <situ/formula/fold.hpp>
#include <situ/plan/reduction.hpp>

namespace situ::internal {

namespace fold {

/// The largest so far (`Upwards`) or the smallest, in 8 bytes like running sums, which hold every element.
template <class T, bool Upwards>
struct RunningExtremum {
  using Value = T;
  using Total = std::conditional_t<std::same_as<T, std::uint64_t>, std::uint64_t, total_t<T>>;
  static constexpr Total identity = Extremum<Total, Upwards>::identity;
  template <class V>
  [[SITU_INLINE]] static constexpr V combine(V a, V b) {
    return Extremum<Total, Upwards>::combine(a, b);
  }
};

}  // namespace fold

namespace reduction {

/// NaN from the first NaN on.
template <bool Upwards>
struct RunningExtremum {
  static constexpr const char* name = Upwards ? "cummax" : "cummin";
  template <class T>
  using Fold = fold::RunningExtremum<T, Upwards>;
  template <Element T>
  using result = T;
};

}  // namespace reduction

}  // namespace situ::internal
