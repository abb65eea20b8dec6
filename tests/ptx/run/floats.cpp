// SPDX-License-Identifier: Apache-2.0
// Arithmetic of float and double. What a GPU approximates is computed exactly and rounded: its last bits differ.
#include "floats.hpp"

#include <cfenv>
#include <cmath>
#include <stdexcept>

#include "builder.hpp"
#include "map.hpp"
#include "rounding.hpp"

namespace ptx {
namespace {

/// An operation with .ftz, .sat and a rounding mode around it.
template <class V, class F, bool flushes, bool saturates>
void compute(Warp& w, const Instruction& i, Lanes lanes) {
  static constexpr auto in = [](V value) { return flushes ? flushed(value) : value; };
  static constexpr auto out = [](V value) {
    const V result = canonical(flushes ? flushed(value) : value);
    return saturates ? saturated(result) : result;
  };
  const RoundingMode mode(i.rounding);
  if constexpr (std::is_invocable_v<F, V>) {
    map1<V>(w, i, lanes, [](V a) { return out(F{}(in(a))); });
  } else if constexpr (std::is_invocable_v<F, V, V>) {
    map2<V>(w, i, lanes, [](V a, V b) { return out(F{}(in(a), in(b))); });
  } else {
    map3<V, V>(w, i, lanes, [](V a, V b, V c) { return out(F{}(in(a), in(b), in(c))); });
  }
}

template <class V, class F>
Operation chosen(const Instruction& i) {
  if (i.flushes) return i.saturates ? &compute<V, F, true, true> : &compute<V, F, true, false>;
  return i.saturates ? &compute<V, F, false, true> : &compute<V, F, false, false>;
}

/// rcp.approx.ftz.f64 and rsqrt.approx.ftz.f64 know the upper half of their operand, and give the upper half.
double upper_half(double value) { return value_of<double>(word_of(value) & 0xffffffff00000000u); }

/// .NaN: NaN where an operand is.
template <class V>
V nan_of(V a, V b, V otherwise) {
  return a != a || b != b ? static_cast<V>(NAN) : otherwise;
}

template <class V>
Operation least_or_greatest(const Statement& s, const Instruction& i) {
  const bool least = s.name == "min";
  if (s.has("NaN")) {
    if (least) return chosen<V, decltype([](V a, V b) { return nan_of(a, b, lesser(a, b)); })>(i);
    return chosen<V, decltype([](V a, V b) { return nan_of(a, b, greater(a, b)); })>(i);
  }
  if (least) return chosen<V, decltype([](V a, V b) { return lesser(a, b); })>(i);
  return chosen<V, decltype([](V a, V b) { return greater(a, b); })>(i);
}

template <class V>
Operation exact(const Statement& s, const Instruction& i) {
  const std::string& name = s.name;
  if (name == "add") return chosen<V, decltype([](V a, V b) { return a + b; })>(i);
  if (name == "sub") return chosen<V, decltype([](V a, V b) { return a - b; })>(i);
  if (name == "mul") return chosen<V, decltype([](V a, V b) { return a * b; })>(i);
  if (name == "div") return chosen<V, decltype([](V a, V b) { return a / b; })>(i);
  if (name == "fma") return chosen<V, decltype([](V a, V b, V c) { return std::fma(a, b, c); })>(i);
  if (name == "rcp") return chosen<V, decltype([](V a) { return V{1} / a; })>(i);
  if (name == "sqrt") return chosen<V, decltype([](V a) { return std::sqrt(a); })>(i);
  if (name == "neg") return chosen<V, decltype([](V a) { return -a; })>(i);
  if (name == "abs") return chosen<V, decltype([](V a) { return std::fabs(a); })>(i);
  if (name == "copysign") return operation<V, decltype([](V a, V b) { return std::copysign(b, a); })>();
  return least_or_greatest<V>(s, i);
}

Operation approximate(const Statement& s, const Instruction& i) {
  using D = double;
  const std::string& name = s.name;
  if (i.type == Type::f64) {
    if (name == "rcp") return chosen<D, decltype([](D a) { return upper_half(1 / upper_half(a)); })>(i);
    if (name == "rsqrt" && i.flushes) {
      return chosen<D, decltype([](D a) { return upper_half(1 / std::sqrt(upper_half(a))); })>(i);
    }
    return name == "rsqrt" ? chosen<D, decltype([](D a) { return 1 / std::sqrt(a); })>(i) : nullptr;
  }
  using F = float;
  if (name == "rsqrt") return chosen<F, decltype([](F a) { return static_cast<F>(1 / std::sqrt(D{a})); })>(i);
  if (name == "ex2") return chosen<F, decltype([](F a) { return static_cast<F>(std::exp2(D{a})); })>(i);
  if (name == "lg2") return chosen<F, decltype([](F a) { return static_cast<F>(std::log2(D{a})); })>(i);
  if (name == "sin") return chosen<F, decltype([](F a) { return static_cast<F>(std::sin(D{a})); })>(i);
  if (name == "cos") return chosen<F, decltype([](F a) { return static_cast<F>(std::cos(D{a})); })>(i);
  if (name == "tanh") return chosen<F, decltype([](F a) { return static_cast<F>(std::tanh(D{a})); })>(i);
  return exact<F>(s, i);  // div, rcp, sqrt
}

int sources_of(const std::string& name) {
  if (name == "fma") return 3;
  for (const char* const two : {"add", "sub", "mul", "div", "min", "max", "copysign"}) {
    if (name == two) return 2;
  }
  return 1;
}

}  // namespace

void build_floats(Builder& b) {
  const Statement& s = b.statement;
  b.destination_and_sources(sources_of(s.name));
  b.take_rounding();
  if (s.has("approx") || s.has("full")) {
    b.made.operation = approximate(s, b.made);
  } else {
    b.made.operation = b.made.type == Type::f32 ? exact<float>(s, b.made) : exact<double>(s, b.made);
  }
}

}  // namespace ptx
