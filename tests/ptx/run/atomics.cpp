// SPDX-License-Identifier: Apache-2.0
// atom and red.
#include <algorithm>
#include <cstring>
#include <stdexcept>
#include <type_traits>

#include "access.hpp"
#include "builder.hpp"
#include "floats.hpp"

namespace ptx {
namespace {

enum class Change : int {
  add,
  exchange,
  compare_and_swap,
  least,
  greatest,
  both,
  either,
  different,
  increment,
  decrement
};

template <class V>
V changed(Change how, V old, V value, V otherwise) {
  if constexpr (std::is_floating_point_v<V>) {
    return canonical(old + value);
  } else {
    using U = std::make_unsigned_t<V>;
    switch (how) {
      case Change::add:
        return static_cast<V>(static_cast<U>(old) + static_cast<U>(value));
      case Change::exchange:
        return value;
      case Change::compare_and_swap:
        return old == value ? otherwise : old;
      case Change::least:
        return std::min(old, value);
      case Change::greatest:
        return std::max(old, value);
      case Change::both:
        return static_cast<V>(old & value);
      case Change::either:
        return static_cast<V>(old | value);
      case Change::different:
        return static_cast<V>(old ^ value);
      case Change::increment:
        return old >= value ? V{0} : static_cast<V>(old + 1);
      case Change::decrement:
        return old == 0 || old > value ? value : static_cast<V>(old - 1);
    }
    return old;
  }
}

Stored stored_kind(Type type) {
  if (type == Type::f32) return Stored::float32;
  if (type == Type::f64) return Stored::float64;
  return bytes_of(type) == 8 ? Stored::bits64 : bytes_of(type) == 4 ? Stored::bits32 : Stored::bits16;
}

void fence(Warp& w, Lanes lanes) {
  Launch& launch = w.launch();
  ++launch.now;
  if (!launch.races) return;
  launch.ordering.fence(launch.accessor(w, 0).warp_first, lanes, launch.now, launch.barrier);
}

template <class V>
void change(Warp& w, const Instruction& i, Lanes lanes) {
  if (i.releases) fence(w, lanes);
  ++w.launch().now;
  const auto how = static_cast<Change>(i.variant);
  const Word* const base = w.used(i, i.base, lanes);
  const Word* const value = w.used(i, i.source[0], lanes);
  const Word* const otherwise = how == Change::compare_and_swap ? w.used(i, i.source[1], lanes) : value;
  Word results[warp_size] = {};
  each_lane(lanes, [&](int lane) {
    Access access(w, i, lane, base[lane], sizeof(V), Purpose::atomic);
    if (access.memory() == nullptr) return;
    access.atomic(stored_kind(i.type));
    V old{};
    std::memcpy(&old, access.memory(), sizeof old);
    const V now = changed(how, old, value_of<V>(value[lane]), value_of<V>(otherwise[lane]));
    std::memcpy(access.memory(), &now, sizeof now);
    results[lane] = word_of(old);
  });
  if (i.destination[0] != nothing) {
    Word* const d = w.result(i.destination[0], lanes);
    each_lane(lanes, [&](int lane) { d[lane] = results[lane]; });
  }
  if (i.acquires) fence(w, lanes);
}

void fence_operation(Warp& w, const Instruction&, Lanes lanes) { fence(w, lanes); }

}  // namespace

void build_atomics(Builder& b) {
  const Statement& s = b.statement;
  Instruction& made = b.made;
  made.space = b.space();
  made.releases = s.has("release") || s.has("acq_rel");
  made.acquires = s.has("acquire") || s.has("acq_rel");
  made.variant = s.one_of({"add", "exch", "cas", "min", "max", "and", "or", "xor", "inc", "dec"});
  std::size_t at = 0;
  if (s.name == "atom") b.destination(s.operand(at++));
  b.address(s.operand(at++));
  const std::size_t values = made.variant == static_cast<int>(Change::compare_and_swap) ? 2 : 1;
  if (s.operands.size() != at + values) throw std::runtime_error("number of operands");
  for (; at < s.operands.size(); ++at) b.source(s.operand(at));
  if (made.type == Type::f32) {
    made.operation = &change<float>;
  } else if (made.type == Type::f64) {
    made.operation = &change<double>;
  } else {
    made.operation = with_integer(made.type, []<class V>(V) -> Operation { return &change<V>; });
  }
}

void build_barriers(Builder& b) {
  const Statement& s = b.statement;
  if (s.name == "membar" || s.name == "fence") {
    b.made.operation = &fence_operation;
  } else if (s.has("warp")) {
    b.made.control = Control::together;
    b.made.mask = 0;
    b.source(s.operand(0));
  } else {
    if (s.operands.size() != 1 || s.operand(0) != "0") throw std::runtime_error("a barrier of some threads");
    b.made.control = Control::barrier;
  }
}

}  // namespace ptx
