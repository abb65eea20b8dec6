// SPDX-License-Identifier: Apache-2.0
// Arithmetic of integers.
#include <algorithm>
#include <stdexcept>
#include <type_traits>

#include "builder.hpp"
#include "launch.hpp"
#include "map.hpp"

namespace ptx {
namespace {

__extension__ using Wide = __int128;
__extension__ using UnsignedWide = unsigned __int128;

template <class V>
using Unsigned = std::make_unsigned_t<V>;
template <class V>
inline constexpr int width = 8 * static_cast<int>(sizeof(V));
/// Of twice the bits.
template <class V>
using Double = std::conditional_t<sizeof(V) == 2, std::conditional_t<std::is_signed_v<V>, std::int32_t, std::uint32_t>,
                                  std::conditional_t<std::is_signed_v<V>, std::int64_t, std::uint64_t>>;

template <class V>
V product_low(V a, V b) {
  return static_cast<V>(static_cast<std::uint64_t>(a) * static_cast<std::uint64_t>(b));
}
template <class V>
V product_high(V a, V b) {
  using Both = std::conditional_t<std::is_signed_v<V>, Wide, UnsignedWide>;
  return static_cast<V>((static_cast<Both>(a) * static_cast<Both>(b)) >> width<V>);
}
template <class V>
V sum(V a, V b) {
  return static_cast<V>(static_cast<Unsigned<V>>(a) + static_cast<Unsigned<V>>(b));
}
template <class V>
V negative(V a) {
  return static_cast<V>(Unsigned<V>{0} - static_cast<Unsigned<V>>(a));
}
/// As a GPU has them where they are not defined: all ones, and the dividend.
template <class V>
V quotient(V a, V b) {
  if (b == 0) return static_cast<V>(~Unsigned<V>{0});
  if (std::is_signed_v<V> && b == static_cast<V>(-1)) return negative(a);
  return static_cast<V>(a / b);
}
template <class V>
V remainder(V a, V b) {
  if (b == 0) return a;
  if (std::is_signed_v<V> && b == static_cast<V>(-1)) return 0;
  return static_cast<V>(a % b);
}

template <class V, bool is_quotient>
void divide(Warp& w, const Instruction& i, Lanes lanes) {
  const Word* const divisor = w.used(i, i.source[1], lanes);
  each_lane(lanes, [&](int lane) {
    if (value_of<V>(divisor[lane]) == 0) {
      w.launch().complain("division by zero", &w, lane, &i, [] { return std::string(); });
    }
  });
  map2<V>(w, i, lanes, [](V a, V b) { return is_quotient ? quotient(a, b) : remainder(a, b); });
}

template <class V>
Operation one_or_two(const std::string& name) {
  if (name == "add") return operation<V, decltype([](V a, V b) { return sum(a, b); })>();
  if (name == "sub") return operation<V, decltype([](V a, V b) { return sum(a, negative(b)); })>();
  if (name == "neg") return operation<V, decltype([](V a) { return negative(a); })>();
  if (name == "abs") return operation<V, decltype([](V a) { return a < 0 ? negative(a) : a; })>();
  if (name == "min") return operation<V, decltype([](V a, V b) { return std::min(a, b); })>();
  if (name == "max") return operation<V, decltype([](V a, V b) { return std::max(a, b); })>();
  if (name == "div") return &divide<V, true>;
  if (name == "rem") return &divide<V, false>;
  return nullptr;
}

template <class V>
Operation product(const std::string& name, const Statement& statement) {
  const bool adds = name == "mad";
  if (statement.has("lo")) {
    if (!adds) return operation<V, decltype([](V a, V b) { return product_low(a, b); })>();
    return operation<V, decltype([](V a, V b, V c) { return sum(product_low(a, b), c); })>();
  }
  if (statement.has("hi")) {
    if (!adds) return operation<V, decltype([](V a, V b) { return product_high(a, b); })>();
    return operation<V, decltype([](V a, V b, V c) { return sum(product_high(a, b), c); })>();
  }
  if constexpr (sizeof(V) == 2 || sizeof(V) == 4) {
    using D = Double<V>;
    if (!adds) return operation<V, decltype([](V a, V b) { return product_low<D>(a, b); })>();
    return operation<V, decltype([](V a, V b, D c) { return sum(product_low<D>(a, b), c); }), D>();
  }
  return nullptr;
}

}  // namespace

void build_integers(Builder& b) {
  const std::string& name = b.statement.name;
  const bool multiplies = name == "mul" || name == "mad";
  b.destination_and_sources(name == "mad" ? 3 : name == "neg" || name == "abs" ? 1 : 2);
  b.made.operation = with_integer(b.made.type, [&]<class V>(V) -> Operation {
    return multiplies ? product<V>(name, b.statement) : one_or_two<V>(name);
  });
}

namespace {

/// add.cc, addc and so on. variant: bit 0 subtracts, bit 1 takes the carry, bit 2 gives it.
template <class V>
void add_with_carry(Warp& w, const Instruction& i, Lanes lanes) {
  const Word* const a = w.words(i.source[0]);
  const Word* const b = w.words(i.source[1]);
  Lanes sound = w.defined(i.source[0]) & w.defined(i.source[1]);
  const bool takes = (i.variant & 2) != 0;
  if (takes && (w.carry_defined & lanes) != lanes) {
    w.launch().complain("undefined carry", &w, std::countr_zero(lanes & ~w.carry_defined), &i,
                        [] { return std::string(); });
  }
  Word* const d = w.result(i.destination[0], lanes, sound);
  each_lane(lanes, [&](int lane) {
    const UnsignedWide x = value_of<V>(a[lane]);
    const UnsignedWide y = value_of<V>(b[lane]);
    const unsigned carry = takes ? w.carry >> lane & 1 : 0;
    const UnsignedWide result = (i.variant & 1) != 0 ? x - y - carry : x + y + carry;
    d[lane] = word_of(static_cast<V>(result));
    if ((i.variant & 4) == 0) return;
    const auto out = static_cast<Lanes>(result >> width<V> & 1);
    w.carry = (w.carry & ~(Lanes{1} << lane)) | out << lane;
  });
  if ((i.variant & 4) != 0) w.carry_defined |= lanes;
}

}  // namespace

void build_carries(Builder& b) {
  const std::string& name = b.statement.name;
  b.destination_and_sources(2);
  b.made.variant = (name.starts_with("sub") ? 1 : 0) | (name.ends_with("c") ? 2 : 0) | (b.statement.has("cc") ? 4 : 0);
  b.made.operation = bytes_of(b.made.type) == 8 ? &add_with_carry<std::uint64_t> : &add_with_carry<std::uint32_t>;
}

}  // namespace ptx
