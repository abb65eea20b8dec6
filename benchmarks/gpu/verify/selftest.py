# SPDX-License-Identifier: Apache-2.0
"""`scripts/gpu --selftest`: what the parsers make of what the tools print, what a resumed run does, and whether every
program has the compiled parts that it needs. It needs neither nvcc nor a GPU."""

import contextlib
import io
import json
import tempfile
from pathlib import Path

import archives
import findings
import measurements
import parts
import probing
import programs
import sanitizers
import selftest_limits
import tests
from context import TestFile, last_test, parse_doctest
from sources import ROOT, Joined, Source
from toolchain import Toolchain

NCU = (
    '==PROF== Connected\n{"ms": [1]}\n'
    '"ID","Kernel Name","Section Name","Metric Name","Metric Unit","Metric Value"\n'
    '"0","run_kernel(Softmax)","GPU Speed Of Light Throughput","Duration","us","512.3"\n'
    '"0","run_kernel(Softmax)","Launch Statistics","Registers Per Thread","register/thread","64"\n'
)


def parsers():
    softmax = ("run_kernel(Softmax)", {"time": "512.3 us", "registers": "64 register/thread"})
    files = [TestFile("", f"tests/cuda/{name}.cpp") for name in ("errors", "optim", "sort", "reduce")]
    unit = ROOT / "tests" / "cuda"
    joined = Joined("tests/cuda/two.cpp", [Source(unit / "optim.cpp"), Source(unit / "sort.cpp")]).made_of().splitlines()
    probe = "VERIFIED\tp\ts|t\nnoise\nFIGURE\tf\t1.5\tus\n"
    memory = "========= Invalid __global__ read of size 4 bytes\n=========     at f+0x10\n"
    return [
        (probing.parse_probe(probe), ([("VERIFIED", "p", "s/t")], [("f", 1.5, "us")])),
        (parse_doctest("[doctest] test cases:  12 |  11 passed | 1 failed | 3 skipped"), (12, 11, 1)),
        (parse_doctest("Segmentation fault"), None),
        (last_test("TEST CASE:  one\nx\nTEST CASE:  a|b\nFATAL ERROR: test case CRASHED: SIGTERM\n"), " in 'a/b'"),
        (last_test("TEST CASE:  one\nERROR: CHECK( 1 == 2 )\n"), ""),
        (probing.parse_probe("FIGURE\tf\t\tus\nFIGURE\tg\t2\tus\n"), ([], [("g", 2.0, "us")])),
        (measurements.parse_lines('{"a": 1}\nnoise\n{"a": 2, "b'), [{"a": 1}]),
        (sanitizers.parse("========= COMPUTE-SANITIZER\n========= ERROR SUMMARY: 0 errors\n"), (0, "")),
        (sanitizers.parse("========= ERROR SUMMARY: 3 errors\n"), (3, "")),
        (sanitizers.parse("========= RACECHECK SUMMARY: 2 hazards displayed (2 errors, 0 warnings)\n"), (2, "")),
        (
            sanitizers.parse("========= Error: Device not supported\n========= ERROR SUMMARY: 1 error\n"),
            (None, "Error: Device not supported"),
        ),
        (sanitizers.parse("killed"), (None, "")),
        (
            sanitizers.kinds(memory + memory.replace("4 bytes", "8 bytes")),
            [("Invalid __global__ read of size N bytes", 2)],
        ),
        ([test.stem for test in sanitizers.chosen("memcheck", files, False)], ["reduce", "sort"]),
        ([test.stem for test in sanitizers.chosen("memcheck", files, True)], ["reduce", "sort", "optim"]),
        ([test.stem for test in sanitizers.chosen("racecheck", files, True)], ["reduce", "sort"]),
        (measurements.parse_ncu(NCU), [softmax]),
        (measurements.parse_ncu("==ERROR== Failed to initialize the profiler"), []),
        (tests.estimate([4, 3, 2, 1], 2), 5),
        (joined[-3:], ["namespace joined_sort {", '#include "tests/cuda/sort.cpp"', "}"]),
        ([line for line in joined if "compare.hpp" in line], ['#include "tests/cuda/compare.hpp"']),
        (TestFile("", "tests/conformance/cuda_linalg.cpp").name, "conformance/cuda_linalg"),
    ]


