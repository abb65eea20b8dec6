// SPDX-License-Identifier: Apache-2.0
// Functors for integers only: shifts, and division rounded toward zero.
#pragma once

#include <concepts>
#include <cstdint>
#include <type_traits>

#include <situ/core/config.hpp>
#include <situ/core/lane.hpp>
#include <situ/formula/functional/functor.hpp>

namespace situ::internal::functional {

namespace detail {

/// The bits that are 0 in every valid shift count of an integer `T`: all but the lowest 3 to 6, including the sign.
template <std::integral T>
inline constexpr T beyond_places = static_cast<T>(~static_cast<T>(8 * sizeof(T) - 1));

/// Whether `count` is at least 0 and below the width.
template <class V>
[[SITU_INLINE]] constexpr mask_t<V> is_places(V count) {
  using T = lane_element_t<V>;
  return static_cast<V>(count & V(beyond_places<T>)) == V(T(0));
}

}  // namespace detail

/// `a << count`. A count that is negative, or not below the width, shifts everything out, as in NumPy: in C++ it is
/// undefined, x86 reduces it modulo the width, and a GPU does not.
struct LeftShift : OfIntegers<LeftShift> {
  static constexpr const char* name = "bitwise_left_shift";

  template <class V>
  [[SITU_INLINE]] constexpr V operator()(V a, V count) const {
    using T = lane_element_t<V>;
    const V zero(T(0));
    const mask_t<V> fits = detail::is_places(count);
    const V places = select(fits, count, zero);
    if constexpr (std::integral<V>) return fits ? static_cast<V>(static_cast<std::uint64_t>(a) << places) : zero;
    else return select(fits, a << places, zero);
  }
};

/// `a >> count`, which copies the sign of signed integers; counts as for `<<`.
struct RightShift : OfIntegers<RightShift> {
  static constexpr const char* name = "bitwise_right_shift";

  template <class V>
  [[SITU_INLINE]] constexpr V operator()(V a, V count) const {
    using T = lane_element_t<V>;
    const mask_t<V> fits = detail::is_places(count);
    if constexpr (std::is_signed_v<T>) {
      return static_cast<V>(a >> select(fits, count, V(T(8 * sizeof(T) - 1))));
    } else {
      const V zero(T(0));
      return select(fits, static_cast<V>(a >> select(fits, count, zero)), zero);
    }
  }
};

/// The quotient rounded toward zero; 0 when dividing by zero; wraps for the smallest integer divided by -1.
struct TruncDivide : OfIntegers<TruncDivide> {
  static constexpr const char* name = "trunc_divide";

  template <class V>
  [[SITU_INLINE]] constexpr V operator()(V a, V b) const {
    using T = lane_element_t<V>;
    const V below = floor_divide(a, b);
    if constexpr (std::is_unsigned_v<T>) {
      return below;
    } else {
      const V zero(T(0));
      const V rest = subtract(a, multiply(below, b));
      return select((rest != zero) && (below < zero), add(below, V(T(1))), below);
    }
  }
};

}  // namespace situ::internal::functional
