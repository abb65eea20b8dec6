// SPDX-License-Identifier: Apache-2.0
// The primitives that formulas are written in, for one scalar (host or CUDA device). `cpu/lanes/lanes.hpp` has the same
// names for `Lanes<T, Size>`, so that one template serves both.
#pragma once

#include <cmath>
#include <concepts>
#include <cstdint>
#include <limits>
#include <type_traits>

#include <situ/core/lane_traits.hpp>

namespace situ {

/// The primitives for scalars. They are not in `situ` itself: there `using namespace situ` would make a plain
/// `sqrt(2.0)` ambiguous. `situ::internal::math`, `situ::internal::functional` and `situ::internal::cpu` see them
/// unqualified.
namespace internal::lane {

template <class T>
concept Float = std::same_as<T, float> || std::same_as<T, double>;

template <class T>
concept Number = Float<T> || (std::integral<T> && !std::same_as<T, bool>);

/// a * b + c with one rounding on any hardware, for formulas that must agree everywhere.
template <Float T>
constexpr T fma(T a, T b, T c) {
  if constexpr (std::same_as<T, float>) return ::fmaf(a, b, c);
  else return ::fma(a, b, c);
}

/// a * b + c in the fastest way: one rounding if the hardware can, else two. (`fused` keeps the symbols of the two
/// apart: see SITU_SETTINGS.)
template <Float T, bool fused = has_fast_fma>
constexpr T mul_add(T a, T b, T c) {
  if constexpr (fused) return lane::fma(a, b, c);
  else return a * b + c;
}

/// a * b rounded separately: a compiler may contract `a * b + c` into an fma, but not this product. Adding -0 changes
/// no product, not even its sign.
template <Float T, bool fused = has_fast_fma>
constexpr T rounded_product(T a, T b) {
  if constexpr (fused) return lane::fma(a, b, T(-0.0));
  else return a * b;
}

template <class T>
  requires std::is_arithmetic_v<T>
constexpr T select(bool mask, T a, T b) {
  return mask ? a : b;
}

template <Float T>
constexpr T sqrt(T x) {
  if constexpr (std::same_as<T, float>) return ::sqrtf(x);
  else return ::sqrt(x);
}

template <Float T>
constexpr T floor(T x) {
  if constexpr (std::same_as<T, float>) return ::floorf(x);
  else return ::floor(x);
}

template <Float T>
constexpr T ceil(T x) {
  if constexpr (std::same_as<T, float>) return ::ceilf(x);
  else return ::ceil(x);
}

template <Float T>
constexpr T trunc(T x) {
  if constexpr (std::same_as<T, float>) return ::truncf(x);
  else return ::trunc(x);
}

/// The nearest integer, ties to even.
template <Float T>
constexpr T round_even(T x) {
  if constexpr (std::same_as<T, float>) return ::rintf(x);
  else return ::rint(x);
}

/// The bits of an element as a signed integer of its width.
template <Number T>
constexpr bits_t<T> to_bits(T x) {
  return __builtin_bit_cast(bits_t<T>, x);
}

/// The `T` with these bits, the inverse of `to_bits`.
template <class T, std::integral Bits>
  requires(sizeof(T) == sizeof(Bits))
constexpr T from_bits(Bits bits) {
  return __builtin_bit_cast(T, bits);
}

/// `x` with zeros shifted in from the left, for signed integers too.
template <std::integral Bits>
constexpr Bits shift_right_logical(Bits x, int count) {
  return static_cast<Bits>(static_cast<std::make_unsigned_t<Bits>>(x) >> count);
}

/// Sums, differences and products; those of integers wrap.
template <Number T>
constexpr T add(T a, T b) {
  if constexpr (Float<T>) return a + b;
  else return static_cast<T>(static_cast<std::uint64_t>(a) + static_cast<std::uint64_t>(b));
}
template <Number T>
constexpr T subtract(T a, T b) {
  if constexpr (Float<T>) return a - b;
  else return static_cast<T>(static_cast<std::uint64_t>(a) - static_cast<std::uint64_t>(b));
}
template <Number T>
constexpr T multiply(T a, T b) {
  if constexpr (Float<T>) return a * b;
  else return static_cast<T>(static_cast<std::uint64_t>(a) * static_cast<std::uint64_t>(b));
}
template <Number T>
constexpr T negate(T x) {
  if constexpr (Float<T>) return -x;
  else return lane::subtract(T(0), x);
}

/// The complex conjugate; a real number is its own. Gradients are multiplied by conjugates of derivatives, as in
/// PyTorch's convention: dL/dx + i dL/dy.
template <class V>
constexpr V conjugate(V x) {
  return x;
}

/// |x|; the smallest integer wraps to itself.
template <Number T>
constexpr T abs(T x) {
  if constexpr (Float<T>) return from_bits<T>(to_bits(x) & std::numeric_limits<bits_t<T>>::max());
  else if constexpr (std::is_unsigned_v<T>) return x;
  else return x < 0 ? lane::negate(x) : x;
}

/// |x| with the sign of `sign`, which may be a zero or a NaN.
template <Float T>
constexpr T copy_sign(T x, T sign) {
  constexpr bits_t<T> rest = std::numeric_limits<bits_t<T>>::max();
  return from_bits<T>(static_cast<bits_t<T>>((to_bits(x) & rest) | (to_bits(sign) & ~rest)));
}

/// Whether the sign bit is set: true for -0 as well.
template <Float T>
constexpr bool sign_bit(T x) {
  return to_bits(x) < 0;
}

/// `a < b ? a : b`: `b` if either is NaN. One instruction on most machines.
template <Number T>
constexpr T min_number(T a, T b) {
  return a < b ? a : b;
}
/// `a > b ? a : b`: `b` if either is NaN.
template <Number T>
constexpr T max_number(T a, T b) {
  return a > b ? a : b;
}

constexpr bool any(bool mask) { return mask; }
constexpr bool all(bool mask) { return mask; }

/// A `static_cast` defined for every value: a float outside the range of an integer type becomes the nearest integer,
/// NaN becomes 0; integers wrap; everything but zero is true.
template <class U, class T>
  requires(std::is_arithmetic_v<T> && std::is_arithmetic_v<U>)
constexpr U convert(T x) {
  if constexpr (std::same_as<U, bool>) {
    return x != T(0);
  } else if constexpr (Float<T> && std::integral<U>) {
    constexpr T low = static_cast<T>(std::numeric_limits<U>::min());
    constexpr T beyond = T(2) * static_cast<T>(std::numeric_limits<U>::max() / 2 + 1);  // exact: a power of two
    if (x != x) return U(0);
    if (x <= low) return std::numeric_limits<U>::min();
    if (x >= beyond) return std::numeric_limits<U>::max();
    return static_cast<U>(x);
  } else {
    return static_cast<U>(x);
  }
}

/// `convert` without range checks, for floats known to be within the range of U.
template <std::integral U, Float T>
constexpr U convert_exact(T x) {
  return static_cast<U>(x);
}

/// `x` narrowed to the storage type `S` and widened again, where an expression over `float16` must round. `S` is the
/// element type itself, or a 16-bit float that converts from and to `float`.
template <class S, class T>
constexpr T round_to(T x) {
  if constexpr (std::same_as<S, T>) return x;
  else return static_cast<T>(S(x));
}

/// The quotient of integers rounded down: 0 when dividing by zero, wraps for the smallest integer by -1.
template <std::integral T>
constexpr T floor_divide(T a, T b) {
  if (b == 0) return T(0);
  if constexpr (std::is_signed_v<T>) {
    if (b == T(-1)) return lane::negate(a);
    const T quotient = static_cast<T>(a / b);
    return static_cast<T>(quotient - ((a % b != 0 && (a < 0) != (b < 0)) ? 1 : 0));
  } else {
    return static_cast<T>(a / b);
  }
}

/// a - b * floor_divide(a, b) for integers: it has the sign of `b`; 0 when dividing by zero.
template <std::integral T>
constexpr T remainder(T a, T b) {
  if (b == 0) return T(0);
  if constexpr (std::is_signed_v<T>) {
    if (b == T(-1)) return T(0);
    const T rest = static_cast<T>(a % b);
    return (rest != 0 && (rest < 0) != (b < 0)) ? static_cast<T>(rest + b) : rest;
  } else {
    return static_cast<T>(a % b);
  }
}

}  // namespace internal::lane

namespace internal::inline SITU_SETTINGS::math {
using namespace lane;
}  // namespace internal::inline SITU_SETTINGS::math
namespace internal::functional {
using namespace lane;
}  // namespace internal::functional

}  // namespace situ
