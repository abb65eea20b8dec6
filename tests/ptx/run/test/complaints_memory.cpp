// SPDX-License-Identifier: Apache-2.0
// Faults in accesses to memory: each is found, and its twin is not.
#include "complaints.hpp"

namespace ptx::test {

TEST_CASE("complaints: misaligned") {
  fault("misaligned", "ld.global.u32 %r1, [%in+2];", "ld.global.u32 %r1, [%in+4];");
  // A vector is aligned as a whole.
  fault("misaligned", "ld.global.v4.u32 {%r1, %r2, %r3, %r4}, [%in+8];",
        "ld.global.v4.u32 {%r1, %r2, %r3, %r4}, [%in+16];");
  fault("misaligned", "st.global.v2.u32 [%out+4], {%i, %i};", "st.global.v2.u32 [%out+8], {%i, %i};",
        {.grid = {1, 1, 1, 0}});
  // A shared variable is aligned as declared and no better.
  const std::string shared = "[16]; st.shared.v2.u32 [s], {%i, %i};";
  fault("misaligned", ".shared .align 4 .b8 s" + shared, ".shared .align 8 .b8 s" + shared, {.grid = {1, 1, 1, 0}});
}

TEST_CASE("complaints: out of bounds of an allocation") {
  const Setting one = {.grid = {1, 1, 1, 0}, .out_bytes = 12, .in = std::vector<char>(10)};
  fault("out of bounds", "st.global.u32 [%out+12], %i;", "st.global.u32 [%out+8], %i;", one);
  fault("out of bounds", "ld.global.u32 %r1, [%in+8];", "ld.global.u16 %h1, [%in+8];", one);
  fault("out of bounds", "ld.global.u8 %h1, [%in+-1];", "ld.global.u8 %h1, [%in+0];", one);
  fault("out of bounds", "red.global.add.u32 [%out+12], 1;", "red.global.add.u32 [%out+8], 1;", one);
  fault("out of bounds", "st.u32 [k_out], %i;", "st.u32 [%out], %i;", one);
  fault("out of bounds", "mov.u64 %rd1, 16; ld.u32 %r1, [%rd1];", "ld.u32 %r1, [%out];", one);
}

TEST_CASE("complaints: out of bounds of parameters and of other memory") {
  const Setting one = {.grid = {1, 1, 1, 0}};
  fault("out of bounds", "ld.param.u32 %r1, [k_in+8];", "ld.param.u32 %r1, [k_in+4];", one);
  fault("out of bounds", ".shared .align 4 .b8 s[8]; st.shared.u32 [s+8], %i;",
        ".shared .align 4 .b8 s[8]; st.shared.u32 [s+4], %i;", one);
  fault("out of bounds", ".shared .align 4 .b8 s[8]; st.shared.u32 [s+-4], %i;",
        ".shared .align 4 .b8 s[8]; st.shared.u32 [s], %i;", one);
  fault("out of bounds", ".shared .align 4 .b8 s[4]; ld.shared.u32 %r1, [s+1024];",
        ".shared .align 4 .b8 s[4]; st.shared.u32 [s], %i; ld.shared.u32 %r1, [s];", one);
  fault("out of bounds", ".local .align 4 .b8 l[8]; st.local.u32 [l+8], %i;",
        ".local .align 4 .b8 l[8]; st.local.u32 [l+4], %i;", one);
  fault("out of bounds", ".local .align 4 .b8 l[8]; ld.local.u32 %r1, [l+-4];",
        ".local .align 4 .b8 l[8]; st.local.u32 [l], %i; ld.local.u32 %r1, [l];", one);
  fault("out of bounds", "ld.param.u8 %h1, [k_in+8];", "ld.param.u8 %h1, [k_in+7];", one);
  // Dynamic shared memory has as many bytes as the launch says.
  fault("out of bounds", "mov.u32 %r1, d; st.shared.u32 [%r1+64], %i;", "mov.u32 %r1, d; st.shared.u32 [%r1+60], %i;",
        {.declarations = ".extern .shared .align 16 .b8 d[];", .grid = {1, 1, 1, 64}});
  fault("out of bounds", "mov.u32 %r1, d; st.shared.u8 [%r1+64], 1;", "mov.u32 %r1, d; st.shared.u8 [%r1+63], 1;",
        {.declarations = ".extern .shared .align 16 .b8 d[];", .grid = {1, 1, 1, 64}});
}

TEST_CASE("complaints: constant memory") {
  const Setting one = {.declarations = ".const .u32 c = 1; .global .u32 g = 2;", .grid = {1, 1, 1, 0}};
  fault("constant memory", "mov.u64 %rd1, c; cvta.const.u64 %rd1, %rd1; st.u32 [%rd1], %i;",
        "mov.u64 %rd1, g; cvta.global.u64 %rd1, %rd1; st.u32 [%rd1], %i;", one);
  fault("constant memory", "mov.u64 %rd1, g; ld.const.u32 %r1, [%rd1];", "mov.u64 %rd1, c; ld.const.u32 %r1, [%rd1];",
        one);
}

TEST_CASE("complaints: memory never written") {
  const Setting one = {.grid = {1, 1, 1, 0}};
  const std::string shared = ".shared .align 4 .b8 s[8];";
  fault("shared memory never written", shared + "ld.shared.u32 %r1, [s];",
        shared + "st.shared.u32 [s], %i; ld.shared.u32 %r1, [s];", one);
  fault("shared memory never written", shared + "atom.shared.add.u32 %r1, [s], 1;",
        shared + "st.shared.u32 [s], 0; atom.shared.add.u32 %r1, [s], 1;", one);
  // By another block: a block's memory begins anew.
  const std::string first = shared + "setp.eq.u32 %p1, %i, 0;";
  fault("shared memory never written", first + "@%p1 st.shared.u32 [s], 5; ld.shared.u32 %r1, [s];",
        first + "st.shared.u32 [s], 5; ld.shared.u32 %r1, [s];", {.grid = {2, 1, 1, 0}});
  const std::string local = ".local .align 4 .b8 l[8];";
  fault("local memory never written", local + "ld.local.u32 %r1, [l];",
        local + "st.local.u32 [l], %i; ld.local.u32 %r1, [l];", one);
}

TEST_CASE("complaints: atomic operations in memory of one thread") {
  const std::string local = ".local .align 4 .b8 l[8]; mov.u64 %rd1, l; cvta.local.u64 %rd1, %rd1; st.u32 [%rd1], 0;";
  fault("atomic operation in memory of one thread", local + "atom.add.u32 %r1, [%rd1], 1;",
        local + "atom.add.u32 %r1, [%out], 1;", {.grid = {1, 1, 1, 0}});
}

TEST_CASE("complaints: ld.global.nc of what the kernel stores") {
  const Setting one = {.grid = {1, 1, 1, 0}};
  const char* const kind = "ld.global.nc of what the kernel stores";
  fault(kind, "st.global.u32 [%out], %i; ld.global.nc.u32 %r1, [%out];",
        "st.global.u32 [%out], %i; ld.global.u32 %r1, [%out];", one);
  fault(kind, "ld.global.nc.u32 %r1, [%out+4]; st.global.u32 [%out+4], %r1;",
        "ld.global.nc.u32 %r1, [%in+4]; st.global.u32 [%out+4], %r1;", one);
}

TEST_CASE("complaints: a hole of the parameter is undefined, but may be copied") {
  struct Padded {
    std::uint64_t pointer;
    std::uint8_t small;
    std::uint32_t number;
  };
  static_assert(sizeof(Padded) == 16);
  const auto run_padded = [](const std::string& body) {
    Library library;
    library.add_text("test", module_of("", ".param .align 8 .b8 p[16]",
                                       ".reg .b64 %out, %y; .reg .b32 %x, %z; .reg .b16 %s; .reg .pred %q;"
                                       "ld.param.u64 %out, [p];" +
                                           body));
    std::vector<std::uint64_t> memory(4);
    Padded padded{};
    std::memset(&padded, 0, sizeof padded);
    padded.pointer = reinterpret_cast<std::uintptr_t>(memory.data());
    padded.small = 3;
    padded.number = 7;
    std::vector<std::byte> holes(16);
    for (std::size_t k = 9; k < 12; ++k) holes[k] = std::byte{1};
    const Region regions[] = {{reinterpret_cast<char*>(memory.data()), 32, false}};
    Result result;
    Program& program = *library.entry("k");
    result.problems = program.problems();
    result.outcome =
        run(program, "test", {}, {std::as_bytes(std::span(&padded, 1)), holes}, regions, {}, result.complaints);
    return result;
  };
  const auto used = [&](const std::string& body) { run_padded(body).complains("undefined bytes"); };
  used("ld.param.u32 %x, [p+8]; setp.eq.u32 %q, %x, 3;");
  used(
      "ld.param.u64 %y, [p+8]; and.b64 %y, %y, 8; add.s64 %y, %y, %out; ld.param.u32 %x, [p+8]; cvt.u64.u32 %y, %x;"
      "add.s64 %y, %y, %out; mov.b64 {%x, %z}, %y; ld.param.u32 %x, [p+8]; st.global.u32 [%out], %x; setp.eq.u32 %q, "
      "%x, 1;");
  used("ld.param.u32 %x, [p+8]; st.global.f32 [%out], %x;");  // a value, and no part of a struct
  used("ld.param.u8 %s, [p+9]; setp.eq.u16 %q, %s, 3;");
  used("ld.param.u64 %y, [p+8]; cvt.u32.u64 %x, %y; setp.eq.u32 %q, %x, 3;");
  // Parts that are defined, of a word that is copied.
  run_padded("ld.param.u64 %y, [p+8]; shr.u64 %y, %y, 32; setp.eq.u64 %q, %y, 3;").is_clean();
  run_padded("ld.param.u64 %y, [p+8]; mov.b64 {%x, %z}, %y; setp.eq.u32 %q, %z, 3;").is_clean();
  run_padded("ld.param.u64 %y, [p+8]; cvt.u16.u64 %s, %y; and.b16 %s, %s, 255; setp.eq.u16 %q, %s, 3;").is_clean();
  run_padded("ld.param.u32 %x, [p+8]; cvt.u8.u32 %s, %x; setp.eq.u16 %q, %s, 3;").is_clean();
  const Result copied = run_padded(
      "ld.param.v2.u32 {%x, %z}, [p+8]; st.global.v2.u32 [%out+8], {%x, %z}; ld.param.u64 %y, [p+8]; selp.b64 %y, %y, "
      "%y, 1;"
      "mov.u64 %out, %out; st.global.u64 [%out+16], %y;");
  copied.is_clean();
  CHECK(copied.outcome.regions[0].stored[8] == Stored::bits32);
  CHECK(copied.outcome.regions[0].stored[9] == Stored::undefined);
  CHECK(copied.outcome.regions[0].stored[12] == Stored::bits32);
  CHECK(copied.outcome.regions[0].stored[18] == Stored::undefined);
  CHECK(copied.outcome.regions[0].stored[20] == Stored::bits64);
}

TEST_CASE("complaints: structs with holes are copied through shared, local and global memory") {
  // Bytes 1 to 3 of 8 are never written; the copies of them are as undefined, and comparing them is found.
  const std::string body =
      ".shared .align 8 .b8 s[8]; .local .align 8 .b8 l[8]; mov.u16 %h1, 5; st.shared.u8 [s], %h1; st.shared.u32 "
      "[s+4], %i;"
      "ld.shared.u64 %rd1, [s]; st.local.u64 [l], %rd1; ld.local.v2.u32 {%r1, %r2}, [l]; st.global.v2.u32 [%out], "
      "{%r1, %r2};"
      "ld.global.v2.u32 {%r3, %r4}, [%out];";
  fault("undefined bytes", body + "setp.eq.u32 %p1, %r3, 5;",
        body + "setp.eq.u32 %p1, %r4, 5; cvt.u8.u32 %h2, %r3; setp.eq.u16 %p2, %h2, 5;", {.grid = {1, 1, 1, 0}});
  // Byte by byte, also where all bytes of a vector are holes.
  run_body(
      ".shared .align 8 .b8 s[16]; st.shared.u32 [s], %i; ld.shared.v4.u8 {%h1, %h2, %h3, %h4}, [s+4];"
      "st.global.v4.u8 [%out], {%h1, %h2, %h3, %h4};",
      {.grid = {1, 1, 1, 0}})
      .is_clean();
  const std::string bytes =
      ".shared .align 4 .b8 s[4]; mov.u16 %h1, 5; st.shared.u8 [s], %h1;"
      "ld.shared.v4.u8 {%h1, %h2, %h3, %h4}, [s]; st.global.v4.u8 [%out], {%h1, %h2, %h3, %h4};";
  fault("undefined bytes", bytes + "setp.eq.u16 %p1, %h2, 5;", bytes + "setp.eq.u16 %p1, %h1, 5;",
        {.grid = {1, 1, 1, 0}});
}

}  // namespace ptx::test
