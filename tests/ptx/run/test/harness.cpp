// SPDX-License-Identifier: Apache-2.0
#include "harness.hpp"

#include <algorithm>

#include "../code.hpp"
#include "../text.hpp"

namespace ptx::test {
namespace {

/// Memory that is aligned as a device's allocation is.
class Memory {
 public:
  explicit Memory(const std::vector<char>& bytes) : room_(bytes.size() + boundary), size_(bytes.size()) {
    const std::size_t over = reinterpret_cast<std::uintptr_t>(room_.data()) % boundary;
    start_ = room_.data() + (boundary - over) % boundary;
    std::copy(bytes.begin(), bytes.end(), start_);
  }
  [[nodiscard]] char* get() const { return start_; }
  [[nodiscard]] Region region() const { return {start_, size_, false}; }

 private:
  static constexpr std::size_t boundary = 256;
  std::vector<char> room_;
  std::size_t size_;
  char* start_;
};

constexpr std::string_view prologue = R"(
  .reg .b64 %out, %in; .reg .b32 %i; .reg .b32 %t0; .reg .b32 %t1;
  .reg .b32 %r<9>; .reg .b64 %rd<9>; .reg .f32 %f<9>; .reg .f64 %d<9>; .reg .b16 %h<9>; .reg .pred %p<9>;
  ld.param.u64 %out, [k_out]; ld.param.u64 %in, [k_in];
  mov.u32 %t0, %ctaid.x; mov.u32 %t1, %ntid.x; mov.u32 %i, %tid.x; mad.lo.s32 %i, %t0, %t1, %i;
)";

}  // namespace

std::string module_of(std::string_view declarations, std::string_view parameters, std::string_view body) {
  std::string text = ".version 8.0\n.target sm_90\n.address_size 64\n";
  text.append(declarations).append("\n.visible .entry k(").append(parameters).append(")\n{\n").append(body);
  return text + "\n}\n";
}

Result run_body(std::string_view body, const Setting& setting) {
  Library library;
  library.add_text("test", module_of(setting.declarations, ".param .u64 k_out, .param .u64 k_in",
                                     std::string(prologue) + std::string(body)));
  Program* const program = library.entry("k");
  REQUIRE(program != nullptr);
  Result result;
  result.problems = program->problems();
  const Memory out(std::vector<char>(setting.out_bytes, 0));
  const Memory in(setting.in);
  const char* const pointers[] = {out.get(), in.get()};
  const Region regions[] = {out.region(), in.region()};
  result.outcome = run(*program, "test", setting.grid, {std::as_bytes(std::span(pointers)), {}}, regions,
                       setting.options, result.complaints);
  const bool restored = std::all_of(out.get(), out.get() + setting.out_bytes, [](char each) { return each == 0; });
  CHECK(restored);
  return result;
}

void Result::is_clean() const {
  for (const std::string& problem : problems) FAIL_CHECK(problem);
  for (const Complaint& each : complaints.all()) FAIL_CHECK(each.kind << ": " << each.text);
  REQUIRE(outcome.finished);
}
void Result::complains(std::string_view kind) const {
  for (const std::string& problem : problems) FAIL_CHECK(problem);
  CHECK_MESSAGE(complaints.has(kind), "no complaint: " << kind);
  for (const Complaint& each : complaints.all()) {
    if (each.kind != kind) FAIL_CHECK(each.kind << ": " << each.text);
  }
}

std::vector<Word> computed(const std::string& text, const Bits& bits, const std::vector<Row>& rows) {
  const auto register_of = [](int width) { return std::to_string(std::max(width, 16)); };
  const auto loaded = [](int width) { return (width == 8 ? "u" : "b") + std::to_string(width); };
  const std::string stride = std::to_string(8 * bits.operands.size());
  std::string body = ".reg .pred %p, %q; .reg .b64 %row, %place; .reg .b" + register_of(bits.result) + " %d;\n";
  body += "mul.wide.u32 %row, %i, " + stride +
          "; add.s64 %row, %in, %row; mul.wide.u32 %place, %i, 8; add.s64 %place, %out, %place;\n";
  const char* const names[] = {"%a", "%b", "%c", "%e"};
  for (std::size_t k = 0; k < bits.operands.size(); ++k) {
    body += ".reg .b" + register_of(bits.operands[k]) + " " + names[k] + "; ";
    body += "ld.global." + loaded(bits.operands[k]) + " " + names[k] + ", [%row+" + std::to_string(8 * k) + "];\n";
  }
  body += text + "\nst.global.b" + register_of(bits.result) + " [%place], %d;\n";

  Setting setting;
  constexpr std::size_t threads = 32;
  const std::size_t blocks = (rows.size() + threads - 1) / threads;
  setting.grid.blocks = static_cast<std::int64_t>(blocks);
  setting.out_bytes = 8 * blocks * threads;
  std::vector<Word> in;
  for (std::size_t k = 0; k < blocks * threads; ++k) {
    const Row& row = rows[std::min(k, rows.size() - 1)];
    in.insert(in.end(), row.begin(), row.begin() + static_cast<std::ptrdiff_t>(bits.operands.size()));
  }
  setting.in = bytes_of_all(in);
  INFO(text);
  const Result result = run_body(body, setting);
  result.is_clean();
  std::vector<Word> words;
  for (std::size_t k = 0; k < rows.size(); ++k) words.push_back(result.get<Word>(k));
  return words;
}

