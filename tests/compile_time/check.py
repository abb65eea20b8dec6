#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Checks that programs have not become slower to compile, by what clang does for them and not by how long it takes.

    check.py [--system=FOLDER]...                         counts, and compares with counts.txt
    check.py [--system=FOLDER]... --write                 counts, and writes counts.txt
    check.py [--system=FOLDER]... --against=CHECKOUT      counts here and there, and lists the templates that grew most
    check.py --selftest

--system names a folder of headers of others: Eigen's, /usr/include/eigen3 where none is named. What is counted are the events
of `-ftime-trace` with granularity 0: files that are read, classes and templates that are parsed or instantiated. They are the
same in each run, on each processor and in each folder, for one version of clang, libstdc++ and Eigen; with others there is
nothing to compare, and the test is skipped. situ.hpp is precompiled, and what stands behind it is counted without it: so a
header is read once, and 3 % more of what a program adds is not lost in what all of them share. See
docs/decisions/compile-time-gate.md.
"""
import argparse
import collections
import json
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
ROOT = pathlib.Path(__file__).resolve().parents[2]
COUNTS = pathlib.Path(__file__).resolve().with_name("counts.txt")
THIS = "python3 tests/compile_time/check.py"
COMPILERS = ["clang++-14", "clang++"]  # the first that is installed: the one that Debian 12 has
LIMIT = 0.03
MOST = 10
KINDS = ["Source", "ParseClass", "ParseTemplate", "InstantiateClass", "InstantiateFunction"]

DOOR = "situ/situ.hpp"
DEFINES = {"cpu": [], "emulated": ["-DSITU_CUDA_EMULATED"]}
BEHIND = {
    "cpu": ["situ/nn.hpp", "heat_equation.cpp", "kalman_filter.cpp", "mlp.cpp", "monte_carlo.cpp", "nearest_neighbours.cpp"],
    "emulated": ["k_means.cpp"],
}


def events(trace):
    """{(kind, what): how many} of a trace. The totals at its end are no events."""
    found = [event for event in json.loads(trace)["traceEvents"] if event["ph"] == "X" and not event["name"].startswith("Total ")]
    return collections.Counter((event["name"], event.get("args", {}).get("detail", "")) for event in found)


def count(command, source, folder):
    """The events of one compiler run, in `folder`."""
    # A compiler out of a cache writes no trace.
    command = [*command, "-ftime-trace", "-ftime-trace-granularity=0", str(source)]
    if subprocess.run(command, cwd=folder, env={**os.environ, "CCACHE_DISABLE": "1"}).returncode != 0:
        sys.exit(f"FAILED {' '.join(command)}")
    [trace] = folder.glob("*.json")
    found = events(trace.read_text())
    trace.unlink()
    return found


def count_all(compiler, root, flags):
    """{(way, header or program): its events} in the tree `root`"""
    found = {}
    for way, defines in DEFINES.items():
        own = [f"-I{folder}" for folder in rooms.include_folders(root / "include")]
        command = [compiler, "-std=c++20", "-march=x86-64-v3", *defines, *own, *flags]
        with tempfile.TemporaryDirectory() as scratch:
            folder = pathlib.Path(scratch)

            def including(header):
                source = folder / header.replace("/", "_")
                source.write_text(f"#include <{header}>\n")
                return source

            # With what the header leaves to the end of a file: each program would do that again.
            found[way, DOOR] = count([*command, "-x", "c++-header", "-fpch-instantiate-templates", "-o", "door.pch"],
                                     including(DOOR), folder)
            command += ["-include-pch", "door.pch", "-fsyntax-only", "-x", "c++"]
            for name in BEHIND[way]:
                source = including(name) if name.endswith(".hpp") else root / "examples" / "cookbook" / name
                found[way, name] = count(command, source, folder)
    return found


def installed(compiler, flags):
    """{what the counts depend on beside our own text: its version}"""
    command = [compiler, "-E", "-dM", "-x", "c++", "-std=c++20", *flags, "-"]
    text = subprocess.run(command, input="#include <version>\n#include <Eigen/src/Core/util/Macros.h>\n", text=True,
                          stdout=subprocess.PIPE, check=True).stdout
    macros = collections.defaultdict(lambda: "?", re.findall(r"^#define (\w+) (.*)$", text, re.M))
    return {
        "clang": macros["__clang_version__"].strip('" '),
        "libstdc++": f"{macros['_GLIBCXX_RELEASE']}, {macros['__GLIBCXX__']}",
        "Eigen": ".".join(macros[f"EIGEN_{part}_VERSION"] for part in ("WORLD", "MAJOR", "MINOR")),
        "machine": platform.machine(),
    }


def row(found):
    """All events, then those of each of KINDS."""
    return [sum(found.values())] + [sum(number for (kind, _), number in found.items() if kind == one) for one in KINDS]


def written(versions, rows):
    lines = ["# What clang does to compile them. Written by `tests/compile_time/check.py --write`."]
    lines += [f"{name}: {version}" for name, version in versions.items()]
    width = max(len(" ".join(name)) for name in rows)
    lines += ["", " ".join([" " * width, "   all", *KINDS])]
    for name, numbers in rows.items():
        cells = [f"{number:{max(6, len(head))}}" for number, head in zip(numbers, ["all", *KINDS])]
        lines.append(" ".join([f"{' '.join(name):{width}}", *cells]))
    return "\n".join(lines) + "\n"


def stored(text):
    """(versions, rows) of what `written` made."""
    versions = dict(re.findall(r"^([\w+]+): (.*)$", text, re.M))
    rows = {(way, name): [int(number) for number in numbers.split()]
            for way, name, numbers in re.findall(r"^(\w+) (\S+)((?: +\d+)+)$", text, re.M)}
    return versions, rows


def compare(before, now):
    """Messages: what has more events than LIMIT allows, or so few that the gain would be lost if it were not written down."""
    messages = []
    if before.keys() != now.keys():
        messages.append("counts.txt has other headers or programs than check.py")
    for name in before.keys() & now.keys():
        old, new = before[name][0], now[name][0]
        if abs(new - old) > LIMIT * old:
            grown = ", ".join(f"{kind} {a} -> {b}" for kind, a, b in zip(KINDS, before[name][1:], now[name][1:]) if a != b)
            messages.append(f"{' '.join(name)}: {old} -> {new} events, {(new - old) / old:+.1%} ({grown})")
    return sorted(messages)


def templates(found):
    """{template without its arguments: how often it is instantiated}"""
    numbers = collections.Counter()
    for (kind, what), number in found.items():
        if kind.startswith("Instantiate"):
            numbers[what.partition("<")[0]] += number
    return numbers


def grown_most(before, now):
    """[(template, number before, number now)] of the templates that grew most"""
    before, now = templates(before), templates(now)
    return [(name, before[name], now[name]) for name, _ in (now - before).most_common(MOST)]


def advice():
    return f"""Which templates grew:
  git worktree add ../before $(git log -1 --format=%h {COUNTS.relative_to(ROOT)}) && {THIS} --against=../before
