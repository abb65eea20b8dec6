// SPDX-License-Identifier: Apache-2.0
// setp, set, testp and selp, against a three-way comparison.
#include <cmath>

#include "harness.hpp"
#include "small_values.hpp"

namespace ptx::test {
namespace {

enum class Order { less, equal, greater, none };

template <class V>
Order order_of(V a, V b) {
  if (a < b) return Order::less;
  if (a > b) return Order::greater;
  return a == b ? Order::equal : Order::none;
}

Order order_of(Type type, Word a, Word b, bool flush) {
  switch (type) {
    case Type::f32: {
      const auto value = [&](Word word) {
        const float v = value_of<float>(word);
        return flush && std::fpclassify(v) == FP_SUBNORMAL ? 0.0f : v;
      };
      return order_of(value(a), value(b));
    }
    case Type::f64:
      return order_of(value_of<double>(a), value_of<double>(b));
    case Type::f16:
    case Type::bf16: {
      const SmallValues& values = small_values(type == Type::f16);
      return order_of(values.value(a), values.value(b));
    }
    default:
      break;
  }
  if (!is_signed(type)) return order_of(a, b);
  const int shift = 64 - bits_of(type);
  return order_of(static_cast<std::int64_t>(a << shift), static_cast<std::int64_t>(b << shift));
}

bool holds(std::string name, Order order) {
  if (name == "num") return order != Order::none;
  if (name == "nan") return order == Order::none;
  if (name.size() == 3) {  // also where there is no order
    if (order == Order::none) return true;
    name.pop_back();
  }
  if (name == "eq") return order == Order::equal;
  if (name == "ne") return order == Order::less || order == Order::greater;
  if (name == "lt" || name == "lo") return order == Order::less;
  if (name == "le" || name == "ls") return order == Order::less || order == Order::equal;
  if (name == "gt" || name == "hi") return order == Order::greater;
  return order == Order::greater || order == Order::equal;
}

}  // namespace

TEST_CASE("comparisons: setp with its second result and a predicate") {
  for (const Statement& form : forms_of("setp")) {
    const Type type = form.type();
    std::vector<Row> rows = pairs(type, type);
    for (std::size_t k = 0; k < rows.size(); ++k) rows[k].push_back(k / 3 % 2);
    const int join = form.one_of({"and", "or", "xor"});
    const std::string text = ".reg .pred %o; setp.ne.u32 %o, %c, 0; " + form.opcode + " %p|%q, %a, %b" +
                             (join < 0 ? "" : ", %o") + "; selp.b32 %d, 1, 0, %p; @%q add.s32 %d, %d, 2;";
    const std::vector<Word> found = computed(text, {32, {bits_of(type), bits_of(type), 32}}, rows);
    for (std::size_t k = 0; k < rows.size(); ++k) {
      const Row& row = rows[k];
      const bool result = holds(form.modifiers.at(0), order_of(type, row[0], row[1], form.has("ftz")));
      const auto joined = [&](bool value) {
        const bool other = row[2] != 0;
        return join < 0 ? value : join == 0 ? value && other : join == 1 ? value || other : value != other;
      };
      const Word wanted = (joined(result) ? 1u : 0u) + (joined(!result) ? 2u : 0u);
      if (found[k] == wanted) continue;
      FAIL_CHECK(form.opcode << " of " << hexadecimal(row[0]) << " and " << hexadecimal(row[1]) << ": " << found[k]);
      break;
    }
  }
}

TEST_CASE("comparisons: a negated predicate, and no second result") {
  const std::string text = "setp.ne.u32 %q, %b, 0; setp.lt.and.s32 %p, %a, 5, !%q; selp.b32 %d, 1, 0, %p;";
  const std::vector<Word> wanted = {1, 0, 0};
  CHECK(computed(text, {32, {32, 32}}, {{3, 0}, {3, 1}, {7, 0}}) == wanted);
  CHECK(computed("setp.lt.s32 %p|_, %a, 5; selp.b32 %d, 1, 0, %p;", {32, {32}}, {{3}})[0] == 1);
}

TEST_CASE("comparisons: set") {
  for (const Statement& form : forms_of("set")) {
    const Type type = form.types.at(1);
    const Word yes = form.type() == Type::f32 ? 0x3f800000 : 0xffffffff;
    check_form(form.opcode, Type::b32, {type, type}, pairs(type, type), [&](const Row& row) {
      return holds(form.modifiers.at(0), order_of(type, row[0], row[1], false)) ? yes : 0;
    });
  }
}

TEST_CASE("comparisons: testp") {
  for (const Statement& form : forms_of("testp")) {
    const Type type = form.type();
    std::vector<Row> rows;
    for (const Word sample : samples(type)) rows.push_back({sample});
    const std::string& which = form.modifiers.at(0);
    const std::vector<Word> found =
        computed(form.opcode + " %p, %a; selp.b32 %d, 1, 0, %p;", {32, {bits_of(type)}}, rows);
    const int fraction_bits = type == Type::f32 ? 23 : 52;
    const Word largest = type == Type::f32 ? 255 : 2047;
    for (std::size_t k = 0; k < rows.size(); ++k) {
      const Word exponent = rows[k][0] >> fraction_bits & largest;
      const Word fraction = rows[k][0] & ones(fraction_bits);
      const bool nan = exponent == largest && fraction != 0;
      const bool infinite = exponent == largest && fraction == 0;
      const bool wanted = which == "finite"       ? exponent != largest
                          : which == "infinite"   ? infinite
                          : which == "number"     ? !nan
                          : which == "notanumber" ? nan
                          : which == "normal"     ? exponent != 0 && exponent != largest
                                                  : exponent == 0 && fraction != 0;
      CHECK_MESSAGE(found[k] == (wanted ? 1u : 0u), form.opcode << " of " << hexadecimal(rows[k][0]));
    }
  }
}

TEST_CASE("comparisons: selp") {
  for (const Statement& form : forms_of("selp")) {
    const Type type = form.type();
    const int bits = bits_of(type);
    const std::string text = "setp.ne.u32 %p, %c, 0; " + form.opcode + " %d, %a, %b, %p;";
    const Word a = 0x8123456789abcdef & ones(bits);
    const Word b = 0x7654321076543210 & ones(bits);
    const std::vector<Word> found = computed(text, {bits, {bits, bits, 32}}, {{a, b, 0}, {a, b, 1}});
    const std::vector<Word> wanted = {b, a};
    CHECK_MESSAGE(found == wanted, text);
  }
}

}  // namespace ptx::test
