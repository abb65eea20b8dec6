// SPDX-License-Identifier: Apache-2.0
// What operations of floats have in common.
#pragma once

#include <cmath>
#include <limits>
#include <type_traits>

#include "types.hpp"

namespace ptx {

/// A GPU has one NaN of float, 0x7fffffff. Of double, it keeps what is there.
template <class V>
[[nodiscard]] inline V canonical(V value) {
  if constexpr (std::is_same_v<V, float>) {
    return value != value ? std::bit_cast<float>(0x7fffffffu) : value;
  } else {
    return value;
  }
}

/// .ftz: denormal numbers are zeros.
template <class V>
[[nodiscard]] inline V flushed(V value) {
  return std::fabs(value) < std::numeric_limits<V>::min() ? std::copysign(V{0}, value) : value;
}

/// .sat: from 0 to 1, and NaN is 0.
template <class V>
[[nodiscard]] inline V saturated(V value) {
  if (!(value > V{0})) return V{0};
  return value > V{1} ? V{1} : value;
}

/// A number is less than NaN and greater than it; -0 is less than 0.
template <class V>
[[nodiscard]] inline V lesser(V a, V b) {
  if (a != a) return canonical(b);
  if (b != b) return a;
  if (a == b) return std::signbit(a) ? a : b;
  return a < b ? a : b;
}
template <class V>
[[nodiscard]] inline V greater(V a, V b) {
  if (a != a) return canonical(b);
  if (b != b) return a;
  if (a == b) return std::signbit(a) ? b : a;
  return a < b ? b : a;
}

}  // namespace ptx
