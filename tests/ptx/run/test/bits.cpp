// SPDX-License-Identifier: Apache-2.0
// Bitwise operations, shifts and operations of bytes, bit by bit.
#include <algorithm>
#include <array>

#include "harness.hpp"

namespace ptx::test {
namespace {

std::vector<Row> ones_of(Type type) {
  std::vector<Row> rows;
  for (const Word sample : samples(type)) rows.push_back({sample});
  return rows;
}
std::int64_t as_signed(Word word, int bits) {
  word &= ones(bits);
  return (word >> (bits - 1)) != 0 ? static_cast<std::int64_t>(word | ~ones(bits)) : static_cast<std::int64_t>(word);
}

}  // namespace

TEST_CASE("bits: of words") {
  for (const char* const name : {"and", "or", "xor"}) {
    for (const Statement& form : forms_of(name)) {
      const Type type = form.type();
      if (type == Type::pred) continue;
      check_form(form.opcode, type, {type, type}, pairs(type, type), [&](const Row& row) {
        return name[0] == 'a' ? row[0] & row[1] : name[0] == 'o' ? row[0] | row[1] : row[0] ^ row[1];
      });
    }
  }
  for (const Type type : {Type::b16, Type::b32, Type::b64}) {
    const std::string suffix = "." + std::string(name_of(type));
    check_form("not" + suffix, type, {type}, ones_of(type),
               [&](const Row& row) { return ~row[0] & ones(bits_of(type)); });
    check_form("cnot" + suffix, type, {type}, ones_of(type), [&](const Row& row) { return row[0] == 0 ? 1 : 0; });
  }
}

TEST_CASE("bits: of predicates") {
  std::vector<Row> rows = {{0, 0}, {0, 1}, {1, 0}, {1, 1}};
  for (const char* const name : {"and", "or", "xor", "not", "mov"}) {
    const std::string n = name;
    const bool two = n == "and" || n == "or" || n == "xor";
    const std::string text = ".reg .pred %x, %y; setp.ne.u32 %x, %a, 0; setp.ne.u32 %y, %b, 0; " + n + ".pred %p, %x" +
                             (two ? ", %y" : "") + "; selp.b32 %d, 1, 0, %p;";
    const std::vector<Word> found = computed(text, {32, {32, 32}}, rows);
    for (std::size_t k = 0; k < rows.size(); ++k) {
      const Word a = rows[k][0];
      const Word b = rows[k][1];
      const Word wanted = n == "and" ? a & b : n == "or" ? a | b : n == "xor" ? a ^ b : n == "not" ? 1 - a : a;
      CHECK_MESSAGE(found[k] == wanted, text);
    }
  }
  CHECK(computed("mov.pred %p, 1; mov.pred %q, 0; and.pred %p, %p, !%q; selp.u32 %d, 7, 8, %p;", {32, {32}},
                 {{0}})[0] == 7);
}

TEST_CASE("bits: shifts, also by the width and more") {
  for (const char* const name : {"shl", "shr"}) {
    for (const Statement& form : forms_of(name)) {
      const Type type = form.type();
      const int width = bits_of(type);
      std::vector<Row> rows;
      for (const Word value : samples(type)) {
        for (const Word by : std::initializer_list<Word>{0, 1, 7, 8, 15, 16, 17, 31, 32, 33, 63, 64, 65, 200})
          rows.push_back({value, by});
        rows.push_back({value, 0xffffffff});
      }
      check_form(form.opcode, type, {type, Type::b32}, rows, [&](const Row& row) {
        Word result = 0;
        for (int k = 0; k < width; ++k) {  // bit k of the result
          const auto from = static_cast<std::int64_t>(k) +
                            (name[2] == 'l' ? -static_cast<std::int64_t>(row[1]) : static_cast<std::int64_t>(row[1]));
          const bool sign = is_signed(type) && (row[0] >> (width - 1) & 1) != 0;
          const bool bit = from < 0 ? false : from >= width ? sign : (row[0] >> from & 1) != 0;
          result |= static_cast<Word>(bit) << k;
        }
        return result;
      });
    }
  }
  // The amount as a literal, by whole bytes and not.
  CHECK(computed("shr.u64 %d, %a, 32;", {64, {64}}, {{0x123456789abcdef0}})[0] == 0x12345678);
  CHECK(computed("shr.u32 %d, %a, 5;", {32, {32}}, {{0xffffffff}})[0] == 0x07ffffff);
}

TEST_CASE("bits: a shift by the width or more is noted") {
  const Result wide = run_body("add.u32 %r1, %i, 40; mov.u32 %r2, 1; shl.b32 %r3, %r2, %r1; st.global.u32 [%out], %r3;",
                               {.grid = {1, 1, 1, 0}});
  wide.is_clean();
  REQUIRE(wide.complaints.notes().size() == 1);
  CHECK(wide.complaints.notes()[0].kind == "shift by the width or more");
  const Result narrow =
      run_body("mov.u32 %r2, 1; shl.b32 %r3, %r2, %i; st.global.u32 [%out], %r3;", {.grid = {1, 1, 1, 0}});
  narrow.is_clean();
  CHECK(narrow.complaints.notes().empty());
}

TEST_CASE("bits: funnel shifts") {
  std::vector<Row> rows;
  for (const Word low : {Word{0x12345678}, Word{0xffffffff}, Word{0x80000001}}) {
    for (const Word by : std::initializer_list<Word>{0, 1, 31, 32, 33, 63, 64, 100})
      rows.push_back({low, 0x9abcdef0, by});
  }
  for (const Statement& form : forms_of("shf")) {
    check_form(form.opcode, Type::b32, {Type::b32, Type::b32, Type::b32}, rows, [&](const Row& row) {
      const Word amount = form.has("wrap") ? row[2] % 32 : std::min<Word>(row[2], 32);
      const Word both = row[1] << 32 | row[0];
      if (form.has("l")) return amount == 0 ? row[1] : (both >> (32 - amount)) & 0xffffffff;
      return both >> amount & 0xffffffff;
    });
  }
}

TEST_CASE("bits: bytes in another order") {
  // By the table of the manual: which byte of b:a each byte of the result is, the highest first.
  struct Mode {
    const char* name;
    std::array<const char*, 4> bytes;
  };
  constexpr std::array<Mode, 6> modes = {{{".f4e", {"3210", "4321", "5432", "6543"}},
                                          {".b4e", {"5670", "6701", "7012", "0123"}},
                                          {".rc8", {"0000", "1111", "2222", "3333"}},
                                          {".ecl", {"3210", "3211", "3222", "3333"}},
                                          {".ecr", {"0000", "1110", "2210", "3210"}},
                                          {".rc16", {"1010", "3232", "1010", "3232"}}}};
  constexpr Word low = 0x13121110;
  constexpr Word high = 0x17161514;
  for (const Mode& mode : modes) {
    const std::vector<Row> rows = {{low, high, 0}, {low, high, 1}, {low, high, 2}, {low, high, 3}, {low, high, 6}};
    check_form("prmt.b32" + std::string(mode.name), Type::b32, {Type::b32, Type::b32, Type::b32}, rows,
               [&](const Row& row) {
                 Word result = 0;
                 for (int k = 0; k < 4; ++k) {
                   const char which = mode.bytes[row[2] & 3][k];
                   result = result << 8 | (0x10 + static_cast<Word>(which - '0'));
                 }
                 return result;
               });
  }
  const auto permuted = [](Word a, Word b, Word c) {
    return computed("prmt.b32 %d, %a, %b, %c;", {32, {32, 32, 32}}, {{a, b, c}})[0];
  };
  CHECK(permuted(low, high, 0x3210) == low);
  CHECK(permuted(low, high, 0x7604) == 0x17161014);
  CHECK(permuted(0x00008000, 0, 0x9999) == 0xffffffff);  // the sign of byte 1
  CHECK(permuted(0x00007f00, 0, 0x9999) == 0);
}

TEST_CASE("bits: any function of three") {
  for (const int table : {0x00, 0xff, 0xc0, 0xfc, 0x96, 0xca, 0x1b}) {
    const std::string text = "lop3.b32 %d, %a, %b, %c, " + std::to_string(table) + ";";
    const std::vector<Word> found = computed(text, {32, {32, 32, 32}}, {{0xf0f0f0f0, 0xcccccccc, 0xaaaaaaaa}});
    // Bits 7 to 0 of these are all combinations, in the order of the table.
    CHECK((found[0] & 0xff) == static_cast<Word>(table));
  }
}

TEST_CASE("bits: fields") {
  const std::array<Word, 8> places = {0, 1, 5, 31, 32, 40, 63, 255};
  for (const Statement& form : forms_of("bfe")) {
    const Type type = form.type();
    const int width = bits_of(type);
    std::vector<Row> rows;
    for (const Word value : samples(type)) {
      for (const Word from : places) {
        for (const Word count : places) rows.push_back({value, from, count});
      }
    }
    check_form(form.opcode, type, {type, Type::b32, Type::b32}, rows, [&](const Row& row) -> Word {
      const int from = static_cast<int>(row[1]);
      const int count = static_cast<int>(row[2]);
      if (count == 0) return 0;
      if (!is_signed(type)) return from >= width ? 0 : row[0] >> from & ones(std::min(count, width));
      // The field with copies of its highest bit, or of the word's where it reaches further.
      const auto whole = as_signed(row[0], width);
      const std::int64_t down = whole >> std::min(from, width - 1);
      if (from + count >= width) return static_cast<Word>(down) & ones(width);
      return static_cast<Word>(as_signed(static_cast<Word>(down), count)) & ones(width);
    });
  }
  for (const Statement& form : forms_of("bfi")) {
    const Type type = form.type();
    const int width = bits_of(type);
    std::vector<Row> rows;
    for (const Word from : places) {
      for (const Word count : places) rows.push_back({0x5a5a5a5a5a5a5a5a & ones(width), ones(width), from, count});
    }
    check_form(form.opcode, type, {type, type, Type::b32, Type::b32}, rows, [&](const Row& row) {
      Word result = row[1];
      for (Word k = 0; k < row[3] && row[2] + k < static_cast<Word>(width); ++k) {
        const Word bit = Word{1} << (row[2] + k);
        result = (row[0] >> k & 1) != 0 ? result | bit : result & ~bit;
      }
      return result;
    });
  }
}

TEST_CASE("bits: counts") {
  for (const char* const name : {"popc", "clz", "brev", "bfind"}) {
    for (const Statement& form : forms_of(name)) {
      const Type type = form.type();
      const int width = bits_of(type);
      const std::string n = name;
      check_form(form.opcode, n == "brev" ? type : Type::b32, {type}, ones_of(type), [&](const Row& row) -> Word {
        Word count = 0;
        Word reversed = 0;
        int highest = -1;
        const bool negative = is_signed(type) && (row[0] >> (width - 1)) != 0;
        for (int k = 0; k < width; ++k) {
          const bool bit = (row[0] >> k & 1) != 0;
          count += bit ? 1 : 0;
          reversed = reversed << 1 | (bit ? 1 : 0);
          if (bit != negative) highest = k;
        }
        if (n == "popc") return count;
        if (n == "clz") return static_cast<Word>(width - 1 - highest);
        if (n == "brev") return reversed;
        if (highest < 0) return 0xffffffff;
        return static_cast<Word>(form.has("shiftamt") ? width - 1 - highest : highest);
      });
    }
  }
}

}  // namespace ptx::test
