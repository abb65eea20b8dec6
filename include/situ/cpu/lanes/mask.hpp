// SPDX-License-Identifier: Apache-2.0
// The division of a SIMD vector into registers, and `Mask<T, Size>`, the result of comparing `Lanes<T, Size>`.
#pragma once

#include <concepts>
#include <cstddef>
#include <type_traits>
#include <utility>

#include <situ/core/config.hpp>
#include <situ/core/lane.hpp>
#include <situ/cpu/lanes/native.hpp>

namespace situ::internal::inline SITU_SETTINGS::cpu {

/// How `Size` elements of T are divided into registers.
template <class T, int Size>
struct LaneLayout {
  static constexpr int bytes = Size * static_cast<int>(sizeof(T));
  static constexpr int register_bytes = bytes < vector_bytes ? bytes : vector_bytes;
  static constexpr int registers = bytes / register_bytes;
  static constexpr int width = Size / registers;
  using Register = native::vector_t<T, register_bytes>;
  static_assert((Size & (Size - 1)) == 0, "a lane holds a power of two of elements");
};

template <class T, int Size>
struct Lanes;
template <class T, int Size>
struct Mask;

/// `Lanes<U, Size>`, or the mask of `Lanes<T, Size>` if `U` is `bool`.
template <class T, class U, int Size>
struct LaneRebind {
  using type = Lanes<U, Size>;
};
template <class T, int Size>
struct LaneRebind<T, bool, Size> {
  using type = Mask<T, Size>;
};

namespace native {

template <std::size_t At, class F, class... Operand>
[[SITU_INLINE]] inline auto zip_part(F f, const Operand&... operand) {
  return f(operand.part[At]...);
}

/// `f` on each register of the operands. Indices are template arguments: a loop would keep the registers in memory.
template <class Result, class F, std::size_t... At, class... Operand>
[[SITU_INLINE]] inline Result zip(std::index_sequence<At...>, F f, const Operand&... operand) {
  Result result;
  ((result.part[At] = zip_part<At>(f, operand...)), ...);
  return result;
}
template <class Result, class F, class... Operand>
[[SITU_INLINE]] inline Result zip(F f, const Operand&... operand) {
  if constexpr (Result::registers == 1) {
    Result result;
    result.part[0] = f(operand.part[0]...);
    return result;
  } else {
    return zip<Result>(std::make_index_sequence<Result::registers>{}, f, operand...);
  }
}

/// All registers set to one.
template <class L, class R>
[[SITU_INLINE]] inline void fill(L& lanes, R value) {
  [&]<std::size_t... At>(std::index_sequence<At...>)
      SITU_INLINE_LAMBDA { ((lanes.part[At] = value), ...); }(std::make_index_sequence<L::registers>{});
}

}  // namespace native

/// The result of comparing `Lanes<T, Size>`: as wide as they are, each element all ones or all zero.
/// Masks of different widths combine; the result has the width of the left one.
template <class T, int Size>
struct Mask {
  using Integer = bits_t<T>;
  using Register = typename LaneLayout<Integer, Size>::Register;
  static constexpr int registers = LaneLayout<Integer, Size>::registers;
  static constexpr int count = Size;
  Register part[std::size_t{registers}];

  Mask() = default;
  [[SITU_INLINE]] explicit Mask(bool value) {
    const Register all = native::broadcast<Register>(value ? Integer(-1) : Integer(0));
    native::fill(*this, all);
  }
  /// Another element type: widened or narrowed.
  template <class U>
  [[SITU_INLINE]] Mask(const Mask<U, Size>& other);

  [[SITU_INLINE]] friend inline Mask operator&(Mask a, Mask b) {
    return native::zip<Mask>([](auto x, auto y) SITU_INLINE_LAMBDA { return x & y; }, a, b);
  }
  [[SITU_INLINE]] friend inline Mask operator|(Mask a, Mask b) {
    return native::zip<Mask>([](auto x, auto y) SITU_INLINE_LAMBDA { return x | y; }, a, b);
  }
  [[SITU_INLINE]] friend inline Mask operator^(Mask a, Mask b) {
    return native::zip<Mask>([](auto x, auto y) SITU_INLINE_LAMBDA { return x ^ y; }, a, b);
  }
  /// Both sides are evaluated.
  [[SITU_INLINE]] friend inline Mask operator&&(Mask a, Mask b) { return a & b; }
  [[SITU_INLINE]] friend inline Mask operator||(Mask a, Mask b) { return a | b; }
  [[SITU_INLINE]] friend inline Mask operator!(Mask a) {
    return native::zip<Mask>([](auto x) SITU_INLINE_LAMBDA { return ~x; }, a);
  }
  [[SITU_INLINE]] friend inline Mask operator==(Mask a, Mask b) { return !(a ^ b); }
  [[SITU_INLINE]] friend inline Mask operator!=(Mask a, Mask b) { return a ^ b; }

  /// Whether element `i` is true: for tests and rare paths.
  [[nodiscard]] bool operator[](int i) const {
    return part[i / LaneLayout<Integer, Size>::width][i % LaneLayout<Integer, Size>::width] != 0;
  }
};

template <class T, class U, int Size>
  requires(!std::same_as<T, U>)
[[SITU_INLINE]] inline Mask<T, Size> operator&(Mask<T, Size> a, Mask<U, Size> b) {
  return a & Mask<T, Size>(b);
}
template <class T, class U, int Size>
  requires(!std::same_as<T, U>)
[[SITU_INLINE]] inline Mask<T, Size> operator|(Mask<T, Size> a, Mask<U, Size> b) {
  return a | Mask<T, Size>(b);
}
template <class T, class U, int Size>
  requires(!std::same_as<T, U>)
[[SITU_INLINE]] inline Mask<T, Size> operator^(Mask<T, Size> a, Mask<U, Size> b) {
  return a ^ Mask<T, Size>(b);
}
template <class T, class U, int Size>
  requires(!std::same_as<T, U>)
[[SITU_INLINE]] inline Mask<T, Size> operator&&(Mask<T, Size> a, Mask<U, Size> b) {
  return a & Mask<T, Size>(b);
}
template <class T, class U, int Size>
  requires(!std::same_as<T, U>)
[[SITU_INLINE]] inline Mask<T, Size> operator||(Mask<T, Size> a, Mask<U, Size> b) {
  return a | Mask<T, Size>(b);
}

}  // namespace situ::internal::inline SITU_SETTINGS::cpu
