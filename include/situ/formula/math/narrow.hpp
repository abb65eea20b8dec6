// SPDX-License-Identifier: Apache-2.0
// double to float in the rounding that a second, shorter rounding needs.
#pragma once

#include <cstdint>

#include <situ/core/lane.hpp>

namespace situ::internal::inline SITU_SETTINGS::math {

/// A `double` as `float`, towards zero with the last bit set if anything was lost ("round to odd"). Rounding that to a
/// 16-bit float gives what rounding the `double` at once would (Boldo and Melquiond, 2008). By way of the nearest
/// `float` a value just beside a midpoint would round twice.
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

}  // namespace situ::internal::inline SITU_SETTINGS::math
