// SPDX-License-Identifier: Apache-2.0
// Arithmetic for the numbers of an optimizer's step that has the same bits on the host and on a GPU: products, and sums
// that are an explicit fused multiply-add.
#pragma once

#include <cstdint>

#include <situ/core/lane.hpp>

namespace situ::optim::detail {

/// `base` to the power of an `exponent` of 0 or more, as products of its squares: at most 126, and a relative error of
/// about `exponent` roundings. (`std::pow` has other bits on a GPU.)
[[nodiscard]] constexpr double power(double base, std::int64_t exponent) {
  double result = 1;
  for (; exponent > 0; exponent >>= 1) {
    if ((exponent & 1) != 0) result *= base;
    base *= base;
  }
  return result;
}

/// 1 - a b, rounded once.
[[nodiscard]] constexpr double one_minus_product(double a, double b) { return internal::lane::fma(-a, b, 1.0); }

/// 1 - base^made, the bias correction of a running mean at step `made`, from 1.
[[nodiscard]] constexpr double one_minus_power(double base, std::int64_t made) {
  return one_minus_product(base, power(base, made - 1));
}

}  // namespace situ::optim::detail
