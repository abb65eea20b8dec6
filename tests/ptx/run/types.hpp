// SPDX-License-Identifier: Apache-2.0
// Types of PTX, and values of them in registers.
#pragma once

#include <bit>
#include <cstdint>
#include <string_view>
#include <type_traits>

namespace ptx {

using Word = std::uint64_t;   // what a register holds in a lane
using Lanes = std::uint32_t;  // a bit for each thread of a warp
inline constexpr Lanes all_lanes = ~Lanes{0};
inline constexpr int warp_size = 32;

enum class Type : std::uint8_t {
  none,
  b8,
  b16,
  b32,
  b64,
  b128,
  u8,
  u16,
  u32,
  u64,
  s8,
  s16,
  s32,
  s64,
  f16,
  bf16,
  f32,
  f64,
  f16x2,
  bf16x2,
  pred
};

/// Type::none for what names no type.
[[nodiscard]] Type type_named(std::string_view name);
[[nodiscard]] std::string_view name_of(Type type);
[[nodiscard]] int bytes_of(Type type);
[[nodiscard]] inline int bits_of(Type type) { return 8 * bytes_of(type); }
[[nodiscard]] inline bool is_signed(Type type) { return type >= Type::s8 && type <= Type::s64; }
[[nodiscard]] inline bool is_float(Type type) { return type >= Type::f16 && type <= Type::f64; }

/// A word with ones in its last `bits`.
[[nodiscard]] constexpr Word ones(int bits) { return bits >= 64 ? ~Word{0} : (Word{1} << bits) - 1; }

/// A register's word as a value, and back. Bits beyond the type's, and so beyond the register's, are ignored.
template <class V>
[[nodiscard]] inline V value_of(Word word) {
  if constexpr (std::is_same_v<V, float>) {
    return std::bit_cast<float>(static_cast<std::uint32_t>(word));
  } else if constexpr (std::is_same_v<V, double>) {
    return std::bit_cast<double>(word);
  } else {
    return static_cast<V>(word);
  }
}
template <class V>
[[nodiscard]] inline Word word_of(V value) {
  if constexpr (std::is_same_v<V, float>) {
    return std::bit_cast<std::uint32_t>(value);
  } else if constexpr (std::is_same_v<V, double>) {
    return std::bit_cast<std::uint64_t>(value);
  } else {
    return static_cast<Word>(static_cast<std::make_unsigned_t<V>>(value));
  }
}

/// An integer into a register that may be wider: its sign is extended.
template <class V>
[[nodiscard]] inline Word extended(V value) {
  return static_cast<Word>(static_cast<std::int64_t>(value));
}

/// Calls `f` with a value of the type that has a type's size and sign. Of floats and bits: unsigned integers.
template <class F>
auto with_integer(Type type, F f) -> decltype(f(std::uint8_t{})) {
  switch (type) {
    case Type::s8:
      return f(std::int8_t{});
    case Type::s16:
      return f(std::int16_t{});
    case Type::s32:
      return f(std::int32_t{});
    case Type::s64:
      return f(std::int64_t{});
    default:
      break;
  }
  switch (bytes_of(type)) {
    case 1:
      return f(std::uint8_t{});
    case 2:
      return f(std::uint16_t{});
    case 4:
      return f(std::uint32_t{});
    case 8:
      return f(std::uint64_t{});
    default:
      return {};
  }
}

}  // namespace ptx