def compiled_parts():
    """Every part that a header names is known; what a program needs is found through what it includes; and each file of
    tests is in one program, with its parts."""

    class OfSources(Toolchain):
        def __init__(self):
            self.emulated = False

    if unknown := parts.unknown():  # no program can be put together then
        return [(unknown, [])]
    fft = ROOT / "tests" / "cuda" / "fft.cpp"
    made = programs.tests(OfSources(), False)
    paths = {path.stem for folder in ("cuda", "conformance") for path in (ROOT / "tests" / folder).glob("*.cpp")}
    listed = [test.stem for program in made for test in program.tests]
    lacks = []
    for program in made:
        linked = {source.path for source in program.sources}
        for part in parts.needed_by([ROOT / test.path for test in program.tests]):
            needed = {path.relative_to(ROOT).as_posix() for path in parts.sources_of(part)}
            lacks += [f"{program.name} lacks {path}" for path in sorted(needed - linked)]
            lacks += [f"{program.name} lacks {name}" for name in parts.PARTS[part][1] if name not in program.libraries]
    return [
        (parts.needed_by([fft]), ["situ_cuda", "situ_cuda_fft"]),
        (parts.needed_by([ROOT / "tests" / "cuda" / "linalg.cpp"]), ["situ_cuda", "situ_cuda_linalg"]),
        (lacks, []),
        (len(listed), len(set(listed))),
        ([name for name in sorted(set(listed)) if name not in paths], []),
    ]


def resumed():
    """What a run finds of one before it: of the same tree and device, of another tree, of another device."""
    with tempfile.TemporaryDirectory() as scratch:

        def run(tree, device="H100"):
            return_value = findings.Findings(scratch, False, [], tree, tree)
            return_value.on_device(device)
            return return_value

        first = run("one")
        stage = first.stage("tests")
        stage.item("cuda/sort", True)
        stage.item("cuda/scan", False)
        stage.end("failed", "1 of 2")
        first.log("x" * 30000)
        names = ["cuda/gather", "cuda/scan", "cuda/sort"]
        second, text = run("one"), json.loads((Path(scratch) / "findings.json").read_text())
        other, moved = run("one", "H200"), run("two")
        return [
            (second.left("tests", names), ["cuda/scan", "cuda/gather"]),
            (other.left("tests", names), names),
            (moved.left("tests", names), names),
            ([run["stages"] for run in moved.earlier], [{"tests": "failed: 1 of 2"}]),
            ([(run["about"]["device"], run["stages"]) for run in other.earlier], [("H100", {"tests": "failed: 1 of 2"})]),
            (text["stages"]["tests"]["outcome"], "failed"),
            ((Path(scratch) / "log.txt").stat().st_size < 20100, True),
        ]


def archived():
    """What is unpacked when; an archive that was cut off, and one of another tree, are refused."""
    with tempfile.TemporaryDirectory() as scratch:
        folder = Path(scratch)
        (folder / "manifest.json").write_text(
            json.dumps({"commit": "c", "made_by": "m", "files": {"a": "1", "b": "2"}, "programs": {"p": {"tests": {}}}})
        )
        (folder / "p").write_bytes(bytes(range(256)) * 4000)
        whole, cut = folder / "whole", folder / "cut"
        archives.write(whole, [(folder / "manifest.json", "manifest.json"), (folder / "p", "programs/p")])
        manifest = json.loads((folder / "manifest.json").read_text())
        (folder / "manifest.json").write_text(json.dumps({**manifest, "rehearsal": True}))
        emulated = folder / "emulated"
        archives.write(emulated, [(folder / "manifest.json", "manifest.json")])
        cut.write_bytes(whole.read_bytes()[: len(whole.read_bytes()) // 2])

        def tried(path, tree):
            try:
                archive = archives.Archive(path, folder / f"of_{path.name}")
                archive.check(tree)
                archive.unpack()
                program = archive.program("p")
                return program.stat().st_size, archive.program("q")
            except archives.Refused as refused:
                return str(refused).partition(":")[0].replace(scratch, "")

        tree = {"a": "1", "b": "2"}
        return [
            (tried(whole, tree), (256 * 4000, None)),
            (tried(whole, {"a": "1", "b": "3"}), "whole was packed of commit c, and here b is not as there"),
            (tried(whole, {"a": "1"}), "whole was packed of commit c, and here b is not as there"),
            (tried(cut, tree), "/cut cannot be read"),
            (sorted({Path(name).suffix for name in archives.digests()} - set(archives.COMPILED)), []),
            ("include/situ/situ.hpp" in archives.digests(), True),
            (tried(emulated, tree), "/emulated is of a rehearsal, its programs are emulated"),
        ]


def selftest():
    with contextlib.redirect_stdout(io.StringIO()), contextlib.redirect_stderr(io.StringIO()):
        checks = [*parsers(), *compiled_parts(), *resumed(), *archived(), *selftest_limits.checks()]
    wrong = [(i, got, wanted) for i, (got, wanted) in enumerate(checks) if got != wanted]
    for i, got, wanted in wrong:
        print(f"check {i}: got {got}, wanted {wanted}")
    print(f"{len(checks) - len(wrong)} of {len(checks)} checks passed")
    return 1 if wrong else 0
