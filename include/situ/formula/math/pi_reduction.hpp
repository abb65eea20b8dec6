// SPDX-License-Identifier: Apache-2.0
// Reduction of an angle to [-pi/4, pi/4] and a quadrant, shared by sin, cos and tan.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <type_traits>

#include <situ/core/config.hpp>
#include <situ/core/lane.hpp>
#include <situ/formula/math/two_over_pi.hpp>

namespace situ::internal::inline SITU_SETTINGS::math {

/// x = quadrant * pi/2 + high + low, |high| <= about pi/4, |low| <= half an ulp of `high`. Only the two lowest bits of
/// `quadrant` are meaningful. NaN and infinities become NaN.
template <class V>
struct ReducedAngle {
  V high;
  V low;
  rebind_lane_t<V, bits_t<lane_element_t<V>>> quadrant;
};

namespace detail {

/// Payne and Hanek's reduction ("Radian reduction for trigonometric functions", SIGNUM 1983) for |x| of at least 256:
/// x = m * 2^e, and only those 192 bits of 2/pi are used whose product with m is below 4 and above 2^-124.
[[gnu::noinline]] constexpr ReducedAngle<double> reduce_large_angle(double x) {
  __extension__ using Wide = unsigned __int128;
  const std::int64_t word = lane::to_bits(x);
  const int exponent = static_cast<int>((word >> 52) & 0x7ff) - 1075;
  const auto mantissa = static_cast<std::uint64_t>((word & 0xfffffffffffff) | 0x10000000000000);
  const int first = exponent - 2 + 64;  // of these bits, counted from the word before the binary point
  const int number = first / 64, shift = first % 64;
  const std::uint64_t second = two_over_pi_word(number + 1), third = two_over_pi_word(number + 2);
  const Wide low_product = static_cast<Wide>(mantissa) * shifted_word(third, two_over_pi_word(number + 3), shift);
  const Wide middle_product = static_cast<Wide>(mantissa) * shifted_word(second, third, shift) + (low_product >> 64);
  const std::uint64_t top = mantissa * shifted_word(two_over_pi_word(number), second, shift) +
                            static_cast<std::uint64_t>(middle_product >> 64);
  const auto middle = static_cast<std::uint64_t>(middle_product);
  const auto bottom = static_cast<std::uint64_t>(low_product);
  // `top` begins with the quadrant, followed by the fraction of a quadrant, which is moved to [-1/2, 1/2).
  std::int64_t quadrant = static_cast<std::int64_t>(top >> 62);
  Wide fraction = (static_cast<Wide>((top << 2) | (middle >> 62)) << 64) | ((middle << 2) | (bottom >> 62));
  const bool negative = (fraction >> 127) != 0;
  if (negative) {
    fraction = ~fraction + 1;
    ++quadrant;
  }
  int scale = 0;  // a fraction of a double's multiple of 2/pi is never below 2^-62
  while ((fraction >> 127) == 0 && scale < 64) {
    fraction <<= 1;
    ++scale;
  }
  const auto a = static_cast<double>(static_cast<std::uint64_t>(fraction >> 75));
  const auto b = static_cast<double>(static_cast<std::uint64_t>(fraction >> 22) & 0x1fffffffffffff) * 0x1p-53;
  const double unit = lane::from_bits<double>(static_cast<std::int64_t>(1023 - 53 - scale) << 52);
  // (a + b) * pi/2, with pi/2 in two doubles
  constexpr double half_pi = 0x1.921fb54442d18p+0, half_pi_low = 0x1.1a62633145c07p-54;
  const double product = a * half_pi;
  const double rest = lane::fma(a, half_pi, -product) + (a * half_pi_low + b * half_pi);
  const double high = product + rest;
  const double low = rest - (high - product);
  const bool flip = negative != (word < 0);
  return {(flip ? -high : high) * unit, (flip ? -low : low) * unit, word < 0 ? -quadrant : quadrant};
}

/// 2^e * 2/pi modulo 4 in three numbers, of 28, 29 and 53 bits: an integer of 24 bits times each of the first two is
/// exact in `double`.
struct PiParts {
  double first, second, third;
};
/// For e of -6 to 104, those of floats of at least 2^17 as integers times 2^e.
constexpr PiParts pi_parts(int e) {
  const int begin = e - 2 + 64, number = begin / 64, shift = begin % 64;
  const std::uint64_t middle = two_over_pi_word(number + 1);
  const std::uint64_t high = shifted_word(two_over_pi_word(number), middle, shift);
  const std::uint64_t low = shifted_word(middle, two_over_pi_word(number + 2), shift);
  return {static_cast<double>(high >> 36) * 0x1p-26, static_cast<double>((high >> 7) & 0x1fffffff) * 0x1p-55,
          static_cast<double>(((high & 0x7f) << 46) | (low >> 18)) * 0x1p-108};
}

/// e of a float, within the range of `pi_parts`.
constexpr int pi_exponent(std::int32_t bits) {
  const int e = ((bits >> 23) & 0xff) - 150;
  return e < -6 ? -6 : e > 104 ? 104 : e;
}

/// x = m * 2^e for the e of `parts`: m times their sum, whose whole part is the quadrant. The first product, its
/// difference from the quadrant and the second product are exact; a float's multiple of 2/pi is no closer to a whole
/// number than about 2^-33, and errors are below 2^-80. (Fused or not, what is exact is the same.) Sets `high` and `low`,
/// and returns a number whose lowest bits are the quadrant.
template <class V, class D>
[[SITU_INLINE]] constexpr D reduce_by_parts(V x, D first, D second, D third, V& high, V& low) {
  using At = rebind_lane_t<V, std::int32_t>;
  const D m = convert<double>(from_bits<float>((to_bits(x) & At(-0x7f800001)) | At(0x4b000000)));
  const D a = m * first, b = m * second;
  const D shifted = (a + b) + D(0x1.8p52);
  const D whole = a - (shifted - D(0x1.8p52));
  const D sum = whole + b;
  const D added = sum - whole;
  const D lost = (whole - (sum - added)) + (b - added);
  const D angle = rounded_product(sum + mul_add(m, third, lost), D(0x1.921fb54442d18p+0));
  high = convert<float>(angle);
  low = convert<float>(angle - convert<double>(high));
  return shifted;
}

[[gnu::noinline]] constexpr ReducedAngle<float> reduce_large_angle(float x) {
  const PiParts parts = pi_parts(pi_exponent(lane::to_bits(x)));
  ReducedAngle<float> angle{};
  const double quadrant = reduce_by_parts(x, parts.first, parts.second, parts.third, angle.high, angle.low);
  angle.quadrant = static_cast<std::int32_t>(lane::to_bits(quadrant));
  return angle;
}

/// `pi_parts` of all exponents.
template <class>
struct PiTable {
  static constexpr int first = -6, count = 111;
  static constexpr std::array<PiParts, count> parts = [] {
    std::array<PiParts, count> all{};
    for (int i = 0; i < count; ++i) all[static_cast<std::size_t>(i)] = pi_parts(first + i);
    return all;
  }();
};

/// Replaces the elements of `angle` whose x is above the bound.
template <class V>
  requires std::is_same_v<lane_element_t<V>, float>
[[gnu::noinline]] constexpr void replace_large_angles(const V& x, float bound, ReducedAngle<V>& angle) {
  using D = rebind_lane_t<V, double>;
  constexpr int count = lane_count_v<V>;
  std::int32_t bits[std::size_t{count}];
  double first[std::size_t{count}], second[std::size_t{count}], third[std::size_t{count}];
  static_assert(sizeof(bits) == sizeof(V) && sizeof(first) == sizeof(D));
  __builtin_memcpy(bits, &x, sizeof(bits));
  for (int i = 0; i < count; ++i) {
    const PiParts& parts = PiTable<V>::parts[static_cast<std::size_t>(pi_exponent(bits[i]) - PiTable<V>::first)];
    first[i] = parts.first;
    second[i] = parts.second;
    third[i] = parts.third;
  }
  D lanes[3];
  __builtin_memcpy(&lanes[0], first, sizeof(D));
  __builtin_memcpy(&lanes[1], second, sizeof(D));
  __builtin_memcpy(&lanes[2], third, sizeof(D));
  V high, low;
  const D shifted = reduce_by_parts(x, lanes[0], lanes[1], lanes[2], high, low);
  const V magnitude = abs(x);
  const auto here = (magnitude > V(bound)) && (magnitude < V(std::numeric_limits<float>::infinity()));
  angle.high = select(here, high, angle.high);
  angle.low = select(here, low, angle.low);
  std::int64_t quadrant[std::size_t{count}];
  __builtin_memcpy(quadrant, &shifted, sizeof(quadrant));
  for (int i = 0; i < count; ++i) bits[i] = static_cast<std::int32_t>(quadrant[i]);
  rebind_lane_t<V, std::int32_t> quadrants;
  __builtin_memcpy(&quadrants, bits, sizeof(bits));
  angle.quadrant = select(here, quadrants, angle.quadrant);
}

/// The same, one by one: rare.
template <class V>
  requires std::is_same_v<lane_element_t<V>, double>
[[gnu::noinline]] constexpr void replace_large_angles(const V& x, lane_element_t<V> bound, ReducedAngle<V>& angle) {
  using T = lane_element_t<V>;
  constexpr int count = lane_count_v<V>;
  constexpr T infinity = std::numeric_limits<T>::infinity();
  T from[std::size_t{count}], high[std::size_t{count}], low[std::size_t{count}];
  bits_t<T> quadrant[std::size_t{count}];
  static_assert(sizeof(from) == sizeof(V) && sizeof(quadrant) == sizeof(angle.quadrant));
  __builtin_memcpy(from, &x, sizeof(from));
  __builtin_memcpy(high, &angle.high, sizeof(high));
  __builtin_memcpy(low, &angle.low, sizeof(low));
  __builtin_memcpy(quadrant, &angle.quadrant, sizeof(quadrant));
  for (int i = 0; i < count; ++i) {
    const T magnitude = lane::abs(from[i]);
    if (!(magnitude > bound && magnitude < infinity)) continue;
    const ReducedAngle<T> one = reduce_large_angle(from[i]);
    high[i] = one.high;
    low[i] = one.low;
    quadrant[i] = one.quadrant;
  }
  __builtin_memcpy(&angle.high, high, sizeof(high));
  __builtin_memcpy(&angle.low, low, sizeof(low));
  __builtin_memcpy(&angle.quadrant, quadrant, sizeof(quadrant));
}

/// Cody and Waite's reduction with fma: pi/2 in three parts, x - n * part is exact in the first step, and the rounding
/// error of the second goes into `low`. The shorter fma(n, part2, first) fails near multiples of pi/2: there its error
/// is not a number of the format.
template <class V>
[[SITU_INLINE]] constexpr ReducedAngle<V> reduce_angle_fused(V x) {
  using T = lane_element_t<V>;
  constexpr bool single = std::is_same_v<T, float>;
  constexpr T part1 = single ? T(0x1.921fb6p+0) : T(0x1.921fb54442d18p+0);
  constexpr T part2 = single ? T(-0x1.777a5cp-25) : T(0x1.1a62633145c07p-54);
  constexpr T part3 = single ? T(-0x1.ee59dap-50) : T(-0x1.f1976b7ed8fbcp-110);
  constexpr T magic = single ? T(0x1.8p23) : T(0x1.8p52);  // adding it rounds to an integer
  const V shifted = fma(x, V(T(0x1.45f306dc9c883p-1)), V(magic));
  const V n = V(magic) - shifted;  // minus the integer
  const V first = fma(n, V(part1), x);
  const V product = rounded_product(n, V(part2));
  const V high = first + product;
  const V rest = (first - high) + product;  // exact: `first` is a multiple of the last place of `product`
  const V low = rest + fma(n, V(part3), fma(n, V(part2), -product));
  return {high, low, to_bits(shifted)};
}

/// The same without fma: parts short enough that n * part is exact for n below 2^20.
template <class V>
[[SITU_INLINE]] constexpr ReducedAngle<V> reduce_angle_split(V x)
  requires std::is_same_v<lane_element_t<V>, double>
{
  const V shifted = x * V(0x1.45f306dc9c883p-1) + V(0x1.8p52);
  const V n = shifted - V(0x1.8p52);
  const V first = x - n * V(0x1.921fb544p+0);
  const V product2 = n * V(0x1.0b4611a6p-34);
  const V second = first - product2;
  const V product3 = n * V(0x1.3198a2ep-69);
  const V third = second - product3;
  const V rest = (((first - second) - product2) + ((second - third) - product3)) - n * V(0x1.b839a252049c1p-104);
  const V high = third + rest;
  return {high, rest - (high - third), to_bits(shifted)};
}

}  // namespace detail

/// Reduces any angle: two fast methods for |x| up to a bound, Payne and Hanek's beyond.
template <class V>
[[SITU_INLINE]] constexpr ReducedAngle<V> reduce_angle(V x) {
  using T = lane_element_t<V>;
  constexpr T bound = std::is_same_v<T, float> ? T(0x1p17) : has_fast_fma ? T(0x1p27) : T(0x1p20);
  ReducedAngle<V> angle;
  if constexpr (has_fast_fma) {
    angle = detail::reduce_angle_fused(x);
  } else if constexpr (std::is_same_v<T, double>) {
    angle = detail::reduce_angle_split(x);
  } else {  // through double: 33 bits of pi/2 times n are exact
    const auto wide = convert<double>(x);
    const auto shifted = wide * decltype(wide)(0x1.45f306dc9c883p-1) + decltype(wide)(0x1.8p52);
    const auto n = shifted - decltype(wide)(0x1.8p52);
    const auto rest = (wide - n * decltype(wide)(0x1.921fb544p+0)) - n * decltype(wide)(0x1.0b4611a626331p-34);
    angle.high = convert<float>(rest);
    angle.low = convert<float>(rest - convert<double>(angle.high));
    angle.quadrant = convert<std::int32_t>(to_bits(shifted));
  }
  if constexpr (std::is_same_v<V, T>) {  // by value: on a GPU, an argument by reference is in local memory
    if (abs(x) > bound && abs(x) < std::numeric_limits<T>::infinity()) [[unlikely]]
      return detail::reduce_large_angle(x);
  } else if (any(abs(x) > V(bound))) {
    detail::replace_large_angles(x, bound, angle);
  }
  return angle;
}

}  // namespace situ::internal::inline SITU_SETTINGS::math
