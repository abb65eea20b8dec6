// SPDX-License-Identifier: Apache-2.0
// Operations between the lanes of a warp.
#include <algorithm>
#include <bit>
#include <stdexcept>
#include <type_traits>

#include "builder.hpp"
#include "launch.hpp"
#include "text.hpp"
#include "warp.hpp"

namespace ptx {
namespace {

using U32 = std::uint32_t;

enum class Shuffle : int { up, down, bfly, idx };

/// By PTX's definition: c has the last lane of a segment, or the first, and in its upper half the mask of segments.
struct Partner {
  int lane;
  bool within;
};
Partner partner(Shuffle how, int lane, U32 b, U32 c) {
  const int distance = static_cast<int>(b & 31);
  const U32 clamp = c & 31;
  const U32 segment = c >> 8 & 31;
  const auto own = static_cast<U32>(lane);
  const auto last = static_cast<int>((own & segment) | (clamp & ~segment));
  switch (how) {
    case Shuffle::up:
      return {lane - distance, lane - distance >= last};
    case Shuffle::down:
      return {lane + distance, lane + distance <= last};
    case Shuffle::bfly:
      return {lane ^ distance, (lane ^ distance) <= last};
    case Shuffle::idx:
      break;
  }
  const auto from = static_cast<int>((own & segment) | (static_cast<U32>(distance) & ~segment));
  return {from, from <= last};
}

void shuffle(Warp& w, const Instruction& i, Lanes lanes) {
  const Word* const a = w.words(i.source[0]);
  const Word* const b = w.used(i, i.source[1], lanes);
  const Word* const c = w.used(i, i.source[2], lanes);
  const Lanes defined = w.defined(i.source[0]);
  Word result[warp_size];
  Lanes sound = 0;
  Lanes within = 0;
  each_lane(lanes, [&](int lane) {
    const Partner other =
        partner(static_cast<Shuffle>(i.variant), lane, static_cast<U32>(b[lane]), static_cast<U32>(c[lane]));
    const int from = other.within ? other.lane : lane;
    if ((lanes >> from & 1) == 0) {
      w.launch().complain("shuffle from a lane that does not take part", &w, lane, &i,
                          [&] { return formatted("lane %d of %08x", from, lanes); });
    }
    result[lane] = a[from];
    sound |= (defined >> from & 1) << lane;
    within |= static_cast<Lanes>(other.within) << lane;
  });
  Word* const d = w.result(i.destination[0], lanes, sound);
  each_lane(lanes, [&](int lane) { d[lane] = result[lane] & ones(32); });
  w.registers.set_predicate(i.predicate_destination[0], within, lanes, all_lanes);
}

enum class Vote : int { all, any, uni, ballot };

void vote(Warp& w, const Instruction& i, Lanes lanes) {
  const Lanes holds = w.holds(i, i.predicate[0], lanes) & lanes;
  switch (static_cast<Vote>(i.variant)) {
    case Vote::ballot: {
      Word* const d = w.result(i.destination[0], lanes);
      each_lane(lanes, [&](int lane) { d[lane] = holds; });
      return;
    }
    case Vote::all:
      w.registers.set_predicate(i.predicate_destination[0], holds == lanes ? lanes : 0, lanes, lanes);
      return;
    case Vote::any:
      w.registers.set_predicate(i.predicate_destination[0], holds != 0 ? lanes : 0, lanes, lanes);
      return;
    case Vote::uni:
      break;
  }
  const bool alike = holds == 0 || holds == lanes;
  w.registers.set_predicate(i.predicate_destination[0], alike ? lanes : 0, lanes, lanes);
}

/// match.any: the lanes that have the same value. match.all: all lanes when they all do, and whether they do.
template <class V, bool all>
void match(Warp& w, const Instruction& i, Lanes lanes) {
  const Word* const a = w.used(i, i.source[0], lanes);
  Lanes result[warp_size] = {};
  each_lane(lanes, [&](int lane) {
    each_lane(lanes, [&](int other) {
      if (value_of<V>(a[lane]) == value_of<V>(a[other])) result[lane] |= Lanes{1} << other;
    });
  });
  const bool alike = result[std::countr_zero(lanes)] == lanes;
  Word* const d = w.result(i.destination[0], lanes);
  each_lane(lanes, [&](int lane) { d[lane] = !all ? result[lane] : alike ? lanes : 0; });
  w.registers.set_predicate(i.predicate_destination[0], alike ? lanes : 0, lanes, lanes);
}

enum class Fold : int { add, least, greatest, both, either, different };

template <class V>
void fold(Warp& w, const Instruction& i, Lanes lanes) {
  const Word* const a = w.used(i, i.source[0], lanes);
  using U = std::make_unsigned_t<V>;
  V result = value_of<V>(a[std::countr_zero(lanes)]);
  each_lane(lanes & (lanes - 1), [&](int lane) {
    const V value = value_of<V>(a[lane]);
    switch (static_cast<Fold>(i.variant)) {
      case Fold::add:
        result = static_cast<V>(static_cast<U>(result) + static_cast<U>(value));
        break;
      case Fold::least:
        result = std::min(result, value);
        break;
      case Fold::greatest:
        result = std::max(result, value);
        break;
      case Fold::both:
        result = static_cast<V>(result & value);
        break;
      case Fold::either:
        result = static_cast<V>(result | value);
        break;
      case Fold::different:
        result = static_cast<V>(result ^ value);
        break;
    }
  });
  Word* const d = w.result(i.destination[0], lanes);
  each_lane(lanes, [&](int lane) { d[lane] = word_of(result); });
}

void active_mask(Warp& w, const Instruction& i, Lanes lanes) {
  Word* const d = w.result(i.destination[0], lanes);
  each_lane(lanes, [&](int lane) { d[lane] = lanes; });
}

void build_match(Builder& b) {
  const Statement& s = b.statement;
  b.destination(b.split_destination(s.operand(0), b.made.predicate_destination[0]));
  b.source(s.operand(1));
  b.source(s.operand(2));
  const bool wide = bytes_of(b.made.type) == 8;
  if (s.has("all")) {
    b.made.operation = wide ? &match<std::uint64_t, true> : &match<std::uint32_t, true>;
  } else {
    b.made.operation = wide ? &match<std::uint64_t, false> : &match<std::uint32_t, false>;
  }
}

}  // namespace

/// All but activemask have the lanes that take part as their last operand.
void build_together(Builder& b) {
  const Statement& s = b.statement;
  Instruction& made = b.made;
  if (s.name == "activemask") {
    b.destination_and_sources(0);
    made.operation = &active_mask;
    return;
  }
  made.control = Control::together;
  if (s.name == "shfl") {
    b.destination(b.split_destination(s.operand(0), made.predicate_destination[0]));
    for (std::size_t k = 1; k <= 4; ++k) b.source(s.operand(k));
    made.variant = s.one_of({"up", "down", "bfly", "idx"});
    made.operation = &shuffle;
  } else if (s.name == "vote") {
    made.variant = s.one_of({"all", "any", "uni", "ballot"});
    if (static_cast<Vote>(made.variant) == Vote::ballot) {
      b.destination(s.operand(0));
    } else {
      made.predicate_destination[0] = b.predicate_destination(s.operand(0));
    }
    made.predicate[0] = b.predicate(s.operand(1));
    b.source(s.operand(2));
    made.operation = &vote;
  } else if (s.name == "match") {
    build_match(b);
  } else {
    b.destination_and_sources(2);
    made.variant = s.one_of({"add", "min", "max", "and", "or", "xor"});
    made.operation = is_signed(made.type) ? &fold<std::int32_t> : &fold<std::uint32_t>;
  }
  made.mask = made.sources - 1;
}

}  // namespace ptx
