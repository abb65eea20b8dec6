// SPDX-License-Identifier: Apache-2.0
// What hands on bytes as they are, defined or not: mov, selp; and conversions of addresses.
#include <stdexcept>

#include "builder.hpp"
#include "launch.hpp"
#include "text.hpp"
#include "warp.hpp"

namespace ptx {
namespace {

/// The lanes of which an operand was copied from memory that is defined in part.
Lanes partly_defined(const Warp& w, Operand operand, Lanes lanes) {
  return operand >= 0 ? lanes & ~w.registers.defined(operand) & w.registers.copied(operand) : Lanes{0};
}
Bytes bytes_of_lane(const Warp& w, Operand operand, int lane) {
  return operand >= 0 ? w.registers.bytes(operand, lane) : all_bytes;
}

void move(Warp& w, const Instruction& i, Lanes lanes) {
  const Lanes parts = partly_defined(w, i.source[0], lanes);
  const Word* const a = w.words(i.source[0]);
  const Word keep = ones(bits_of(i.type));
  Bytes bytes[warp_size] = {};
  if (parts != 0) [[unlikely]]
    each_lane(parts, [&](int lane) { bytes[lane] = bytes_of_lane(w, i.source[0], lane); });
  Word* const d = w.result(i.destination[0], lanes, w.defined(i.source[0]));
  each_lane(lanes, [&](int lane) { d[lane] = a[lane] & keep; });
  if (parts != 0) [[unlikely]] {
    each_lane(parts, [&](int lane) {
      w.registers.define_bytes(i.destination[0], lane, bytes[lane], bytes_up_to(bytes_of(i.type)));
    });
  }
}

void select(Warp& w, const Instruction& i, Lanes lanes) {
  const Lanes first = w.holds(i, i.predicate[0], lanes);
  const Word* const a = w.words(i.source[0]);
  const Word* const b = w.words(i.source[1]);
  const Word keep = ones(bits_of(i.type));
  const Lanes parts = partly_defined(w, i.source[0], lanes & first) | partly_defined(w, i.source[1], lanes & ~first);
  Bytes bytes[warp_size] = {};
  each_lane(parts, [&](int lane) { bytes[lane] = bytes_of_lane(w, i.source[(first >> lane & 1) != 0 ? 0 : 1], lane); });
  const Lanes sound = (w.defined(i.source[0]) & first) | (w.defined(i.source[1]) & ~first);
  Word* const d = w.result(i.destination[0], lanes, sound);
  each_lane(lanes, [&](int lane) { d[lane] = ((first >> lane & 1) != 0 ? a[lane] : b[lane]) & keep; });
  each_lane(parts, [&](int lane) {
    w.registers.define_bytes(i.destination[0], lane, bytes[lane], bytes_up_to(bytes_of(i.type)));
  });
}

/// mov.b64 {%r1, %r2}, %rd1: variant is the bits of each.
void take_apart(Warp& w, const Instruction& i, Lanes lanes) {
  Word words[warp_size];
  Bytes bytes[warp_size];
  const Word* const a = w.words(i.source[0]);
  const Lanes whole = w.defined(i.source[0]);
  const Lanes parts = partly_defined(w, i.source[0], lanes);
  each_lane(lanes, [&](int lane) {
    words[lane] = a[lane];
    bytes[lane] = (parts >> lane & 1) != 0 ? bytes_of_lane(w, i.source[0], lane) : Bytes{0};
  });
  for (int k = 0; k < i.destinations; ++k) {
    const int to = i.destination[static_cast<std::size_t>(k)];
    if (to == nothing) continue;
    Word* const d = w.result(to, lanes, whole);
    each_lane(lanes, [&](int lane) { d[lane] = words[lane] >> (k * i.variant) & ones(i.variant); });
    each_lane(parts, [&](int lane) {
      const int size = i.variant / 8;
      w.registers.define_bytes(to, lane, static_cast<Bytes>(bytes[lane] >> (k * size)), bytes_up_to(size));
    });
  }
}

/// mov.b64 %rd1, {%r1, %r2}
void put_together(Warp& w, const Instruction& i, Lanes lanes) {
  Word words[warp_size] = {};
  Lanes sound = all_lanes;
  Lanes parts = 0;
  Bytes bytes[warp_size] = {};
  const int size = i.variant / 8;
  for (int k = 0; k < i.sources; ++k) {
    const Operand from = i.source[static_cast<std::size_t>(k)];
    const Word* const a = w.words(from);
    sound &= w.defined(from);
    parts |= partly_defined(w, from, lanes);
    each_lane(lanes, [&](int lane) { words[lane] |= (a[lane] & ones(i.variant)) << (k * i.variant); });
  }
  each_lane(parts, [&](int lane) {
    for (int k = 0; k < i.sources; ++k) {
      const Bytes of_source = bytes_of_lane(w, i.source[static_cast<std::size_t>(k)], lane);
      bytes[lane] = static_cast<Bytes>(bytes[lane] | (of_source & bytes_up_to(size)) << (k * size));
    }
  });
  Word* const d = w.result(i.destination[0], lanes, sound);
  each_lane(lanes, [&](int lane) { d[lane] = words[lane]; });
  each_lane(parts, [&](int lane) {
    w.registers.define_bytes(i.destination[0], lane, bytes[lane], bytes_up_to(bytes_of(i.type)));
  });
}

/// The host's address of a space's start, in a lane; generic addresses are the host's.
Word start_of(Warp& w, Space space, int lane) {
  if (space == Space::shared) return reinterpret_cast<std::uintptr_t>(w.launch().shared);
  if (space == Space::local) return reinterpret_cast<std::uintptr_t>(w.local.lane(lane));
  return 0;
}
Word size_of(Warp& w, Space space) {
  if (space == Space::shared) return w.launch().shared_bytes;
  return space == Space::local ? w.local.bytes() : 0;
}

/// variant: -1 for cvta.to.
void convert_address(Warp& w, const Instruction& i, Lanes lanes) {
  const Word* const a = w.words(i.source[0]);
  Word* const d = w.result(i.destination[0], lanes, w.defined(i.source[0]));
  each_lane(lanes, [&](int lane) {
    const Word start = start_of(w, i.space, lane);
    d[lane] = i.variant < 0 ? a[lane] - start : a[lane] + start;
  });
}

void is_in_space(Warp& w, const Instruction& i, Lanes lanes) {
  const Word* const a = w.used(i, i.source[0], lanes);
  Lanes result = 0;
  each_lane(lanes, [&](int lane) {
    const auto within = [&](Space space) { return a[lane] - start_of(w, space, lane) < size_of(w, space); };
    const bool found = i.space == Space::global ? !within(Space::shared) && !within(Space::local) : within(i.space);
    result |= static_cast<Lanes>(found) << lane;
  });
  w.registers.set_predicate(i.predicate_destination[0], result, lanes, all_lanes);
}

void build_move(Builder& b) {
  const Statement& s = b.statement;
  Instruction& made = b.made;
  const std::string& to = s.operand(0);
  const std::string& from = s.operand(1);
  made.moves = true;
  if (to[0] == '{') {
    for (const std::string& part : list_elements(inside(to, '{'))) b.destination(part);
    b.source(from);
    made.variant = bits_of(made.type) / made.destinations;
    made.operation = &take_apart;
  } else if (from[0] == '{') {
    b.destination(to);
    for (const std::string& part : list_elements(inside(from, '{'))) b.source(part);
    made.variant = bits_of(made.type) / made.sources;
    made.operation = &put_together;
  } else {
    b.destination_and_sources(1);
    made.operation = &move;
  }
}

}  // namespace

void build_moves(Builder& b) {
  const Statement& s = b.statement;
  Instruction& made = b.made;
  if (made.type == Type::pred) {
    build_logic(b);
  } else if (s.name == "mov") {
    build_move(b);
  } else if (s.name == "selp") {
    b.destination(s.operand(0));
    b.source(s.operand(1));
    b.source(s.operand(2));
    made.predicate[0] = b.predicate(s.operand(3));
    made.moves = true;
    made.operation = &select;
  } else if (s.name == "cvta") {
    b.destination_and_sources(1);
    made.space = b.space();
    made.variant = s.has("to") ? -1 : 1;
    made.operation = &convert_address;
  } else {
    made.space = b.space();
    made.predicate_destination[0] = b.predicate_destination(s.operand(0));
    b.source(s.operand(1));
    made.operation = &is_in_space;
  }
}

}  // namespace ptx
