// SPDX-License-Identifier: Apache-2.0
// Branches, calls, barriers, and where divergent lanes meet again.
#include <algorithm>

#include "harness.hpp"

namespace ptx::test {
namespace {

std::vector<std::uint32_t> of_lanes(const std::string& body, const std::string& declarations = "") {
  const Result result =
      run_body(body + "mul.wide.u32 %rd8, %i, 4; add.s64 %rd8, %rd8, %out; st.global.u32 [%rd8], %r8;",
               {.declarations = declarations});
  INFO(body);
  result.is_clean();
  std::vector<std::uint32_t> words;
  for (std::size_t k = 0; k < 32; ++k) words.push_back(result.get<std::uint32_t>(k));
  return words;
}

}  // namespace

TEST_CASE("control: a loop that each lane runs as often as its number says") {
  const std::vector<std::uint32_t> found = of_lanes(
      "mov.u32 %r8, 0; mov.u32 %r1, 0; LOOP: setp.ge.u32 %p1, %r1, %i; @%p1 bra DONE; add.u32 %r8, %r8, %r1;"
      "add.u32 %r1, %r1, 1; bra.uni LOOP; DONE:");
  for (std::uint32_t k = 0; k < 32; ++k) CHECK(found[k] == k * (k - 1) / 2);
}

TEST_CASE("control: both ways of a branch, and then all together") {
  const std::vector<std::uint32_t> found = of_lanes(
      "setp.lt.u32 %p1, %i, 10; @%p1 bra LESS; mov.u32 %r8, 100; bra MEET; LESS: mov.u32 %r8, 200;"
      "MEET: activemask.b32 %r1; setp.ne.u32 %p2, %r1, 0xffffffff; @%p2 mov.u32 %r8, 0;");
  for (std::uint32_t k = 0; k < 32; ++k) CHECK(found[k] == (k < 10 ? 200 : 100));
}

TEST_CASE("control: branches by a table") {
  for (const char* const opcode : {"brx.idx", "brx.idx.uni"}) {
    const std::string o = opcode;
    const std::string index = o == "brx.idx" ? "and.b32 %r1, %i, 3;" : "mov.u32 %r1, 2;";
    const std::vector<std::uint32_t> found = of_lanes(index + "TABLE: .branchtargets A, B, C, A;" + o +
                                                      " %r1, TABLE; A: mov.u32 %r8, 10; bra DONE;"
                                                      "B: mov.u32 %r8, 20; bra DONE; C: mov.u32 %r8, 30; DONE:");
    for (std::uint32_t k = 0; k < 32; ++k) {
      const std::uint32_t which = o == "brx.idx" ? k % 4 : 2;
      CHECK(found[k] == (which == 1 ? 20 : which == 2 ? 30 : 10));
    }
  }
}

TEST_CASE("control: guards, plain and negated") {
  const std::vector<std::uint32_t> found =
      of_lanes("setp.lt.u32 %p1, %i, 4; mov.u32 %r8, 1; @%p1 mov.u32 %r8, 2; @!%p1 add.u32 %r8, %r8, 8;");
  for (std::uint32_t k = 0; k < 32; ++k) CHECK(found[k] == (k < 4 ? 2 : 9));
}

TEST_CASE("control: lanes that leave early, by exit and by ret") {
  for (const char* const leave : {"exit", "ret", "ret.uni"}) {
    const std::string body =
        "mul.wide.u32 %rd8, %i, 4; add.s64 %rd8, %rd8, %out; st.global.u32 [%rd8], 1;"
        "setp.gt.u32 %p1, %i, 20; @%p1 " +
        std::string(leave) + "; st.global.u32 [%rd8], 2;";
    const Result result = run_body(body);
    result.is_clean();
    for (std::uint32_t k = 0; k < 32; ++k) CHECK(result.get<std::uint32_t>(k) == (k > 20 ? 1 : 2));
  }
}

TEST_CASE("control: calls with parameters and results, one in another") {
  const std::string functions = R"(
    .func (.param .b32 result) twice(.param .b32 value)
    { .reg .b32 %x; ld.param.b32 %x, [value]; add.u32 %x, %x, %x; st.param.b32 [result], %x; ret; }
    .func (.param .align 8 .b8 both[16]) pair(.param .b32 value, .param .b64 other)
    {
      .reg .b32 %x; .reg .b64 %y;
      ld.param.b32 %x, [value]; ld.param.b64 %y, [other];
      { .param .b32 given; st.param.b32 [given], %x; .param .b32 back;
        call.uni (back), twice, (given); ld.param.b32 %x, [back]; }
      st.param.b64 [both+8], %y; st.param.b32 [both], %x; ret.uni;
    }
    .func store(.param .b64 where) { .reg .b64 %x; ld.param.b64 %x, [where]; st.global.u32 [%x+1000], 77; ret; })";
  const Result result = run_body(R"(
    add.u32 %r1, %i, 5; mov.u64 %rd1, 9;
    setp.eq.u32 %p1, %i, 3;
    { .param .b32 a; .param .b64 b; .param .align 8 .b8 c[16]; st.param.b32 [a], %r1; st.param.b64 [b], %rd1;
      call (c), pair, (a, b); ld.param.b32 %r2, [c]; ld.param.b64 %rd2, [c+8]; }
    { .param .b64 a; st.param.b64 [a], %out; @%p1 call store, (a); }
    cvt.u32.u64 %r3, %rd2; add.u32 %r8, %r2, %r3; mul.wide.u32 %rd8, %i, 4; add.s64 %rd8, %rd8, %out;
    st.global.u32 [%rd8], %r8;)",
                                 {.declarations = functions});
  result.is_clean();
  for (std::uint32_t k = 0; k < 32; ++k) CHECK(result.get<std::uint32_t>(k) == 2 * (k + 5) + 9);
  CHECK(result.get<std::uint32_t>(250) == 77);
}

