// SPDX-License-Identifier: Apache-2.0
// Arithmetic of integers, against 128-bit arithmetic.
#include <algorithm>

#include "harness.hpp"

namespace ptx::test {
namespace {

__extension__ using Wide = __int128;

/// A register's word as the number that a type reads there.
Wide number(Type type, Word word) {
  const int bits = bits_of(type);
  word &= ones(bits);
  const bool negative = is_signed(type) && (word >> (bits - 1)) != 0;
  return negative ? static_cast<Wide>(word) - (static_cast<Wide>(1) << bits) : static_cast<Wide>(word);
}
Word word(Type type, Wide value) { return static_cast<Word>(value) & ones(bits_of(type)); }

Type twice(Type type) {
  switch (type) {
    case Type::s16:
      return Type::s32;
    case Type::u16:
      return Type::u32;
    case Type::s32:
      return Type::s64;
    default:
      return Type::u64;
  }
}

Wide divided(Wide a, Wide b, bool remainder) { return remainder ? a % b : a / b; }

}  // namespace

TEST_CASE("integers: sums, least, greatest") {
  for (const char* const name : {"add", "sub", "min", "max"}) {
    for (const Statement& form : forms_of(name)) {
      const Type type = form.type();
      if (type == Type::f32 || type == Type::f64 || bits_of(type) == 0 || form.has("cc") || is_float(type) ||
          type == Type::f16x2 || type == Type::bf16x2) {
        continue;
      }
      check_form(form.opcode, type, {type, type}, pairs(type, type), [&](const Row& row) {
        const Wide a = number(type, row[0]);
        const Wide b = number(type, row[1]);
        switch (name[2]) {
          case 'd':
            return word(type, a + b);
          case 'b':
            return word(type, a - b);
          case 'n':
            return word(type, std::min(a, b));
          default:
            return word(type, std::max(a, b));
        }
      });
    }
  }
}

TEST_CASE("integers: quotients") {
  for (const char* const name : {"div", "rem"}) {
    for (const Statement& form : forms_of(name)) {
      const Type type = form.type();
      if (type == Type::f32 || type == Type::f64) continue;
      std::vector<Row> rows = pairs(type, type);
      std::erase_if(rows, [](const Row& row) { return row[1] == 0; });
      check_form(form.opcode, type, {type, type}, rows, [&](const Row& row) {
        return word(type, divided(number(type, row[0]), number(type, row[1]), form.name == "rem"));
      });
    }
  }
}

TEST_CASE("integers: products") {
  for (const char* const name : {"mul", "mad"}) {
    const bool adds = name[2] == 'd';
    for (const Statement& form : forms_of(name)) {
      const int part = form.one_of({"lo", "hi", "wide"});
      if (part < 0) continue;
      const Type type = form.type();
      const Type result = part == 2 ? twice(type) : type;
      std::vector<Type> types = {type, type};
      if (adds) types.push_back(result);
      check_form(
          form.opcode, result, types, adds ? triples(type, type, result) : pairs(type, type), [&](const Row& row) {
            // The product of 64-bit integers has 128 bits, also without a sign.
            __extension__ using Unsigned = unsigned __int128;
            auto product = static_cast<Unsigned>(number(type, row[0])) * static_cast<Unsigned>(number(type, row[1]));
            if (part == 1) {
              product = is_signed(type) ? static_cast<Unsigned>(static_cast<Wide>(product) >> bits_of(type))
                                        : product >> bits_of(type);
            }
            if (adds) product += static_cast<Unsigned>(number(result, row[2]));
            return word(result, static_cast<Wide>(product));
          });
    }
  }
}

TEST_CASE("integers: signs") {
  for (const Type type : {Type::s16, Type::s32, Type::s64}) {
    std::vector<Row> rows;
    for (const Word sample : samples(type)) rows.push_back({sample});
    const std::string suffix = "." + std::string(name_of(type));
    check_form("neg" + suffix, type, {type}, rows, [&](const Row& row) { return word(type, -number(type, row[0])); });
    check_form("abs" + suffix, type, {type}, rows, [&](const Row& row) {
      const Wide value = number(type, row[0]);
      return word(type, value < 0 ? -value : value);
    });
  }
}

TEST_CASE("integers: chains with a carry") {
  // Two words at once: the second sum takes the carry of the first, and the third shows that of the second.
  for (const char* const name : {"add", "sub"}) {
    for (const Type type : {Type::u32, Type::s32, Type::u64, Type::s64}) {
      const std::string suffix = "." + std::string(name_of(type));
      const std::string n = name;
      const std::string bits = std::to_string(bits_of(type));
      for (const std::string& last : {n + "c" + suffix, n + "c.cc" + suffix}) {
        const std::string text = ".reg .b" + bits + " %low; " + n + ".cc" + suffix + " %low, %a, %b;" + n + "c.cc" +
                                 suffix + " %low, %c, %e; " + last + " %d, 0, 0;";
        std::vector<Row> rows;
        for (const Row& low : pairs(type, type)) {
          for (const Word high : {Word{0}, Word{5}, ones(bits_of(type))}) rows.push_back({low[0], low[1], high, high});
        }
        const int width = bits_of(type);
        const std::vector<Word> found = computed(text, {width, {width, width, width, width}}, rows);
        for (std::size_t k = 0; k < rows.size(); ++k) {
          const Row& row = rows[k];
          const bool subtracts = n == "sub";
          const bool first = subtracts ? row[0] < row[1] : number(Type::u64, row[0]) + row[1] > ones(width);
          // The high words are equal: their difference is 0, so that only the borrow counts; their sum overflows where
          // they are all ones, or when the carry is added to them.
          const bool second = subtracts ? first : number(Type::u64, row[2]) + row[3] + (first ? 1 : 0) > ones(width);
          const Word wanted = !second ? 0 : subtracts ? ones(width) : 1;
          CHECK_MESSAGE(found[k] == wanted, last << " after " << row[0] << " and " << row[1]);
        }
      }
    }
  }
}

TEST_CASE("integers: products of four bytes") {
  for (const Statement& form : forms_of("dp4a")) {
    const bool a_signed = is_signed(form.types.at(0));
    const bool b_signed = is_signed(form.types.at(1));
    check_form(form.opcode, Type::s32, {Type::b32, Type::b32, Type::b32}, triples(Type::b32, Type::b32, Type::b32),
               [&](const Row& row) {
                 Wide sum = number(Type::s32, row[2]);
                 for (int k = 0; k < 32; k += 8) {
                   sum += number(a_signed ? Type::s8 : Type::u8, row[0] >> k) *
                          number(b_signed ? Type::s8 : Type::u8, row[1] >> k);
                 }
                 return word(Type::s32, sum);
               });
  }
}

}  // namespace ptx::test
