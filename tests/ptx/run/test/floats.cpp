// SPDX-License-Identifier: Apache-2.0
// Arithmetic of float and double: against the processor's in the same rounding mode, and what is different on a GPU
// against constants.
#include <array>
#include <cfenv>
#include <cmath>
#include <functional>
#include <limits>
#include <map>

#include "harness.hpp"

namespace ptx::test {
namespace {

/// The processor's result in a rounding mode.
template <class V>
V in_mode(int mode, const std::function<V()>& compute) {
  std::fesetround(mode);
  const volatile V result = compute();
  std::fesetround(FE_TONEAREST);
  return result;
}
int mode_of(const Statement& form) {
  constexpr std::array<int, 4> modes = {FE_TONEAREST, FE_TOWARDZERO, FE_DOWNWARD, FE_UPWARD};
  const int which = form.one_of({"rn", "rz", "rm", "rp"});
  return which < 0 ? FE_TONEAREST : modes[static_cast<std::size_t>(which)];
}

template <class V>
V denormals_as_zero(V value) {
  return std::fpclassify(value) == FP_SUBNORMAL ? std::copysign(V{0}, value) : value;
}

/// What a form makes of the processor's operation.
template <class V>
V modified(const Statement& form, Row row, const std::function<V(V, V, V)>& operation) {
  std::array<volatile V, 3> values{};
  for (std::size_t k = 0; k < row.size(); ++k) {
    const V value = value_of<V>(row[k]);
    values[k] = form.has("ftz") ? denormals_as_zero(value) : value;
  }
  V result = in_mode<V>(mode_of(form), [&] { return operation(values[0], values[1], values[2]); });
  if (form.has("ftz")) result = denormals_as_zero(result);
  if (form.has("sat")) result = std::isnan(result) || result <= 0 ? V{0} : std::fmin(result, V{1});
  return result;
}

/// Empty when a word is right: all bits, but those of NaN, which is 7fffffff for float.
template <class V>
std::string wrong_word(Word found, V wanted, int ulps = 0) {
  constexpr Word nan_of_float = 0x7fffffff;
  if (std::isnan(wanted)) {
    const bool right = sizeof(V) == 4 ? found == nan_of_float : std::isnan(value_of<V>(found));
    return right ? "" : "NaN";
  }
  if (found == word_of(wanted)) return {};
  const V below = std::nextafter(wanted, -std::numeric_limits<V>::infinity());
  const V above = std::nextafter(wanted, std::numeric_limits<V>::infinity());
  if (ulps != 0 && value_of<V>(found) >= below && value_of<V>(found) <= above) return {};
  return hexadecimal(word_of(wanted));
}

template <class V>
void check_floats(const Statement& form, std::size_t operands, const std::function<V(V, V, V)>& operation,
                  int ulps = 0) {
  const Type type = sizeof(V) == 4 ? Type::f32 : Type::f64;
  std::vector<Row> rows;
  if (operands == 1) {
    for (const Word sample : samples(type)) rows.push_back({sample});
  } else {
    rows = operands == 2 ? pairs(type, type) : triples(type, type, type);
  }
  check_form_by(form.opcode, type, std::vector<Type>(operands, type), rows,
                [&](const Row& row, Word found) { return wrong_word(found, modified<V>(form, row, operation), ulps); });
}

template <class V>
V lesser(V a, V b) {
  if (std::isnan(a) || std::isnan(b)) return std::isnan(a) ? b : a;
  if (a == b) return std::signbit(a) ? a : b;
  return a < b ? a : b;
}

template <class V>
void check_all(const std::string& name, const Statement& form) {
  using F = std::function<V(V, V, V)>;
  const bool nan = form.has("NaN");
  const auto least = [nan](V a, V b) { return nan && (std::isnan(a) || std::isnan(b)) ? V(NAN) : lesser(a, b); };
  const std::map<std::string, std::pair<std::size_t, F>> operations = {
      {"add", {2, [](V a, V b, V) { return a + b; }}},
      {"sub", {2, [](V a, V b, V) { return a - b; }}},
      {"mul", {2, [](V a, V b, V) { return a * b; }}},
      {"div", {2, [](V a, V b, V) { return a / b; }}},
      {"fma", {3, [](V a, V b, V c) { return std::fma(a, b, c); }}},
      {"rcp", {1, [](V a, V, V) { return 1 / a; }}},
      {"sqrt", {1, [](V a, V, V) { return std::sqrt(a); }}},
      {"neg", {1, [](V a, V, V) { return -a; }}},
      {"abs", {1, [](V a, V, V) { return std::abs(a); }}},
      {"min", {2, [least](V a, V b, V) { return least(a, b); }}},
      {"max", {2, [least](V a, V b, V) { return -least(-a, -b); }}},
      {"rsqrt", {1, [](V a, V, V) { return static_cast<V>(1 / std::sqrt(double(a))); }}},
      {"sin", {1, [](V a, V, V) { return std::sin(a); }}},
      {"cos", {1, [](V a, V, V) { return std::cos(a); }}},
      {"lg2", {1, [](V a, V, V) { return std::log2(a); }}},
      {"ex2", {1, [](V a, V, V) { return std::exp2(a); }}},
      {"tanh", {1, [](V a, V, V) { return std::tanh(a); }}}};
  const auto& [operands, operation] = operations.at(name);
  check_floats<V>(form, operands, operation, form.has("approx") || form.has("full") ? 1 : 0);
}

}  // namespace

TEST_CASE("floats: as the processor computes them") {
  for (const char* const name : {"add", "sub", "mul", "div", "fma", "rcp", "sqrt", "neg", "abs", "min", "max", "rsqrt",
                                 "sin", "cos", "lg2", "ex2", "tanh"}) {
    for (const Statement& form : forms_of(name)) {
      if (form.type() == Type::f32) check_all<float>(name, form);
      if (form.type() == Type::f64 && !form.has("approx")) check_all<double>(name, form);
    }
  }
}

TEST_CASE("floats: reciprocals of double know the upper half") {
  const auto upper = [](double value) { return value_of<double>(word_of(value) >> 32 << 32); };
  for (const char* const opcode : {"rcp.approx.ftz.f64", "rsqrt.approx.ftz.f64"}) {
    for (const double value : {1.0, 4.0, 3.0, 1e300, 0x1p-1000}) {
      const std::vector<Word> found = computed(std::string(opcode) + " %d, %a;", {64, {64}}, {{word_of(value)}});
      const double wanted = opcode[1] == 'c' ? 1 / upper(value) : 1 / std::sqrt(upper(value));
      CHECK((found[0] & 0xffffffff) == 0);
      CHECK(std::abs(value_of<double>(found[0]) - wanted) <= std::abs(wanted) * 0x1p-19);
    }
  }
  CHECK(computed("rcp.approx.ftz.f64 %d, %a;", {64, {64}}, {{1}})[0] == 0x7ff0000000000000);  // of a denormal number
  CHECK(value_of<double>(computed("rsqrt.approx.f64 %d, %a;", {64, {64}}, {{word_of(4.0)}})[0]) == 0.5);
}

TEST_CASE("floats: constants") {
  const auto one = [](const std::string& text, std::vector<Word> row) {
    return computed(text, {32, std::vector<int>(row.size(), 32)}, {row})[0];
  };
  constexpr Word nan = 0x7fffffff;
  constexpr Word quiet = 0xffc12345;
  constexpr Word denormal = 0x80000001;
  constexpr Word tiny = 0x00800000;  // the least that is not denormal
  SUBCASE("NaN has one form") {
    CHECK(one("add.f32 %d, %a, %b;", {quiet, 0}) == nan);
    CHECK(one("mul.rn.f32 %d, %a, %b;", {0, 0x7f800000}) == nan);
    CHECK(one("fma.rn.f32 %d, %a, %b, %a;", {quiet, quiet}) == nan);
    CHECK(one("sqrt.rn.f32 %d, %a;", {0xbf800000}) == nan);
    CHECK(one("min.f32 %d, %a, %b;", {quiet, quiet}) == nan);
    CHECK(one("min.f32 %d, %a, %b;", {quiet, 0x3f800000}) == 0x3f800000);
    CHECK(one("max.NaN.f32 %d, %a, %b;", {quiet, 0x3f800000}) == nan);
  }
  SUBCASE("signs of zero") {
    CHECK(one("add.f32 %d, %a, %b;", {0x80000000, 0x80000000}) == 0x80000000);
    CHECK(one("add.f32 %d, %a, %b;", {0x3f800000, 0xbf800000}) == 0);
    CHECK(one("add.rm.f32 %d, %a, %b;", {0x3f800000, 0xbf800000}) == 0x80000000);
    CHECK(one("min.f32 %d, %a, %b;", {0, 0x80000000}) == 0x80000000);
    CHECK(one("max.f32 %d, %a, %b;", {0x80000000, 0}) == 0);
  }
  SUBCASE("denormal numbers") {
    CHECK(one("add.f32 %d, %a, %b;", {denormal, denormal}) == 0x80000002);
    CHECK(one("add.ftz.f32 %d, %a, %b;", {denormal, denormal}) == 0x80000000);
    CHECK(one("mul.ftz.f32 %d, %a, %b;", {tiny, 0x3f000000}) == 0);
    CHECK(one("mul.f32 %d, %a, %b;", {tiny, 0x3f000000}) == 0x00400000);
    CHECK(one("rcp.approx.ftz.f32 %d, %a;", {denormal}) == 0xff800000);
    CHECK(one("neg.ftz.f32 %d, %a;", {denormal}) == 0);
  }
  SUBCASE("saturation") {
    CHECK(one("add.sat.f32 %d, %a, %b;", {quiet, 0}) == 0);
    CHECK(one("add.sat.f32 %d, %a, %b;", {0x40000000, 0}) == 0x3f800000);
    CHECK(one("mul.sat.f32 %d, %a, %b;", {0xbf800000, 0x3f800000}) == 0);
    CHECK(one("add.sat.f32 %d, %a, %b;", {0x80000000, 0x80000000}) == 0);
  }
  SUBCASE("rounding") {
    constexpr Word half_ulp = 0x33800000;  // of 1
    CHECK(one("add.rn.f32 %d, %a, %b;", {0x3f800000, half_ulp}) == 0x3f800000);
    CHECK(one("add.rp.f32 %d, %a, %b;", {0x3f800000, half_ulp}) == 0x3f800001);
    CHECK(one("add.rm.f32 %d, %a, %b;", {0xbf800000, half_ulp | 0x80000000}) == 0xbf800001);
    CHECK(one("add.rz.f32 %d, %a, %b;", {0xbf800000, half_ulp | 0x80000000}) == 0xbf800000);
    CHECK(one("div.rz.f32 %d, %a, %b;", {0x3f800000, 0x40400000}) == 0x3eaaaaaa);
    CHECK(one("div.rn.f32 %d, %a, %b;", {0x3f800000, 0x40400000}) == 0x3eaaaaab);
    CHECK(one("fma.rz.f32 %d, %a, %a, %b;", {0x7f7fffff, 0}) == 0x7f7fffff);
  }
}

TEST_CASE("floats: copysign takes the sign of its first operand") {
  CHECK(computed("copysign.f32 %d, %a, %b;", {32, {32, 32}}, {{word_of(-2.0f), word_of(3.0f)}})[0] == word_of(-3.0f));
  CHECK(computed("copysign.f64 %d, %a, %b;", {64, {64, 64}}, {{word_of(2.0), word_of(-3.0)}})[0] == word_of(3.0));
}

}  // namespace ptx::test
