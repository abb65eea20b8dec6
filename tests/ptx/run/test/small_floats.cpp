// SPDX-License-Identifier: Apache-2.0
// float16 and bfloat16: against the nearest of all their values.
#include <algorithm>
#include <array>
#include <cmath>

#include "harness.hpp"
#include "small_values.hpp"

namespace ptx::test {
namespace {

bool is_half(Type type) { return type == Type::f16 || type == Type::f16x2; }
bool is_pair(Type type) { return type == Type::f16x2 || type == Type::bf16x2; }

/// A sum whose last bit says on which side of it the exact one lies, so that rounding it again is right.
long double sum(long double a, long double b) {
  const long double result = a + b;
  const long double part = result - a;
  const long double error = (a - (result - part)) + (b - part);
  if (!std::isfinite(result) || error == 0) return result;
  return std::nextafter(result, error > 0 ? INFINITY : -INFINITY);
}

/// The result of an operation, exact as far as rounding to 16 bits shows.
long double exact(const std::string& name, long double a, long double b, long double c) {
  if (name == "add") return sum(a, b);
  if (name == "sub") return sum(a, -b);
  if (name == "mul") return a * b;
  if (name == "fma") return sum(a * b, c);
  if (name == "ex2") return std::exp2(a);
  if (name == "tanh") return std::tanh(a);
  const bool both_zero = a == 0 && b == 0;
  if (name == "min") return both_zero ? (std::signbit(a) ? a : b) : std::fmin(a, b);
  return both_zero ? (std::signbit(a) ? b : a) : std::fmax(a, b);
}

Word expected(const Statement& form, const SmallValues& values, std::array<Word, 3> words) {
  if (form.name == "neg") return words[0] ^ 0x8000;
  if (form.name == "abs") return words[0] & 0x7fff;
  std::array<long double, 3> v{};
  const bool flush = form.has("ftz");
  for (std::size_t k = 0; k < 3; ++k) {
    v[k] = values.value(words[k]);
    if (flush && std::fabs(v[k]) < values.least_normal()) v[k] = std::copysign(0.0L, v[k]);
  }
  long double result = exact(form.name, v[0], v[1], v[2]);
  if (form.has("NaN") && (std::isnan(v[0]) || std::isnan(v[1]))) result = NAN;
  Word word = values.nearest(result);
  const long double rounded = values.value(word);
  if (flush && std::fabs(rounded) < values.least_normal()) word = std::signbit(rounded) ? 0x8000 : 0;
  if (form.has("sat")) return std::isnan(rounded) || rounded <= 0 ? 0 : rounded >= 1 ? values.nearest(1) : word;
  if (form.has("relu") && !std::isnan(rounded) && std::signbit(rounded)) return 0;
  return word;
}

}  // namespace

TEST_CASE("small floats: the nearest value") {
  for (const char* const name : {"add", "sub", "mul", "fma", "neg", "abs", "min", "max", "ex2", "tanh"}) {
    for (const Statement& form : forms_of(name)) {
      const Type type = form.type();
      if (type != Type::f16 && type != Type::bf16 && !is_pair(type)) continue;
      const SmallValues& values = small_values(is_half(type));
      const std::string n = name;
      const std::size_t operands = n == "fma" ? 3 : n == "neg" || n == "abs" || n == "ex2" || n == "tanh" ? 1 : 2;
      std::vector<Row> rows = triples(type, type, type);
      for (Row& row : rows) row.resize(operands);
      check_form(form.opcode, type, std::vector<Type>(operands, type), rows, [&](const Row& row) {
        const auto half = [&](int shift) {
          std::array<Word, 3> words{};
          for (std::size_t k = 0; k < operands; ++k) words[k] = row[k] >> shift & 0xffff;
          return expected(form, values, words);
        };
        return is_pair(type) ? half(0) | half(16) << 16 : half(0);
      });
    }
  }
}

TEST_CASE("small floats: constants") {
  const auto one = [](const std::string& text, std::vector<Word> row) {
    return computed(text, {16, std::vector<int>(row.size(), 16)}, {row})[0];
  };
  CHECK(one("add.f16 %d, %a, %b;", {0x7bff, 0x4c00}) == 0x7c00);  // 65504 + 16 is infinite
  CHECK(one("add.f16 %d, %a, %b;", {0x7bff, 0x4b80}) == 0x7bff);  // + 15 is not
  CHECK(one("add.f16 %d, %a, %b;", {0x6800, 0x3c00}) == 0x6800);  // 2048 + 1: to even
  CHECK(one("add.f16 %d, %a, %b;", {0x6801, 0x3c00}) == 0x6802);  // 2050 + 1
  CHECK(one("mul.f16 %d, %a, %b;", {0x0001, 0x3800}) == 0x0000);  // half of the least: to even
  CHECK(one("mul.f16 %d, %a, %b;", {0x0003, 0x3800}) == 0x0002);
  CHECK(one("fma.rn.f16 %d, %a, %b, %c;", {0x3c01, 0x3c01, 0xbc02}) == 0x0010);  // 2^-20: one rounding only
  CHECK(one("mul.f16 %d, %a, %b;", {0x7c00, 0x0000}) == 0x7fff);                 // NaN
  CHECK(one("add.bf16 %d, %a, %b;", {0x3f80, 0x3b80}) == 0x3f80);                // 1 + 2^-8: to even
  CHECK(one("add.bf16 %d, %a, %b;", {0x3f81, 0x3b80}) == 0x3f82);
  CHECK(one("mul.bf16 %d, %a, %b;", {0x7f7f, 0x4000}) == 0x7f80);
  CHECK(one("fma.rn.relu.bf16 %d, %a, %b, %c;", {0xbf80, 0x3f80, 0x0000}) == 0);
}

}  // namespace ptx::test
