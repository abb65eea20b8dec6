// SPDX-License-Identifier: Apache-2.0
// Bitwise operations, of registers and of predicates, and shifts.
#include <algorithm>
#include <cfenv>
#include <stdexcept>

#include "builder.hpp"
#include "launch.hpp"
#include "map.hpp"
#include "text.hpp"

namespace ptx {
namespace {

/// Which bytes of a result are defined: where `and` has a zero and `or` a one, the other operand matters not, but that
/// is looked at by whole bytes, and only where something is undefined.
template <class F>
Lanes sound_lanes(const Warp& w, const Instruction& i, Lanes lanes, F decides) {
  const Lanes a = w.defined(i.source[0]);
  const Lanes b = w.defined(i.source[1]);
  Lanes sound = a & b;
  if ((sound & lanes) == lanes) [[likely]]
    return sound;
  const Word mask = ones(bits_of(i.type));
  const auto settled = [&](Operand known, Operand other, int lane) {
    if ((w.defined(known) >> lane & 1) == 0) return false;
    const Bytes defined = other >= 0 ? w.registers.bytes(other, lane) : all_bytes;
    Word bits = 0;  // that are undefined
    for (int k = 0; k < 8; ++k) bits |= (defined >> k & 1) != 0 ? 0 : Word{0xff} << (8 * k);
    return (bits & mask & ~decides(w.words(known)[lane])) == 0;
  };
  each_lane(lanes & ~sound, [&](int lane) {
    if (settled(i.source[0], i.source[1], lane) || settled(i.source[1], i.source[0], lane)) sound |= Lanes{1} << lane;
  });
  return sound;
}

template <bool is_and>
void and_or(Warp& w, const Instruction& i, Lanes lanes) {
  const Lanes sound = sound_lanes(w, i, lanes, [](Word known) { return is_and ? ~known : known; });
  const Word* const a = w.words(i.source[0]);
  const Word* const b = w.words(i.source[1]);
  const Word mask = ones(bits_of(i.type));
  Word* const d = w.result(i.destination[0], lanes, sound);
  each_lane(lanes, [&](int lane) { d[lane] = (is_and ? a[lane] & b[lane] : a[lane] | b[lane]) & mask; });
}

template <class V>
Operation bitwise(const std::string& name) {
  if (name == "and") return &and_or<true>;
  if (name == "or") return &and_or<false>;
  if (name == "xor") return operation<V, decltype([](V a, V b) { return static_cast<V>(a ^ b); })>();
  if (name == "not") return operation<V, decltype([](V a) { return static_cast<V>(~a); })>();
  if (name == "cnot") return operation<V, decltype([](V a) { return static_cast<V>(a == 0); })>();
  return nullptr;
}

enum class Predicates : int { move, negate, both, either, different };

void combine_predicates(Warp& w, const Instruction& i, Lanes lanes) {
  // As with registers, what is made of an undefined predicate is undefined, unless the other one decides.
  const auto get = [&](const PredicateOperand& operand, Lanes& defined) {
    if (operand.number == nothing) {
      defined = all_lanes;
      return operand.constant ? all_lanes : Lanes{0};
    }
    defined = w.registers.predicate_defined(operand.number);
    const Lanes value = w.registers.predicate(operand.number);
    return operand.negated ? ~value : value;
  };
  Lanes a_defined = 0;
  Lanes b_defined = all_lanes;
  const Lanes a = get(i.predicate[0], a_defined);
  Lanes b = 0;
  if (i.variant > static_cast<int>(Predicates::negate)) b = get(i.predicate[1], b_defined);
  Lanes value = a;
  Lanes sound = a_defined & b_defined;
  switch (static_cast<Predicates>(i.variant)) {
    case Predicates::move:
      break;
    case Predicates::negate:
      value = ~a;
      break;
    case Predicates::both:
      value = a & b;
      sound |= (a_defined & ~a) | (b_defined & ~b);
      break;
    case Predicates::either:
      value = a | b;
      sound |= (a_defined & a) | (b_defined & b);
      break;
    case Predicates::different:
      value = a ^ b;
      break;
  }
  w.registers.set_predicate(i.predicate_destination[0], value, lanes, sound);
}

/// A shift by the width or more is what the standard says, but in C++ it is undefined: worth a note.
template <class V>
void note_wide_shift(Warp& w, const Instruction& i, Lanes lanes, const Word* amounts) {
  constexpr std::uint32_t bits = 8 * sizeof(V);
  each_lane(lanes, [&](int lane) {
    const auto amount = static_cast<std::uint32_t>(amounts[lane]);
    if (amount < bits) return;
    w.launch().note("shift by the width or more", &w, lane, &i, [&] { return formatted("by %u", amount); });
  });
}

template <class V, bool left>
void shift(Warp& w, const Instruction& i, Lanes lanes) {
  constexpr std::uint32_t bits = 8 * sizeof(V);
  const Word* const a = w.words(i.source[0]);
  const Word* const b = w.words(i.source[1]);
  Word* const d = w.result(i.destination[0], lanes, w.defined(i.source[0]) & w.defined(i.source[1]));
  bool wide = false;
  Word amounts[warp_size];
  each_lane(lanes, [&](int lane) {
    const auto amount = static_cast<std::uint32_t>(b[lane]);
    amounts[lane] = amount;
    wide |= amount >= bits;
    const V value = value_of<V>(a[lane]);
    if constexpr (left) {
      d[lane] = amount >= bits ? 0 : word_of(static_cast<V>(static_cast<std::make_unsigned_t<V>>(value) << amount));
    } else {
      const V filled = std::is_signed_v<V> && value < 0 ? static_cast<V>(-1) : V{0};
      d[lane] = word_of(amount >= bits ? filled : static_cast<V>(value >> amount));
    }
  });
  if (wide) [[unlikely]]
    note_wide_shift<V>(w, i, lanes & w.defined(i.source[1]), amounts);
}

/// The upper half of a number of bytes is a move of some of them: structs are taken apart so.
template <class V>
void shift_right_by_bytes(Warp& w, const Instruction& i, Lanes lanes) {
  const Lanes parts = i.source[0] >= 0 ? lanes & ~w.defined(i.source[0]) & w.registers.copied(i.source[0]) : Lanes{0};
  Bytes bytes[warp_size] = {};
  each_lane(parts, [&](int lane) { bytes[lane] = w.registers.bytes(i.source[0], lane); });
  shift<V, false>(w, i, lanes);
  const auto by = static_cast<int>(w.words(i.source[1])[0] / 8);
  each_lane(parts, [&](int lane) {
    const auto kept = static_cast<Bytes>((bytes[lane] >> by) | (0xff << (static_cast<int>(sizeof(V)) - by)));
    w.registers.define_bytes(i.destination[0], lane, kept);
  });
}

template <bool left>
void funnel_shift(Warp& w, const Instruction& i, Lanes lanes) {
  const bool wraps = i.variant != 0;
  const auto shifted = [wraps](std::uint32_t low, std::uint32_t high, std::uint32_t by) {
    const std::uint32_t amount = wraps ? by & 31 : std::min(by, 32u);
    const std::uint64_t both = static_cast<std::uint64_t>(high) << 32 | low;
    if (left && amount == 32) return low;
    return static_cast<std::uint32_t>(left ? both << amount >> 32 : both >> amount);
  };
  map3<std::uint32_t, std::uint32_t>(w, i, lanes, shifted);
}

}  // namespace

void build_logic(Builder& b) {
  const std::string& name = b.statement.name;
  if (b.made.type == Type::pred) {
    const int which = name == "mov" ? 0 : name == "not" ? 1 : name == "and" ? 2 : name == "or" ? 3 : 4;
    b.made.variant = which;
    b.made.predicate_destination[0] = b.predicate_destination(b.statement.operand(0));
    b.made.predicate[0] = b.predicate(b.statement.operand(1));
    if (which > 1) b.made.predicate[1] = b.predicate(b.statement.operand(2));
    b.made.operation = &combine_predicates;
    return;
  }
  b.destination_and_sources(name == "not" || name == "cnot" ? 1 : 2);
  b.made.operation = with_integer(b.made.type, [&]<class V>(V) -> Operation { return bitwise<V>(name); });
}

void build_shifts(Builder& b) {
  const Statement& s = b.statement;
  if (s.name == "shf") {
    b.destination_and_sources(3);
    b.made.variant = s.has("wrap") ? 1 : 0;
    b.made.operation = s.has("l") ? &funnel_shift<true> : &funnel_shift<false>;
    return;
  }
  b.destination_and_sources(2);
  const std::string& by = s.operand(2);
  const bool by_bytes = is_literal(by) && literal(by) % 8 == 0 && literal(by) < static_cast<Word>(bits_of(b.made.type));
  b.made.operation = with_integer(b.made.type, [&]<class V>(V) -> Operation {
    if (s.name == "shl") return &shift<V, true>;
    return by_bytes && !is_signed(b.made.type) ? &shift_right_by_bytes<V> : &shift<V, false>;
  });
}

}  // namespace ptx