TEST_CASE("control: barriers of a block, by each name") {
  for (const Statement& form : forms_of("bar")) {
    if (form.has("warp")) continue;
    INFO(form.opcode);
    const Result result = run_body(
        ".shared .align 4 .b8 s[512]; shl.b32 %r1, %i, 2; mov.u32 %r0, s; add.u32 %r1, %r1, %r0;"
        "st.shared.u32 [%r1], %i;" +
            form.opcode +
            " 0; xor.b32 %r2, %i, 127; shl.b32 %r2, %r2, 2;"
            "add.u32 %r2, %r2, %r0; ld.shared.u32 %r3, [%r2]; mul.wide.u32 %rd1, %i, 4;"
            "add.s64 %rd1, %rd1, %out; st.global.u32 [%rd1], %r3;",
        {.grid = {1, 1, 128, 0}});
    result.is_clean();
    for (std::uint32_t k = 0; k < 128; ++k) CHECK(result.get<std::uint32_t>(k) == 127 - k);
  }
  for (const Statement& form : forms_of("barrier")) {
    const Result result = run_body(form.opcode + " 0; st.global.u32 [%out], 1;", {.grid = {1, 1, 1, 0}});
    INFO(form.opcode);
    result.is_clean();
  }
}

TEST_CASE("control: fences order nothing by themselves, and are understood") {
  for (const char* const name : {"membar", "fence"}) {
    for (const Statement& form : forms_of(name)) run_body(form.opcode + ";").is_clean();
  }
}

TEST_CASE("control: warps and blocks in another order, and other garbage") {
  // Each warp of a block, and each block, takes the next number: who gets which depends on the seed.
  const std::string body =
      "and.b32 %r1, %i, 31; setp.ne.u32 %p1, %r1, 0; @%p1 exit; atom.global.add.u32 %r2, [%out], 1;"
      "shr.u32 %r3, %i, 5; mul.wide.u32 %rd1, %r3, 4; add.s64 %rd1, %rd1, %out;"
      "st.global.u32 [%rd1+4], %r2;";
  const auto order = [&](std::uint64_t seed) {
    const Result result = run_body(body, {.grid = {8, 1, 128, 0}, .options = {.seed = seed}});
    result.is_clean();
    std::vector<std::uint32_t> numbers;
    for (std::size_t k = 0; k < 32; ++k) numbers.push_back(result.get<std::uint32_t>(k + 1));
    return numbers;
  };
  std::vector<std::uint32_t> in_order(32);
  for (std::uint32_t k = 0; k < 32; ++k) in_order[k] = k;
  CHECK(order(0) == in_order);
  std::vector<std::uint32_t> one = order(1);
  CHECK(one != in_order);
  CHECK(one == order(1));
  CHECK(one != order(2));
  std::sort(one.begin(), one.end());
  CHECK(one == in_order);
  // Of one block alone.
  const Result block = run_body(body, {.grid = {1, 1, 1024, 0}, .options = {.seed = 3}});
  block.is_clean();
  in_order.insert(in_order.begin(), 32);
  CHECK(std::memcmp(block.out().bytes.data(), in_order.data(), 4 * in_order.size()) != 0);
  // What is never written: different with each seed, and a complaint.
  const auto garbage = [](std::uint64_t seed) {
    const Result result = run_body("st.global.u64 [%out], %rd5;", {.grid = {1, 1, 1, 0}, .options = {.seed = seed}});
    result.complains("undefined register");
    return result.get<Word>(0);
  };
  CHECK(garbage(1) != garbage(2));
}

TEST_CASE("control: a loop without an end is stopped") {
  const Result result = run_body("LOOP: bra LOOP;", {.options = {.most_instructions = 100000}});
  CHECK(!result.outcome.finished);
  result.complains("too many instructions");
  const Result divergent =
      run_body("setp.lt.u32 %p1, %i, 5; LOOP: @%p1 bra LOOP;", {.options = {.most_instructions = 100000}});
  divergent.complains("too many instructions");
  const Result short_one = run_body("mov.u32 %r1, 0;", {.options = {.most_instructions = 100000}});
  short_one.is_clean();
  CHECK(short_one.outcome.instructions == 32 * 8);  // with those before the body, and the end
}

}  // namespace ptx::test
