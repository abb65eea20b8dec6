#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Runs what nvcc made of the kernels, without a GPU, beside the emulation's run of the same, and compares.

    stage.py --build=FOLDER --harness=ARCHIVE... --include=FOLDER... --rotate
                            what `scripts/test all` runs: what files.txt says always runs, and one of others, by turns
    stage.py ... --all      all of them, an hour on two processors
    stage.py ... FILE...    these; of files.txt or not
    stage.py --list | --selftest

Each file is compiled to PTX by nvcc and emulated by g++, unless that was done since it changed; the program runs with
the harness, which runs each launch from PTX as well (harness/README.md). Ends with 1 where one differed by more than
harness/allowed.txt has, could not run or was not compiled; with 77 where nvcc or g++ is missing.
"""
import argparse
import collections
import concurrent.futures
import json
import os
import pathlib
import re
import shutil
import subprocess
import sys

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent))
from build import (HERE, ROOT, SKIPPED, SOURCES, Build, Failed, find_nvcc, flat, processor_seconds,  # noqa: E402
                   run_program)

LIST = HERE / "files.txt"
ALLOWED = HERE / "harness" / "allowed.txt"
Entry = collections.namedtuple("Entry", "when file needs note")
WHEN = ("always", "by_turns", "by_hand", "never")


def read_list(text):
    """The lines of files.txt."""
    found = []
    for number, line in enumerate(text.splitlines(), 1):
        if not line.strip() or line.startswith("#"):
            continue
        fields = [field.strip() for field in line.split("|")]
        if len(fields) != 4 or fields[0] not in WHEN or not set(fields[2].split()) <= set(SOURCES):
            raise ValueError(f"files.txt, line {number}: {line}")
        if fields[0] == "never" and not fields[3]:
            raise ValueError(f"files.txt, line {number}: says never, and not why")
        found.append(Entry(fields[0], fields[1], fields[2].split(), fields[3]))
    return found


def unlisted(entries, files):
    """What is wrong with the list beside the files that are there."""
    names = [entry.file for entry in entries]
    return ([f"{name} is not in files.txt" for name in files if name not in names]
            + [f"{name} of files.txt is not there" for name in names if name not in files]
            + [f"{name} stands twice in files.txt" for name, count in collections.Counter(names).items() if count > 1])


def there():
    """The files that launch kernels: tests of the backend, of the conformance suite and our own programs."""
    found = [*ROOT.glob("tests/cuda/*.cpp"), *ROOT.glob("tests/conformance/cuda*.cpp"), *HERE.glob("programs/*.cpp")]
    return sorted(path.relative_to(ROOT).as_posix() for path in found)


def chosen(entries, turn):
    """Those that always run, and one by turns."""
    by_turns = [entry for entry in entries if entry.when == "by_turns"]
    return [entry for entry in entries if entry.when == "always"] + by_turns[turn % len(by_turns):][:1]


def commits():
    done = subprocess.run(["git", "-C", str(ROOT), "rev-list", "--count", "HEAD"], capture_output=True, text=True)
    return int(done.stdout) if done.returncode == 0 else 0


def entries_in(ptx):
    return len(re.findall(r"^\s*(?:\.visible |\.weak )?\.entry ", ptx.read_text(), re.M))


def problems_of(code, report):
    """Why a run does not count, each a line."""
    if report is None:
        return [f"ended with {code} and wrote no report"]
    found = [f"{one['kind']}, {one['count']} times: {one['kernel'][:300]}: {one['text'][:700]}"
             for one in report["complaints"]]
    if code != 0 and not found:
        found.append(f"ended with {code}, and not for what was compared")
    if report["compared"] == 0:
        found.append("nothing was compared")
    return found


def merged(reports):
    """One report of many: kernels by type, forms by name."""
    total = collections.Counter()
    kernels, forms = {}, collections.Counter()
    for report in reports:
        for name in ("launches", "compared", "failed_on_host", "blocks", "instructions"):
            total[name] += report[name]
        for kernel in report["kernels"]:
            known = kernels.setdefault(kernel["type"], {"name": kernel["name"], "launches": 0, "differences": {}})
            known["launches"] += kernel["launches"]
            for one in kernel["differences"]:
                key = (one["row"], one["element"])
                if key not in known["differences"] or known["differences"][key]["ulps"] < one["ulps"]:
                    known["differences"][key] = one
        for form in report["forms"]:
            forms[form["name"]] += form["runs"]
    return total, kernels, forms


def table(total, kernels, forms, allowed_lines):
    """What was seen, as lines."""
    ran = sum(1 for runs in forms.values() if runs)
    failed = f" ({total['failed_on_host']} failed on the host, as tests of failures do)" if total["failed_on_host"] else ""
    lines = [f"{len(kernels)} kernels, {total['compared']} of {total['launches']} launches compared{failed}, {total['blocks']} "
             f"blocks, {total['instructions']:.3g} instructions of threads, {ran} forms of opcodes run, {len(forms) - ran} "
             "decoded only"]
    by_row = collections.defaultdict(list)
    for type_name, kernel in kernels.items():
        for (row, element), one in kernel["differences"].items():
            by_row[row, element].append((one["ulps"], one, kernel["name"], type_name))
    for (row, element), found in sorted(by_row.items()):
        ulps, one, name, type_name = max(found, key=lambda each: each[0])
        lines.append(f"line {row} of allowed.txt, {element}: {len(found)} kernels, at most {ulps:.4g} ulp ({one['host']} by "
                     f"the host, {one['ptx']} from PTX) in {name}: {type_name[:150]}")
    unused = [number for number in allowed_lines if number not in {row for row, _ in by_row}]
    if unused:
        lines.append(f"lines of allowed.txt that allowed nothing here: {', '.join(map(str, unused))}")
    return lines


def run_one(build, entry, options):
    """(entry, problems, report, what was run) of a file."""
    source = ROOT / entry.file
    try:
        library = build.library(SOURCES if options.all else ["copy", "products", *entry.needs])
        ptx = build.ptx(source)
        own_main = re.search(r"^int main\(", source.read_text(), re.M)
        main_object = [] if own_main else [build.emulated(ROOT / "tests" / "main.cpp")]
        program = build.program(source, options.harness, main_object)
        report = build.folder / "reports" / (flat(source) + ".json")
        report.parent.mkdir(exist_ok=True)
        seed = {"SITU_PTX_SEED": str(options.seed)} if options.seed else {}
        code, found, output = run_program(program, [ptx, *library], report, ALLOWED, seed)
    except Failed as failure:
        return entry, [str(failure)], None, ""
    problems = problems_of(code, found)
    # What the program printed itself, where that is what went wrong.
    if problems and (found is None or not found["complaints"]):
        problems.append(output[-3000:])
    of = entries_in(ptx)
    line = ("" if found is None else
            f"{len(found['kernels'])} kernels run ({of} in its PTX), {found['compared']} launches, {found['blocks']} blocks, "
            f"{found['instructions']:.3g} instructions, {found['seconds']:.0f} s in the interpreter")
    return entry, problems, found, line


def run_all(build, entries, options):
    failed, reports, said = 0, [], []

    def say(line):
        said.append(line)
        print(line, flush=True)

    with concurrent.futures.ThreadPoolExecutor(options.jobs) as pool:
        for entry, problems, report, line in pool.map(lambda each: run_one(build, each, options), entries):
            say(f"{'FAILED' if problems else 'passed'} {entry.file}: {line}")
            for problem in problems:
                say(f"    {problem}")
            failed += bool(problems)
            if report is not None:
                reports.append(report)
                for kind in ("missing", "large"):
                    for one in report[kind]:
                        if one["row"]:
                            say(f"    {kind}, as line {one['row']} of allowed.txt has it: {one['name']}, {one['launches']} times")
    # Of rows about NaN, holes and what does not run the report has no line.
    rows = [number for number, row in enumerate(ALLOWED.read_text().splitlines(), 1)
            if row and not row.startswith("#") and not re.search(r"\| (0 ulp|holes|missing|large) \|", row)]
    for line in table(*merged(reports), rows):
        say(line)
    say(f"{len(entries)} files, {failed} failed; {processor_seconds():.0f} s of processors, of which compilers took "
          + (", ".join(f"{name} {seconds:.0f}" for name, seconds in build.made.items()) or "none"))
    (build.folder / "summary.txt").write_text("\n".join(said) + "\n")
    return 1 if failed else 0


def selftest():
    entries = read_list("# x\nalways | a.cpp | | \nby_turns | b.cpp | sort | long\nby_turns | c.cpp | | \n"
                        "never | d.cpp | | a GPU's\n")
    report = {"launches": 2, "compared": 2, "failed_on_host": 0, "blocks": 5, "instructions": 100, "complaints": [],
              "kernels": [{"type": "K<float>", "name": "k", "launches": 2,
                           "differences": [{"row": 3, "element": "float32", "ulps": 2.0, "host": "1", "ptx": "2"}]}],
              "forms": [{"name": "add.f32", "runs": 4}, {"name": "sub.f32", "runs": 0}]}
    other = json.loads(json.dumps(report))
    other["kernels"][0]["differences"][0]["ulps"] = 7.0
    lines = table(*merged([report, other]), [3, 4])
    wrong = {"kind": "out of bounds", "count": 2, "kernel": "k", "text": "t"}

    def refused(text):
        try:
            return bool(read_list(text)) and False
        except ValueError:
            return True

    checks = [
        ([entry.file for entry in chosen(entries, 0)], ["a.cpp", "b.cpp"]),
        ([entry.file for entry in chosen(entries, 3)], ["a.cpp", "c.cpp"]),
        (entries[1].needs, ["sort"]),
        (refused("sometimes | a | | "), True), (refused("always | a | cub | "), True),
        (refused("never | a | | "), True),
        (unlisted(entries, ["a.cpp", "b.cpp", "c.cpp", "d.cpp"]), []),
        (len(unlisted(entries, ["a.cpp", "b.cpp", "c.cpp", "e.cpp"])), 2),
        (len(unlisted(entries + entries[:1], ["a.cpp", "b.cpp", "c.cpp", "d.cpp"])), 1),
        (unlisted(read_list(LIST.read_text()), there()), []),
        (problems_of(0, report), []), (len(problems_of(1, report)), 1), (len(problems_of(0, None)), 1),
        (len(problems_of(86, {**report, "complaints": [wrong]})), 1),
        (len(problems_of(0, {**report, "compared": 0})), 1), (lines[0].startswith("1 kernels, 4 of 4 launches"), True),
        ("at most 7 ulp" in lines[1], True), (lines[2].endswith(": 4"), True),
    ]
    bad = [(i, got, wanted) for i, (got, wanted) in enumerate(checks) if got != wanted]
    for i, got, wanted in bad:
        print(f"check {i}: got {got}, wanted {wanted}")
    print(f"{len(checks) - len(bad)} of {len(checks)} checks passed")
    return 1 if bad else 0


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("files", nargs="*")
    parser.add_argument("--all", action="store_true")
    parser.add_argument("--rotate", action="store_true")
    parser.add_argument("--list", action="store_true")
    parser.add_argument("--selftest", action="store_true")
    parser.add_argument("--build", type=pathlib.Path)
    parser.add_argument("--harness", action="append", default=[], help="archives, in the order of the linker")
    parser.add_argument("--include", action="append", default=[])
    parser.add_argument("--compiler", default="g++")
    parser.add_argument("--nvcc")
    parser.add_argument("--architecture", type=int, default=int(os.environ.get("SITU_PTX_ARCHITECTURE", "90")))
    parser.add_argument("--launcher", action="append", default=[])
    parser.add_argument("--seed", type=int, default=int(os.environ.get("SITU_PTX_SEED", "0")))
    parser.add_argument("--jobs", type=int, default=1)
    options = parser.parse_intermixed_args()
    if options.selftest:
        return selftest()
    entries = read_list(LIST.read_text())
    if wrong := unlisted(entries, there()):
        print(*(f"FAILED {line}" for line in wrong), sep="\n")
        return 1
    if options.list:
        print(*(f"{entry.when:9} {entry.file}" for entry in entries), sep="\n")
        return 0
    if find_nvcc(options.nvcc) is None or shutil.which(options.compiler) is None:
        print("skipped: nvcc or g++ is not here")
        return SKIPPED
    if options.files:
        known = {entry.file: entry for entry in entries}
        names = [pathlib.Path(file).resolve().relative_to(ROOT).as_posix() for file in options.files]
        entries = [known.get(name, Entry("always", name, [], "")) for name in names]
    elif options.all:
        entries = [entry for entry in entries if entry.when != "never"]
    elif options.rotate:
        entries = chosen(entries, commits())
    else:
        parser.error("say --rotate, --all or which files")
    build = Build(options.build, options.include, options.compiler, options.nvcc, options.architecture,
                  options.launcher)
    return run_all(build, entries, options)


if __name__ == "__main__":
    sys.exit(main())
