// SPDX-License-Identifier: Apache-2.0
// Two normal numbers from two random words (Box and Muller), and an exponential one from one: the same bits on every
// machine.
#pragma once

#include <cstdint>
#include <type_traits>

#include <situ/core/config.hpp>
#include <situ/core/lane.hpp>
#include <situ/formula/math/polynomial.hpp>

namespace situ::internal::inline SITU_SETTINGS::math {

/// Two independent numbers of mean 0 and variance 1.
template <class V>
struct NormalPair {
  V first;
  V second;
};

namespace detail {

// The bits must not depend on the compiler's contraction of a * b + c: here a product is added only through `fma`, and
// plain additions and subtractions are exact or round once in IEEE arithmetic. Division and square root are correctly
// rounded everywhere (nvcc's default; `--use_fast_math` would break it). The coefficients are minimax fits (Remez, by
// mpmath) of the relative error.

/// The natural logarithm of u, positive and normal. u = 2^k m, sqrt(1/2) <= m < sqrt(2), s = (m - 1) / (m + 1),
/// log u = k log 2 + 2 s + s^3 P(s^2). Error of the fit 2^-30 (float), 2^-59 (double).
template <class V>
[[SITU_INLINE]] constexpr V fused_log(V u) {
  using T = lane_element_t<V>;
  using B = bits_t<T>;
  using At = rebind_lane_t<V, B>;
  constexpr bool single = std::is_same_v<T, float>;
  constexpr int places = single ? 23 : 52;
  constexpr B bias = single ? 127 : 1023;
  constexpr B root_half = static_cast<B>(single ? 0x3f3504f3 : 0x3fe6a09e667f3bcd);
  const At exponent = shift_right_logical(to_bits(u) + At(static_cast<B>((bias << places) - root_half)), places);
  const V m = from_bits<T>(to_bits(u) - ((exponent - At(bias)) << places));
  V k;
  if constexpr (single) {
    k = convert<T>(exponent - At(bias));
  } else {  // the integer below 2^52 in the last places of 2^52: AVX2 does not convert 64-bit integers
    k = from_bits<T>(exponent | At(B{0x4330000000000000})) - V(T(0x1p52) + T(1023));
  }
  const V s = (m - V(T(1))) / (m + V(T(1)));
  const V square = s * s;
  V p;
  if constexpr (single) {
    p = fused_polynomial(square, 0x1.55557cp-1, 0x1.995cbcp-2, 0x1.321d3ap-2);
  } else {
    p = fused_polynomial(square, 0x1.5555555555597p-1, 0x1.999999997e2bep-2, 0x1.249249438c88bp-2, 0x1.c71c50a4ae301p-3,
                         0x1.74668c63655f6p-3, 0x1.399982edead71p-3, 0x1.2f5c16c00935bp-3);
  }
  const V log_m = fma(s * square, p, s + s);
  return fma(k, V(static_cast<T>(0x1.62e42fefa39efp-1)), log_m);
}

/// sin and cos of (quadrant + s) * pi/2, |s| <= 1/2: the reduction is exact. Error of the fits 2^-25 (float),
/// 2^-54 (double).
template <class V, class At>
[[SITU_INLINE]] constexpr NormalPair<V> fused_cos_sin(At quadrant, V s) {
  using T = lane_element_t<V>;
  using B = bits_t<T>;
  const V square = s * s;
  V p, q;
  if constexpr (std::is_same_v<T, float>) {
    p = fused_polynomial(square, 0x1.921fb6p+0, -0x1.4abc24p-1, 0x1.46806ap-4, -0x1.330ebap-8);
    q = fused_polynomial(square, 1.0, -0x1.3bd3ccp+0, 0x1.03c1bp-2, -0x1.55b1e4p-6, 0x1.d4a554p-11);
  } else {
    p = fused_polynomial(square, 0x1.921fb54442d18p+0, -0x1.4abbce625bdaep-1, 0x1.466bc6774b011p-4,
                         -0x1.32d2ccd470198p-8, 0x1.507821dbcba29p-13, -0x1.e2f3f83b1c7a2p-19, 0x1.dfc8871e1d564p-25);
    q = fused_polynomial(square, 1.0, -0x1.3bd3cc9be45dep+0, 0x1.03c1f081b5a52p-2, -0x1.55d3c7e3bff09p-6,
                         0x1.e1f50675c67d3p-11, -0x1.a6d1e24a63ab8p-16, 0x1.f9c4bbe6eef7p-22, -0x1.b038c42859f9fp-28);
  }
  const V sine = s * p;
  const auto odd = (quadrant & At(B{1})) != At(B{0});
  constexpr int up = static_cast<int>(8 * sizeof(T)) - 2;
  const V c = select(odd, sine, q);
  const V t = select(odd, q, sine);
  return {from_bits<T>(to_bits(c) ^ (((quadrant + At(B{1})) & At(B{2})) << up)),
          from_bits<T>(to_bits(t) ^ ((quadrant & At(B{2})) << up))};
}

}  // namespace detail

/// The middle of one of 2^30 (float) or 2^52 (double) equal cells of (0, 1), from a word: an odd multiple of 2^-31,
/// rounded, which may be 1, or of 2^-53.
template <class V>
[[SITU_INLINE]] constexpr V middle_of_cell(rebind_lane_t<V, bits_t<lane_element_t<V>>> word) {
  using T = lane_element_t<V>;
  using B = bits_t<T>;
  using At = rebind_lane_t<V, B>;
  if constexpr (std::is_same_v<T, float>) {
    // An odd integer below 2^31, rounded by the conversion.
    return convert<T>(shift_right_logical(word, 1) | At(1)) * V(T(0x1p-31));
  } else {  // 52 bits as the fraction of a number in [2^52, 2^53): the difference is exact
    const At exponent(B{0x4330000000000000});
    return (from_bits<T>(shift_right_logical(word, 12) | exponent) - V(T(0x1p52) - T(0.5))) * V(T(0x1p-52));
  }
}

/// A number of the exponential distribution of mean 1 from a word, by inversion: at most 21.5 (float) or 36.8 (double).
template <class V>
[[SITU_INLINE]] constexpr V exponential(rebind_lane_t<V, bits_t<lane_element_t<V>>> word) {
  using T = lane_element_t<V>;
  return V(T(0)) - detail::fused_log(middle_of_cell<V>(word));
}

/// Two normal numbers of type float or double from two words of the same width (Box and Muller, "A note on the
/// generation of random normal deviates", 1958): the first word gives the radius, the second the angle.
///
/// The radius is sqrt(-2 log u), u the middle of one of 2^30 (float) or 2^52 (double) equal cells of (0, 1), so the
/// largest number is 6.6 (float) or 8.5 (double).
template <class V>
constexpr NormalPair<V> box_muller(rebind_lane_t<V, bits_t<lane_element_t<V>>> radius_word,
                                   rebind_lane_t<V, bits_t<lane_element_t<V>>> angle_word) {
  using T = lane_element_t<V>;
  using B = bits_t<T>;
  using At = rebind_lane_t<V, B>;
  const V u = middle_of_cell<V>(radius_word);
  V s;
  At quadrant;
  if constexpr (std::is_same_v<T, float>) {
    s = convert<T>(angle_word << 2) * V(T(0x1p-32));
    quadrant = shift_right_logical(angle_word, 30);
  } else {  // as above: the difference is exact
    const At exponent(B{0x4330000000000000});
    s = (from_bits<T>(shift_right_logical(angle_word << 2, 12) | exponent) - V(T(0x1.8p52))) * V(T(0x1p-52));
    quadrant = shift_right_logical(angle_word, 62);
  }
  const V radius = sqrt(detail::fused_log(u) * V(T(-2)));
  const NormalPair<V> direction = detail::fused_cos_sin(quadrant, s);
  return {radius * direction.first, radius * direction.second};
}

}  // namespace situ::internal::inline SITU_SETTINGS::math