std::string hexadecimal(Word word) { return formatted("%llx", static_cast<unsigned long long>(word)); }

std::vector<Statement> forms_of(std::string_view name) {
  std::vector<Statement> found;
  for (const std::string& form : known_forms()) {
    if (form.substr(0, form.find('.')) == name) found.push_back(parse_statement(form));
  }
  REQUIRE(!found.empty());
  return found;
}

std::vector<Word> samples(Type type) {
  switch (type) {
    case Type::f32:
      return {0,          0x80000000, 0x3f800000, 0xbf800000, 0x40490fdb, 0x7f7fffff, 0xff7fffff,
              0x7f800000, 0xff800000, 0x7fc00000, 0xffc12345, 0x00000001, 0x80000001, 0x007fffff,
              0x00800000, 0x3f000000, 0x4b7fffff, 0x3fc00000, 0x33800001, 0x42f6e979};
    case Type::f64:
      return {0,
              0x8000000000000000,
              0x3ff0000000000000,
              0xbff0000000000000,
              0x400921fb54442d18,
              0x7fefffffffffffff,
              0xffefffffffffffff,
              0x7ff0000000000000,
              0xfff0000000000000,
              0x7ff8000000000000,
              0x0000000000000001,
              0x800fffffffffffff,
              0x0010000000000000,
              0x3fe0000000000000,
              0x3ff8000000000000,
              0x47efffffe0000000,
              0x47effffff0000000,
              0x36a0000000000000,
              0x405edd2f1a9fbe77,
              0x3ca0000000000001};
    case Type::f16:
      return {0,      0x8000, 0x3c00, 0xbc00, 0x4248, 0x7bff, 0xfbff, 0x7c00, 0xfc00, 0x7e00,
              0xfd01, 0x0001, 0x8001, 0x03ff, 0x0400, 0x3800, 0x3e00, 0x1401, 0x5640, 0x6bff};
    case Type::bf16:
      return {0,      0x8000, 0x3f80, 0xbf80, 0x4049, 0x7f7f, 0xff7f, 0x7f80, 0xff80, 0x7fc0,
              0xff81, 0x0001, 0x8001, 0x007f, 0x0080, 0x3f00, 0x3fc0, 0x3381, 0x42f7, 0x4b7f};
    case Type::f16x2:
    case Type::bf16x2: {
      std::vector<Word> words;
      const std::vector<Word> halves = samples(type == Type::f16x2 ? Type::f16 : Type::bf16);
      for (std::size_t k = 0; k < halves.size(); ++k)
        words.push_back(halves[k] | halves[(k + 7) % halves.size()] << 16);
      return words;
    }
    default:
      break;
  }
  const int bits = bits_of(type);
  std::vector<Word> words;
  const Word highest = Word{1} << (bits - 1);
  for (const Word word : {Word{0}, Word{1}, Word{2}, Word{3}, Word{7}, Word{100}, highest - 1, highest, highest + 1,
                          ~Word{0}, ~Word{1}, ~Word{0} - 6, Word{0x123456789abcdef1}, Word{0xfedcba9876543210}}) {
    words.push_back(word & ones(bits));
  }
  return words;
}

std::vector<Row> pairs(Type a, Type b) {
  std::vector<Row> rows;
  for (const Word x : samples(a)) {
    for (const Word y : samples(b)) rows.push_back({x, y});
  }
  return rows;
}
std::vector<Row> triples(Type a, Type b, Type c) {
  std::vector<Row> rows;
  const std::vector<Word> thirds = samples(c);
  for (const Row& row : pairs(a, b)) {
    for (std::size_t k = 0; k < 3; ++k) rows.push_back({row[0], row[1], thirds[(rows.size() * 5 + k) % thirds.size()]});
  }
  return rows;
}

}  // namespace ptx::test
