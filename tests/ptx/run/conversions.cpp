// SPDX-License-Identifier: Apache-2.0
// cvt: between integers, between floats, and from one to the other.
#include <algorithm>
#include <cfenv>
#include <cmath>
#include <limits>
#include <stdexcept>
#include <type_traits>

#include "builder.hpp"
#include "floats.hpp"
#include "map.hpp"
#include "rounding.hpp"
#include "small_floats.hpp"

namespace ptx {
namespace {

/// How to round to an integer: variant. Of what is no integer: none.
enum class ToInteger : int { none, nearest, zero, down, up };

template <class V>
V rounded(V value, ToInteger how) {
  switch (how) {
    case ToInteger::none:
      return value;
    case ToInteger::nearest:
      return std::nearbyint(value);
    case ToInteger::zero:
      return std::trunc(value);
    case ToInteger::down:
      return std::floor(value);
    case ToInteger::up:
      return std::ceil(value);
  }
  return value;
}

template <class To, class From>
To clamped(From value) {
  if (std::cmp_less(value, std::numeric_limits<To>::min())) return std::numeric_limits<To>::min();
  if (std::cmp_greater(value, std::numeric_limits<To>::max())) return std::numeric_limits<To>::max();
  return static_cast<To>(value);
}

template <class To, class From>
void between_integers(Warp& w, const Instruction& i, Lanes lanes) {
  const Operand from = i.source[0];
  const Lanes parts = from >= 0 ? lanes & ~w.registers.defined(from) & w.registers.copied(from) : Lanes{0};
  Bytes bytes[warp_size] = {};
  if (parts != 0) [[unlikely]]
    each_lane(parts, [&](int lane) { bytes[lane] = w.registers.bytes(from, lane); });
  const Word* const a = w.words(from);
  Word* const d = w.result(i.destination[0], lanes, w.defined(from));
  if (i.saturates) {
    each_lane(lanes, [&](int lane) { d[lane] = extended(clamped<To>(value_of<From>(a[lane]))); });
  } else {
    each_lane(lanes, [&](int lane) { d[lane] = extended(static_cast<To>(value_of<From>(a[lane]))); });
  }
  if (parts == 0) [[likely]]
    return;
  // What is cut off may be undefined.
  constexpr int kept = static_cast<int>(std::min(sizeof(To), sizeof(From)));
  each_lane(parts, [&](int lane) {
    const auto below = static_cast<Bytes>(bytes[lane] & bytes_up_to(kept));
    const bool sound = below == bytes_up_to(kept);
    w.registers.define_bytes(i.destination[0], lane, sound ? all_bytes : below);
  });
}

/// How floats of a type are read and written.
template <class V>
struct Wide {
  using Value = V;
  static V get(Word word) { return value_of<V>(word); }
  template <class X>
  static Word put(X value) {
    return word_of(canonical(static_cast<V>(value)));
  }
};
template <class H>
struct Small {
  using Value = double;
  static double get(Word word) { return H::from(static_cast<std::uint16_t>(word)); }
  template <class X>
  static Word put(X value) {
    return H::to(static_cast<long double>(value));
  }
};

template <class To, class From>
void float_to_integer(Warp& w, const Instruction& i, Lanes lanes) {
  using V = typename From::Value;
  const auto how = static_cast<ToInteger>(i.variant);
  const Word* const a = w.words(i.source[0]);
  Word* const d = w.result(i.destination[0], lanes, w.defined(i.source[0]));
  // Numbers from here on are too large; the least one of a type is a power of two, too, or zero.
  const V end = std::ldexp(V{1}, std::numeric_limits<To>::digits);
  const V least = static_cast<V>(std::numeric_limits<To>::min());
  each_lane(lanes, [&](int lane) {
    V value = From::get(a[lane]);
    if constexpr (std::is_same_v<V, float>) value = i.flushes ? flushed(value) : value;
    value = rounded(value, how);
    To result = 0;
    if (value != value) {
      const bool highest_bit = sizeof(To) == 8 || i.from == Type::f64;
      result = highest_bit ? static_cast<To>(std::make_unsigned_t<To>{1} << (8 * sizeof(To) - 1)) : To{0};
    } else {
      result = value < least  ? std::numeric_limits<To>::min()
               : value >= end ? std::numeric_limits<To>::max()
                              : static_cast<To>(value);
    }
    d[lane] = extended(result);
  });
}

template <class To, class From>
void integer_to_float(Warp& w, const Instruction& i, Lanes lanes) {
  const RoundingMode mode(i.rounding);
  const Word* const a = w.words(i.source[0]);
  Word* const d = w.result(i.destination[0], lanes, w.defined(i.source[0]));
  each_lane(lanes, [&](int lane) {
    const auto value = value_of<From>(a[lane]);
    // float16 has values of up to 64 bits rounded once, by long double.
    d[lane] = std::is_same_v<To, Wide<float>> || std::is_same_v<To, Wide<double>>
                  ? To::put(value)
                  : To::put(static_cast<long double>(value));
    if (i.saturates) d[lane] = To::put(saturated(To::get(d[lane])));
  });
}

template <class To, class From>
void between_floats(Warp& w, const Instruction& i, Lanes lanes) {
  const auto how = static_cast<ToInteger>(i.variant);
  const RoundingMode mode(i.rounding);
  const Word* const a = w.words(i.source[0]);
  Word* const d = w.result(i.destination[0], lanes, w.defined(i.source[0]));
  each_lane(lanes, [&](int lane) {
    typename From::Value value = From::get(a[lane]);
    if constexpr (std::is_same_v<From, Wide<float>>) value = i.flushes ? flushed(value) : value;
    value = rounded(value, how);
    if (i.saturates) value = saturated(value);
    Word word = To::put(value);
    if constexpr (std::is_same_v<To, Wide<float>>) {
      if (i.flushes) word = word_of(flushed(value_of<float>(word)));
    }
    if (i.relu && std::signbit(value) && value == value) word = 0;
    d[lane] = word;
  });
}

/// cvt.rn.f16x2.f32 d, a, b: a becomes the upper half.
template <class H>
void to_pair(Warp& w, const Instruction& i, Lanes lanes) {
  const RoundingMode mode(i.rounding);
  const Word* const a = w.words(i.source[0]);
  const Word* const b = w.words(i.source[1]);
  Word* const d = w.result(i.destination[0], lanes, w.defined(i.source[0]) & w.defined(i.source[1]));
  const auto half = [&](Word word) {
    const float value = value_of<float>(word);
    return i.relu && std::signbit(value) && value == value ? Word{0} : Word{H::to(value)};
  };
  each_lane(lanes, [&](int lane) { d[lane] = half(a[lane]) << 16 | half(b[lane]); });
}

template <class From>
Operation from_float(const Instruction& i) {
  switch (i.type) {
    case Type::f16:
      return &between_floats<Small<Half>, From>;
    case Type::bf16:
      return &between_floats<Small<Bfloat>, From>;
    case Type::f32:
      return &between_floats<Wide<float>, From>;
    case Type::f64:
      return &between_floats<Wide<double>, From>;
    default:
      return with_integer(i.type, []<class To>(To) -> Operation { return &float_to_integer<To, From>; });
  }
}
template <class From>
Operation from_integer(const Instruction& i) {
  switch (i.type) {
    case Type::f16:
      return &integer_to_float<Small<Half>, From>;
    case Type::bf16:
      return &integer_to_float<Small<Bfloat>, From>;
    case Type::f32:
      return &integer_to_float<Wide<float>, From>;
    case Type::f64:
      return &integer_to_float<Wide<double>, From>;
    default:
      return with_integer(i.type, []<class To>(To) -> Operation { return &between_integers<To, From>; });
  }
}
Operation choose(const Instruction& i) {
  switch (i.from) {
    case Type::f16:
      return from_float<Small<Half>>(i);
    case Type::bf16:
      return from_float<Small<Bfloat>>(i);
    case Type::f32:
      return from_float<Wide<float>>(i);
    case Type::f64:
      return from_float<Wide<double>>(i);
    default:
      return with_integer(i.from, [&]<class From>(From) -> Operation { return from_integer<From>(i); });
  }
}

}  // namespace

void build_conversions(Builder& b) {
  const Statement& s = b.statement;
  Instruction& made = b.made;
  made.from = s.types.at(1);
  b.take_rounding();
  made.variant = s.one_of({"rni", "rzi", "rmi", "rpi"}) + 1;
  if (made.type == Type::f16x2 || made.type == Type::bf16x2) {
    b.destination_and_sources(2);
    made.operation = made.type == Type::f16x2 ? &to_pair<Half> : &to_pair<Bfloat>;
    return;
  }
  b.destination_and_sources(1);
  made.operation = choose(made);
}

}  // namespace ptx
