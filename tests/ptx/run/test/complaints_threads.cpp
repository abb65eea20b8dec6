// SPDX-License-Identifier: Apache-2.0
// Faults between threads, and in what a thread computes: each is found, and its twin is not.
#include "complaints.hpp"

namespace ptx::test {

TEST_CASE("complaints: undefined registers") {
  const Setting one = {.grid = {1, 1, 1, 0}};
  fault("undefined register", "st.global.u32 [%out], %r5;", "mov.u32 %r5, 1; st.global.u32 [%out], %r5;", one);
  fault("undefined register", "add.u32 %r1, %r5, 1; setp.eq.u32 %p1, %r1, 1;",
        "add.u32 %r1, %r5, 1; mov.u32 %r1, 2; setp.eq.u32 %p1, %r1, 1;", one);
  fault("undefined register", "selp.b32 %r1, %r5, %i, 1; st.global.u32 [%out], %r1;",
        "selp.b32 %r1, %r5, %i, 0; st.global.u32 [%out], %r1;", one);
  fault("undefined register", "mov.b64 %rd1, {%i, %r5}; st.global.u64 [%out], %rd1;",
        "mov.b64 %rd1, {%i, %i}; st.global.u64 [%out], %rd1;", one);
  fault("undefined register", "atom.global.add.u32 %r1, [%out], %r5;", "atom.global.add.u32 %r1, [%out], %i;", one);
  // In some lanes.
  fault("undefined register", own_words + "setp.lt.u32 %p1, %i, 5; @%p1 mov.u32 %r1, 1; st.global.u32 [%rd1], %r1;",
        own_words + "setp.lt.u32 %p1, %i, 5; @%p1 mov.u32 %r1, 1; @%p1 st.global.u32 [%rd1], %r1;");
  fault("undefined predicate", "@%p5 mov.u32 %r1, 1;", "setp.eq.u32 %p5, %i, 1; @%p5 mov.u32 %r1, 1;", one);
  fault("undefined predicate", "mov.pred %p1, 1; and.pred %p2, %p1, %p5; selp.b32 %r1, 1, 2, %p2;",
        "mov.pred %p1, 0; and.pred %p2, %p1, %p5; selp.b32 %r1, 1, 2, %p2;", one);
  fault("undefined carry", "addc.u32 %r1, %i, %i;", "add.cc.u32 %r1, %i, %i; addc.u32 %r1, %i, %i;", one);
}

TEST_CASE("complaints: undefined registers that decide where a thread goes, or what it reads") {
  // Other complaints follow.
  for (const char* const body : {"ld.global.u32 %r1, [%rd5];", "T: .branchtargets A; brx.idx %r5, T; A:",
                                 "shfl.sync.bfly.b32 %r1, %i, 1, 31, %r5;", "bar.warp.sync %r5;"}) {
    CHECK(run_body(body).complaints.has("undefined register"));
    const std::string defined = "mov.u64 %rd5, %in; activemask.b32 %r5;";
    const std::string table = "mov.u32 %r5, 0;";
    run_body((body[0] == 'T' ? table : defined) + body).is_clean();
  }
}

TEST_CASE("complaints: division by zero, trap, tables") {
  const Setting one = {.grid = {1, 1, 1, 0}};
  fault("division by zero", "div.u32 %r1, 5, %i;", "add.u32 %r2, %i, 1; div.u32 %r1, 5, %r2;", one);
  fault("division by zero", "rem.s64 %rd1, 5, 0;", "rem.s64 %rd1, 5, 3;", one);
  fault("trap", "trap;", "setp.eq.u32 %p1, %i, 1; @%p1 trap;", one);
  CHECK(!run_body("trap;", one).outcome.finished);
  const std::string table = "T: .branchtargets A; brx.idx %r1, T; A:";
  fault("brx.idx out of range", "mov.u32 %r1, 1;" + table, "mov.u32 %r1, 0;" + table, one);
}

TEST_CASE("complaints: who takes part in warp operations") {
  const std::string half = "setp.lt.u32 %p1, %i, 16; @!%p1 bra DONE;";
  fault("divergent warp operation", half + "shfl.sync.bfly.b32 %r1, %i, 1, 31, -1; DONE: bar.sync 0;",
        half + "shfl.sync.bfly.b32 %r1, %i, 1, 31, 0xffff; DONE: bar.sync 0;");
  fault("a warp operation names a lane that has left",
        half + "vote.sync.any.pred %p2, %p1, -1; DONE:", half + "vote.sync.any.pred %p2, %p1, 0xffff; DONE:");
  fault("shuffle from a lane that does not take part", half + "shfl.sync.bfly.b32 %r1, %i, 16, 31, 0xffff; DONE:",
        half + "shfl.sync.bfly.b32 %r1, %i, 8, 31, 0xffff; DONE:");
  // Lanes that name others, which do not name them.
  const std::string last = "setp.eq.u32 %p1, %i, 31; selp.b32 %r2, 0x80000000, ";
  fault("a warp operation names a lane that has left", last + "-1, %p1; bar.warp.sync %r2;",
        last + "0x7fffffff, %p1; bar.warp.sync %r2;");
  fault("a lane that its own mask does not name", "bar.warp.sync 0x7fffffff;", "bar.warp.sync 0xffffffff;");
}

TEST_CASE("complaints: who takes part in barriers") {
  const std::string odd = "setp.lt.u32 %p1, %i, 40;";
  fault("threads of a block at different barriers",
        odd + "@%p1 bra LESS; bar.sync 0; bra DONE; LESS: bar.sync 0; DONE:", odd + "@%p1 bra LESS; LESS: bar.sync 0;",
        {.grid = {1, 1, 64, 0}});
  fault("a barrier that threads of the block never reach", odd + "@!%p1 exit; bar.sync 0;",
        odd + "bar.sync 0; @!%p1 exit;", {.grid = {1, 1, 64, 0}});
}

TEST_CASE("complaints: races in shared memory") {
  const std::string shared =
      ".shared .align 4 .b8 s[256]; mov.u32 %r0, s; shl.b32 %r1, %i, 2; add.u32 %r1, %r1, %r0;"
      "xor.b32 %r2, %i, 32; shl.b32 %r2, %r2, 2; add.u32 %r2, %r2, %r0; st.shared.u32 [%r1], %i;";
  const Setting two = {.grid = {1, 1, 64, 0}};
  const char* const kind = "race in shared memory";
  const std::string barrier = "bar.sync 0;";
  const std::string load = "ld.shared.u32 %r3, [%r2];";
  const std::string store = "st.shared.u32 [%r1], 9;";
  // Read after a store of another warp, and, in whatever order warps run, a store after a read. Without the barrier
  // before, what the other warp has not stored yet is not written at all.
  fault(kind, shared + barrier + store + load, shared + barrier + store + barrier + load, two);
  fault(kind, shared + barrier + load + store, shared + barrier + load + barrier + store, two);
  fault(kind, shared + barrier + "st.shared.u32 [s], %i;",
        shared + barrier + "setp.eq.u32 %p1, %i, 3; @%p1 st.shared.u32 [s], %i;", two);
  // Within a warp: a synchronization of the warp is enough.
  const std::string other = "xor.b32 %r4, %i, 1; shl.b32 %r4, %r4, 2; add.u32 %r4, %r4, %r0;";
  fault(kind, shared + other + "ld.shared.u32 %r3, [%r4];",
        shared + other + "bar.warp.sync -1; ld.shared.u32 %r3, [%r4];", two);
  // Several have read, among them the one that stores.
  const std::string few = "and.b32 %r5, %i, 31; setp.eq.u32 %p1, %r5, 0; setp.eq.u32 %p2, %i, 32;";
  const std::string read = "@%p1 ld.shared.u32 %r3, [s];";
  fault(kind, shared + few + barrier + read + "@%p2 st.shared.u32 [s], 9;",
        shared + few + barrier + read + barrier + "@%p2 st.shared.u32 [s], 9;", two);
  // What is volatile is meant to race, and atomic operations race with nothing.
  run_body(shared + barrier + "st.volatile.shared.u32 [s], %i;", two).is_clean();
  run_body(shared + barrier + "red.shared.add.u32 [s], 1;", two).is_clean();
  run_body(shared + barrier + store + load, {.grid = {1, 1, 64, 0}, .options = {.races = false}}).is_clean();
}

TEST_CASE("complaints: races in global memory, within a block") {
  const Setting two = {.grid = {1, 1, 64, 0}};
  const std::string other = own_words + "xor.b32 %r1, %i, 32; mul.wide.u32 %rd3, %r1, 4; add.s64 %rd3, %rd3, %out;";
  const char* const kind = "race in global memory";
  fault(kind, other + "st.global.u32 [%rd1], %i; ld.global.u32 %r2, [%rd3];",
        other + "st.global.u32 [%rd1], %i; bar.sync 0; ld.global.u32 %r2, [%rd3];", two);
  fault(kind, other + "ld.global.u32 %r2, [%rd3]; st.global.u32 [%rd1], %i;",
        other + "ld.global.u32 %r2, [%rd3]; bar.sync 0; st.global.u32 [%rd1], %i;", two);
  fault(kind, "st.global.u32 [%out], %i;", own_words + "st.global.u32 [%rd1], %i;", two);
  run_body("st.volatile.global.u32 [%out], %i;", two).is_clean();
}

TEST_CASE("complaints: between blocks") {
  const Setting two = {.grid = {2, 1, 1, 0}};
  fault("two blocks store to one place", "st.global.u32 [%out], %i;", own_words + "st.global.u32 [%rd1], %i;", two);
  const std::string first = "setp.eq.u32 %p1, %i, 0;";
  fault("a load of what another block stored",
        first + "@%p1 st.global.u32 [%out], %i; @!%p1 ld.global.u32 %r2, [%out];",
        first + "@%p1 st.global.u32 [%out], %i; @%p1 ld.global.u32 %r2, [%out];", two);
  const std::string block = "mov.u32 %r1, %ctaid.x; setp.eq.u32 %p1, %r1, 0; setp.eq.u32 %p2, %i, 64;";
  fault("a store to what another block read", block + "@%p1 ld.global.u32 %r2, [%out]; @%p2 st.global.u32 [%out], %i;",
        block + "@%p1 ld.global.u32 %r2, [%out]; @%p2 st.global.u32 [%out+4], %i;", {.grid = {2, 1, 64, 0}});
  fault("a store to what another block read", first + "@%p1 ld.global.u32 %r2, [%out]; @!%p1 st.global.u32 [%out], %i;",
        first + "@%p1 ld.global.u32 %r2, [%out]; @!%p1 st.global.u32 [%out+4], %i;", two);
}

TEST_CASE("complaints: the last block reads what all have stored") {
  // Each block of 64 stores its words; the first thread of each counts; the block that is the last one reads.
  const auto body = [](const std::string& first_fence, const std::string& barrier, const std::string& count,
                       const std::string& second_fence) {
    return own_words +
           ".shared .align 4 .b8 s[4]; mov.u32 %r1, %tid.x; setp.eq.u32 %p1, %r1, 0; st.global.u32 [%rd1], %i;" +
           first_fence + barrier + "@!%p1 bra WAIT;" + count + second_fence +
           "st.shared.u32 [s], %r2; WAIT: bar.sync 0; ld.shared.u32 %r3, [s]; setp.ne.u32 %p2, %r3, 2; @%p2 bra DONE;"
           "ld.global.u32 %r4, [%out]; ld.global.u32 %r5, [%out+300]; DONE:";
  };
  const std::string fence = "membar.gl;";
  const std::string barrier = "bar.sync 0;";
  const std::string count = "atom.global.add.u32 %r2, [%out+1000], 1;";
  const Setting three = {.grid = {3, 1, 64, 0}};
  const char* const kind = "a load of what another block stored";
  const std::string right = body(fence, barrier, count, fence);
  fault(kind, body("", barrier, count, fence), right, three);
  fault(kind, body(fence, "", count, fence), right, three);
  fault(kind, body(fence, barrier, count, ""), right, three);
  fault(kind,
        body(fence, barrier,
             "ld.volatile.global.u32 %r2, [%out+1000]; add.u32 %r6, %r2, 1;"
             "st.volatile.global.u32 [%out+1000], %r6;",
             fence),
        right, three);
  // Other threads than the one that counts may fence: all behind the barrier, or the one for all.
  const std::string by_all = [&] {
    std::string text = body(fence, barrier, count, "");
    const std::string wait = "WAIT: bar.sync 0;";
    return text.insert(text.find(wait) + wait.size(), fence);
  }();
  run_body(by_all, three).is_clean();
  run_body(body("", barrier, fence + count, fence), three).is_clean();
  // The orders that atomic operations carry themselves, where one thread stores.
  const auto alone = [](const std::string& order) {
    return own_words + "st.global.u32 [%rd1], %i; atom" + order +
           ".global.add.u32 %r2, [%out+1000], 1;"
           "setp.ne.u32 %p2, %r2, 2; @%p2 bra DONE; ld.global.u32 %r4, [%out]; DONE:";
  };
  fault(kind, alone(".relaxed.gpu"), alone(".acq_rel.gpu"), {.grid = {3, 1, 1, 0}});
  fault(kind, alone(".release.gpu"), alone(".acq_rel.gpu"), {.grid = {3, 1, 1, 0}});
  fault(kind, alone(".acquire.gpu"), alone(".acq_rel.gpu"), {.grid = {3, 1, 1, 0}});
}

}  // namespace ptx::test
