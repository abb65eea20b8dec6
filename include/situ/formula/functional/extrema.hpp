// SPDX-License-Identifier: Apache-2.0
// The smaller and the larger of two numbers.
#pragma once

#include <concepts>
#include <cstddef>

#include <situ/core/config.hpp>
#include <situ/core/lane.hpp>
#include <situ/formula/functional/derivative.hpp>
#include <situ/formula/functional/functor.hpp>

namespace situ::internal::functional {

/// The smaller; NaN if either is NaN.
struct Minimum : OfNumbers<Minimum> {
  static constexpr const char* name = "minimum";

  template <class V>
  [[SITU_INLINE]] constexpr V operator()(V a, V b) const {
    if constexpr (std::integral<lane_element_t<V>>) return min_number(a, b);
    else return select(a != a, a, select(b < a, b, select(b != b, b, a)));
  }
  template <std::size_t At>
  static constexpr unsigned derivative_reads = reads::operand<0> | reads::operand<1>;
  template <std::size_t At, class V>
    requires(At == 0)
  [[SITU_INLINE]] constexpr V derivative(V g, V a, V b) const {
    return detail::share(g, b < a, a == b);
  }
  template <std::size_t At, class V>
    requires(At == 1)
  [[SITU_INLINE]] constexpr V derivative(V g, V a, V b) const {
    return detail::share(g, a < b, a == b);
  }
};

/// The larger; NaN if either is NaN.
struct Maximum : OfNumbers<Maximum> {
  static constexpr const char* name = "maximum";

  template <class V>
  [[SITU_INLINE]] constexpr V operator()(V a, V b) const {
    if constexpr (std::integral<lane_element_t<V>>) return max_number(a, b);
    else return select(a != a, a, select(b > a, b, select(b != b, b, a)));
  }
  template <std::size_t At>
  static constexpr unsigned derivative_reads = reads::operand<0> | reads::operand<1>;
  template <std::size_t At, class V>
    requires(At == 0)
  [[SITU_INLINE]] constexpr V derivative(V g, V a, V b) const {
    return detail::share(g, b > a, a == b);
  }
  template <std::size_t At, class V>
    requires(At == 1)
  [[SITU_INLINE]] constexpr V derivative(V g, V a, V b) const {
    return detail::share(g, a > b, a == b);
  }
};

}  // namespace situ::internal::functional
