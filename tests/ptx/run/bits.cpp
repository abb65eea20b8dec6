// SPDX-License-Identifier: Apache-2.0
// Operations of single bits and of bytes.
#include <algorithm>
#include <bit>
#include <stdexcept>
#include <type_traits>

#include "builder.hpp"
#include "map.hpp"
#include "text.hpp"

namespace ptx {
namespace {

using U32 = std::uint32_t;
using U64 = std::uint64_t;

template <class V>
V reversed(V value) {
  V result = 0;
  for (int k = 0; k < 8 * static_cast<int>(sizeof(V)); ++k, value >>= 1) {
    result = static_cast<V>(result << 1 | (value & 1));
  }
  return result;
}

/// The highest bit that is not the sign, or all ones where there is none.
template <class V>
U32 leading_bit(V value, bool as_shift) {
  using U = std::make_unsigned_t<V>;
  const U bits = value < 0 ? static_cast<U>(~static_cast<U>(value)) : static_cast<U>(value);
  if (bits == 0) return ~U32{0};
  const auto from_left = static_cast<U32>(std::countl_zero(bits));
  return as_shift ? from_left : 8 * static_cast<U32>(sizeof(V)) - 1 - from_left;
}

template <class V>
Operation of_one(const Statement& s) {
  using U = std::make_unsigned_t<V>;
  if (s.name == "popc") return operation<U, decltype([](U a) { return static_cast<U32>(std::popcount(a)); })>();
  if (s.name == "clz") return operation<U, decltype([](U a) { return static_cast<U32>(std::countl_zero(a)); })>();
  if (s.name == "brev") return operation<U, decltype([](U a) { return reversed(a); })>();
  if (s.has("shiftamt")) return operation<V, decltype([](V a) { return leading_bit(a, true); })>();
  return operation<V, decltype([](V a) { return leading_bit(a, false); })>();
}

/// Bits from a place, as many as wanted; beyond the word, and for signed ones beyond the field, copies of its sign.
template <class V>
V extracted(V value, U32 from, U32 count) {
  constexpr U32 width = 8 * sizeof(V);
  from &= 255;
  count &= 255;
  if (count == 0) return 0;
  const bool negative = value < 0;
  const auto bit = [&](U32 at) { return at < width ? (value >> at & 1) != 0 : negative; };
  const bool fill = std::is_signed_v<V> && bit(std::min(from + count - 1, width - 1));
  std::make_unsigned_t<V> result = 0;
  for (U32 k = 0; k < width; ++k) {
    const bool here = k < count && from + k < width ? bit(from + k) : fill;
    result = static_cast<std::make_unsigned_t<V>>(result | static_cast<std::make_unsigned_t<V>>(here) << k);
  }
  return static_cast<V>(result);
}
template <class V>
void extract(Warp& w, const Instruction& i, Lanes lanes) {
  const Word* const a = w.words(i.source[0]);
  const Word* const from = w.words(i.source[1]);
  const Word* const count = w.words(i.source[2]);
  const Lanes sound = w.defined(i.source[0]) & w.defined(i.source[1]) & w.defined(i.source[2]);
  Word* const d = w.result(i.destination[0], lanes, sound);
  each_lane(lanes, [&](int lane) {
    d[lane] = word_of(extracted(value_of<V>(a[lane]), static_cast<U32>(from[lane]), static_cast<U32>(count[lane])));
  });
}

template <class V>
void insert(Warp& w, const Instruction& i, Lanes lanes) {
  const Word* words[4];
  Lanes sound = all_lanes;
  for (std::size_t k = 0; k < 4; ++k) {
    words[k] = w.words(i.source[k]);
    sound &= w.defined(i.source[k]);
  }
  Word* const d = w.result(i.destination[0], lanes, sound);
  each_lane(lanes, [&](int lane) {
    const auto from = static_cast<int>(words[2][lane] & 255);
    const auto count = static_cast<int>(words[3][lane] & 255);
    constexpr int width = 8 * static_cast<int>(sizeof(V));
    const Word field = from < width ? ones(std::min(count, width - from)) << from : 0;
    d[lane] = (words[1][lane] & ~field) | (words[0][lane] << std::min(from, width - 1) & field);
    d[lane] &= ones(width);
  });
}

/// Which four bytes of eight, by the mode; the selector of the general one has four bits for each.
U32 permutation(int mode, U32 selector) {
  constexpr U32 none = 0xffff;
  static constexpr U32 by_mode[6][4] = {
      {0x3210, 0x4321, 0x5432, 0x6543},  // f4e
      {0x5670, 0x6701, 0x7012, 0x0123},  // b4e
      {0x0000, 0x1111, 0x2222, 0x3333},  // rc8
      {0x3210, 0x3211, 0x3222, 0x3333},  // ecl
      {0x0000, 0x1110, 0x2210, 0x3210},  // ecr
      {0x1010, 0x3232, 0x1010, 0x3232},  // rc16
  };
  return mode < 0 ? selector & none : by_mode[mode][selector & 3];
}
void permute(Warp& w, const Instruction& i, Lanes lanes) {
  const int mode = i.variant;
  map3<U32, U32>(w, i, lanes, [mode](U32 a, U32 b, U32 c) {
    const U64 bytes = static_cast<U64>(b) << 32 | a;
    const U32 selector = permutation(mode, c);
    U32 result = 0;
    for (int k = 0; k < 4; ++k) {
      const U32 which = selector >> (4 * k) & 15;
      U32 byte = static_cast<U32>(bytes >> (8 * (which & 7))) & 255;
      if ((which & 8) != 0) byte = (byte & 128) != 0 ? 255 : 0;  // its sign
      result |= byte << (8 * k);
    }
    return result;
  });
}

/// Any function of three bits, by its table.
void look_up(Warp& w, const Instruction& i, Lanes lanes) {
  const int table = i.variant;
  map3<U32, U32>(w, i, lanes, [table](U32 a, U32 b, U32 c) {
    U32 result = 0;
    for (int k = 0; k < 8; ++k) {
      if ((table >> k & 1) != 0) result |= ((k & 4) != 0 ? a : ~a) & ((k & 2) != 0 ? b : ~b) & ((k & 1) != 0 ? c : ~c);
    }
    return result;
  });
}

/// The sum of products of four bytes, and c. variant: bit 0, a is signed; bit 1, b is.
void dot_product(Warp& w, const Instruction& i, Lanes lanes) {
  const int variant = i.variant;
  map3<U32, U32>(w, i, lanes, [variant](U32 a, U32 b, U32 c) {
    const auto byte = [](U32 word, int k, bool is_signed_byte) {
      const U32 bits = word >> (8 * k) & 255;
      return is_signed_byte ? static_cast<int>(static_cast<std::int8_t>(bits)) : static_cast<int>(bits);
    };
    for (int k = 0; k < 4; ++k) {
      c += static_cast<U32>(byte(a, k, (variant & 1) != 0) * byte(b, k, (variant & 2) != 0));
    }
    return c;
  });
}

}  // namespace

void build_bits(Builder& b) {
  const Statement& s = b.statement;
  Instruction& made = b.made;
  if (s.name == "lop3") {
    b.destination(s.operand(0));
    for (std::size_t k = 1; k <= 3; ++k) b.source(s.operand(k));
    made.variant = static_cast<int>(literal(s.operand(4)));
    made.operation = &look_up;
  } else if (s.name == "prmt") {
    b.destination_and_sources(3);
    made.variant = s.one_of({"f4e", "b4e", "rc8", "ecl", "ecr", "rc16"});
    made.operation = &permute;
  } else if (s.name == "dp4a") {
    b.destination_and_sources(3);
    made.variant = (is_signed(s.types.at(0)) ? 1 : 0) | (is_signed(s.types.at(1)) ? 2 : 0);
    made.operation = &dot_product;
  } else if (s.name == "bfi") {
    b.destination_and_sources(4);
    made.operation = bytes_of(made.type) == 8 ? &insert<U64> : &insert<U32>;
  } else if (s.name == "bfe") {
    b.destination_and_sources(3);
    made.operation = with_integer(made.type, []<class V>(V) -> Operation { return &extract<V>; });
  } else {
    b.destination_and_sources(1);
    made.operation = with_integer(made.type, [&]<class V>(V) -> Operation {
      if constexpr (sizeof(V) >= 4) return of_one<V>(s);
      return nullptr;
    });
  }
}

}  // namespace ptx
