// SPDX-License-Identifier: Apache-2.0
// Files, kernels by their types, and what cannot be run.
#include <filesystem>
#include <fstream>

#include "../code.hpp"
#include "../text.hpp"
#include "harness.hpp"

namespace ptx::test {
namespace {

const std::string head = ".version 8.0\n.target sm_75\n.address_size 64\n";

std::vector<std::string> problems_of(const std::string& body) {
  Library library;
  library.add_text("test", module_of("", "", body));
  return library.entry("k")->problems();
}

}  // namespace

TEST_CASE("library: a kernel by its type, as two compilers write it") {
  // void situ::run_kernel<situ::Fill<(anonymous namespace)::Own, 4> >(...), with nvcc's name of the unnamed namespace.
  const std::string entry = "_ZN4situ10run_kernelINS_4FillIN29_GLOBAL__N__12345678_4_a_cu_13OwnELi4EEEEEvT_";
  Library library;
  library.add_text("a", head + ".visible .entry " + entry +
                            "(.param .align 8 .b8 p[24]) .maxntid 256, 1, 1 { ret; }\n"
                            ".visible .entry other() { ret; }");
  Program* const program = library.find("situ::Fill<(anonymous namespace)::Own, 4>");
  REQUIRE(program != nullptr);
  CHECK(program == library.entry(entry));
  CHECK(program->name() == entry);
  CHECK(program->kernel_type() == "situ::Fill<(anonymousnamespace)::Own,4>");
  CHECK(program->parameter_bytes() == 24);
  CHECK(program->threads_most() == 256);
  CHECK(library.entry("other")->threads_most() == 0);
  library.add_text("b", head + ".entry exact() .reqntid 8, 8 { ret; }");
  CHECK(library.entry("exact")->threads_most() == 64);
  CHECK(library.find("situ::Fill<float>") == nullptr);
  CHECK(library.entry("nothing") == nullptr);
  CHECK(library.entries() == std::vector<std::string>{entry, "exact", "other"});
}

TEST_CASE("library: the first of two files with a kernel is used") {
  Library library;
  library.add_text("a", head + ".entry k(.param .u32 a) { ret; }");
  library.add_text("b", head + ".entry k(.param .u64 a) { ret; }");
  CHECK(library.entry("k")->parameter_bytes() == 4);
}

TEST_CASE("library: files") {
  const std::filesystem::path file = std::filesystem::temp_directory_path() / "situ_ptx_machine_library.ptx";
  std::ofstream(file) << head << ".entry k() { ret; }";
  Library library;
  library.add(file);
  CHECK(library.entry("k") != nullptr);
  std::filesystem::remove(file);
  CHECK_THROWS_WITH(library.add(file), doctest::Contains("cannot read"));
  CHECK_THROWS_WITH(library.add_text("x", "int main() {}"), doctest::Contains("x is no PTX"));
  CHECK_THROWS_WITH(library.add_text("x", head + ".entry k() { ret;"), doctest::Contains("no } closes {"));
  CHECK_THROWS_WITH(library.add_text("x", head + ".entry k() { } }"), doctest::Contains("ends amid a definition"));
  CHECK_THROWS_WITH(library.add_text("x", head + "\n.texture t;"),
                    doctest::Contains("line 5: not understood: .texture t"));
}

TEST_CASE("library: comments, sections, pragmas and lines are no instructions") {
  Library library;
  library.add_text("a", "// .version in a comment\n/* { */\n" + head +
                            ".file 1 \"a{.cu\"\n.section .debug { .b8 1 }\n.pragma \"x\";\n"
                            ".extern .func elsewhere(.param .b64 a);\n"
                            ".entry k()\n{ // {\n .loc 1 5 0\n .pragma \"nounroll\";\n /* trap; */ ret;\n}\n");
  CHECK(library.entry("k")->problems().empty());
  CHECK(library.entry("k")->code().instructions.size() == 2);
}

TEST_CASE("library: what is not known is named, with its line") {
  const std::vector<std::string> problems = problems_of(
      "  .reg .b32 %r<3>;\n  mov.u32 %r1, 0;\n  frob.b32 %r1, %r2;\n"
      "  add.wrong.u32 %r1, %r1, %r1;\n  mov.u32 %r9, 0;\n");
  REQUIRE(problems.size() == 3);
  CHECK(problems[0] == "line 9: frob.b32 %r1, %r2: unknown form frob.b32");
  CHECK(problems[1] == "line 10: add.wrong.u32 %r1, %r1, %r1: unknown form add.wrong.u32");
  CHECK(problems[2] == "line 11: mov.u32 %r9, 0: no register: %r9");
  for (const char* const body :
       {"bra NOWHERE;", ".reg .b32 %a; brx.idx %a, LIST;", "call elsewhere, ();", ".reg .b128 %q;",
        ".reg .b32 %a; add.u32 %a, %a;", ".reg .b32 %a; ld.global.v2.u32 %a, [%a];",
        ".reg .b32 %a; st.param.u32 [%a], %a;", ".reg .b32 %a; st.u32 %a, %a;", ".reg .b32 %a; bar.sync 0, 64;",
        ".reg .pred %p; mov.u32 %p, 0;", ".directive x;", ".reg .b32 %a; selp.u32 %a, %a, %a, %a;",
        ".reg .b64 %a; ld.const.u32 %a, [nothing];"}) {
    INFO(body);
    CHECK(problems_of(body).size() == 1);
  }
}

TEST_CASE("library: functions that call themselves") {
  Library library;
  library.add_text("a", head + ".func f() { call f; ret; }\n.entry k() { call f; ret; }");
  REQUIRE(library.entry("k")->problems().size() == 1);
  CHECK(library.entry("k")->problems()[0] == "functions that call themselves");
}

TEST_CASE("library: launches that are refused") {
  Library library;
  library.add_text("a", head + ".entry k(.param .u64 p) .maxntid 64 { ret; }\n.entry bad() { frob; }");
  const std::vector<std::byte> bytes(8);
  const auto refused = [&](const char* kind, const char* entry, const Grid& grid,
                           std::span<const std::byte> parameter) {
    Complaints complaints;
    const Outcome outcome = run(*library.entry(entry), "name", grid, {parameter, {}}, {}, {}, complaints);
    CHECK(!outcome.finished);
    CHECK_MESSAGE(complaints.has(kind), kind);
  };
  refused("cannot run", "bad", {}, {});
  refused("another size of the parameter", "k", {}, std::span(bytes).subspan(1));
  refused("more threads than .maxntid", "k", {1, 1, 96, 0}, bytes);
  refused("no grid", "k", {0, 1, 32, 0}, bytes);
  Complaints complaints;
  CHECK(run(*library.entry("k"), "name", {2, 1, 64, 0}, {bytes, {}}, {}, {}, complaints).finished);
  CHECK(complaints.all().empty());
  CHECK(library.entry("k")->launches() == 1);
  CHECK(library.entry("k")->blocks() == 2);
  CHECK(library.entry("k")->instructions() == 128);
}

TEST_CASE("library: complaints are counted by kind, kernel and line") {
  Complaints complaints;
  int texts = 0;
  const auto text = [&] { return "text " + std::to_string(++texts); };
  for (int k = 0; k < 3; ++k) complaints.add("kind", "kernel", 5, text);
  complaints.add("kind", "kernel", 6, text);
  complaints.add("kind", "other", 5, text);
  complaints.note("kind", "kernel", 5, text);
  REQUIRE(complaints.all().size() == 3);
  CHECK(complaints.all()[0].count == 3);
  CHECK(complaints.all()[0].text == "text 1");
  CHECK(texts == 4);
  CHECK(complaints.notes().size() == 1);
  CHECK(complaints.has("kind"));
  CHECK(!complaints.has("another"));
  complaints.clear();
  CHECK(complaints.all().empty());
}

TEST_CASE("text: literals and lists") {
  CHECK(literal("12") == 12);
  CHECK(literal("-3") == ~Word{2});
  CHECK(literal("0x1F") == 31);
  CHECK(literal("0f3F800000") == 0x3f800000);
  CHECK(literal("0d3FF0000000000000") == 0x3ff0000000000000);
  CHECK(list_elements("a, {b, c}, [d+4], (e, f)") == std::vector<std::string>{"a", "{b, c}", "[d+4]", "(e, f)"});
  CHECK(list_elements(" ").empty());
  CHECK(without_comments("a // b\nc /* d\n */ e") == "a     \nc     \n    e");
}

}  // namespace ptx::test
