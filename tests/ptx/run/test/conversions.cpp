// SPDX-License-Identifier: Apache-2.0
// cvt, against exact values and a search for the nearest.
#include <algorithm>
#include <array>
#include <cfenv>
#include <cmath>
#include <limits>

#include "harness.hpp"
#include "small_values.hpp"

namespace ptx::test {
namespace {

bool is_small(Type type) { return type == Type::f16 || type == Type::bf16; }

/// What a word is, exactly: 64 bits of a fraction are enough.
long double exact(Type type, Word word) {
  switch (type) {
    case Type::f32:
      return value_of<float>(word);
    case Type::f64:
      return value_of<double>(word);
    case Type::f16:
    case Type::bf16:
      return small_values(type == Type::f16).value(word);
    default:
      break;
  }
  const int shift = 64 - bits_of(type);
  if (is_signed(type)) return static_cast<long double>(static_cast<std::int64_t>(word << shift) >> shift);
  return static_cast<long double>(word & ones(bits_of(type)));
}

/// The neighbours of a value in a format, and the choice between them: no rounding mode of the processor is used.
template <class V>
V rounded(long double wanted, const Statement& form) {
  if (std::isnan(wanted)) return static_cast<V>(NAN);
  V nearest = static_cast<V>(wanted);
  if (static_cast<long double>(nearest) == wanted) return nearest;
  const V infinity = std::numeric_limits<V>::infinity();
  const V below = static_cast<long double>(nearest) < wanted ? nearest : std::nextafter(nearest, -infinity);
  const V above = static_cast<long double>(nearest) > wanted ? nearest : std::nextafter(nearest, infinity);
  if (form.has("rm")) return below;
  if (form.has("rp")) return above;
  if (form.has("rz")) return wanted > 0 ? below : above;
  return nearest;
}

Word to_float(Type type, long double value, const Statement& form) {
  if (form.has("relu") && !std::isnan(value) && std::signbit(value)) return 0;
  if (form.has("sat")) value = std::isnan(value) || value <= 0 ? 0.0L : std::min(value, 1.0L);
  if (type == Type::f64) return word_of(rounded<double>(value, form));
  if (type == Type::f32) {
    const auto result = rounded<float>(value, form);
    if (std::isnan(result)) return 0x7fffffff;
    const bool flush = form.has("ftz") && std::fpclassify(result) == FP_SUBNORMAL;
    return word_of(flush ? std::copysign(0.0f, result) : result);
  }
  const SmallValues& values = small_values(type == Type::f16);
  if (form.has("rz")) return values.towards_zero(value);
  if (form.has("rm") || form.has("rp")) return values.directed(value, form.has("rp"));
  return values.nearest(value);
}

long double to_whole(long double value, const Statement& form) {
  switch (form.one_of({"rni", "rzi", "rmi", "rpi"})) {
    case 0: {
      const long double down = std::floor(value);
      const long double over = value - down;
      const bool up = over == 0.5L ? std::fmod(down, 2.0L) != 0 : over > 0.5L;
      return std::copysign(up ? down + 1 : down, value);
    }
    case 1:
      return std::trunc(value);
    case 2:
      return std::floor(value);
    case 3:
      return std::ceil(value);
    default:
      return value;
  }
}

Word to_integer(Type type, Type from, long double value) {
  const int bits = bits_of(type);
  const long double low = is_signed(type) ? -std::pow(2.0L, bits - 1) : 0.0L;
  const long double high = std::pow(2.0L, is_signed(type) ? bits - 1 : bits) - 1;
  if (std::isnan(value)) return bits == 64 || from == Type::f64 ? Word{1} << (bits - 1) : 0;
  const long double inside = std::clamp(value, low, high);
  return static_cast<Word>(inside < 0 ? static_cast<Word>(static_cast<std::int64_t>(inside))
                                      : static_cast<Word>(inside));
}

Word expected(const Statement& form, Word word) {
  const Type to = form.types.at(0);
  const Type from = form.types.at(1);
  long double value = exact(from, word);
  if (form.has("ftz") && from == Type::f32 && std::fabs(value) < std::numeric_limits<float>::min()) {
    value = std::copysign(0.0L, value);
  }
  if (is_float(to)) return to_float(to, is_float(from) ? to_whole(value, form) : value, form);
  if (is_float(from)) return to_integer(to, from, to_whole(value, form));
  if (form.has("sat")) return to_integer(to, from, value);
  return value < 0 ? static_cast<Word>(static_cast<std::int64_t>(value)) : static_cast<Word>(value);
}

}  // namespace

TEST_CASE("conversions: every form") {
  for (const Statement& form : forms_of("cvt")) {
    if (form.type() == Type::f16x2 || form.type() == Type::bf16x2) continue;
    const Type to = form.types.at(0);
    const Type from = form.types.at(1);
    std::vector<Row> rows;
    for (const Word sample : samples(from)) rows.push_back({sample});
    if (is_float(from) && !is_small(from)) {  // near whole numbers and ends of integers' ranges
      for (const double value :
           {0.5,    1.5,          2.5,           -0.5,         -1.5,   127.5,  255.4, 255.5,   32767.7, 65535.5,
            -128.5, 2147483647.0, -2147483649.0, 4294967296.0, 9.3e18, 1.9e19, 1e30,  65519.0, 65520.0, 0x1p-25}) {
        rows.push_back({from == Type::f32 ? word_of(static_cast<float>(value)) : word_of(value)});
      }
    }
    // The register is as wide as the type, or wider: a sign is extended up to there.
    const int bits = std::max(bits_of(to), 16);
    check_form_by(form.opcode, to, {from}, rows, [&](const Row& row, Word found) -> std::string {
      Word wanted = expected(form, row[0]);
      if (to == Type::f64 && std::isnan(value_of<double>(wanted)) && std::isnan(value_of<double>(found))) return {};
      if (is_signed(to)) wanted = static_cast<Word>(static_cast<std::int64_t>(exact(to, wanted)));
      wanted &= is_signed(to) ? ones(bits) : ones(bits_of(to));
      return found == wanted ? std::string() : hexadecimal(wanted);
    });
  }
}

TEST_CASE("conversions: pairs, the first in the upper half") {
  for (const Statement& form : forms_of("cvt")) {
    if (form.type() != Type::f16x2 && form.type() != Type::bf16x2) continue;
    const Type half = form.type() == Type::f16x2 ? Type::f16 : Type::bf16;
    check_form(form.opcode, Type::b32, {Type::f32, Type::f32}, pairs(Type::f32, Type::f32), [&](const Row& row) {
      const auto part = [&](Word word) { return to_float(half, exact(Type::f32, word), form); };
      return part(row[0]) << 16 | part(row[1]);
    });
  }
}

TEST_CASE("conversions: constants") {
  const auto one = [](const std::string& text, int to, int from, Word word) {
    return computed(text, {to, {from}}, {{word}})[0];
  };
  CHECK(one("cvt.rn.f16.f32 %d, %a;", 16, 32, word_of(65520.0f)) == 0x7c00);
  CHECK(one("cvt.rz.f16.f32 %d, %a;", 16, 32, word_of(1e10f)) == 0x7bff);
  CHECK(one("cvt.rn.bf16.f32 %d, %a;", 16, 32, 0x3f808000) == 0x3f80);  // to even
  CHECK(one("cvt.rn.bf16.f32 %d, %a;", 16, 32, 0x3f818000) == 0x3f82);
  CHECK(one("cvt.rn.f32.u64 %d, %a;", 32, 64, ~Word{0}) == word_of(0x1p64f));
  CHECK(one("cvt.rz.f32.u64 %d, %a;", 32, 64, ~Word{0}) == word_of(0x1.fffffep63f));
  CHECK(one("cvt.rzi.s32.f32 %d, %a;", 32, 32, word_of(-1.9f)) == 0xffffffff);
  CHECK(one("cvt.rzi.u32.f32 %d, %a;", 32, 32, word_of(-1.9f)) == 0);
  CHECK(one("cvt.rzi.s64.f64 %d, %a;", 64, 64, 0x7ff8000000000000) == 0x8000000000000000);
  CHECK(one("cvt.rni.f32.f32 %d, %a;", 32, 32, word_of(2.5f)) == word_of(2.0f));
  CHECK(one("cvt.sat.f32.f32 %d, %a;", 32, 32, 0xffc00000) == 0);
  CHECK(one("cvt.sat.u8.s32 %d, %a;", 16, 32, 0xffffff00) == 0);
  CHECK(one("cvt.s64.s32 %d, %a;", 64, 32, 0x80000000) == 0xffffffff80000000);
  // Into a register that is wider than the type.
  CHECK(one("cvt.s8.s32 %d, %a;", 32, 32, 0x00000080) == 0xffffff80);
  CHECK(one("cvt.u8.s32 %d, %a;", 32, 32, 0xffffff80) == 0x00000080);
}

}  // namespace ptx::test
