// SPDX-License-Identifier: Apache-2.0
// ld and st in every space and of every size, and where variables lie.
#include <algorithm>
#include <string>

#include "harness.hpp"

namespace ptx::test {
namespace {

int elements_of(const Statement& form) { return form.has("v2") ? 2 : form.has("v4") ? 4 : form.has("v8") ? 8 : 1; }

std::string space_of(const Statement& form) {
  for (const char* const space : {"global", "shared", "local", "param", "const"}) {
    if (form.has(space)) return space;
  }
  return "generic";
}

/// {%v0, %v1} or %v0
std::string vector_of(int count) {
  std::string text;
  for (int k = 0; k < count; ++k) text += (k == 0 ? "%v" : ", %v") + std::to_string(k);
  return count == 1 ? text : "{" + text + "}";
}

std::vector<char> some_bytes() {
  std::vector<char> bytes(1024);
  for (std::size_t k = 0; k < bytes.size(); ++k) bytes[k] = static_cast<char>(k * 37 + 11);
  return bytes;
}

std::string hexadecimal_of(const std::vector<char>& bytes, std::size_t count) {
  std::string text;
  for (std::size_t k = 0; k < count; ++k) text += (k == 0 ? "" : ", ") + std::to_string(bytes[k] & 255);
  return text;
}

/// What brings the first 64 bytes of %in to a space, byte by byte, and an address there.
struct Place {
  std::string declarations, copies, address;
};
Place place_in(const std::string& space, const std::vector<char>& bytes) {
  if (space == "global" || space == "generic") return {"", "", "[%in]"};
  if (space == "const") {
    return {".const .align 32 .b8 table[64] = {" + hexadecimal_of(bytes, 64) + "};", "", "[table]"};
  }
  const std::string directive = space == "shared" ? ".shared" : ".local";
  std::string copies = directive + " .align 32 .b8 memory[64];";
  for (int k = 0; k < 64; ++k) {
    const std::string at = "+" + std::to_string(k) + "]";
    copies += "ld.global.u8 %h0, [%in" + at + "; st" + directive + ".u8 [memory" + at + ", %h0;";
  }
  return {"", copies, "[memory]"};
}

/// The elements, each extended into 64 bits as its type says.
std::vector<Word> extended(const std::vector<char>& bytes, Type type, int count) {
  std::vector<Word> words;
  const auto size = static_cast<std::size_t>(bytes_of(type));
  for (std::size_t k = 0; k < static_cast<std::size_t>(count); ++k) {
    Word word = 0;
    std::memcpy(&word, bytes.data() + k * size, size);
    const int shift = 64 - bits_of(type);
    if (is_signed(type)) word = static_cast<Word>(static_cast<std::int64_t>(word << shift) >> shift);
    words.push_back(word);
  }
  return words;
}

}  // namespace

TEST_CASE("memory: every load") {
  const std::vector<char> bytes = some_bytes();
  for (const Statement& form : forms_of("ld")) {
    const int count = elements_of(form);
    const std::string space = space_of(form);
    std::string body = ".reg .b64 %v<8>;";
    Setting setting;
    setting.grid.threads = 1;
    setting.in = bytes;
    if (space == "param") {
      // Brought there as bytes, as calls do.
      body += "{ .param .align 32 .b8 bytes[64];";
      for (int k = 0; k < 64; ++k) {
        const std::string at = "+" + std::to_string(k) + "]";
        body += "ld.global.u8 %h0, [%in" + at + "; st.param.b8 [bytes" + at + ", %h0;";
      }
      body += form.opcode + " " + vector_of(count) + ", [bytes]; }";
    } else {
      const Place place = place_in(space, bytes);
      setting.declarations = place.declarations;
      body += place.copies;
      if (space == "shared") body += "bar.sync 0;";
      body += form.opcode + " " + vector_of(count) + ", " + place.address + ";";
    }
    for (int k = 0; k < count; ++k) {
      body += "st.global.b64 [%out+" + std::to_string(8 * k) + "], %v" + std::to_string(k) + ";";
    }
    INFO(form.opcode);
    const Result result = run_body(body, setting);
    result.is_clean();
    const std::vector<Word> wanted = extended(bytes, form.type(), count);
    for (std::size_t k = 0; k < wanted.size(); ++k) CHECK(result.get<Word>(k) == wanted[k]);
  }
}

TEST_CASE("memory: every store") {
  const std::vector<char> bytes = some_bytes();
  for (const Statement& form : forms_of("st")) {
    const int count = elements_of(form);
    const std::string space = space_of(form);
    const std::size_t size = static_cast<std::size_t>(bytes_of(form.type()) * count);
    std::string body = ".reg .b64 %v<8>;";
    for (int k = 0; k < count; ++k) {
      body += "ld.global.b64 %v" + std::to_string(k) + ", [%in+" + std::to_string(8 * k) + "];";
    }
    std::string address = "[%out]";
    std::string after;
    if (space == "shared" || space == "local" || space == "param") {
      address = "[memory]";
      body += "{ ." + space + " .align 32 .b8 memory[64];";
      for (std::size_t k = 0; k < size; ++k) {
        const std::string at = "+" + std::to_string(k) + "]";
        after += "ld." + space + ".u8 %h0, [memory" + at + "; st.global.u8 [%out" + at + ", %h0;";
      }
      after += "}";
    }
    body += form.opcode + " " + address + ", " + vector_of(count) + ";" + after;
    Setting setting;
    setting.grid.threads = 1;
    setting.in = bytes;
    INFO(form.opcode);
    const Result result = run_body(body, setting);
    result.is_clean();
    const auto element = static_cast<std::size_t>(bytes_of(form.type()));
    for (std::size_t k = 0; k < size; ++k) {
      CHECK(result.out().bytes[k] == bytes[k / element * 8 + k % element]);
    }
    CHECK(result.out().bytes[size] == 0);
    if (after.empty()) CHECK(result.out().stored[0] != Stored::by_nobody);
    CHECK(result.out().stored[size] == Stored::by_nobody);
  }
}

TEST_CASE("memory: one element of a vector is not wanted") {
  const Result result = run_body("ld.global.v2.u32 {_, %r1}, [%in]; st.global.u32 [%out], %r1;",
                                 {.grid = {1, 1, 1, 0}, .in = bytes_of_all(std::vector<std::uint32_t>{5, 6})});
  result.is_clean();
  CHECK(result.get<std::uint32_t>(0) == 6);
}

TEST_CASE("memory: how bytes were stored") {
  const Result result = run_body(
      "mov.f32 %f1, 0f3F800000; st.global.f32 [%out], %f1; mov.u32 %r1, 7; st.global.u32 [%out+4], %r1;"
      "cvt.rn.f16.f32 %h1, %f1; st.global.u16 [%out+8], %h1; cvt.rn.bf16.f32 %h2, %f1; st.global.b16 [%out+10], %h2;"
      "mov.b32 %r2, {%h2, %h2}; st.global.b32 [%out+12], %r2; mov.f64 %d1, 0d3FF0000000000000;"
      "st.global.f64 [%out+16], %d1; mov.b32 %r3, %f1; st.global.v2.u32 [%out+24], {%r3, %r3}; ld.global.u16 %h3, "
      "[%in];"
      "st.global.u16 [%out+32], %h3;",
      {.grid = {1, 1, 1, 0}});
  result.is_clean();
  const auto stored = [&](std::size_t at) { return result.out().stored[at]; };
  CHECK(stored(0) == Stored::float32);
  CHECK(stored(3) == Stored::float32);
  CHECK(stored(4) == Stored::bits32);
  CHECK(stored(8) == Stored::float16);
  CHECK(stored(10) == Stored::bfloat16);
  CHECK(stored(12) == Stored::bfloat16);
  CHECK(stored(16) == Stored::float64);
  CHECK(stored(24) == Stored::float32);
  CHECK(stored(32) == Stored::bits16);
  CHECK(stored(34) == Stored::by_nobody);
}

TEST_CASE("memory: variables of the module") {
  Setting setting;
  setting.grid.threads = 1;
  setting.declarations = R"(
    .global .align 4 .u32 counter = 41;
    .const .align 4 .b32 table[3] = {10, 0x14, 0f3F800000};
    .global .align 8 .u64 pointer = counter;
    .global .align 8 .u64 farther = generic(table)+4;)";
  const Result result = run_body(R"(
    ld.global.u32 %r1, [counter]; add.u32 %r1, %r1, 1; st.global.u32 [counter], %r1;
    ld.const.u32 %r2, [table+4]; mov.u64 %rd1, table; ld.const.u32 %r3, [%rd1+8];
    ld.global.u64 %rd2, [pointer]; ld.u32 %r4, [%rd2]; ld.global.u64 %rd3, [farther]; ld.u32 %r5, [%rd3];
    st.global.v4.u32 [%out], {%r1, %r2, %r3, %r4}; st.global.u32 [%out+16], %r5;)",
                                 setting);
  result.is_clean();
  const std::vector<std::uint32_t> wanted = {42, 20, 0x3f800000, 42, 20};
  for (std::size_t k = 0; k < wanted.size(); ++k) CHECK(result.get<std::uint32_t>(k) == wanted[k]);
}