Where the growth is meant, and to keep a gain: {THIS} --write"""


def selftest():
    trace = json.dumps({"traceEvents": [
        {"ph": "X", "name": "InstantiateClass", "args": {"detail": "a::B<int>"}},
        {"ph": "X", "name": "InstantiateClass", "args": {"detail": "a::B<float>"}},
        {"ph": "X", "name": "InstantiateFunction", "args": {"detail": "a::B<float>::f<c::D<1>>"}},
        {"ph": "X", "name": "InstantiateFunction", "args": {"detail": "a::g"}},
        {"ph": "X", "name": "Source", "args": {"detail": "/usr/include/a.h"}},
        {"ph": "X", "name": "Frontend"},
        {"ph": "X", "name": "Total Source", "args": {"count": 1}},
        {"ph": "M", "name": "process_name", "args": {"name": "clang"}}]})
    found = events(trace)
    before = collections.Counter({("InstantiateClass", "a::B<int>"): 1, ("InstantiateFunction", "a::g"): 5})
    versions = {"clang": "14.0.6", "libstdc++": "12, 20220819", "Eigen": "3.4.0", "machine": "x86_64"}
    rows = {("cpu", "situ/situ.hpp"): [12000, 1, 2, 3, 4, 5], ("emulated", "k_means.cpp"): [900, 0, 0, 0, 0, 0]}

    def counts(number):
        return {("cpu", "a.cpp"): [number, 0, 0, 0, number, 0]}

    checks = [
        (row(found), [6, 1, 0, 0, 2, 2]),
        (templates(found), {"a::B": 3, "a::g": 1}),
        (grown_most(before, found), [("a::B", 1, 3)]),
        (stored(written(versions, rows)), (versions, rows)),
        (compare(counts(1000), counts(1030)), []),
        (compare(counts(1000), counts(970)), []),
        (compare(counts(1000), counts(1031)), ["cpu a.cpp: 1000 -> 1031 events, +3.1% (InstantiateClass 1000 -> 1031)"]),
        (compare(counts(1000), counts(969)), ["cpu a.cpp: 1000 -> 969 events, -3.1% (InstantiateClass 1000 -> 969)"]),
        (len(compare({}, counts(1))), 1),
        (len(compare(counts(1), {})), 1),
        (stored(COUNTS.read_text())[1].keys(),
         {(way, name) for way, behind in BEHIND.items() for name in [DOOR, *behind]}),
    ]
    wrong = [(i, got, wanted) for i, (got, wanted) in enumerate(checks) if got != wanted]
    for i, got, wanted in wrong:
        print(f"check {i}: got {got}, wanted {wanted}")
    print(f"{len(checks) - len(wrong)} of {len(checks)} checks passed")
    return 1 if wrong else 0


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--system", action="append", metavar="FOLDER")
    parser.add_argument("--write", action="store_true")
    parser.add_argument("--against", type=pathlib.Path, metavar="CHECKOUT")
    parser.add_argument("--selftest", action="store_true")
    options = parser.parse_args()
    if options.selftest:
        return selftest()
    flags = [word for folder in options.system or ["/usr/include/eigen3"] for word in ("-isystem", folder)]
    compiler = next(filter(None, map(shutil.which, COMPILERS)), None)
    if not compiler:
        print(f"skipped: none of {', '.join(COMPILERS)} is installed")
        return SKIPPED
    if options.against:
        there, here = (count_all(compiler, root.resolve(), flags) for root in (options.against, ROOT))
        for name in here:
            print(f"{' '.join(name)}: {sum(there[name].values())} -> {sum(here[name].values())} events")
            for template, before, now in grown_most(there[name], here[name]):
                print(f"  {before:6} -> {now:6} {template}")
        return 0
    versions = installed(compiler, flags)
    if options.write:
        rows = {name: row(found) for name, found in count_all(compiler, ROOT, flags).items()}
        COUNTS.write_text(written(versions, rows))
        return 0
    wanted, before = stored(COUNTS.read_text())
    if versions != wanted:
        other = ", ".join(f"{name} {version}, not {wanted.get(name)}" for name, version in versions.items()
                          if version != wanted.get(name))
        print(f"skipped: counts.txt is of other versions; here is {other}. To count with these, before a change: {THIS} --write")
        return SKIPPED
    now = {name: row(found) for name, found in count_all(compiler, ROOT, flags).items()}
    messages = compare(before, now)
    for name, numbers in now.items():
        print(f"{' '.join(name)}: {numbers[0]} events")
    for message in messages:
        print(f"FAILED {message}")
    if messages:
        print(advice())
    return 1 if messages else 0


if __name__ == "__main__":
    sys.exit(main())
