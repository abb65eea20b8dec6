#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Compiles the programs in this folder and checks that the emulation catches the mistake of each, and nothing else.

    check.py COMPILER -I include -I emulation/include [--system EIGEN] [-j JOBS] [--only NAME]...

Each program, run without arguments, must succeed and say nothing. With the argument `mistake` it must fail
and write every text of its `// expect:` lines. `// sanitizer:` names what it is compiled with: none, address,
thread or undefined. `// flags:` are more words for the compiler, `// needs:` what must be there, else the program is skipped:
g++ for the compiler, other words for what the processor has.

So that it is the emulation's rule that catches it and nothing else: with a line `// off:`, the mistake must go unnoticed without
the rule. `off: sanitizer` compiles the program without its sanitizer, `off: WORDS` leaves these out of its flags, `off: argument`
gives it the argument `off` beside `mistake`.

Programs with the same words for the compiler are compiled as one, each in a namespace, whose first argument is the name of the
one that runs (so each `main` ends with a `return`); and each by itself where that does not compile cleanly. As a CMake test:

    add_test(NAME emulated.caught COMMAND Python3::Interpreter ${CMAKE_CURRENT_SOURCE_DIR}/emulated/caught/check.py
             ${CMAKE_CXX_COMPILER} -I ${PROJECT_SOURCE_DIR}/include
             -I ${PROJECT_SOURCE_DIR}/emulation/include --system ${eigen_dirs})
