// SPDX-License-Identifier: Apache-2.0
// setp, set and testp.
#include <array>
#include <cmath>
#include <stdexcept>
#include <string_view>

#include "builder.hpp"
#include "floats.hpp"
#include "small_floats.hpp"
#include "text.hpp"
#include "warp.hpp"

namespace ptx {
namespace {

enum class Compare : int { eq, ne, lt, le, gt, ge, equ, neu, ltu, leu, gtu, geu, num, nan };
constexpr std::array<std::string_view, 14> compare_names = {"eq",  "ne",  "lt",  "le",  "gt",  "ge",  "equ",
                                                            "neu", "ltu", "leu", "gtu", "geu", "num", "nan"};

/// Of what is ordered: no NaN is among them.
template <class V>
bool ordered(Compare how, V a, V b) {
  switch (how) {
    case Compare::eq:
    case Compare::equ:
      return a == b;
    case Compare::ne:
    case Compare::neu:
      return a != b;
    case Compare::lt:
    case Compare::ltu:
      return a < b;
    case Compare::le:
    case Compare::leu:
      return a <= b;
    case Compare::gt:
    case Compare::gtu:
      return a > b;
    case Compare::ge:
    case Compare::geu:
      return a >= b;
    case Compare::num:
      return true;
    case Compare::nan:
      return false;
  }
  return false;
}
template <class V>
bool compared(Compare how, V a, V b) {
  if constexpr (std::is_floating_point_v<V>) {
    if (a != a || b != b) return how >= Compare::equ && how != Compare::num;
  }
  return ordered(how, a, b);
}

/// How a type's values are read from a register.
template <class V>
struct Plain {
  static V get(Word word, bool flushes) {
    const V value = value_of<V>(word);
    if constexpr (std::is_same_v<V, float>) return flushes ? flushed(value) : value;
    return value;
  }
};
template <class H>
struct Small {
  static double get(Word word, bool flushes) {
    const auto bits = static_cast<std::uint16_t>(word);
    return flushes && (bits & H::infinity) == 0 ? 0.0 : H::from(bits);
  }
};

template <class R>
Lanes compare_lanes(Warp& w, const Instruction& i, Lanes lanes) {
  const Word* const a = w.used(i, i.source[0], lanes);
  const Word* const b = w.used(i, i.source[1], lanes);
  const auto how = static_cast<Compare>(i.variant & 15);
  Lanes result = 0;
  each_lane(lanes, [&](int lane) {
    result |= static_cast<Lanes>(compared(how, R::get(a[lane], i.flushes), R::get(b[lane], i.flushes))) << lane;
  });
  return result;
}

enum class Join : int { none, both, either, different };

template <class R>
void set_predicates(Warp& w, const Instruction& i, Lanes lanes) {
  const Lanes result = compare_lanes<R>(w, i, lanes);
  const auto join = static_cast<Join>(i.variant >> 4);
  const Lanes other = join == Join::none ? 0 : w.holds(i, i.predicate[0], lanes);
  const auto joined = [&](Lanes value) {
    switch (join) {
      case Join::none:
        return value;
      case Join::both:
        return value & other;
      case Join::either:
        return value | other;
      case Join::different:
        return value ^ other;
    }
    return value;
  };
  w.registers.set_predicate(i.predicate_destination[0], joined(result), lanes, all_lanes);
  w.registers.set_predicate(i.predicate_destination[1], joined(~result), lanes, all_lanes);
}

template <class R>
void set_word(Warp& w, const Instruction& i, Lanes lanes) {
  const Lanes result = compare_lanes<R>(w, i, lanes);
  const Word yes = i.type == Type::f32 ? word_of(1.0f) : ones(32);
  Word* const d = w.result(i.destination[0], lanes);
  each_lane(lanes, [&](int lane) { d[lane] = (result >> lane & 1) != 0 ? yes : 0; });
}

Operation choose(Type type, bool word) {
  switch (type) {
    case Type::f32:
      return word ? &set_word<Plain<float>> : &set_predicates<Plain<float>>;
    case Type::f64:
      return word ? &set_word<Plain<double>> : &set_predicates<Plain<double>>;
    case Type::f16:
      return word ? &set_word<Small<Half>> : &set_predicates<Small<Half>>;
    case Type::bf16:
      return word ? &set_word<Small<Bfloat>> : &set_predicates<Small<Bfloat>>;
    default:
      break;
  }
  return with_integer(type,
                      [&]<class V>(V) -> Operation { return word ? &set_word<Plain<V>> : &set_predicates<Plain<V>>; });
}

Compare comparison_of(const Statement& s) {
  const std::string& name = s.modifiers.at(0);
  for (std::size_t k = 0; k < compare_names.size(); ++k) {
    if (name == compare_names[k]) return static_cast<Compare>(k);
  }
  constexpr std::array<std::string_view, 4> of_unsigned = {"lo", "ls", "hi", "hs"};
  for (std::size_t k = 0; k < of_unsigned.size(); ++k) {
    if (name == of_unsigned[k]) return static_cast<Compare>(static_cast<int>(Compare::lt) + static_cast<int>(k));
  }
  throw std::runtime_error("comparison " + name);
}

/// testp: variant is which of these.
template <class V>
void test(Warp& w, const Instruction& i, Lanes lanes) {
  const Word* const a = w.used(i, i.source[0], lanes);
  Lanes result = 0;
  each_lane(lanes, [&](int lane) {
    const V value = value_of<V>(a[lane]);
    const int kind = std::fpclassify(value);
    const bool answers[] = {kind != FP_INFINITE && kind != FP_NAN,
                            kind == FP_INFINITE,
                            kind != FP_NAN,
                            kind == FP_NAN,
                            kind == FP_NORMAL,
                            kind == FP_SUBNORMAL};
    result |= static_cast<Lanes>(answers[i.variant]) << lane;
  });
  w.registers.set_predicate(i.predicate_destination[0], result, lanes, all_lanes);
}

}  // namespace

void build_comparisons(Builder& b) {
  const Statement& s = b.statement;
  Instruction& made = b.made;
  if (s.name == "testp") {
    made.predicate_destination[0] = b.predicate_destination(s.operand(0));
    b.source(s.operand(1));
    made.variant = s.one_of({"finite", "infinite", "number", "notanumber", "normal", "subnormal"});
    made.operation = made.type == Type::f32 ? &test<float> : &test<double>;
    return;
  }
  const int join = s.one_of({"and", "or", "xor"}) + 1;
  made.variant = static_cast<int>(comparison_of(s)) | join << 4;
  made.from = s.types.back();
  made.operation = choose(made.from, s.name == "set");
  if (s.name == "set") {
    b.destination_and_sources(2);
    return;
  }
  const std::string_view first = b.split_destination(s.operand(0), made.predicate_destination[1]);
  made.predicate_destination[0] = b.predicate_destination(first);
  b.source(s.operand(1));
  b.source(s.operand(2));
  if (join != 0) made.predicate[0] = b.predicate(s.operand(3));
}

}  // namespace ptx
