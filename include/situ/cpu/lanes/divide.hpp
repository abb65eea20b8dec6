// SPDX-License-Identifier: Apache-2.0
// Division of integer lanes. No vector unit divides integers: up to 32 bits use floating point, which is exact.
#pragma once

#include <concepts>
#include <cstdint>
#include <type_traits>

#include <situ/core/config.hpp>
#include <situ/cpu/lanes/convert.hpp>
#include <situ/cpu/lanes/lanes.hpp>

namespace situ::internal::inline SITU_SETTINGS::cpu {

namespace native {

/// The quotient, rounded towards zero, of integers of at most 32 bits. If a / b is not an integer, its distance to the
/// next one is at least |1 / b|, a relative distance of at least 2^-31, which the rounding of a `double` (for bytes, of
/// a `float`) does not bridge. Division by zero gives an arbitrary number.
template <class T, int Size>
[[SITU_INLINE]] inline Lanes<T, Size> divide_towards_zero(Lanes<T, Size> a, Lanes<T, Size> b) {
  using Real = std::conditional_t<(sizeof(T) < 4), float, double>;
  using Wide = std::conditional_t<(sizeof(T) < 4), std::int32_t, std::int64_t>;
  const Lanes<T, Size> divisor = select(b == Lanes<T, Size>(T(0)), Lanes<T, Size>(T(1)), b);
  const Lanes<Real, Size> quotient = convert<Real>(a) / convert<Real>(divisor);
  if constexpr (std::same_as<T, std::int32_t>) {
    // Only -2^31 / -1 is out of range, and callers replace that result.
    return convert_exact<T>(min_number(quotient, Lanes<Real, Size>(2147483647.0)));
  } else {
    return convert<T>(convert_exact<Wide>(quotient));
  }
}

/// `f` on each pair of elements: for `int64`, since there is only a scalar divider.
template <class T, int Size, class F>
inline Lanes<T, Size> element_by_element(Lanes<T, Size> a, Lanes<T, Size> b, F f) {
  T left[std::size_t{Size}];
  T right[std::size_t{Size}];
  __builtin_memcpy(left, &a, sizeof(left));
  __builtin_memcpy(right, &b, sizeof(right));
  for (int i = 0; i < Size; ++i) left[i] = f(left[i], right[i]);
  Lanes<T, Size> result;
  __builtin_memcpy(&result, left, sizeof(left));
  return result;
}

}  // namespace native

/// The quotient rounded down: 0 for division by zero; wraps for the smallest integer by -1.
template <std::integral T, int Size>
[[SITU_INLINE]] inline Lanes<T, Size> floor_divide(Lanes<T, Size> a, Lanes<T, Size> b) {
  using V = Lanes<T, Size>;
  if constexpr (sizeof(T) > 4) {
    return native::element_by_element(a, b, [](T x, T y) { return lane::floor_divide(x, y); });
  } else {
    V quotient = native::divide_towards_zero(a, b);
    if constexpr (std::is_signed_v<T>) {
      const V rest = a - quotient * b;
      const auto below = (rest != V(T(0))) && ((rest ^ b) < V(T(0)));
      quotient = select(b == V(T(-1)), -a, quotient - convert<T>(below));
    }
    return select(b == V(T(0)), V(T(0)), quotient);
  }
}

/// a - b * floor_divide(a, b): it has the sign of `b`; 0 for division by zero.
template <std::integral T, int Size>
[[SITU_INLINE]] inline Lanes<T, Size> remainder(Lanes<T, Size> a, Lanes<T, Size> b) {
  using V = Lanes<T, Size>;
  if constexpr (sizeof(T) > 4) {
    return native::element_by_element(a, b, [](T x, T y) { return lane::remainder(x, y); });
  } else {
    V rest = a - native::divide_towards_zero(a, b) * b;
    if constexpr (std::is_signed_v<T>) {
      rest = select((rest != V(T(0))) && ((rest ^ b) < V(T(0))), rest + b, rest);
      rest = select(b == V(T(-1)), V(T(0)), rest);
    }
    return select(b == V(T(0)), V(T(0)), rest);
  }
}

}  // namespace situ::internal::inline SITU_SETTINGS::cpu
