// SPDX-License-Identifier: Apache-2.0
// First steps of conversions to 16-bit and 8-bit floats, rounded so that the second, shorter rounding is right. Through
// the nearest number of the wider type, a value close to a midpoint would be rounded twice.
#pragma once

#include <bit>
#include <concepts>
#include <cstdint>
#include <type_traits>

#include <situ/core/config.hpp>
#include <situ/core/dtype.hpp>
#include <situ/core/lane.hpp>

namespace situ::internal::lane {

/// A `double` as `float`, rounded toward zero with the last bit set if anything was lost ("round to odd"). Rounding
/// that to a 16-bit float equals rounding the `double` directly (Boldo and Melquiond, 2008).
template <class V>
constexpr rebind_lane_t<V, float> narrow_to_odd(V x) {
  using F = rebind_lane_t<V, float>;
  using At = rebind_lane_t<V, std::int32_t>;
  const F nearest = convert<float>(x);
  const V back = convert<double>(nearest);
  const At bits = to_bits(nearest);
  const At towards_zero = bits - select(abs(back) > abs(x), At(1), At(0));
  return from_bits<float>(select((back != x) && (x == x), towards_zero | At(1), bits));
}

/// An integer as `double`. A 64-bit one with more than 53 significant bits is rounded to odd at its twelfth bit: to a
/// multiple of 2^11, as every `double` of its size is, and an odd multiple if anything was lost.
template <class V>
constexpr rebind_lane_t<V, double> integer_to_odd(V x) {
  using T = lane_element_t<V>;
  if constexpr (sizeof(T) == 8) {
    constexpr T lost = 0x7ff, last = 0x800, exact = T(1) << 53;
    const V odd = (x & V(static_cast<T>(~lost))) | select((x & V(lost)) != V(T(0)), V(last), V(T(0)));
    V rounded = select(x > V(exact), odd, x);
    if constexpr (std::is_signed_v<T>) rounded = select(x < V(static_cast<T>(-exact)), odd, rounded);
    return convert<double>(rounded);
  } else {
    return convert<double>(x);
  }
}

/// A sum in the type that `T` computes in, such that converting it to `T` equals rounding the sum directly.
template <class C, Element T, class Sum>
constexpr C narrowed(Sum sum) {
  if constexpr (!std::same_as<T, C> && std::same_as<Sum, double>) return narrow_to_odd(sum);
  else return static_cast<C>(sum);
}

/// A number as `T`, rounded once.
template <Element T, class S>
  requires std::is_arithmetic_v<S>
constexpr T rounded_once(S value) {
  if constexpr (std::same_as<T, compute_t<T>> || std::same_as<S, float>) {
    return static_cast<T>(static_cast<compute_t<T>>(value));
  } else if constexpr (std::integral<S> && sizeof(S) == 8) {
    using Integer = std::conditional_t<std::is_signed_v<S>, std::int64_t, std::uint64_t>;
    return static_cast<T>(narrow_to_odd(integer_to_odd(static_cast<Integer>(value))));
  } else if constexpr (std::integral<S> || std::same_as<S, double>) {
    return static_cast<T>(narrow_to_odd(static_cast<double>(value)));
  } else {  // long double
    const auto nearest = static_cast<double>(value);
    const S back = nearest;
    if (back == value || value != value) return static_cast<T>(narrow_to_odd(nearest));
    const bool beyond = value < 0 ? back < value : back > value;
    const auto bits = static_cast<std::int64_t>(std::bit_cast<std::int64_t>(nearest) - (beyond ? 1 : 0));
    return static_cast<T>(narrow_to_odd(std::bit_cast<double>(bits | 1)));
  }
}

}  // namespace situ::internal::lane
