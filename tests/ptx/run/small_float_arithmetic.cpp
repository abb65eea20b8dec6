// SPDX-License-Identifier: Apache-2.0
// Arithmetic of float16 and bfloat16, one or two in a register: computed by double and rounded once.
#include <cmath>
#include <stdexcept>

#include "builder.hpp"
#include "floats.hpp"
#include "map.hpp"
#include "small_floats.hpp"

namespace ptx {
namespace {

constexpr std::uint16_t sign_bit = 0x8000;

/// A number of the format as an operation takes and gives it.
template <class H>
double taken(const Instruction& i, std::uint16_t word) {
  const double value = H::from(word);
  return i.flushes && (word & H::infinity) == 0 ? std::copysign(0.0, value) : value;
}
template <class H>
std::uint16_t given(const Instruction& i, double value) {
  std::uint16_t word = H::to(value);
  if (i.flushes && (word & H::infinity) == 0) word &= sign_bit;
  if (i.saturates) word = H::to(saturated(H::from(word)));
  const bool negative = (word & sign_bit) != 0 && (word & 0x7fff) <= H::infinity;  // NaN stays
  return i.relu && negative ? std::uint16_t{0} : word;
}

/// .NaN: NaN where an operand is.
template <class H>
std::uint16_t propagated(const Instruction& i, double a, double b, double otherwise) {
  return given<H>(i, std::isnan(a) || std::isnan(b) ? static_cast<double>(NAN) : otherwise);
}

/// Calls f(i, a, b, c) with 16 bits of each operand, once or, of a pair, twice.
template <class F, bool pair>
void compute(Warp& w, const Instruction& i, Lanes lanes) {
  const int sources = i.sources;
  Lanes sound = all_lanes;
  const Word* words[3] = {};
  for (int k = 0; k < 3; ++k) {
    const Operand operand = i.source[static_cast<std::size_t>(k < sources ? k : 0)];
    words[k] = w.words(operand);
    sound &= w.defined(operand);
  }
  Word* const d = w.result(i.destination[0], lanes, sound);
  const auto half = [&](int lane, int shift) {
    const auto part = [&](int k) { return static_cast<std::uint16_t>(words[k][lane] >> shift); };
    return static_cast<Word>(F{}(i, part(0), part(1), part(2))) << shift;
  };
  each_lane(lanes, [&](int lane) { d[lane] = pair ? half(lane, 0) | half(lane, 16) : half(lane, 0); });
}

template <class F>
Operation chosen(bool pair) {
  return pair ? &compute<F, true> : &compute<F, false>;
}

template <class H>
Operation operation_named(const Statement& s, bool pair) {
  using Half16 = std::uint16_t;
  using I = const Instruction&;
  const std::string& name = s.name;
  if (name == "neg") return chosen<decltype([](I, Half16 a, Half16, Half16) { return Half16(a ^ sign_bit); })>(pair);
  if (name == "abs") return chosen<decltype([](I, Half16 a, Half16, Half16) { return Half16(a & 0x7fff); })>(pair);
  if (name == "add") {
    return chosen<decltype([](I i, Half16 a, Half16 b, Half16) {
      return given<H>(i, sum_rounded_to_odd(taken<H>(i, a), taken<H>(i, b)));
    })>(pair);
  }
  if (name == "sub") {
    return chosen<decltype([](I i, Half16 a, Half16 b, Half16) {
      return given<H>(i, sum_rounded_to_odd(taken<H>(i, a), -taken<H>(i, b)));
    })>(pair);
  }
  if (name == "mul") {
    return chosen<decltype(
        [](I i, Half16 a, Half16 b, Half16) { return given<H>(i, taken<H>(i, a) * taken<H>(i, b)); })>(pair);
  }
  if (name == "fma") {
    return chosen<decltype([](I i, Half16 a, Half16 b, Half16 c) {
      return given<H>(i, sum_rounded_to_odd(taken<H>(i, a) * taken<H>(i, b), taken<H>(i, c)));
    })>(pair);
  }
  if (name == "ex2") {
    return chosen<decltype([](I i, Half16 a, Half16, Half16) { return given<H>(i, std::exp2(taken<H>(i, a))); })>(pair);
  }
  if (name == "tanh") {
    return chosen<decltype([](I i, Half16 a, Half16, Half16) { return given<H>(i, std::tanh(taken<H>(i, a))); })>(pair);
  }
  if (s.has("NaN")) {
    if (name == "min") {
      return chosen<decltype([](I i, Half16 a, Half16 b, Half16) {
        return propagated<H>(i, taken<H>(i, a), taken<H>(i, b), lesser(taken<H>(i, a), taken<H>(i, b)));
      })>(pair);
    }
    return chosen<decltype([](I i, Half16 a, Half16 b, Half16) {
      return propagated<H>(i, taken<H>(i, a), taken<H>(i, b), greater(taken<H>(i, a), taken<H>(i, b)));
    })>(pair);
  }
  if (name == "min") {
    return chosen<decltype(
        [](I i, Half16 a, Half16 b, Half16) { return given<H>(i, lesser(taken<H>(i, a), taken<H>(i, b))); })>(pair);
  }
  if (name == "max") {
    return chosen<decltype(
        [](I i, Half16 a, Half16 b, Half16) { return given<H>(i, greater(taken<H>(i, a), taken<H>(i, b))); })>(pair);
  }
  return nullptr;
}

}  // namespace

void build_small_floats(Builder& b) {
  const Statement& s = b.statement;
  int sources = 2;
  if (s.name == "fma") sources = 3;
  if (s.name == "neg" || s.name == "abs" || s.name == "ex2" || s.name == "tanh") sources = 1;
  b.destination_and_sources(sources);
  const bool half = b.made.type == Type::f16 || b.made.type == Type::f16x2;
  const bool pair = b.made.type == Type::f16x2 || b.made.type == Type::bf16x2;
  b.made.operation = half ? operation_named<Half>(s, pair) : operation_named<Bfloat>(s, pair);
}

}  // namespace ptx