TEST_CASE("memory: dynamic shared memory, aligned to 16 bytes") {
  const Setting setting = {.declarations = ".extern .shared .align 16 .b8 dynamic[];", .grid = {1, 1, 32, 128}};
  const Result result = run_body(R"(
    mov.u32 %r1, dynamic; shl.b32 %r2, %i, 2; add.u32 %r3, %r1, %r2; st.shared.u32 [%r3], %i; bar.sync 0;
    sub.u32 %r4, 124, %r2; add.u32 %r4, %r4, %r1; ld.shared.u32 %r5, [%r4];
    mul.wide.u32 %rd1, %i, 4; add.s64 %rd1, %rd1, %out; st.global.u32 [%rd1], %r5;
    setp.eq.u32 %p1, %i, 0; and.b32 %r6, %r1, 31; mov.u32 %r7, %dynamic_smem_size;
    @%p1 st.global.v2.u32 [%out+128], {%r6, %r7};)",
                                 setting);
  result.is_clean();
  for (std::size_t k = 0; k < 32; ++k) CHECK(result.get<std::uint32_t>(k) == 31 - k);
  CHECK(result.get<std::uint32_t>(32) == 16);  // and no better
  CHECK(result.get<std::uint32_t>(33) == 128);
}

TEST_CASE("memory: addresses from one space to another") {
  const Result result = run_body(R"(
    .shared .align 8 .b8 s[8]; .local .align 8 .b8 l[8]; mov.u64 %rd1, s; cvta.shared.u64 %rd2, %rd1; mov.u32 %r1, 5;
    st.u32 [%rd2], %r1; cvta.to.shared.u64 %rd3, %rd2; ld.shared.u32 %r2, [%rd3];
    mov.u64 %rd4, l; cvta.local.u64 %rd5, %rd4; mov.u32 %r3, 6; st.u32 [%rd5], %r3; cvta.to.local.u64 %rd6, %rd5;
    ld.local.u32 %r4, [%rd6]; cvta.global.u64 %rd7, %out; cvta.to.global.u64 %rd7, %rd7;
    cvta.param.u64 %rd8, k_out; cvta.to.param.u64 %rd8, %rd8; ld.param.u64 %rd0, [%rd8]; sub.s64 %rd0, %rd0, %out;
    isspacep.shared %p1, %rd2; isspacep.local %p2, %rd2; isspacep.global %p3, %rd2; isspacep.local %p4, %rd5;
    isspacep.global %p5, %rd7; selp.b32 %r5, 1, 0, %p1; @%p2 add.s32 %r5, %r5, 2; @%p3 add.s32 %r5, %r5, 4;
    @%p4 add.s32 %r5, %r5, 8; @%p5 add.s32 %r5, %r5, 16; cvt.u32.u64 %r6, %rd0;
    st.global.v4.u32 [%rd7], {%r2, %r4, %r5, %r6};)",
                                 {.grid = {1, 1, 1, 0}});
  result.is_clean();
  CHECK(result.get<std::uint32_t>(0) == 5);
  CHECK(result.get<std::uint32_t>(1) == 6);
  CHECK(result.get<std::uint32_t>(2) == 25);
  CHECK(result.get<std::uint32_t>(3) == 0);
  const Result constant = run_body(
      "mov.u64 %rd1, c; cvta.const.u64 %rd2, %rd1; ld.u32 %r1, [%rd2]; cvta.to.const.u64 %rd3, %rd2; ld.const.u32 %r2, "
      "[%rd3]; st.global.v2.u32 [%out], {%r1, %r2};",
      {.declarations = ".const .u32 c = 9;", .grid = {1, 1, 1, 0}});
  constant.is_clean();
  CHECK(constant.get<Word>(0) == 0x0000000900000009);
}

TEST_CASE("memory: mov of every type, together and apart") {
  for (const Statement& form : forms_of("mov")) {
    const Type type = form.type();
    if (type == Type::pred) continue;
    const Word value = 0x8123456789abcdef & ones(bits_of(type));
    check_form(form.opcode, type, {type}, {{value}}, [&](const Row& row) { return row[0]; });
  }
  CHECK(computed(".reg .b32 %x, %y; mov.b64 {%x, %y}, %a; mov.b64 %d, {%y, %x};", {64, {64}},
                 {{0x123456789abcdef0}})[0] == 0x9abcdef012345678);
  CHECK(computed(".reg .b16 %w<4>; mov.b64 {%w0, %w1, %w2, %w3}, %a; mov.b64 %d, {%w3, %w2, %w1, %w0};", {64, {64}},
                 {{0x0123456789abcdef}})[0] == 0xcdef89ab45670123);
  CHECK(computed(".reg .b16 %w; mov.b32 {_, %w}, %a; mov.b32 %d, {%w, %w};", {32, {32}}, {{0x12345678}})[0] ==
        0x12341234);
}

}  // namespace ptx::test