"""
import argparse
import concurrent.futures
import os
import pathlib
import re
import signal
import subprocess
import sys
import tempfile

FLAGS = ["-std=c++20", "-O0", "-g1", "-Wall", "-Wextra", "-DSITU_CUDA_EMULATED", "-pthread"]
# The default settings of the sanitizers and the emulation, whatever those are for other tests.
DROPPED = ("ASAN_OPTIONS", "TSAN_OPTIONS", "UBSAN_OPTIONS", "SITU_EMULATED_ORDER", "SITU_EMULATED_DEVICES")


def lines(source, key):
    return re.findall(rf"^// {key}: (.*)$", source.read_text(), re.M)


def run(command, *arguments):
    environment = {name: value for name, value in os.environ.items() if name not in DROPPED}
    done = subprocess.run([*command, *arguments], env=environment, capture_output=True, text=True, errors="replace")
    return done.returncode, done.stdout + done.stderr


def describe(code):
    return f"signal {signal.Signals(-code).name}" if code < 0 else f"exit code {code}"


class NotCompiled(Exception):
    """With what the compiler said."""


def lacks(compiler, needs):
    """What of `needs` is not there."""
    defined = subprocess.run([compiler, "-dM", "-E", "-x", "c++", "/dev/null"], capture_output=True, text=True).stdout
    there = set(pathlib.Path("/proc/cpuinfo").read_text().split()) if pathlib.Path("/proc/cpuinfo").exists() else set()
    if "__clang__" not in defined and "__GNUC__" in defined:
        there.add("g++")
    return [need for need in needs if need not in there]


def build(compiler, flags, includes, source, program):
    command = [compiler, *FLAGS, *flags, *includes, str(source), "-o", str(program)]
    built = subprocess.run(command, capture_output=True, text=True, errors="replace")
    if built.returncode != 0 or built.stderr:
        raise NotCompiled(" ".join(command), built.stderr)


def joined(sources):
    """One program of several, whose first argument is the name of the one that runs."""
    text, choice = "#include <cstring>\n", ""
    for source in sources:
        for name in re.findall(r"^#include (\S+)", source.read_text(), re.M):
            text += "#include " + name.replace('"', f'"{source.parent}/', 1) + "\n"
        choice += f'  if (std::strcmp(words[1], "{source.stem}") == 0) return {source.stem}_::main(count - 1, words + 1);\n'
    text += "".join(f'namespace {source.stem}_ {{\n#include "{source}"\n}}\n' for source in sources)
    return text + f"int main(int count, char** words) {{\n{choice}  return 1;\n}}\n"


def builds(source):
    """The words for the compiler with which a program is needed: with its rule, and without where that takes others."""
    sanitizer, flags = (" ".join(lines(source, key)).split() for key in ("sanitizer", "flags"))
    kept = [f"-fsanitize={sanitizer[0]}", "-fno-sanitize-recover=all"] if sanitizer != ["none"] else []
    off = lines(source, "off")
    found = [tuple(flags + kept)]
    if off and off[0] != "argument":
        found.append(tuple([flag for flag in flags if flag not in off[0].split()] + (kept if off[0] != "sanitizer" else [])))
    return found


def commands(sources, flags, compiler, includes, folder):
    """{source: the words that run it, or what its compiler said}"""
    work = pathlib.Path(folder) / str(abs(hash(flags)))
    work.mkdir()
    if len(sources) > 1:
        try:
            (work / "joined.cpp").write_text(joined(sources))
            build(compiler, flags, includes, work / "joined.cpp", work / "joined")
            return {source: [work / "joined", source.stem] for source in sources}
        except NotCompiled as error:
            print(f"note: not one program for {' '.join(flags) or 'no flags'}:\n{error.args[1][:2000]}")
    found = {}
    for source in sources:
        try:
            build(compiler, flags, includes, source, work / source.stem)
            found[source] = [work / source.stem]
        except NotCompiled as error:
            found[source] = error
    return found


def check(source, run_by):
    """What is wrong with one program, nothing when all is well. `run_by` has the words that run each of its builds."""
    expected, off = lines(source, "expect"), lines(source, "off")
    for error in (command for command in run_by if isinstance(command, NotCompiled)):
        return ["it does not compile cleanly: " + error.args[0], error.args[1]]
    wrong = []
    code, said = run(run_by[0])
    if code != 0 or said:
        wrong += [f"without its mistake: {describe(code)}, and it said:", said]
    code, said = run(run_by[0], "mistake")
    if code == 0:
        wrong.append("with its mistake it succeeded")
    missing = [text for text in expected if text not in said]
    if missing:
        wrong += [f"with its mistake ({describe(code)}) it did not say: {text}" for text in missing] + ["but:", said]
    if off:
        code, said = run(run_by[-1], "mistake", *(["off"] if off[0] == "argument" else []))
        if code != 0 or said:
            wrong += [f"its mistake is noticed without the rule, too: {describe(code)}, and it said:", said]
    return wrong


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("compiler")
    parser.add_argument("-I", dest="includes", action="append", default=[])
    parser.add_argument("--system", action="append", default=[], help="folders whose headers may have warnings")
    parser.add_argument("-j", dest="jobs", type=int, default=2)
    parser.add_argument("--only", action="append")
    options = parser.parse_args()
    sources = sorted(pathlib.Path(__file__).parent.glob("*.cpp"))
    if options.only:
        sources = [source for source in sources if source.stem in options.only]
    if not sources:
        sys.exit("no programs")
    for source in sources:
        if not lines(source, "expect") or lines(source, "sanitizer") not in (["none"], ["address"], ["thread"], ["undefined"]):
            sys.exit(f"{source}: it needs a line `// sanitizer: none, address, thread or undefined` and at least one `// expect:`")
    missing = {source: lacks(options.compiler, " ".join(lines(source, "needs")).split()) for source in sources}
    needed = {source: builds(source) for source in sources if not missing[source]}
    failed = skipped = 0
    with tempfile.TemporaryDirectory() as folder, concurrent.futures.ThreadPoolExecutor(options.jobs) as pool:
        includes = [f"-I{path}" for path in options.includes]
        for path in options.system:
            includes += ["-isystem", path]
        programs = {}
        for flags in sorted({flags for all_flags in needed.values() for flags in all_flags}):
            users = [source for source in needed if flags in needed[source]]
            programs[flags] = pool.submit(commands, users, flags, options.compiler, includes, folder)
        programs = {flags: program.result() for flags, program in programs.items()}
        checks = {source: pool.submit(check, source, [programs[flags][source] for flags in needed[source]]) for source in needed}
        for source in sources:
            if missing[source]:
                skipped += 1
                print(f"skipped {source.stem}: needs {', '.join(missing[source])}", flush=True)
                continue
            wrong = checks[source].result()
            failed += bool(wrong)
            print(f"{'FAILED' if wrong else 'caught'}  {source.stem}", *wrong, sep="\n    " if wrong else "", flush=True)
    print(f"{len(sources) - failed - skipped} of {len(sources)} mistakes are caught, {skipped} skipped")
    sys.exit(failed > 0)


if __name__ == "__main__":
    main()
