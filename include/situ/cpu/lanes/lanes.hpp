// SPDX-License-Identifier: Apache-2.0
// SIMD vectors: `Lanes<T, Size>` and `Mask<T, Size>`, `Size` elements in as many vector registers as they need, with the
// operators and the primitives of core/lane.hpp. Loads, stores and conversions: memory.hpp and convert.hpp, included here.
#pragma once

#include <concepts>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <type_traits>
#include <utility>

#include <situ/core/config.hpp>
#include <situ/core/lane.hpp>
#include <situ/cpu/lanes/mask.hpp>
#include <situ/cpu/lanes/native.hpp>

namespace situ::internal::inline SITU_SETTINGS::cpu {

/// `Size` elements of T (any arithmetic type but `bool`). Integers wrap. The constructor from one value fills all.
///
///     Lanes<float, 16> x = load<float, 16>(p);
///     store(p, select(x < 0.0f, 0.0f, x * 2.0f + 1.0f));
template <class T, int Size>
struct Lanes {
  static_assert(std::is_arithmetic_v<T> && !std::same_as<T, bool>);
  using Register = typename LaneLayout<T, Size>::Register;
  /// Integers compute as unsigned: signed overflow of a vector is undefined too.
  using Unsigned = typename LaneLayout<
      typename std::conditional_t<std::integral<T>, std::make_unsigned<T>, std::type_identity<T>>::type,
      Size>::Register;
  using Bits = typename LaneLayout<bits_t<T>, Size>::Register;
  static constexpr int registers = LaneLayout<T, Size>::registers;
  static constexpr int count = Size;
  Register part[std::size_t{registers}];

  Lanes() = default;
  [[SITU_INLINE]] Lanes(T value) {
    const Register all = native::broadcast<Register>(value);
    native::fill(*this, all);
  }

  [[nodiscard]] T operator[](int i) const {
    return part[i / LaneLayout<T, Size>::width][i % LaneLayout<T, Size>::width];
  }

  // Arithmetic.
  [[SITU_INLINE]] friend inline Lanes operator+(Lanes a, Lanes b) {
    return native::zip<Lanes>(
        [](Register x, Register y) SITU_INLINE_LAMBDA { return Register(Unsigned(x) + Unsigned(y)); }, a, b);
  }
  [[SITU_INLINE]] friend inline Lanes operator-(Lanes a, Lanes b) {
    return native::zip<Lanes>(
        [](Register x, Register y) SITU_INLINE_LAMBDA { return Register(Unsigned(x) - Unsigned(y)); }, a, b);
  }
  [[SITU_INLINE]] friend inline Lanes operator*(Lanes a, Lanes b) {
    return native::zip<Lanes>(
        [](Register x, Register y) SITU_INLINE_LAMBDA { return Register(Unsigned(x) * Unsigned(y)); }, a, b);
  }
  [[SITU_INLINE]] friend inline Lanes operator/(Lanes a, Lanes b)
    requires std::floating_point<T>
  {
    return native::zip<Lanes>([](Register x, Register y) SITU_INLINE_LAMBDA { return x / y; }, a, b);
  }
  [[SITU_INLINE]] friend inline Lanes operator-(Lanes a) {
    return native::zip<Lanes>([](Register x) SITU_INLINE_LAMBDA { return Register(-Unsigned(x)); }, a);
  }
  [[SITU_INLINE]] Lanes& operator+=(Lanes b) { return *this = *this + b; }
  [[SITU_INLINE]] Lanes& operator-=(Lanes b) { return *this = *this - b; }
  [[SITU_INLINE]] Lanes& operator*=(Lanes b) { return *this = *this * b; }

  // Comparisons: false with a NaN, except `!=`.
  [[SITU_INLINE]] friend inline Mask<T, Size> operator==(Lanes a, Lanes b) {
    return native::zip<Mask<T, Size>>([](Register x, Register y) SITU_INLINE_LAMBDA { return Bits(x == y); }, a, b);
  }
  [[SITU_INLINE]] friend inline Mask<T, Size> operator!=(Lanes a, Lanes b) {
    return native::zip<Mask<T, Size>>([](Register x, Register y) SITU_INLINE_LAMBDA { return Bits(x != y); }, a, b);
  }
  [[SITU_INLINE]] friend inline Mask<T, Size> operator<(Lanes a, Lanes b) {
    return native::zip<Mask<T, Size>>([](Register x, Register y) SITU_INLINE_LAMBDA { return Bits(x < y); }, a, b);
  }
  [[SITU_INLINE]] friend inline Mask<T, Size> operator<=(Lanes a, Lanes b) {
    return native::zip<Mask<T, Size>>([](Register x, Register y) SITU_INLINE_LAMBDA { return Bits(x <= y); }, a, b);
  }
  [[SITU_INLINE]] friend inline Mask<T, Size> operator>(Lanes a, Lanes b) { return b < a; }
  [[SITU_INLINE]] friend inline Mask<T, Size> operator>=(Lanes a, Lanes b) { return b <= a; }

