#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Checks that operations have not become slower, by the instructions that they execute and not by how long they take.

    check.py [--system=FOLDER]...            counts the rows of rows.cpp, and compares with counts.txt
    check.py [--system=FOLDER]... --write    counts, and writes counts.txt
    check.py --selftest

--system names a folder of headers of others: Eigen's, /usr/include/eigen3 where none is named. valgrind's callgrind counts, one
thread, AVX2, on an emulated processor: the same in each run and on each machine for one version of g++, the C library, Eigen and
valgrind. With others there is nothing to compare, and the test is skipped. See docs/decisions/instruction-gate.md.
"""
import argparse
import os
import pathlib
import platform
import re
import shutil
import subprocess
import sys
import tempfile

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent.parent))
sys.dont_write_bytecode = True
import rooms  # noqa: E402

SKIPPED = 77
HERE = pathlib.Path(__file__).resolve().parent
COUNTS = HERE / "counts.txt"
THIS = "python3 tests/instructions/check.py"
# Above the differences between processors: the C library chooses how it copies memory by what it finds.
LIMIT = 0.04
COMPILER = "g++"
FLAGS = ["-std=c++20", "-O2", "-march=x86-64-v3", "-pthread"]


def installed(system):
    """{what the counts depend on beside our own text: its version}"""
    text = subprocess.run([COMPILER, "-E", "-dM", "-x", "c++", "-std=c++20", *(f"-isystem{folder}" for folder in system), "-"],
                          input="#include <features.h>\n#include <Eigen/src/Core/util/Macros.h>\n", text=True,
                          stdout=subprocess.PIPE, check=True).stdout
    macros = dict(re.findall(r"^#define (\w+) (.*)$", text, re.M))
    valgrind = subprocess.run(["valgrind", "--version"], text=True, stdout=subprocess.PIPE, check=True).stdout.strip()
    return {
        "g++": macros["__VERSION__"].strip('"'),
        "glibc": f"{macros['__GLIBC__']}.{macros['__GLIBC_MINOR__']}" if "__GLIBC__" in macros else "?",
        "Eigen": ".".join(macros[f"EIGEN_{part}_VERSION"] for part in ("WORLD", "MAJOR", "MINOR")),
        "valgrind": valgrind.removeprefix("valgrind-"),
        "machine": platform.machine(),
    }


def dumps(texts):
    """{row: instructions} of what callgrind wrote"""
    found = {}
    for text in texts:
        name = re.search(r"^desc: Trigger: Client Request: (.*)$", text, re.M)
        total = re.search(r"^totals: (\d+)$", text, re.M)
        if name and total:
            found[name[1]] = int(total[1])
    return found


def count(system):
    own = [f"-I{folder}" for folder in rooms.include_folders(HERE.parents[1] / "include")]
    with tempfile.TemporaryDirectory() as scratch:
        program = f"{scratch}/rows"
        command = [COMPILER, *FLAGS, *own, *(f"-isystem{folder}" for folder in system), str(HERE / "rows.cpp"), "-o", program]
        if subprocess.run(command).returncode != 0:
            sys.exit(f"FAILED {' '.join(command)}")
        # Without the environment, in which the library and the C library would find settings.
        run = subprocess.run([shutil.which("valgrind"), "--tool=callgrind", "--instr-atstart=no", "--callgrind-out-file=dump", program],
                             cwd=scratch, env={"PATH": os.environ["PATH"]}, text=True, stderr=subprocess.PIPE)
        if run.returncode != 0:
            sys.exit(f"FAILED {run.stderr}")
        return dumps(path.read_text() for path in sorted(pathlib.Path(scratch).glob("dump.*"), key=lambda path: int(path.suffix[1:])))


def written(versions, rows):
    width = max(map(len, rows))
    return "".join(["# Instructions of each row of rows.cpp. Written by `tests/instructions/check.py --write`.\n",
                    *(f"{name}: {version}\n" for name, version in versions.items()), "\n",
                    *(f"{name:{width}} | {number:9}\n" for name, number in rows.items())])


def stored(text):
    """(versions, rows) of what `written` made."""
    versions = dict(re.findall(r"^([\w+]+): (.*)$", text, re.M))
    return versions, {name.rstrip(): int(number) for name, number in re.findall(r"^([^|\n]+) \| +(\d+)$", text, re.M)}


def compare(before, now):
    """Messages: rows with more instructions than LIMIT allows, or so few that the gain would be lost if it were not written."""
    messages = []
    for name in sorted(before.keys() ^ now.keys()):
        messages.append(f"{name}: {'not in rows.cpp' if name in before else 'not in counts.txt'}")
    for name in before.keys() & now.keys():
        old, new = before[name], now[name]
        if abs(new - old) > LIMIT * old:
            messages.append(f"{name}: {old} -> {new} instructions, {(new - old) / old:+.1%}")
    return sorted(messages)


def selftest():
    rows = {"a + b, 64": 1000, "sort": 200}
    versions = {"g++": "12.2.0", "Eigen": "3.4.0"}
    cases = [
        ("what is written is read", stored(written(versions, rows)) == (versions, rows)),
        ("the same", compare(rows, rows) == []),
        ("within the limit", compare(rows, {**rows, "sort": 207}) == []),
        ("more", compare(rows, {**rows, "sort": 209}) == ["sort: 200 -> 209 instructions, +4.5%"]),
        ("fewer", compare(rows, {**rows, "sort": 100}) == ["sort: 200 -> 100 instructions, -50.0%"]),
        ("a new row", compare(rows, {**rows, "take": 1}) == ["take: not in counts.txt"]),
        ("a lost row", compare(rows, {"sort": 200}) == ["a + b, 64: not in rows.cpp"]),
        ("a dump", dumps(["desc: Trigger: Client Request: a, 4\nsummary: 0\n\ntotals: 12\n", "totals: 3\n"]) == {"a, 4": 12}),
    ]
    failed = [name for name, holds in cases if not holds]
    print(f"{len(cases)} cases, {len(failed)} failed" + "".join(f"\nFAILED {name}" for name in failed))
    return 1 if failed else 0


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--system", action="append", default=[])
    parser.add_argument("--write", action="store_true")
    parser.add_argument("--selftest", action="store_true")
    options = parser.parse_args()
    if options.selftest:
        return selftest()
    if not shutil.which("valgrind") or not shutil.which(COMPILER) or not pathlib.Path("/usr/include/valgrind/callgrind.h").exists():
        print("skipped: needs g++ and valgrind")
        return SKIPPED
    system = options.system or ["/usr/include/eigen3"]
    versions = installed(system)
    if options.write:
        COUNTS.write_text(written(versions, count(system)))
        return 0
    expected, before = stored(COUNTS.read_text())
    if versions != expected:
        print(f"skipped: counts.txt is of {expected}, and here is {versions}")
        return SKIPPED
    now = count(system)
    for name, number in now.items():
        print(f"{name}: {number}")
    messages = compare(before, now)
    for message in messages:
        print(f"FAILED {message}")
    if messages:
        print(f"If that is meant, say why in the commit, and write it down: {THIS} --write")
    return 1 if messages else 0


if __name__ == "__main__":
    sys.exit(main())
