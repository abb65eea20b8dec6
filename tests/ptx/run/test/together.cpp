// SPDX-License-Identifier: Apache-2.0
// Operations between lanes.
#include <functional>

#include "harness.hpp"

namespace ptx::test {
namespace {

/// A body, of whose 32 threads each stores %r8 and, as the sign of the result, %p8.
std::vector<std::uint32_t> of_lanes(const std::string& body, int threads = 32) {
  const Result result =
      run_body(body + "mul.wide.u32 %rd8, %i, 4; add.s64 %rd8, %rd8, %out; st.global.u32 [%rd8], %r8;",
               {.grid = {1, 1, threads, 0}});
  INFO(body);
  result.is_clean();
  std::vector<std::uint32_t> words;
  for (int k = 0; k < threads; ++k) words.push_back(result.get<std::uint32_t>(static_cast<std::size_t>(k)));
  return words;
}

void check_shuffle(const std::string& instruction, const std::function<int(int)>& from) {
  // Lane k has 100 + k; 1000 more where the predicate says that the lane is within.
  const std::vector<std::uint32_t> found =
      of_lanes("add.u32 %r1, %i, 100; " + instruction + " @%p8 add.u32 %r8, %r8, 1000;");
  for (int lane = 0; lane < 32; ++lane) {
    const int other = from(lane);
    const int wanted = other < 0 ? 100 + lane : 1100 + other;
    CHECK_MESSAGE(found[static_cast<std::size_t>(lane)] == static_cast<std::uint32_t>(wanted),
                  instruction << " " << lane);
  }
}

}  // namespace

TEST_CASE("together: shuffles of the warp") {
  check_shuffle("shfl.sync.down.b32 %r8|%p8, %r1, 5, 31, -1;", [](int k) { return k + 5 < 32 ? k + 5 : -1; });
  check_shuffle("shfl.sync.up.b32 %r8|%p8, %r1, 3, 0, -1;", [](int k) { return k >= 3 ? k - 3 : -1; });
  check_shuffle("shfl.sync.bfly.b32 %r8|%p8, %r1, 7, 31, -1;", [](int k) { return k ^ 7; });
  check_shuffle("shfl.sync.idx.b32 %r8|%p8, %r1, 9, 31, -1;", [](int) { return 9; });
}

TEST_CASE("together: shuffles of parts of a warp") {
  // Of 8 lanes: the mask of segments is 0b11000.
  check_shuffle("shfl.sync.down.b32 %r8|%p8, %r1, 2, 0x1807, -1;", [](int k) { return k % 8 < 6 ? k + 2 : -1; });
  check_shuffle("shfl.sync.up.b32 %r8|%p8, %r1, 2, 0x1800, -1;", [](int k) { return k % 8 >= 2 ? k - 2 : -1; });
  check_shuffle("shfl.sync.idx.b32 %r8|%p8, %r1, 5, 0x1807, -1;", [](int k) { return k / 8 * 8 + 5; });
  check_shuffle("shfl.sync.bfly.b32 %r8|%p8, %r1, 8, 0x1807, -1;", [](int k) { return (k & 8) != 0 ? k ^ 8 : -1; });
}

TEST_CASE("together: half of a warp, and a warp that is not full") {
  const std::vector<std::uint32_t> half = of_lanes(
      "mov.u32 %r8, 7; setp.lt.u32 %p1, %i, 16; @!%p1 bra DONE;"
      "shfl.sync.bfly.b32 %r8, %i, 1, 31, 0xffff; DONE:");
  for (std::uint32_t k = 0; k < 32; ++k) CHECK(half[k] == (k < 16 ? k ^ 1 : 7));
  const std::vector<std::uint32_t> few = of_lanes("shfl.sync.bfly.b32 %r8, %i, 1, 31, -1;", 20);
  for (std::uint32_t k = 0; k < 20; ++k) CHECK(few[k] == (k ^ 1));
}

TEST_CASE("together: lanes that come by two ways meet") {
  const std::vector<std::uint32_t> found = of_lanes(
      "and.b32 %r1, %i, 1; setp.eq.u32 %p1, %r1, 0; mov.u32 %r2, 5; @%p1 bra EVEN; add.u32 %r2, %r2, %i; EVEN:"
      "bar.warp.sync -1; shfl.sync.bfly.b32 %r8, %r2, 1, 31, -1;");
  for (std::uint32_t k = 0; k < 32; ++k) CHECK(found[k] == (k % 2 == 0 ? 5 + k + 1 : 5));
}

TEST_CASE("together: votes") {
  const auto one = [](const std::string& text) { return of_lanes(text)[0]; };
  const std::string three = "setp.lt.u32 %p1, %i, 3; setp.lt.u32 %p2, %i, 32; setp.gt.u32 %p3, %i, 40;";
  CHECK(one(three + "vote.sync.ballot.b32 %r8, %p1, -1;") == 7);
  CHECK(one(three + "vote.sync.ballot.b32 %r8, !%p1, -1;") == 0xfffffff8);
  const auto vote = [&](const char* which, const char* predicate) {
    return one(three + "vote.sync." + which + ".pred %p8, " + predicate + ", -1; selp.b32 %r8, 1, 0, %p8;");
  };
  CHECK(vote("all", "%p1") == 0);
  CHECK(vote("all", "%p2") == 1);
  CHECK(vote("any", "%p1") == 1);
  CHECK(vote("any", "%p3") == 0);
  CHECK(vote("uni", "%p1") == 0);
  CHECK(vote("uni", "%p2") == 1);
  CHECK(vote("uni", "%p3") == 1);
}

TEST_CASE("together: who runs") {
  CHECK(of_lanes("activemask.b32 %r8;")[0] == 0xffffffff);
  CHECK(of_lanes("mov.u32 %r8, 0; setp.lt.u32 %p1, %i, 5; @!%p1 bra DONE; activemask.b32 %r8; DONE:")[0] == 0x1f);
}

TEST_CASE("together: lanes with the same value") {
  for (const char* const bits : {"32", "64"}) {
    const std::string b = bits;
    const std::string value = "shr.u32 %r1, %i, 2; cvt.u64.u32 %rd1, %r1;";
    const std::string operand = b == "32" ? "%r1" : "%rd1";
    const std::vector<std::uint32_t> any = of_lanes(value + "match.any.sync.b" + b + " %r8, " + operand + ", -1;");
    for (std::uint32_t k = 0; k < 32; ++k) CHECK(any[k] == 0xfu << (k / 4 * 4));
    const std::string all = "match.all.sync.b" + b + " %r8|%p8, ";
    CHECK(of_lanes(value + all + operand + ", -1; @%p8 add.u32 %r8, %r8, 1;")[3] == 0);
    CHECK(of_lanes("mov.u32 %r1, 5; mov.u64 %rd1, 5;" + all + operand + ", -1; @!%p8 add.u32 %r8, %r8, 1;")[3] ==
          0xffffffff);
  }
}

TEST_CASE("together: one result of all") {
  const auto fold = [](const std::string& which) {
    return of_lanes("sub.s32 %r1, %i, 3; redux.sync." + which + " %r8, %r1, -1;")[17];
  };
  CHECK(fold("add.s32") == 31 * 16 - 96);
  CHECK(fold("add.u32") == 31 * 16 - 96);
  CHECK(fold("min.s32") == static_cast<std::uint32_t>(-3));
  CHECK(fold("min.u32") == 0);
  CHECK(fold("max.s32") == 28);
  CHECK(fold("max.u32") == 0xffffffff);
  CHECK(of_lanes("or.b32 %r1, %i, 0xf0; redux.sync.and.b32 %r8, %r1, -1;")[0] == 0xf0);
  CHECK(of_lanes("redux.sync.or.b32 %r8, %i, -1;")[0] == 31);
  CHECK(of_lanes("redux.sync.xor.b32 %r8, %i, -1;")[0] == 0);
}

TEST_CASE("together: special registers") {
  const auto of = [](const std::string& name) { return of_lanes("mov.u32 %r8, " + name + ";"); };
  CHECK(of("%laneid")[7] == 7);
  CHECK(of("%lanemask_eq")[7] == 0x80);
  CHECK(of("%lanemask_lt")[7] == 0x7f);
  CHECK(of("%lanemask_le")[7] == 0xff);
  CHECK(of("%lanemask_gt")[7] == 0xffffff00);
  CHECK(of("%lanemask_ge")[7] == 0xffffff80);
  CHECK(of("%lanemask_le")[31] == 0xffffffff);
  CHECK(of("%lanemask_gt")[31] == 0);
  CHECK(of("WARP_SZ")[0] == 32);
  CHECK(of("%ntid.x")[0] == 32);
  CHECK(of("%ntid.y")[0] == 1);
  CHECK(of("%tid.z")[0] == 0);
  CHECK(of("%nwarpid")[0] == 1);
  const Result grid = run_body(
      "mov.u32 %r1, %ctaid.x; mov.u32 %r2, %ctaid.y; mov.u32 %r3, %nctaid.x; mov.u32 %r4, %nctaid.y; mad.lo.u32 %r5, "
      "%r2, "
      "%r3, %r1; mul.wide.u32 %rd1, %r5, 16; add.s64 %rd1, %rd1, %out; st.global.v4.u32 [%rd1], {%r1, %r2, %r3, %r4};",
      {.grid = {3, 2, 1, 0}});
  grid.is_clean();
  CHECK(grid.get<std::uint32_t>(4 * 5) == 2);
  CHECK(grid.get<std::uint32_t>(4 * 5 + 1) == 1);
  CHECK(grid.get<std::uint32_t>(4 * 5 + 2) == 3);
  CHECK(grid.get<std::uint32_t>(4 * 5 + 3) == 2);
}

}  // namespace ptx::test