  // Bits of integers. A shift count is at least 0 and below the width; `>>` of a signed type copies the sign.
  [[SITU_INLINE]] friend inline Lanes operator&(Lanes a, Lanes b)
    requires std::integral<T>
  {
    return native::zip<Lanes>([](Register x, Register y) SITU_INLINE_LAMBDA { return x & y; }, a, b);
  }
  [[SITU_INLINE]] friend inline Lanes operator|(Lanes a, Lanes b)
    requires std::integral<T>
  {
    return native::zip<Lanes>([](Register x, Register y) SITU_INLINE_LAMBDA { return x | y; }, a, b);
  }
  [[SITU_INLINE]] friend inline Lanes operator^(Lanes a, Lanes b)
    requires std::integral<T>
  {
    return native::zip<Lanes>([](Register x, Register y) SITU_INLINE_LAMBDA { return x ^ y; }, a, b);
  }
  [[SITU_INLINE]] friend inline Lanes operator~(Lanes a)
    requires std::integral<T>
  {
    return native::zip<Lanes>([](Register x) SITU_INLINE_LAMBDA { return ~x; }, a);
  }
  [[SITU_INLINE]] friend inline Lanes operator<<(Lanes a, int shift)
    requires std::integral<T>
  {
    return native::zip<Lanes>([=](Register x) SITU_INLINE_LAMBDA { return Register(Unsigned(x) << shift); }, a);
  }
  [[SITU_INLINE]] friend inline Lanes operator>>(Lanes a, int shift)
    requires std::integral<T>
  {
    return native::zip<Lanes>([=](Register x) SITU_INLINE_LAMBDA { return x >> shift; }, a);
  }
  [[SITU_INLINE]] friend inline Lanes operator<<(Lanes a, Lanes counts)
    requires std::integral<T>
  {
    return native::zip<Lanes>(
        [](Register x, Register y) SITU_INLINE_LAMBDA { return Register(Unsigned(x) << Unsigned(y)); }, a, counts);
  }
  [[SITU_INLINE]] friend inline Lanes operator>>(Lanes a, Lanes counts)
    requires std::integral<T>
  {
    return native::zip<Lanes>([](Register x, Register y) SITU_INLINE_LAMBDA { return x >> y; }, a, counts);
  }

  /// `a` where the mask is true, `b` elsewhere. A mask of another width is converted.
  template <class U>
  [[SITU_INLINE]] friend inline Lanes select(Mask<U, Size> mask, Lanes a, Lanes b) {
    const Mask<T, Size> m = mask;
    return native::zip<Lanes>([](Bits c, Register x, Register y) SITU_INLINE_LAMBDA { return c ? x : y; }, m, a, b);
  }

  // Floating point (see core/lane.hpp for what each promises).
  [[SITU_INLINE]] friend inline Lanes fma(Lanes a, Lanes b, Lanes c)
    requires std::floating_point<T>
  {
    return native::zip<Lanes>(
        [](Register x, Register y, Register z) SITU_INLINE_LAMBDA { return native::fma(x, y, z); }, a, b, c);
  }
  [[SITU_INLINE]] friend inline Lanes rounded_product(Lanes a, Lanes b)
    requires std::floating_point<T>
  {
    if constexpr (has_fast_fma) return fma(a, b, Lanes(T(-0.0)));
    else return a * b;
  }
  [[SITU_INLINE]] friend inline Lanes sqrt(Lanes a)
    requires std::floating_point<T>
  {
    return native::zip<Lanes>([](Register x) SITU_INLINE_LAMBDA { return native::sqrt(x); }, a);
  }
  [[SITU_INLINE]] friend inline Lanes round_even(Lanes a)
    requires std::floating_point<T>
  {
    return native::zip<Lanes>([](Register x) SITU_INLINE_LAMBDA { return native::round<0>(x); }, a);
  }
  [[SITU_INLINE]] friend inline Lanes floor(Lanes a)
    requires std::floating_point<T>
  {
    return native::zip<Lanes>([](Register x) SITU_INLINE_LAMBDA { return native::round<1>(x); }, a);
  }
  [[SITU_INLINE]] friend inline Lanes ceil(Lanes a)
    requires std::floating_point<T>
  {
    return native::zip<Lanes>([](Register x) SITU_INLINE_LAMBDA { return native::round<2>(x); }, a);
  }
  [[SITU_INLINE]] friend inline Lanes trunc(Lanes a)
    requires std::floating_point<T>
  {
    return native::zip<Lanes>([](Register x) SITU_INLINE_LAMBDA { return native::round<3>(x); }, a);
  }
#if defined(__AVX512F__) && defined(__AVX512DQ__)
  /// x * 2^n for an integer n, rounded once: one instruction (see formula/math/exp.hpp).
  [[SITU_INLINE]] friend inline Lanes scale_by_power(Lanes a, Lanes n)
    requires(std::floating_point<T> && sizeof(Register) == 64)
  {
    return native::zip<Lanes>([](Register x, Register y) SITU_INLINE_LAMBDA { return native::scale_by_power(x, y); }, a,
                              n);
  }
#endif
  [[SITU_INLINE]] friend inline Lanes abs(Lanes a) {
    if constexpr (std::floating_point<T>) return copy_sign(a, Lanes(T(0)));
    else if constexpr (std::is_unsigned_v<T>) return a;
    else return select(a < Lanes(T(0)), -a, a);
  }
  [[SITU_INLINE]] friend inline Lanes min_number(Lanes a, Lanes b) {
    return native::zip<Lanes>([](Register x, Register y) SITU_INLINE_LAMBDA { return native::min(x, y); }, a, b);
  }
  [[SITU_INLINE]] friend inline Lanes max_number(Lanes a, Lanes b) {
    return native::zip<Lanes>([](Register x, Register y) SITU_INLINE_LAMBDA { return native::max(x, y); }, a, b);
  }
  [[SITU_INLINE]] friend inline Lanes add(Lanes a, Lanes b) { return a + b; }
  [[SITU_INLINE]] friend inline Lanes subtract(Lanes a, Lanes b) { return a - b; }
  [[SITU_INLINE]] friend inline Lanes multiply(Lanes a, Lanes b) { return a * b; }
  [[SITU_INLINE]] friend inline Lanes negate(Lanes a) { return -a; }

