// SPDX-License-Identifier: Apache-2.0
// Selecting, clamping and converting.
#pragma once

#include <concepts>
#include <cstddef>

#include <situ/core/config.hpp>
#include <situ/core/dtype.hpp>
#include <situ/core/lane.hpp>
#include <situ/formula/functional/derivative.hpp>
#include <situ/formula/functional/extrema.hpp>
#include <situ/formula/functional/functor.hpp>

namespace situ::internal::functional {

/// `mask ? a : b`.
struct Where : OfAny<Where> {
  static constexpr const char* name = "where";

  template <class M, class A, class B>
  [[SITU_INLINE]] constexpr auto operator()(M mask, A a, B b) const {
    if constexpr (std::same_as<A, B> && !std::same_as<A, mask_t<A>>) return select(mask, a, b);
    else return (mask && a) || (!mask && b);  // elements of `bool`, which lanes hold as masks of any width
  }
  template <std::size_t At>
  static constexpr unsigned derivative_reads = reads::operand<0>;
  template <std::size_t At, class V, class M>
  [[SITU_INLINE]] constexpr V derivative(V g, M mask) const {
    const V zero(lane_element_t<V>(0));
    if constexpr (At == 1) return select(mask, g, zero);
    else return select(mask, zero, g);
  }
};

/// `x` limited to [low, high]; NaN in any operand gives NaN, and `high` wins where low > high.
struct Clamp : OfNumbers<Clamp> {
  static constexpr const char* name = "clamp";

  template <class V>
  [[SITU_INLINE]] constexpr V operator()(V x, V low, V high) const {
    return Minimum{}(Maximum{}(x, low), high);
  }
  template <std::size_t At>
  static constexpr unsigned derivative_reads = reads::operands(3);
  template <std::size_t At, class V>
  [[SITU_INLINE]] constexpr V derivative(V g, V x, V low, V high) const {
    const V zero(lane_element_t<V>(0));
    if constexpr (At == 0) return select(x >= low && x <= high, g, zero);  // all of it at a limit, as in PyTorch
    else if constexpr (At == 1) return select(x < low && low <= high, g, zero);
    else return select(x > high || low > high, g, zero);
  }
};

/// The element converted to `To`: floats to integers truncate and saturate, NaN becomes 0; integers wrap; a `bool` is
/// true if the element is not 0. To 16-bit and 8-bit floats it rounds once, also from `double` and integers.
template <Element To>
struct Cast : OfAny<Cast<To>> {
  static constexpr const char* name = "cast";
  template <Element T>
  static constexpr bool accepts = true;
  template <Element T>
  using result = To;

  template <class V>
  [[SITU_INLINE]] constexpr auto operator()(V x) const {
    using T = lane_element_t<V>;
    if constexpr (ComplexElement<To> && !ComplexElement<T>)
      return rebind_lane_t<V, To>(convert<real_t<To>>(x), rebind_lane_t<V, real_t<To>>(real_t<To>(0)));
    else if constexpr (std::same_as<To, compute_t<To>>) return convert<To>(x);
    else if constexpr (std::same_as<T, double>) return round_to<To>(narrow_to_odd(x));
    else if constexpr (std::integral<T> && sizeof(T) >= 4) return round_to<To>(narrow_to_odd(integer_to_odd(x)));
    else return round_to<To>(convert<float>(x));
  }
  /// In the element type of the result; its reader converts to that of the operand.
  static constexpr unsigned derivative_reads = reads::nothing;
  template <class V>
  [[SITU_INLINE]] constexpr V derivative(V g) const {
    return g;
  }
};

}  // namespace situ::internal::functional
