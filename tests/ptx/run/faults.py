#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Plants faults in the PTX of programs/own_kernels.cpp, one at a time, and shows that each is found, with the name of its kernel.

    faults.py --build=FOLDER --harness=ARCHIVE... --include=FOLDER...
    faults.py ... --layout    reintroduces the fault of docs/decisions/kernels-as-structs.md: members without an address of their own
                              in the trees of gradients, which nvcc lays out in another way than g++. In a copy of the headers

Without a fault the program has nothing to complain of. The exit code is 77 where nvcc or g++ is missing.
"""
import argparse
import collections
import pathlib
import re
import shutil
import sys

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent))
from build import HERE, ROOT, SKIPPED, Build, Failed, find_nvcc, run_program  # noqa: E402

ALLOWED = HERE / "harness" / "allowed.txt"
PROGRAM = HERE / "programs" / "own_kernels.cpp"
# In the entry of `kernel`, `pattern` becomes `by`; complaints of one of the kinds (parts of them) name it.
Fault = collections.namedtuple("Fault", "name kernel pattern by kinds")
DIFFERENT = ["another value", "another float", "the host wrote what PTX did not"]
# Of Line, the member `a`: at 28, behind a register that holds the address of 16. Tail padding begins at 36.
MEMBER = r"(ld\.param\.f32\s+%f\d+, \[%rd\d+\+)12\]"
FAULTS = [
    Fault("a barrier that is missing", "Neighbours", r"^\s*(bar|barrier)\.sync[^;]*;\n", "", ["race"]),
    Fault("a fence that is missing", "Total", r"^\s*(membar|fence)[^;]*;\n", "", ["a load of what another block stored"]),
    Fault("a vector load at an odd address", "Line", r"(ld\.global\S*\.v4\.\S+\s+\{[^}]*\}, \[%rd\d+)(?:\+\d+)?\]", r"\1+4]", ["misaligned"]),
    Fault("a shuffle under a condition", "Total", r"^(\s*)(shfl\.sync\S+ )",
          r"\1mov.u32 %planted, %tid.x;\1setp.lt.u32 %plantedp, %planted, 7;\1@%plantedp \2", ["divergent", "shuffle"]),
    Fault("an index in 32 bits", "Spread", r"^(\s*)mul\.lo\.s64 (\s*)(%rd\d+), (%rd\d+), (%rd\d+);",
          r"\1cvt.u32.u64 %planted, \4;\1cvt.u32.u64 %planted2, \5;\1mul.lo.s32 %planted, %planted, %planted2;\1cvt.s64.s32 \3, %planted;",
          ["out of bounds", *DIFFERENT]),
    Fault("rounding toward zero", "Line", r"\bfma\.rn\.f32", "fma.rz.f32", DIFFERENT),
    Fault("shared memory that nobody wrote", "Neighbours", r"^\s*st\.shared[^;]*;\n", "", ["never written", "unwritten", "undefined"]),
    Fault("a member elsewhere", "Line", MEMBER, r"\g<1>16]", DIFFERENT),
    Fault("a member in a hole", "Line", MEMBER, r"\g<1>20]", ["undefined"]),
    Fault("a store out of bounds", "Fill", r"(st\.global\S*\s+\[%rd\d+)\]", r"\1+4]", ["out of bounds"]),
    Fault("a read-only load of what is written", "Neighbours", r"\bld\.global\.(?!nc)", "ld.global.nc.", ["nc", "read-only"]),
    Fault("another constant", "Fill", r"\b0f3EBD70A4\b", "0f3EBD70A5", DIFFERENT),
    Fault("a predicate the other way", "Fill", r"^(\s*)@(%p\d+) bra", r"\1@!\2 bra", [*DIFFERENT, "out of bounds"]),
    Fault("an atomic that is none", "Total", r"\batom\.(?:global\.|relaxed\.|gpu\.)*add\.u32\s+(%r\d+), \[([^\]]+)\], ([^;]+);",
          r"ld.global.u32 \1, [\2];\n add.u32 %planted, \1, 1;\n st.global.u32 [\2], %planted;", ["race", "block"]),
]


def entry_of(text, kernel):
    """(begin, end) of the text of the entry run_kernel<..kernel..>."""
    for match in re.finditer(r"^\s*(?:\.visible |\.weak )?\.entry (\w+)\(", text, re.M):
        if re.search(rf"run_kernel.*\d{kernel}E", match[1]):
            return match.start(), text.index("\n}", match.end())
    raise Failed(f"no entry of {kernel}")


def planted(text, fault):
    """The PTX with the fault in it, at all places that the pattern fits."""
    begin, end = entry_of(text, fault.kernel)
    body, count = re.subn(fault.pattern, fault.by, text[begin:end], flags=re.M)
    if count == 0:
        raise Failed(f"{fault.name}: nothing in {fault.kernel} is {fault.pattern}")
    if "%planted" in body:
        body = body.replace("{\n", "{\n\t.reg .b32 %planted, %planted2;\n\t.reg .pred %plantedp;\n", 1)
    return text[:begin] + body + text[end:]


def judged(fault, code, report):
    """Empty where the fault was found; else what was said."""
    if report is None:
        return f"ended with {code} and wrote no report"
    fitting = [one for one in report["complaints"] if any(kind in one["kind"] for kind in fault.kinds)]
    if any(re.search(rf"\b{fault.kernel}\b", one["kernel"]) for one in fitting):
        return "" if code != 0 else "found, and the program ended with 0"
    return "; ".join(f"{one['kind']} of {one['kernel']}" for one in report["complaints"]) or "nothing to complain of"


def run_faults(build, harness):
    program = build.program(PROGRAM, harness)
    ptx = build.ptx(PROGRAM)
    folder = build.folder / "faults"
    folder.mkdir(exist_ok=True)
    code, report, output = run_program(program, [ptx], folder / "none.json", ALLOWED)
    if code != 0 or report is None or report["complaints"] or report["compared"] < 6:
        print(f"FAILED without a fault: ended with {code}\n{output[-4000:]}")
        return 1
    print(f"without a fault: {report['compared']} launches compared, nothing to complain of")
    failed = 0
    for number, fault in enumerate(FAULTS):
        file = folder / f"{number}.ptx"
        try:
            file.write_text(planted(ptx.read_text(), fault))
            code, report, _ = run_program(program, [file], folder / f"{number}.json", ALLOWED)
            wrong = judged(fault, code, report)
        except Failed as failure:
            wrong = str(failure)
        said = wrong or next(f"{one['kind']}: {one['text'][:150]}" for one in report["complaints"]
                             if any(kind in one["kind"] for kind in fault.kinds))
        print(f"{'FAILED' if wrong else 'found'} {fault.name}, {fault.kernel}: {said}")
        failed += bool(wrong)
    print(f"{len(FAULTS) - failed} of {len(FAULTS)} faults found")
    return 1 if failed else 0


def run_layout(options):
    """The trees of gradients as they once were, in a copy of the headers."""
    copy = (options.build / "layout" / "include").resolve()
    shutil.rmtree(copy, ignore_errors=True)
    shutil.copytree(ROOT / "include", copy)
    # The trees as they were, and without the guard that refuses such members since.
    for name, pattern, by in (
            ("plan/program.hpp", r"^  F function;\n  Pack<Nodes\.\.\.> nodes;",
             "  [[no_unique_address]] F function;\n  [[no_unique_address]] Pack<Nodes...> nodes;"),
            ("core/member_layout.hpp", r"^(constexpr bool members_overlap\(\) \{)$", r"\1\n  return false;")):
        header = copy / "situ" / name
        text, count = re.subn(pattern, by, header.read_text(), flags=re.M)
        if count != 1:
            print(f"FAILED: {name} has no {pattern} any more")
            return 1
        header.write_text(text)
    build = Build(options.build / "layout", options.include, options.compiler, options.nvcc, options.architecture, options.launcher,
                  instead=copy)
    failed = in_holes = 0
    for name in ("gradients", "more_gradients"):
        source = HERE / "programs" / f"{name}.cpp"
        ptx = [build.ptx(source), *build.library(["copy"])]
        program = build.program(source, options.harness)
        code, report, output = run_program(program, ptx, build.folder / f"{name}.json", ALLOWED)
        found = [one for one in (report or {"complaints": []})["complaints"] if "Partial" in one["kernel"]]
        # nvcc looks for a constant where another member lies, or where none does.
        undefined = [one for one in found if "undefined" in one["kind"]]
        ok = code != 0 and found
        kernels = len({one["kernel"] for one in found})
        print(f"{'found' if ok else 'FAILED'} in {name}.cpp: {kernels} kernels of gradients, {len(undefined)} complaints about "
              "bytes that no member has" + ("" if ok else f"\n{output[-3000:]}"))
        for one in found:
            print(f"    {one['kind']}: {one['kernel'][:160]}: {one['text'][:200]}")
        failed += not ok
        in_holes += len(undefined)
    if in_holes == 0:
        print("FAILED: none about bytes that no member has")
    return 1 if failed or in_holes == 0 else 0


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--layout", action="store_true")
    parser.add_argument("--build", type=pathlib.Path, required=True)
    parser.add_argument("--harness", action="append", default=[])
    parser.add_argument("--include", action="append", default=[])
    parser.add_argument("--compiler", default="g++")
    parser.add_argument("--nvcc")
    parser.add_argument("--architecture", type=int, default=90)
    parser.add_argument("--launcher", action="append", default=[])
    options = parser.parse_args()
    if find_nvcc(options.nvcc) is None or shutil.which(options.compiler) is None:
        print("skipped: nvcc or g++ is not here")
        return SKIPPED
    try:
        if options.layout:
            return run_layout(options)
        build = Build(options.build, options.include, options.compiler, options.nvcc, options.architecture, options.launcher)
        return run_faults(build, options.harness)
    except Failed as failure:
        print(f"FAILED {failure}")
        return 1


if __name__ == "__main__":
    sys.exit(main())
