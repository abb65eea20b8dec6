// SPDX-License-Identifier: Apache-2.0
// What a kernel computes of a `float`, on the host: a lane for which the formulas take what they take in kernels, CUDA's
// functions (of C here) and the division by an approximate reciprocal.
#pragma once

#include <cmath>
#include <concepts>
#include <cstdint>
#include <limits>
#include <type_traits>

#include <situ/core/lane.hpp>
#include <situ/formula/math/near_quotient.hpp>

namespace math_test {

struct KernelFloat {
  float value = 0;
  /// By how many last places the approximate reciprocal is off: one, either way, is what NVIDIA states.
  static inline int off = 0;

  KernelFloat() = default;
  constexpr KernelFloat(float x) : value(x) {}

  friend KernelFloat operator+(KernelFloat a, KernelFloat b) { return a.value + b.value; }
  friend KernelFloat operator-(KernelFloat a, KernelFloat b) { return a.value - b.value; }
  friend KernelFloat operator*(KernelFloat a, KernelFloat b) { return a.value * b.value; }
  friend KernelFloat operator/(KernelFloat a, KernelFloat b) { return a.value / b.value; }
  friend KernelFloat operator-(KernelFloat a) { return -a.value; }
  friend bool operator==(KernelFloat a, KernelFloat b) { return a.value == b.value; }
  friend bool operator<(KernelFloat a, KernelFloat b) { return a.value < b.value; }
  friend bool operator>(KernelFloat a, KernelFloat b) { return a.value > b.value; }
  friend bool operator<=(KernelFloat a, KernelFloat b) { return a.value <= b.value; }
  friend bool operator>=(KernelFloat a, KernelFloat b) { return a.value >= b.value; }

  friend KernelFloat fma(KernelFloat a, KernelFloat b, KernelFloat c) { return std::fma(a.value, b.value, c.value); }
  friend KernelFloat mul_add(KernelFloat a, KernelFloat b, KernelFloat c) { return fma(a, b, c); }
  friend KernelFloat rounded_product(KernelFloat a, KernelFloat b) { return a * b; }
  friend KernelFloat select(bool mask, KernelFloat a, KernelFloat b) { return mask ? a : b; }
  friend KernelFloat sqrt(KernelFloat x) { return std::sqrt(x.value); }
  friend KernelFloat round_even(KernelFloat x) { return std::nearbyint(x.value); }
  friend KernelFloat abs(KernelFloat x) { return std::abs(x.value); }
  friend KernelFloat copy_sign(KernelFloat x, KernelFloat sign) { return std::copysign(x.value, sign.value); }
  friend KernelFloat min_number(KernelFloat a, KernelFloat b) { return a < b ? a : b; }
  friend KernelFloat max_number(KernelFloat a, KernelFloat b) { return a > b ? a : b; }
  friend std::int32_t to_bits(KernelFloat x) { return situ::internal::lane::to_bits(x.value); }

  friend KernelFloat exp(KernelFloat x) { return std::exp(x.value); }
  friend KernelFloat exp2(KernelFloat x) { return std::exp2(x.value); }
  friend KernelFloat log(KernelFloat x) { return std::log(x.value); }
  friend KernelFloat near_quotient(KernelFloat a, KernelFloat b) {
    float inverse = 1 / b.value;
    if (off != 0) inverse = std::nextafter(inverse, off < 0 ? 0.f : std::numeric_limits<float>::infinity());
    return situ::internal::math::detail::corrected_quotient(a.value, b.value, inverse);
  }
};

}  // namespace math_test

/// Its element is `float`.
template <>
struct situ::internal::LaneTraits<math_test::KernelFloat> {
  using element = float;
  using mask = bool;
  template <class U>
  using rebind = std::conditional_t<std::same_as<U, float>, math_test::KernelFloat, U>;
  static constexpr int count = 1;
};