  [[SITU_INLINE]] friend inline Lanes<bits_t<T>, Size> to_bits(Lanes a) {
    return native::zip<Lanes<bits_t<T>, Size>>([](Register x) SITU_INLINE_LAMBDA { return Bits(x); }, a);
  }
  [[SITU_INLINE]] friend inline Mask<T, Size> sign_bit(Lanes a)
    requires std::floating_point<T>
  {
    return to_bits(a) < Lanes<bits_t<T>, Size>(bits_t<T>(0));
  }
};

// Not friends like the others: nvcc 13.0 fails with an internal error, or a segmentation fault, at the constraints of
// these.
template <std::floating_point T, int Size>
[[SITU_INLINE]] inline Lanes<T, Size> mul_add(Lanes<T, Size> a, Lanes<T, Size> b, Lanes<T, Size> c) {
  if constexpr (has_fast_fma) return fma(a, b, c);
  else return a * b + c;
}
template <std::floating_point T, int Size>
[[SITU_INLINE]] inline Lanes<T, Size> copy_sign(Lanes<T, Size> a, Lanes<T, Size> sign) {
  using Register = typename Lanes<T, Size>::Register;
  return native::zip<Lanes<T, Size>>([](Register x, Register y) SITU_INLINE_LAMBDA { return native::copy_sign(x, y); },
                                     a, sign);
}
template <std::integral T, int Size>
[[SITU_INLINE]] inline Lanes<T, Size> shift_right_logical(Lanes<T, Size> a, int shift) {
  using Register = typename Lanes<T, Size>::Register;
  using Unsigned = typename Lanes<T, Size>::Unsigned;
  return native::zip<Lanes<T, Size>>([=](Register x) SITU_INLINE_LAMBDA { return Register(Unsigned(x) >> shift); }, a);
}

template <class T, class At, int Size>
  requires(sizeof(T) == sizeof(At))
[[SITU_INLINE]] inline Lanes<T, Size> from_bits(Lanes<At, Size> bits) {
  using Register = typename Lanes<T, Size>::Register;
  return native::zip<Lanes<T, Size>>([](auto x) SITU_INLINE_LAMBDA { return Register(x); }, bits);
}

}  // namespace situ::internal::inline SITU_SETTINGS::cpu

namespace situ::internal {

template <class T, int Size>
struct LaneTraits<internal::cpu::Lanes<T, Size>> {
  using element = T;
  using mask = internal::cpu::Mask<T, Size>;
  template <class U>
  using rebind = typename internal::cpu::LaneRebind<T, U, Size>::type;
  static constexpr int count = Size;
};

template <class T, int Size>
struct LaneTraits<internal::cpu::Mask<T, Size>> {
  using element = bool;
  using mask = internal::cpu::Mask<T, Size>;
  template <class U>
  using rebind = typename LaneTraits<internal::cpu::Lanes<T, Size>>::template rebind<U>;
  static constexpr int count = Size;
};

}  // namespace situ::internal

#include <situ/cpu/lanes/convert.hpp>
#include <situ/cpu/lanes/divide.hpp>
#include <situ/cpu/lanes/memory.hpp>
