#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Looks at the machine code of the kernels that check.py has compiled: which loads are on the way together, what lies in
local memory, how many instructions and how much 64-bit arithmetic an element takes, how many warps find room; and what
follows from that for the time on a GPU.

    check.py --keep=FOLDER --include=...
    sass.py FOLDER [--cuobjdump=cuobjdump] [--write=docs/machine-code.md]
    sass.py --selftest

The exit code is 77 where cuobjdump is missing. It is in CUDA's toolkit, and in PyPI packages of NVIDIA, from where
scripts/setup --cuobjdump takes it into .deps/. --write puts the tables into a page, between two marks."""

import argparse
import collections
import pathlib
import re
import shutil
import subprocess
import sys

import roofline
from check import SKIPPED, demangle, resources, short
from machine_code import batches, hot_part, local_accesses, measure, parse

HERE = pathlib.Path(__file__).resolve().parent
DEPS = HERE.parents[1] / ".deps"

# A row of the tables: which kernel; the bytes of an element in what it stores (in what it loads, where `by_loads`); the
# bytes that an element reads from and writes to memory; the threads of a block where they are not the most that the
# kernel may have; the bytes of the loads that are meant, where others are larger together (the totals of a scan's parts).
# What neither reads nor writes so many bytes an element takes what it takes elsewhere: nothing is expected of it. The limits: the most instructions and 64-bit instructions an element; the least number of loads on
# the way when the first of them is waited for, of 16 bytes or of any; the fewest warps of a multiprocessor.
Row = collections.namedtuple(
    "Row", "title pattern element read written instructions wide vectors loads by_loads threads warps width",
    defaults=(0, 0, False, None, 28, 0),
)
ROWS = (
    Row("a * b + c", r"^FlatElementwise<Call<Add, float, Call<Multiply,", 4, 12, 4, 8, 2, vectors=6),
    Row("relu", r"^FlatElementwise<Call<Relu, float, Leaf", 4, 4, 4, 4, 1, vectors=4),
    Row("a + b, bfloat16", r"^FlatElementwise<.*Add, bfloat16.*, bfloat16>", 2, 4, 2, 9, 1, vectors=4),
    Row("a + b, float16", r"^FlatElementwise<.*Add, float16.*, float16>", 2, 4, 2, 7, 1, vectors=4),
    Row("x - row", r"^StridedElementwise<Call<Subtract, float, Leaf.*, float, 4>", 4, 4, 4, 18, 3, vectors=4),
    Row("exp", r"^FlatElementwise<Call<Exp, float, Leaf", 4, 4, 4, 16, 2, vectors=4),
    Row("sin", r"^FlatElementwise<Call<Sin, float, Leaf", 4, 4, 4, 58, 1, vectors=4),
    Row("gelu", r"^FlatElementwise<Call<Gelu, float, Leaf", 4, 4, 4, 56, 1),
    Row("gelu, bfloat16", r"^FlatElementwise<Call<Gelu, bfloat16, Leaf", 2, 2, 2, 58, 1),
    Row("Adam", r"^UpdateSeveral<Call<AdamStep", 12, 16, 12, 110, 4, vectors=4, width=16),
    Row("rand", r"^Sample<Uniform<float>", 4, 0, 4, 17, 6),
    Row("randn", r"^Sample<Normal<float>", 4, 0, 4, 36, 6),
    Row("sum", r"^ReduceRows<FlatSource<Leaf<float.*Target<Sum, float>", 4, 4, 0, 3, 1, vectors=4, by_loads=True),
    Row("sum, bfloat16", r"^ReduceRows<FlatSource<Leaf<bfloat16.*Target<Sum, bfloat16>", 2, 2, 0, 4, 1, vectors=4, by_loads=True),
    Row("sum of columns", r"^ReduceColumns<FlatSource<Leaf<float.*Target<Sum, float>, 4>", 4, 4, 0, 4, 1, vectors=4, by_loads=True),
    Row("softmax, rows of 512", r"^MapHeldRows<float, Softmax, 4, 8, false", 4, 4, 4, 27, 3, vectors=6),
    Row("softmax, rows of 4096", r"^MapHeldRows<float, Softmax, 4, 8, true", 4, 4, 4, 25, 2, vectors=6, threads=128),
    Row("softmax, bfloat16", r"^MapHeldRows<bfloat16, Softmax, 8, 4", 2, 2, 2, 26, 1, vectors=4, threads=128),
    Row("layer norm, rows of 4096", r"^MapHeldRows<float, LayerNorm<float>, 4, 8, true", 4, 4, 4, 25, 2, vectors=6, threads=128),
    Row("layer norm, bfloat16", r"^MapHeldRows<bfloat16, LayerNorm<bfloat16>, 8, 4", 2, 2, 2, 28, 1, vectors=4, threads=128),
    Row("take, rows", r"^TakeRows<Vector<unsigned int, 4>", 4, 4, 4, 15, 4, vectors=4),
    Row("gather", r"^GatherElements<Vector<unsigned int, 1>, long", 4, 12, 4, 68, 13, loads=4),
    Row("conv2d: columns", r"^ImageToColumns<float, int>", 4, 0.5, 4, 10, 2, loads=16),
    Row("conv2d: columns, bfloat16", r"^ImageToColumns<bfloat16, int>", 2, 0.25, 2, 11, 2, loads=16),
    Row("conv2d: depthwise", r"^Depthwise<float, int>", 4, 4, 4, 16, 3, loads=12, by_loads=True),
    Row("max_pool2d", r"^MaxPool<float, int>", 4, 4, 1, 9, 2, loads=4, by_loads=True),
    Row("avg_pool2d", r"^AveragePool<float, int, float>", 4, 4, 1, 6, 1, loads=4, by_loads=True),
    Row("transpose", r"^TransposeCopy<4>", 4, 4, 4, 28, 4, loads=12),
    Row("matrix by vector", r"^ReduceRows<StridedSource<Call<Multiply, float, Leaf<float, 0>, Leaf<float, 1> >.*<Sum, float>, 4>", 4, 4, 0, 11, 3, vectors=4, by_loads=True),
    Row("scatter: lines", r"^ScatterLines<Replace, Vector<unsigned int, 1>", 4, 12, 4, 84, 10, loads=8),
    Row("scatter_add: lines", r"^ScatterLines<Sum, float", 4, 16, 4, 86, 10, loads=8),
    Row("scatter max: lines", r"^ScatterLines<Extremum<true>, float", 4, 16, 4, 88, 10, loads=8),
    Row("scatter: targets", r"^ScatterTargets", 8, 8, 8, 135, 32, loads=1),
    Row("scatter: runs", r"^ScatterRuns<Replace, Vector<unsigned int, 1>", 4, 0, 0, 215, 48, loads=6, width=4),
    Row("scatter_add: runs", r"^ScatterRuns<Sum, float", 4, 0, 0, 220, 48, loads=6, width=4),
    Row("scatter max: runs", r"^ScatterRuns<Extremum<true>, float", 4, 0, 0, 400, 82, loads=5, width=4),
    Row("cumsum", r"^ScanRows<StridedSource<Leaf<float, .*Sum<float>.*4>", 4, 4, 4, 46, 6, vectors=2, width=16),
    Row("cumsum of columns: totals", r"^ScanColumns<StridedSource<Leaf<float, .*Sum<float>", 4, 4, 0, 7, 2, loads=12, by_loads=True, width=4),
    Row("cumprod", r"^ScanRows<StridedSource<Leaf<float, .*Product<float>.*4>", 4, 4, 4, 330, 6, vectors=2, width=16),
    Row("cummax", r"^ScanRows<StridedSource<Leaf<float, .*RunningExtremum<float, true>.*4>", 4, 4, 4, 58, 6, vectors=2, width=16),
    Row("histogram", r"^CountEach<EvenBins<float, float>, true>", 16, 4, 0, 78, 13, loads=1, by_loads=True, width=4),
    Row("bincount", r"^CountEach<OwnNumber<int>, true>", 4, 4, 0, 21, 5, loads=1, by_loads=True),
    Row("mask: count", r"^CountTrue", 1, 1, 0, 19, 4, loads=6, by_loads=True, width=1),
    Row("mask: positions", r"^ListTrue", 8, 1, 8, 44, 8, loads=6, width=1),
    Row("x(rows, columns): positions", r"^FlatElementwise<Call<Add, long, Leaf<long, 0>, Call<Where", 8, 17, 8, 33, 8, vectors=6),
    Row("sort: block", r"^SortInBlock<float>", 4, 0, 0, 113, 19, loads=1, by_loads=True),
    Row("topk: block", r"^SelectInBlock<float>", 4, 0, 0, 19, 3, loads=1, by_loads=True, width=4),
    Row("sort: keys", r"^EncodeKeys<float, \(SortForm\)1>", 8, 4, 8, 130, 29, loads=1),
    Row("sort: keys of int64", r"^EncodeKeys<long, \(SortForm\)2>", 12, 8, 12, 130, 30, loads=1),
    Row("sort: elements", r"^DecodeKeys<float, \(SortForm\)1>", 12, 8, 12, 190, 41, loads=1),
    Row("sort: elements of int64", r"^DecodeKeys<long, \(SortForm\)2>", 16, 12, 16, 190, 41, loads=2),
    Row("gradients of (2 a + 3) (4 b + 5)", r"^Together<FlatElementwise<Call<Partial", 8, 12, 8, 17, 3, vectors=4),
    Row("softmax, gradient: sums", r"^ReduceRows<FlatSource<Call<Multiply, float, Leaf<float, 0>, Leaf<float, 1> > >.*<Sum, float>", 8, 8, 0, 5, 2, vectors=4, by_loads=True),
    Row("softmax, gradient", r"^StridedElementwise<Call<Multiply, float, Leaf<float, 0>, Call<Subtract, float, Leaf<float, 1>, Leaf.*, 4> ?$", 4, 8, 4, 21, 3, vectors=3),
    Row("layer norm, gradient: sums", r"^ReduceRows<StridedSource<Call<Multiply, float, Call<Multiply, .*Call<Subtract, .*, 4> ?$", 25, 8, 0, 52, 9, vectors=5, by_loads=True),
    Row("layer norm, gradient", r"^StridedElementwise<Call<Multiply, float, Leaf<float, 0>, Call<Subtract, float, Call<Subtract.*, 4> ?$", 4, 8, 4, 48, 4, vectors=6),
    Row("layer norm, gradient of the weight", r"^ReduceColumns<StridedSource<Call<Multiply, float, Leaf<float, 0>, Call<Multiply, .*, 4> ?$", 20, 8, 0, 43, 7, vectors=4, by_loads=True),
)


def find_cuobjdump(wish):
    for place in (wish, "cuobjdump", "/usr/local/cuda/bin/cuobjdump", DEPS / "bin" / "cuobjdump"):
        if place and (found := shutil.which(str(place))):
            return found
    return None


def block_sizes(ptx):
    """{mangled name: the most threads of a block}."""
    return {
        match.group(1): int(match.group(2))
        for match in re.finditer(r"\.entry (\w+)\([^{]*?\.maxntid (\d+)", ptx, re.S)
    }


def measured(row, kernels):
    """(counts, registers, threads, shared bytes) of the kernel of a row; None if there is none."""
    for name, (code, used, threads) in kernels.items():
        if re.search(row.pattern, name):
            return measure(code, row.element, row.by_loads, row.width), used["registers"], row.threads or threads, used["shared"]
    return None


def complaints(row, counts, registers, threads, _):
    said = []
    warps = roofline.resident_warps(roofline.GPUS[0], registers, threads)
    if warps < row.warps:
        said.append(f"{registers} registers leave room for {warps} warps, not {row.warps}")
    for limit, unit in ((row.vectors, "vectors"), (row.loads, "loads")):
        if counts[unit] < limit:
            said.append(f"{counts[unit]} {unit} on the way together, not {limit}")
    if counts["instructions"] > row.instructions:
        said.append(f"{counts['instructions']:.1f} instructions an element, more than {row.instructions}")
    if counts["wide"] > row.wide:
        said.append(f"{counts['wide']:.1f} instructions of 64-bit arithmetic an element, more than {row.wide}")
    return [f"{row.title}: {what}" for what in said]


def judge(kernels, rows):
    wrong = [
        f"{name}: {accesses} accesses to local memory"
        for name, (code, _, _) in kernels.items()
        if (accesses := local_accesses(code))
    ]
    for row in rows:
        found = measured(row, kernels)
        wrong += complaints(row, *found) if found else [f"{row.title}: no kernel is called {row.pattern}"]
    return wrong


def tables(kernels, rows):
    """Two tables: what was counted, and what it lets one expect."""
    lines = [
        "| kernel | registers | warps | loads together | instructions | 64-bit | special | bytes of code |",
        "|---|---:|---:|---:|---:|---:|---:|---:|",
    ]
    heads = [f"{gpu.name} predicted | limit | measured" for gpu in roofline.GPUS]
    expected = [
        "| kernel | bytes | " + " | ".join(heads) + " |",
        "|---|---:|" + "---:|---|---:|" * len(roofline.GPUS),
    ]
    for row in rows:
        found = measured(row, kernels)
        if not found:
            continue
        counts, registers, threads, _ = found
        together = f"{counts['vectors']} of 16 bytes" if counts["vectors"] else f"{counts['loads']}"
        lines.append(
            f"| {row.title} | {registers} | {roofline.resident_warps(roofline.GPUS[0], registers, threads)} | {together} | "
            f"{counts['instructions']:.1f} | {counts['wide']:.1f} | {counts['special']:.1f} | {16 * counts['size']} |"
        )
        if not row.read + row.written:
            continue
        cells = []
        for gpu in roofline.GPUS:
            (part, limit), (other, after) = roofline.predict(gpu, counts, row.read, row.written, registers, threads)[:2]
            cells.append(f"{part:.2f} | {limit}, {after} at {other:.1f} | ")
        expected.append(f"| {row.title} | {row.read + row.written} | " + " | ".join(cells) + " |")
    return "\n".join(lines), "\n".join(expected)


def write_page(page, counted, expected):
    text = page.read_text()
    for mark, table in (("counted", counted), ("expected", expected)):
        begin, end = f"<!-- {mark} -->\n", f"<!-- {mark}: end -->"
        before, rest = text.split(begin)
        text = before + begin + table + "\n" + rest[rest.index(end) :]
    page.write_text(text)


def code_line(address, text, barrier=7, waits=()):
    control = (1 | 1 << 4 | barrier << 5 | 7 << 8 | sum(1 << b for b in waits) << 11) << 41
    return f"        /*{address:04x}*/   {text} ;   /* 0x{0:016x} */\n   /* 0x{control:016x} */\n"


def dump_of(lines):
    return "\t\tFunction : k\n" + "".join(code_line(16 * at, *line) for at, line in enumerate(lines))


def selftest():
    """Loads together and one after the other, a loop, a tail, local memory: each is told from the others."""
    load, store = "LDG.E.128 R4, desc[UR4][R2.64]", "STG.E.128 desc[UR4][R2.64], R4"
    together = parse(dump_of([(load, 0), (load, 1), (load, 0), ("FADD R4, R4, R8", 7, (0, 1)), (store,), ("EXIT",)]))["k"]
    in_turn = parse(dump_of([(load, 0), ("FSEL R4, R4, RZ, P0", 7, (0,)), (load, 0), ("FADD R4, R4, R8", 7, (0,)),
                             (store,), ("EXIT",)]))["k"]
    tail = [("@P0 BRA 0x40",), ("LDG.E R4, desc[UR4][R2.64]", 0), ("STG.E desc[UR4][R2.64], R4", 7, (0,)), ("EXIT",)]
    loop = [("MOV R1, R2",), (load, 0), ("IMAD.WIDE R2, R3, 0x4, R4",), ("FADD R4, R4, R8", 7, (0,)),
            ("@P1 BRA 0x50",), (store,), ("EXIT",), ("BRA 0xb0",), ("NOP",)]
    looped = parse(dump_of(tail + loop))["k"]
    reported = parse(dump_of([("LDG.E.64 R4, desc[UR4][R2.64]", 0), ("@!P0 BRA P1, 0x40", 7, (0,)),
                              ("ATOMG.E.EXCH.STRONG.GPU PT, R8, desc[UR4][R6.64], R9",), ("MOV R4, RZ",),
                              ("STG.E desc[UR4][R2.64], R4",), ("EXIT",)]))["k"]
    spilled = parse(dump_of([("STL [R1], R2",), ("EXIT",)]))["k"]
    wide = measure(looped, 4, by_loads=True)
    registers = {"registers": 32, "shared": 0}
    row = Row("k", "^k$", 4, 4, 4, 3, 0, vectors=3)
    checks = [
        ("loads together", [len(batch.widths) for batch in batches(together)] == [3]),
        ("loads in turn", [len(batch.widths) for batch in batches(in_turn)] == [1, 1]),
        ("the end is cut off", looped[-1].operation == "EXIT"),
        ("a loop is the hot part", [i.operation for i in hot_part(looped)[0]] == ["LDG.E.128", "IMAD.WIDE", "FADD", "BRA"]),
        ("elements, 64-bit arithmetic", wide["elements"] == 4 and wide["wide"] == 0.25 and wide["instructions"] == 1),
        ("a way without a loop", measure(together, 4)["instructions"] == 1.5 and measure(together, 4)["vectors"] == 3),
        ("the bytes of a load", [batch.widths for batch in batches(reported)] == [[8]]),
        ("a report is led over", [i.operation for i in hot_part(reported)[0]] == ["LDG.E.64", "BRA", "STG.E", "EXIT"]),
        ("good passes", judge({"k": (together, registers, 256)}, [row]) == []),
        ("in turn is wrong", judge({"k": (in_turn, registers, 256)}, [row]) != []),
        ("too many instructions", judge({"k": (together, registers, 256)}, [row._replace(instructions=1)]) != []),
        ("too few warps", judge({"k": (together, {"registers": 128, "shared": 0}, 256)}, [row]) != []),
        ("local memory", judge({"k": (spilled, registers, 256)}, []) != []),
        ("no such kernel", judge({}, [row]) != []),
        ("warps", roofline.resident_warps(roofline.GPUS[0], 64, 256) == 32
         and roofline.resident_warps(roofline.GPUS[0], 32, 256) == 64
         and roofline.resident_warps(roofline.GPUS[0], 16, 32) == 32),
        ("fewer loads, slower", roofline.predict(roofline.GPUS[0], measure(in_turn, 4), 4, 4, 255, 256)[0]
         < roofline.predict(roofline.GPUS[0], measure(together, 4), 4, 4, 255, 256)[0]),
    ]
    for title, passed in checks:
        print(f"{'ok    ' if passed else 'FAILED'} {title}")
    return 0 if all(passed for _, passed in checks) else 1


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("folder", type=pathlib.Path, nargs="?")
    parser.add_argument("--cuobjdump")
    parser.add_argument("--write", type=pathlib.Path)
    parser.add_argument("--selftest", action="store_true")
    arguments = parser.parse_args()
    if arguments.selftest:
        return selftest()
    if arguments.folder is None:
        parser.error("which folder?")
    cuobjdump = find_cuobjdump(arguments.cuobjdump)
    cubin = arguments.folder / "kernels.cubin"
    if not cuobjdump or not cubin.exists():
        print("skipped: " + ("cuobjdump is not there; scripts/setup --cuobjdump fetches it" if cubin.exists()
                             else f"there is no {cubin}"))
        return SKIPPED
    dump = subprocess.run([cuobjdump, "-sass", str(cubin)], capture_output=True, text=True, check=True).stdout
    code = parse(dump)
    names = demangle(list(code))
    used = resources((arguments.folder / "report.txt").read_text())
    threads = block_sizes(next(arguments.folder.glob("kernels*.ptx")).read_text())
    kernels = {short(names[name]): (code[name], used[name], threads[name]) for name in code}
    counted, expected = tables(kernels, ROWS)
    if arguments.write:
        write_page(arguments.write, counted, expected)
    print(counted + "\n\n" + expected)
    wrong = judge(kernels, ROWS)
    for line in wrong:
        print(f"WRONG: {line}")
    print(f"{len(kernels)} kernels, {len(wrong)} complaints")
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
