// SPDX-License-Identifier: Apache-2.0
// atom and red: what they leave, and what they give.
#include <algorithm>

#include "harness.hpp"

namespace ptx::test {
namespace {

template <class V>
V changed(const std::string& how, V old, V value, V otherwise) {
  if (how == "add") return static_cast<V>(old + value);
  if (how == "min") return std::min(old, value);
  if (how == "max") return std::max(old, value);
  if constexpr (std::is_integral_v<V>) {
    if (how == "exch") return value;
    if (how == "cas") return old == value ? otherwise : old;
    if (how == "and") return static_cast<V>(old & value);
    if (how == "or") return static_cast<V>(old | value);
    if (how == "xor") return static_cast<V>(old ^ value);
    if (how == "inc") return old >= value ? V{0} : static_cast<V>(old + 1);
    if (how == "dec") return old == 0 || old > value ? value : static_cast<V>(old - 1);
  }
  return V{};
}

Word changed_word(const std::string& how, Type type, Word old, Word value, Word otherwise) {
  const auto as = [&]<class V>(V) {
    return word_of(changed(how, value_of<V>(old), value_of<V>(value), value_of<V>(otherwise)));
  };
  if (type == Type::f32) return as(float{});
  if (type == Type::f64) return as(double{});
  return with_integer(type, as);
}

std::string kind_of(const Statement& form) {
  for (const char* const each : {"add", "exch", "cas", "min", "max", "and", "or", "xor", "inc", "dec"}) {
    if (form.has(each)) return each;
  }
  return "";
}

}  // namespace

TEST_CASE("atomics: every form, on some values") {
  for (const char* const name : {"atom", "red"}) {
    for (const Statement& form : forms_of(name)) {
      const Type type = form.type();
      const std::string how = kind_of(form);
      const std::string bits = std::to_string(bits_of(type));
      const bool shared = form.has("shared");
      const std::string address = shared ? "[memory]" : "[%out]";
      const std::string space = shared ? "shared" : "global";
      const std::string arguments = how == "cas" ? "%b, %c;" : "%b;";
      const std::string body = ".shared .align 8 .b8 memory[8]; .reg .b" + bits + " %a, %b, %c, %old; mov.b" + bits +
                               " %old, 0; ld.global.b" + bits + " %a, [%in]; ld.global.b" + bits +
                               " %b, [%in+8]; ld.global.b" + bits + " %c, [%in+16]; st." + space + ".b" + bits + " " +
                               address + ", %a;" + form.opcode + (name[0] == 'a' ? " %old, " : " ") + address + ", " +
                               arguments + "ld." + space + ".b" + bits + " %c, " + address + "; st.global.b" + bits +
                               " [%out], %c; st.global.b" + bits + " [%out+8], %old;";
      std::vector<std::pair<Word, Word>> cases = {{3, 5}, {5, 3}, {0, 1}, {ones(bits_of(type)), 1}, {7, 7}};
      if (type == Type::f32) cases = {{0x3f800000, 0x40200000}, {0x7f7fffff, 0x7f7fffff}};
      if (type == Type::f64) cases = {{0x3ff0000000000000, 0x4004000000000000}};
      for (const std::pair<Word, Word>& each : cases) {
        const Word old = each.first;
        const Word value = each.second;
        constexpr Word otherwise = 99;
        const Result result = run_body(
            body,
            {.grid = {1, 1, 1, 0}, .out_bytes = 16, .in = bytes_of_all(std::vector<Word>{old, value, otherwise})});
        INFO(form.opcode << " of " << hexadecimal(old) << " and " << hexadecimal(value));
        result.is_clean();
        CHECK(result.get<Word>(0) == changed_word(how, type, old, value, otherwise));
        CHECK(result.get<Word>(1) == (name[0] == 'a' ? old : 0));
      }
    }
  }
}

TEST_CASE("atomics: lanes and blocks one after the other") {
  const Result result = run_body(
      "atom.global.add.u32 %r1, [%out], 1; mul.wide.u32 %rd1, %r1, 4; add.s64 %rd1, %rd1, %out;"
      "red.global.add.u32 [%rd1+8], 1;",
      {.grid = {4, 1, 64, 0}, .out_bytes = 4 * 300});
  result.is_clean();
  CHECK(result.get<std::uint32_t>(0) == 256);
  for (std::size_t k = 0; k < 256; ++k) CHECK(result.get<std::uint32_t>(k + 2) == 1);  // each number was given once
  CHECK(result.out().stored[0] == Stored::bits32);
}

}  // namespace ptx::test
