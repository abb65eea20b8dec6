#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Compiles the programs in this folder and checks that the emulation catches the mistake of each, and nothing else.

    check.py COMPILER -I include [--system EIGEN] [-j JOBS] [--only NAME]...

Each program, run without arguments, must succeed and say nothing. With the argument `mistake` it must fail
and write every text of its `// expect:` lines. `// sanitizer:` names what it is compiled with: none, address,
thread or undefined. `// flags:` are more words for the compiler, `// needs:` what must be there, else the program is skipped:
g++ for the compiler, other words for what the processor has.

So that it is the emulation's rule that catches it and nothing else: with a line `// off:`, the mistake must go unnoticed without
the rule. `off: sanitizer` compiles the program without its sanitizer, `off: WORDS` leaves these out of its flags, `off: argument`
gives it the argument `off` beside `mistake`. As a CMake test:

    add_test(NAME emulated.caught COMMAND Python3::Interpreter ${CMAKE_CURRENT_SOURCE_DIR}/emulated/caught/check.py
             ${CMAKE_CXX_COMPILER} -I ${PROJECT_SOURCE_DIR}/include --system ${eigen_dirs})
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


def run(program, *arguments):
    environment = {name: value for name, value in os.environ.items() if name not in DROPPED}
    done = subprocess.run([program, *arguments], env=environment, capture_output=True, text=True, errors="replace")
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


def check(source, compiler, includes, folder):
    """What is wrong with one program, nothing when all is well; or, as text, what it needs and cannot have."""
    if missing := lacks(compiler, " ".join(lines(source, "needs")).split()):
        return ", ".join(missing)
    expected, sanitizers, off = lines(source, "expect"), lines(source, "sanitizer"), lines(source, "off")
    if not expected or len(sanitizers) != 1 or sanitizers[0] not in ("none", "address", "thread", "undefined"):
        return ["it needs a line `// sanitizer: none, address, thread or undefined` and at least one `// expect:`"]
    program = pathlib.Path(folder) / source.stem
    flags = " ".join(lines(source, "flags")).split()
    sanitizer = []
    if sanitizers[0] != "none":
        sanitizer = [f"-fsanitize={sanitizers[0]}", "-fno-sanitize-recover=all"]
    try:
        build(compiler, flags + sanitizer, includes, source, program)
        wrong = []
        code, said = run(program)
        if code != 0 or said:
            wrong += [f"without its mistake: {describe(code)}, and it said:", said]
        code, said = run(program, "mistake")
        if code == 0:
            wrong.append("with its mistake it succeeded")
        missing = [text for text in expected if text not in said]
        if missing:
            wrong += [f"with its mistake ({describe(code)}) it did not say: {text}" for text in missing] + ["but:", said]
        if off:
            arguments = ["mistake"]
            if off[0] == "argument":
                arguments.append("off")
            else:
                kept = sanitizer if off[0] != "sanitizer" else []
                build(compiler, [flag for flag in flags if flag not in off[0].split()] + kept, includes, source, program)
            code, said = run(program, *arguments)
            if code != 0 or said:
                wrong += [f"its mistake is noticed without the rule, too: {describe(code)}, and it said:", said]
        return wrong
    except NotCompiled as error:
        return ["it does not compile cleanly: " + error.args[0], error.args[1]]


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
    failed = skipped = 0
    with tempfile.TemporaryDirectory() as folder, concurrent.futures.ThreadPoolExecutor(options.jobs) as pool:
        includes = [f"-I{path}" for path in options.includes]
        for path in options.system:
            includes += ["-isystem", path]
        checks = [pool.submit(check, source, options.compiler, includes, folder) for source in sources]
        for source, result in zip(sources, checks):
            wrong = result.result()
            if isinstance(wrong, str):
                skipped += 1
                print(f"skipped {source.stem}: needs {wrong}", flush=True)
                continue
            failed += bool(wrong)
            print(f"{'FAILED' if wrong else 'caught'}  {source.stem}", *wrong, sep="\n    " if wrong else "", flush=True)
    print(f"{len(sources) - failed - skipped} of {len(sources)} mistakes are caught, {skipped} skipped")
    sys.exit(failed > 0)


if __name__ == "__main__":
    main()
